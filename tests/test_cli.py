"""The command line: numbers are the library's and the truth's in every format, and scripts can act on the exit code."""

import csv
import html.parser
import io
import json
import math
import os
import shutil
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("click")

from click.testing import CliRunner

import scorio
from scorio import read
from scorio.cli.program import program
from scorio.cli.progress import tracked, working

ROOT = Path(__file__).parents[1]
LOGS = str(ROOT / "examples" / "logs" / "inspect")
MODELS = ["aurora-70b", "borealis-70b", "cirrus-7b", "drizzle-1b"]


def run(*args, code=0):
    done = CliRunner().invoke(program, [str(arg) for arg in args], prog_name="scorio")
    assert done.exit_code == code, done.output
    return done


def rows(*args, code=0):
    return json.loads(run(*args, "--format", "json", code=code).stdout)["rows"]


def shell(*args, **options):
    command = [sys.executable, "-m", "scorio", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="module")
def trials():
    """Outcomes by model and question, from the CSV form of the same logs, without a reader."""
    found = {}
    with (ROOT / "examples" / "logs" / "puzzles.csv").open() as file:
        for row in csv.DictReader(file):
            outcomes = found.setdefault(row["model"], {}).setdefault(row["question"], [])
            outcomes += [int(row["correct"])] if row["correct"] else []
    return found


def pass_at(k, outcomes):
    """Pass@k of one question, exactly."""
    n, c = len(outcomes), sum(outcomes)
    return 1 - Fraction(math.comb(n - c, k), math.comb(n, k))


def truth(k, questions):
    return float(sum(pass_at(k, each) for each in questions.values()) / len(questions))


def test_scores_are_exact_and_intervals_the_librarys(trials):
    found = rows("score", LOGS, "-m", "pass@1", "-m", "pass@4", "--confidence", "0.9")
    assert [(row["model"], row["metric"]) for row in found] == [(m, k) for k in ("pass@1", "pass@4") for m in MODELS]
    for row in found:
        k = int(row["metric"][-1])
        assert row["score"] == pytest.approx(truth(k, trials[row["model"]]), abs=1e-13)
        bank = scorio.OutcomeMatrix(list(trials[row["model"]].values()))
        expected = scorio.PassAtK(k).interval(bank, 0.9, prior="eb", method="quantile")
        assert [row[name] for name in ("mu", "sigma", "lo", "hi")] == list(expected)
        assert row["coverage"] == (1 - 3 / 240 if row["model"] == "cirrus-7b" else 1.0)


def test_parameters_of_the_interval_reach_the_library():
    bank = read(LOGS)["aurora-70b"]
    options = ["--prior", "2,3", "--method", "normal", "--target", "questions", "--confidence", "0.8"]
    (row,) = rows("score", f"{LOGS}/aurora-70b.json", "-m", "passhat@3", *options)
    expected = scorio.PassHatK(3).interval(bank, 0.8, prior=(2, 3))
    assert [row[name] for name in ("mu", "sigma", "lo", "hi")] == list(expected)
    (row,) = rows("score", f"{LOGS}/aurora-70b.json", "--target", "population")
    expected = scorio.PassAtK(1).interval(bank, prior="eb", method="quantile", target="population")
    assert [row[name] for name in ("mu", "sigma", "lo", "hi")] == list(expected)


def test_too_few_trials_for_the_score():
    assert "k must satisfy 1 <= k <= N" in run("score", LOGS, "-m", "pass@7", code=2).stderr
    (row,) = rows("score", f"{LOGS}/aurora-70b.json", "-m", "pass@7", "--short", "nan")
    assert row["score"] is None
    assert 0.5 < row["lo"] < row["hi"] < 1.0
    assert "  -  " in run("score", f"{LOGS}/aurora-70b.json", "-m", "pass@7", "--short", "nan").stdout
    left = rows("score", LOGS, "-m", "pass@6", "--short", "omit")
    assert all(0.0 < row["score"] < 1.0 for row in left)


def test_rank_is_the_leaderboard():
    board = scorio.Leaderboard(["pass@1", "pass@4"], read(LOGS), prior="eb", method="quantile", tie="paired")
    found = rows("rank", LOGS, "-m", "pass@1", "-m", "pass@4", "--tie", "paired")
    assert found == [json.loads(json.dumps(row._asdict())) for row in board]
    assert str(board) == run("rank", LOGS, "-m", "pass@1", "-m", "pass@4", "--tie", "paired").stdout.rstrip("\n")


def test_curve_is_exact_and_rises(trials):
    found = rows("curve", LOGS)
    assert [row["k"] for row in found] == [1, 2, 4] * 4  # cirrus-7b has questions of four trials: two of six are lost
    for row in found:
        assert row["score"] == pytest.approx(truth(row["k"], trials[row["model"]]), abs=1e-13)
    assert [row["metric"] for row in rows("curve", LOGS, "-m", "gpass:tau=.5", "-k", "1,3")][:2] == [
        "gpass@1:tau=0.5",
        "gpass@3:tau=0.5",
    ]


