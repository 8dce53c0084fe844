"""OutcomeSet: the outcomes of several models on the same questions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import labels
from .blocks import scan_blocks
from .errors import OutcomeError, ParameterError
from .intake import category_count, missing_code, read_prior
from .labels import Labels
from .matching import aligned, rearranged, widened
from .outcomes import OutcomeMatrix
from .words import amount

_TENSOR = 3  # dimensions: models, questions, trials


class OutcomeSet(Mapping[str, OutcomeMatrix]):
    """An immutable ordered mapping from model names to their outcomes on the same questions.

    ``models`` is a mapping from names to anything OutcomeMatrix takes, a sequence of those, or a tensor
    (models, questions, trials); a tensor of two dimensions is (models, questions) with one trial. Questions are
    matched by label where there are labels, and put in the first model's order. ``prior`` is R0: one for all models,
    or a tensor (models, questions, trials) or a mapping with one each, questions in the set's order.

    >>> models = OutcomeSet({"a": [[0, 1], [1, 1]], "b": [[0, 0], [0, 1]]})
    >>> models
    OutcomeSet(2 models x 2 questions, binary)
    >>> models["b"].successes
    array([0, 1])
    """

    __slots__ = ("_models",)

    _models: dict[str, OutcomeMatrix]

    def __init__(
        self,
        models: Any,
        *,
        names: Iterable[str] | None = None,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        categories: int | None = None,
        prior: Any = None,
        missing: str = "raise",
    ) -> None:
        width = category_count(categories)
        items, given = _items(models)
        chosen = _names(names, given, len(items))
        priors = _priors(prior, chosen)
        if isinstance(items, np.ndarray):
            items = _scanned(items, missing_code(missing), width) or items
        made = [_matrix(item, name, width, missing) for item, name in zip(items, chosen, strict=True)]
        count = made[0].n_questions
        lined_up = aligned(
            made,
            chosen,
            labels.checked(questions, count, "questions", unique=True),
            labels.checked(clusters, count, "clusters", unique=False),
        )
        code = missing_code(missing)
        informed = [_informed(*each, width, code) for each in zip(lined_up, chosen, priors, strict=True)]
        self._models = dict(zip(chosen, widened(informed, width), strict=True))

    @classmethod
    def _of(cls, models: dict[str, OutcomeMatrix]) -> OutcomeSet:
        """A set of models that are aligned already."""
        made = cls.__new__(cls)
        made._models = models
        return made

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        question: str,
        outcome: str,
        model: str | None = None,
        trial: str | None = None,
        cluster: str | None = None,
        levels: Mapping[Any, float] | None = None,
        missing: str = "raise",
    ) -> OutcomeSet:
        """Outcomes from a data frame with one trial a row: pandas, Polars, PyArrow, DuckDB, Dask, PySpark and more.

        The arguments name columns. Rows are counted by the frame's own engine; models and questions come sorted.
        Outcomes are numbers or truth values, and 0 and 1 are binary; ``levels`` gives others a reward:
        ``levels={"C": 1, "P": 0.5, "I": 0}``. With ``trial``, a trial that comes twice is refused. ``missing`` says
        what a null outcome is: ``"raise"`` an error, ``"omit"`` left out, ``"fail"`` the lowest level.

        >>> import pyarrow
        >>> rows = {"model": ["a", "a", "b", "b"], "task": [1, 1, 1, 1], "passed": [True, False, True, True]}
        >>> frame = pyarrow.table(rows)
        >>> OutcomeSet.from_frame(frame, question="task", outcome="passed", model="model")["b"].successes
        array([2])
        """
        from .tabular import Columns, banks

        found = banks(frame, Columns(question, outcome, model, trial, cluster), levels, missing)
        return cls._of({name: OutcomeMatrix.of_table(*parts) for name, parts in found.items()})

    def __getitem__(self, name: str) -> OutcomeMatrix:
        return self._models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    @property
    def _first(self) -> OutcomeMatrix:
        return next(iter(self._models.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """The models, in order."""
        return tuple(self._models)

    @property
    def n_questions(self) -> int:
        """M, the same for every model."""
        return self._first.n_questions

    @property
    def n_categories(self) -> int:
        """C + 1, the same for every model."""
        return self._first.n_categories

    @property
    def questions(self) -> Labels | None:
        """The label of each question, or None."""
        return self._first.questions

    @property
    def clusters(self) -> Labels | None:
        """The cluster of each question, or None."""
        return self._first.clusters

    @property
    def is_right_or_wrong(self) -> bool:
        """Whether every model's outcomes are binary, and worth 0 and 1 where they are rewards."""
        return all(matrix.is_right_or_wrong for matrix in self._models.values())

    def select(self, questions: Any) -> OutcomeSet:
        """Some of the questions, as ``OutcomeMatrix.select`` takes them, of every model.

        >>> OutcomeSet({"a": [[0, 1], [1, 1]], "b": [[0, 0], [0, 1]]}).select([1])["a"].successes
        array([2])
        """
        order = labels.chosen(questions, self.n_questions, self.questions)
        models = {name: rearranged(matrix, order) for name, matrix in self._models.items()}
        for name, matrix in models.items():
            if not matrix.counts.any():
                raise OutcomeError(f"{name}: the selection has no trial")
        return self._of(models)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OutcomeSet):
            return NotImplemented
        return list(self.items()) == list(other.items())

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (self._models,)

    def __repr__(self) -> str:
        kind = "binary" if self.is_right_or_wrong else f"{self.n_categories} categories"
        return f"OutcomeSet({amount(len(self), 'model')} x {amount(self.n_questions, 'question')}, {kind})"


