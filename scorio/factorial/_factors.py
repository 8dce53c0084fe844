"""``analyze_factors``: analyse models under crossed conditions, such as prompts, judges and seeds."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._arrays import Vector, underflow_is_zero
from .._choices import INCOMPLETE, TARGETS
from .._display.numbers import trials_each
from .._display.words import pluralize, unknown
from ..errors import ParameterError
from ..estimates import ONLY, as_vector, at_task, holm, metric_of_tasks, shares_of
from ..estimates import Weights as TaskWeights
from ..metrics import Metric
from ..outcomes import MODEL, OutcomeMatrix, Suite
from ..params import choice, open_unit
from ._analysis import Cell, Component, FactorAnalysis, FactorTest, Margin, MarginPair
from ._contrasts import Weights, of_levels_like_these, of_these_levels, p_of_term
from ._design import Design, design_of
from ._mean_squares import components
from ._values import Values, check_same_levels, joined_values, values_of

QUESTION, TRIAL = "question", "trial"
LEAST_LEVELS = 3  # of which a variance between levels is estimated


@underflow_is_zero
def analyze_factors(
    metric: Metric | str | Mapping[str, Metric | str],
    outcomes: Any,
    factors: Sequence[str] | str | None = None,
    *,
    task_weights: TaskWeights = None,
    random: Sequence[str] | str | None = None,
    target: str = "questions",
    confidence: float = 0.95,
    incomplete: str = "raise",
    too_few: str = "raise",
) -> FactorAnalysis:
    """Analyse models that were run under all combinations of conditions, such as prompts, judges or seeds.

    ``outcomes`` is an OutcomeSet whose rows have conditions: from ``OutcomeSet.from_frame(.., factors=["prompt"])``,
    ``read(.., factors=["prompt"])``, logs that were run under different conditions, or ``conditions=`` of OutcomeSet,
    in which ``"model"`` is the name of the model. ``factors`` are the conditions to cross, by default all in which rows
    of one model differ.

    Scores are averaged over levels with equal weights, and paired by question. Every margin has two intervals: for
    these levels, and for levels like these, of which the ones at hand are a sample, so that the variance between levels
    counts. ``random`` names the factors that are a sample in this sense: by default those with at least 3 levels, and
    never the model. ``target`` says in the same way whether questions are these or a sample from a population.

    ``incomplete`` says what to do if a model was not run under some levels: ``"raise"`` an error, or ``"omit"`` these
    levels. ``too_few`` says the same of questions with too few trials in some cell. The metric must be a mean over
    questions.

    With a Suite, all tasks have the same models and levels. The analysis is that of the overall scores, to which tasks
    contribute with ``task_weights`` as in ``Leaderboard``; tasks are not a sample, their errors add. ``tasks`` of the
    result has the analysis of each task. ``metric`` may map tasks to metrics.

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
    tasks: dict[str, Any] = dict(outcomes) if isinstance(outcomes, Suite) else {ONLY: outcomes}
    named, of_tasks = metric_of_tasks(metric, tasks)
    designs, parts = _designs(tasks, factors, incomplete), {}
    share = shares_of(task_weights, {task: design.cells[0].n_questions for task, design in designs.items()})
    sample = _random(next(iter(designs.values())), random)
    for (task, design), of in zip(designs.items(), of_tasks, strict=True):
        with at_task(task):
            parts[task] = values_of(of, design, target, confidence, too_few)
    found = {
        task: _analysed(str(of), parts[task], sample, _trials(designs[task].cells))
        for task, of in zip(designs, of_tasks, strict=True)
    }
    if not isinstance(outcomes, Suite):
        return found[ONLY]
    whole = next(iter(found.values())) if len(found) == 1 else _overall(str(named), designs, parts, sample, share)
    return replace(whole, tasks=found, weights=share)


def _designs(tasks: Mapping[str, Any], factors: Sequence[str] | str | None, incomplete: str) -> dict[str, Design]:
    """Return the design of every task, after checking that they are alike."""
    designs = {}
    for task, outcomes in tasks.items():
        with at_task(task):
            designs[task] = design_of(outcomes, factors, incomplete)
    check_same_levels(designs)
    return designs


def _overall(
    metric: str,
    designs: Mapping[str, Design],
    parts: Mapping[str, Values],
    sample: tuple[str, ...],
    share: Mapping[str, float],
) -> FactorAnalysis:
    """Return the analysis of the overall scores of several tasks."""
    trials = _trials([cell for design in designs.values() for cell in design.cells])
    whole = _analysed(metric, joined_values(list(parts.values()), as_vector(share)), sample, trials)
    notes = [f"{task}: {note}" for task, each in parts.items() for note in each.notes]
    extent = f"{pluralize(len(parts), 'task')}, {whole.extent}"
    return replace(whole, extent=extent, notes=(*notes, *whole.notes))


def _analysed(metric: str, values: Values, sample: tuple[str, ...], trials: str) -> FactorAnalysis:
    """Return what the values of one task, or of several together, say."""
    margins, pairs = zip(*(_of_dimension(values, name, sample) for name in values.levels), strict=True)
    counts = [pluralize(len(levels), name) for name, levels in values.levels.items()]
    return FactorAnalysis(
        metric,
        values.target,
        values.confidence,
        f"{' x '.join(counts)}, {pluralize(len(values.value), 'question')}, {trials}",
        dict(values.levels),
        sample,
        tuple(itertools.chain(*margins)),
        tuple(itertools.chain(*pairs)),
        tuple(itertools.chain(*(_cells(values, pair) for pair in _interactions(values)))),
        tuple(_tests(values)),
        tuple(_components(values)),
        (*values.notes, *_fixed(values.levels, sample)),
    )


