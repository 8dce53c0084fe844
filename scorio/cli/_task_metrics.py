"""Metrics of tasks on the command line: ``-m chess=pass@4 -m maths=avg``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..errors import ParameterError
from ._context import Option
from ._metric import metric_of
from ._options import METRIC_HELP, METRIC_NAMES, default_metrics, is_pass_fail

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..outcomes import OutcomeMatrix, OutcomeSet, Suite


class MetricChoice(NamedTuple):
    """The metrics on the command line: those of all tasks, and those of tasks by name."""

    plain: tuple[Metric, ...] = ()
    by_task: Mapping[str, Metric] = {}

    def of(self, outcomes: OutcomeMatrix | OutcomeSet | Suite) -> Sequence[Any] | Mapping[str, Metric]:
        """Return the metrics for outcomes: a mapping from all tasks if a task has its own, else several or none.

        A task without a metric of its own has the plain one, or by default Pass@1 or Bayes@N.
        """
        from ..outcomes import Suite

        if not self.by_task:
            return self.plain
        if not isinstance(outcomes, Suite):
            problem = "of tasks are for logs of several tasks, and these are of one"
            raise ParameterError(problem, argument="metrics", hint="leave out the name of the task")
        default = {task: (self.plain or default_metrics(is_pass_fail(each)))[0] for task, each in outcomes.items()}
        return {**default, **self.by_task}

    def listed(self, outcomes: OutcomeMatrix | OutcomeSet | Suite) -> Sequence[Any]:
        """Return metrics one by one, a mapping from tasks as one of them; the default if there is none."""
        chosen = self.of(outcomes)
        return [chosen] if isinstance(chosen, Mapping) else chosen or default_metrics(is_pass_fail(outcomes))

    def chosen(self, outcomes: OutcomeMatrix | OutcomeSet | Suite) -> Any:
        """Return what a leaderboard takes: metrics, or one by task; the default if there is none."""
        return self.of(outcomes) or default_metrics(is_pass_fail(outcomes))


def _metric_choice(ctx: click.Context, param: click.Parameter, texts: Sequence[str]) -> MetricChoice:
    try:
        parsed = [_parsed(text) for text in texts]
    except ParameterError as error:
        raise click.BadParameter(str(error), ctx, param) from None
    plain = tuple(metric for task, metric in parsed if task is None)
    by_task = {task: metric for task, metric in parsed if task is not None}
    if len(plain) + len(by_task) < len(parsed):
        raise click.BadParameter("a task has two metrics", ctx, param)
    if by_task and len(plain) > 1:
        raise click.BadParameter(f"several metrics for the other tasks: {', '.join(map(str, plain))}", ctx, param)
    return MetricChoice(plain, by_task)


def _parsed(text: str) -> tuple[str | None, Metric]:
    """Return the task and the metric in a text; a metric may have = in its own parameters.

    >>> _parsed("gpass@8:tau=.5"), _parsed("chess=pass@4")
    ((None, GPassTau(k=8, tau=0.5)), ('chess', PassAtK(k=4)))
    """
    task, equals, metric = text.partition("=")
    try:
        return None, metric_of(text)
    except ParameterError:
        if not (task and equals) or "@" in task or ":" in task:
            raise
    return task, metric_of(metric)


task_metrics_option: Option = click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    callback=_metric_choice,
    shell_complete=METRIC_NAMES,
    metavar="METRIC|TASK=METRIC",
    show_default="pass@1, or bayes for rewards",
    help=f"{METRIC_HELP} TASK=METRIC is for one task, and the other tasks then have the metric without a task.",
)
