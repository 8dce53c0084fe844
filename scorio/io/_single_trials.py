"""Single trials of what was read: the run and the name of each, where logs tell them."""

from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

from ._records import Source
from ._trial_table import in_order

ByName = dict[str, float]  # the outcome of each trial of a question
_ANY = ("long", "counts", "models")  # forms of tables whose trials have no order


class SingleTrial(NamedTuple):
    """A trial of a question; ``name`` is None if the trials of its question have none."""

    run: str
    name: Hashable
    question: str
    outcome: float | None


def single_trials(source: Source) -> Iterator[SingleTrial]:
    """Yield every trial of a source."""
    run, trials, notes = source.run.identity or str(source.path), source.run.columns, source.run.notes
    is_any = source.apart is not None or source.format == "arrays"
    is_any = is_any or (notes.get("form") in _ANY and "trial" not in notes)
    for question, key, outcome, times in zip(trials.questions, trials.keys, trials.outcomes, trials.times, strict=True):
        names: Iterable[Hashable]
        if isinstance(key, frozenset):
            names = in_order(key)
        else:
            name = key[-1] if isinstance(key, tuple) else key
            names = [None if is_any or isinstance(name, float) else name] * times
        for name in names:
            yield SingleTrial(run, name, question, outcome)


def named_trials(sources: Iterable[Source], missing: str) -> dict[str, dict[str, ByName]]:
    """Return the outcomes of trials by model, question and name.

    A name is that of the log where no two trials of the question share it, else a number from 1. A question that has
    several trials without names is left out: nobody can say which of them is which.
    """
    cells: dict[tuple[str, str], dict[tuple[str, Hashable], float | None]] = {}
    unnamed: set[tuple[str, str]] = set()
    for source in (source_of_file for together in sources for source_of_file in together.one_by_one()):
        for trial in single_trials(source):
            place = source.run.model, trial.question
            cell = cells.setdefault(place, {})
            key = trial.run, trial.name
            if trial.name is None and key in cell:
                unnamed.add(place)
            if trial.outcome is not None or key not in cell:  # a later row may hold the outcome of an earlier one
                cell[key] = trial.outcome
    named: dict[str, dict[str, ByName]] = {}
    for (model, question), cell in cells.items():
        if (model, question) not in unnamed:
            kept = {key: outcome for key, outcome in cell.items() if outcome is not None or missing == "fail"}
            named.setdefault(model, {})[question] = _by_name(kept)
    return named


def _by_name(trials: dict[tuple[str, Hashable], float | None]) -> ByName:
    runs = {run: i for i, run in enumerate(dict.fromkeys(run for run, _ in trials))}
    order = sorted(trials, key=lambda key: (runs[key[0]], _number(key[1])))
    names = [str(name) for _, name in order]
    if None in {name for _, name in order} or len(set(names)) < len(names):
        names = [str(i + 1) for i in range(len(order))]
    return {name: trials[key] or 0.0 for name, key in zip(names, order, strict=True)}


def _number(name: Hashable) -> float:
    """Return the number that a name is; other names stay in the order of the log, after the numbers."""
    text = str(name)
    return int(text) if text.isascii() and text.isdecimal() else float("inf")
