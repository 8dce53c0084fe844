"""``analyze_factors``: models under crossed conditions, such as prompts, judges and seeds; its result and tables."""

import itertools
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .._base.arrays import underflow_is_zero
from .._base.choices import TARGETS
from .._base.exports import Exports
from .._base.numbers import DIGITS, chance, number, percent, signed, signed_span, span, trials_each
from .._base.table import Field, Table
from .._base.words import SUBJECT, pluralize, shorten, unknown
from ..errors import ParameterError
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..outcomes._column_names import MODEL
from ..params import choice, open_unit
from ._contrasts import Cell, Cells, Component, Contrast, FactorTest, Margin, components
from ._design import crossing_of

LEAST_LEVELS = 3  # of which a variance between levels is estimated
_TOO_FEW = "{} has {} levels, too few to say anything about levels like these"


def _span(contrast: Contrast, digits: int = DIGITS) -> str:
    return span(contrast.lo, contrast.hi, digits)


def _signed(contrast: Contrast, digits: int = DIGITS) -> str:
    return signed_span(contrast.lo, contrast.hi, digits)


def _degrees(test: FactorTest) -> str:
    return f"{test.degrees:.3g}" + ("" if test.error_degrees is None else f", {test.error_degrees:.3g}")


_MARGINS = (
    Field("factor", of="factor"),
    Field("level", of="level"),
    Field("score", True, "these.mu", number),
    Field("these levels", of="these", form=_span),
    Field("levels like these", of="like", form=_span, unless=None),
)
_PAIRS = (
    Field("first", of="level"),
    Field("second", of="other"),
    Field("difference", True, "these.mu", signed),
    Field("these levels", of="these", form=_signed),
    Field("p", True, "these.p_corrected", chance),
    Field("levels like these", of="like", form=_signed, unless=None),
    Field("p", True, "like", lambda like: chance(like.p_corrected), unless=None),
)
_TESTS = (
    Field("term", of="term"),
    Field("degrees", True, form=_degrees),
    Field("statistic", True, "statistic", "{:.2f}".format),
    Field("p", True, "p_value", chance),
)
_CELLS = (
    Field("model", of="levels", form=operator.itemgetter(0)),
    Field("{0.factors[1]}", of="levels", form=operator.itemgetter(1)),
    Field("score", True, "score.mu", number),
    Field("interval", of="score", form=_span),
    Field("interaction", True, "effect.mu", signed),
    Field("interval", of="effect", form=_signed),
    Field("p", True, "effect.p_corrected", chance),
)
_COMPONENTS = (
    Field("component", of="name"),
    Field("variance", True, "variance", "{:.5f}".format),
    Field("sd", True, "variance", lambda variance, digits=DIGITS: number(max(variance, 0.0) ** 0.5, digits)),
    Field("share", True, "share", "{:.0%}".format),
    Field("interval of the sd", of="lo hi", form=lambda lo, hi, digits=DIGITS: span(lo**0.5, hi**0.5, digits)),
)


