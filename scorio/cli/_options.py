"""Options that several commands share. Each is declared once, so that an option means the same everywhere.

Where commands differ in a default or a detail, the option is a function of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .._choices import AUTO, BY_QUESTIONS, DIFFERENCE, FAMILIES, GATE_MODES, LEARNED, RUNS, SHAPES, TARGETS, TIES
from ..errors import ParameterError
from ._context import ConvertingOption, Option, ReadingOption
from ._metric import MetricChoice, function_of, metric_of
from ._writing import Writable

if TYPE_CHECKING:
    from ..inference import PriorLike

ALL = "all"  # the value of --pool that stands for every condition
_MAX_DROP = 0.02
_METRIC = (
    "Metric, such as pass@8, gpass@8:tau=.5 or package.module:Class(k=8); scorio score --list names all. Repeatable "
    "where a command takes several."
)


def each_as(convert: Callable[[Any], Any], *, together: bool = False) -> Callable[..., Any]:
    """Return a callback that converts an option's value; each of its values, or all of them ``together``."""

    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        try:
            if param.multiple and not together:
                return tuple(map(convert, value))
            return None if value is None else convert(value)
        except ParameterError as error:
            raise click.BadParameter(str(error), ctx, param) from None

    return callback


def _metric_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 - click's
    from ..metrics import metric_names

    return [name for name in metric_names() if name.startswith(incomplete)]


def metric_option(**settings: Any) -> Option:
    """Return ``--metric`` as ``metrics``, by default several."""
    given: dict[str, Any] = {
        "multiple": True,
        "callback": each_as(metric_of),
        "metavar": "METRIC",
        "show_default": "pass@1, or avg for rewards",
    }
    return click.option(
        *("-m", "--metric", "metrics"), shell_complete=_metric_names, help=_METRIC, **(given | settings)
    )


metrics_option: Option = metric_option()
task_metrics_option: Option = metric_option(
    metavar="[TASK=]METRIC", callback=each_as(MetricChoice.parsed, together=True)
)


def choice_option(
    name: str, choices: Sequence[str], default: str | None, text: str, shown: str | bool = True
) -> Option:
    """Return an option that is one of several words; ``shown`` says in words what holds without one."""
    return click.option(name, type=click.Choice(choices), default=default, show_default=shown, help=text)


class FiniteRange(click.FloatRange):
    """A range of numbers; NaN is in none, and infinity neither."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or fail if it is none or not in the range."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{number} is not a number that can be used here.", param, ctx)
        return number


def number_option(name: str, default: float | None, text: str, shown: str | bool = True) -> Option:
    """Return an option that is a number; ``shown`` says in words what holds without one."""
    return click.option(name, type=float, metavar="NUMBER", default=default, show_default=shown, help=text)


def count_option(*names: str, text: str, least: int = 1, **settings: Any) -> Option:
    """Return an option that is a whole number, at least ``least``."""
    return click.option(*names, type=click.IntRange(min=least), metavar="N", help=text, **settings)


def logs_option(*names: str, default: str, text: str) -> Option:
    """Return a repeatable option that names logs; ``default`` says what holds without it."""
    return click.option(*names, multiple=True, type=click.Path(), metavar="LOGS", show_default=default, help=text)


def file_option(name: str, text: str, default: str = "none", endings: Collection[str] = ()) -> Option:
    """Return an option that names a file to write; ``default`` says what holds without it."""
    return click.option(name, type=Writable(endings), show_default=default, help=text)


def between_option(default: str) -> Option:
    """Return the option that names two models; ``default`` says which they are without it."""
    text = "Names of the two models to compare, the new one before its baseline."
    return click.option("--between", nargs=2, metavar="MODEL MODEL", show_default=default, help=text)


def baseline_option(default: str) -> Option:
    """Return the option that names the logs of a baseline; ``default`` says where it is without it."""
    text = "Logs or saved counts of the baseline, the model or run to compare with. Repeatable."
    return logs_option("--baseline", default=default, text=text)


confidence_option: Option = number_option(
    "--confidence", 0.95, "Confidence level: one minus the error rate of the intervals and verdicts."
)
target_option: Option = choice_option(
    "--target",
    TARGETS,
    "questions",
    "Subject of the answer: these questions, or the population that they are a sample of.",
)


runs_option: Option = choice_option(
    "--runs",
    RUNS,
    AUTO,
    "How trials of one run are taken: as independent (independent), as sharing a server, a day or a seed, so that the "
    "answer is about runs like these (random), or as independent with a warning where runs differ (auto).",
)


def _prior(text: str) -> PriorLike:
    """Return pseudo-counts with commas between, or a prior's name."""
    from ..inference import as_prior

    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        return LEARNED if as_prior(text).is_learned else text


