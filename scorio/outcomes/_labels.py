"""Labels of questions: check them, look them up, match them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from .._arrays import Flags, Indices
from .._display.words import shorten
from ..errors import OutcomeError

Labels = tuple[Hashable, ...]


def check_labels(labels: Iterable[Hashable] | None, questions: int, name: str, *, unique: bool) -> Labels | None:
    """Return labels as a tuple, checked to be one hashable label per question."""
    if labels is None:
        return None
    if isinstance(labels, (str, bytes)) or not np.iterable(labels):
        raise OutcomeError(f"{name} must be a sequence of labels; got {labels!r}")
    values = tuple(labels.tolist() if isinstance(labels, np.ndarray) else labels)
    if len(values) != questions:
        raise OutcomeError(f"{name} has {len(values)} labels for {questions} questions")
    try:
        distinct = len(set(values))
    except (TypeError, ValueError):
        raise OutcomeError(f"{name} must be hashable labels") from None
    for a, label in enumerate(values):
        if label != label:  # noqa: PLR0124 - NaN and its kin
            raise OutcomeError(f"{name}[{a}] is {label!r}, which does not equal itself: give the question a label")
    if unique and distinct < questions:
        seen: set[Hashable] = set()
        twice = next(label for label in values if label in seen or seen.add(label))  # type: ignore[func-returns-value]
        raise OutcomeError(f"{name} must be unique; {twice!r} occurs more than once")
    return values


def taken(labels: Labels | None, order: Indices) -> Labels | None:
    """Return the labels at these positions, or None if there are none."""
    return None if labels is None else tuple(labels[i] for i in order)


def label_order(mine: Labels, theirs: Labels, whose: str) -> Indices | None:
    """Return where each of the first labels stands among the second; None if both are in one order."""
    if mine == theirs:
        return None
    known, expected = set(theirs), set(mine)
    missing = [label for label in mine if label not in known]
    if missing:
        raise OutcomeError(_no_trial_of(missing, whose), hint=_SHARED)
    extra = [label for label in theirs if label not in expected]
    if extra:
        raise OutcomeError(f"{_no_trial_of(extra, 'the first')}, which {whose} has", hint=_SHARED)
    return _positions(mine, theirs)


_SHARED = "select the questions that all have, as in outcomes.select([...])"


def _no_trial_of(questions: Sequence[Hashable], whose: str) -> str:
    return f"{whose} has no trial of {'question' if len(questions) == 1 else 'questions'} {shorten(questions)}"


def _positions(selection: Iterable[Hashable], labels: Labels) -> Indices:
    """Return where each label of a selection stands."""
    where = {label: i for i, label in enumerate(labels)}
    try:
        return np.array([where[label] for label in selection], dtype=np.intp)
    except KeyError as missing:
        raise OutcomeError(f"no question is labeled {missing.args[0]!r}") from None
    except (TypeError, ValueError):
        raise OutcomeError("labels must be hashable") from None


def selected(questions: Any, count: int, labels: Labels | None) -> Indices:
    """Return the positions of a selection: a slice, a boolean mask, labels where there are labels, else indices."""
    if isinstance(questions, slice):
        positions = np.arange(count)[questions]
    elif _is_mask(questions, labels):
        positions = _masked(np.asarray(questions), count)
    elif labels is not None:
        positions = _positions(_labels_of(questions, labels), labels)
    else:
        positions = _indices(questions, count)
    if not positions.size:
        raise OutcomeError("the selection has no question")
    return positions


def _is_mask(questions: Any, labels: Labels | None) -> bool:
    if isinstance(questions, np.ndarray):
        return bool(questions.dtype.kind == "b")
    listed_bools = isinstance(questions, (list, tuple)) and {type(entry) for entry in questions} == {bool}
    return listed_bools and not any(isinstance(label, bool) for label in labels or ())


def _masked(mask: Flags, count: int) -> Indices:
    if mask.shape != (count,):
        raise OutcomeError(f"a mask needs one entry for each of {count} questions; got shape {mask.shape}")
    return np.flatnonzero(mask)


def _labels_of(questions: Any, labels: Labels) -> Iterable[Hashable]:
    if isinstance(questions, np.ndarray):
        return questions.ravel().tolist()
    if isinstance(questions, Hashable) and (questions in labels or not isinstance(questions, Iterable)):
        return [questions]
    return [questions] if isinstance(questions, (str, bytes)) else questions


def _indices(questions: Any, count: int) -> Indices:
    indices = np.atleast_1d(np.asarray(questions))
    if indices.ndim != 1 or (indices.size and indices.dtype.kind not in "iu"):
        raise OutcomeError(f"questions have no labels: select them by integer indices; got {questions!r}")
    outside = [int(i) for i in indices if not -count <= i < count]
    if outside:
        raise OutcomeError(f"no question {shorten(outside)}: there are {count}")
    return indices.astype(np.intp) % count
