"""What a comparison can show before any trial was run: ``scorio plan`` without logs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._choices import PROFILES, TARGETS
from .._display.numbers import number, percent
from .._display.table import Column, Table
from ..errors import OutcomeError, ParameterError
from ._metric import default_metrics
from ._output import Answer

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..planning import Design

_SUBJECT = {"questions": "these questions", "population": "population"}


def designs(metrics: Sequence[Metric], n_questions: int, n_trials: int, profile: str, **options: Any) -> list[Design]:
    """Return what is planned by each metric, about these questions and about the population."""
    from ..planning import Design

    shape = _profile(profile)
    return [
        Design(n_questions, n_trials, metric, shape, target=each, **options)
        for metric in metrics or default_metrics(is_pass_fail=True)
        for each in TARGETS
    ]


def design_answer(planned: Sequence[Design], difference: float | None, power: float, profile: str) -> Answer:
    """Return what the designs show: the difference that is detected, and for a difference the power."""
    records = [_record(each, difference, power, profile) for each in planned]
    settings = {name: getattr(planned[0], name) for name in ("confidence", "correlation")}
    table = _table(records, planned[0], profile, power)
    return Answer([table], records, {"difference": difference, **settings}, kind="design")


def _profile(text: str) -> Any:
    """Return the name of a profile, or the outcomes of the only model of a file or folder."""
    if text in PROFILES:
        return text
    if not Path(text).exists():
        raise ParameterError(f"is {text!r}: neither {', '.join(PROFILES)} nor a path", argument="profile")
    from ..io import one_task, read

    models = one_task(read(text))
    if len(models) > 1:
        raise OutcomeError(f"{text} holds {len(models)} models", hint="give the log of one of them")
    return next(iter(models.values()))


def _record(design: Design, difference: float | None, goal: float, profile: str) -> dict[str, Any]:
    found: dict[str, Any] = design.to_dict() | {"profile": profile, "detectable": design.detectable(goal)}
    if difference is not None:
        found |= {"difference": difference, "power": design.power(difference)}
        found["questions_needed"] = design.questions_for(difference, goal)
    return found


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
