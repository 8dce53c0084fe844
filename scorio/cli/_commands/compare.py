"""``scorio compare``: two models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._choices import OVERALL
from ..._display.numbers import FORECAST_NOTE, chance, number, percent, score_text, signed
from ..._display.table import Column, Table
from ..._display.words import shorten
from ...errors import OutcomeError, ParameterError
from .._command import declared
from .._conditions import fail_under_option
from .._context import tracked
from .._metric import MetricChoice, is_pass_fail
from .._options import (
    between_option,
    check_one_metric,
    cost_option,
    family_option,
    interval_options,
    paired_option,
    picture_option,
    runs_option,
    shared_only_option,
    task_metrics_option,
    task_weight_option,
)
from .._output import Answer, Output
from .._reading import Reading, check_pair, check_renamed, load_logs, load_part, of_model, on_one_footing
from .._writing import write_picture

if TYPE_CHECKING:
    from ...comparison import Comparison, CostComparison
    from ...outcomes import OutcomeMatrix, OutcomeSet, Suite


@declared(
    "compare",
    "old.json new.json -m pass@1 -m pass@4",
    between_option("the only two"),
    task_metrics_option,
    task_weight_option,
    shared_only_option,
    *interval_options,
    runs_option,
    paired_option,
    family_option,
    cost_option("no table of costs per success"),
    picture_option,
    fail_under_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    between: tuple[str, str] | None,
    metrics: MetricChoice,
    out: Output,
    family: str | None,
    cost: str | dict[str, float] | None,
    picture: Path | None,
    **options: Any,
) -> None:
    """Compare two models: the difference, its interval, and the probability that one is better.

    --cost adds what a success costs with each of them: all that was spent, failures included, over the successes.

    The logs hold two models, or --between names two of them. Two logs of the same model are named by their paths.
    """
    from ...comparison import compare
    from ...rank import join_pairs

    check_one_metric(picture, metrics.plain)
    sides = _sides(logs, how, between, by_task=bool(metrics.by_task))
    (first, A), (second, B) = ((name, of_model(outcomes, model)) for name, outcomes, model in sides)
    listed = metrics.listed(A if is_pass_fail(B) else B)
    comparisons = [compare(metric, A, B, names=(first, second), **options) for metric in tracked("comparing", listed)]
    records = [record for each in comparisons for record in each._records()]
    said = [_verdict(each, A, B, options) for each in comparisons]
    table = _table(comparisons)
    tables, settings = [table._replace(notes=[*table.notes, *said])], dict(options)
    if family is not None:
        pairs = join_pairs(comparisons, family)
        tables.append(pairs.table())
        settings["pairs"] = pairs.to_dict()
    if cost is not None:
        costs = _costs(sides, cost, options)
        tables.append(costs._display_table())
        settings["costs"] = costs.to_dict()
    write_picture(picture, lambda plot: plot.compare(comparisons[0]))
    out.deliver(Answer(tables, records, settings))


def _costs(sides: Sequence[_Side], cost: str | dict[str, float], options: dict[str, Any]) -> CostComparison:
    """Return the comparison by cost per success."""
    from ...comparison import compare_costs

    (first, A, one), (second, B, other) = sides
    about = {name: options[name] for name in ("task_weights", "confidence", "prior", "target", "shared_only")}
    return compare_costs(A, B, cost, model=(one, other), names=(first, second), **about)


_Side = tuple[str, "OutcomeSet | Suite", str]  # the name that is shown, the outcomes, and the model's name there


def contenders(
    logs: Sequence[str], how: Reading, between: tuple[str, str] | None, *, by_task: bool
) -> dict[str, OutcomeMatrix | Suite]:
    """Return the two models to compare: those of ``--between``, or the only two."""
    sides = _sides(logs, how, between, by_task=by_task)
    return {name: of_model(outcomes, model) for name, outcomes, model in sides}


def _sides(logs: Sequence[str], how: Reading, between: tuple[str, str] | None, *, by_task: bool) -> list[_Side]:
    if len(logs) == 2 and between is None:
        parts = [load_part([log], how) for log in logs]
        one, other = on_one_footing(*parts, by_task=by_task)
        first, second = one.models, other.models
        if len(first) == len(second) == 1:
            check_renamed(how, parts)
            check_pair(parts[0], parts[1], (first[0], second[0]))
            names = first + second if first != second else tuple(logs)
            return [(names[0], one, first[0]), (names[1], other, second[0])]
    reading = load_logs(logs, how)
    [outcomes] = on_one_footing(reading, by_task=by_task)
    models = outcomes.models
    names = between or models
    if len(models) == 1:
        raise ParameterError(f"a comparison needs two models; the logs hold only {shorten(models)}")
    if len(set(names)) != 2 or not set(names) <= set(models):
        unknown = [name for name in names if name not in models]
        problem = f"there is no model {unknown[0]!r}: " if unknown else ""
        raise ParameterError(f"{problem}choose two different models with --between out of {shorten(models)}")
    check_pair(reading, reading, (names[0], names[1]))
    return [(name, outcomes, name) for name in names]


def _table(comparisons: Sequence[Comparison]) -> Table:
    example = comparisons[0]
    first, second = example.names
    exact = ["exact p"] if any(each.p_exact is not None for each in comparisons) else []
    numbers = (first, second, "difference", "sigma", "interval", f"P({first} better)", "p", *exact)
    columns = [Column("metric"), *(Column(head, right=True) for head in numbers), Column("better")]
    scores = f"{first}, {second}: scores; {percent(example.confidence)} intervals of the difference {example.about}"
    title = f"{first} against {second} on {example.extent}"
    cells = [_cells(each, with_exact=bool(exact)) for each in comparisons]
    if example.tasks is not None:
        columns.insert(0, Column("task"))
        parts = [
            (task, each) for whole in comparisons for task, each in {OVERALL: whole, **(whole.tasks or {})}.items()
        ]
        cells = [[task, *_cells(each, with_exact=bool(exact))] for task, each in parts]
    return Table(title, columns, cells, [f"{scores}; better: the interval excludes 0", *_notes(comparisons)])


def _verdict(
    comparison: Comparison, A: OutcomeMatrix | Suite, B: OutcomeMatrix | Suite, options: dict[str, Any]
) -> str:
    """Say which model is better, or how many more trials would show it."""
    from ...metrics import Metric
    from ...planning import plan_separation

    own = comparison.verdicts()[0].rpartition(" (")[0]
    metric = comparison.metric
    if comparison.winner or not isinstance(metric, Metric) or options["shared_only"]:
        return own
    terms = {name: options[name] for name in ("task_weights", "target", "prior")}
    paired = comparison.paired and metric._is_mean_over_questions
    level = max(comparison.confidence, 0.5)
    try:
        plan = plan_separation(metric, A, B, confidence=level, paired=paired, runs=comparison.runs, **terms)
    except OutcomeError as error:
        return f"{own}; there is no plan to tell them apart: {error.problem}"
    return f"{own}; {plan.separation}"


def _notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Say how p was computed, the error rate, and what pairing is worth."""
    example = comparisons[0]
    test = "paired t test" if math.isfinite(example.degrees) else "two-sided"
    exact = "; exact p: McNemar's exact test" if example.p_exact is not None else ""
    pairing = dict.fromkeys(f"{each.metric}: {each.pairing}" for each in comparisons if each.pairing)
    forecast = [FORECAST_NOTE] if any(None in each.scores for each in comparisons) else []
    return [f"p: {test}{exact}; {example.error_rate}", *pairing, *forecast]


def _cells(comparison: Comparison, *, with_exact: bool) -> list[str]:
    exact = ["-" if comparison.p_exact is None else chance(comparison.p_exact)] if with_exact else []
    return [
        str(comparison.metric),
        *map(score_text, comparison.scores),
        signed(comparison.difference),
        number(comparison.sigma),
        f"[{signed(comparison.lo)}, {signed(comparison.hi)}]",
        chance(comparison.p_better),
        "-" if comparison.p_value is None else chance(comparison.p_value),
        *exact,
        comparison.winner or "not significant",
    ]
