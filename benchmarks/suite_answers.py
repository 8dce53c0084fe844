"""Whether rank, gate, history, questions, diff and report answer right on logs with known truth.

    python benchmarks/suite_answers.py FOLDER [--tasks 20] [--models 10] [--questions 20] [--inspect] [--page]

Writes two runs of all tasks and models at two temperatures as Inspect logs (``--inspect``: made by Inspect itself, in
about 5 ms per trial); logs that are in FOLDER already are used again.
From the first run to the second, one model loses .12 on every question, one gains .12, one loses .4 on every tenth
question, and the others stay as they are. Every task has a question that nobody solves, one that everybody solves, one
that is solved at a rate of one half, and one that better models solve less. Then every command is run on the logs, its
answers are compared with the truth, and a table says how many of them are right, wrong, or left open.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from marked import fill
from suite_logs import TEMPERATURES, run_inspect, write_scorio

from scorio import Leaderboard, OutcomeSet, Suite, gate, read
from scorio.cli._program import program

TRIALS, MAX_DROP, SHIFT = 8, 0.05, 0.12
RUNS = {"old": "2026-01-05T10:00:00+00:00", "new": "2026-03-02T10:00:00+00:00"}
NEVER, ALWAYS, FLAKY, INVERTED = range(4)  # the places of the planted questions
Rates = dict[tuple[str, str], np.ndarray]  # by task, and by model with its temperature


class Answer(NamedTuple):
    """What a command said about one thing, and whether that is so."""

    command: str
    question: str
    verdict: str  # right, wrong or open


def true_rates(tasks: int, models: int, questions: int = 20) -> dict[str, Rates]:
    """The rate of every question in both runs; ``questions`` are those of the first task, each further has more."""
    rng = np.random.default_rng(0)
    rates: dict[str, Rates] = {name: {} for name in RUNS}
    for task in range(tasks):
        base = rng.beta(0.8, 0.8, questions + questions * task // 5)
        for model in range(models):
            for temperature, more in TEMPERATURES.items():
                row = f"mockllm/model-{model} [temperature={temperature}]"
                before = np.clip(base + 0.03 * model + more, 0.0, 1.0)
                for name in RUNS:
                    after = _changed(before, model, models) if name == "new" else before.copy()
                    after[[NEVER, ALWAYS, FLAKY]] = 0.0, 1.0, 0.5
                    after[INVERTED] = 0.95 - 0.9 * model / max(models - 1, 1)
                    rates[name][f"task-{task:02}", row] = after
    return rates


def _changed(rates: np.ndarray, model: int, models: int) -> np.ndarray:
    """The rates in the second run: the last model gains, the one before loses, the third last loses in places."""
    moved = rates.copy()
    if model == models - 1:
        moved = np.clip(rates + SHIFT, 0.0, 1.0)
    elif model == models - 2:
        moved = np.clip(rates - SHIFT, 0.0, 1.0)
    elif model == models - 3:
        moved[4::10] = np.clip(rates[4::10] - 0.4, 0.0, 1.0)
    return moved


def drawn(rates: Rates, seed: int) -> dict[str, Suite]:
    """The outcomes of a run, by temperature."""
    rng = np.random.default_rng(seed)
    sets: dict[str, dict[str, Any]] = {}
    for (task, row), each in rates.items():
        model, temperature = re.fullmatch(r"(.*) \[temperature=(.*)\]", row).groups()  # type: ignore[union-attr]
        tables = sets.setdefault(temperature, {}).setdefault(task, {})
        tables[model] = rng.binomial(1, each[:, None], (len(each), TRIALS))
    return {
        temperature: Suite(
            {
                task: OutcomeSet(
                    tables,
                    questions=[f"q{i}" for i in range(len(next(iter(tables.values()))))],
                    conditions={name: {"temperature": temperature} for name in tables},
                )
                for task, tables in of_tasks.items()
            }
        )
        for temperature, of_tasks in sets.items()
    }


def write(folder: Path, date: str, made: dict[str, Suite], with_inspect: bool) -> None:
    """Write a run, in a folder per temperature."""
    if with_inspect:
        for temperature, parts in made.items():
            run_inspect(folder / f"temperature {temperature}", {temperature: parts})
        return
    write_scorio(folder, made)
    for path in folder.rglob("*.json"):
        log = json.loads(path.read_text(encoding="utf-8"))
        log["eval"]["created"] = date
        path.write_text(json.dumps(log), encoding="utf-8")


def rows_of(out: Path, *arguments: str) -> list[dict[str, Any]]:
    """The rows that a command writes as JSON."""
    path = out / "answer.json"
    run(*arguments, "-q", "--format", "json", "-o", str(path))
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return rows


def run(*arguments: str) -> None:
    """Run a command of scorio; the exit codes of a gate are no errors."""
    try:
        program(list(arguments), standalone_mode=False)
    except SystemExit as done:
        if done.code not in (0, 1, 3, None):
            raise


def ranked(suites: dict[str, Suite], rates: dict[str, Rates]) -> Iterator[Answer]:
    """Overall intervals, and pairs of models that are called different."""
    for name, suite in suites.items():
        board, truth = Leaderboard("pass@1", suite), overall(rates[name])
        for row in board.only.rows:
            yield Answer("rank", "overall interval contains the truth", judged(row.lo <= truth[row.model] <= row.hi))
        for pair in board.pairs("holm"):
            if pair.better:
                worse = pair.second if pair.better == pair.first else pair.first
                yield Answer("rank", "the better model is called (Holm)", judged(truth[pair.better] > truth[worse]))


def overall(rates: Rates) -> dict[str, float]:
    """The true overall score of every model."""
    models: dict[str, list[float]] = {}
    for (_, model), each in rates.items():
        models.setdefault(model, []).append(float(each.mean()))
    return {model: float(np.mean(each)) for model, each in models.items()}


def gated(suites: dict[str, Suite], rates: dict[str, Rates]) -> Iterator[Answer]:
    """The checks of a gate for every model: per task and overall."""
    before, after = (overall(rates[name]) for name in RUNS)
    for model in suites["old"].models:
        for check in gate(
            "pass@1", suites["new"], suites["old"], max_drop=MAX_DROP, mode="noninferior", model=model
        ).checks:
            if check.task == "overall":
                drop = before[model] - after[model]
            else:
                drop = float((rates["old"][check.task, model] - rates["new"][check.task, model]).mean())
            what = "overall" if check.task == "overall" else "tasks"
            verdict = (
                "open" if check.verdict == "undecided" else judged((check.verdict == "failed") == (drop > MAX_DROP))
            )
            yield Answer("gate", f"{what}: a drop above {MAX_DROP:g} fails, others pass", verdict)


def remembered(folder: Path, rates: dict[str, Rates]) -> Iterator[Answer]:
    """The changes that a history calls, at each temperature."""
    for temperature in TEMPERATURES:
        logs = [str(folder / name / f"temperature {temperature}") for name in RUNS]
        for row in rows_of(folder, "history", *logs, "-m", "pass@1"):
            if row["difference"] is None:
                continue
            key = row["task"], f"{row['model']} [temperature={temperature}]"
            change = float((rates["new"][key] - rates["old"][key]).mean())
            if not change:
                yield Answer("history", "no change: none is called", judged(not row["change"]))
            elif row["change"]:
                yield Answer(
                    "history", "a change: in its direction", judged((row["change"] == "improved") == (change > 0))
                )
            else:
                yield Answer("history", "a change: in its direction", "open")


def questioned(folder: Path, rates: dict[str, Rates]) -> Iterator[Answer]:
    """The flags of questions: those that were planted, and those that are false."""
    models = list(overall(rates["old"]))
    planted = {NEVER: "never solved", ALWAYS: "always solved", FLAKY: "flaky", INVERTED: "solved less by better models"}
    for row in rows_of(folder, "questions", str(folder / "old")):
        at = int(row["question"][1:])
        true = np.array([rates["old"][row["task"], model][at] for model in models])
        flags = [name for name in planted.values() if name in row["flags"]]
        if at in planted:
            yield Answer("questions", f"planted: {planted[at]}", "right" if planted[at] in flags else "open")
        facts = {
            "never solved": true.max() < 0.5,
            "always solved": true.min() > 0.5,
            "flaky": (2 * true * (1 - true)).mean() > 0.32,
            "solved less by better models": at == INVERTED,
        }
        for name in flags:
            yield Answer("questions", f"flagged: {name}", judged(facts[name]))


def chosen(rates: dict[str, Rates]) -> list[str]:
    """The three models that change and one that does not, at one temperature."""
    return [model for model in overall(rates["old"]) if "temperature=1.0" in model][-4:]


def compared(folder: Path, rates: dict[str, Rates]) -> Iterator[Answer]:
    """The questions that a diff calls, of the models that change and of one that does not."""
    old, new = (str(folder / name) for name in RUNS)
    for model in chosen(rates):
        for row in rows_of(folder, "diff", old, new, "--between", model, model):
            key, at = (row["task"], model), int(row["question"][1:])
            change = float(rates["new"][key][at] - rates["old"][key][at])
            if row["change"] in ("improved", "worse"):
                is_so = change != 0.0 and (change > 0.0) == (row["change"] == "improved")
                yield Answer("diff", "called questions changed (false-discovery rate .1)", judged(is_so))
            elif abs(change) > 0.3:
                yield Answer("diff", "questions that lost .3 or more are called", "open")
            if row["change"] == "worse" and change < -0.3:
                yield Answer("diff", "questions that lost .3 or more are called", "right")


def reported(folder: Path, rates: dict[str, Rates]) -> Iterator[Answer]:
    """The verdict on the page of a comparison, and the first model on the page of a leaderboard."""
    before, after = (overall(rates[name]) for name in RUNS)
    old, new = (str(folder / name) for name in RUNS)
    page = folder / "page.html"
    for model in chosen(rates):
        run(
            "report",
            new,
            "--baseline",
            old,
            "--between",
            model,
            model,
            "--max-drop",
            str(MAX_DROP),
            "--mode",
            "noninferior",
            "-q",
            "-o",
            str(page),
        )
        verdict = re.search(r"Gate (passed|failed|undecided)", page.read_text(encoding="utf-8"))
        said = verdict.group(1) if verdict else "missing"
        is_worse = any(
            (rates["old"][key] - rates["new"][key]).mean() > MAX_DROP for key in rates["old"] if key[1] == model
        )
        is_right = (said == "failed") == (is_worse or before[model] - after[model] > MAX_DROP)
        yield Answer("report", "verdict of the gate", "open" if said == "undecided" else judged(is_right))
    run("report", new, "-q", "-o", str(page))
    first = re.search(r"mockllm/model-\d+ \[temperature=[\d.]+\]", page.read_text(encoding="utf-8"))
    best = max(after, key=lambda model: after[model])
    yield Answer("report", "the best model comes first", judged(first is not None and first.group(0) == best))


def judged(is_right: Any) -> str:
    """Right or wrong."""
    return "right" if is_right else "wrong"


def table(answers: Sequence[Answer]) -> str:
    """How many answers are right, wrong and open, by command."""
    counts = Counter(answers)
    lines = [f"{'command':10} {'what is asked':52} {'right':>6} {'wrong':>6} {'open':>6}"]
    for command, question in dict.fromkeys((each.command, each.question) for each in answers):
        row = [counts[Answer(command, question, verdict)] for verdict in ("right", "wrong", "open")]
        lines.append(f"{command:10} {question:52} {row[0]:6} {row[1]:6} {row[2]:6}")
    return "\n".join(lines)


def main() -> None:
    """Write the logs, ask every command, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the logs, which is made")
    parser.add_argument("--tasks", type=int, default=20, help="number of tasks (default: 20)")
    parser.add_argument("--models", type=int, default=10, help="number of models, at least 4 (default: 10)")
    parser.add_argument("--questions", type=int, default=20, help="questions of the first task (default: 20)")
    parser.add_argument("--inspect", action="store_true", help="let Inspect make the logs (default: scorio's writer)")
    parser.add_argument("--page", action="store_true", help="write the table into docs/suites.md")
    options = parser.parse_args()
    rates = true_rates(options.tasks, options.models, options.questions)
    for seed, (name, date) in enumerate(RUNS.items()):
        if not (options.folder / name).exists():
            write(options.folder / name, date, drawn(rates[name], seed), options.inspect)
    suites = {name: read(options.folder / name, suite=True) for name in RUNS}
    answers = [*ranked(suites, rates), *gated(suites, rates), *remembered(options.folder, rates)]
    answers += [*questioned(options.folder, rates), *compared(options.folder, rates), *reported(options.folder, rates)]
    text = table(answers)
    print(text)
    if options.page:
        name = "answers from Inspect" if options.inspect else "answers"
        fill("suites.md", name, f"```text\n{text}\n```")


if __name__ == "__main__":
    main()
