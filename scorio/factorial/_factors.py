"""``analyze_factors``: analyse models under crossed conditions, such as prompts, judges and seeds."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .._arrays import underflow_is_zero
from .._choices import INCOMPLETE, TARGETS
from .._display.numbers import trials_each
from .._display.words import pluralize, unknown
from ..errors import ParameterError
from ..estimates import at_task, holm
from ..judging import question_values, trial_variances
from ..metrics import Metric, as_metric
from ..outcomes import MODEL
from ..params import choice, open_unit
from ._analysis import Cell, Component, FactorAnalysis, FactorTest, Margin, MarginPair
from ._contrasts import Cells, Weights, components
from ._design import Design, design_of, with_enough_trials

QUESTION, TRIAL = "question", "trial"
LEAST_LEVELS = 3  # of which a variance between levels is estimated
_TOO_FEW = "{} has {} levels, too few to say anything about levels like these"


@underflow_is_zero
def analyze_factors(
    metric: Metric | str,
    outcomes: Any,
    factors: Sequence[str] | str | None = None,
    *,
    random: Sequence[str] | str | None = None,
    target: str = "questions",
    confidence: float = 0.95,
    incomplete: str = "raise",
    too_few: str = "raise",
) -> FactorAnalysis:
    """Analyse models that were run under all combinations of conditions, such as prompts, judges or seeds.

    ``outcomes`` is an OutcomeSet whose rows have conditions: those of logs, columns that ``factors=["prompt"]`` names
    for ``from_frame`` or ``read``, or ``conditions=`` of OutcomeSet, in which ``"model"`` is the name of the model.
    ``factors`` are the conditions to cross, by default all in which rows of one model differ.

    Scores are averaged over levels with equal weights, and paired by question. Every margin has two intervals: for
    these levels, and for levels like these, of which the ones at hand are a sample, so that the variance between levels
    counts. ``random`` names the factors that are a sample in this sense: by default those with at least 3 levels, and
    never the model. ``target`` says in the same way whether questions are these or a sample from a population.

    ``incomplete`` says what to do if a model was not run under some levels: ``"raise"`` an error, or ``"omit"`` these
    levels. ``too_few`` says the same of questions with too few trials in some cell. The metric must be a mean over
    questions.

    >>> from scorio import OutcomeSet
    >>> cells = {("a", "short"): [[1, 1], [1, 1], [1, 0]], ("a", "long"): [[1, 1], [1, 0], [0, 0]],
    ...          ("b", "short"): [[1, 0], [0, 0], [1, 0]], ("b", "long"): [[0, 1], [0, 0], [0, 0]]}
    >>> rows = {" ".join(key): R for key, R in cells.items()}
    >>> conditions = {" ".join(key): {"model": key[0], "prompt": key[1]} for key in cells}
    >>> analysis = analyze_factors("pass@1", OutcomeSet(rows, conditions=conditions))
    >>> [(margin.level, round(margin.these.mu, 3)) for margin in analysis.margins]
    [('a', 0.667), ('b', 0.25), ('short', 0.583), ('long', 0.333)]
    """
    choice("target", target, TARGETS)
    choice("incomplete", incomplete, INCOMPLETE)
    open_unit("confidence", confidence)
    chosen = as_metric(metric)
    design = with_enough_trials(chosen, design_of(outcomes, factors, incomplete), too_few)
    sample, cells = _random(design, random), Cells.of(chosen, design, target, confidence)
    margins, pairs = zip(*(_of_dimension(cells, name, sample) for name in cells.levels), strict=True)
    few = [name for name in design.levels if name not in (MODEL, *sample) and len(design.levels[name]) < LEAST_LEVELS]
    return FactorAnalysis(
        str(chosen),
        target,
        confidence,
        _extent(cells, design),
        dict(cells.levels),
        sample,
        tuple(itertools.chain(*margins)),
        tuple(itertools.chain(*pairs)),
        tuple(itertools.chain(*(_cells(cells, pair) for pair in cells.interactions))),
        tuple(
            FactorTest(" x ".join(term), *cells.test(term))
            for term in [*((name,) for name in cells.dimensions), *cells.interactions]
        ),
        tuple(_components(chosen, design, confidence)),
        (*design.notes, *map(_TOO_FEW.format, few, [len(design.levels[name]) for name in few])),
    )


def _extent(cells: Cells, design: Design) -> str:
    """Say how many levels, questions and trials the analysis rests on."""
    counts = [pluralize(len(levels), name) for name, levels in cells.levels.items()]
    fewest, most = min(cell.min_trials for cell in design.cells), max(cell.max_trials for cell in design.cells)
    questions = pluralize(design.cells[0].n_questions, "question")
    return f"{' x '.join(counts)}, {questions}, {trials_each(fewest, most)}"


def _random(design: Design, random: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the factors whose levels are a sample."""
    offered = [name for name in design.levels if name != MODEL]
    if random is None:
        return tuple(name for name in offered if len(design.levels[name]) >= LEAST_LEVELS)
    chosen = [random] if isinstance(random, str) else list(random)
    for name in chosen:
        if name not in offered:
            raise ParameterError(f"has an {unknown('factor', name, offered)}", argument="random")
        if len(design.levels[name]) < LEAST_LEVELS:
            count = pluralize(len(design.levels[name]), "level")
            raise ParameterError(
                f"cannot hold {name!r}: {count} say nothing about levels like these, at least {LEAST_LEVELS} are"
                " needed",
                argument="random",
            )
    return tuple(name for name in offered if name in chosen)


