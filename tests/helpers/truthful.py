"""Files whose true outcomes are known: a reader must find these, or refuse the file; it must never find others.

A generator takes a ``random.Random`` and an empty folder, writes files, and returns a ``Case``. ``test_truthful.py``
tries some of each format, and ``tools/fuzz.py`` a hundred thousand.
"""

import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from scorio import OutcomeSet
from scorio.errors import ScorioError
from scorio.io import recognise
from scorio.io._outcome_table import question_trials

BINARY = (0.0, 1.0)
GRADED = (0.0, 0.25, 0.5, 1.0)
FREE = (*GRADED, -1.5, 2.0, 1e-7, 0.1, 1 / 3)
PLAIN = ["alpha", "b-2", "gpt 4o", "Modèle", "m.1", "x+y", "01"]  # names that a file or a folder may have
WORDS = ["q1", "q2", "q10", "01", "1", "1.0", "1e5", "nan", "NaN", "True", "false", "none", "None", "NA", "null", "é"]
WORDS += [
    "e\u0301",
    "日本語",
    "🙂",
    "a,b",
    'a"b',
    "a;b",
    "a|b",
    "=1+1",
    "'x",
    "a'b",
    "@x",
    "-",
    "#",
    "[1]",
    "{}",
    "a/b",
]
WORDS += ["a\\b", "..", "a:b", "a*?", "%20", "<b>&amp;", "lead", "trail", "Q1", "x" * 300, "\u200bq1", "a\xa0b", "0"]
BLANKS = ["a\tb", "a\nb", "a\rb", "a\r\nb", " lead", "trail ", "  both  ", "a\u2028b", "\ufeffq"]
CONTROLS = ["\x1b[31m", "a\x85b", "a\x1cb"]
NEVER = [" ", "a\0b", "\ud800", "\udc80x"]  # names that may be refused wherever they are
ODD = [*WORDS, *BLANKS, *CONTROLS]

Run = dict[str, list[float | None]]  # the outcomes of each question
World = dict[str, list[Run]]  # the runs of each model
Counts = dict[str, dict[str, Counter[float | None]]]  # by model and question
Samples = dict[str, dict[str, Counter[tuple[Any, ...]]]]  # by model and question: outcome, answer and scores
Generator = Callable[[Random, Path], "Case"]
GENERATORS: dict[str, list[Generator]] = {}


@dataclass
class Case:
    """What is read and how, and the true counts of every task; no truth if it must be refused."""

    source: Any
    truth: Mapping[str | None, Counts] | None
    options: dict[str, Any] = field(default_factory=dict)
    read: Callable[..., Any] = recognise
    samples: Mapping[str | None, Samples] | None = None  # the answers and scores of every task, where they are known
    keep: tuple[str, ...] = ("answers",)


class MisreadError(AssertionError):
    """What was read is not what was written."""


def truthful(name: str) -> Callable[[Generator], Generator]:
    """Register a generator for files of a format."""

    def register(generator: Generator) -> Generator:
        GENERATORS.setdefault(name, []).append(generator)
        return generator

    return register


