"""Judges with known errors: coverage and half width of ``estimate_with_judge``, of labels alone, and of others.

python benchmarks/judging.py [--runs 1000] [--page]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from marked import fill, made

from scorio import Metric, OutcomeMatrix, OutcomeSet, estimate_with_judge, estimate_with_predictions

Rng = np.random.Generator
Z = 1.959964
NEVER = 0.35  # share of questions that are never solved


@dataclass(frozen=True)
class Setting:
    """A judge, and how many questions people label."""

    name: str
    metric: str = "pass@1"
    target: str = "questions"
    questions: int = 300
    labelled: int = 60
    trials: int = 8
    false_pass: float = 0.08  # on average: that of a question is uniform up to twice as much
    false_fail: float = 0.04
    cluster: int = 1  # questions that share a rate
    whole_clusters: bool = False


def rates(setting: Setting, rng: Rng) -> np.ndarray:
    """True rates: some questions are never solved, the rest are uniform; those of a cluster are alike."""
    count = setting.questions // setting.cluster
    rate = np.where(rng.random(count) < NEVER, 0.0, rng.random(count))
    return np.repeat(rate, setting.cluster)


def truth(setting: Setting, rate: np.ndarray) -> float:
    """The true Pass@k of these questions, or of the population."""
    k = int(setting.metric.partition("@")[2])
    return float(np.mean(1 - (1 - rate) ** k)) if setting.target == "questions" else (1 - NEVER) * k / (k + 1)


def labelled(setting: Setting, rng: Rng) -> np.ndarray:
    """The questions that people label."""
    if not setting.whole_clusters:
        return rng.choice(setting.questions, setting.labelled, replace=False)
    size = setting.cluster
    chosen = rng.choice(setting.questions // size, setting.labelled // size, replace=False)
    return (chosen[:, None] * size + np.arange(size)).ravel()


def rogan_gladen(human: np.ndarray, judge: np.ndarray, place: np.ndarray) -> tuple[float, float]:
    """The corrected rate of trials with its published standard error, in which all trials are independent."""
    h, j = human[place].ravel(), judge[place].ravel()
    right, wrong = int(h.sum()), int((1 - h).sum())
    se, sp, q = j[h == 1].mean(), 1 - j[h == 0].mean(), judge.mean()
    p = (q + sp - 1) / (se + sp - 1)
    variance = q * (1 - q) / judge.size + p**2 * se * (1 - se) / right + (1 - p) ** 2 * sp * (1 - sp) / wrong
    half = Z * np.sqrt(variance) / (se + sp - 1)
    return p - half, p + half


def unlabelled_form(metric: Metric, human: np.ndarray, judge: np.ndarray, place: np.ndarray) -> tuple[float, float]:
    """``mean_unlabelled(F) + mean_labelled(Y - F)`` for the population: the weight 1 on the unlabelled questions."""
    F, Y = metric.per_question(judge), metric.per_question(human)[place]
    rest = np.delete(F, place)
    gap = Y - F[place]
    half = Z * np.sqrt(rest.var(ddof=1) / len(rest) + gap.var(ddof=1) / len(gap))
    middle = rest.mean() + gap.mean()
    return middle - half, middle + half


def run(setting: Setting, runs: int, seed: int) -> dict[str, tuple[float, float]]:
    """Coverage and mean half width of each kind of interval."""
    rng, metric = np.random.default_rng(seed), Metric.from_string(setting.metric)
    ends: dict[str, list[tuple[float, float, float]]] = {}
    clusters = np.arange(setting.questions) // setting.cluster if setting.cluster > 1 else None
    for _ in range(runs):
        rate = rates(setting, rng)
        shape = setting.questions, setting.trials
        human = (rng.random(shape) < rate[:, None]).astype(int)
        lax = 2 * setting.false_pass * rng.random((setting.questions, 1))
        judge = np.where(human, rng.random(shape) >= setting.false_fail, rng.random(shape) < lax).astype(int)
        place = labelled(setting, rng)
        judged = OutcomeMatrix(judge, clusters=clusters)
        people = OutcomeMatrix(human[place], questions=place.tolist())
        found = estimate_with_judge(metric, judged, people, target=setting.target)
        alone = metric.interval(judged, prior="learned", target=setting.target)
        assert found.labels_alone is not None
        intervals: dict[str, Any] = {
            "estimate_with_judge": found[2:],
            "labels": found.labels_alone[2:],
            "judge": alone[2:],
        }
        if setting.metric == "pass@1":
            intervals["rogan"] = rogan_gladen(human, judge, place)
        if setting.target == "population" and setting.cluster == 1:
            intervals["unlabelled"] = unlabelled_form(metric, human, judge, place)
        value = truth(setting, rate)
        for name, (lo, hi) in intervals.items():
            ends.setdefault(name, []).append((lo, hi, value))
    result = {}
    for name, each in ends.items():
        lo, hi, value = np.array(each).T
        result[name] = float(np.mean((lo <= value) & (value <= hi))), float(np.mean(hi - lo)) / 2
    return result


BASE = Setting("60 of 300, lax judge")
SETTINGS = [
    BASE,
    replace(BASE, name="60 of 300, good judge", false_pass=0.01, false_fail=0.01),
    replace(BASE, name="60 of 300, bad judge", false_pass=0.25, false_fail=0.2),
    replace(BASE, name="30 of 200", questions=200, labelled=30),
    replace(BASE, name="150 of 600, weight estimated", questions=600, labelled=150),
]
SETTINGS = [
    *(replace(each, metric=metric) for metric in ("pass@1", "pass@4") for each in SETTINGS),
    replace(BASE, name="60 of 300, 4 trials", metric="pass@4", trials=4),
    *(replace(each, metric=metric, target="population") for metric in ("pass@1", "pass@4") for each in SETTINGS[::2]),
    *(
        replace(BASE, name=f"80 of 400 in clusters of 4{how}", metric=metric, target="population", **clusters)
        for metric in ("pass@1", "pass@4")
        for how, clusters in {
            "": {"cluster": 4, "questions": 400, "labelled": 80},
            ", whole clusters": {"cluster": 4, "questions": 400, "labelled": 80, "whole_clusters": True},
        }.items()
    ),
]
SUBJECT = {"questions": "these questions", "population": "population"}


def cell(result: dict[str, tuple[float, float]], name: str) -> str:
    """Coverage and half width."""
    return f"{result[name][0]:.3f} / {result[name][1]:.3f}" if name in result else ""


def coverage(runs: int) -> str:
    """The table of coverage probabilities and half widths."""
    heads = [
        "metric",
        "about",
        "labelled",
        "`estimate_with_judge`",
        "labels alone",
        "judge alone",
        "Rogan-Gladen",
        "weight 1 on the others",
    ]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for seed, setting in enumerate(SETTINGS):
        result = run(setting, runs, seed)
        numbers = [cell(result, name) for name in ("corrected", "labels", "judge", "rogan", "unlabelled")]
        line = [setting.metric, SUBJECT[setting.target], setting.name, *numbers]
        lines.append("| " + " | ".join(line) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def others_know(rng: Rng, others: int, asked: int, metric: str, runs: int) -> tuple[float, float]:
    """Coverage of ``estimate_with_predictions`` and its worth in trials, with other models as predictions."""
    hits, ratios = 0, []
    k = int(metric.partition("@")[2])
    for _ in range(runs):
        difficulty = 2.5 * rng.normal(size=300)
        ability = rng.normal(size=(others + 1, 1)) + 0.8 * rng.normal(size=(others + 1, 300))
        rate = 1 / (1 + np.exp(difficulty - ability))
        R = (rng.random((others + 1, 300, 8)) < rate[:, :, None]).astype(int)
        place = rng.choice(300, asked, replace=False)
        known = OutcomeSet({f"m{i}": R[i] for i in range(others)})
        found = estimate_with_predictions(metric, OutcomeMatrix(R[-1, place], questions=place.tolist()), known)
        assert found.labels_alone is not None
        hits += found.lo <= np.mean(1 - (1 - rate[-1]) ** k) <= found.hi
        ratios.append((found.labels_alone.sigma / found.sigma) ** 2)
    return hits / runs, float(np.mean(ratios))


def worth(runs: int) -> str:
    """The table of what predictions by other models are worth."""
    lines = ["| metric | asked | other models | coverage | trials are worth |", "|---|---|---|---|---|"]
    for metric in ("pass@1", "pass@4"):
        for asked in (60, 120):
            for others in (1, 4):
                hit, ratio = others_know(np.random.default_rng([asked, others]), others, asked, metric, runs)
                lines.append(f"| {metric} | {asked} of 300 | {others} | {hit:.3f} | {ratio:.2f} times |")
                print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Simulate and print; with ``--page`` fill docs/judges.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--page", action="store_true", help="fill docs/judges.md")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    tables: dict[str, Callable[[int], str]] = {"coverage": coverage, "worth": worth}
    error = np.sqrt(0.95 * 0.05 / arguments.runs)
    for name, table in tables.items():
        text = table(arguments.runs)
        note = f"{arguments.runs:,} runs per row, standard error of a coverage of .95: {error:.3f} ({made()})."
        if arguments.page:
            fill("judges.md", name, f"{text}\n\n{note}")
        print(note)


if __name__ == "__main__":
    main()
