"""All pairs of models of a leaderboard, with one error rate for all of them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np

from .._base.arrays import Vector
from .._base.choices import INDEPENDENT, OVERALL
from .._base.exports import Exports
from .._base.numbers import chance, signed_span, signed_within
from .._base.table import Field
from .._base.words import pluralize, subject, unknown
from ..estimates._family import benjamini_hochberg, holm
from ..inference._level import Level
from ..params import choice, open_unit
from ._all_pairs import AllPairs, stepped


class _Correction(NamedTuple):
    """How pairs are corrected for their number, in words; ``{error}`` is a percentage."""

    name: str
    rate: str
    intervals: str


_CORRECTIONS: Mapping[str, _Correction] = MappingProxyType(
    {
        "each": _Correction(
            "no correction for their number", "error {error} for each pair of equal models", "each interval holds alone"
        ),
        "holm": _Correction("Holm", "family-wise error {error}", "all intervals hold together (Bonferroni)"),
        "fdr": _Correction(
            "Benjamini-Hochberg",
            "false-discovery rate {error}",
            "intervals of called pairs have a false-coverage rate of {error}",
        ),
        "simultaneous": _Correction(
            "joint law of all differences", "family-wise error {error}", "all intervals hold together"
        ),
    }
)


def _corrected(family: str, laws: Sequence[AllPairs], error: float) -> tuple[list[Vector], list[float]]:
    """Return the corrected p-values of each ranking's pairs, and the critical statistic of their intervals.

    The joint law corrects the pairs of each ranking; the chances of several rankings are added (Bonferroni).
    """
    p = np.concatenate([law.p_each for law in laws])
    pairs = max(len(p), 1)
    if family == "simultaneous":
        shares = [error * len(law.p_each) / pairs for law in laws]
        critical = [law.critical(share) if share else math.inf for law, share in zip(laws, shares, strict=True)]
        corrected = stepped(laws)
    else:
        corrected, share = p, 1.0
        if family == "holm":
            corrected, share = np.asarray(holm(p.tolist())), 1.0 / pairs
        elif family == "fdr":
            corrected = benjamini_hochberg(p)
            share = max(int((corrected <= error).sum()), 1) / pairs
        critical = [Level.of_error(error * share).critical(law.df) for law in laws]
    return np.split(corrected, np.cumsum([len(law.p_each) for law in laws])[:-1]), critical


class Pair(NamedTuple):
    """Two models on one metric: ``first`` has the higher posterior mean by ``difference``.

    ``p_value`` is that of this pair alone, and ``p_corrected`` counts all pairs of the family: ``better`` is the model
    that is called better, or None. ``task`` is None for the overall score, or where there are no tasks.
    """

    metric: str
    task: str | None
    first: str
    second: str
    difference: float
    lo: float
    hi: float
    p_value: float
    p_corrected: float
    better: str | None


@dataclass(frozen=True)
class Pairs(Exports):
    """All pairs of models, called at one error rate; prints as a table, of which ``error_rate`` is the last line.

    ``family`` says which error is controlled at ``1 - confidence``; see ``Leaderboard.pairs``.

    >>> from scorio import Leaderboard
    >>> board = Leaderboard("pass@1", {"a": [[1, 1, 1, 1]] * 9, "b": [[1, 0, 1, 0]] * 9, "c": [[0, 1, 1, 0]] * 9})
    >>> pairs = board.pairs("holm")
    >>> [(pair.first, pair.second, pair.better) for pair in pairs]
    [('a', 'b', 'a'), ('a', 'c', 'a'), ('b', 'c', None)]
    >>> pairs.error_rate
    '3 pairs, Holm: family-wise error 5%'
    """

    family: str
    confidence: float
    models: tuple[str, ...]
    rows: tuple[Pair, ...]
    target: str = "questions"
    runs: str = INDEPENDENT
    _also: ClassVar = ("error_rate",)
    _columns: ClassVar = (
        Field("task", of="task", unless=None, missing=OVERALL),
        Field("metric", of="metric", varies=True),
        Field("first", of="first"),
        Field("second", of="second"),
        Field("difference", True, "difference lo hi", signed_within),
        Field("interval", True, "lo hi", signed_span),
        Field("p", True, "p_value", chance),
        Field("p corrected", True, "p_corrected", chance),
        Field("better", of="better", missing="not significant"),
    )

    @property
    def _percent(self) -> str:
        return f"{100.0 * (1.0 - self.confidence):.6g}%"

    @property
    def error_rate(self) -> str:
        """The error rate that holds for these pairs, in words."""
        correction = _CORRECTIONS[self.family]
        return f"{pluralize(len(self.rows), 'pair')}, {correction.name}: {correction.rate.format(error=self._percent)}"

    @property
    def called(self) -> tuple[Pair, ...]:
        """The pairs of which one model is called better."""
        return tuple(row for row in self.rows if row.better is not None)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.rows)

    def __getitem__(self, models: tuple[str, str]) -> Pair:
        """Return the pair of two models, in either order, if there is one metric."""
        if not (isinstance(models, tuple) and len(models) == 2):
            raise KeyError(f"a pair is found by the names of two models; got {models!r}")
        for name in models:
            if name not in self.models:
                raise KeyError(unknown("model", name, self.models))
        chosen = [row for row in self.rows if {row.first, row.second} == set(models)]
        if len(chosen) != 1:
            raise KeyError(f"{models!r} names {pluralize(len(chosen), 'pair')}; look through rows")
        return chosen[0]

    @property
    def as_title(self) -> str:
        metrics = ", ".join(sorted({row.metric for row in self.rows}))
        about = subject(self.target, self.runs)
        return f"pairs of {pluralize(len(self.models), 'model')} by {metrics} for {about}"

    def _notes(self) -> list[str]:
        notes = [self.error_rate, _CORRECTIONS[self.family].intervals.format(error=self._percent)]
        wide = sum(row.better is not None and row.lo <= 0.0 <= row.hi for row in self.rows)
        if wide:
            verb = "includes" if wide == 1 else "include"
            notes.append(
                f"{pluralize(wide, 'called pair')} {verb} a difference of 0: calls are made step by step, among the "
                "pairs that are left, and intervals hold for all pairs"
            )
        return notes

    def as_sentence(self) -> str:
        correction = _CORRECTIONS[self.family]
        pairs, rate = pluralize(len(self.rows), "pair"), correction.rate.format(error=self._percent)
        return f"{len(self.called)} of {pairs} differ significantly ({correction.name}: {rate})"


class Block(NamedTuple):
    """The pairs of one ranking or comparison: its metric, its task, its models, and their joint law."""

    metric: str
    task: str | None
    models: Sequence[str]
    law: AllPairs


def all_pairs(blocks: Sequence[Block], family: str, confidence: float, target: str, runs: str = INDEPENDENT) -> Pairs:
    """Return the pairs of all rankings as one family."""
    choice("family", family, _CORRECTIONS)
    open_unit("confidence", confidence)
    error = 1.0 - confidence
    by_block = _corrected(family, [block.law for block in blocks], error)
    rows = [
        row for block, p, critical in zip(blocks, *by_block, strict=True) for row in _rows(block, p, critical, error)
    ]
    models = tuple(dict.fromkeys(str(model) for block in blocks for model in block.models))
    return Pairs(family, confidence, models, tuple(rows), target, runs)


def _rows(block: Block, p: Vector, critical: float, error: float) -> Iterator[Pair]:
    gap, lo, hi = block.law.interval(critical)
    i, j = block.law.pairs
    for k, (one, other) in enumerate(zip(i.tolist(), j.tolist(), strict=True)):
        first, second = str(block.models[one]), str(block.models[other])
        better = first if p[k] <= error and gap[k] > 0.0 else None
        numbers = (float(gap[k]), float(lo[k]), float(hi[k]), float(block.law.p_each[k]), float(p[k]))
        yield Pair(block.metric, block.task, first, second, *numbers, better)
