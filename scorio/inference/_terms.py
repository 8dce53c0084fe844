"""What is asked of every statement: its subject, the prior, the shape of intervals, the confidence, looks and runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypedDict

from .._base.arrays import cached_property
from .._base.choices import AUTO, LEARNED, RUNS, SHAPES, TARGETS
from ..errors import ParameterError
from ..params import check_fields, choice, one_of, open_unit, param
from ._level import Level
from ._looks import Looks
from ._prior import Prior, PriorLike, as_prior


def _prior(name: str, value: Any) -> PriorLike | None:  # noqa: ARG001 - the signature of a check
    if value is None:
        return value
    as_prior(value)
    return value if isinstance(value, (str, Prior)) or not isinstance(value, Sequence) else tuple(map(float, value))


def _shape(name: str, value: Any) -> str | None:
    return None if value is None else choice(name, value, SHAPES)


def _looks(name: str, value: Any) -> Looks | None:
    if value is not None and not isinstance(value, Looks):
        raise ParameterError(f"must be a Looks, such as Looks(trials=64), or None; got {value!r}", argument=name)
    return value


class SubjectOptions(TypedDict, total=False):
    """What a statement is about, these questions or ones like these, and how sure it is."""

    target: str
    confidence: float


class PriorOptions(SubjectOptions, total=False):
    """What is assumed of success rates as well."""

    prior: PriorLike | None


class RunOptions(PriorOptions, total=False):
    """Whether the trials of a run share luck as well."""

    runs: str


class EstimateOptions(RunOptions, total=False):
    """How intervals are made as well."""

    shape: str | None


class TermOptions(EstimateOptions, total=False):
    """All that ``Terms`` are made of: with the looks at which a statement holds."""

    looks: Looks | None


class LookOptions(TypedDict, total=False):
    """How trials came in: the looks at which a statement holds, and whether the trials of a run share luck."""

    looks: Looks | None
    runs: str


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The subject, the prior, the shape of intervals, the confidence, the looks, whose confidence holds, and the runs.

    Without a prior, each metric has its own, and without a shape, the prior has: see ``settled``.

    >>> Terms(confidence=0.95, looks=Looks(trials=64, confidence=0.9)).confidence
    0.9
    """

    target: str = param(one_of(TARGETS), default="questions")
    prior: PriorLike | None = param(_prior, default=None)
    shape: str | None = param(_shape, default=None)
    confidence: float = param(open_unit, default=0.95)
    looks: Looks | None = param(_looks, default=None)
    runs: str = param(one_of(RUNS), default=AUTO)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.looks is not None:
            self.looks.check_confidence(self.confidence)
            object.__setattr__(self, "confidence", self.looks.confidence)

    @cached_property
    def level(self) -> Level:
        """The level of a single look."""
        return Level(self.confidence)

    @property
    def given(self) -> PriorLike:
        """The prior as it was given, which results keep; without one, the learned prior."""
        return LEARNED if self.prior is None else self.prior

    @cached_property
    def assumed(self) -> Prior:
        """The prior that ``given`` stands for."""
        return as_prior(self.given)

    @property
    def interval_options(self) -> dict[str, Any]:
        """The options of ``Metric.interval``."""
        return {"prior": self.prior, "shape": self.shape, "target": self.target}

    def settled(self, prior: PriorLike) -> Self:
        """Return the terms with this prior, and with the shape that goes with it where none was given."""
        assumed = as_prior(prior)
        shape = self.shape or ("quantile" if assumed.is_learned else "normal")
        settled = object.__new__(type(self))  # all else is checked
        vars(settled).update(vars(self), prior=prior, shape=shape, assumed=assumed)
        return settled