prior_option: Option = click.option(
    "--prior",
    metavar="PRIOR",
    show_default="learned, but uniform for the metric bayes",
    callback=each_as(_prior),
    help="Prior of the questions' success rates: learned from all questions, uniform, jeffreys, or pseudo-counts "
    "such as 1,1.",
)
interval_options: tuple[Option, ...] = (
    confidence_option,
    target_option,
    prior_option,
    choice_option(
        "--shape",
        SHAPES,
        None,
        "Shape of intervals: quantiles of the posterior, its mean and standard deviation (normal), for pass@1 and "
        "avg, ends that hold whatever the difficulties are (binomial), or for metrics of a number of successes, every "
        "value that fits the outcomes (profile).",
        "quantile for a learned prior, else normal",
    ),
)


paired_option: Option = click.option(
    "--paired/--unpaired",
    default=None,
    show_default="paired if the questions are the same",
    help="Compare the models question by question, or only their scores; for --target population.",
)
too_few_option: Option = choice_option(
    "--too-few",
    ("raise", "omit", "nan"),
    "raise",
    "Treatment of questions with too few trials for the score. They are an error (raise), are omitted (omit) or make "
    "it a forecast, an interval without a score (nan).",
)
seed_option: Option = count_option(
    "--seed", "rng", text="Seed of the random numbers.", least=0, default=0, show_default=True
)
bars_option: Option = click.option(
    "--bars/--no-bars",
    default=None,
    show_default="on a wide terminal",
    help="Draw the intervals as bars beside the numbers, all on one axis.",
)
tie_option: Option = choice_option(
    "--tie",
    TIES,
    DIFFERENCE,
    "Models share a rank if their difference is not significant (difference), or as neighbors if they differ by a "
    "small z-score (zscore_adjacent) or if their intervals overlap (ci_overlap_adjacent).",
)
shared_only_option: Option = click.option(
    "--shared-only", is_flag=True, help="Leave out the questions that only one of the two models has."
)
allow_missing_option: Option = click.option(
    "--allow-missing",
    is_flag=True,
    help="Let a gate pass although a run seems to have ended early: it has less than 90% of the planned trials, or "
    "less than a quarter of the baseline's trials per question.",
)
picture_option: Option = file_option(
    "--picture", "File for a picture: .svg, .pdf or .png.", endings=(".svg", ".pdf", ".png")
)


def check_one_metric(picture: Path | None, metrics: Sequence[Any]) -> None:
    """Check that a picture, if there is one, is of one metric."""
    if picture is not None and len(metrics) > 1:
        raise ParameterError("shows one metric", argument="picture")


power_option: Option = number_option(
    "--power", 0.8, "Power to plan for: the probability that the difference of two models is then significant."
)


def half_width_option(default: str) -> Option:
    """Return ``--half-width``; ``default`` says what is done without it."""
    text = "Half-width at which the interval of every model is narrow enough."
    return number_option("--half-width", None, text, default)


def trials_option(*names: str) -> Option:
    """Return ``--trials``, under the name of a parameter if one is given."""
    text = "Number of trials per question: of each model in a plan without logs, or the largest that watch will see."
    return count_option("--trials", *names, text=text, show_default="none")


def over_option(shown: str, default: str | None = None) -> Option:
    """Return the option that names a number of each question."""
    text = "Number of each question in the logs, or column of tables, such as human_minutes."
    return click.option("--over", metavar="NAME", default=default, show_default=shown, help=text)


family_option: Option = click.option(
    "--family",
    type=click.Choice(FAMILIES),
    show_default="no second table",
    help="Add a table of all differences. The error rate is that of each alone (each), of all together, by Holm's "
    "method (holm) or by their joint distribution (simultaneous), or the false-discovery rate (fdr).",
)


