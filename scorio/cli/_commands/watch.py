"""``scorio watch``: look at results while they come in, and say when they are settled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._choices import GOALS
from ..._display.table import plain
from ..._display.words import pluralize
from ...errors import OutcomeError, ParameterError
from .._options import confidence_of, metrics_option, metrics_or_default, target_option
from .._output import Answer, deliver, output_options
from .._reading import Reading, gathered, load_task, reading_options
from .._writing import Writable

if TYPE_CHECKING:
    from ...metrics import Metric
    from ...outcomes import OutcomeMatrix, OutcomeSet
    from .._look import Declared, Look
    from .._watch_state import State

SETTLED, GO_ON, USED_UP = 0, 1, 3


@click.command("watch", epilog="Example: scorio watch logs/ -m pass@4 --budget 64 --half-width 0.25")
@reading_options
@metrics_option
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    show_default="none",
    help="Largest number of trials per question that will be run.",
)
@click.option(
    "--around",
    type=click.FloatRange(min=0, min_open=True),
    show_default="none",
    help="Number of trials per question at which intervals are tightest, instead of --budget: there is no limit.",
)
@confidence_of("Confidence level over all looks.")
@click.option(
    "--half-width",
    type=float,
    show_default="none",
    help="Half-width of every interval at which the answer is precise enough.",
)
@click.option(
    "--baseline", type=click.Path(exists=True), show_default="none", help="Logs of another model on the same questions."
)
@click.option(
    "--within", type=float, default=0.0, show_default=True, help="Difference between models that does not matter."
)
@click.option(
    "--goal", type=click.Choice(GOALS), default="best", show_default=True, help="What several models have to settle."
)
@click.option(
    "--models",
    "entrants",
    type=click.IntRange(min=1),
    show_default="those of the first look",
    help="Number of models that share the error, if some have no results yet.",
)
@target_option
@click.option("--state", type=Writable((".json",)), show_default="beside the logs", help="File that keeps the looks.")
@click.option(
    "--next",
    "next_",
    type=float,
    metavar="AMOUNT",
    show_default="none",
    help="Number of next trials, or amount of --next-cost, to allocate to questions.",
)
@click.option(
    "--next-cost",
    metavar="NAME",
    show_default="trials",
    help="Name of the cost in the logs that --next is an amount of, such as dollars.",
)
@click.option(
    "--next-file",
    type=Writable((".csv", ".json", ".jsonl")),
    show_default="none",
    help="File for the allocation of --next.",
)
@click.option("--follow", is_flag=True, help="Look again whenever the logs grow, until the results are settled.")
@click.option(
    "--every",
    type=click.FloatRange(min=0.01),
    default=30.0,
    show_default=True,
    help="Seconds between checks of the logs, with --follow.",
)
@output_options
def command(logs: tuple[str, ...], form: str | None, output: Path | None, **options: Any) -> None:
    """Look at results while they come in, and say when they are settled.

    Every call counts one look, at all logs as they are now; the same logs again are the same look. Intervals and
    winners stay valid however many looks there are. The looks are kept in a file beside the logs. Settings cannot
    change after the first look.

    Exit codes: 0 settled, 1 go on, 2 the call or the data is wrong, 3 the budget is used up and nothing is settled.

    """
    how = gathered(options)
    watch = Watch(logs, how, options)
    if not options["follow"]:
        raise SystemExit(watch.show(watch.look(), form, output))
    for latest in watch.follow(options["every"]):
        code = watch.show(latest, form, output)
        if code != GO_ON:
            raise SystemExit(code)


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
        from .._watch_state import state_path

        self.logs, self.how, self.options = logs, how, options
        self.path: Path = options["state"] or state_path(logs[0])
        if (options["budget"] is None) == (options["around"] is None):
            raise ParameterError("pass either --budget, the most trials per question, or --around, without a limit")
        self.looks = Looks(options["budget"], options["around"], options["confidence"])

    def look(self) -> NumberedLook:
        """Read the logs, judge them, and keep the look."""
        from ...outcomes import OutcomeSet
        from .._look import look
        from .._watch_state import digest, opened

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
        self._allocate(result, state)
        state.save(self.path)
        return result

    def _settings(self, metrics: tuple[Metric, ...] | Any) -> dict[str, Any]:
        from .._watch_state import digest

        kept = ("budget", "around", "confidence", "half_width", "within", "goal", "target")
        baseline = self.options["baseline"]
        return {name: self.options[name] for name in kept} | {
            "metrics": [str(metric) for metric in metrics],
            "baseline": baseline and digest(load_task((baseline,), _quiet(self.how))),
        }

    def _declared(self, metrics: Any, outcomes: OutcomeSet, state: State) -> Declared:
        from .._look import Declared

        entrants = self.options["entrants"] or state.models or len(outcomes)
        if state.models and entrants != state.models:
            raise ParameterError(f"--models was {state.models} at the first look and is {entrants} now")
        if len(outcomes) > entrants:
            raise OutcomeError(
                f"the logs hold {pluralize(len(outcomes), 'model')}, but the error is shared by {entrants}: "
                f"{', '.join(outcomes)}. Declare all with --models before the first look, or use another --state file"
            )
        rest = {name: self.options[name] for name in ("half_width", "target", "within", "goal")}
        return Declared(tuple(metrics), self.looks, entrants, baseline=self._baseline(), **rest)

    def _baseline(self) -> OutcomeMatrix | None:
        path = self.options["baseline"]
        if path is None:
            return None
        models = load_task((path,), _quiet(self.how))
        if len(models) != 1:
            raise ParameterError(f"--baseline holds {pluralize(len(models), 'model')}: {', '.join(models)}; pass one")
        return next(iter(models.values()))

    def _allocate(self, latest: NumberedLook, state: State) -> None:
        """Print the next trials, and write their file, which makes later results adaptive."""
        from ...planning import next_trials

        trials = self.options["next_"]
        if trials is None or latest.look.settled:
            return
        running = latest.look.in_the_running
        cost = self.options["next_cost"]
        is_set = len(latest.outcomes) > 1 or cost is not None
        plan = next_trials(
            latest.look.open_metrics[0],
            latest.outcomes if is_set else next(iter(latest.outcomes.values())),
            trials,
            models=running if is_set else None,
            cost=1.0 if cost is None else cost,
            looks=self.looks,
            confidence=self.looks.confidence,
        )
        click.echo(str(plan), err=True)
        if self.options["next_file"] is not None:
            plan.write(self.options["next_file"])
            state.adaptive = state.adaptive or plan.is_adaptive

    def show(self, latest: NumberedLook, form: str | None, output: Path | None) -> int:
        """Deliver the table, say what to do next, and return the exit code."""
        again = ", the same as before" if latest.again else ""
        title = f"look {latest.number}{again}: {pluralize(latest.outcomes.n_questions, 'question')}"
        deliver(Answer([latest.look.table(title)], latest.look.rows, {"state": str(self.path)}), form, output)
        code, advice = self._next(latest)
        click.echo(plain(advice), err=True)
        return code

    def _next(self, latest: NumberedLook) -> tuple[int, str]:
        if latest.look.settled:
            return SETTLED, "settled: no more trials are needed"
        running = latest.look.in_the_running
        trials = min(float(latest.outcomes[name].mean_trials) for name in running)
        if self.looks.budget is not None and trials >= self.looks.budget:
            return USED_UP, f"not settled, and the budget of {self.looks.budget:g} trials per question is used up"
        limit = f" of {self.looks.budget:g}" if self.looks.budget is not None else ""
        return GO_ON, f"not settled at {trials:.4g}{limit} trials per question: run more trials of {', '.join(running)}"

    def follow(self, every: float, sleep: Callable[[float], None] = time.sleep) -> Iterator[NumberedLook]:
        """Look whenever the logs change; a log that cannot be read yet is tried again."""
        before, said = None, ""
        while True:
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
        from ...io._sources import expand

        try:
            paths = expand(self.logs[0] if len(self.logs) == 1 else self.logs)
            stats = [(str(path), path.stat()) for path in paths]
        except (OutcomeError, OSError):
            return ()
        return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


def _quiet(how: Reading) -> Reading:
    return Reading(how.options | {"model": None}, quiet=True)  # type: ignore[operator]
