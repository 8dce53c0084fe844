"""What a comparison can show before any trial was run, by several metrics, of these questions and of the population."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from .._choices import TARGETS
from .._display.exports import Exports
from .._display.numbers import DIGITS, number, percent, whole
from .._display.table import Field
from ._design import Design

_SUBJECT = {"questions": "these questions", "population": "population"}


class DesignRow(NamedTuple):
    """What a design shows: the ``detectable`` difference, and the power and the questions for a given one."""

    design: Design
    profile: str
    detectable: float
    difference: float | None
    power: float | None
    questions_needed: int | None

    def record(self) -> dict[str, Any]:
        """Return the design and what it shows, the numbers for a difference only if one is given."""
        gap = {"difference": self.difference, "power": self.power, "questions_needed": self.questions_needed}
        given = {} if self.difference is None else gap
        return self.design.to_dict() | {"profile": self.profile, "detectable": self.detectable} | given


def _gap(gap: float, digits: int = DIGITS) -> str:
    return "-" if math.isnan(gap) else number(gap, digits)


@dataclass(frozen=True)
class Designs(Exports):
    """Designs of one comparison by several metrics, with the power and questions for a ``difference`` if one is given.

    ``goal`` is the power with which a difference counts as detected, and ``profile`` names the difficulties.
    """

    designs: tuple[Design, ...]
    goal: float = 0.8
    difference: float | None = None
    profile: str = "typical"
    _rows_alone: ClassVar = True
    _columns: ClassVar = (
        Field("metric", of="design.metric"),
        Field("about", of="design.target", form=_SUBJECT.__getitem__),
        Field("detectable difference", True, "detectable", _gap),
        Field("power at {0.difference:g}", True, "power", number, unless=None),
        Field("questions needed", True, "questions_needed", whole, unless=None),
    )

    @property
    def rows(self) -> tuple[DesignRow, ...]:
        """One row for each design."""
        gap = self.difference
        return tuple(
            DesignRow(
                each,
                self.profile,
                each.detectable(self.goal),
                gap,
                None if gap is None else each.power(gap),
                None if gap is None else each.questions_for(gap, self.goal),
            )
            for each in self.designs
        )

    @property
    def _title(self) -> str:
        first = self.designs[0]
        return (
            f"two models on {first.n_questions:,} questions, {first.n_trials} trials each, {self.profile} difficulties"
        )

    def _notes(self) -> list[str]:
        first = self.designs[0]
        paired = f"paired with correlation {first.correlation:g}" if first.paired else "unpaired"
        at = f"power {self.goal:g} at {percent(first.confidence)} confidence"
        return [f"detected with {at}; for the population, {paired}"]


def plan_designs(
    metrics: Sequence[Any],
    n_questions: int,
    n_trials: int,
    *,
    profile: Any = "typical",
    difference: float | None = None,
    power: float = 0.8,
    name: str | None = None,
    **options: Any,
) -> Designs:
    """Return what a comparison of two models will show by each metric, about these questions and the population.

    ``name`` is that of the profile in tables, and ``options`` are the other arguments of ``Design``.

    >>> found = plan_designs(["pass@1"], 100, 4, difference=0.1)
    >>> [row["target"] for row in found.to_dict()["rows"]]
    ['questions', 'population']
    """
    designs = [
        Design(n_questions, n_trials, metric, profile, target=each, **options) for metric in metrics for each in TARGETS
    ]
    return Designs(tuple(designs), power, difference, name or (profile if isinstance(profile, str) else "learned"))
