"""Paragraphs for the method section of a paper, with the references as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Any, ClassVar

from .._base.choices import BEYOND, CATEGORICAL, CONTINUOUS, RANDOM, SAMPLES
from .._base.exports import Record
from ._prior import PriorLike, as_prior

_ENTRIES = files("scorio.inference").joinpath("references.bib").read_text(encoding="utf-8").strip().split("\n\n")
BIBTEX = {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in _ENTRIES}
OF_METRIC = {  # by the name of the metric
    "bayes": ("hariri2025dont",),
    "best": ("cobbe2021training",),
    "avg": ("hariri2025dont",),
    "pass": ("chen2021evaluating",),
    "passhat": ("yao2024tau",),
    "gpass": ("liu2024stable",),
    "mgpass": ("liu2024stable",),
    "maj": ("wang2022self",),
    "auc": ("hu2026rewarding",),
    "max": ("bagirov2025best", "walder2025passk"),
    "vote": ("wang2022self",),
    "weighted_vote": ("wang2022self",),
}


@dataclass(frozen=True)
class Methods(Record):
    """A paragraph that says what was done, with citations ``[@key]``, and the references as ``bibtex``.

    >>> from scorio import compare
    >>> methods = compare("pass@1", [[1, 1], [0, 1]], [[1, 0], [0, 0]], target="population").to_methods()
    >>> methods.text.split(". ")[1]
    'The comparison is for questions like these, paired by question'
    """

    text: str
    references: tuple[str, ...]
    _also: ClassVar = ("bibtex",)

    @property
    def bibtex(self) -> str:
        """The references, one entry each."""
        return "\n\n".join(BIBTEX[key] for key in self.references)

    @classmethod
    def of(cls, sentences: Iterable[str]) -> Methods:
        """Return the sentences as a paragraph, with the references that they cite, in order."""
        text = " ".join(
            [
                *(f"{sentence}." for sentence in sentences if sentence),
                f"All numbers were computed with scorio {_version()}.",
            ]
        )
        cited = sorted((key for key in BIBTEX if f"@{key}" in text), key=lambda key: text.index(f"@{key}"))
        return cls(text, tuple(cited))

    @staticmethod
    def cited_metrics(metrics: Iterable[Any]) -> str:
        """Name metrics with their references."""
        names = []
        for metric in dict.fromkeys(metrics):
            keys = OF_METRIC.get(str(getattr(metric, "name", "")), ())
            names.append(str(metric) + (f" [{'; '.join(f'@{key}' for key in keys)}]" if keys else ""))
        return ", ".join(names)

    @staticmethod
    def of_errors(prior: PriorLike, target: str, kinds: Iterable[str]) -> list[str]:
        """Say for each kind of numbers where the uncertainty of the intervals comes from."""
        return [of_prior(prior, target, kind) for kind in dict.fromkeys(kinds)]

    @staticmethod
    def of_runs(runs: str) -> str:
        """Return the sentence about runs; empty where trials are taken as independent."""
        if runs != RANDOM:
            return ""
        return (
            "Trials of one run share conditions, and the statements are about runs like these: how much runs differ was"
            " learned from them, with a half-Cauchy prior"
        )

    @staticmethod
    def of_weights(weights: Mapping[str, float] | None) -> str:
        """Return the sentence about the weights of tasks; empty where there are none."""
        shares = ", ".join(f"{task} {weight:.3g}" for task, weight in (weights or {}).items())
        return f"Overall scores are weighted means over tasks ({shares})" if shares else ""

    def __str__(self) -> str:
        return f"{self.text}\n\n{self.bibtex}" if self.references else self.text


def _version() -> str:
    try:
        return version("scorio")
    except PackageNotFoundError:  # run from a folder of sources
        return "(not installed)"


def of_prior(prior: PriorLike, target: str, rewards: str = CATEGORICAL) -> str:
    """Say where the success rates of questions come from, or the uncertainty of what has none."""
    if rewards == CONTINUOUS:
        return "The uncertainty of continuous rewards is that of their means over questions"
    if rewards == SAMPLES:
        spread = "the spread of the estimates between questions"
        jackknife = "the jackknife over the trials of each question [@efron1981jackknife]"
        return "Scores are means over all draws of k of a question's trials, and their uncertainty is estimated by " + (
            spread if target == "population" else jackknife
        )
    assumed = as_prior(prior)
    if assumed.is_learned:
        whose = "another question" if target == "population" else "the questions"
        return (
            f"The prior distribution of the success rates of {whose} was learned from the outcomes (empirical Bayes), "
            "and its uncertainty is part of the intervals"
        )
    return f"Success rates had the prior {assumed}, independently for every question [@hariri2025dont]"


def kind_of(shape: str | None) -> str:
    """Return the adjective of intervals of this shape; without one, they are equal-tailed."""
    return "equal-tailed" if shape in (None, "quantile", BEYOND) else shape
