"""Labels of questions: checked, looked up, matched."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import OutcomeError

Labels = tuple[Hashable, ...]
_SHOWN = 5


def checked(labels: Iterable[Hashable] | None, questions: int, what: str, *, unique: bool) -> Labels | None:
    """Labels as a tuple, one hashable label a question."""
    if labels is None:
        return None
    if isinstance(labels, (str, bytes)) or not np.iterable(labels):
        raise OutcomeError(f"{what} must be a sequence of labels; got {labels!r}")
    found = tuple(labels.tolist() if isinstance(labels, np.ndarray) else labels)
    if len(found) != questions:
        raise OutcomeError(f"{what} has {len(found)} labels for {questions} questions")
    try:
        distinct = len(set(found))
    except (TypeError, ValueError):
        raise OutcomeError(f"{what} must be hashable labels") from None
    for a, label in enumerate(found):
        if label != label:  # noqa: PLR0124 - NaN and its kin
            raise OutcomeError(f"{what}[{a}] is {label!r}, which is equal to nothing: give the question a label")
    if unique and distinct < questions:
        seen: set[Hashable] = set()
        twice = next(label for label in found if label in seen or seen.add(label))  # type: ignore[func-returns-value]
        raise OutcomeError(f"{what} must be unique; {twice!r} occurs more than once")
    return found


def listed(items: Iterable[Any]) -> str:
    """A few items in words."""
    found = list(items)
    return ", ".join(map(repr, found[:_SHOWN])) + (f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")


def order(mine: Labels, theirs: Labels, whose: str) -> NDArray[np.intp] | None:
    """Where each of my labels stands among theirs; None where they stand alike."""
    if mine == theirs:
        return None
    known, wanted = set(theirs), set(mine)
    missing = [label for label in mine if label not in known]
    if missing:
        raise OutcomeError(f"{whose} lacks questions {listed(missing)}")
    extra = [label for label in theirs if label not in wanted]
    if extra:
        raise OutcomeError(f"{whose} has questions {listed(extra)}, which the first does not")
    return positions(mine, theirs)


def positions(wanted: Iterable[Hashable], labels: Labels) -> NDArray[np.intp]:
    """Where each wanted label stands."""
    where = {label: i for i, label in enumerate(labels)}
    try:
        return np.array([where[label] for label in wanted], dtype=np.intp)
    except KeyError as missing:
        raise OutcomeError(f"no question is labelled {missing.args[0]!r}") from None
    except (TypeError, ValueError):
        raise OutcomeError("labels must be hashable") from None


def chosen(questions: Any, count: int, labels: Labels | None) -> NDArray[np.intp]:
    """Positions of a selection: a slice, a boolean mask, labels where there are labels, else indices."""
    if isinstance(questions, slice):
        found = np.arange(count)[questions]
    elif _is_mask(questions, labels):
        found = _masked(np.asarray(questions), count)
    elif labels is not None:
        found = positions(_labels_of(questions, labels), labels)
    else:
        found = _indices(questions, count)
    if not found.size:
        raise OutcomeError("the selection has no question")
    return found


def _is_mask(questions: Any, labels: Labels | None) -> bool:
    if isinstance(questions, np.ndarray):
        return bool(questions.dtype.kind == "b")
    listed_bools = isinstance(questions, (list, tuple)) and {type(entry) for entry in questions} == {bool}
    return listed_bools and not any(isinstance(label, bool) for label in labels or ())


def _masked(mask: NDArray[np.bool_], count: int) -> NDArray[np.intp]:
    if mask.shape != (count,):
        raise OutcomeError(f"a mask needs one entry for each of {count} questions; got shape {mask.shape}")
    return np.flatnonzero(mask)


def _labels_of(questions: Any, labels: Labels) -> Iterable[Hashable]:
    if isinstance(questions, np.ndarray):
        return questions.ravel().tolist()
    if isinstance(questions, Hashable) and (questions in labels or not isinstance(questions, Iterable)):
        return [questions]
    return [questions] if isinstance(questions, (str, bytes)) else questions


def _indices(questions: Any, count: int) -> NDArray[np.intp]:
    found = np.atleast_1d(np.asarray(questions))
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise OutcomeError(f"questions have no labels: select them by integer indices; got {questions!r}")
    outside = [int(i) for i in found if not -count <= i < count]
    if outside:
        raise OutcomeError(f"no question {listed(outside)}: there are {count}")
    return found.astype(np.intp) % count
