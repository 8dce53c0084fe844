"""Counts of a bank of questions, and what is distinct in them: found once, on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._kernels.distinct import distinct, distinct_rows, highest, locate
from ._kernels.states import Groups, States
from .errors import OutcomeError
from .hierarchy import Hierarchy, learn
from .intake import Counts

T = TypeVar("T")
A = TypeVar("A", bound=NDArray[Any])
DistinctRows = tuple[NDArray[np.float64], Groups, NDArray[np.intp]]


def frozen(array: A) -> A:
    """The array, read-only from now on."""
    array.setflags(write=False)
    return array


class GroupedCounts:
    """Counts (M, C+1) of recorded and of prior trials; metrics sum over ``states`` or ``profiles``."""

    __slots__ = ("_cache", "_counts", "_prior")

    _counts: Counts
    _prior: Counts | None
    _cache: dict[str, Any]

    @property
    def counts(self) -> Counts:
        """Trials of each question in each category, (M, C+1)."""
        return self._counts

    @property
    def prior_counts(self) -> Counts | None:
        """Prior outcomes of each question in each category, (M, C+1), or None."""
        return self._prior

    @property
    def n_questions(self) -> int:
        """M."""
        return len(self._counts)

    @property
    def n_categories(self) -> int:
        """C + 1, at least 2, whether or not all of them occur."""
        return int(self._counts.shape[1])

    @property
    def max_category(self) -> int:
        """The largest category that occurs, in R or in R0."""
        return self._cached("max_category", self._find_max_category)

    @property
    def is_binary(self) -> bool:
        """Whether no category above 1 occurs, in R or in R0."""
        return self._counts.shape[1] == 2 or self.max_category <= 1

    @property
    def trials(self) -> Counts:
        """Trials present of each question, (M,)."""
        return self._cached("trials", lambda: frozen(sum(self._counts.T[1:], self._counts[:, 0])))

    @property
    def successes(self) -> Counts:
        """Successes of each question, (M,); only of binary outcomes."""
        self._demand_binary()
        return self._cached("successes", lambda: frozen(self._counts[:, 1].copy()))

    @property
    def min_trials(self) -> int:
        """The fewest trials of a question."""
        return self.groups.min_trials

    @property
    def max_trials(self) -> int:
        """The most trials of a question."""
        return self.groups.max_trials

    @property
    def groups(self) -> Groups:
        """The questions by what is distinct in them: ``states`` of binary outcomes, else ``profiles``."""
        groups: Groups | None = self._cache.get("groups")
        if groups is None:
            groups = self._cache["groups"] = self.states if self.is_binary else self._distinct_rows()[1]
        return groups

    @property
    def states(self) -> States:
        """The distinct (successes, trials) with their multiplicity; only of binary outcomes."""
        states: States | None = self._cache.get("states")
        if states is None:
            self._demand_binary()
            states = self._cache["states"] = distinct(self._counts)
        return states

    def learnt(self) -> Hierarchy:
        """The prior that the questions share; only of binary outcomes."""
        return self._cached("learnt", lambda: learn(self.states))

    def learnt_finely(self, discount: float) -> Hierarchy:
        """The same on many nodes, each question counted as ``discount`` of one: for what another question would be."""
        return self._cached(f"learnt finely {discount}", lambda: learn(self.states, discount, fine=True))

    @property
    def state_of_question(self) -> NDArray[np.intp]:
        """The index in ``states`` of each question, (M,)."""
        return self._cached("state_of_question", self._locate_states)

    @property
    def profiles(self) -> tuple[NDArray[np.float64], Counts]:
        """The ``profile_rows``, and how many questions have each, (S,)."""
        return self.profile_rows, self.groups.multiplicity

    @property
    def profile_rows(self) -> NDArray[np.float64]:
        """The distinct rows of ``counts`` as floats, in the order of their trials, (S, C+1)."""
        return self._cached("profile_rows", self._rows_of_states) if self.is_binary else self._distinct_rows()[0]

    @property
    def profile_of_question(self) -> NDArray[np.intp]:
        """The index in ``profiles`` of each question, (M,)."""
        return self.state_of_question if self.is_binary else self._distinct_rows()[2]

    def _find_max_category(self) -> int:
        found = highest(self._counts)
        return found if self._prior is None else max(found, highest(self._prior))

    def _locate_states(self) -> NDArray[np.intp]:
        where = np.empty(len(self._counts), np.intp)
        locate(self._counts, self.states, where)
        return frozen(where)

    def _rows_of_states(self) -> NDArray[np.float64]:
        states = self.states
        rows = np.zeros((states.n_states, self.n_categories))
        rows[:, 1] = states.successes
        rows[:, 0] = states.trials - states.successes
        return frozen(rows)

    def _distinct_rows(self) -> DistinctRows:
        return self._cached("distinct_rows", lambda: distinct_rows(self._counts))

    def _cached(self, name: str, make: Callable[[], T]) -> T:
        found: T | None = self._cache.get(name)
        if found is None:
            found = self._cache[name] = make()
        return found

    def _demand_binary(self) -> None:
        if not self.is_binary:
            raise OutcomeError(f"binary outcomes (0 or 1) are needed here; category {self.max_category} occurs")
