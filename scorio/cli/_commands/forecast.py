"""``scorio forecast``: what many more trials than there are would give."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._command import declared
from .._context import working
from .._options import confidence_option, picture_option, target_option, task_weight_option
from .._output import Answer, Output
from .._reading import Reading, load
from .._scoring import check_no_weights
from .._writing import write_picture
from .curve import budgets_option, family_option

if TYPE_CHECKING:
    from ...comparison import Weights
    from ...metrics import Metric

_TIMES = (1, 4, 16, 64)  # of the trials, if no k is named


@declared(
    "forecast",
    "logs/ -m pass -k 100,1000,10000",
    family_option("It is pass, passhat or max; -k lists the k, or it is that of pass@1000.", multiple=False),
    budgets_option(
        "that of -m, or the fewest trials of a question, and 4, 16 and 64 times as many",
        "Up to the trials there are scores; beyond, forecasts.",
    ),
    task_weight_option,
    confidence_option,
    target_option,
    picture_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    metrics: Metric | None,
    budgets: list[int] | None,
    task_weights: Weights,
    confidence: float,
    target: str,
    picture: Path | None,
    out: Output,
) -> None:
    """Say what many more trials would give, as in Pass@10000 from 64 trials, and what is left open.

    There are intervals of 50%, 80% and --confidence. Most of one may come from questions that were never solved: below
    the table are the values if none or all of these can be solved. Two models are compared at every k.
    """
    from ...comparison import as_tasks
    from ...forecasting import forecast, levels_up_to
    from ...outcomes import Suite
    from ...report import family_of

    outcomes = load(logs, how)
    if not isinstance(outcomes, Suite):
        check_no_weights(task_weights)
    tasks = list(as_tasks(outcomes).values())
    fewest = max(1, min(each.min_trials for models in tasks for each in models.values()))
    named = [metrics._k] if metrics is not None and metrics._k not in (None, 1) else None  # 1 is also that of "pass"
    with working("forecasting"):
        found = forecast(
            metrics or family_of(tasks[0]),
            outcomes,
            budgets or named or [fewest * each for each in _TIMES],
            levels=levels_up_to(confidence),
            target=target,
            task_weights=task_weights,
        )
    about: dict[str, Any] = {"metric": found.metric, "k": list(found.ks), "confidence": confidence, "target": target}
    told = {"compared": [each.to_dict() for each in found.compared], "verdicts": list(found.verdicts())}
    ends = [{"lo": each.lo, "hi": each.hi} for each in found.points]
    records = [record | each for record, each in zip(found._records(), ends, strict=True)]
    out.deliver(Answer([found._display_table()], records, about | told))
    if picture is not None:
        from ... import plot

        write_picture(plot.forecast(found), picture)
