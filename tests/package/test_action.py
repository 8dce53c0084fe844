"""``action.yml``: its steps, run by bash as GitHub's runner runs them, on a repository made here."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import scorio
from helpers.command import LOGS, ROOT, run

yaml = pytest.importorskip("yaml")
pytest.importorskip("click")
if not (ROOT / "action.yml").exists():
    pytest.skip("needs the sources", allow_module_level=True)
if shutil.which("bash") is None or not Path("/dev/urandom").exists():
    pytest.skip("needs bash", allow_module_level=True)

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = ACTION["runs"]["steps"]
COMPARED = re.compile(r"inputs\.([\w-]+) (==|!=) '(\w*)'")
COMMAND = re.compile(r"^::(\w[\w-]*)(?: title=(.*?))?::(.*)$")


class Job:
    """A job that uses the action: a workspace, the files of the runner, and what the steps left in them."""

    def __init__(self, tmp_path):
        self.workspace, self.temporary = tmp_path / "workspace", tmp_path / "temp"
        for folder in (self.workspace, self.temporary, tmp_path / "home"):
            folder.mkdir()
        self.files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
        for path in self.files.values():
            path.touch()
        command = tmp_path / "bin" / "scorio"
        command.parent.mkdir()
        command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m scorio "$@"\n')
        command.chmod(0o755)
        # A clean environment: nothing of this process's own but where Python is.
        self.env = {"PATH": f"{command.parent}:/usr/bin:/bin", "HOME": str(tmp_path / "home"), "GITHUB_ACTIONS": "true"}
        self.env |= {name: str(path) for name, path in self.files.items()}
        self.env |= {"RUNNER_TEMP": str(self.temporary), "GITHUB_ACTION_PATH": str(ROOT)}
        self.annotations, self.shown, self.errors, self.outputs = [], "", "", {}

    def use(self, **inputs):
        """Run the steps with these inputs until one fails, and return the exit code of the job."""
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert given.keys() <= ACTION["inputs"].keys()
        missing = [name for name, each in ACTION["inputs"].items() if each.get("required") and name not in given]
        assert not missing
        values = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()} | given
        for step in STEPS:
            if "if" in step and not any(self._holds(part, values) for part in step["if"].split(" || ")):
                continue
            if "uses" in step:  # another action, which the runner fetches
                continue
            code = self.run(step, values)
            if code:
                return code
        return 0

    @staticmethod
    def _holds(condition, values):
        name, sign, value = COMPARED.fullmatch(condition).groups()
        return (values[name] == value) == (sign == "==")

    def run(self, step, values):
        assert step["shell"] == "bash"
        script = self.temporary / "step.sh"
        script.write_text(step["run"])
        env = self.env | {name: self._filled(text, values) for name, text in step.get("env", {}).items()}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = subprocess.run(command, cwd=self.workspace, env=env, capture_output=True, text=True, check=False)
        self.shown += done.stdout
        self.errors += done.stderr
        self._obey(done.stdout)
        self.outputs |= dict(line.split("=", 1) for line in self.files["GITHUB_OUTPUT"].read_text().splitlines())
        return done.returncode

    @staticmethod
    def _filled(text, values):
        return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: values[found[1]], text)

    def _obey(self, text):
        """Take the commands to the runner out of what a step printed, as the runner does."""
        token = None
        for line in text.splitlines():
            found = COMMAND.match(line.lstrip())
            if token is not None:
                token = None if found and found[1] == token else token
            elif found and found[1] == "stop-commands":
                token = found[3]
            elif found:
                self.annotations.append(found.groups())
        assert token is None, "commands stay stopped"

    @property
    def summary(self):
        return self.files["GITHUB_STEP_SUMMARY"].read_text()


@pytest.fixture
def job(tmp_path):
    """A job in a repository that keeps the counts of its baseline, aurora-70b."""
    made = Job(tmp_path)
    (made.workspace / "logs").mkdir()
    run("convert", f"{LOGS}/aurora-70b.json", "-q", "-o", made.workspace / "baseline.csv")
    return made


def evaluate(job, model):
    shutil.copy(f"{LOGS}/{model}.json", job.workspace / "logs" / "new model.json")


def test_no_input_becomes_a_part_of_a_script():
    scripts = [step for step in STEPS if "run" in step]
    assert all("${{" not in step["run"] for step in scripts)
    for step in scripts:
        assert all(re.fullmatch(r"\$\{\{ inputs\.[\w-]+ \}\}", text) for text in step.get("env", {}).values())
        assert set(step) <= {"name", "id", "if", "shell", "env", "run"}
    used = {name for step in STEPS for name in re.findall(r"inputs\.([\w-]+)", json.dumps(step))}
    assert used == set(ACTION["inputs"])
    assert all(each["description"] for each in ACTION["inputs"].values())


@pytest.mark.slow
def test_a_job_that_passes(job):
    evaluate(job, "borealis-70b")
    inputs = {"logs": "logs/", "baseline": "baseline.csv", "metric": "pass@1\npass@4\n", "max_drop": "0.15"}
    assert job.use(**inputs, junit="gate.xml", install="false") == 0, job.errors
    assert job.outputs == {"verdict": "passed", "report": "scorio-report.html", "comment": "scorio-comment.md"}
    assert [(kind, title) for kind, title, _ in job.annotations] == [("notice", "scorio gate")]
    assert "gate passed: borealis-70b against" in job.annotations[0][2]
    assert "| borealis-70b |" in job.summary
    assert "**gate passed: borealis-70b against aurora-70b" in job.summary
    assert "<html" in (job.workspace / "scorio-report.html").read_text()
    assert ET.parse(job.workspace / "gate.xml").getroot().find("testsuite").get("tests") == "2"


@pytest.mark.slow
def test_a_job_that_fails(job):
    evaluate(job, "cirrus-7b")
    assert job.use(logs="logs/", baseline="baseline.csv", install="false") == 1
    assert job.outputs == {"verdict": "failed", "report": "scorio-report.html", "comment": "scorio-comment.md"}
    assert "Gate failed" in (job.workspace / "scorio-report.html").read_text()
    [(kind, title, message)] = job.annotations
    assert (kind, title) == ("error", "scorio gate%3A pass@1")
    assert message.startswith("failed: pass@1, 0.629 to 0.490")
    assert "**gate failed: cirrus-7b against aurora-70b**" in job.summary


@pytest.mark.slow
@pytest.mark.parametrize(("undecided", "code"), [("fail", 3), ("pass", 0), ("maybe", 2)])
def test_a_job_that_cannot_tell(job, undecided, code):
    evaluate(job, "borealis-70b")
    about = {"mode": "noninferior", "undecided": undecided, "report": "", "install": "false"}
    assert job.use(logs="logs/", baseline="baseline.csv", **about) == code
    assert job.outputs["verdict"] == ("error" if code == 2 else "undecided")
    if code == 2:
        assert job.annotations == [("error", "scorio", "the input undecided must be fail or pass")]
    else:
        assert [kind for kind, *_ in job.annotations] == ["warning"]


@pytest.mark.slow
def test_a_job_without_a_gate_reports_and_other_gates_need_no_baseline(job):
    for model in ("borealis-70b", "aurora-70b"):
        shutil.copy(f"{LOGS}/{model}.json", job.workspace / "logs")
    assert job.use(logs="logs/*.json", install="false") == 0, job.errors
    assert "verdict" not in job.outputs
    assert "| aurora-70b |" in job.summary
    options = {"gate_options": "--no-new-failures\n--allow\n40", "max_drop": "15%", "report": "", "install": "false"}
    assert job.use(logs="logs/", between="borealis-70b\naurora-70b", **options) == 0, job.errors
    assert job.outputs["verdict"] == "passed"
    assert "no new failures passed" in job.summary
    (job.workspace / "logs" / "aurora-70b.json").unlink()
    assert job.use(logs="logs/", per_question="0.999", report="", install="false") == 1, job.errors
    assert job.outputs["verdict"] == "failed"


@pytest.mark.slow
@pytest.mark.parametrize("unreadable", ["logs", "baseline"])
def test_a_file_that_cannot_be_read_gives_a_verdict_and_a_reason(job, unreadable):
    """The verdict is error, a line says so beside the run, and the summary has the reason; the report is no excuse."""
    evaluate(job, "borealis-70b")
    inputs = {"logs": "logs/", "baseline": "baseline.csv"} | {unreadable: "nothere.csv"}
    assert job.use(**inputs, install="false") == 2
    assert job.outputs["verdict"] == "error"
    assert any(kind == "error" and "nothere.csv" in message for kind, _, message in job.annotations)
    assert "nothere.csv" in job.summary.partition("The gate could not be decided")[2]


@pytest.mark.slow
def test_logs_that_cannot_be_read_give_a_verdict_without_a_gate(job):
    assert job.use(logs="nothere.csv", install="false") == 2
    assert job.outputs["verdict"] == "error"
    assert [kind for kind, *_ in job.annotations] == ["error"]
    assert "nothere.csv" in job.summary


@pytest.mark.slow
def test_the_gate_decides_although_the_report_fails(job):
    evaluate(job, "cirrus-7b")
    assert job.use(logs="logs/", baseline="baseline.csv", report="no/such/folder/report.html", install="false") == 1
    assert job.outputs == {"verdict": "failed", "comment": "scorio-comment.md"}
    assert [title for _, title, _ in job.annotations] == ["scorio gate%3A pass@1", "scorio report"]


@pytest.mark.slow
def test_inputs_and_names_are_only_data(job):
    """Neither what a workflow passes on nor what a log says is run, or obeyed by the runner."""
    evil = "$(touch pwned) `touch pwned`; touch pwned; '\"\\"
    name = "::error title=x::forged"
    rows = [f'"{name}",q{i},{trial},{(i + trial) % 3 > 0:d}' for i in range(8) for trial in range(4)]
    (job.workspace / "logs" / "new.csv").write_text("\n".join(["model,question,trial,correct", *rows]) + "\n")
    assert job.use(logs="logs/", report="", install="false") == 0, job.errors
    assert name in job.shown
    assert job.annotations == []
    names = set(ACTION["inputs"]) - {"logs", "python", "install", "undecided"}
    for inputs in (dict.fromkeys(names, evil) | {"logs": "logs/"}, {"baseline": "b", "logs": "--output=pwned"}):
        given = {name.replace("-", "_"): value for name, value in inputs.items()}
        assert job.use(**given, undecided="fail", install="false") == 2
        assert job.outputs["verdict"] == "error"
    assert not list(job.workspace.rglob("pwned*"))


@pytest.fixture
def source(tmp_path):
    """The sources with kernels that are compiled already, so that an installation takes seconds."""
    settings = ROOT / "build" / "settings-of-kernels.txt"
    if not (ROOT / "setup.py").exists() or not settings.exists():
        pytest.skip("needs the sources and a build")
    made = tmp_path / "source"
    shutil.copytree(ROOT / "scorio", made / "scorio", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "action-constraints.txt"):
        shutil.copy(ROOT / name, made)
    name = f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    built = made / "build" / name / "scorio" / "_kernels"
    built.mkdir(parents=True)
    shutil.copy(settings, made / "build")
    for module in (made / "scorio" / "_kernels").glob("*.so"):
        shutil.move(module, built)
    return made


@pytest.mark.slow
def test_the_step_that_installs_makes_the_command(job, source, tmp_path):
    """With the libraries of this environment, and without a network."""
    pytest.importorskip("Cython")
    pytest.importorskip("setuptools")
    libraries = os.pathsep.join(path for path in sys.path if path and path != str(ROOT))
    pip = {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1"}  # 0 is pip's word for none
    job.env |= {"GITHUB_ACTION_PATH": str(source), "PYTHONPATH": libraries} | pip
    [install] = [step for step in STEPS if step["name"] == "Install scorio"]
    assert job.run(install, {"python": sys.executable}) == 0, job.errors
    [folder] = job.files["GITHUB_PATH"].read_text().splitlines()
    assert [each.name for each in Path(folder).iterdir()] == ["scorio"]
    env = {"PATH": f"{folder}:/usr/bin:/bin", "PYTHONPATH": libraries}
    code = "import scorio, scorio._kernels.distinct; print(scorio.__file__)"
    interpreter = job.temporary / "scorio" / "bin" / "python"
    done = subprocess.run([interpreter, "-c", code], env=env, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert str(job.temporary) in done.stdout
    done = subprocess.run(["scorio", "--version"], env=env, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert scorio.__version__ in done.stdout


@pytest.mark.slow
def test_a_build_in_the_cache_is_installed_without_another(job, source):
    """The name of the build is that of its source; with a wheel in the folder of the cache nothing is compiled."""
    names = []
    [name] = [step for step in STEPS if step["name"] == "Name the build"]
    job.env |= {"GITHUB_ACTION_PATH": str(source)}
    for more in ("", "", "# changed\n"):
        with (source / "scorio" / "eval.py").open("a") as file:
            file.write(more)
        assert job.run(name, {"python": sys.executable}) == 0, job.errors
        names.append(job.outputs["key"])
    assert names[0] == names[1] != names[2]
    [cache] = [step for step in STEPS if "uses" in step]
    assert cache["with"]["path"].endswith("/scorio-wheel")
    wheel = job.temporary / "scorio-wheel" / "scorio-1-py3-none-any.whl"
    wheel.parent.mkdir()
    wheel.write_text("not a wheel")
    [install] = [step for step in STEPS if step["name"] == "Install scorio"]
    assert job.run(install, {"python": sys.executable}) != 0
    assert "scorio-1-py3-none-any.whl" in job.shown + job.errors  # it was taken, and found to be none


@pytest.mark.slow
def test_the_comment_has_the_verdict_first_and_then_what_changed(job):
    """Markdown that a pull request shows; questions that only vary are not listed."""
    rows = [f"new,q{i},{trial},{int(i > 2)}" for i in range(20) for trial in range(16)]
    (job.workspace / "logs" / "new.csv").write_text("\n".join(["model,question,trial,correct", *rows]) + "\n")
    rows = [f"old,q{i},{trial},{int(i > 0 or trial % 2)}" for i in range(20) for trial in range(16)]
    (job.workspace / "old.csv").write_text("\n".join(["model,question,trial,correct", *rows]) + "\n")
    assert job.use(logs="logs/", baseline="old.csv", report="", install="false") == 1, job.errors
    assert job.outputs == {"verdict": "failed", "comment": "scorio-comment.md"}
    comment = (job.workspace / "scorio-comment.md").read_text()
    assert comment.startswith("**gate failed: new against old**")
    assert "| worse | q1 |" in comment.partition("of 20 questions")[2]
    assert "flaky:" not in comment
    (job.workspace / "logs" / "new.csv").write_text((job.workspace / "old.csv").read_text())
    job.use(logs="logs/", baseline="old.csv", report="", install="false")
    assert "| change |" not in (job.workspace / "scorio-comment.md").read_text()  # no table without rows


def test_the_documented_job_uses_inputs_that_exist():
    page = (ROOT / "docs" / "gates.md").read_text()
    job = yaml.safe_load(page.partition("<!-- action -->\n```yaml\n")[2].partition("```")[0])
    [step] = [each for each in job["jobs"]["gate"]["steps"] if each.get("uses", "").startswith("you/scorio")]
    assert step["with"].keys() <= ACTION["inputs"].keys()
