"""Which statements outcomes support, which not, and why; with the command that makes each of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote

import numpy as np

from .._display.exports import Record
from .._display.words import pluralize, shorten
from ..forecasting import FEWEST_TRIALS
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ._reliability import Reliability, means_of

YES, CARE, NO = "yes", "with care", "no"
OVERALL_SCORES, PAIR, RANKING = "overall scores over tasks", "which of two models is better", "a ranking"
_FEW = 20  # questions below which the spread between questions is hardly known
_USUAL_K = 8  # the k of Pass@k that is spoken of where trials are fewer


@dataclass(frozen=True)
class Statement(Record):
    """A statement, whether the outcomes support it (``"yes"``, ``"with care"``, ``"no"``), why, and the command.

    ``command`` begins with ``scorio`` and has the logs in it; empty where no command helps.
    """

    claim: str
    support: str
    reason: str
    command: str = ""
    task: str = ""

    def __str__(self) -> str:
        return f"{self.claim}{f' ({self.task})' if self.task else ''}: {self.support}, {self.reason}"


def statements(tasks: Mapping[str, OutcomeSet], noise: Sequence[Reliability], logs: str) -> Iterator[Statement]:
    """Yield the statements on every task, and those over tasks."""
    for task, models in tasks.items():
        place = f"{logs} --task {quote(task)}" if len(tasks) > 1 else logs
        luck = _noise(models, {part.model for part in noise if part.task == task})
        first, *others = (say(models, place) for say in (_scores, _largest_k, _population, _pair, _ranks))
        yield from (replace(statement, task=task) for statement in (first, others[0], luck, *others[1:]))
    if len(tasks) > 1:
        yield _overall(tasks, logs)
    yield _costs(tasks, logs)


def _scores(models: OutcomeSet, logs: str) -> Statement:
    claim, command = "scores on these questions", f"scorio score {logs}"
    adaptive = [name for name, matrix in models.items() if matrix.is_adaptive]
    gaps = [name for name, matrix in models.items() if matrix.completeness < 1.0]
    if adaptive:
        reason = f"outcomes decided which questions of {shorten(adaptive)} got more trials: use mu, not the raw score"
        return Statement(claim, CARE, reason, command)
    if gaps:
        reason = f"trials of {shorten(gaps)} are missing; this is right if they are missing by chance"
        return Statement(claim, CARE, reason, command)
    alike = [name for name, matrix in models.items() if _agree_everywhere(matrix)]
    if alike:
        reason = (
            f"all trials of each question of {shorten(alike)} agree: its success rates are near 0 and 1, or trials are"
            " copies (temperature 0, a cache) and one of each counts; outcomes alone cannot tell"
        )
        return Statement(claim, CARE, reason, command)
    return Statement(claim, YES, "every planned trial has an outcome", command)


def _agree_everywhere(outcomes: OutcomeMatrix) -> bool:
    """Return whether all trials of every question agree, although some questions succeed and others fail."""
    if not outcomes.is_pass_fail or outcomes.min_trials < 2:
        return False
    c, n = outcomes.successes, outcomes.trials
    return bool(np.all((c == 0) | (c == n)) and 0 < c.sum() < n.sum())


def _largest_k(models: OutcomeSet, logs: str) -> Statement:
    fewest = min(matrix.min_trials for matrix in models.values())
    most = max(fewest, 1)
    if not models.is_pass_fail:
        claim = f"Max@k up to k = {most}"
        reason = "outcomes are rewards; Pass@k needs outcomes that are right or wrong: choose a threshold"
        return Statement(claim, YES if fewest else NO, reason, f"scorio score {logs} -m max@{most}")
    if fewest >= _USUAL_K:
        reason = f"every question has at least {fewest} trials; scorio curve says what more would give"
        return Statement(f"Pass@k up to k = {fewest}", YES, reason, f"scorio score {logs} -m pass@{fewest}")
    claim = f"Pass@{_USUAL_K}"
    upto = f"k up to {fewest} is supported" if fewest else "some question has none"
    reason = f"it needs {_USUAL_K} trials of every question, and the fewest is {fewest}: {upto}"
    if fewest < FEWEST_TRIALS:
        return Statement(claim, NO, reason, f"scorio score {logs} -m pass@{_USUAL_K} --too-few nan")
    reason = f"{reason}; scorio curve says what more would give"
    return Statement(claim, NO, reason, f"scorio curve {logs} -k {_USUAL_K}")


def _noise(models: OutcomeSet, repeated: set[str]) -> Statement:
    claim = "how much of a score is luck"
    lost = [name for name in models if name not in repeated]
    if not lost:
        return Statement(claim, YES, "questions have repeated trials")
    reason = f"it needs questions with two trials, which {shorten(lost)} {'lacks' if len(lost) == 1 else 'lack'}"
    return Statement(claim, NO if len(lost) == len(models) else CARE, reason)


def _population(models: OutcomeSet, logs: str) -> Statement:
    claim, command = "scores for questions like these", f"scorio score {logs} --target population"
    clusters = models.clusters
    count, unit = (models.n_questions, "question") if clusters is None else (len(set(clusters)), "cluster")
    if count < 2:
        return Statement(claim, NO, f"it needs at least two {unit}s, and there is one")
    if count < _FEW:
        reason = f"{pluralize(count, unit)} say little about others; intervals are wide, and skewed data mislead them"
        return Statement(claim, CARE, reason, command)
    reason = f"{pluralize(count, unit)}, if they were drawn like the questions that the statement is about"
    return Statement(claim, YES, reason, command)


def _pair(models: OutcomeSet, logs: str) -> Statement:
    if len(models) < 2:
        return Statement(PAIR, NO, "there is one model")
    scores = {name: float(np.nanmean(means_of(matrix))) for name, matrix in models.items()}
    names = sorted(scores, key=lambda name: -scores[name])[:2]
    command = f"scorio compare {logs}" + ("" if len(models) == 2 else f" --between {' '.join(map(quote, names))}")
    one, other = (models[name].trials > 0 for name in names)
    shared, either = int((one & other).sum()), int((one | other).sum())
    if shared == either:
        return Statement(PAIR, YES, f"{names[0]} and {names[1]} have the same {shared} questions", command)
    if not shared:
        return Statement(PAIR, NO, f"{names[0]} and {names[1]} have no question in common")
    reason = f"{names[0]} and {names[1]} share {shared} of {either} questions: compare them on these"
    return Statement(PAIR, CARE, reason, f"{command} --shared-only")


def _ranks(models: OutcomeSet, logs: str) -> Statement:
    if len(models) < 2:
        return Statement(RANKING, NO, "there is one model")
    empty = [name for name, matrix in models.items() if not matrix.min_trials]
    if empty:
        reason = f"some question has no trial of {shorten(empty)}"
        return Statement(RANKING, CARE, reason, f"scorio rank {logs} --too-few omit")
    reason = f"{pluralize(len(models), 'model')} on the same questions"
    return Statement(RANKING, YES, reason, f"scorio rank {logs}")


def _overall(tasks: Mapping[str, OutcomeSet], logs: str) -> Statement:
    missing = Suite(dict(tasks)).missing
    if missing:
        model, lost = next(iter(missing.items()))
        return Statement(
            OVERALL_SCORES, NO, f"{model} lacks {shorten(lost)}, among {pluralize(len(missing), 'such model')}"
        )
    reason = f"every model has all {len(tasks)} tasks"
    return Statement(OVERALL_SCORES, YES, reason, f"scorio rank {logs}", "")


def _costs(tasks: Mapping[str, OutcomeSet], logs: str) -> Statement:
    claim = "scores beside costs"
    names = sorted(set.intersection(*(set(costs) for models in tasks.values() for costs in models.costs.values())))
    if not names:
        return Statement(claim, NO, "the logs do not tell what every model cost")
    return Statement(claim, YES, f"every model tells its {names[0]}", f"scorio costs {logs} --cost {names[0]}")
