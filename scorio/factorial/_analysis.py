"""The result of an analysis of factors: margins, differences, cells, tests and variance components, with its tables."""

import itertools
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from .._display.exports import Exports
from .._display.numbers import DIGITS, chance, number, percent, signed, signed_span, span
from .._display.table import Field, Table
from .._display.words import SUBJECT, shorten
from ..outcomes import MODEL
from ._contrasts import Contrast


class Margin(NamedTuple):
    """The score of a level of a factor, or of a model, averaged over all other factors.

    ``like`` is the same if the levels of the random factors are a sample; None if none of them is averaged over.
    """

    factor: str
    level: str
    these: Contrast
    like: Contrast | None


class MarginPair(NamedTuple):
    """The difference of two margins of one factor; p-values are corrected by Holm's method within the factor."""

    factor: str
    first: str
    second: str
    these: Contrast
    p_corrected: float
    like: Contrast | None
    like_p_corrected: float | None


class Cell(NamedTuple):
    """A level of each of two factors: its score, and how far that is from what the two margins add up to."""

    factors: tuple[str, str]
    levels: tuple[str, str]
    score: Contrast
    effect: Contrast
    p_corrected: float


class FactorTest(NamedTuple):
    """A test of a main effect or an interaction: chi2, or F if there are ``error_degrees``."""

    term: str
    statistic: float
    degrees: float
    error_degrees: float | None
    p_value: float


class Component(NamedTuple):
    """A variance component; ``share`` is its share of all positive ones."""

    name: str
    variance: float
    lo: float | None
    hi: float | None
    share: float


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
    Field("first", of="first"),
    Field("second", of="second"),
    Field("difference", True, "these.mu", signed),
    Field("these levels", of="these", form=_signed),
    Field("p", True, "p_corrected", chance),
    Field("levels like these", of="like", form=_signed, unless=None),
    Field("p", True, "like_p_corrected", chance, unless=None),
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
    Field("p", True, "p_corrected", chance),
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

    ``margins`` and ``pairs`` are by factor, models first; each has a contrast for ``these`` levels and one for levels
    ``like`` these. ``cells`` are those of every two factors, ``tests`` the main effects and interactions of two, and
    ``components`` the variance components. ``random`` are the factors whose levels count as a sample for ``like``;
    ``notes`` say what was left out.
    """

    metric: str
    target: str
    confidence: float
    extent: str
    levels: Mapping[str, tuple[str, ...]]
    random: tuple[str, ...]
    margins: tuple[Margin, ...]
    pairs: tuple[MarginPair, ...]
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
        pairs = (pair for pair in self.pairs if pair.factor == factor)
        p_values = ((pair, pair.like_p_corrected if like else pair.p_corrected) for pair in pairs)
        told = (pair for pair, p in p_values if p is not None and p <= 1.0 - self.confidence)
        beaten = {pair.first if pair.these.mu < 0.0 else pair.second for pair in told}
        margins = sorted(
            (margin for margin in self.margins if margin.factor == factor), key=lambda margin: -margin.these.mu
        )
        return tuple(margin.level for margin in margins if margin.level not in beaten)

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
        return [{"metric": self.metric, "target": self.target} | line for line in _lines(self)]


_NUMBERS = ("value", "lo", "hi", "p_value", "p_corrected", "like_lo", "like_hi", "like_p_corrected")


def _line(part: str, *names: str, **numbers: float | None) -> dict[str, Any]:
    """Return a flat record: the table, the names of a term and its levels, and the numbers that it has."""
    term, level, other = (*names, None, None)[:3]
    return {"part": part, "term": term, "level": level, "other": other} | dict.fromkeys(_NUMBERS) | numbers


def _numbers(these: Contrast, like: Contrast | None = None) -> dict[str, float | None]:
    numbers: dict[str, float | None] = {"value": these.mu, "lo": these.lo, "hi": these.hi}
    return numbers if like is None else numbers | {"like_lo": like.lo, "like_hi": like.hi}


def _lines(analysis: FactorAnalysis) -> Iterator[dict[str, Any]]:
    """Yield a flat record per row of every table; that a score is 0 is no question, so only differences have a p."""
    for margin in analysis.margins:
        yield _line("margin", margin.factor, margin.level, **_numbers(margin.these, margin.like))
    for pair in analysis.pairs:
        p = {"p_value": pair.these.p_value, "p_corrected": pair.p_corrected, "like_p_corrected": pair.like_p_corrected}
        yield _line("difference", pair.factor, pair.first, pair.second, **_numbers(pair.these, pair.like), **p)
    for cell in analysis.cells:
        names, p = (" x ".join(cell.factors), *cell.levels), {"p_value": cell.effect.p_value}
        yield _line("cell", *names, **_numbers(cell.score))
        yield _line("interaction", *names, **_numbers(cell.effect), **p, p_corrected=cell.p_corrected)
    for test in analysis.tests:
        yield _line("test", test.term, value=test.statistic, p_value=test.p_value)
    for part in analysis.components:
        yield _line("component", part.name, value=part.variance, lo=part.lo, hi=part.hi)


def _standing(best: tuple[str, ...]) -> str:
    return f"{best[0]} is the best model" if len(best) == 1 else f"{', '.join(best)} are tied as the best model"


def _names(factors: Sequence[str], which: str) -> str:
    """Return the factors in the plural, as "these prompts" or "prompts like these"."""
    names = ", ".join(factor if factor.endswith("s") else f"{factor}s" for factor in factors)
    return f"these {names}" if which == "these" else f"{names} {which}"
