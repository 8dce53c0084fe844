"""Which column of a table says what: as the user names them, or as their names are recognised."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ..errors import OutcomeError
from ..labels import listed

_KNOWN = {
    "question": (
        "question_id problem_id item_id instance_id prompt_id sample_id example_id doc_id task_id qid",
        "question problem item",
        "id",
    ),
    "model": ("model model_name model_id system",),
    "task": ("task task_name benchmark dataset",),
    "trial": ("trial trial_id epoch attempt repeat rollout sample_index completion_id", "run run_id", "seed"),
    "cluster": ("cluster cluster_id",),
    "outcome": ("outcome correct is_correct passed pass success solved resolved accuracy grade score reward result",),
    "trials": ("n trials n_trials num_trials n_samples n_total num_total n_attempts num_attempts",),
    "successes": ("c correct successes n_correct num_correct n_passed num_passed passed",),
}  # for each role the usual names, those that outdo others first
_SHARES = {"correct", "is_correct", "passed", "pass", "success", "solved", "resolved", "accuracy"}  # all from 0 to 1
KEYS = ("question", "model", "task", "cluster")
ROLES = frozenset(_KNOWN)
_SERIES = frozenset(" ".join([*_KNOWN["trial"], *_KNOWN["outcome"], "rep replicate sample generation try"]).split())
_UNNAMED = re.compile(r"\s*|Unnamed: \d+")  # the index that pandas writes
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")  # as in isCorrect
_NUMBERED = re.compile(r"(?P<stem>.*?)[ _\-.#]*\d+")


class UnknownColumnsError(OutcomeError):
    """Columns that do not make a table of outcomes."""


@dataclass(frozen=True)
class Layout:
    """The form of a table and the columns that play a role in it."""

    form: str  # long: a row a trial; wide: a column a trial; counts: a row a question
    roles: Mapping[str, str]
    wide: tuple[str, ...] = ()
    share: str = ""  # what its outcomes are called where that says that they are from 0 to 1, and nobody said otherwise

    @property
    def key_roles(self) -> list[str]:
        """The roles that say what a row is of."""
        return [role for role in KEYS if role in self.roles]

    @property
    def keys(self) -> list[str]:
        """The columns that say what a row is of."""
        return [self.roles[role] for role in self.key_roles]

    @property
    def notes(self) -> dict[str, str]:
        """What was recognised, to be shown."""
        shown = {role: repr(column) for role, column in self.roles.items()}
        trials = {"trials": f"{self.wide[0]!r} to {self.wide[-1]!r}"} if self.wide else {}
        return {"form": self.form, **shown, **trials}


def layout(columns: Sequence[str], fields: Mapping[str, str | None], metric: str | None) -> Layout:
    """How to read a table with these columns; ``metric`` is the column of outcomes."""
    columns = [column for column in columns if not _UNNAMED.fullmatch(column)]
    if len(set(columns)) < len(columns):
        twice = next(name for i, name in enumerate(columns) if name in columns[:i])
        raise OutcomeError(f"two columns are called {twice!r}")
    named = dict(fields) | ({"outcome": metric} if metric is not None else {})
    pattern = named.get("trial") or ""
    series = [column for column in columns if "*" in pattern and fnmatchcase(column, pattern)]
    lost = [
        column for column in named.values() if column not in (None, *columns) and not (column == pattern and series)
    ]
    if lost:
        raise OutcomeError(f"there is no column {listed(lost)}; the columns are {listed(columns)}")
    keys = {role: _find(role, columns, named) for role in KEYS}
    if keys["question"] is None:
        raise UnknownColumnsError(
            f'no column is known to name the question; pass fields={{"question": ...}} out of {listed(columns)}'
        )
    roles = {role: column for role, column in keys.items() if column is not None}
    rest = [column for column in columns if column not in roles.values()]
    if series:
        return Layout("wide", roles, tuple(column for column in series if column in rest))
    return _counts(rest, named, roles) or _long(rest, named, roles) or _wide(rest, named, roles)


def _find(role: str, columns: Sequence[str], named: Mapping[str, str | None]) -> str | None:
    """The column of a role: the one that is named (None says there is none), or the one whose name is known."""
    if role in named:
        return named[role]
    for names in _KNOWN[role]:
        found = [column for column in columns if _plain(column) in names.split()]
        if len(found) > 1:
            option = "metric=..." if role == "outcome" else f'fields={{"{role}": ...}}'
            raise OutcomeError(f"several columns may be the {role}, choose one with {option}: {listed(found)}")
        if found:
            return found[0]
    return None


def _plain(name: str) -> str:
    return re.sub(r"\W+", "_", _HUMP.sub("_", name.strip()).lower())


def _counts(rest: Sequence[str], named: Mapping[str, str | None], roles: dict[str, str]) -> Layout | None:
    trials = _find("trials", rest, named)
    if trials is None or "outcome" in named or _find("trial", rest, named) is not None:
        return None
    successes = _find("successes", [column for column in rest if column != trials], named)
    if successes is None:
        return None
    return Layout("counts", roles | {"trials": trials, "successes": successes})


def _long(rest: Sequence[str], named: Mapping[str, str | None], roles: dict[str, str]) -> Layout | None:
    outcome = _find("outcome", rest, named)
    if outcome is None:
        return None
    trial = _find("trial", [column for column in rest if column != outcome], named)
    roles = roles | ({"trial": trial} if trial is not None else {}) | {"outcome": outcome}
    if "outcome" in named:
        return Layout("long", roles)
    several = next((names for names in _series(rest).values() if len(names) > 1), None)
    if several is not None and trial is None:
        raise OutcomeError(
            f"{outcome!r} may be the outcome, or {listed(several)} those of a trial each: choose with"
            f' metric={outcome!r} or fields={{"trial": "..*"}}'
        )
    return Layout("long", roles, share=outcome if _plain(outcome) in _SHARES else "")


def _wide(rest: Sequence[str], named: Mapping[str, str | None], roles: dict[str, str]) -> Layout:
    """One series of numbered columns."""
    series = _series(rest)
    if len(series) != 1 or _find("trial", rest, named) is not None:
        raise UnknownColumnsError(
            'no column is known to hold outcomes: pass metric=... (a row a trial) or fields={"trial": "..*"} (a column'
            f" a trial) out of {listed(rest) or 'none'}"
        )
    [(stem, found)] = series.items()
    return Layout("wide", roles, tuple(found), found[0] if _plain(stem) in _SHARES else "")


def _series(columns: Sequence[str]) -> dict[str, list[str]]:
    """Numbered columns that are called as trials or outcomes are, by what stands before the number."""
    series: dict[str, list[str]] = defaultdict(list)
    for column in columns:
        if (match := _NUMBERED.fullmatch(column)) and (len(match["stem"]) <= 1 or _plain(match["stem"]) in _SERIES):
            series[match["stem"]].append(column)
    return series
