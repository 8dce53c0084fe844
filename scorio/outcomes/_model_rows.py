"""Rows of trials of several models become the outcomes of each: those of logs, of tables and of data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .._base.arrays import Counts, Flags, Indices, Vector, cached_property
from .._base.words import pluralize, warn
from ..errors import FilesWarning, OutcomeError, Remedy
from ._labels import Labels
from ._matrix import OutcomeMatrix
from ._outcome_values import FAIL, PASS_FAIL
from ._rewards import RewardSummary, RewardTrials
from ._trials import NOTHING, TrialColumns

_CODES = 9.0  # numbers from here on are no rewards beside 0 and 1
_REMEDIES = (Remedy("missing", "omit", "leaves them out"), Remedy("missing", "fail", "counts them as failures"))


@dataclass(frozen=True, eq=False)
class ModelRows:
    """Rows of trials of several ``models`` on the same ``questions``, column by column.

    A row has the number of its model and of its question, and stands for so many ``times`` trials with one reward, NaN
    without an outcome. ``columns`` have an entry for each row, and ``planned`` the trials of each model and question.
    """

    models: Sequence[str]
    questions: Labels
    model: Indices
    question: Indices
    rewards: Vector
    times: Counts
    planned: Counts
    clusters: Labels | None = None
    columns: TrialColumns = NOTHING
    name: str = "the data"

    @cached_property
    def _here(self) -> Flags:
        """Which rows have an outcome."""
        return ~np.isnan(self.rewards) & (self.times > 0)

    @cached_property
    def absent(self) -> Counts:
        """The planned trials of each model and question without an outcome."""
        here = self._here
        return self.planned - totals(self.model[here], self.question[here], self.times[here], self.planned.shape)

    @cached_property
    def trials(self) -> RewardTrials:
        """The trials with an outcome, whose rows are the questions of one model after another."""
        here = self._here
        rows = self.model[here] * len(self.questions) + self.question[here]
        return RewardTrials(self.rewards[here], rows, self.planned.size, self.name, self.times[here])

    def unscored(self, missing: int) -> dict[str, int]:
        """Return the models without any outcome, unless ``missing`` trials are failures, and their planned trials."""
        planned = self.planned.sum(axis=1)
        there = planned if missing == FAIL else planned - self.absent.sum(axis=1)
        trials = zip(self.models, planned.tolist(), there.tolist(), strict=True)
        return {name: count for name, count, count_there in trials if not count_there}

    def outcomes(self, missing: int, max_levels: int | None = None) -> dict[str, OutcomeMatrix]:
        """Return the outcomes of each model; ``missing`` says whether planned trials without one are failures.

        Of trials that count as failures, neither answers nor scores are known, and then no runs are.
        """
        trials, count, absent = self.trials, len(self.models), self.absent
        if missing == FAIL and absent.any():
            trials = trials.with_failures(absent.ravel())
        content, levels = trials.reduced(max_levels)
        rows = np.split(np.arange(trials.n_rows), count)
        contents = [content.take(here) if isinstance(content, RewardSummary) else content[here] for here in rows]
        columns = self._columns_of_models(trials) if self.columns else [NOTHING] * count
        parts = zip(self.models, contents, self.planned, columns, strict=True)
        return {
            name: OutcomeMatrix.of_reduced((of_model, levels), planned, self.questions, self.clusters, known)
            for name, of_model, planned, known in parts
        }

    def _columns_of_models(self, trials: RewardTrials) -> list[TrialColumns]:
        """Return the columns of the trials of each model."""
        times = np.ones(1, np.int64) if trials.times is None else trials.times
        rows, rewards = np.repeat(trials.rows, times), np.repeat(trials.rewards, times)
        places = np.repeat(np.flatnonzero(self._here), self.times[self._here])
        columns = self.columns.at(places).with_unknown(len(rows) - len(places))
        model, question = np.divmod(rows, len(self.questions))
        order = np.argsort(model, kind="stable")
        parts = np.split(order, np.searchsorted(model[order], np.arange(1, len(self.models))))
        return [columns.sorted_by(question[here], rewards[here], here) if here.size else NOTHING for here in parts]


def totals(model: Indices, question: Indices, times: Counts, shape: tuple[int, ...]) -> Counts:
    """Return the trials of each model and question."""
    total = np.zeros(shape, np.int64)
    np.add.at(total, (model, question), times)
    return total


def with_several_runs(models: Mapping[str, OutcomeMatrix]) -> dict[str, OutcomeMatrix]:
    """Return the outcomes of each model, which know no runs where all trials are of one."""
    return {name: one.without_runs if len(one.runs or ()) < 2 else one for name, one in models.items()}


def warn_of_codes(rewards: Mapping[float, int]) -> None:
    """Warn of one number beside 0 and 1 that may be the code of trials that failed to run: negative or large, and rare.

    ``rewards`` has the trials with each reward.
    """
    codes = [reward for reward in rewards if reward not in PASS_FAIL]
    if len(rewards) != len(PASS_FAIL) + 1 or len(codes) != 1:
        return
    [code] = codes
    if not 0.0 <= code < _CODES and rewards[code] < min(rewards[0.0], rewards[1.0]):
        times = (
            f"a score of {code:g} is there {pluralize(rewards[code], 'time')} beside 0 and 1, and counts as a reward"
        )
        warn(f'{times}: levels={{"{code:g}": None}} leaves out such trials, if they failed to run', FilesWarning)


def check_complete(models: Mapping[str, OutcomeMatrix], *, has_names: bool = True) -> None:
    """Check that every planned trial has an outcome, and that every model has a question of the first."""
    name, first = next(iter(models.items()))
    others = [other for other, one in models.items() if one is not first and not (one.trials[first.trials > 0]).any()]
    labels, problem = first.questions or range(first.n_questions), ""
    if others:
        problem = f"{others[0]!r} has no question in common with {name!r}"
    for name, matrix in () if others else models.items():
        lost = (matrix.planned_trials - matrix.trials).tolist()
        row = next((row for row, count in enumerate(lost) if count), None)
        if row is not None:
            trials = f"{pluralize(lost[row], 'trial')} of question {labels[row]!r}" + f" of {name!r}" * has_names
            problem = f"{trials} {'has' if lost[row] == 1 else 'have'} no outcome"
            break
    if problem and len({str(label).casefold() for label in labels}) < len(labels):
        problem += ", and some names of questions differ in capitals only"
        raise OutcomeError(problem, hint="write one question in one way")
    if problem:
        raise OutcomeError(problem, remedies=() if others else _REMEDIES)
