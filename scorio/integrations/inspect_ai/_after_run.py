"""After a run or an eval set: its scores with intervals, the verdict against a baseline, and a page beside the logs.

The hook is off unless an environment variable asks for it. ``SCORIO_INSPECT`` is a metric, or several with commas, such
as ``pass@1,pass@4``, or ``1`` for the usual one. ``SCORIO_INSPECT_BASELINE`` names the logs of a baseline; without it
the baseline is the last earlier run of the task in the same folder, if there is one. What the hook cannot say, it
explains in one line, and the evaluation goes on.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urlparse

from inspect_ai.hooks import EvalSetEnd, Hooks, RunEnd, hooks
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.util import display_type

from ...comparison import compare
from ...errors import OutcomeError
from ...estimates._tasks import as_tasks, default_metric
from ...metrics import Metric
from ...outcomes import OutcomeSet, Suite

PAGE = "report.html"
_REDRAWN = ("full", "rich")  # displays that paint over what is printed until they end


@hooks(name="after_run", description="scores with intervals, the verdict against a baseline, a page beside the logs")
class AfterRun(Hooks):  # type: ignore[misc, unused-ignore]
    """Prints the board and the verdicts of a run, and writes ``report.html`` beside its logs."""

    def enabled(self) -> bool:
        return bool(os.environ.get("SCORIO_INSPECT") or os.environ.get("SCORIO_INSPECT_BASELINE"))

    async def on_run_end(self, data: RunEnd) -> None:
        if data.eval_set_id is None:
            _report([log.location for log in data.logs if log.status == "success"])

    async def on_eval_set_end(self, data: EvalSetEnd) -> None:
        _report([log.name for log in list_eval_logs(data.log_dir)])


def _report(logs: Sequence[str]) -> None:
    """Print what the logs show and write the page; where that ends, say why in one line.

    Where Inspect's display paints over what is printed, it is printed when the program ends.
    """
    said = [""]
    try:
        for text in _texts([*map(_path, logs)]):
            said.append(text)  # noqa: PERF402 - what was said before a fault stays
    except Exception as error:  # noqa: BLE001 - the evaluation goes on, whatever a file holds
        said.append(f"scorio: no report: {error}")
    text = "\n\n".join(said)
    if display_type() in _REDRAWN:
        atexit.register(print, text)
    else:
        print(text)  # noqa: T201 - this is what the hook is for


def _texts(logs: Sequence[str]) -> Iterator[str]:
    """Return the board, the verdict of each model against the baseline, and where the page is."""
    from ...io import read
    from ...rank import Leaderboard
    from ...report import comparison_report, html_report

    if not logs:
        raise OutcomeError("no log of this run is complete")
    outcomes = read(logs)
    tasks = as_tasks(outcomes)
    models = list(dict.fromkeys(model for task in tasks.values() for model in task))
    metrics = _metrics(outcomes)
    board = Leaderboard(metrics, outcomes, too_few="nan")
    yield str(board)
    page = html_report(board)
    if earlier := _baseline(logs, models):
        baseline = read(earlier)
        others = list(dict.fromkeys(model for task in as_tasks(baseline).values() for model in task))
        for model in models:
            other = model if model in others else others[0]
            pair, names = (model, other), (model, f"{other} before" if model == other else other)
            yield str(compare(metrics[0], outcomes, baseline, model=pair, names=names))
            if len(models) == 1:
                page = comparison_report(outcomes, baseline, metrics, model=pair)
    yield _written(page, logs[0])


def _metrics(outcomes: OutcomeSet | Suite) -> list[Metric]:
    """Return the metrics that are asked for; by default the usual one for these outcomes."""
    asked = os.environ.get("SCORIO_INSPECT", "")
    if asked in ("", "1", "true"):
        return [default_metric(matrix for models in as_tasks(outcomes).values() for matrix in models.values())]
    return [Metric.from_string(name) for name in asked.split(",")]


def _baseline(logs: Sequence[str], models: Sequence[str]) -> list[str]:
    """Return the logs of the baseline: as the user says, or the last earlier run of each task in the same folder.

    Of several earlier runs, those of a model that has run again come first.
    """
    if named := os.environ.get("SCORIO_INSPECT_BASELINE"):
        return [named]
    now = [read_eval_log(log, header_only=True).eval for log in logs]
    mine = {spec.run_id for spec in now} | {spec.eval_set_id for spec in now if spec.eval_set_id}
    last: dict[str, tuple[bool, str, str]] = {}
    for log in list_eval_logs(logs[0].rpartition("/")[0]):
        try:
            header = read_eval_log(log, header_only=True)
        except Exception:  # noqa: BLE001, S112 - a damaged log is no baseline
            continue
        spec = header.eval
        if header.status != "success" or {spec.run_id, spec.eval_set_id} & mine:
            continue
        candidate = (spec.model in models, spec.created, _path(log.name))
        last[spec.task] = max(last.get(spec.task, candidate), candidate)
    return [last[spec.task][-1] for spec in now if spec.task in last]


def _path(log: str) -> str:
    """Return the path of a local log; other addresses stay."""
    return unquote(urlparse(log).path) if log.startswith("file:") else log


def _written(page: str, log: str) -> str:
    """Write the page beside a local log, and say where it is."""
    if "://" in log:
        return f"no {PAGE}: pages are written beside local logs only; scorio report makes one elsewhere"
    place = Path(log).with_name(PAGE)
    place.write_text(page, encoding="utf-8")
    return f"report: {place}"
