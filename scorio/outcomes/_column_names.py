"""The usual names of columns: of questions, models, outcomes and the other roles in a table."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from .._display.words import shorten

_KNOWN = {
    "question": (
        "question_id problem_id item_id instance_id prompt_id sample_id example_id doc_id task_id qid",
        "question problem item",
        "id",
        "input inputs prompt request user_input",
        "sample",
    ),
    "model": ("model model_name model_id system",),
    "task": ("task task_name benchmark dataset",),
    "trial": (
        "trial trial_id epoch attempt repeat rollout sample_index completion_id",
        "run run_id",
        "seed",
        "sample",
    ),
    "cluster": ("cluster cluster_id",),
    "outcome": (
        "outcome correct is_correct passed pass success solved resolved accuracy acc grade score reward result",
    ),
    "trials": ("n trials n_trials num_trials n_samples n_total num_total n_attempts num_attempts",),
    "successes": ("c correct successes n_correct num_correct n_passed num_passed passed",),
}  # per role the usual names; names of an earlier text have precedence
KEYS = ("question", "model", "task", "cluster")
ROLES = tuple(_KNOWN)
_SERIES = frozenset(
    " ".join([*_KNOWN["trial"], *_KNOWN["outcome"], "rep replicate sample generation try"]).split()
)  # followed by a number: columns with one trial each
_FACTORS = (
    "prompt prompt_id prompt_name prompt_template template template_id variant paraphrase judge judge_model grader "
    "rater annotator temperature system_prompt language lang locale persona shots n_shots num_shots num_fewshot "
    "few_shot scaffold condition config strategy"
)  # of columns that tell conditions apart
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # between the words of isCorrect
_NUMBERED = re.compile(r"(?P<stem>.*?)[ _\-.#]*\d+")


def plain(name: str) -> str:
    """Return a name in lower case, with underscores between its words.

    >>> plain("isCorrect"), plain(" Problem-ID")
    ('is_correct', 'problem_id')
    """
    return re.sub(r"\W+", "_", _CAMEL.sub("_", name.strip()).lower())


def candidates(role: str, columns: Iterable[str]) -> list[str]:
    """Return the columns that have the most specific of the usual names of a role.

    >>> candidates("question", ["id", "question", "correct"])
    ['question']
    """
    for names in _KNOWN[role]:
        matches = [column for column in columns if plain(column) in names.split()]
        if matches:
            return matches
    return []


def usual_factors(columns: Iterable[str]) -> list[str]:
    """Return the columns that have one of the usual names of factors.

    >>> usual_factors(["id", "promptTemplate", "score", "judge"])
    ['promptTemplate', 'judge']
    """
    return [column for column in columns if plain(column) in _FACTORS.split()]


def pooled_text(columns: Sequence[str]) -> str:
    """Say that the rows of these columns count as repeated trials, and how to keep them apart."""
    return (
        f"the rows of one question differ in {shorten(columns)} and are counted as repeated trials, so that intervals"
        f" ignore how much scores differ by it. factors={list(columns)!r} (--factor {columns[0]}) keeps them apart"
    )


def numbered(columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the numbered columns that are named as trials or outcomes are, by the text before the number."""
    series: dict[str, list[str]] = defaultdict(list)
    for column in columns:
        if (match := _NUMBERED.fullmatch(column)) and (len(match["stem"]) <= 1 or plain(match["stem"]) in _SERIES):
            series[match["stem"]].append(column)
    return series