def _items(models: Any) -> tuple[Sequence[Any] | NDArray[Any], list[str] | None]:
    """What the models are made of, as a tensor of three dimensions where they are one; and names they come with."""
    if isinstance(models, Mapping):
        return list(models.values()), list(models)
    if isinstance(models, (list, tuple)) and any(
        isinstance(item, (OutcomeMatrix, np.ma.MaskedArray)) for item in models
    ):
        return models, None
    try:
        tensor = models if isinstance(models, np.ma.MaskedArray) else np.asarray(models)
    except ValueError:
        return models, None
    if tensor.ndim not in (_TENSOR - 1, _TENSOR):
        raise OutcomeError(f"a set of models needs a tensor models x questions x trials; got {tensor.ndim} dimensions")
    return (tensor if tensor.ndim == _TENSOR else tensor[:, :, None]), None


def _names(names: Iterable[str] | None, given: list[str] | None, count: int) -> list[str]:
    if names is not None and given is not None:
        raise ParameterError("names come with the mapping; pass one or the other")
    found = given if given is not None else [f"model-{i}" for i in range(count)] if names is None else list(names)
    if not found or not all(isinstance(name, str) for name in found):
        raise OutcomeError("a set needs at least one model, and names that are strings")
    if len(found) != count or len(set(found)) < count:
        raise OutcomeError(f"{count} models need as many different names; got {labels.listed(found)}")
    return found


def _priors(prior: Any, names: list[str]) -> list[Any]:
    """R0 of each model."""
    if isinstance(prior, Mapping):
        unknown = set(prior) - set(names)
        if unknown:
            raise OutcomeError(f"prior names {labels.listed(unknown)}, which is no model")
        return [prior.get(name) for name in names]
    if prior is None or _depth(prior) != _TENSOR:
        return [prior] * len(names)
    if len(prior) != len(names):
        raise OutcomeError(f"R0 has {len(prior)} models, R has {len(names)}")
    return list(prior)


def _depth(values: Any) -> int:
    """Dimensions, of rows of different lengths too."""
    try:
        return np.ndim(values)
    except ValueError:
        return 1 + max(map(_depth, values))


def _scanned(tensor: NDArray[Any], missing: int, width: int) -> list[OutcomeMatrix] | None:
    """All models in one pass, where the tensor is one table without a copy and nothing is wrong with it."""
    models, questions, trials = tensor.shape
    one_table = models == 1 or questions == 1 or tensor.strides[0] == questions * tensor.strides[1]
    if type(tensor) is not np.ndarray or tensor.dtype.kind not in "biuf" or not tensor.size or not one_table:
        return None
    counts, _ = scan_blocks(tensor.reshape(-1, trials), width, missing)
    if counts is None:
        return None
    parts = np.split(counts, models)
    if not all(part.any() for part in parts):
        return None
    return [OutcomeMatrix.of_table(part, trials) for part in parts]


def _matrix(item: Any, name: str, width: int, missing: str) -> OutcomeMatrix:
    """One model's outcomes, without what the set adds."""
    if isinstance(item, OutcomeMatrix):
        if width and item.n_categories > width:
            raise OutcomeError(f"{name}: {item.n_categories} categories where there are {width}")
        return item
    try:
        return OutcomeMatrix(item, categories=width or None, missing=missing)
    except OutcomeError as error:
        raise OutcomeError(f"{name}: {error}") from None


def _informed(matrix: OutcomeMatrix, name: str, prior: Any, width: int, missing: int) -> OutcomeMatrix:
    """The matrix with R0, in the order of the set's questions."""
    if prior is None:
        return matrix
    if matrix.prior_counts is not None:
        raise OutcomeError(f"{name}: it has prior outcomes of its own")
    try:
        return matrix.replaced(prior=read_prior(prior, matrix.n_questions, width, missing))
    except OutcomeError as error:
        raise OutcomeError(f"{name}: {error}") from None
