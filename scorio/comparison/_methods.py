"""The methods of a comparison of two models, as a paragraph for a paper."""

import math
from typing import Any

from .._choices import RANDOM
from .._display.numbers import percent
from .._display.words import pluralize
from ..inference import Methods, cited_metrics, methods_of, of_errors, of_runs


def of_comparison(result: Any) -> Methods:
    """Return the methods of a comparison of two models."""
    first, second = result.names
    level = percent(result.confidence)
    metrics = cited_metrics(list(dict.fromkeys(part.metric for part in _parts(result))))
    by = f" by {metrics}" if result.kind == "model" else ", by what they choose from the same samples"
    sentences = [
        f"We compared {first} and {second} on {result.extent}{by}",
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
    return [part.rewards for part in _parts(result)]


def _parts_with_t(result: Any) -> list[Any]:
    return [part for part in _parts(result) if math.isfinite(part.degrees)]


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
    if result.paired:
        on_tasks = " on every task" if result.tasks else ""
        return f"The comparison is about questions like these, paired by question{on_tasks}"
    return "The comparison is about questions like these, with each model on its own questions"


def _tasks(result: Any) -> str:
    if not result.tasks:
        return ""
    weights = ", ".join(f"{task} {weight:.3g}" for task, weight in result.weights.items())
    return f"Overall scores are weighted means over tasks ({weights})"


def _difference(result: Any, level: str) -> str:
    if math.isfinite(result.degrees):
        return f"Intervals of the difference are {level} intervals of Student's t"
    if result.kind == "rule":
        return f"The {level} interval is that of the mean over questions of the difference on the same samples"
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
    return f"A {result.kind} is called better if the interval excludes zero ({result.error_rate.split(',')[0]}){looks}"


def _p_value(result: Any) -> str:
    if result.p_exact is not None:
        return "With one trial per question, McNemar's exact test was computed too [@mcnemar1947note]"
    return "" if result.p_value is None else "The p-value is two-sided"
