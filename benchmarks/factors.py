"""Models under several prompts: coverage of margins, and what goes wrong if prompts count as repeated trials.

python benchmarks/factors.py [--runs 300] [--page]
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass

import numpy as np
from marked import fill, made

from scorio import OutcomeMatrix, OutcomeSet, PassAtK, analyze_factors, compare

EVERY = 400  # prompts that stand for all prompts like these
SD = {"question": 1.2, "prompt": 0.6, "model x prompt": 0.3, "question x prompt": 0.3, "question x model x prompt": 0.3}
HEADS = ("these prompts", "difference", "prompts like these", "difference", "false calls")


@dataclass(frozen=True)
class Setting:
    """How many prompts, trials and questions; two models of equal ability."""

    prompts: int
    trials: int
    target: str = "questions"
    questions: int = 50


SETTINGS = [
    *(Setting(prompts, trials) for prompts in (3, 5, 10) for trials in (1, 3)),
    Setting(5, 3, "population"),
    Setting(10, 1, "population"),
]


def rates(rng: np.random.Generator, questions: int) -> np.ndarray:
    """True rates (questions, models, every prompt), with normal effects on a logistic scale."""
    place = {"question": 0, "model": 1, "prompt": 2}
    shape = (questions, 2, EVERY)
    eta = np.zeros(shape)
    for name, scale in SD.items():
        axes = {place[part] for part in name.split(" x ")}
        eta = eta + scale * rng.normal(size=[n if i in axes else 1 for i, n in enumerate(shape)])
    return 1 / (1 + np.exp(-eta))


def one(setting: Setting, rng: np.random.Generator) -> tuple[list[float], list[float]]:
    """Whether the intervals of ``analyze_factors``, and of pooled trials, contain the truth, and make false calls."""
    more = 1500 if setting.target == "population" else 0
    all_rates = rates(rng, setting.questions + more)
    rate = all_rates[: setting.questions, :, : setting.prompts]
    subject = all_rates if more else all_rates[: setting.questions]
    these, like = subject[:, :, : setting.prompts].mean(axis=(0, 2)), subject.mean(axis=(0, 2))
    trials = (rng.random((*rate.shape, setting.trials)) < rate[..., None]).astype(int)
    rows = {f"m{i} p{j}": trials[:, i, j] for i in range(2) for j in range(setting.prompts)}
    conditions = {name: {"model": name.split()[0], "prompt": name.split()[1]} for name in rows}
    found = analyze_factors("pass@1", OutcomeSet(rows, conditions=conditions), target=setting.target)
    margin, pair = found.margins[0], found.pairs[0]
    assert margin.like is not None
    assert pair.like is not None
    own = [
        margin.these.lo <= these[0] <= margin.these.hi,
        pair.these.lo <= these[0] - these[1] <= pair.these.hi,
        margin.like.lo <= like[0] <= margin.like.hi,
        pair.like.lo <= like[0] - like[1] <= pair.like.hi,
        pair.like.p_value < 0.05,
    ]
    pooled = [OutcomeMatrix(trials[:, i].reshape(setting.questions, -1)) for i in range(2)]
    result = compare("pass@1", *pooled, target=setting.target)
    interval = PassAtK(1).interval(pooled[0], prior="learned", target=setting.target)
    other = [
        interval.lo <= these[0] <= interval.hi,
        result.lo <= these[0] - these[1] <= result.hi,
        interval.lo <= like[0] <= interval.hi,
        result.lo <= like[0] - like[1] <= result.hi,
        result.winner is not None,
    ]
    return [float(each) for each in own], [float(each) for each in other]


def coverage(runs: int) -> str:
    """The table, with the pooled number behind that of ``analyze_factors``."""
    lines = ["| prompts | trials | questions | " + " | ".join(HEADS) + " |", "|--:|--:|---|" + "---|" * len(HEADS)]
    for setting in SETTINGS:
        results = [one(setting, np.random.default_rng([setting.prompts, setting.trials, run])) for run in range(runs)]
        own, other = np.mean(results, axis=0)
        cells = [f"{mine:.3f} / {theirs:.3f}" for mine, theirs in zip(own, other, strict=True)]
        subject = "these" if setting.target == "questions" else "population"
        lines.append(f"| {setting.prompts} | {setting.trials} | {subject} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Simulate and print; with ``--page`` fill docs/factors.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--page", action="store_true", help="fill docs/factors.md")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    text = coverage(arguments.runs)
    error = np.sqrt(0.95 * 0.05 / arguments.runs)
    note = f"{arguments.runs:,} runs per row, standard error of a coverage of .95: {error:.3f} ({made()})."
    if arguments.page:
        fill("factors.md", "coverage", f"{text}\n\n{note}")
    print(note)


if __name__ == "__main__":
    main()
