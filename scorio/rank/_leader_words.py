"""What a ranking says of its leader, in one sentence."""

from collections.abc import Sequence

from .._display.table import plain
from .._display.words import pluralize
from ._settings import LeaderboardSettings
from ._table import Row

_NAMED = 5


def of_leader(rows: Sequence[Row], first: Sequence[str], rate: str) -> str:
    """Say which model has the highest score, or which ``first`` share it, and whether others may be as good."""
    leader, *others = rows
    tied = [row.model for row in others if row.tied_with_top]
    lead = f"{listed([*map(plain, first)])} {'has' if len(first) == 1 else 'have'} the highest "
    lead += "forecast" if leader.forecast else "score"
    if not leader.tied_with_top:
        return f"{lead}, but another model is significantly better{rate}"
    if not tied:
        return f"{plain(leader.model)} is the best model{rate}"
    more = len(set(tied).difference(first))
    if more:
        return f"{lead}, and {pluralize(more, 'model')} may be as good{rate}"
    return f"{lead}, and {'either' if len(first) == 2 else 'each of them'} may be the best{rate}"


def error_of(settings: LeaderboardSettings, *, is_family_wise: bool) -> str:
    """Return the error rate over the family of pairs, in parentheses; nothing where each pair has its own."""
    return f" (family-wise error {settings.error_percent})" if is_family_wise else ""


def listed(names: Sequence[str]) -> str:
    """Write names in a sentence; of more than five, the first four and how many more there are."""
    shown = [*names[:_NAMED], f"{len(names) - _NAMED} more"] if len(names) > _NAMED else list(names)
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]
