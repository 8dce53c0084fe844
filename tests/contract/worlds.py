"""Seeded data under short names: a call of the contract is a text such as ``compare('pass@1', binary, better)``.

A name stands for the same data in every call. Each is made when a call first needs it, from a seed of its own, so that
new data leave the others as they are.
"""

import functools
import importlib
import math
import random
import tempfile
import warnings
import zlib
from pathlib import Path

import numpy as np

import scorio
from scorio import OutcomeMatrix, OutcomeSet, RewardMatrix, Suite

from .commandline import command, write_files

EXAMPLES = Path(__file__).parents[2] / "examples"
MAKERS = {}


def world(make):
    """Register data: the function's name is the name in calls."""
    MAKERS[make.__name__] = lambda: make(np.random.default_rng(zlib.crc32(make.__name__.encode())))
    return make


@functools.cache
def made(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MAKERS[name]()


def coins(rng, rates, trials):
    """Outcomes 0 and 1 of every question at its own rate."""
    rates = np.asarray(rates).reshape(-1, 1)
    return (rng.random((len(rates), trials)) < np.clip(rates, 0, 1)).astype(int)


def some_missing(rng, outcomes, share=0.2):
    return np.where(rng.random(np.shape(outcomes)) < share, np.nan, outcomes)


# Rates that two models share: the second one is better by a tenth.
RATES = np.random.default_rng(7).beta(0.8, 0.8, 40)
GROUPS = [f"group {i // 3}" for i in range(40)]
SHIFTS = {"amber": 0.0, "basil": 0.05, "cedar": 0.12, "dune": -0.1, "elder": 0.0}


@world
def counted(rng):
    trials = rng.integers(2, 12, 30)
    return OutcomeMatrix.from_counts(rng.binomial(trials, 0.6), trials, planned=12)


@world
def clustered(rng):
    shared = rng.beta(1, 1, 14).repeat(3)[:40]
    return OutcomeMatrix(coins(rng, 0.7 * shared + 0.3 * RATES, 6), clusters=GROUPS)


@world
def clustered_better(rng):
    shared = rng.beta(2, 1, 14).repeat(3)[:40]
    return OutcomeMatrix(coins(rng, 0.7 * shared + 0.3 * RATES, 6), clusters=GROUPS)


def noisy_runs(rng, shift):
    """Six runs, each of its own luck."""
    logits = np.log(RATES[:30] + 0.05) - np.log(1.05 - RATES[:30])
    rates = 1 / (1 + np.exp(-(logits[:, None] + shift + 0.6 * rng.normal(size=(1, 6)))))
    return OutcomeMatrix((rng.random((30, 6)) < rates).astype(int), runs=range(6))


def answered_matrix(rng, skill):
    answers = np.where(rng.random((24, 6)) < skill, 0, rng.integers(1, 4, (24, 6)))
    right = (answers == 0).astype(int)
    texts = np.where(rng.random((24, 6)) < 0.1, None, answers.astype(str).astype(object))
    scores = {"judge": rng.random((24, 6)) + 0.5 * right, "length": rng.integers(1, 9, (24, 6)).astype(float)}
    right[texts == None] = 0  # noqa: E711 - an array
    return OutcomeMatrix(right, answers=texts.tolist(), scores={name: each.tolist() for name, each in scores.items()})


@world
def valued_answers(rng):
    answers = rng.integers(0, 4, (20, 5))
    return RewardMatrix(answers / 4 + 0.25, answers=answers.astype(str).tolist(), scores={"judge": rng.random((20, 5))})


@world
def answered_pair(rng):
    answers = [["a", None], [None, None], ["b", "b"], ["b", "c"], [None, "d"]] * 3
    scores = [[1.0, 2.0], [0.5, 0.5], [2.0, 1.0], [3.0, 1.0], [1.0, 4.0]] * 3
    return OutcomeMatrix([[1, 0], [0, 0], [1, 1], [0, 1], [0, 1]] * 3, answers=answers, scores={"s": scores})


@world
def half_unanimous(rng):
    rows = [[1.0] * 4, [0.5] * 4, [2.0, 1.0, 0.5, 0.0]] * 4
    return OutcomeMatrix.from_rewards(rows)


@world
def answered_unanimous(rng):
    answers = [["a", "a"], ["b", "c"], ["d", "d"], ["e", "e"]] * 4
    scores = [[1.0, 1.0], [2.0, 1.0], [3.0, 3.0], [1.0, 4.0]] * 4
    return OutcomeMatrix([[1, 1], [1, 0], [0, 0], [1, 1]] * 4, answers=answers, scores={"s": scores})


@world
def models_copied(rng):
    rows = {model: coins(rng, RATES[:20] + shift, 3) for model, shift in SHIFTS.items()}
    return OutcomeSet({model: np.vstack([own, own[:1]]) for model, own in rows.items()})


@world
def models_noisy(rng):
    rows = {model: coins(rng, 0.15 + 0.7 * RATES + shift, 2) for model, shift in SHIFTS.items()}
    return OutcomeSet(rows | {"inverted": 1 - rows["cedar"]})


@world
def judged_levels(rng):
    rows = {model: np.minimum(rng.integers(2, 5, (20, 3)), 4 - (model == "b")) / 2 for model in "ab"}
    return OutcomeSet({model: OutcomeMatrix.from_rewards(own, questions=range(20)) for model, own in rows.items()})


def of_models(make, **options):
    return OutcomeSet({model: make(shift) for model, shift in SHIFTS.items()}, **options)


@world
def models_costly(rng):
    outcomes = {model: coins(rng, RATES + shift, 6) for model, shift in SHIFTS.items()}
    costs = {model: {"usd": 0.5 + abs(10 * shift), "tokens": 100 + 900 * abs(shift)} for model, shift in SHIFTS.items()}
    return OutcomeSet(outcomes, costs=costs)


@world
def crossed(rng):
    rows = {f"{m} [{p}]": (m, p) for m in ("amber", "basil", "cedar") for p in ("plain", "careful")}
    make = lambda m, p: coins(rng, RATES[:24] + SHIFTS[m] + 0.1 * (p == "careful"), 4)
    conditions = {name: {"model": m, "prompt": p} for name, (m, p) in rows.items()}
    return OutcomeSet({name: make(m, p) for name, (m, p) in rows.items()}, conditions=conditions)


@world
def crossed_levels(rng):
    rows = {f"{m} [{p}]": (m, p) for m in ("amber", "basil") for p in ("a", "b", "c")}
    conditions = {name: {"model": m, "prompt": p} for name, (m, p) in rows.items()}
    return OutcomeSet({name: rng.random((16, 3)) for name in rows}, conditions=conditions)


@world
def suite(rng):
    easy = OutcomeSet({model: coins(rng, 0.3 + 0.7 * RATES + shift, 4) for model, shift in SHIFTS.items()})
    hard = OutcomeSet({model: coins(rng, RATES[:15] ** 2 + shift, 5) for model, shift in SHIFTS.items()})
    return Suite({"easy": easy, "hard": hard})


@world
def suite_mixed(rng):
    graded = {model: OutcomeMatrix.from_rewards(rng.integers(0, 4, (20, 4)) / 3) for model in SHIFTS}
    return Suite({"graded": OutcomeSet(graded), "passed": made("models")})


@world
def costly_trials(rng):
    outcomes = {model: coins(rng, RATES + shift, 6) for model, shift in SHIFTS.items()}
    spent = {model: {"usd": rng.gamma(4, (1 + abs(shift)) / 4, (40, 6))} for model, shift in SHIFTS.items()}
    return OutcomeSet(outcomes, costs=spent)


def labelled(rng, judge):
    rows = [[int(judge.successes[q] > i) for i in range(4)] for q in range(18)]
    return OutcomeMatrix([[v if rng.random() < 0.85 else 1 - v for v in row] for row in rows], questions=range(18))


@world
def asked(rng):
    every = OutcomeMatrix(coins(rng, RATES, 4), questions=made("models").questions)
    return every.select(list(made("chosen").questions))


@world
def asked_models(rng):
    return OutcomeSet(
        {model: outcomes.select(list(made("chosen").questions)) for model, outcomes in made("models").items()}
    )


@world
def written_sample(rng):
    path = Path(tempfile.mkdtemp()) / "sample.csv"
    made("chosen").write(path)
    return path


def rows_of(rng, *names):
    """A table of trials, as columns: two models on two tasks, each trial with an answer and a judge's score."""
    rows = [(m, t, p, f"q{q}", i) for m in "ab" for t in "xy" for p in "uv" for q in range(5) for i in range(3)]
    columns = dict(
        zip(("model", "task", "prompt", "question", "trial"), map(list, zip(*rows, strict=True)), strict=True)
    )
    columns["outcome"] = rng.integers(0, 2, len(rows)).tolist()
    columns["answer"] = [str(each) for each in rng.integers(0, 3, len(rows))]
    columns["judge"] = rng.random(len(rows)).tolist()
    columns["times"] = rng.integers(1, 4, len(rows)).tolist()
    columns["group"] = [f"g{each[1:]}" for each in columns["question"]]
    keep = [i for i in range(len(rows)) if all(columns[name][i] == value for name, value in names)]
    return {name: [each[i] for i in keep] for name, each in columns.items()}


class Graded(scorio.Rubric):
    levels = {"wrong": 0.0, "partial": 0.5, "right": 1.0}

    def classify(self, points):
        return "right" if points >= 10 else "partial" if points >= 5 else "wrong"


def kept(kind, outcomes, **options):
    """Save, load, and return what was loaded."""
    with tempfile.TemporaryDirectory() as folder:
        outcomes.save(Path(folder) / "kept.npz", **options)
        return kind.load(Path(folder) / "kept.npz")


def reloaded(log):
    with tempfile.TemporaryDirectory() as folder:
        log.save(Path(folder) / "log.npz", metadata={"seed": 1})
        return scorio.Accumulator.load(Path(folder) / "log.npz")


def frame_of(columns):
    return importlib.import_module("pandas").DataFrame(columns)


def written(thing, ending):
    """Write a thing to a file, and return the lines of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"written{ending}"
        thing.write(path)
        return path.read_text(encoding="utf-8").splitlines()


def filled(log):
    """Add three batches of trials to an accumulator, and return it."""
    log.add(["q1", "q2"], [[0, 1], [1, 1]])
    log.add(["q2", "q3"], [[0, 1], [0, 0]], step=4)
    log.add(["q1"], [[1, 1]])
    return log


def read_truthful(name, seed):
    """Write files of a format from a seed, read them, and return the outcomes; they must be those that were written."""
    generators = importlib.import_module("helpers.truthful").GENERATORS
    for module in ("agents", "folders", "logs", "results", "tables"):
        importlib.import_module(f"helpers.truthful_{module}")
    with tempfile.TemporaryDirectory() as folder:
        rng = random.Random(f"{name} {seed}")
        own = sorted(generators[name], key=lambda each: (each.__module__, each.__name__))  # whatever was imported first
        case = own[seed % len(own)](rng, Path(folder))
        found = case.read(case.source, **case.options).outcomes
        tasks = {"": found} if isinstance(found, OutcomeSet) else found
        return {
            t: {m: (r.n_questions, int(r.trials.sum()), r.questions[:3]) for m, r in each.items()}
            for t, each in tasks.items()
        }


@world
def sample_file(rng):
    path = Path(tempfile.mkdtemp()) / "sample.csv"
    scorio.choose_questions(scorio.read(made("logs")), 20).write(path)
    return path


# Data that one expression makes.
SIMPLE = {
    "binary": lambda rng: OutcomeMatrix(coins(rng, RATES, 6)),
    "better": lambda rng: OutcomeMatrix(coins(rng, RATES + 0.1, 6)),
    "longer": lambda rng: OutcomeMatrix(coins(rng, RATES + 0.05, 9)),
    "plain_array": lambda rng: coins(rng, RATES[:12], 5),
    "graded_array": lambda rng: rng.integers(0, 3, (12, 5)),
    "earlier_array": lambda rng: rng.integers(0, 3, (12, 2)),
    "few": lambda rng: OutcomeMatrix([[1, 0], [1, 1], [0, 0], [1, 0], [0, 1]]),
    "few_more": lambda rng: OutcomeMatrix([[1, 1], [1, 1], [0, 1], [1, 1], [1, 0]]),
    "single": lambda rng: OutcomeMatrix(coins(rng, RATES, 1)),
    "single_better": lambda rng: OutcomeMatrix(coins(rng, RATES + 0.3, 1)),
    "one_cell": lambda rng: OutcomeMatrix([[1]]),
    "one_question": lambda rng: OutcomeMatrix([[1, 0, 1, 1, 0, 1]]),
    "zeros": lambda rng: OutcomeMatrix(np.zeros((20, 4), int)),
    "ones": lambda rng: OutcomeMatrix(np.ones((20, 4), int)),
    "ragged": lambda rng: OutcomeMatrix([row[: rng.integers(2, 9)].tolist() for row in coins(rng, RATES, 9)]),
    "missing": lambda rng: OutcomeMatrix(some_missing(rng, coins(rng, RATES, 6)), missing="omit"),
    "adaptive": lambda rng: made("ragged").as_adaptive(),
    "in_runs": lambda rng: noisy_runs(rng, 0.0),
    "in_runs_better": lambda rng: noisy_runs(rng, 0.7),
    "large": lambda rng: OutcomeMatrix(coins(rng, rng.beta(0.4, 0.6, 300), 32)),
    "skewed": lambda rng: OutcomeMatrix(coins(rng, rng.beta(0.3, 6, 50), 8)),
    "levels": lambda rng: OutcomeMatrix.from_rewards(rng.integers(0, 4, (30, 6)) / 3),
    "levels_better": lambda rng: OutcomeMatrix.from_rewards(np.minimum(rng.integers(0, 5, (30, 6)), 3) / 3),
    "continuous": lambda rng: RewardMatrix(rng.normal(RATES[:30, None], 0.4, (30, 6))),
    "continuous_better": lambda rng: RewardMatrix(rng.normal(RATES[:30, None] + 0.15, 0.4, (30, 6))),
    "bounded": lambda rng: RewardMatrix(rng.beta(2, 2, (25, 5)), support=(0, 1)),
    "answered": lambda rng: answered_matrix(rng, RATES[:24, None]),
    "answered_better": lambda rng: answered_matrix(rng, RATES[:24, None] + 0.15),
    "nearly_sure": lambda rng: OutcomeMatrix.from_counts([999_999, 10**6, 5, 0], 10**6),
    "two_questions": lambda rng: OutcomeMatrix([[1, 0, 0], [0, 1, 0]]),
    "two_questions_better": lambda rng: OutcomeMatrix([[1, 1, 0], [1, 1, 1]]),
    "three_questions": lambda rng: OutcomeMatrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "three_questions_better": lambda rng: OutcomeMatrix([[1, 1, 0], [1, 1, 1], [0, 1, 1]]),
    "answered_once": lambda rng: OutcomeMatrix(
        [[1], [0], [1]] * 4, answers=[["a"], ["b"], [None]] * 4, scores={"s": [[1.0], [2.0], [0.0]] * 4}
    ),
    "huge": lambda rng: OutcomeMatrix.from_counts(rng.binomial(40, rng.beta(0.5, 0.5, 3000)), 40),
    "large4": lambda rng: OutcomeMatrix(coins(rng, rng.beta(0.3, 2, 200), 4)),
    "hopeless": lambda rng: OutcomeMatrix.from_counts([0] * 20 + [1] * 5 + [4] * 5 + [8] * 3, 8),
    "human_levels": lambda rng: OutcomeMatrix.from_rewards(rng.integers(2, 5, (12, 3)) / 2, questions=range(12)),
    "rates_of_models": lambda rng: np.clip(RATES[:12] + np.array([[0.0], [0.1], [-0.1]]), 0, 1),
    "models": lambda rng: of_models(
        lambda shift: coins(rng, RATES + shift, 6), questions=[f"q{i:02}" for i in range(40)]
    ),
    "models_few": lambda rng: OutcomeSet(
        {model: coins(rng, RATES[:10] + shift, 2) for model, shift in list(SHIFTS.items())[:3]}
    ),
    "models_single": lambda rng: of_models(lambda shift: coins(rng, RATES + shift, 1)),
    "models_missing": lambda rng: of_models(
        lambda shift: some_missing(rng, coins(rng, RATES + shift, 6)), missing="omit"
    ),
    "models_clustered": lambda rng: of_models(lambda shift: coins(rng, RATES + shift, 6), clusters=GROUPS),
    "models_runs": lambda rng: of_models(lambda shift: noisy_runs(rng, 8 * shift)),
    "models_levels": lambda rng: of_models(
        lambda s: OutcomeMatrix.from_rewards((coins(rng, RATES + s, 6) + rng.integers(0, 3, (40, 6))) / 3)
    ),
    "models_continuous": lambda rng: of_models(
        lambda shift: RewardMatrix(rng.normal(RATES[:, None] + shift, 0.3, (40, 6)))
    ),
    "models_solved": lambda rng: of_models(lambda shift: np.ones((15, 3), int)),
    "models_answered": lambda rng: OutcomeSet(
        {model: answered_matrix(rng, RATES[:24, None] + s) for model, s in list(SHIFTS.items())[:3]}
    ),
    "amber_alone": lambda rng: made("suite").select(models=["amber"]),
    "cedar_alone": lambda rng: made("suite").select(models=["cedar"]),
    "values40": lambda rng: np.exp(np.linspace(0, 5, 40)),
    "sets40": lambda rng: ["old"] * 22 + ["new"] * 18,
    "judged": lambda rng: OutcomeMatrix(coins(rng, RATES + 0.1, 4), questions=range(40)),
    "labels_file": lambda rng: EXAMPLES / "data" / "labels.csv",
    "logs": lambda rng: EXAMPLES / "logs" / "inspect",
    "data": lambda rng: EXAMPLES / "data",
    "tensor": lambda rng: np.stack([coins(rng, RATES[:12] + shift, 4) for shift in SHIFTS.values()]),
    "graded_tensor": lambda rng: rng.integers(0, 3, (4, 10, 4)),
    "earlier_tensor": lambda rng: rng.integers(0, 2, (5, 12, 2)),
    "tied_tensor": lambda rng: np.repeat(coins(rng, RATES[:12], 4)[None], 3, axis=0),
    "judged_other": lambda rng: OutcomeMatrix(coins(rng, RATES, 4), questions=range(40)),
    "human": lambda rng: labelled(rng, made("judged")),
    "human_other": lambda rng: labelled(rng, made("judged_other")),
    "judged_models": lambda rng: OutcomeSet({"a": made("judged"), "b": made("judged_other")}),
    "chosen": lambda rng: scorio.choose_questions(made("models"), 15),
    "table": lambda rng: rows_of(rng, ("model", "a"), ("task", "x"), ("prompt", "u")),
    "table_of_models": lambda rng: rows_of(rng, ("task", "x")),
    "table_of_tasks": lambda rng: rows_of(rng),
    "graded_rubric": lambda rng: Graded(),
    "files": lambda rng: write_files(Path(tempfile.mkdtemp())),
}
for _name, _make in SIMPLE.items():
    _make.__name__ = _name
    world(_make)

MAKERS |= {
    each.__name__: (lambda each=each: each)
    for each in (command, frame_of, written, kept, reloaded, filled, read_truthful)
}
MAKERS |= {"nan": lambda: math.nan, "inf": lambda: math.inf, "np": lambda: np, "examples": lambda: EXAMPLES}
