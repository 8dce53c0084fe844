"""Runs whose trials share effects: coverage, calls and warnings, and real runs predicted from the others.

Question ``q`` is solved in run ``t`` with the log odds ``l_q + s x_t``; the true value is that of the mean over ``x``.
"""

import os
import warnings
from pathlib import Path

import numpy as np
from runner import grid, study
from worlds import every_pair, expit, hermite, inside, named_metric, worth

from scorio import Leaderboard, OutcomeMatrix, RewardMatrix, compare, gate
from scorio.errors import RunsWarning
from scorio.planning import analyze_runs

SPREAD = 1.7  # of the log odds of questions
NODES, SHARES = hermite(40)
FACTORS = {
    "runs": (2, 3, 5, 8, 16),
    "s": (0.0, 0.1, 0.2, 0.3, 0.5),
    "questions": (30, 100, 500),
    "models": (1, 2, 5, 10),
    "metric": ("pass@1", "pass@4", "passhat@4", "gpass@4:tau=0.5", "avg", "rewards"),
    "target": ("questions", "population"),
}
CUTS = (-0.7, 0.7)  # between the grades 0, .5 and 1 of a rubric
NOISE, SHIFT = 0.5, 0.25  # of continuous rewards: standard deviation within a question, and what s = 1 moves


def metric_of(name):
    return named_metric({"avg": "avg:weights=0,0.5,1", "rewards": "avg"}.get(name, name))


def value(name, logits, s):
    """The true value of questions with these log odds (or means), over runs like these."""
    shifted = logits[..., None] + s * NODES
    if name == "rewards":
        return logits
    if name == "avg":
        return sum(0.5 * expit(shifted - cut) for cut in CUTS) @ SHARES
    return worth(name, expit(shifted) @ SHARES)


def outcomes(name, logits, shifts, rng):
    """Outcomes of one model: a trial of every question in every run."""
    size, labels = (len(logits), len(shifts)), [f"run {t}" for t in range(len(shifts))]
    if name == "rewards":
        return RewardMatrix(logits[:, None] + SHIFT * shifts + NOISE * rng.standard_normal(size), runs=labels)
    if name == "avg":
        latent = logits[:, None] + shifts + rng.logistic(size=size)
        return OutcomeMatrix((latent[..., None] > CUTS).sum(axis=-1), runs=labels)
    return OutcomeMatrix((rng.random(size) < expit(logits[:, None] + shifts)).astype(np.int8), runs=labels)


def _is_possible(row):
    return not ("@4" in str(row.get("metric", "")) and row.get("runs", 9) < 4)


@study(every_pair(FACTORS, np.random.default_rng(0), _is_possible), worlds=300)
def runs(rng, runs, s, questions, models, metric, target):
    """Coverage of values over runs like these, in rows that see every pair of factors, and of independent trials."""
    logits = rng.normal(0.0, SPREAD, (models, questions))
    made = {f"m{i}": outcomes(metric, own, s * rng.standard_normal(runs), rng) for i, own in enumerate(logits)}
    truth = value(metric, logits, s).mean(axis=1)
    if target == "population":
        nodes, shares = hermite(60)
        truth = np.full(models, shares @ value(metric, SPREAD * nodes, s))
    about, found = {"target": target}, {}
    for name, taken in (("covers", "random"), ("plain covers", "independent")):
        each = Leaderboard(metric_of(metric), made, runs=taken, **about).rankings[0].intervals
        found[name] = np.mean([inside(one, true) for one, true in zip(each, truth, strict=True)])
        found[name.replace("covers", "width")] = np.mean([one.hi - one.lo for one in each])
    return found


CALLS = (
    *((3, 0.2, 100, "pass@1"), (5, 0.0, 100, "pass@1"), (5, 0.2, 100, "pass@1"), (5, 0.5, 100, "pass@1")),
    *((5, 0.3, 100, "pass@4"), (8, 0.3, 500, "passhat@4"), (16, 0.3, 100, "avg"), (5, 0.3, 100, "rewards")),
)


@study([dict(zip(("runs", "s", "questions", "metric"), each, strict=True)) for each in CALLS],
       page="RESULTS.md", mark="run calls")  # fmt: skip
def run_calls(rng, runs, s, questions, metric):
    """Equal models called different, or failed by a gate; in half of the worlds they share half of the effects."""
    logits, shifts = rng.normal(0.0, SPREAD, questions), s * rng.standard_normal((2, runs))
    if rng.random() < 0.5:
        shifts = (shifts + s * rng.standard_normal(runs)) / np.sqrt(2.0)
    A, B = (outcomes(metric, logits, each, rng) for each in shifts)
    metric, found = metric_of(metric), {}
    for name, taken in (("", "independent"), (" with runs", "random")):
        pair = next(iter(Leaderboard(metric, {"a": A, "b": B}, runs=taken).pairs()))
        found[f"compare{name}"] = compare(metric, A, B, runs=taken).winner is not None
        found[f"pairs{name}"] = pair.better is not None
        found[f"gate{name}"] = gate(metric, A, B, max_drop=0.0, runs=taken).verdict == "failed"
    return found


@study(grid(runs=(2, 5, 16), questions=(30, 100, 500), s=FACTORS["s"]), worlds=800,
       page="RESULTS.md", mark="run alarms")  # fmt: skip
def run_alarms(rng, runs, questions, s):
    """How often a RunsWarning is given, by the size of the effect."""
    R = outcomes("pass@1", rng.normal(0.0, SPREAD, questions), s * rng.standard_normal(runs), rng)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        named_metric("pass@1").interval(R)
    return {"warned": any(each.category is RunsWarning for each in told)}


def _real():
    """Real outcomes (models, questions, runs) in the folder of ``--data``."""
    for path in sorted(Path(os.environ["BANKS"]).glob("*_trials.npz")) if "BANKS" in os.environ else ():
        with np.load(path, allow_pickle=True) as file:
            yield path.stem, file["R"] if file["R"].ndim == 3 else file["R"][None]


@study(lambda: [{"bank": name} for name, _ in _real()], worlds=2)
def left_out_runs(rng, bank):
    """How often the interval for one more run holds a real run (``--data``) that was left out."""
    hits = []
    for model in dict(_real())[bank]:
        for t in range(model.shape[1]):
            rest = np.delete(model, t, axis=1)
            next_run = analyze_runs("pass@1", OutcomeMatrix(rest, runs=range(rest.shape[1]))).next_run()
            hits.append(inside(next_run, model[:, t].mean()))
    return {"held": np.mean(hits), "runs": len(hits)}