def _named_numbers(texts: Sequence[str], problem: str) -> dict[str, float] | None:
    """Return numbers by name; None if there is none."""
    numbers: dict[str, float] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            numbers[name] = float(number)
        except ValueError:
            name = ""
        if not name:
            raise ParameterError(f"{text!r} is {problem}")
    return numbers or None


def _task_weights(texts: Sequence[str]) -> dict[str, float] | str | None:
    """Return the weights of tasks: by their names, or ``"questions"``."""
    if list(texts) == [BY_QUESTIONS]:
        return BY_QUESTIONS
    return _named_numbers(texts, f"neither {BY_QUESTIONS!r} nor of the form TASK=NUMBER")


def _costs(texts: Sequence[str]) -> dict[str, float] | str | None:
    """Return the name of a cost in the logs, or the costs of a trial by model."""
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    return _named_numbers(texts, "neither one NAME nor of the form MODEL=NUMBER")


task_weight_option: Option = click.option(
    *("--task-weight", "task_weights"),
    multiple=True,
    callback=each_as(_task_weights, together=True),
    metavar="TASK=NUMBER",
    show_default="equal",
    help="Weight of a task in the overall score, repeatable; or questions, for weights proportional to the number of "
    "questions.",
)


def cost_option(default: str) -> Option:
    """Return ``--cost``; ``default`` says which it is without it."""
    return click.option(
        "--cost",
        multiple=True,
        callback=each_as(_costs, together=True),
        metavar="NAME|MODEL=NUMBER",
        show_default=default,
        help="Name of the cost in the logs, such as dollars, seconds or output_tokens; or the cost of a trial by "
        "model, repeatable.",
    )


class MaxDrop(NamedTuple):
    """The accepted drop on the command line: a number or percentage for all tasks, and those of tasks by name."""

    number: float | str | None = None
    by_task: Mapping[str, float | str] = MappingProxyType({})

    @classmethod
    def parsed(cls, texts: Sequence[str]) -> MaxDrop:
        """Return the drop that the texts mean, ``NUMBER``, ``NUMBER%`` or one of these after ``TASK=``."""
        plain = [text for text in texts if "=" not in text]
        named = [text.rpartition("=") for text in texts if "=" in text]
        if len(plain) > 1:
            raise ParameterError(f"several numbers for all tasks: {', '.join(plain)}")
        if any(not name for name, _, _ in named):
            raise ParameterError(f"{''.join(next(each for each in named if not each[0]))!r} names no task before =")
        return cls(
            number_or_percent(plain[0]) if plain else None, {name: number_or_percent(text) for name, _, text in named}
        )

    @property
    def is_set(self) -> bool:
        """Whether the option was used."""
        return self.number is not None or bool(self.by_task)

    def of_tasks(self, outcomes: Any) -> float | str | dict[str, float | str]:
        """Return the accepted drop, by task if a task has its own."""
        number = _MAX_DROP if self.number is None else self.number
        if not self.by_task:
            return number
        return {**dict.fromkeys(getattr(outcomes, "tasks", ()), number), **self.by_task}


def number_or_percent(text: str) -> float | str:
    """Return a number, or a percentage as it is written."""
    try:
        float(text.removesuffix("%"))
    except ValueError:
        raise ParameterError(f"{text!r} is neither a number, a percentage nor of the form TASK=NUMBER") from None
    return text if text.endswith("%") else float(text)


def gate_options(no_baseline: str, no_drop: str) -> tuple[Option, ...]:
    """Return the options of a gate; the arguments say what holds without ``--baseline`` and ``--max-drop``."""
    return (
        baseline_option(no_baseline),
        between_option("the only two"),
        click.option(
            "--max-drop",
            multiple=True,
            callback=each_as(MaxDrop.parsed, together=True),
            metavar="NUMBER|PERCENT|TASK=NUMBER",
            show_default=no_drop,
            help="Largest drop of the score that a gate accepts, or with a percentage such as 5%, largest share of "
            "the baseline's score; repeatable for tasks with a limit of their own.",
        ),
        choice_option(
            "--mode",
            GATE_MODES,
            "worse",
            "A gate is failed if the new model is shown to be worse and drops above --max-drop are not excluded "
            "(worse); it is passed only if they are excluded (noninferior), or only if the scores are shown to differ "
            "by less in either direction (equivalent).",
        ),
    )


