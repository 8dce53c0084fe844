"""``scorio watch``: look at results while they come in, and say when they are settled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._choices import GOALS, RANDOM
from ..._display.table import plain
from ..._display.words import pluralize
from ..._jobs import check_interrupted
from ...errors import OutcomeError, ParameterError
from .._command import declared
from .._metric import metrics_or_default
from .._options import (
    FiniteRange,
    baseline_option,
    choice_option,
    confidence_option,
    cost_option,
    count_option,
    file_option,
    half_width_option,
    metrics_option,
    number_option,
    runs_option,
    target_option,
    trials_option,
)
from .._output import Answer, Output
from .._reading import Reading, load_task
from .._writing import check_outputs

if TYPE_CHECKING:
    from ...metrics import Metric
    from ...outcomes import OutcomeMatrix, OutcomeSet
    from ...planning import Allocation
    from .._looks import Declared, Look, State

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
    choice_option("--goal", GOALS, "best", "What several models have to settle: which is best, or the whole ranking."),
    number_option("--within", 0.0, "Difference between models that does not matter."),
    baseline_option("none"),
    count_option(
        "--entrants",
        text="Number of models that will take part and share the error rate, if some have no results yet.",
        show_default="those of the first look",
    ),
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

    Every call counts one look, at all logs as they are now; the same logs again are the same look. Intervals and
    winners stay valid however many looks there are. The looks are kept in a file beside the logs. Settings cannot
    change after the first look.

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
    """One look with its number, and whether it is the same as the last one."""

    look: Look
    number: int
    again: bool
    outcomes: OutcomeSet
    declared: Declared


class Watch:
    """The looks at some logs: how to read them, what was declared, and where the looks are kept."""

    def __init__(self, logs: tuple[str, ...], how: Reading, options: dict[str, Any]) -> None:
        from ...inference import Looks
        from .._looks import state_path

        self.logs, self.how, self.options = logs, how, options
        self.path: Path = options["state"] or state_path(logs[0])
        check_outputs({"--state": self.path}, [*logs, *options["baseline"]])
        if (options["trials"] is None) == (options["around"] is None):
            raise ParameterError(
                "pass --trials, the largest number of trials per question that you will run, or --around, about how "
                "many you expect to need if you set no largest number"
            )
        self.looks = Looks(options["trials"], options["around"], options["confidence"])

    def look(self) -> NumberedLook:
        """Read the logs, judge them, and keep the look."""
        from ...outcomes import OutcomeSet
        from .._looks import digest, look, opened

        outcomes = load_task(self.logs, self.how)
        metrics = metrics_or_default(self.options["metrics"], outcomes)
        state = opened(self.path, self._settings(metrics))
        declared = self._declared(metrics, outcomes, state)
        if state.adaptive:
            adaptive = {name: matrix.as_adaptive() for name, matrix in outcomes.items()}
            outcomes = OutcomeSet(adaptive, conditions=outcomes.conditions, costs=outcomes.costs)
        mark, trials = digest(outcomes), {name: int(matrix.trials.sum()) for name, matrix in outcomes.items()}
        state.check_growth(trials, self.path)
        again = state.is_seen(mark)
        latest = look(outcomes, declared, state.beaten)
        if not again:
            state.models, state.beaten = declared.models, latest.beaten
            reasons = list(latest.reasons)
            state.looks.append({"data": mark, "trials": trials, "settled": latest.settled, "reasons": reasons})
        result = NumberedLook(latest, len(state.looks), again, outcomes, declared)
        plan, file = self._plan(result), self.options["next_file"]
        state.adaptive = state.adaptive or (file is not None and plan is not None and plan.is_adaptive)
        state.save(self.path)  # before the trials are handed out: a crash must not leave adaptive trials unmarked
        if plan is not None:
            click.echo(str(plan), err=True)
            if file is not None:
                plan.write(file)
        return result

    def _settings(self, metrics: tuple[Metric, ...] | Any) -> dict[str, Any]:
        from .._looks import digest

        kept: tuple[str, ...] = ("trials", "around", "confidence", "half_width", "within", "goal", "target")
        baseline = self.options["baseline"]
        kept += ("runs",) if self.options["runs"] == RANDOM else ()  # the other two are the same intervals
        return {name: self.options[name] for name in kept} | {
            "metrics": [str(metric) for metric in metrics],
            "baseline": digest(load_task(baseline, _quiet(self.how))) if baseline else None,
        }

    def _declared(self, metrics: Any, outcomes: OutcomeSet, state: State) -> Declared:
        from .._looks import Declared

        entrants = self.options["entrants"] or state.models or len(outcomes)
        if state.models and entrants != state.models:
            raise ParameterError(f"--entrants was {state.models} at the first look and is {entrants} now")
        if len(outcomes) > entrants:
            raise OutcomeError(
                f"the logs hold {pluralize(len(outcomes), 'model')}, but the error is shared by {entrants}: "
                f"{', '.join(outcomes)}. Declare all with --entrants before the first look, or use another --state file"
            )
        rest = {name: self.options[name] for name in ("half_width", "target", "within", "goal", "runs")}
        return Declared(tuple(metrics), self.looks, entrants, baseline=self._baseline(), **rest)

    def _baseline(self) -> OutcomeMatrix | None:
        logs = self.options["baseline"]
        if not logs:
            return None
        models = load_task(logs, _quiet(self.how))
        if len(models) != 1:
            raise ParameterError(f"--baseline holds {pluralize(len(models), 'model')}: {', '.join(models)}; pass one")
        return next(iter(models.values()))

    def _plan(self, latest: NumberedLook) -> Allocation | None:
        """Allocate the next trials; None if none are asked for, or needed."""
        from ...planning import next_trials

        trials = self.options["spend"]
        if trials is None or latest.look.settled:
            return None
        running = latest.look.in_the_running
        cost = self.options["cost"]
        is_set = len(latest.outcomes) > 1 or cost is not None
        return next_trials(
            latest.look.open_metrics[0],
            latest.outcomes if is_set else next(iter(latest.outcomes.values())),
            trials,
            models=running if is_set else None,
            cost=1.0 if cost is None else cost,
            looks=self.looks,
            confidence=self.looks.confidence,
            runs=self.options["runs"],
        )

    def show(self, latest: NumberedLook, out: Output) -> int:
        """Deliver the table, say what to do next, and return the exit code."""
        again = ", the same as before" if latest.again else ""
        title = f"look {latest.number}{again}: {pluralize(latest.outcomes.n_questions, 'question')}"
        about = {"state": str(self.path)} | ({"runs": RANDOM} if self.options["runs"] == RANDOM else {})
        out.deliver(Answer([latest.look.table(title)], latest.look.rows, about))
        code, advice = self._next(latest)
        click.echo(plain(advice), err=True)
        return code

    def _next(self, latest: NumberedLook) -> tuple[int, str]:
        if latest.look.settled:
            return SETTLED, "settled: no more trials are needed"
        running = latest.look.in_the_running
        trials = min(float(latest.outcomes[name].mean_trials) for name in running)
        if self.looks.trials is not None and trials >= self.looks.trials:
            return USED_UP, f"not settled, and all {self.looks.trials:g} trials per question are used up"
        limit = f" of {self.looks.trials:g}" if self.looks.trials is not None else ""
        return GO_ON, f"not settled at {trials:.4g}{limit} trials per question: run more trials of {', '.join(running)}"

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


def _quiet(how: Reading) -> Reading:
    return Reading(how.options | {"model": None}, quiet=True)  # type: ignore[operator]
