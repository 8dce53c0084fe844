"""Leaderboards and comparisons of several metrics, tasks or benchmarks, as one family."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from .._choices import INDEPENDENT, RANDOM
from .._display.words import shorten
from ..comparison import Block, Comparison, OnePair, Pairs, all_pairs
from ..errors import ParameterError
from ._leaderboard import Leaderboard
from ._metric_ranking import MetricRanking, blocks_of

Part: TypeAlias = Leaderboard | MetricRanking | Comparison


def join_pairs(parts: Part | Iterable[Part] | Mapping[str, Part], family: str = "holm") -> Pairs:
    """Judge the pairs of several leaderboards and comparisons together, at one error rate.

    ``parts`` are results of ``Leaderboard`` and ``compare``, in a list, or in a mapping whose keys name their tasks or
    benchmarks. All have one ``confidence``, one ``target`` and one kind of ``runs``. ``family`` is that of
    ``Leaderboard.pairs``; with ``"simultaneous"``, the parts share the error equally. Pairs by the metrics of one
    leaderboard need no joining: ``Leaderboard.pairs`` has all of them. ``join_pairs(board.tasks)`` joins the pairs on
    each task of a suite.

    >>> from scorio import compare
    >>> from scorio.rank import join_pairs
    >>> A, B = [[1, 1, 1, 0], [1, 1, 1, 1], [1, 0, 1, 1]] * 3, [[1, 0, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]] * 3
    >>> results = [compare(metric, A, B) for metric in ("pass@1", "pass@2", "pass^2")]
    >>> pairs = join_pairs(results, "holm")
    >>> pairs.error_rate
    '3 pairs, Holm: family-wise error 5%'
    >>> [(pair.metric, pair.better) for pair in pairs]
    [('pass@1', 'A'), ('pass@2', 'A'), ('passhat@2', 'A')]
    """
    named = _named(parts)
    of = [part if isinstance(part, Comparison) else part.settings for _, part in named]
    terms = {(each.confidence, each.target, RANDOM if each.runs == RANDOM else INDEPENDENT) for each in of}
    if len(terms) != 1:
        shown = shorten([f"{confidence:g} for {target}, runs {runs}" for confidence, target, runs in sorted(terms)])
        raise ParameterError(
            f"must have one confidence, one target and one kind of runs; got {shown}", argument="parts"
        )
    blocks = [block for label, part in named for block in _blocks(part, label)]
    _check_different(blocks)
    return all_pairs(blocks, family, *terms.pop())


def _named(parts: Part | Iterable[Part] | Mapping[str, Part]) -> list[tuple[str | None, Part]]:
    named: list[tuple[str | None, Part]]
    if isinstance(parts, Part):
        named = [(None, parts)]
    elif isinstance(parts, Mapping):
        named = [(str(label), part) for label, part in parts.items()]
    else:
        named = [(None, part) for part in parts]
    if not named:
        raise ParameterError("is empty", argument="parts")
    for _, part in named:
        if not isinstance(part, Part):
            problem = f"has a {type(part).__name__}: leaderboards and comparisons are needed"
            raise ParameterError(problem, argument="parts")
    return named


def _blocks(part: Part, label: str | None) -> list[Block]:
    if not isinstance(part, Comparison):
        return blocks_of(part.rankings if isinstance(part, Leaderboard) else [part], label)
    return [Block(str(part.metric), label, part.names, OnePair(part))]


def _check_different(blocks: list[Block]) -> None:
    """Check that no two rows would have the same names."""
    seen = set()
    for block in blocks:
        for i, j in zip(*block.law.pairs, strict=True):
            row = (block.metric, block.task, frozenset((block.models[i], block.models[j])))
            if row in seen:
                problem = f"has {block.metric} of {shorten(sorted(row[2]))} twice"
                raise ParameterError(problem, argument="parts", hint="name the parts: {'task': board, ..}")
            seen.add(row)