def _of_dimension(cells: Cells, name: str, random: Sequence[str]) -> tuple[list[Margin], list[MarginPair]]:
    """Return the margins of a dimension's levels, and all differences of two."""
    levels = cells.levels[name]
    units = np.eye(len(levels))
    margins = [
        Margin(name, level, cells.these({name: unit}), cells.like({name: unit}, random))
        for level, unit in zip(levels, units, strict=True)
    ]
    both = list(itertools.combinations(range(len(levels)), 2))
    gaps: list[Weights] = [{name: units[i] - units[j]} for i, j in both]
    these = [cells.these(weights) for weights in gaps]
    like = [cells.like(weights, random) for weights in gaps]
    corrected = holm([contrast.p_value for contrast in these])
    p_values = [contrast.p_value for contrast in like if contrast is not None]
    like_corrected: Sequence[float | None] = holm(p_values) if p_values else [None] * len(like)
    pairs = [
        MarginPair(name, levels[i], levels[j], near, p, far, p_far)
        for (i, j), near, p, far, p_far in zip(both, these, corrected, like, like_corrected, strict=True)
    ]
    return margins, pairs


def _cells(cells: Cells, pair: tuple[str, str]) -> list[Cell]:
    """Return the cells of two dimensions, averaged over the others, with their interaction effects."""
    one, other = (cells.levels[name] for name in pair)
    rows = []
    for (i, first), (j, second) in itertools.product(enumerate(one), enumerate(other)):
        at = dict(zip(pair, (np.eye(len(one))[i], np.eye(len(other))[j]), strict=True))
        centred = {name: w - 1.0 / len(w) for name, w in at.items()}
        rows.append(((first, second), cells.these(at), cells.these(centred)))
    corrected = holm([effect.p_value for *_, effect in rows])
    return [Cell(pair, levels, score, effect, p) for (levels, score, effect), p in zip(rows, corrected, strict=True)]


def _components(metric: Metric, design: Design, confidence: float) -> Iterator[Component]:
    """Yield the variance components of all main effects and interactions, and of trials."""
    values = []
    for name, cell in zip(design.names, design.cells, strict=True):
        with at_task(name):
            values.append(question_values(metric, cell))
    dimensions = [name for name, levels in design.levels.items() if len(levels) > 1]
    array = np.stack(values, axis=1).reshape(-1, *(len(design.levels[name]) for name in dimensions))
    noise = np.nan
    if all(cell.min_trials > 1 for cell in design.cells):
        noise = float(np.mean([trial_variances(metric, cell).mean() for cell in design.cells]))
    names, is_known = [QUESTION, *dimensions], bool(np.isfinite(noise))
    rows: dict[str, tuple[float, float | None, float | None]] = {
        " x ".join(names[i] for i in axes): part
        for axes, part in components(array, noise if is_known else 0.0, confidence).items()
    }
    if is_known:
        rows[TRIAL] = (noise, None, None)
    else:
        last = " x ".join(names)
        rows[f"{last}, and {TRIAL}"] = rows.pop(last)
    total = sum(max(variance, 0.0) for variance, *_ in rows.values())
    for name, row in rows.items():
        yield Component(name, *row, max(row[0], 0.0) / total if total else 0.0)
