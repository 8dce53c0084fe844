"""Options that several commands share: metrics and the parameters of intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from .._choices import BY_QUESTIONS, DIFFERENCE, LEARNED, QUESTIONS, SHAPES, TARGETS, TIES
from .._display.numbers import trials_each
from .._display.words import pluralize
from ..errors import ParameterError
from ._context import Command, Option
from ._metric import metric_of

if TYPE_CHECKING:
    from ..inference._prior import PriorLike
    from ..metrics import Metric
    from ..outcomes import OutcomeMatrix, OutcomeSet, Suite


def each_as(convert: Callable[[str], Any]) -> Callable[..., Any]:
    """Return a callback that converts an option's value, or each of its values."""

    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        try:
            return tuple(map(convert, value)) if param.multiple else convert(value)
        except ParameterError as error:
            raise click.BadParameter(str(error), ctx, param) from None

    return callback


def _prior(text: str) -> PriorLike:
    """Return pseudo-counts with commas between, or a prior's name."""
    from ..inference._prior import is_learned

    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        return LEARNED if is_learned(text) else text


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 - click's signature
    from ..metrics._names import metric_names

    return [name for name in metric_names() if name.startswith(incomplete)]


METRIC_NAMES = _names
METRIC_HELP = "Metric, such as pass@8, gpass@8:tau=.5 or package.module:Class(k=8); repeatable."

metrics_option: Option = click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    callback=each_as(metric_of),
    shell_complete=_names,
    show_default="pass@1, or bayes for rewards",
    help=METRIC_HELP,
)


def confidence_of(what: str) -> Option:
    """Return the option of the confidence level, which is that of what the help says."""
    return click.option("--confidence", type=float, default=0.95, show_default=True, help=what)


confidence_option = confidence_of("Confidence level of intervals and ties.")


def between_option(what: str, default: str, names: str = "MODEL MODEL") -> Option:
    """Return the option that names two models; ``default`` says which they are without it."""
    return click.option("--between", nargs=2, metavar=names, show_default=default, help=what)


prior_option: Option = click.option(
    "--prior",
    default=LEARNED,
    show_default=True,
    callback=each_as(_prior),
    help="Prior of the questions' success rates: learned from all questions, uniform, jeffreys, or pseudo-counts "
    "such as 1,1.",
)
_SHAPE = click.option(
    "--shape", type=click.Choice(SHAPES), default="quantile", show_default=True, help="Shape of intervals."
)
target_option: Option = click.option(
    "--target",
    type=click.Choice(TARGETS),
    default="questions",
    show_default=True,
    help="Subject of the answer: these questions, or the population that they are a sample of.",
)
questions_option: Option = click.option(
    "--questions",
    type=click.Choice(QUESTIONS),
    default="all",
    show_default=True,
    help="Questions to compare on: all, or those that both models have.",
)


def too_few_option(*choices: str) -> Callable[[Command], Command]:
    """Return the option that says what to do with questions that have too few trials for a score."""
    actions = {"raise": "an error", "omit": "omitted from the score", "nan": "a score of nan"}
    *others, last = (actions[each] for each in choices)
    return click.option(
        "--too-few",
        type=click.Choice(choices),
        default="raise",
        show_default=True,
        help=f"Treatment of questions with too few trials: {', '.join(others)} or {last}.",
    )


def interval_options(command: Command) -> Command:
    """Add the parameters of an interval, under their own names."""
    for option in (target_option, _SHAPE, prior_option, confidence_option):
        command = option(command)
    return command


seed_option: Option = click.option(
    "--seed", "rng", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the random numbers."
)


bars_option: Option = click.option(
    "--bars/--no-bars",
    default=None,
    show_default="on a wide terminal",
    help="Intervals drawn as bars beside the numbers, all on one axis.",
)


tie_option: Option = click.option(
    "--tie",
    type=click.Choice(TIES),
    default=DIFFERENCE,
    show_default=True,
    help="Rule for models that share a rank.",
)


def default_metrics(is_pass_fail: bool) -> tuple[Metric, ...]:
    """Return Pass@1, or the mean where outcomes are rewards."""
    from ..metrics import BayesMetric, PassAtK

    return (PassAtK(1) if is_pass_fail else BayesMetric(),)


def metrics_or_default(metrics: Sequence[Metric], outcomes: OutcomeSet | Suite) -> Sequence[Metric]:
    """Return the metrics on the command line, or the default."""
    return metrics or default_metrics(is_pass_fail(outcomes))


def is_pass_fail(outcomes: OutcomeMatrix | OutcomeSet | Suite) -> bool:
    """Return whether outcomes are binary, on every task."""
    from ..outcomes import Suite

    tasks = outcomes.values() if isinstance(outcomes, Suite) else [outcomes]
    return all(each.is_pass_fail for each in tasks)


def _weights(ctx: click.Context, param: click.Parameter, texts: Sequence[str]) -> dict[str, float] | str | None:
    """Return the weights of tasks: by their names, or ``"questions"``."""
    if list(texts) == [BY_QUESTIONS]:
        return BY_QUESTIONS
    return named_numbers(texts, f"neither {BY_QUESTIONS!r} nor of the form TASK=NUMBER", ctx, param)


def _costs(ctx: click.Context, param: click.Parameter, texts: Sequence[str]) -> dict[str, float] | str | None:
    """Return the name of a cost in the logs, or the costs of a trial by model."""
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    return named_numbers(texts, "neither one NAME nor of the form MODEL=NUMBER", ctx, param)


def named_numbers(
    texts: Sequence[str], problem: str, ctx: click.Context, param: click.Parameter
) -> dict[str, float] | None:
    """Return numbers by name; None if there is none."""
    numbers: dict[str, float] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            numbers[name] = float(number)
        except ValueError:
            name = ""
        if not name:
            raise click.BadParameter(f"{text!r} is {problem}", ctx, param)
    return numbers or None


weights_option: Option = click.option(
    "--weights",
    multiple=True,
    callback=_weights,
    metavar="TASK=NUMBER",
    show_default="equal",
    help="Weight of a task in the overall score, repeatable; or questions, for weights proportional to the number of "
    "questions.",
)


cost_option: Option = click.option(
    "--cost",
    multiple=True,
    callback=_costs,
    metavar="NAME|MODEL=NUMBER",
    show_default="the only one",
    help="Name of the cost in the logs, such as dollars, seconds or output_tokens; or the cost of a trial by model, "
    "repeatable.",
)


def subject(outcomes: OutcomeSet | Suite) -> str:
    """Say how many models, tasks, questions and trials a table rests on."""
    from ..outcomes import Suite

    tasks = list(outcomes.values()) if isinstance(outcomes, Suite) else [outcomes]
    count = len(outcomes.models) if isinstance(outcomes, Suite) else len(outcomes)
    places = [pluralize(len(tasks), "task")] * isinstance(outcomes, Suite)
    places.append(pluralize(outcomes.n_questions, "question"))
    ranges = [each.trials_each for each in tasks]
    trials = trials_each(min(fewest for fewest, _ in ranges), max(most for _, most in ranges))
    return f"{pluralize(count, 'model')} on {', '.join(places)}, {trials}"
