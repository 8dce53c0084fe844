"""What a gate has seen: the questions and trials of both models, and whether they are enough to pass anything.

Of a population, a kind of question may be too rare to be among those that a gate has seen.
"""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np

from .._display.numbers import number
from .._display.words import pluralize, warn
from ..errors import OutcomeError, QuestionsWarning, Remedy
from ..metrics import Metric, cluster_count, shifts
from ..outcomes import OutcomeMatrix
from ._two_models import shared_questions

_COMPLETE = 0.9  # of the planned trials: with a smaller share, a run counts as one that ended early
_FEW = 0.25  # of the baseline's trials per question: with fewer, the new run counts as one that ended early
_MOST = 0.5  # of the baseline's questions: where fewer are shared, a warning says so
Pair = tuple[OutcomeMatrix, OutcomeMatrix]


class Coverage(NamedTuple):
    """How many questions have outcomes of the new model, of the baseline, and of both, and what is wrong with that."""

    n_questions: tuple[int, int]
    n_shared: int
    problem: str = ""

    @classmethod
    def of_all(cls, parts: Iterable["Coverage"]) -> "Coverage":
        """Return the coverage of several tasks; one with a problem is a problem of all."""
        tasks = list(parts)
        new, old = (sum(task.n_questions[side] for task in tasks) for side in (0, 1))
        problem = next((task.problem for task in tasks if task.problem), "")
        return cls((new, old), sum(task.n_shared for task in tasks), problem)


def covered(new: OutcomeMatrix, old: OutcomeMatrix, shared_only: bool, allow_missing: bool) -> tuple[Pair, Coverage]:
    """Return the outcomes to compare, those of the shared questions if asked for, and what they cover."""
    mine, theirs = _answered(new, old)
    shared = mine & theirs
    if not shared:
        raise OutcomeError(
            f"the new model and the baseline share no question: they have outcomes of {len(mine)} and {len(theirs)}",
            hint="a gate compares models on the same questions",
        )
    extent = (len(mine), len(theirs))
    if shared_only:
        if len(shared) < _MOST * len(theirs):
            message = f"the gate rests on {len(shared)} of the {len(theirs)} questions of the baseline"
            warn(f"{message}, because only the shared questions are asked for", QuestionsWarning)
        one, other = shared_questions(new, old)
        labels = [label for label in one.questions or () if label in shared]
        new, old = one.select(labels), other.select(labels)
    problem = "" if shared_only else _of_questions(len(mine), len(theirs), len(shared))
    if not problem and not allow_missing:
        problem = _of_trials(new, old)
    return (new, old), Coverage(extent, len(shared), problem)


def _answered(new: OutcomeMatrix, old: OutcomeMatrix) -> list[set[Hashable]]:
    """Return the questions that have outcomes, by label, or by number where neither side has labels."""
    if (new.questions is None) != (old.questions is None) or (
        new.questions is None and new.n_questions != old.n_questions
    ):
        remedy = Remedy("questions", "...", "names them, on both sides")
        problem = "the questions of the new model and of the baseline cannot be matched without labels"
        raise OutcomeError(f"{problem}: there are {new.n_questions} and {old.n_questions}", remedies=[remedy])
    sides = [(side.questions or range(side.n_questions), side.trials) for side in (new, old)]
    return [{labels[a] for a in np.flatnonzero(trials)} for labels, trials in sides]


def _of_questions(mine: int, theirs: int, shared: int) -> str:
    """Say which side lacks questions; empty if both have the same."""
    sides = (("new model", "baseline", theirs), ("baseline", "new model", mine))
    lacks = [
        f"the {side} lacks {count - shared} of the {pluralize(count, 'question')} of the {other}"
        for side, other, count in sides
        if shared < count
    ]
    advice = "run them, or compare the shared questions only (shared_only=True)"
    return f"{', and '.join(lacks)}: {advice}" if lacks else ""


_ADVICE = "finish the run, or allow it (allow_missing=True)"


def trials_problem(name: str, outcomes: OutcomeMatrix) -> str:
    """Say that the run of a model ended early; empty if it did not."""
    if outcomes.completeness >= _COMPLETE:
        return ""
    return f"{name} has outcomes of only {outcomes.completeness:.0%} of its planned trials: {_ADVICE}"


def _of_trials(new: OutcomeMatrix, old: OutcomeMatrix) -> str:
    """Say which run looks as if it ended early; empty if none does."""
    ended = trials_problem("the new model", new) or trials_problem("the baseline", old)
    if ended:
        return ended
    if not new.mean_trials >= _FEW * old.mean_trials:
        numbers = f"fewer trials per question ({new.mean_trials:.3g}) than a quarter of the baseline's"
        return f"the new model has {numbers} ({old.mean_trials:.3g}), as if its run had ended early: {_ADVICE}"
    return ""


_FEW_EFFECTS = 3.0  # equal effects that the variance of a difference must rest on to be known


def warn_of_rare_kinds(metric: Metric, pair: Pair, drop: float, error: float) -> None:
    """Issue a QuestionsWarning where a passed gate rests on too few questions that tell the models apart.

    A kind of question with the share ``s`` is missing from ``C`` questions (or clusters) with the probability
    ``(1 - s)^C``, so shares up to ``1 - error^(1/C)`` may be (for an error of .05, about ``3/C``). The variance of the
    difference allows for kinds that were not seen if it comes from several questions, and not if it comes from one or
    two. How many equal effects it comes from is ``(sum d^2)^2 / sum d^4`` of the effects ``d``.
    """
    new, old = shared_questions(*pair)
    if cluster_count(new) < 2 or min(new.min_trials, old.min_trials) < metric.required_trials:
        return
    effects = shifts(metric, new) - shifts(metric, old)
    total = float(effects @ effects)
    behind = total**2 / float((effects**4).sum()) if total > 0.0 else 0.0
    count = cluster_count(new)
    share = 1.0 - error ** (1.0 / count)
    low, high = metric.support(new)
    if behind >= _FEW_EFFECTS or not share * (high - low) > drop:
        return
    telling = f"about {behind:.1f}" if behind else "none"
    units = pluralize(count, "question" if new.clusters is None else "cluster")
    warn(
        f"the gate passes for questions like these, but on {metric} only {telling} of {units} tell the models"
        f" apart: a kind of question that makes up as much as {share:.0%} may not be among them, and the new"
        f" model may lose more there than the accepted {number(drop)}. Run more questions, or ask about these questions"
        ' (target="questions")',
        QuestionsWarning,
    )
