"""Labels of questions: check them, look them up, match them, and warn where questions without labels look swapped."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._base.arrays import Indices, Vector
from .._base.table import visible
from .._base.words import pluralize, shorten, text_fault, warn
from ..errors import AxesWarning, OutcomeError, ParameterError, QuestionsWarning
from ._trial_order import cochran

Labels = tuple[Hashable, ...]
_MANY = 100  # trials per question that may be questions
_RATIO = 50  # trials to questions
_TWICE, _SEVERAL = 2, 5  # trials to questions from which outcomes are looked at, and from which trials alone are
_OPEN, _OPEN_RATIO = 150, 10  # as many trials, and to questions, are asked about if outcomes do not tell the axes apart
_MOST = 100_000  # outcomes that are looked at where there are fewer
_LONG = 20  # outcomes of a flat list that may be questions
_CHANCE = 1e-4  # the probability that trials are taken for questions then
_FLAT = (
    "a flat list is one question with {} trials; write OutcomeMatrix.from_single_run(results) for one trial of each "
    "question, or [results] for one question"
)


def by_question(values: Any, count: int, questions: Labels | None, argument: str) -> list[Any]:
    """Return a value for every question: of a mapping from the labels of questions, or a sequence in their order.

    >>> by_question({"b": 2, "a": 1}, 2, ("a", "b"), "values")
    [1, 2]
    """
    if isinstance(values, Mapping):
        if questions is None:
            hint = "pass one value per question, or give the questions labels with questions=[..]"
            raise OutcomeError("a mapping names questions by their labels, and these have none", hint=hint)
        absent = [label for label in questions if label not in values]
        if absent:
            problem = f"has no value for {pluralize(len(absent), 'question')}: {shorten(absent)}"
            raise OutcomeError(problem, argument=argument)
        return [values[label] for label in questions]
    in_order = list(values)
    if len(in_order) != count:
        problem = f"must have one value for each of {count} questions; got {len(in_order)}"
        raise ParameterError(problem, argument=argument)
    return in_order


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
    check_texts(values, name)
    if unique and distinct < questions:
        seen: set[Hashable] = set()
        twice = next(label for label in values if label in seen or seen.add(label))  # type: ignore[func-returns-value]
        raise OutcomeError(f"{name} must be unique; {twice!r} occurs more than once")
    return values


def in_order(labels: Iterable[Any]) -> list[Any]:
    """Return labels sorted; those that cannot be compared, by the names of their types and as text."""
    listed = list(labels)
    try:
        return sorted(listed)
    except TypeError:
        return sorted(listed, key=lambda label: (type(label).__name__, str(label)))


def cluster_of_each(told: Iterable[tuple[Hashable, Hashable, str]]) -> dict[Any, Any]:
    """Return the cluster of each question, in the order of their first rows; nothing if no question has one.

    Rows tell a question, a cluster or None, and the place that an error names: a question is in one cluster only.
    """
    cluster_of: dict[Any, Any] = {}
    place_of: dict[Any, str] = {}
    for question, cluster, place in told:
        place_of.setdefault(question, place)
        if cluster is not None and cluster_of.setdefault(question, cluster) != cluster:
            both = f"{cluster_of[question]!r} and {cluster!r}"
            raise OutcomeError(f"question {question!r} is in two clusters, {both}").at(place)
    lost = next((question for question in place_of if question not in cluster_of), None)
    if cluster_of and lost is not None:
        raise OutcomeError(f"question {lost!r} is in no cluster, others are").at(place_of[lost])
    return cluster_of


def check_texts(values: Iterable[Hashable], name: str) -> None:
    """Check that files can hold the names among some values."""
    texts = [value for value in values if isinstance(value, str)]
    if text_fault("".join(texts)) is None:
        return
    for text in texts:
        if (fault := text_fault(text)) is not None:
            raise OutcomeError(f"the name {text!r} in {name} {fault}", hint="name it otherwise: no file can hold it")


def warn_of_look_alikes(kind: str, names: Iterable[Hashable]) -> None:
    """Warn of two names that differ only in blanks and in characters that cannot be seen, or models in capitals."""
    texts = [name for name in names if isinstance(name, str)]
    looks = [text.casefold() for text in texts] if kind == "models" else texts
    plain = [text for text in texts if text.isascii() and text.isprintable() and text == " ".join(text.split())]
    if len(plain) == len(texts) == len({*looks}):
        return
    seen: dict[str, str] = {}
    for name, look in zip(texts, looks, strict=True):
        if (other := seen.setdefault(visible(look), name)) != name:
            capitals = "in capitals, " if kind == "models" else ""
            pair = f"{other!a} and {name!a} differ {capitals}in blanks or in characters that cannot be seen"
            warn(f"two {kind} look alike: {pair}", QuestionsWarning)
            return


def taken(labels: Labels | None, order: Indices) -> Labels | None:
    """Return the labels at these positions, or None if there are none."""
    return None if labels is None else tuple(labels[i] for i in order)


def order_of_questions(
    first: Labels | None, n_first: int, others: Labels | None, n_others: int, whose: str
) -> Indices | None:
    """Return where each of the first questions stands among others, by label where both have labels; None if alike."""
    if first is None or others is None:
        if n_others != n_first:
            raise OutcomeError(f"{whose} has {pluralize(n_others, 'question')} where the first has {n_first}")
        return None
    if first == others:
        return None
    offered, expected = set(others), set(first)
    if missing := [label for label in first if label not in offered]:
        raise OutcomeError(_no_trial_of(missing, whose), hint=_SHARED)
    if extra := [label for label in others if label not in expected]:
        raise OutcomeError(f"{_no_trial_of(extra, 'the first')}, which {whose} has", hint=_SHARED)
    return positions(first, others)


def check_same_clusters(first: Labels | None, others: Labels | None, whose: str) -> None:
    """Check that no question is in another cluster than the first has it in."""
    if first is not None and others is not None and first != others:
        a = next(a for a in range(len(first)) if first[a] != others[a])
        problem = f"clusters differ: {whose} has question {a} in {others[a]!r}, the first has it in {first[a]!r}"
        raise OutcomeError(problem)


_SHARED = "select the questions that all have, as in outcomes.select([...])"


def _no_trial_of(questions: Sequence[Hashable], whose: str) -> str:
    return f"{whose} has no trial of {'question' if len(questions) == 1 else 'questions'} {shorten(questions)}"


def positions(selection: Iterable[Hashable], labels: Iterable[Hashable]) -> Indices:
    """Return where each label of a selection stands among labels."""
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
        order = np.arange(count)[questions]
    elif _is_mask(questions, labels):
        mask = np.asarray(questions)
        if mask.shape != (count,):
            raise OutcomeError(f"a mask needs one entry for each of {count} questions; got shape {mask.shape}")
        order = np.flatnonzero(mask)
    elif labels is not None:
        order = positions(_labels_of(questions, labels), labels)
    else:
        order = _indices(questions, count)
    if not order.size:
        raise OutcomeError("the selection has no question")
    return order


def _is_mask(questions: Any, labels: Labels | None) -> bool:
    if isinstance(questions, np.ndarray):
        return bool(questions.dtype.kind == "b")
    listed_bools = isinstance(questions, (list, tuple)) and {type(entry) for entry in questions} == {bool}
    return listed_bools and not any(isinstance(label, bool) for label in labels or ())


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


def _numbers(table: Any) -> Vector | None:
    """Return a whole table of numbers; None for anything else."""
    try:
        values = np.asarray(table, np.float64)
    except (TypeError, ValueError):
        return None
    return values if values.ndim == 2 and np.isfinite(values).all() else None


def look_swapped(questions: int, trials: int) -> bool:
    """Return whether several questions have so many trials each that the axes may be swapped."""
    return questions > 1 and trials >= max(_MANY, _RATIO * questions)


def warn_of_flat(outcomes: Iterable[Any]) -> None:
    """Issue an AxesWarning for models given by short flat lists, which may be one trial of each question.

    Long ones are warned of where they are read, also where no models are compared.
    """
    for values in outcomes:
        is_list = isinstance(values, (list, tuple)) and bool(values) and isinstance(values[0], (int, float, np.generic))
        if (is_list or (isinstance(values, np.ndarray) and values.ndim == 1)) and 1 < len(values) < _LONG:
            warn(_FLAT.format(len(values)), AxesWarning)
            return


def warn_of_axes(questions: int, trials: int, table: Any = None) -> None:
    """Issue an AxesWarning where unlabeled questions seem to be trials.

    That is where there are very many more trials than questions, or, by the outcomes of the ``table``, several times as
    many that differ as questions do; and where there are twice as many that differ, or many more, and rows do not.
    """
    if questions == 1 and trials >= _LONG and table is not None and np.ndim(table) == 1:
        warn(_FLAT.format(trials), AxesWarning)
    least = _SEVERAL if questions * trials > _MOST else _TWICE
    if questions < 2 or trials < least * questions or trials < min(_LONG, _SEVERAL * questions):
        return
    if not look_swapped(questions, trials):
        values = _numbers(table)
        differ, alike = (False, False) if values is None else (cochran(values) < _CHANCE, cochran(values.T) >= _CHANCE)
        is_open = trials >= max(_OPEN, _OPEN_RATIO * questions)  # by the shape alone, unless the outcomes tell
        if not ((alike and (differ or is_open)) or (differ and trials >= _SEVERAL * questions)):
            return
    what = f"the outcomes have {questions} questions with up to {trials:,} trials each: if the rows are trials"
    warn(f"{what}, transpose them; if not, label the questions, as in questions=range({questions})", AxesWarning)
