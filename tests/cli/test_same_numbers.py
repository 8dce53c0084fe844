"""Each command prints the numbers of a public function: its JSON is what the function returns for the same logs."""

import json
import shlex
from dataclasses import asdict
from pathlib import Path

import pytest

import scorio
from helpers.command import LOGS, MODELS, ROOT, run
from scorio import comparison, curves, judging, planning, read, report
from scorio.curves._gap import read_sets
from scorio.io import read_runs, recognise
from scorio.io._dated_runs import dated_runs, dates_of
from scorio.io._outcome_table import write_table
from scorio.rank._comparisons import compare_by
from scorio.rank._leaderboard import look_at
from scorio.rank._scores import score_models

DATA = ROOT / "examples" / "data"
PROMPTS, TASKS, SEEN, DATES = (DATA / name for name in ("prompts.csv", "horizons.jsonl", "seen.csv", "seen-dates.csv"))
AURORA, CIRRUS, FRAME = "aurora-70b", "cirrus-7b", {"schema", "inputs", "warnings"}  # what the frame says of every call
INTERVAL = {"confidence": 0.95, "target": "questions", "prior": None, "shape": None}
PRICES = {model: float(i) for i, model in enumerate(MODELS, 1)}
RELEASED = {"amber": "2025-08-01", "birch": "2025-02-01", "cedar": "2024-06-01"}
CLAIMS = [{"best": AURORA}, {"holds": f"`{AURORA}` > `{CIRRUS}`"}]


def but(result, *names):
    """Return what a result says as a whole, without its rows."""
    return {name: value for name, value in result.to_dict().items() if name not in names}


def scores():
    found = score_models("pass@2", read(LOGS), confidence=0.9)
    return found.as_records(), INTERVAL | {"confidence": 0.9, "runs": "auto"}


def ranking():
    board = scorio.Leaderboard("pass@2", read(LOGS))
    leader = {"pass@2": board.rankings[0].leader_score.to_dict()}
    return board.as_records(), asdict(board.settings) | {"leader": leader, "pairs": board.pairs("holm").to_dict()}


def comparing():
    models, names = read(LOGS), (AURORA, CIRRUS)
    found = compare_by(["pass@1"], *(models[name] for name in names), names=names)
    options = INTERVAL | {"task_weights": None, "shared_only": False, "runs": "auto", "paired": None}
    costs = comparison.compare_costs(models, models, PRICES, model=names)
    return found.as_records(), options | {"costs": costs.to_dict()}


def gate():
    found = scorio.gate("pass@1", *[read(LOGS)] * 2, model=(CIRRUS, AURORA))
    return found.as_records(), but(found, "checks")


def claims():
    found = comparison.check_claims(CLAIMS, read(LOGS))
    return found.as_records(), but(found, "rows")


def doctor():
    found = scorio.diagnose(recognise(LOGS), logs=shlex.quote(LOGS))
    return found.as_records(), found.to_dict()


def plans():
    options = {"half_width": 0.02, "power": 0.8, "task_weights": None, "confidence": 0.95, "runs": "auto"}
    options["difference"] = None
    return planning.plan_models(["pass@1"], read(LOGS), **options).as_records(), options


def designs():
    found = planning.plan_designs(["pass@1"], 50, 4, difference=0.1)
    return found.as_records(), {"difference": 0.1, "confidence": 0.95, "correlation": found.designs[0].correlation}


def questions():
    found = scorio.describe_questions(read(LOGS)).sorted()
    return found.as_records(), but(found, "rows")


def changed_questions():
    found = comparison.diff_questions(*[read(LOGS)] * 2, model=(CIRRUS, AURORA))
    return found.as_records(), {"fdr": found.fdr, "models": found.names}


def curve():
    found = score_models(["pass@1", "pass@2"], read(LOGS)).by_model()
    return found.as_records(), INTERVAL


def forecast():
    found = scorio.forecast("pass^1", read(LOGS, only=[AURORA, CIRRUS]), [3, 24])
    return found.as_records(), but(found, "points", "ks", "levels") | {"k": [3, 24], "confidence": 0.95}


def costs():
    found = scorio.cost_table("pass@1", read(LOGS), PRICES)
    about = {"limit": None, "per": "trial", "task_weights": None, "confidence": 0.95}
    return found.as_records(), about | {"cost": PRICES, "target": "questions", "runs": "auto"}


def history():
    runs = dated_runs(read_runs([LOGS]), "omit", [], by_day=False)
    past = {key: {date: comparison.PastRun(*run) for date, run in each.items()} for key, each in runs.items()}
    about = {"confidence": 0.95, "target": "questions"}
    found = comparison.analyze_history(None, past, **about)
    return found.as_records(), about | {"comparisons": found.comparisons}


def watch():
    found = look_at(["pass@1"], read(LOGS), trials=64)
    return found.as_records(), {"looks": found.looks.to_dict()}


def factors():
    found = scorio.analyze_factors("pass@1", read(PROMPTS, factors=["prompt"]))
    options = {"confidence": 0.95, "target": "questions"}
    return found.as_records(), options | {name: list(getattr(found, name)) for name in ("factors", "random")}


