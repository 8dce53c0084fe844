"""What an analysis of factors consists of: margins, differences, cells, tests and variance components."""

from __future__ import annotations

from typing import NamedTuple

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
