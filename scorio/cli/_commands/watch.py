"""``scorio watch``: look at results while they come in, and say when they are settled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from ..._choices import RANDOM
from ..._display.table import plain
from ..._jobs import check_interrupted
from ...errors import OutcomeError, ParameterError
from .._command import declared
from .._metric import metrics_or_default
from .._options import (
    FiniteRange,
    confidence_option,
    cost_option,
    file_option,
    half_width_option,
    metrics_option,
    runs_option,
    target_option,
    trials_option,
)
from .._output import Answer, Output
from .._reading import Reading, load_task
from .._writing import check_outputs

if TYPE_CHECKING:
    from ...metrics import Metric
    from ...outcomes import OutcomeSet
    from ...planning import Allocation
    from ...rank import Leaderboard, MetricRanking

SETTLED, GO_ON, USED_UP = 0, 1, 3


@declared(
    "watch",
    "logs/ -m pass@4 --trials 64 --half-width 0.25",
    metrics_option,
    trials_option(),
    click.option(
        "--around",
        type=FiniteRange(min=0, min_open=True),
        metavar="N",
        show_default="none",
        help="Instead of --trials, if you set no largest number: about how many trials per question you expect to "
        "need. Intervals are narrowest there, and hold at every look.",
    ),
    half_width_option("none"),
    click.option("--follow", is_flag=True, help="Look again whenever the logs grow, until the results are settled."),
    click.option(
        "--every",
        type=FiniteRange(min=0.01),
        metavar="SECONDS",
        default=30.0,
        show_default=True,
        help="Seconds between checks of the logs, with --follow.",
    ),
    click.option(
        "--spend",
        type=float,
        metavar="AMOUNT",
        show_default="none",
        help="Allocate this number of next trials, or this amount of --cost, to the questions that need them.",
    ),
    cost_option("trials"),
    file_option("--next-file", "File for the next trials that --spend allocates.", endings=(".csv", ".json", ".jsonl")),
    file_option("--state", "File that keeps the looks.", "beside the logs", (".json",)),
    confidence_option,
    target_option,
    runs_option,
)
def command(logs: tuple[str, ...], how: Reading, out: Output, **options: Any) -> None:
    """Look at the results of a run that still grows, and say when to stop; for finished runs, use history.

    Every call counts one look, at all logs as they are now; the same logs again are the same look. The leaderboard that
    is printed stays valid however many looks there are. The looks are kept in a file beside the logs. Settings and
    models cannot change after the first look. A metric is settled if one of several models is best, or if all intervals
    are as narrow as --half-width says.

    Exit codes: 0 settled, 1 go on, 2 the call or the data is wrong, 3 the trials are used up and nothing is settled.
    """
    watch = Watch(logs, how, options)
    if not options["follow"]:
        click.get_current_context().exit(watch.show(watch.look(), out))
    for latest in watch.follow(options["every"]):
        code = watch.show(latest, out)
        if code != GO_ON:
            click.get_current_context().exit(code)


@dataclass(frozen=True)
class NumberedLook:
    """The leaderboard at one look, its number, and whether it is the same look as the last one."""

    board: Leaderboard
    number: int
    again: bool
    half_width: float | None

    @property
    def open_rankings(self) -> tuple[MetricRanking, ...]:
        """The rankings by the metrics that are not settled."""
        return tuple(each for each in self.board.rankings if not self._reason(each))

    @property
    def reasons(self) -> list[str]:
        """One sentence for each metric that is settled."""
        return [reason for each in self.board.rankings if (reason := self._reason(each))]

    @property
    def running(self) -> tuple[str, ...]:
        """The models that may still be the best by a metric that is not settled."""
        tied = (row.model for each in self.open_rankings for row in each.rows if row.tied_with_top)
        return tuple(dict.fromkeys(tied))

    def _reason(self, ranking: MetricRanking) -> str:
        """Return why a metric is settled; an empty text if it is not."""
        tied = [row.model for row in ranking.rows if row.tied_with_top]
        if len(tied) == 1 < len(ranking):
            return f"{ranking.metric} settled: {tied[0]} is best"
        halves = [(each.hi - each.lo) / 2.0 for each in ranking.intervals]
        if self.half_width is None or not all(0.0 <= half <= self.half_width for half in halves):  # NaN is not known
            return ""
        need = f"as required ({self.half_width:g})"
        return f"{ranking.metric} settled: every half-width is at most {max(halves):.4g}, {need}"


class Watch:
    """The looks at some logs: how to read them, what was declared, and where the looks are kept."""

    def __init__(self, logs: tuple[str, ...], how: Reading, options: dict[str, Any]) -> None:
        from ...inference import Looks
        from ...params import positive
        from .._looks import state_path

        self.logs, self.how, self.options = logs, how, options
        self.path: Path = options["state"] or state_path(logs[0])
        check_outputs({"--state": self.path}, logs)
        if (options["trials"] is None) == (options["around"] is None):
            raise ParameterError(
                "pass --trials, the largest number of trials per question that you will run, or --around, about how "
                "many you expect to need if you set no largest number"
            )
        if options["half_width"] is not None:
            positive("half_width", options["half_width"])
        self.looks = Looks(options["trials"], options["around"], options["confidence"])

    def look(self) -> NumberedLook:
        """Read the logs, judge them, and keep the look."""
        from ...inference import LEARNED
        from ...outcomes import OutcomeSet
        from ...rank import Leaderboard
        from .._looks import digest, opened

        outcomes = load_task(self.logs, self.how)
        metrics = metrics_or_default(self.options["metrics"], outcomes)
        state = opened(self.path, self._settings(metrics))
        if state.adaptive:
            adaptive = {name: matrix.as_adaptive() for name, matrix in outcomes.items()}
            outcomes = OutcomeSet(adaptive, conditions=outcomes.conditions, costs=outcomes.costs)
        mark, trials = digest(outcomes), {name: int(matrix.trials.sum()) for name, matrix in outcomes.items()}
        state.check_growth(trials, self.path)
        again = state.is_seen(mark)
        about: dict[str, Any] = {name: self.options[name] for name in ("target", "runs")}
        board = Leaderboard(metrics, outcomes, prior=LEARNED, looks=self.looks, too_few="nan", **about)
        result = NumberedLook(board, len(state.looks) + (not again), again, self.options["half_width"])
        if not again:
            settled = not result.open_rankings
            state.looks.append({"data": mark, "trials": trials, "settled": settled, "reasons": result.reasons})
        plan, file = self._plan(result, outcomes), self.options["next_file"]
        state.adaptive = state.adaptive or (file is not None and plan is not None and plan.is_adaptive)
        state.save(self.path)  # before the trials are handed out: a crash must not leave adaptive trials unmarked
        if plan is not None:
            click.echo(str(plan), err=True)
            if file is not None:
                plan.write(file)
        return result

    def _settings(self, metrics: tuple[Metric, ...] | Any) -> dict[str, Any]:
        kept: tuple[str, ...] = ("trials", "around", "confidence", "half_width", "target")
        kept += ("runs",) if self.options["runs"] == RANDOM else ()  # the other two are the same intervals
        return {name: self.options[name] for name in kept} | {"metrics": [str(metric) for metric in metrics]}

    def _plan(self, latest: NumberedLook, outcomes: OutcomeSet) -> Allocation | None:
        """Allocate the next trials; None if none are asked for, or needed."""
        from ...planning import next_trials

        trials, unsettled = self.options["spend"], latest.open_rankings
        if trials is None or not unsettled:
            return None
        cost = self.options["cost"]
        is_set = len(outcomes) > 1 or cost is not None
        return next_trials(
            cast("Metric", unsettled[0].metric),
            outcomes if is_set else next(iter(outcomes.values())),
            trials,
            models=latest.running if is_set else None,
            cost=1.0 if cost is None else cost,
            looks=self.looks,
            confidence=self.looks.confidence,
            runs=self.options["runs"],
        )

    def show(self, latest: NumberedLook, out: Output) -> int:
        """Deliver the leaderboard, say what to do next, and return the exit code."""
        again = ", the same as before" if latest.again else ""
        tables = [table for each in latest.board.rankings for table in each.tables()]
        tables[0] = tables[0]._replace(title=f"look {latest.number}{again}: {tables[0].title}")
        tables[-1] = tables[-1]._replace(notes=[*tables[-1].notes, *latest.reasons])
        about = {"state": str(self.path)} | ({"runs": RANDOM} if self.options["runs"] == RANDOM else {})
        out.deliver(Answer(tables, latest.board._records(), about))
        code, advice = self._next(latest)
        click.echo(plain(advice), err=True)
        return code

    def _next(self, latest: NumberedLook) -> tuple[int, str]:
        if not latest.open_rankings:
            return SETTLED, "settled: no more trials are needed"
        outcomes = cast("OutcomeSet", latest.board.outcomes)
        trials = min(float(outcomes[name].mean_trials) for name in latest.running)
        if self.looks.trials is not None and trials >= self.looks.trials:
            return USED_UP, f"not settled, and all {self.looks.trials:g} trials per question are used up"
        limit = f" of {self.looks.trials:g}" if self.looks.trials is not None else ""
        advice = f"run more trials of {', '.join(latest.running)}"
        return GO_ON, f"not settled at {trials:.4g}{limit} trials per question: {advice}"

    def follow(self, every: float, sleep: Callable[[float], None] = time.sleep) -> Iterator[NumberedLook]:
        """Look whenever the logs change; a log that cannot be read yet is tried again."""
        before, said = None, ""
        while True:
            check_interrupted()
            now = self._signature()
            if now != before:
                try:
                    latest = self.look()
                except (OutcomeError, OSError) as error:
                    if str(error) != said:
                        said = str(error)
                        click.echo(plain(f"cannot be read yet, will try again: {said}"), err=True)
                else:
                    before, said = now, ""
                    yield latest
            sleep(every)

    def _signature(self) -> tuple[tuple[str, int, int], ...]:
        """Names, sizes and times of all files of the logs."""
        from ...io import expand

        try:
            paths = expand(self.logs[0] if len(self.logs) == 1 else self.logs)
            stats = [(str(path), path.stat()) for path in paths]
        except (OutcomeError, OSError):
            return ()
        return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)
