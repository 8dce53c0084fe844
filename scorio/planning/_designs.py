"""What a comparison can show before any trial was run, by several metrics, of these questions and of the population."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._choices import TARGETS
from .._display.numbers import number, percent
from .._display.row_exports import RowExports
from .._display.table import Column, Table
from ._design import Design

_SUBJECT = {"questions": "these questions", "population": "population"}


@dataclass(frozen=True)
class Designs(RowExports):
    """Designs of one comparison by several metrics, with the power and questions for a ``difference`` if one is given.

    ``goal`` is the power with which a difference counts as detected, and ``profile`` names the difficulties.
    """

    designs: tuple[Design, ...]
    goal: float = 0.8
    difference: float | None = None
    profile: str = "typical"

    def __str__(self) -> str:
        return self._display_table().text()

    def _records(self) -> list[dict[str, Any]]:
        return [self._record(each) for each in self.designs]

    def _record(self, design: Design) -> dict[str, Any]:
        found: dict[str, Any] = design.to_dict() | {"profile": self.profile}
        found["detectable"] = design.detectable(self.goal)
        if self.difference is not None:
            found |= {"difference": self.difference, "power": design.power(self.difference)}
            found["questions_needed"] = design.questions_for(self.difference, self.goal)
        return found

    def _display_table(self) -> Table:
        return _table(self._records(), self.designs[0], self.profile, self.goal)


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
    >>> [each["target"] for each in found.to_frame("pandas").to_dict("records")]
    ['questions', 'population']
    """
    designs = [
        Design(n_questions, n_trials, metric, profile, target=each, **options) for metric in metrics for each in TARGETS
    ]
    return Designs(tuple(designs), power, difference, name or (profile if isinstance(profile, str) else "learned"))


def _table(records: Sequence[dict[str, Any]], design: Design, profile: str, goal: float) -> Table:
    columns = [Column("metric"), Column("about"), Column("detectable difference", right=True)]
    has_difference = "power" in records[0]
    if has_difference:
        columns += [
            Column(f"power at {records[0]['difference']:g}", right=True),
            Column("questions needed", right=True),
        ]
    cells = []
    for each in records:
        gap = each["detectable"]
        row = [str(each["metric"]), _SUBJECT[each["target"]], "-" if math.isnan(gap) else number(gap)]
        cells.append(row + ([number(each["power"]), f"{each['questions_needed']:,}"] if has_difference else []))
    title = f"two models on {design.n_questions:,} questions, {design.n_trials} trials each, {profile} difficulties"
    note = f"detected with power {goal:g} at {percent(design.confidence)} confidence; for the population, "
    note += f"{'paired with correlation ' + format(design.correlation, 'g') if design.paired else 'unpaired'}"
    return Table(title, columns, cells, [note])
