"""A crossed design: which row of an OutcomeSet is which model under which levels of the factors."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from .._base.words import pluralize, shorten, unknown
from ..errors import OutcomeError, ParameterError, Remedy
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..outcomes._column_names import MODEL

UNSET = "unset"  # the level of a row without the condition
Key = tuple[str, ...]  # a model and its levels


def crossing_of(
    outcomes: Any, factors: Sequence[str] | str | None
) -> tuple[dict[str, tuple[str, ...]], list[OutcomeMatrix]]:
    """Return the levels of ``"model"`` and then of each factor, and the outcomes under every combination of levels.

    The levels of the last factor change fastest.
    """
    models = outcomes if isinstance(outcomes, OutcomeSet) else OutcomeSet(outcomes)
    conditions = {row: dict(of_row) for row, of_row in models.conditions.items()}
    model = {row: str(of_row.pop(MODEL, row)) for row, of_row in conditions.items()}
    chosen = _chosen(factors, conditions, model)
    rows: dict[Key, str] = {}
    for row, of_row in conditions.items():
        key = (model[row], *(str(of_row.get(name, UNSET)) for name in chosen))
        if key in rows:
            raise _twice(row, rows[key], conditions, chosen)
        rows[key] = row
    levels = [tuple(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    crossed = dict(zip((MODEL, *chosen), levels, strict=True))
    for name in chosen:
        if len(crossed[name]) < 2:
            raise OutcomeError(f"factor {name!r} has a single level, {crossed[name][0]!r}: at least two are needed")
    keys = list(itertools.product(*levels))
    if lacking := [key for key in keys if key not in rows]:
        shown = ["model " + ", ".join([key[0], *map("{}={}".format, chosen, key[1:])]) for key in lacking]
        problem = f"the crossing is incomplete: {pluralize(len(lacking), 'cell')} without outcomes, {shorten(shown)}"
        raise OutcomeError(problem, hint="leave out the level or the model with select(..); nothing is imputed")
    return crossed, [models[rows[key]] for key in keys]


def _chosen(
    factors: Sequence[str] | str | None, conditions: Mapping[str, Mapping[str, Any]], model: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the factors: those of the user, else all conditions in which rows of one model differ."""
    offered = list(dict.fromkeys(name for of_row in conditions.values() for name in of_row))
    if factors is None:
        kinds = {
            name: {(model[row], str(of_row.get(name, UNSET))) for row, of_row in conditions.items()} for name in offered
        }
        chosen = [name for name in offered if len(kinds[name]) > len({*model.values()})]
        if not chosen:
            raise OutcomeError(
                "no model was run under different conditions, so there is nothing to cross",
                remedies=[Remedy("factors", ["..."], "keeps a column of a table or data frame as a factor")],
            )
        return tuple(chosen)
    chosen = [factors] if isinstance(factors, str) else list(factors)
    if not chosen or len(set(chosen)) < len(chosen):
        raise ParameterError(f"must be different names of conditions; got {factors!r}", argument="factors")
    for name in chosen:
        if name not in offered:
            raise ParameterError(f"has an {unknown('condition', name, offered or ['none'])}", argument="factors")
    return tuple(chosen)


def _twice(row: str, other: str, conditions: Mapping[str, Mapping[str, Any]], chosen: Sequence[str]) -> OutcomeError:
    mine, theirs = conditions[row], conditions[other]
    rest = [name for name in {**mine, **theirs} if name not in chosen and mine.get(name) != theirs.get(name)]
    remedies = [Remedy("factors", [*chosen, rest[0]], "crosses it"), Remedy("pool", rest[0], "adds such runs up")]
    return OutcomeError(
        f"{row!r} and {other!r} are the same model under the same levels"
        + (f"; they differ in {shorten(rest)}" if rest else ""),
        remedies=remedies if rest else (),
    )