@dataclass(frozen=True)
class FactorAnalysis(Exports):
    """What models, factors and their interactions contribute to a metric; prints as tables, with sentences.

    ``margins`` and ``pairs``, the differences of two of them, are by factor, models first; each has a contrast for
    ``these`` levels and one for levels ``like`` these. ``cells`` are those of every two factors, ``tests`` the main
    effects and interactions of two, and ``components`` the variance components. ``random`` are the factors whose levels
    count as a sample for ``like``; ``notes`` say what was left out.
    """

    metric: str
    target: str
    confidence: float
    extent: str
    levels: Mapping[str, tuple[str, ...]]
    random: tuple[str, ...]
    margins: tuple[Margin, ...]
    pairs: tuple[Margin, ...]
    cells: tuple[Cell, ...]
    tests: tuple[FactorTest, ...]
    components: tuple[Component, ...]
    notes: tuple[str, ...]
    _columns: ClassVar = _MARGINS
    _lists: ClassVar = ("margins", "pairs", "cells", "tests", "components")
    _also: ClassVar = ("verdicts",)

    @property
    def factors(self) -> tuple[str, ...]:
        """The names of the factors, without the model."""
        return tuple(name for name in self.levels if name != MODEL)

    def best(self, factor: str = MODEL, *, like: bool = False) -> tuple[str, ...]:
        """Return the levels that no other is significantly better than, the best first; by default the models.

        Differences are those between these levels, or with ``like`` those between levels like these; the p-values are
        corrected for their number by Holm's method.
        """
        pairs = [(pair, pair.like if like else pair.these) for pair in self.pairs if pair.factor == factor]
        is_told = {pair: gap is not None and gap.p_corrected <= 1.0 - self.confidence for pair, gap in pairs}
        beaten = {pair.level if pair.these.mu < 0.0 else pair.other for pair, told in is_told.items() if told}
        margins = [margin for margin in self.margins if margin.factor == factor and margin.level not in beaten]
        return tuple(margin.level for margin in sorted(margins, key=lambda margin: -margin.these.mu))

    def interaction(self, first: str, second: str) -> FactorTest:
        """Return the test whether the effect of one factor depends on the other."""
        names = {" x ".join(pair) for pair in itertools.permutations((first, second))}
        for test in self.tests:
            if test.term in names:
                return test
        raise KeyError(f"no interaction of {first!r} and {second!r}; the factors are {shorten(self.levels)}")

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What the analysis says, one sentence each."""
        if len(self.levels[MODEL]) < 2:
            return ()
        sentences = [f"over {_names(self.factors, 'these')}: {_standing(self.best())}"]
        if self.random:
            sentences.append(f"over {_names(self.random, 'like these')}: {_standing(self.best(like=True))}")
        return (*sentences, *map(self._interaction, self.factors))

    def _interaction(self, factor: str) -> str:
        test = self.interaction(MODEL, factor)
        p = f"model x {factor}: p {chance(test.p_value)}"
        if test.p_value > 1.0 - self.confidence:
            return f"no sign that the effect of {factor} depends on the model ({p})"
        cells = [cell for cell in self.cells if cell.factors == (MODEL, factor)]
        tops = {
            model: max((cell for cell in cells if cell.levels[0] == model), key=lambda cell: cell.score.mu)
            for model in self.levels[MODEL]
        }
        names = [f"{cell.levels[1]} for {model}" for model, cell in tops.items()]
        differs = len({cell.levels[1] for cell in tops.values()}) > 1
        highest = f"; the highest score is with {', '.join(names)}" if differs else ""
        return f"the effect of {factor} depends on the model ({p}){highest}"

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the tables that are printed: margins, differences, tests, cells and variance components."""
        tables = [Table.of(f"{self.metric}: {self.extent}", _MARGINS, self.margins, self._notes(), digits)]
        if models := [pair for pair in self.pairs if pair.factor == MODEL]:
            error = percent(round(1.0 - self.confidence, 12))
            note = f"intervals: of each difference alone; p: corrected by Holm's method, family-wise error {error}"
            tables.append(Table.of("differences of models", _PAIRS, models, [note], digits))
        against = "chi2 against the noise of trials" if self.target == "questions" else "F, questions as replications"
        tables.append(Table.of(f"tests of main effects and interactions: {against}", _TESTS, self.tests, (), digits))
        note = "interaction: score less what model and level add up to; p corrected by Holm's method"
        of_factors = {
            factor: [cell for cell in self.cells if cell.factors == (MODEL, factor)] for factor in self.factors
        }
        tables += [
            Table.of(f"cells of model and {factor}", _CELLS, cells, [note], digits, cells[0])
            for factor, cells in of_factors.items()
            if cells
        ]
        note = "variance of one question's value in one cell; trial: what repeating its trials would change"
        return [*tables, Table.of("variance components", _COMPONENTS, self.components, [note], digits)]

    def _notes(self) -> list[str]:
        about = f"{percent(self.confidence)} intervals; these levels: for {_names(self.factors, 'these')}"
        notes = [f"{about}, {SUBJECT[self.target]}"]
        if self.random:
            notes.append(f"levels like these: for {_names(self.random, 'like these')}, {SUBJECT[self.target]}")
        return [*notes, *self.verdicts, *self.notes]

    def as_records(self) -> list[dict[str, Any]]:
        """Return one flat record per row of every table; ``part`` names the table."""
        lines = [
            _line(part, row.factor, row.level, row.other, **_numbers(row.these, row.like))
            for part, rows in (("margin", self.margins), ("difference", self.pairs))
            for row in rows
        ]
        for cell in self.cells:
            names = (" x ".join(cell.factors), *cell.levels)
            lines += [
                _line("cell", *names, **_numbers(cell.score)),
                _line("interaction", *names, **_numbers(cell.effect)),
            ]
        lines += [_line("test", test.term, value=test.statistic, p_value=test.p_value) for test in self.tests]
        lines += [
            _line("component", part.name, value=part.variance, lo=part.lo, hi=part.hi) for part in self.components
        ]
        return [{"metric": self.metric, "target": self.target} | line for line in lines]


_NUMBERS = ("value", "lo", "hi", "p_value", "p_corrected", "like_lo", "like_hi", "like_p_corrected")


