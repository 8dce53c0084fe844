"""Options that several commands share: metrics, and what an interval is to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import click

from ..errors import ParameterError
from ..interval import METHODS, TARGETS
from ..metrics import BayesMetric, Metric, PassAtK
from ..outcome_set import OutcomeSet
from ..prior import LEARNT, PriorLike
from ..rank.settings import LEADERBOARD_TIES
from ..words import amount
from .metric import Known, metric_of

Command = TypeVar("Command", bound=Callable[..., Any])
_PRIORS = (LEARNT, "uniform", "jeffreys")


class Option(Protocol):
    """A decorator that gives a command one more option."""

    def __call__(self, command: Command, /) -> Command:
        """The same command, with the option."""
        ...


def each_as(convert: Callable[[str], Any]) -> Callable[..., Any]:
    """A callback that converts an option's value, or each of them."""

    def callback(ctx: click.Context, param: click.Parameter, given: Any) -> Any:
        try:
            return tuple(map(convert, given)) if param.multiple else convert(given)
        except ParameterError as error:
            raise click.BadParameter(str(error), ctx, param) from None

    return callback


def _prior(text: str) -> PriorLike:
    """A prior's name, or pseudo-counts with commas between."""
    if text in _PRIORS:
        return text
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ParameterError(f"{text!r} is neither {', '.join(_PRIORS)} nor numbers with commas between") from None


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 - click's signature
    return [name for name in Known() if name.startswith(incomplete)]


metrics_option: Option = click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    callback=each_as(metric_of),
    shell_complete=_names,
    help="pass@8, gpass@8:tau=.5, package.module:Class(k=8) ..; pass@1 if left out, bayes for rewards.",
)
confidence_option: Option = click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="Of intervals and ties."
)
prior_option: Option = click.option(
    "--prior",
    default=LEARNT,
    show_default=True,
    callback=each_as(_prior),
    help="eb learns the difficulties from the questions; uniform, jeffreys, or pseudo-counts as in 1,1.",
)
_METHOD = click.option(
    "--method", type=click.Choice(METHODS), default="quantile", show_default=True, help="The interval's shape."
)
_TARGET = click.option(
    "--target", type=click.Choice(TARGETS), default="questions", show_default=True, help="What it is about."
)


def short_option(*choices: str) -> Callable[[Command], Command]:
    """What to do with questions that have too few trials for a score."""
    means = {"raise": "an error", "omit": "left out of the score", "nan": "no score"}
    said = ", ".join(f"{each} {means[each]}" for each in choices)
    kind = click.Choice(choices)
    return click.option("--short", type=kind, default="raise", show_default=True, help=f"Too few trials: {said}.")


def interval_options(command: Command) -> Command:
    """Add the parameters of an interval, under their own names."""
    for option in (_TARGET, _METHOD, prior_option, confidence_option):
        command = option(command)
    return command


seed_option: Option = click.option(
    "--seed", "rng", type=click.IntRange(min=0), default=0, show_default=True, help="Of what is drawn at random."
)


tie_option: Option = click.option(
    "--tie",
    type=click.Choice(LEADERBOARD_TIES),
    default="zscore_adjacent",
    show_default=True,
    help="When models share a rank.",
)


def default_metrics(binary: bool) -> tuple[Metric, ...]:
    """Pass@1; where outcomes are rewards, their mean."""
    return (PassAtK(1) if binary else BayesMetric(),)


def chosen(metrics: Sequence[Metric], outcomes: OutcomeSet) -> Sequence[Metric]:
    """The metrics asked for, or the default ones."""
    return metrics or default_metrics(outcomes.is_right_or_wrong)


def subject(outcomes: OutcomeSet) -> str:
    """What a table is about, for its title."""
    return f"{amount(len(outcomes), 'model')} on {amount(outcomes.n_questions, 'question')}"