def test_compare_two_logs_two_of_many_and_one_model_twice(tmp_path):
    models = read(LOGS)
    expected = scorio.compare(scorio.PassAtK(1), models["aurora-70b"], models["drizzle-1b"], prior="eb")
    for logs in (
        [LOGS, "--between", "aurora-70b", "drizzle-1b"],
        [f"{LOGS}/aurora-70b.json", f"{LOGS}/drizzle-1b.json"],
    ):
        (row,) = rows("compare", *logs)
        assert (row["first"], row["second"], row["winner"]) == ("aurora-70b", "drizzle-1b", "aurora-70b")
        assert (row["difference"], row["sigma"], row["p_better"]) == (
            expected.difference,
            expected.sigma,
            expected.p_better,
        )
    again = tmp_path / "again.json"
    again.write_bytes(Path(LOGS, "aurora-70b.json").read_bytes())
    (row,) = rows("compare", f"{LOGS}/aurora-70b.json", again)
    assert (row["second"], row["difference"], row["winner"]) == (str(again), 0.0, None)
    (row,) = rows("compare", f"{LOGS}/aurora-70b.json", f"{LOGS}/drizzle-1b.json", "--unpaired")
    assert row["paired"] is False
    assert "choose with --between" in run("compare", LOGS, code=2).stderr
    assert "cannot be told" in run("compare", LOGS, "--between", "aurora-70b", "borealis-70b").stdout


def test_converge_is_the_librarys():
    expected = scorio.convergence("pass@1", read(LOGS), replicates=200, rng=3)["pass@1"]
    options = ("--replicates", 200, "--seed", 3)
    (row,) = rows("converge", LOGS, *options)
    assert (row["mean"], row["median"], row["never"]) == (expected.mean, expected.median, expected.never)
    found = rows("converge", LOGS, *options, "--by-trials")
    assert [row["n"] for row in found] == expected.n.tolist()
    assert [row["converged"] for row in found] == expected.cdf.tolist()
    assert "0.9" in run("converge", LOGS, *options, "--by-trials").stdout


def test_plans():
    models = read(LOGS)
    leaders = scorio.plan_separation(scorio.PassAtK(1), *(models[name] for name in MODELS[:2]), prior="eb")
    (row,) = rows("plan", LOGS)
    assert (row["model"], row["more"]) == ("aurora-70b > borealis-70b", leaders.more)
    found = rows("plan", LOGS, "--half-width", 0.03)
    expected = [scorio.plan_trials(scorio.PassAtK(1), bank, 0.03, prior="eb").more for bank in models.values()]
    assert [row["more"] for row in found] == expected
    found = rows("plan", LOGS, "--half-width", 0.03, "--questions")
    expected = [scorio.plan_questions(scorio.PassAtK(1), bank, 0.03, prior="eb").more for bank in models.values()]
    assert [row["more"] for row in found] == expected
    assert "needs --half-width" in run("plan", LOGS, "--questions", code=2).stderr
    assert "no model 'x'" in run("plan", LOGS, "--between", "aurora-70b", "x", code=2).stderr
    assert "one model" in run("plan", f"{LOGS}/aurora-70b.json", code=2).stderr


def test_metrics_lists_every_metric_with_its_formula():
    found = rows("metrics")
    assert [row["name"] for row in found] == list(scorio.METRICS)
    assert all(len(row["formula"]) > 20 and "``" not in row["formula"] for row in found)