def _line(part: str, *names: str | None, **numbers: float | None) -> dict[str, Any]:
    """Return a flat record: the table, the names of a term and its levels, and the numbers that it has."""
    term, level, other = (*names, None, None)[:3]
    return {"part": part, "term": term, "level": level, "other": other} | dict.fromkeys(_NUMBERS) | numbers


def _numbers(these: Contrast, like: Contrast | None = None) -> dict[str, float]:
    """Return the numbers of a contrast; that a score is 0 is no question, so only differences have a p-value."""
    numbers = {"value": these.mu, "lo": these.lo, "hi": these.hi}
    numbers |= {"p_value": these.p_value, "p_corrected": these.p_corrected}
    if like is not None:
        numbers |= {"like_lo": like.lo, "like_hi": like.hi, "like_p_corrected": like.p_corrected}
    is_score = math.isnan(these.p_corrected)
    return {name: value for name, value in numbers.items() if not (is_score and "p_" in name)}


def _standing(best: tuple[str, ...]) -> str:
    return f"{best[0]} is the best model" if len(best) == 1 else f"{', '.join(best)} are tied as the best model"


def _names(factors: Sequence[str], which: str) -> str:
    """Return the factors in the plural, as "these prompts" or "prompts like these"."""
    names = ", ".join(factor if factor.endswith("s") else f"{factor}s" for factor in factors)
    return f"these {names}" if which == "these" else f"{names} {which}"


@underflow_is_zero
def analyze_factors(
    metric: Metric | str,
    outcomes: Any,
    factors: Sequence[str] | str | None = None,
    *,
    random: Sequence[str] | str | None = None,
    target: str = "questions",
    confidence: float = 0.95,
) -> FactorAnalysis:
    """Analyse models that were run under all combinations of conditions, such as prompts, judges or seeds.

    ``outcomes`` is an OutcomeSet whose rows have conditions: those of logs, columns that ``factors=["prompt"]`` names
    for ``from_frame`` or ``read``, or ``conditions=`` of OutcomeSet, in which ``"model"`` is the name of the model.
    ``factors`` are the conditions to cross, by default all in which rows of one model differ.

    Scores are averaged over levels with equal weights, and paired by question. Every margin has two intervals: for
    these levels, and for levels like these, of which the ones at hand are a sample, so that the variance between levels
    counts. ``random`` names the factors that are a sample in this sense: by default those with at least 3 levels, and
    never the model. ``target`` says in the same way whether questions are these or a sample from a population.

    Every model must have been run under all levels. The metric must be a mean over questions.

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
    open_unit("confidence", confidence)
    levels, outcomes_of_cells = crossing_of(outcomes, factors)
    cells, sample = Cells.of(as_metric(metric), levels, outcomes_of_cells, target, confidence), _random(levels, random)
    few = [name for name in levels if name not in (MODEL, *sample) and len(levels[name]) < LEAST_LEVELS]
    return FactorAnalysis(
        str(cells.metric),
        target,
        confidence,
        _extent(cells),
        levels,
        sample,
        tuple(margin for name in levels for margin in cells.margins(name, sample)),
        tuple(pair for name in levels for pair in cells.differences(name, sample)),
        tuple(cell for pair in cells.interactions for cell in cells.crossed(pair)),
        tuple(cells.test(term) for term in [*((name,) for name in cells.dimensions), *cells.interactions]),
        tuple(components(cells, confidence)),
        tuple(_TOO_FEW.format(name, len(levels[name])) for name in few),
    )


def _extent(cells: Cells) -> str:
    counts = [pluralize(len(levels), name) for name, levels in cells.levels.items()]
    fewest, most = min(cell.min_trials for cell in cells.outcomes), max(cell.max_trials for cell in cells.outcomes)
    questions = pluralize(cells.outcomes[0].n_questions, "question")
    return f"{' x '.join(counts)}, {questions}, {trials_each(fewest, most)}"


def _random(levels: Mapping[str, Sequence[str]], random: Sequence[str] | str | None) -> tuple[str, ...]:
    offered = [name for name in levels if name != MODEL]
    if random is None:
        return tuple(name for name in offered if len(levels[name]) >= LEAST_LEVELS)
    chosen = [random] if isinstance(random, str) else list(random)
    for name in chosen:
        if name not in offered:
            raise ParameterError(f"has an {unknown('factor', name, offered)}", argument="random")
        if len(levels[name]) < LEAST_LEVELS:
            count = pluralize(len(levels[name]), "level")
            raise ParameterError(
                f"cannot hold {name!r}: {count} say nothing about levels like these, at least {LEAST_LEVELS} are"
                " needed",
                argument="random",
            )
    return tuple(name for name in offered if name in chosen)