def check(case: Case) -> str:
    """Read a case: return "right", or the reason why it was refused; raise a MisreadError for anything else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            keep = {} if case.samples is None else {"keep": case.keep}
            reading = case.read(case.source, **case.options, **keep)
            found = counted(reading.outcomes)
        except ScorioError as error:
            return re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "_", getattr(error, "problem", None) or str(error))[:60]
    if case.truth is None:
        raise MisreadError(f"must be refused, but was read as {found}")
    expected = dict(case.truth) if None not in found else {None: next(iter(case.truth.values()))}
    if getattr(reading, "bad_models", None):
        found, expected = ({task: scored(models) for task, models in each.items()} for each in (found, expected))
    if found != expected or (None in found and len(case.truth) > 1):
        raise MisreadError(f"options {case.options}\n written {dict(case.truth)}\n read    {found}")
    if case.samples is not None and keep:
        kept = sampled(reading.outcomes, case.keep)
        wanted = dict(case.samples) if None not in kept else {None: next(iter(case.samples.values()))}
        if kept != {task: without_empty(models) for task, models in wanted.items()}:
            raise MisreadError(f"options {case.options}\n written {wanted}\n read    {kept}")
    return "right"


def sampled(outcomes: Any, keep: tuple[str, ...]) -> dict[str | None, Samples]:
    """Return how often a question has each outcome with an answer and scores, by task and model."""
    tasks = {None: outcomes} if isinstance(outcomes, OutcomeSet) else outcomes
    return {
        task: without_empty({name: _sampled(each, keep) for name, each in own.items()}) for task, own in tasks.items()
    }


def _sampled(matrix: Any, keep: tuple[str, ...]) -> dict[str, Counter[tuple[Any, ...]]]:
    names = ["answer" if name == "answers" else name for name in keep]
    return {
        row.question: Counter(
            (outcome, *(known.get(name) for name in names))  # no trial may have an answer: then nothing is kept
            for outcome, known in zip(row.outcomes, row.kept or [{}] * len(row.outcomes), strict=True)
            if outcome is not None
        )
        for row in question_trials(matrix, "m")
    }


def without_empty(models: Samples) -> Samples:
    """Return the models and questions with trials."""
    kept = {model: {q: each for q, each in own.items() if each} for model, own in models.items()}
    return {model: own for model, own in kept.items() if own}


def answer_of(question: str, number: int, value: float | None) -> str | None:
    """Return the answer of a trial: one of four, or None."""
    which = (7 * number + len(question) + round(4 * (value or 0))) % 5
    return f"answer {which}" if which else None


def score_of(question: str, number: int) -> float | None:
    """Return the score of a trial: one of six, or None."""
    which = (5 * number + len(question)) % 7
    return which / 8 if which else None


def samples_of(world: World, *, scored: bool = False) -> Samples:
    """Return the answers, and the scores if wanted, of all trials that have an outcome."""
    samples: Samples = {model: {} for model in world}
    for model, runs in world.items():
        for question, i, value in (trial for run in runs for trial in trials_of(run)):
            if value is not None:
                known = (value, answer_of(question, i, value), *([score_of(question, i)] if scored else []))
                samples[model].setdefault(question, Counter())[known] += 1
    return samples


def scored(models: Counts) -> Counts:
    """Return the models and the questions with an outcome: a model without one is left out, with its own questions."""
    known = {question for own in models.values() for question, each in own.items() if each.keys() - {None}}
    kept = {model: {q: each for q, each in own.items() if q in known} for model, own in models.items()}
    return {model: own for model, own in kept.items() if any(each.keys() - {None} for each in own.values())}


def counted(outcomes: Any) -> dict[str | None, Counts]:
    """Return how often a question has each outcome, by task and model; None counts the missing trials."""
    tasks = {None: outcomes} if isinstance(outcomes, OutcomeSet) else outcomes
    return {
        task: {
            model: {row.question: Counter(row.outcomes) for row in question_trials(matrix, model)}
            for model, matrix in models.items()
        }
        for task, models in tasks.items()
    }


def draw_world(
    rng: Random,
    models: list[str] = ODD,
    questions: list[str] = ODD,
    values: tuple[float, ...] = BINARY,
    *,
    missing: bool = True,
    runs: int = 1,
) -> World:
    """Draw runs of some models on some questions; all models share the first question."""
    asked = rng.sample(questions, rng.randint(1, 6))
    if questions is ODD and rng.random() < 0.02:
        asked[-1] = rng.choice(NEVER)
    lost = rng.choice([0.0, 0.2]) if missing else 0.0
    every = rng.choice([1.0, 1.0, 0.7])
    return {
        model: [
            {
                question: [None if rng.random() < lost else rng.choice(values) for _ in range(rng.randint(1, 4))]
                for i, question in enumerate(asked)
                if i == 0 or rng.random() < every
            }
            for _ in range(rng.randint(1, runs))
        ]
        for model in rng.sample(models, rng.randint(1, 3))
    }


def padded(world: World, times: int | None = None) -> World:
    """Return a world in which each run has equally many trials of each of its questions, the others being missing."""
    most = {id(run): times or max(map(len, run.values())) for runs in world.values() for run in runs}
    return {
        model: [{q: own + [None] * (most[id(run)] - len(own)) for q, own in run.items()} for run in runs]
        for model, runs in world.items()
    }


def counts_of(world: World) -> Counts:
    """Return the true counts: a question that a model was not asked has as many missing trials as others at most."""
    counts: Counts = {model: {} for model in world}
    for model, runs in world.items():
        for run in runs:
            for question, outcomes in run.items():
                counts[model].setdefault(question, Counter()).update(outcomes)
    every = dict.fromkeys(question for own in counts.values() for question in own)
    for own in counts.values():
        most = max((sum(each.values()) for each in own.values()), default=0)
        for question in every:
            own.setdefault(question, Counter({None: most}))
    return counts


def trials_of(run: Run) -> list[tuple[str, int, float | None]]:
    """Return the question, the number and the outcome of each trial of a run."""
    return [(question, i, value) for question, own in run.items() for i, value in enumerate(own)]


def shuffled(rng: Random, rows: Any) -> list[Any]:
    """Return the rows in any order."""
    rows = list(rows)
    rng.shuffle(rows)
    return rows


def put_text(rng: Random, path: Path, text: str, *, mark: bool = True) -> Path:
    """Write text, sometimes with a byte order mark."""
    path.parent.mkdir(parents=True, exist_ok=True)
    start = "\ufeff" if mark and rng.random() < 0.05 else ""
    path.write_bytes((start + text).encode())
    return path


def as_json(rng: Random, value: Any, indent: int | None = None) -> str:
    """Write a value as JSON in one of the usual ways; half a character can only be written with an escape."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    is_text = not any("\ud800" <= character <= "\udfff" for character in text)
    return text if is_text and rng.random() < 0.5 else json.dumps(value, indent=indent)


def put_json(rng: Random, path: Path, value: Any) -> Path:
    """Write a JSON document."""
    return put_text(rng, path, as_json(rng, value, rng.choice([None, None, 1])))


def put_lines(rng: Random, path: Path, rows: list[Any]) -> Path:
    """Write JSON lines, with one of the usual ends of lines and perhaps an empty line at the end."""
    end = rng.choice(["\n", "\n", "\r\n"])
    text = end.join(as_json(rng, row) for row in rows) + rng.choice([end, end, "", end * 2])
    return put_text(rng, path, text)


def either(rng: Random, path: Path) -> Any:
    """Return a file, or the folder in which it is alone."""
    return rng.choice([path, str(path), [path], path.parent])


def drawn(name: str, rng: Random, folder: Path) -> Case:
    """Return a case of one of the generators of a format."""
    return rng.choice(GENERATORS[name])(rng, folder)
