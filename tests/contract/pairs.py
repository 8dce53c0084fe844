"""Choose few rows of options so that every pair of values of two options is in some row."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

Values = Sequence[str | None]


def covering(alternatives: Sequence[Values], clash: Callable[..., bool]) -> Iterator[tuple[str | None, ...]]:
    """Yield rows, one value of each option, until every pair of values was in one; always the same rows.

    Each row begins with the first pair that no row has yet. The other options take, one after the other, the value
    that adds the most new pairs. The number of rows is close to the product of the two longest lists of alternatives.
    ``clash(i, value, j, other)`` says which values of the options i and j are never asked together.
    """
    places = range(len(alternatives))
    apart = {
        (min(one, other), max(one, other))
        for (i, these), (j, those) in combinations(list(enumerate(alternatives)), 2)
        for one in ((i, a) for a in range(len(these)))
        for other in ((j, b) for b in range(len(those)))
        if clash(i, these[one[1]], j, those[other[1]])
    }
    missing = {
        ((i, a), (j, b)): None
        for i, j in combinations(places, 2)
        for a in range(len(alternatives[i]))
        for b in range(len(alternatives[j]))
        if ((i, a), (j, b)) not in apart
    }
    for number in range(1 if len(alternatives) != 1 else len(alternatives[0])):
        yield tuple(values[min(number, len(values) - 1)] for values in alternatives)
    while missing:
        row = dict(next(iter(missing)))
        for i in places:
            if i not in row:
                allowed = [a for a in range(len(alternatives[i])) if not _any(apart, row, i, a)] or [0]
                turn = len(missing) % len(allowed)  # of several that add as much, another one in every row
                row[i] = max(allowed[turn:] + allowed[:turn], key=lambda a, i=i: _added(missing, row, i, a))
        for pair in combinations(sorted(row.items()), 2):
            missing.pop(pair, None)
        yield tuple(alternatives[i][row[i]] for i in places)


def _pairs(row: dict[int, int], place: int, value: int) -> Iterator[tuple]:
    return (tuple(sorted([(place, value), other])) for other in row.items())


def _added(missing: dict, row: dict[int, int], place: int, value: int) -> int:
    return sum(pair in missing for pair in _pairs(row, place, value))


def _any(apart: set, row: dict[int, int], place: int, value: int) -> bool:
    return any(pair in apart for pair in _pairs(row, place, value))