def horizons():
    found = curves.horizon("pass@1", read(TASKS, keep=["human_minutes"]), "human_minutes", at=(0.5, 0.8))
    about = {"over": "human_minutes", "rates": [0.5, 0.8], "fit": "logistic", "trend": found.trend(RELEASED).to_dict()}
    return found.as_records(), about | {"confidence": 0.95, "target": "questions"}


def gaps():
    models = read(SEEN)
    found = curves.gaps("pass@1", models, cut="2024-06-01", **read_sets(DATES, models, is_cut=True))
    about = {"sets": ["before", "after"], "cut": "2024-06-01", "over": None, "paired": False}
    return found.as_records(), about | {"confidence": 0.95, "target": "questions"}


def sampled():
    sample = judging.choose_questions(read(LOGS), 12, metric="pass@1", rng=3)
    sample.write("sample.csv")
    return sample.as_records(), {"metric": "pass@1", "seed": 3, "history": MODELS}


def estimates():
    sampled()
    found = judging.estimate_models(["pass@1"], read(LOGS), judging.read_question_sample("sample.csv"), rank=False)
    return found.as_records(), {"target": "questions", "confidence": 0.95}


def judged():
    reading = recognise(LOGS)
    trials = reading.named_trials("raise")
    judging.sample_to_label(reading.outcomes, 20, 3, trials).write(Path("labels.csv"))
    lines = Path("labels.csv").read_text().splitlines()
    Path("labels.csv").write_text("\n".join([lines[0], *(f"{line}{i % 3 % 2}" for i, line in enumerate(lines[1:]))]))
    found = judging.judge_models(["pass@1"], reading.outcomes, judging.read_labels("labels.csv"), trials, rank=False)
    return found.as_records(), {"target": "questions", "confidence": 0.95}


PAIR = ["--between", CIRRUS, AURORA]
COSTS = [word for model, price in PRICES.items() for word in ("--cost", f"{model}={price}")]
CASES = {
    scores: ["score", LOGS, "-m", "pass@2", "--confidence", "0.9"],
    ranking: ["rank", LOGS, "-m", "pass@2", "--family", "holm"],
    comparing: ["compare", LOGS, "--between", AURORA, CIRRUS, *COSTS],
    gate: ["gate", LOGS, *PAIR],
    claims: ["gate", LOGS, "--file", "claims.json"],
    doctor: ["doctor", LOGS],
    plans: ["plan", LOGS, "--half-width", "0.02"],
    designs: ["plan", "--questions", "50", "--trials", "4", "--difference", "0.1"],
    questions: ["questions", LOGS],
    changed_questions: ["questions", LOGS, *PAIR],
    curve: ["curve", LOGS, "-k", "1,2"],
    forecast: ["curve", LOGS, "-m", "passhat", "-k", "3,24", "--only", AURORA, "--only", CIRRUS],
    costs: ["costs", LOGS, *COSTS],
    history: ["history", LOGS],
    watch: ["watch", LOGS, "--trials", "64"],
    factors: ["factors", PROMPTS, "--factor", "prompt"],
    horizons: ["horizon", TASKS, *(word for name, day in RELEASED.items() for word in ("--date", f"{name}={day}"))],
    gaps: ["gap", SEEN, "--sets", DATES, "--cut", "2024-06-01"],
    sampled: ["subset", LOGS, "--choose", "12", "--seed", "3", "--write-sample", "other.csv"],
    estimates: ["subset", LOGS, "--estimate", "sample.csv"],
    judged: ["judge", LOGS, "--labels", "labels.csv"],
}
ADDED = {  # to the rows: the k of each metric, and the metric of each table
    curve: {"k"},
    costs: {"metric"},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("claims.json").write_text(json.dumps({"claim": CLAIMS}))
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "function",
    [pytest.param(each, marks=[pytest.mark.slow] * (each is designs), id=each.__name__) for each in CASES],
)
def test_the_json_is_that_of_a_function(function):
    expected, about = json.loads(json.dumps(function()).replace("NaN", "null"))
    answer = json.loads(run(*CASES[function], "-q", "--format", "json", code=None).stdout)
    added = ADDED.get(function, set())
    assert all(added <= {*row} for row in answer["rows"])
    assert [{name: row[name] for name in row if name not in added} for row in answer["rows"]] == expected
    assert {name: value for name, value in answer["settings"].items() if name not in FRAME} == about


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_report_is_that_of_a_function():
    run("report", LOGS, "-q", "-m", "pass@2", "-o", "page.html")
    about = {"task": "puzzles", "source": "inspect", "date": dates_of(recognise(LOGS).sources)}
    board = scorio.Leaderboard("pass@2", read(LOGS))
    assert Path("page.html").read_text().rstrip() == report.html_report(board, title="Leaderboard", **about).rstrip()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_table_is_that_of_a_function(form):
    run("convert", LOGS, "-q", "-o", f"found.{form}")
    with Path("expected").open("w", newline="") as file:
        write_table(read(LOGS), file, form)
    assert Path(f"found.{form}").read_bytes() == Path("expected").read_bytes()