_MODEL = "Name of the only model, or a new NAME for a MODEL or a path pattern"
_ONLY = "Model to keep, by its name or a pattern such as 'gpt*'"
_FIELD = (
    "Column or field for a role: question, outcome, model, task, trial, run, cluster, trials or successes, as in "
    "question=item_id; trial= for none; cost=usd for what trials cost; answer=pred for votes; models='*' for "
    "one column per model"
)
_FACTOR = "Column of a table, such as prompt or judge, or condition of logs, whose levels are kept apart as rows"
_KEEP = "What else to read of each trial: answers, or a score by its name in the logs"
_ASKED = (
    "Names of all questions, as JSON or one per line, for logs that do not list what failed (SWE-bench/experiments)"
)
_POOL = f"Condition in which runs may differ and still add up, such as temperature; {ALL} for every one"
_READING = (  # names, form of the value, what holds by default, help, and whether it is repeatable
    (["--model"], "[NAME=]MODEL", "as in the logs", _MODEL, True),
    (["--only"], "PATTERN", "all", _ONLY, True),
    (["--task"], "PATTERN", "all", "Pattern of the tasks to read", False),
    (["--score"], "NAME", "the only one", "Stored score or column to read, where the logs have several", False),
    (["--filter"], "NAME", "the only one", "Filter to read, where the logs have several (lm-eval)", False),
    (["--field", "fields"], "ROLE=COLUMN", "known names", _FIELD, True),
    (["--level", "levels"], "WORD=REWARD", "known words", "Reward for a word, as in P=0.5; none if missing", True),
    (["--factor", "factors"], "COLUMN", "none", _FACTOR, True),
    (["--pool"], "CONDITION", "none", _POOL, True),
    (["--table"], "NAME", "the only one", "Table of SQLite and DuckDB files, or sheet of a workbook", False),
)
_CONVERTING = (
    (["--log-format", "format"], "NAME", "detected from the content", "Format of the logs", False),
    (["--keep"], "NAME", "none", _KEEP, True),
    (["--query"], "SQL", "the whole table", "Query on SQLite and DuckDB files", False),
    (["--question-list", "questions"], "FILE", "as in the logs", _ASKED, False),
)
NONE = "none"  # of --normalize: answers stay as they are


def _normalize(text: str) -> Callable[..., Any] | str:
    return NONE if text == NONE else function_of(text)


def _listed(rows: Iterable[tuple[list[str], str, str, str, bool]], kind: type[ReadingOption]) -> Iterator[Option]:
    """Yield the options of a table of them."""
    for names, form, default, meaning, is_repeatable in rows:
        text = f"{meaning}{'; repeatable' * is_repeatable}."
        yield click.option(*names, metavar=form, show_default=default, multiple=is_repeatable, cls=kind, help=text)


reading_options: tuple[Option, ...] = (
    *_listed(_READING, ReadingOption),
    click.option(
        "--missing",
        type=click.Choice(["omit", "fail", "raise"]),
        default="omit",
        show_default=True,
        cls=ReadingOption,
        help="Planned trials without an outcome are left out (omit), are failures (fail), or are an error (raise).",
    ),
    click.option(
        "--skip-bad",
        is_flag=True,
        cls=ReadingOption,
        help="Skip files and tasks that cannot be read, with a note on stderr.",
    ),
    click.option(
        *("-q", "--quiet"), is_flag=True, cls=ReadingOption, help="Do not report the detected formats on stderr."
    ),
)
converting_options: tuple[Option, ...] = (
    *_listed(_CONVERTING, ConvertingOption),
    click.option(
        "--grade",
        callback=each_as(function_of),
        metavar="MODULE:FUNCTION",
        show_default="the stored scores",
        cls=ConvertingOption,
        help="Function that grades each stored response (lm-eval).",
    ),
    click.option(
        "--normalize",
        callback=each_as(_normalize),
        metavar="MODULE:FUNCTION",
        show_default="scorio:normalize_answer",
        cls=ConvertingOption,
        help=f"Function that makes equal answers alike, with --keep answers; {NONE} takes them as they are.",
    ),
)
