"""Metrics and functions as text on the command line: names, objects of the user's own modules, metrics of tasks."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ParameterError

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..outcomes import OutcomeMatrix, OutcomeSet, Suite

    Outcomes = OutcomeMatrix | OutcomeSet | Suite

_CLASS = re.compile(r"(?P<module>[A-Za-z_][\w.]*):(?P<name>[A-Za-z_]\w*)\s*(?P<call>\(.*\))?", re.DOTALL)


def metric_of(text: str) -> Metric:
    """Return the metric that the text means: ``pass@8``, ``gpass@8:tau=.5`` or ``package.module:Class(k=8)``.

    >>> metric_of("pass^4"), metric_of("scorio.metrics:PassAtK(k=8)")
    (PassHatK(k=4), PassAtK(k=8))
    """
    from ..metrics import Metric

    named = _CLASS.fullmatch(text.strip())
    if named is None:
        try:
            return Metric.from_string(text)
        except ParameterError as error:
            if "unknown metric" not in error.problem or "Did you mean" in error.problem:
                raise
            raise error.changed(hint="package.module:Class(k=8) is one of your own") from None
    return _made(text, named["module"], named["name"], named["call"] or "()")


def function_of(text: str) -> Callable[..., Any]:
    """Return the function that the text names, as in ``package.module:function``.

    >>> function_of("math:floor")(1.5)
    1
    """
    named = _CLASS.fullmatch(text.strip())
    if named is None or named["call"]:
        raise ParameterError(f"{text!r} is not of the form package.module:function")
    function = _imported(text, named["module"], named["name"])
    if not callable(function):
        raise ParameterError(f"{text!r} is no function; it is {function!r}")
    made: Callable[..., Any] = function
    return made


def family_of_budgets(text: str) -> Metric:
    """Return a metric that has a budget; its value does not matter and may be left out."""
    from ..metrics._names import is_metric_name

    head, colon, rest = text.partition(":")
    metric = metric_of(f"{head}@1{colon}{rest}" if is_metric_name(head) else text)
    if metric.draw_size is None:
        raise ParameterError(f"{text} has no budget k, and so no curve")
    return metric


def _made(text: str, module: str, name: str, call: str) -> Metric:
    """Make an object of a class that the user names; its arguments are literals, and no code in the text is run."""
    from ..metrics import Metric
    from ..metrics._names import check_metric_class

    try:
        positional, named = _arguments(ast.parse(f"f{call}", mode="eval").body)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise ParameterError(f"{text!r}: arguments must be literals, as in package.module:Class(k=8)") from None
    kind: type[Metric] = check_metric_class(_imported(text, module, name), Metric, repr(text))
    try:
        return kind(*positional, **named)
    except TypeError as error:
        raise ParameterError(f"{text!r}: {error}") from None


def _arguments(call: ast.expr) -> tuple[list[Any], dict[str, Any]]:
    match call:
        case ast.Call(func=ast.Name(), args=args, keywords=words) if all(word.arg for word in words):
            return [ast.literal_eval(arg) for arg in args], {str(w.arg): ast.literal_eval(w.value) for w in words}
    raise ValueError("not a plain call")


def _imported(text: str, module: str, name: str) -> Any:
    """Import an object of a module that is installed or in the current directory."""
    if "" not in sys.path:
        sys.path.append("")
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise ParameterError(f"{text!r}: no module named {error.name!r}") from None
    except AttributeError:
        raise ParameterError(f"{text!r}: module {module!r} has no {name!r}") from None


class MetricChoice(NamedTuple):
    """The metrics on the command line: those of all tasks, and those of tasks by name.

    It may be asked for one metric alone, for several, for those of tasks too, or for some whose budget does not matter.
    """

    plain: tuple[Metric, ...] = ()
    by_task: Mapping[str, Metric] = {}

    @classmethod
    def one(cls, text: str | None) -> MetricChoice:
        """Return the metric that the text means."""
        return cls.several([] if text is None else [text])

    @classmethod
    def several(cls, texts: Sequence[str]) -> MetricChoice:
        """Return the metrics that the texts mean."""
        return cls(tuple(map(metric_of, texts)))

    @classmethod
    def families(cls, texts: Sequence[str]) -> MetricChoice:
        """Return the metrics that the texts mean, with any budget."""
        return cls(tuple(map(family_of_budgets, texts)))

    @classmethod
    def by_tasks(cls, texts: Sequence[str]) -> MetricChoice:
        """Return the metrics that the texts mean, ``METRIC`` or ``TASK=METRIC``."""
        plain: list[Metric] = []
        by_task: dict[str, Metric] = {}
        for text in texts:
            task, metric = _task_and_metric(text)
            if task is None:
                plain.append(metric)
            elif task in by_task:
                raise ParameterError(f"task {task!r} has two metrics")
            else:
                by_task[task] = metric
        if by_task and len(plain) > 1:
            raise ParameterError(f"several metrics for the other tasks: {', '.join(map(str, plain))}")
        return cls(tuple(plain), by_task)

    @property
    def every(self) -> tuple[Metric, ...]:
        """All metrics that are named."""
        return (*self.plain, *self.by_task.values())

    @property
    def first(self) -> Metric | None:
        """The first metric of all tasks, if there is one."""
        return next(iter(self.plain), None)

    def of(self, outcomes: Outcomes) -> Sequence[Any] | Mapping[str, Metric]:
        """Return the metrics for outcomes: a mapping from all tasks if a task has its own, else several or none.

        A task without a metric of its own has the plain one, or by default Pass@1 or avg@N.
        """
        from ..outcomes import Suite

        if not self.by_task:
            return self.plain
        if not isinstance(outcomes, Suite):
            problem = "of tasks are for logs of several tasks, and these are of one"
            raise ParameterError(problem, argument="metrics", hint="leave out the name of the task")
        default = {task: MetricChoice(self.plain).listed(matrices)[0] for task, matrices in outcomes.items()}
        return {**default, **self.by_task}

    def listed(self, *outcomes: Outcomes) -> Sequence[Any]:
        """Return metrics one by one, a mapping from tasks as one of them.

        By default it is Pass@1, or the mean where outcomes are rewards.
        """
        from ..metrics import AvgMetric, PassAtK

        chosen = self.of(outcomes[0])
        if isinstance(chosen, Mapping):
            return [chosen]
        return chosen or [PassAtK(1) if all(matrix.is_pass_fail for matrix in outcomes) else AvgMetric()]

    def chosen(self, outcomes: Outcomes) -> Any:
        """Return what a leaderboard takes: metrics, or one by task; the default if there is none."""
        return self.of(outcomes) or self.listed(outcomes)


def _task_and_metric(text: str) -> tuple[str | None, Metric]:
    """Return the task and the metric in a text; a metric may have = in its own parameters.

    >>> _task_and_metric("gpass@8:tau=.5"), _task_and_metric("chess=pass@4")
    ((None, GPassTau(k=8, tau=0.5)), ('chess', PassAtK(k=4)))
    """
    task, equals, metric = text.partition("=")
    try:
        return None, metric_of(text)
    except ParameterError:
        if not (task and equals) or "@" in task or ":" in task:
            raise
    return task, metric_of(metric)
