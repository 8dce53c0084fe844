"""Paragraphs for the method section of a paper, with the references as BibTeX."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Any, ClassVar

from .._choices import RANDOM
from .._display.exports import Exports
from .._display.numbers import percent
from .._display.words import pluralize
from ..inference import CATEGORICAL, CONTINUOUS, SAMPLES, PriorLike, as_prior

_ENTRIES = files("scorio.comparison").joinpath("references.bib").read_text(encoding="utf-8").strip().split("\n\n")
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
class Methods(Exports):
    """A paragraph that says what was done, with citations ``[@key]``, and the references as ``bibtex``.

    >>> from scorio import compare
    >>> methods = compare("pass@1", [[1, 1], [0, 1]], [[1, 0], [0, 0]], target="population").to_methods()
    >>> methods.text.split(". ")[1]
    'The comparison is about questions like these, paired by question: a paired t test with 2 degrees of freedom, of \
which one is of a question that could be anything'
    """

    text: str
    references: tuple[str, ...]
    _also: ClassVar = ("bibtex",)

    @property
    def bibtex(self) -> str:
        """The references, one entry each."""
        return "\n\n".join(BIBTEX[key] for key in self.references)

    def __str__(self) -> str:
        return f"{self.text}\n\n{self.bibtex}" if self.references else self.text


def methods_of(sentences: Iterable[str]) -> Methods:
    """Return the sentences as a paragraph, with the references that they cite, in order."""
    text = " ".join(
        [*(f"{each}." for each in sentences if each), f"All numbers were computed with scorio {_version()}."]
    )
    cited = sorted((key for key in BIBTEX if f"@{key}" in text), key=lambda key: text.index(f"@{key}"))
    return Methods(text, tuple(cited))


def _version() -> str:
    try:
        return version("scorio")
    except PackageNotFoundError:  # run from a folder of sources
        return "(not installed)"


def cited_metrics(metrics: Sequence[Any]) -> str:
    """Name metrics with their references."""
    names = []
    for metric in metrics:
        keys = OF_METRIC.get(str(getattr(metric, "name", "")), ())
        names.append(str(metric) + (f" [{'; '.join(f'@{key}' for key in keys)}]" if keys else ""))
    return ", ".join(names)


def of_errors(prior: PriorLike, target: str, kinds: Iterable[str]) -> list[str]:
    """Say for each kind of numbers where the uncertainty of the intervals comes from."""
    return [of_prior(prior, target, kind) for kind in dict.fromkeys(kinds)]


def of_prior(prior: PriorLike, target: str, rewards: str = CATEGORICAL) -> str:
    """Say where the success rates of questions come from, or the uncertainty of what has none."""
    if rewards == CONTINUOUS:
        return "The uncertainty of continuous rewards is that of their means over questions"
    if rewards == SAMPLES:
        spread = "the spread of the estimates between questions"
        own = "the jackknife over the trials of each question [@efron1981jackknife]"
        return "Scores are means over all draws of k of a question's trials, and their uncertainty is estimated by " + (
            spread if target == "population" else own
        )
    assumed = as_prior(prior)
    if assumed.is_learned:
        whose = "another question" if target == "population" else "the questions"
        return (
            f"The prior distribution of the success rates of {whose} was learned from the outcomes (empirical Bayes), "
            "and its uncertainty is part of the intervals"
        )
    return f"Success rates had the prior {assumed}, independently for every question [@hariri2025dont]"


def of_comparison(result: Any) -> Methods:
    """Return the methods of a comparison of two models."""
    first, second = result.names
    level = percent(result.confidence)
    metrics = [result.metric] if not result.tasks else [each.metric for each in result.tasks.values()]
    sentences = [
        f"We compared {first} and {second} on {result.extent} by {cited_metrics(list(dict.fromkeys(metrics)))}",
        _subject(result),
        *([] if _parts_with_t(result) == _parts(result) else of_errors(result.prior, result.target, _kinds(result))),
        of_runs(result.runs),
        _tasks(result),
        _difference(result, level),
        _call(result, level),
        _p_value(result),
    ]
    return methods_of(sentences)


def _parts(result: Any) -> list[Any]:
    """Return the comparisons of all tasks, or the only one."""
    return list(result.tasks.values()) if result.tasks else [result]


def _kinds(result: Any) -> list[str]:
    return [each.rewards for each in _parts(result)]


def _parts_with_t(result: Any) -> list[Any]:
    return [each for each in _parts(result) if math.isfinite(each.degrees)]


def _subject(result: Any) -> str:
    if math.isfinite(result.degrees):
        degrees = pluralize(round(result.degrees), "degree")
        test = f"a paired t test with {degrees} of freedom"
        if result.target == "population":
            of = ", of which one is of a question that could be anything"
            return f"The comparison is about questions like these, paired by question: {test}{of}"
        single = "on tasks with one trial per question" if result.tasks else "with one trial per question"
        return (
            f"The comparison is about these questions, paired by question {single}: {test}, whose variance is an upper "
            "limit of that of the trials"
        )
    if result.target == "questions":
        random = "trials and runs" if result.runs == RANDOM else "only trials"
        return f"The comparison is about these questions: {random} are random"
    if result.tasks and result.paired:
        return "The comparison is about questions like these, paired by question on every task"
    return "The comparison is about questions like these, with each model on its own questions"


def of_runs(runs: str) -> str:
    """Return the sentence about runs; empty where trials are taken as independent."""
    if runs != RANDOM:
        return ""
    return (
        "Trials of one run share conditions, and the statements are about runs like these: how much runs differ was "
        "learned from them, with a half-Cauchy prior"
    )


def _tasks(result: Any) -> str:
    if not result.tasks:
        return ""
    weights = ", ".join(f"{task} {weight:.3g}" for task, weight in result.weights.items())
    return f"Overall scores are weighted means over tasks ({weights})"


def _difference(result: Any, level: str) -> str:
    if math.isfinite(result.degrees):
        return f"Intervals of the difference are {level} intervals of Student's t"
    if result.tasks:
        return f"The {level} interval of the overall difference combines those of the tasks"
    if result.shape == "normal":
        return f"The {level} interval of the difference is normal, with the variances of both posteriors added"
    return (
        f"The {level} interval of the difference combines the equal-tailed intervals of both models by the method of "
        "variance estimates recovery [@zou2008construction]"
    )


def _call(result: Any, level: str) -> str:
    if result.rule == "published":
        return (
            f"A model is called better if the one-sided probability of being better reaches {level} [@hariri2025dont]"
        )
    looks = "" if result.looks is None else f"; the interval is {result.looks}"
    return f"A model is called better if the interval excludes zero ({result.error_rate.split(',')[0]}){looks}"


def _p_value(result: Any) -> str:
    if result.p_exact is not None:
        return "With one trial per question, McNemar's exact test was computed too [@mcnemar1947note]"
    return "" if result.p_value is None else "The p-value is two-sided"