def _random(design: Design, random: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the factors whose levels are a sample."""
    known = [name for name in design.levels if name != MODEL]
    if random is None:
        return tuple(name for name in known if len(design.levels[name]) >= LEAST_LEVELS)
    chosen = [random] if isinstance(random, str) else list(random)
    for name in chosen:
        if name not in known:
            raise ParameterError(f"has an {unknown('factor', name, known)}", argument="random")
        if len(design.levels[name]) < LEAST_LEVELS:
            count = pluralize(len(design.levels[name]), "level")
            raise ParameterError(
                f"cannot hold {name!r}: {count} say nothing about levels like these, at least {LEAST_LEVELS} are"
                " needed",
                argument="random",
            )
    return tuple(name for name in known if name in chosen)


def _fixed(levels: Mapping[str, Sequence[str]], random: Sequence[str]) -> Iterator[str]:
    """Say which factors are too small to be a sample."""
    for name, own in levels.items():
        if name not in (MODEL, *random) and len(own) < LEAST_LEVELS:
            yield f"{name} has {len(own)} levels, too few to say anything about levels like these"


def _trials(cells: Sequence[OutcomeMatrix]) -> str:
    return trials_each(min(each.min_trials for each in cells), max(each.max_trials for each in cells))


def _of_dimension(values: Values, name: str, random: Sequence[str]) -> tuple[list[Margin], list[MarginPair]]:
    """Return the margins of a dimension's levels, and all differences of two."""
    levels = values.levels[name]
    units = np.eye(len(levels))
    margins = [
        Margin(name, level, of_these_levels(values, w), of_levels_like_these(values, w, random))
        for level, w in zip(levels, ({name: unit} for unit in units), strict=True)
    ]
    both = list(itertools.combinations(range(len(levels)), 2))
    gaps: list[Weights] = [{name: units[i] - units[j]} for i, j in both]
    these = [of_these_levels(values, w) for w in gaps]
    like = [of_levels_like_these(values, w, random) for w in gaps]
    corrected = holm([each.p_value for each in these])
    known = [each.p_value for each in like if each is not None]
    like_corrected: Sequence[float | None] = holm(known) if known else [None] * len(like)
    pairs = [
        MarginPair(name, levels[i], levels[j], near, p, far, p_far)
        for (i, j), near, p, far, p_far in zip(both, these, corrected, like, like_corrected, strict=True)
    ]
    return margins, pairs


def _dimensions(values: Values) -> list[str]:
    """Return the model, if there are several, and the factors."""
    return [name for name, levels in values.levels.items() if len(levels) > 1]


def _interactions(values: Values) -> list[tuple[str, str]]:
    return list(itertools.combinations(_dimensions(values), 2))


def _cells(values: Values, pair: tuple[str, str]) -> list[Cell]:
    """Return the cells of two dimensions, averaged over the others, with their interaction effects."""
    sizes = [len(values.levels[name]) for name in pair]
    units: list[list[Vector]] = [list(np.eye(size)) for size in sizes]
    rows = []
    for i, j in itertools.product(*map(range, sizes)):
        at = dict(zip(pair, (units[0][i], units[1][j]), strict=True))
        centred = {name: w - 1.0 / len(w) for name, w in at.items()}
        levels = (values.levels[pair[0]][i], values.levels[pair[1]][j])
        rows.append((levels, of_these_levels(values, at), of_these_levels(values, centred)))
    corrected = holm([effect.p_value for *_, effect in rows])
    made = zip(rows, corrected, strict=True)
    return [Cell(pair, levels, score, effect, p) for (levels, score, effect), p in made]


def _tests(values: Values) -> Iterator[FactorTest]:
    for term in [*((name,) for name in _dimensions(values)), *_interactions(values)]:
        statistic, degrees, error_degrees, p = p_of_term(values, term)
        yield FactorTest(" x ".join(term), statistic, degrees, error_degrees, p)


def _components(values: Values) -> list[Component]:
    """Return the variance components of all main effects and interactions, and of trials."""
    names = [QUESTION, *_dimensions(values)]
    array = values.value.reshape(len(values.value), *(len(values.levels[name]) for name in names[1:]))
    is_known = bool(np.isfinite(values.noise))
    noise = values.noise if is_known else 0.0
    found = components(array, noise, values.confidence)
    rows: dict[str, tuple[float, float | None, float | None]] = {
        " x ".join(names[i] for i in axes): (part.variance, part.lo, part.hi) for axes, part in found.items()
    }
    if is_known:
        rows[TRIAL] = (values.noise, None, None)
    else:
        last = " x ".join(names)
        rows[f"{last}, and {TRIAL}"] = rows.pop(last)
    total = sum(max(variance, 0.0) for variance, *_ in rows.values())
    return [Component(name, *row, max(row[0], 0.0) / total if total else 0.0) for name, row in rows.items()]