class Cells(html.parser.HTMLParser):
    """The text of the cells, row by row."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def test_every_format_says_the_same(tmp_path):
    command = ["score", LOGS, "-q"]
    plain = [line.split("  ") for line in run(*command).stdout.splitlines()[2:-1]]
    table = [[cell.strip() for cell in line if cell.strip()] for line in plain]
    assert [line[0] for line in table] == MODELS
    markdown = run(*command, "--format", "md").stdout.splitlines()[4:-2]
    assert [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown] == table
    cells = Cells()
    cells.feed(run(*command, "--format", "html").stdout)
    assert cells.rows[1:-1] == table
    latex = [line for line in run(*command, "--format", "latex").stdout.splitlines() if " & " in line][1:]
    assert [[cell.strip(" \\").replace("\\%", "%") for cell in line.split("&")] for line in latex] == table
    as_json = rows(*command)
    as_csv = list(csv.DictReader(io.StringIO(run(*command, "--format", "csv").stdout)))
    assert [{name: str(value) for name, value in row.items()} for row in as_json] == as_csv
    for ending, start in {
        "md": "**4 models",
        "tex": "% 4 models",
        "html": "<table>",
        "csv": "model,",
        "json": "{",
    }.items():
        target = tmp_path / f"out.{ending}"
        assert run(*command, "-o", target).stdout == ""
        assert target.read_text().startswith(start)
    assert run(*command, "-o", tmp_path / "out.txt").stdout == ""
    assert (tmp_path / "out.txt").read_text() == run(*command).stdout


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("aurora-70b pass@1 lo 0.5", 0),
        ("aurora-70b pass@1 lo 0.6", 1),
        ("'aurora-70b' score .62", 0),
        ("pass@1 score .5", 1),
        ("score 0.3", 0),
        ("coverage 1", 1),
        ("nobody score 0.3", 2),
        ("pass@2 score 0.3", 2),
        ("aurora-70b pass@1 model 0.3", 2),
        ("aurora-70b pass@1 nothing 0.3", 2),
        ("lo", 2),
        ("lo high", 2),
    ],
)
def test_conditions_set_the_exit_code(condition, code):
    done = run("score", LOGS, "-q", "--fail-under", condition, code=code)
    assert (len(done.stderr.splitlines()) > 0) == (code > 0)
    if code < 2:
        assert "aurora-70b" in done.stdout


def test_conditions_know_metrics_by_other_spellings_and_hold_for_nan_never():
    logs = f"{LOGS}/aurora-70b.json"
    run("rank", logs, "-m", "gpass@2:tau=.5", "--fail-under", "gpass@2:tau=.5 p_best .999")
    run("score", logs, "-m", "pass@9", "--short", "nan", "--fail-under", "score 0", code=1)


ERRORS = [
    ["score", "nowhere.json"],
    ["score"],
    ["nothing"],
    ["score", LOGS, "--prior", "strange"],
    ["score", LOGS, "--confidence", "2"],
    ["score", LOGS, "-m", "pass"],
    ["score", LOGS, "-m", "pass@0"],
    ["score", LOGS, "-m", "nix:Foo(k=8)"],
    ["score", LOGS, "-m", "json:dumps"],
    ["score", LOGS, "-m", "scorio:Nothing(k=8)"],
    ["score", LOGS, "-m", "scorio:PassAtK(j=8)"],
    ["score", LOGS, "-m", "scorio:Metric()"],
    ["score", LOGS, "--level", "C"],
    ["score", LOGS, "--level", "C=x"],
    ["score", LOGS, "--field", "question"],
    ["score", LOGS, "--task", "other"],
    ["curve", LOGS, "-m", "bayes"],
    ["curve", LOGS, "-k", "1,x"],
    ["rank", LOGS, "--tie", "x"],
    ["convert", LOGS, "-o", "outcomes.xlsx"],
    ["score", LOGS, "-o", "no/such/folder/out.csv"],
]


@pytest.mark.parametrize("args", ERRORS, ids=" ".join)
def test_errors_are_one_line(args):
    done = run(*args, "-q", code=2) if "-q" not in args else run(*args, code=2)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("scorio: ")


def test_debug_shows_where_an_error_came_from():
    done = CliRunner().invoke(program, ["score", "nowhere.json", "--debug"])
    assert isinstance(done.exception, scorio.OutcomeError)
    assert isinstance(CliRunner().invoke(program, ["--debug", "score", "nowhere.json"]).exception, scorio.OutcomeError)


def test_what_no_user_could_mend_is_one_line_too(monkeypatch):
    def broken(*args, **options):
        raise KeyError("lost")

    monkeypatch.setattr("scorio.cli.commands.score.load", broken)
    assert run("score", LOGS, code=2).stderr == "scorio: KeyError: 'lost' (--debug shows where)\n"


def test_convert_and_read_back(tmp_path):
    target = tmp_path / "outcomes.csv"
    run("convert", LOGS, "-o", target)
    with target.open() as file:
        found = list(csv.DictReader(file))
    assert len(found) == 4 * 40 * 6
    assert sum(row["outcome"] == "" for row in found) == 3
    lines = run("convert", LOGS, "-q", "--format", "jsonl").stdout.splitlines()
    as_text = [
        {name: "" if value is None else str(value) for name, value in json.loads(line).items()} for line in lines
    ]
    assert as_text == found


def test_convert_counts(trials):
    found = list(csv.DictReader(io.StringIO(run("convert", LOGS, "-q", "--counts").stdout)))
    assert {(row["model"], row["question"]): (int(row["n"]), int(row["c"])) for row in found} == {
        (model, question): (len(outcomes), sum(outcomes))
        for model, questions in trials.items()
        for question, outcomes in questions.items()
    }


OWN = """
from dataclasses import dataclass
import numpy as np
from scorio import CountMetric, param
from scorio.params import positive


