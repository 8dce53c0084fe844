"""The result of an analysis of factors: margins, differences, cells, tests and variance components, with its tables."""

import itertools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from .._choices import OVERALL
from .._display.exports import Exports, strict
from .._display.numbers import DIGITS, chance, number, percent, signed, signed_span, span
from .._display.table import Field, Table
from .._display.words import SUBJECT, shorten
from ..outcomes import MODEL
from ._contrasts import Estimate


class Margin(NamedTuple):
    """The score of a level of a factor, or of a model, averaged over all other factors.

    ``like`` is the same if the levels of the random factors are a sample; None if none of them is averaged over.
    """

    factor: str
    level: str
    these: Estimate
    like: Estimate | None


class MarginPair(NamedTuple):
    """The difference of two margins of one factor; p-values are corrected by Holm's method within the factor."""

    factor: str
    first: str
    second: str
    these: Estimate
    p_corrected: float
    like: Estimate | None
    like_p_corrected: float | None


class Cell(NamedTuple):
    """A level of each of two factors: its score, and how far that is from what the two margins add up to."""

    factors: tuple[str, str]
    levels: tuple[str, str]
    score: Estimate
    effect: Estimate
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


class _OnTask(NamedTuple):
    """A row of the table by task."""

    task: str
    weight: float
    margin: Margin


def _span(estimate: Estimate, digits: int = DIGITS) -> str:
    return span(estimate.lo, estimate.hi, digits)


def _signed(estimate: Estimate, digits: int = DIGITS) -> str:
    return signed_span(estimate.lo, estimate.hi, digits)


def _degrees(degrees: float, errors: float | None) -> str:
    return f"{degrees:.3g}" if errors is None else f"{degrees:.3g}, {errors:.3g}"


def _root(variance: float, digits: int = DIGITS) -> str:
    return number(max(variance, 0.0) ** 0.5, digits)


def _root_span(lo: float, hi: float, digits: int = DIGITS) -> str:
    return span(lo**0.5, hi**0.5, digits)


_PARTS = ("margins", "pairs", "cells", "tests", "components")
_TASK = (Field("task", of="task"), Field("weight", True, "weight", "{:.2f}".format))
_MARGINS = (
    Field("factor", of="factor"),
    Field("level", of="level"),
    Field("score", True, "these.mu", number),
    Field("these levels", of="these", form=_span),
    Field("levels like these", of="like", form=_span, missing="-"),
)
_PAIRS = (
    Field("first", of="first"),
    Field("second", of="second"),
    Field("difference", True, "these.mu", signed),
    Field("these levels", of="these", form=_signed),
    Field("p", True, "p_corrected", chance),
    Field("levels like these", of="like", form=_signed, missing="-"),
    Field("p", True, "like_p_corrected", chance, missing="-"),
)
_TESTS = (
    Field("term", of="term"),
    Field("degrees", True, "degrees error_degrees", _degrees),
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
    Field("sd", True, "variance", _root),
    Field("share", True, "share", lambda share: f"{100.0 * share:.0f}%"),
    Field("interval of the sd", of="lo hi", form=_root_span, missing="-"),
)


