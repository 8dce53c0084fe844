"""What the usual parameters are, in words, wherever a docstring does not say it: one place for each name.

Parameters that are neither described in a docstring nor here are in the signature alone.
"""

import inspect
import re
from typing import Any

from sphinx.application import Sphinx

import scorio

_OUTCOMES = (
    "the outcomes of one model: an ``OutcomeMatrix``, or an array with a row per question and a column per trial"
)
WORDS = {
    "R": _OUTCOMES,
    "A": "the outcomes of the first model, of which the difference is taken",
    "B": "the outcomes of the second model, with which the first is compared",
    "R0": "earlier outcomes that count in the posterior and in no score, one row per question",
    "k": "the number of trials in a draw",
    "ks": "the numbers of trials in a draw, several at once",
    "w": "the reward of each category; 0 and 1 for failures and successes if left out",
    "tau": "the share of the draw that must succeed, from 0 to 1",
    "pass_power": "the power of Pass@k",
    "unanimous_power": "the power of Pass^k",
    "ties": 'what a tie of answers is worth: the mean outcome of the tied answers (``"shared"``), or nothing',
    "confidence": "the confidence level, one minus the error rate",
    "prior": 'what is assumed of success rates: ``"learned"`` from these outcomes, ``"uniform"``, or pseudo-counts',
    "too_few": 'what is done with questions that have too few trials: ``"raise"``, ``"omit"`` or ``"nan"``',
    "target": 'what the statement is about: these questions, ``"questions"``, or ones like these, ``"population"``',
    "runs": 'whether the trials of a run share luck: ``"independent"``, ``"random"``, or ``"auto"``, which warns if so',
    "looks": "the ``Looks`` at which the statement holds if results are watched as they come in",
    "shape": "how the interval is made: of quantiles of the posterior, of a normal law, or by one of the exact ways",
    "bounds": "the lowest and the highest value that the interval may reach",
    "metric": "the metric, or its name, as ``pass@8``",
    "metrics": "the metrics, or their names",
    "outcomes": "the outcomes of several models by name: an ``OutcomeSet``, a mapping, a data frame or a ``Suite``",
    "model": "the name of the model",
    "task_weights": "the weight of each task in the overall score; equal weights if left out",
    "clusters": "the cluster of each question, where several belong together, as those about one text do",
    "missing": 'what is done with trials without an outcome: ``"raise"``, ``"omit"``, or ``"fail"``, which is 0',
    "levels": "the reward of each category, ascending",
    "answers": "the answer of each trial, for votes",
    "scores": "scores of each trial beside its outcome, by name, for choices among trials",
    "normalize": "a function that makes equal answers alike; None takes them as they are",
    "rng": "a seed, or a generator of numpy: the same seed gives the same numbers",
    "seed": "the seed of what is drawn by chance",
    "n_jobs": "how many processes or threads work at once; None is one",
    "backend": 'the library of the frame: ``"pandas"``, ``"polars"`` or ``"pyarrow"``',
    "indent": "how many spaces a level of JSON is indented by; None writes one line",
    "digits": "how many digits are shown after the decimal point",
    "ax": "the axes of matplotlib to draw on; new ones if left out",
    "path": "the path of the file",
    "deep": "whether parameters of nested metrics are named as well; scikit-learn asks for it",
    "alpha0": "pseudo-successes of the Beta prior",
    "beta0": "pseudo-failures of the Beta prior",
    "family": "how the error rate is shared among comparisons",
    "fdr": "the false discovery rate: the expected share of wrong calls among all calls",
    "goal": "what the models are to be told apart for",
    "method": "how equal scores are ranked",
    "return_scores": "whether the scores are returned beside the ranks",
    "board": "the leaderboard",
    "result": "the result that is drawn",
    "frame": "a data frame of pandas, Polars or Arrow, or a data set of Hugging Face",
    "outcome": "the name of the column of outcomes",
    "question": "the name of the column of questions",
    "trial": "the name of the column that numbers trials",
    "cluster": "the name of the column of clusters",
    "power": "the probability that a true difference is found",
    "difference": "the true difference that is to be found",
    "n_questions": "the number of questions",
    "n_trials": "the number of trials per question",
    "shared_only": "whether models with different questions are compared on those that both have",
    "categories": "the number of categories, where not all of them occur",
    "progress": "whether a line on a terminal shows how far the work is",
    "paired": "whether the models are compared question by question",
    "human": "people's labels, by question and trial",
    "source": "a path, a pattern, a folder, a URL, or several of these",
}
OF = {  # where a name means something else: of a class, or of the functions of a module
    "compare.names": "what the two models are called",
    "compare.rule": 'when a model is called better: by its ``"interval"``, or by the ``"published"`` limit',
    "cov.other": "the other metric, on the same outcomes",
    "rank.R": "the outcomes of all models: an array of models x questions x trials",
    "OutcomeMatrix.runs": "the run of each trial, as one name per column or per trial",
    "RewardMatrix.runs": "the run of each trial, as one name per column or per trial",
    "OutcomeMatrix.questions": "the name of each question, one per row",
    "RewardMatrix.questions": "the name of each question, one per row",
    "OutcomeSet.questions": "the name of each question, one per row",
    "OutcomeSet.models": "the outcomes of each model by its name, or a data frame",
    "OutcomeSet.runs": "the run of each trial, as one name per column or per trial",
    "GeoSpectrum.lam": "the power of Pass@k; the spectrum has the rest, up to 1",
    "RunEffects.runs": "the number of runs",
    "Accumulator.outcomes": "the outcomes of one model on the questions that are added",
    "Leaderboard.k": "how many of the best models",
}
_SELF = {"self", "cls"}
_NAMES = re.compile(r"\*{0,2}\w+(?:, \*{0,2}\w+)*")


def described(docstring: list[str]) -> set[str]:
    """Return the parameters that a docstring describes in a section of its own, or as fields."""
    names = {match[1] for line in docstring if (match := re.match(r":param (?:\w+ )?\*{0,2}(\w+):", line))}
    for i, line in enumerate(docstring[:-1]):
        if line.strip() == "Parameters" and set(docstring[i + 1].strip()) == {"-"}:
            section = docstring[i + 2 :]
            end = next((j for j, each in enumerate(section) if each.strip() and set(each.strip()) == {"-"}), None)
            heads = (each for each in section[:end] if _NAMES.fullmatch(each))
            names |= {name.lstrip("*") for head in heads for name in head.split(", ")}
    return names


def _parameters(value: Any) -> list[str]:
    try:
        return [name for name in inspect.signature(value).parameters if name not in _SELF]
    except (TypeError, ValueError):
        return []


def _words(place: list[str], parameter: str) -> str | None:
    """Return the words for a parameter of what has this place, as ``["scorio", "rank", "avg"]``."""
    own = (OF.get(f"{part}.{parameter}") for part in reversed(place))
    return next(filter(None, own), WORDS.get(parameter))


def _describe(_app: Sphinx, what: str, name: str, value: Any, _options: Any, lines: list[str]) -> None:
    """Add a field for each usual parameter that the docstring does not describe, in the order of the signature."""
    if what not in ("function", "method", "class"):
        return
    if what == "class" and not hasattr(scorio, name.rpartition(".")[2]):
        return  # nobody makes it by hand, and its docstring says what its attributes are
    known, place = described(lines), name.split(".")
    words = {each: _words(place, each) for each in _parameters(value) if each not in known}
    fields = [f":param {each}: {text}" for each, text in words.items() if text]
    if fields:
        lines += ["", *fields, ""]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what adds the words."""
    app.connect("autodoc-process-docstring", _describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