@dataclass(frozen=True)
class AtLeast(CountMetric):
    "At least ``hits`` of ``k``."

    name = "atleast"
    hits: int = param(positive, default=2)

    def credit(self):
        return np.arange(self.k + 1) >= self.hits
"""


def test_a_class_of_ones_own_from_the_current_directory(tmp_path, trials):
    (tmp_path / "own_metric.py").write_text(OWN)
    logs = f"{LOGS}/aurora-70b.json"
    done = shell("score", logs, "-q", "-m", "own_metric:AtLeast(k=1, hits=1)", "--format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["rows"][0]["score"] == pytest.approx(truth(1, trials["aurora-70b"]), abs=1e-13)


def test_plug_ins_add_names(tmp_path):
    (tmp_path / "own_metric.py").write_text(OWN)
    info = tmp_path / "own-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[scorio.metrics]\natleast = own_metric:AtLeast\nbroken = nowhere:X\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    logs = f"{LOGS}/aurora-70b.json"
    done = shell("score", logs, "-q", "-m", "atleast@3:hits=3", "-m", "passhat@3", "--format", "json", env=env)
    own, other = json.loads(done.stdout)["rows"]
    assert own["metric"] == "atleast@3:hits=3"
    assert own["score"] == pytest.approx(other["score"], abs=1e-13)
    broken = shell("score", logs, "-q", "-m", "broken@3", env=env)
    assert (broken.returncode, len(broken.stderr.splitlines())) == (2, 1)


def test_arguments_of_metrics_are_data_not_code(tmp_path):
    mark = tmp_path / "mark"
    evil = f"scorio:PassAtK(k=open({str(mark)!r}, 'w').write('x'))"
    assert "must be literals" in run("score", LOGS, "-m", evil, code=2).stderr
    assert not mark.exists()


def test_without_click_one_line_says_what_to_install():
    code = "import sys; sys.modules['click'] = None; from scorio.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == 'scorio: the command line needs click: pip install "scorio[cli]"\n'


def test_the_script_is_installed_and_says_its_version():
    script = shutil.which("scorio", path=str(Path(sys.executable).parent))
    assert script is not None
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"scorio {scorio.__version__}\n"


def test_help_names_every_command_and_each_has_help():
    text = run("--help").stdout
    for name in program.list_commands(None):
        assert f"  {name} " in text
        assert f"scorio {name}" in run(name, "--help").stdout


def test_pipes_and_poor_consoles():
    done = shell("rank", LOGS, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "read 4 files" in done.stderr
    assert "read" not in done.stdout
    assert shell("rank", LOGS, "-q").stderr == ""


def test_completion():
    env = {**os.environ, "_SCORIO_COMPLETE": "bash_complete", "COMP_WORDS": "scorio score -m pass", "COMP_CWORD": "3"}
    code = "from scorio.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.split() == ["plain,pass", "plain,passhat"]


@pytest.mark.parametrize("kind", ["leaderboard", "curve", "tau", "cdf"])
def test_pictures_are_written(kind, tmp_path):
    pytest.importorskip("matplotlib")
    target = tmp_path / f"{kind}.svg"
    run("plot", LOGS, "--kind", kind, "-o", target)
    assert target.read_text().count("<path") > 10


def test_a_picture_of_two_models(tmp_path):
    pytest.importorskip("matplotlib")
    run("plot", f"{LOGS}/aurora-70b.json", f"{LOGS}/drizzle-1b.json", "--kind", "compare", "-o", tmp_path / "pair.png")
    assert (tmp_path / "pair.png").read_bytes().startswith(b"\x89PNG")
    assert "needs two models" in run("plot", LOGS, "--kind", "compare", "-o", tmp_path / "x.png", code=2).stderr
    assert "one metric" in run("plot", LOGS, "-m", "avg", "-m", "bayes", "-o", tmp_path / "x.png", code=2).stderr


@pytest.fixture
def terminal(monkeypatch):
    """A stderr that is a terminal, and a clock that ticks fast."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    for room in ("scorio.cli.progress", "scorio.parallel"):
        monkeypatch.setattr(f"{room}.sys", SimpleNamespace(stderr=screen))
    monkeypatch.setattr("scorio.cli.progress.PATIENCE", 0.01)
    return screen


def test_long_work_says_so_on_a_terminal_and_cleans_up(terminal):
    with working("reading"):
        for _ in range(1000):
            if terminal.getvalue():
                break
            time.sleep(0.01)
    assert terminal.getvalue().startswith("\rreading: 0 s")
    assert terminal.getvalue().endswith(" \r")


def test_short_work_and_files_are_left_alone(terminal, monkeypatch):
    monkeypatch.setattr("scorio.cli.progress.PATIENCE", 60.0)
    with working("reading"):
        assert list(tracked("scoring", "abc")) == ["a", "b", "c"]
    assert terminal.getvalue() == ""