@dataclass(frozen=True)
class FactorAnalysis(Exports):
    """What models, factors and their interactions contribute to a metric; prints as tables, with sentences.

    ``margins`` and ``pairs`` are by factor, models first; each has an estimate for ``these`` levels and one for levels
    ``like`` these. ``cells`` are those of every two factors, ``tests`` the main effects and interactions of two, and
    ``components`` the variance components. ``random`` are the factors whose levels count as a sample for ``like``;
    ``notes`` say what was left out. Of a suite, all this is about overall scores; ``tasks`` has the analysis of each
    task, and ``weights`` the weight of each.
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
    tasks: Mapping[str, "FactorAnalysis"] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    _columns: ClassVar = _MARGINS

    @property
    def factors(self) -> tuple[str, ...]:
        """The names of the factors, without the model."""
        return tuple(name for name in self.levels if name != MODEL)

    def best(self, factor: str = MODEL, *, like: bool = False) -> tuple[str, ...]:
        """Return the levels that no other is significantly better than, the best first; by default the models.

        Differences are those between these levels, or with ``like`` those between levels like these; the p-values are
        corrected for their number by Holm's method.
        """
        margins = sorted((each for each in self.margins if each.factor == factor), key=lambda each: -each.these.mu)
        return tuple(each.level for each in margins if not self._is_beaten(each, like=like))

    def _is_beaten(self, margin: Margin, *, like: bool) -> bool:
        error = 1.0 - self.confidence
        for pair in self.pairs:
            p = pair.like_p_corrected if like else pair.p_corrected
            behind = pair.first if pair.these.mu < 0.0 else pair.second
            if (pair.factor, behind) == (margin.factor, margin.level) and p is not None and p <= error:
                return True
        return False

    def interaction(self, first: str, second: str) -> FactorTest:
        """Return the test whether the effect of one factor depends on the other."""
        names = {" x ".join(pair) for pair in itertools.permutations((first, second))}
        for test in self.tests:
            if test.term in names:
                return test
        raise KeyError(f"no interaction of {first!r} and {second!r}; the factors are {shorten(self.levels)}")

    def component(self, name: str) -> Component:
        """Return the variance component of a name, as in ``"model x prompt"``."""
        for each in self.components:
            if each.name == name:
                return each
        raise KeyError(f"no component {name!r}; there are {shorten([each.name for each in self.components])}")

    # Words.

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What the analysis says, one sentence each."""
        sentences = []
        if len(self.levels[MODEL]) > 1:
            about = ", ".join(map(_plural, self.factors))
            sentences.append(f"over these {about}: {_standing(self.best())}")
            if self.random:
                about = ", ".join(map(_plural, self.random))
                sentences.append(f"over {about} like these: {_standing(self.best(like=True))}")
        sentences += [self._interaction(factor) for factor in self.factors if len(self.levels[MODEL]) > 1]
        return tuple(sentences)

    def _interaction(self, factor: str) -> str:
        test = self.interaction(MODEL, factor)
        p = f"model x {factor}: p {chance(test.p_value)}"
        if test.p_value > 1.0 - self.confidence:
            return f"no sign that the effect of {factor} depends on the model ({p})"
        tops: dict[str, Cell] = {}
        for cell in self.cells:
            if cell.factors == (MODEL, factor):
                best = tops.setdefault(cell.levels[0], cell)
                tops[cell.levels[0]] = max(best, cell, key=lambda each: each.score.mu)
        names = [f"{cell.levels[1]} for {model}" for model, cell in tops.items()]
        differs = len({cell.levels[1] for cell in tops.values()}) > 1
        highest = f"; the highest score is with {', '.join(names)}" if differs else ""
        return f"the effect of {factor} depends on the model ({p}){highest}"

    # Tables.

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the tables that are printed: margins, differences, tests, cells and variance components."""
        tables = [Table.of(f"{self._name}: {self.extent}", self._shown(_MARGINS), self.margins, self._notes(), digits)]
        if self.tasks:
            said = [f"{task}: {sentence}" for task, each in self.tasks.items() for sentence in each.verdicts]
            rows = [_OnTask(task, self.weights[task], row) for task, each in self.tasks.items() for row in each.margins]
            own = [each._replace(of=f"margin.{each.of}") for each in self._shown(_MARGINS)]
            tables.append(Table.of("by task", [*_TASK, *own], rows, said, digits))
        models = [each for each in self.pairs if each.factor == MODEL]
        if models:
            error = percent(round(1.0 - self.confidence, 12))
            note = f"intervals: of each difference alone; p: corrected by Holm's method, family-wise error {error}"
            tables.append(Table.of("differences of models", self._shown(_PAIRS), models, [note], digits))
        how = "chi2 against the noise of trials" if self.target == "questions" else "F, questions as replications"
        tables.append(Table.of(f"tests of main effects and interactions: {how}", _TESTS, self.tests, (), digits))
        note = "interaction: score less what model and level add up to; p corrected by Holm's method"
        for factor in self.factors:
            cells = [each for each in self.cells if each.factors == (MODEL, factor)]
            if cells:
                tables.append(Table.of(f"cells of model and {factor}", _CELLS, cells, [note], digits, cells[0]))
        note = "variance of one question's value in one cell; trial: what repeating its trials would change"
        return [*tables, Table.of("variance components", _COMPONENTS, shortened(self.components), [note], digits)]

    def _shown(self, fields: Sequence[Field]) -> list[Field]:
        """Return the columns, those of levels like these only where some are a sample."""
        return [each for each in fields if self.random or not each.of.startswith("like")]

    def _about(self, *, like: bool) -> str:
        subject = SUBJECT[self.target]
        if like:
            return f"{', '.join(map(_plural, self.random))} like these, {subject}"
        return f"these {', '.join(map(_plural, self.factors))}, {subject}"

    @property
    def _name(self) -> str:
        return f"{OVERALL} {self.metric}" if self.tasks and self.metric != OVERALL else self.metric

    def _notes(self) -> list[str]:
        notes = [f"{percent(self.confidence)} intervals; these levels: for {self._about(like=False)}"]
        if self.random:
            notes.append(f"levels like these: for {self._about(like=True)}")
        return [*notes, *self.verdicts, *self.notes]

    # Data.

    def to_dict(self) -> dict[str, Any]:
        """Return all parts and parameters, ready for JSON."""
        values = super().to_dict() | {"verdicts": list(self.verdicts)}
        values |= {part: strict([nested(each) for each in getattr(self, part)]) for part in _PARTS}
        return values if self.tasks else {name: values[name] for name in values if name not in ("tasks", "weights")}

    def _records(self) -> list[dict[str, Any]]:
        """Return one flat record per row of every table; ``part`` names the table, and ``task`` the task of a suite."""
        if self.tasks:
            parts = {OVERALL: replace(self, tasks={}), **self.tasks}
            return [{"task": task} | row for task, each in parts.items() for row in each._records()]
        records = [record("margin", e.factor, e.level, None, e.these, e.like) for e in self.margins]
        for pair in self.pairs:
            made = record("difference", pair.factor, pair.first, pair.second, pair.these, pair.like)
            records.append(made | {"p_corrected": pair.p_corrected, "like_p_corrected": pair.like_p_corrected})
        for cell in self.cells:
            term = " x ".join(cell.factors)
            records.append(record("cell", term, *cell.levels, cell.score))
            records.append(record("interaction", term, *cell.levels, cell.effect) | {"p_corrected": cell.p_corrected})
        records += [record("test", e.term) | {"value": e.statistic, "p_value": e.p_value} for e in self.tests]
        records += [
            record("component", e.name) | {"value": e.variance, "lo": e.lo, "hi": e.hi} for e in self.components
        ]
        return [{"metric": self.metric, "target": self.target} | each for each in records]


def _standing(best: tuple[str, ...]) -> str:
    return f"{best[0]} is the best model" if len(best) == 1 else f"{', '.join(best)} are tied as the best model"


def _plural(factor: str) -> str:
    return factor if factor.endswith("s") else f"{factor}s"


def shortened(components: Sequence[Component]) -> list[Component]:
    """Return the components with those of three dimensions and more as one row, if there are several."""
    high = [each for each in components if each.name.count(" x ") > 1]
    if len(high) < 2:
        return list(components)
    positive = [max(each.variance, 0.0) for each in high]
    rest = Component("interactions of three and more", sum(positive), None, None, sum(each.share for each in high))
    kept = [each for each in components if each not in high]
    return [*kept[:-1], rest, kept[-1]] if len(kept) > 1 else [*kept, rest]


def nested(row: Any) -> Any:
    """Return named tuples within named tuples as dictionaries."""
    if hasattr(row, "_asdict"):
        return {name: nested(value) for name, value in row._asdict().items()}
    return row


def record(
    part: str,
    term: str,
    level: str | None = None,
    other: str | None = None,
    these: Estimate | None = None,
    like: Estimate | None = None,
) -> dict[str, Any]:
    """Return one row of a table as a flat record."""
    mine, theirs = these or (None,) * 4, like or (None,) * 4
    numbers = dict(zip(("value", "lo", "hi", "p_value"), mine, strict=True))
    if part in ("margin", "cell"):
        numbers["p_value"] = None  # that a score is 0 is no question
    more = {"p_corrected": None, "like_lo": theirs[1], "like_hi": theirs[2], "like_p_corrected": None}
    return {"part": part, "term": term, "level": level, "other": other, **numbers, **more}
