"""What the judge says of each single trial of the logs, to be matched with labels of the same trials."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..io import Reading as LogReading
    from ..judging import Labels
    from ..outcomes import OutcomeMatrix

_Key = tuple[str, str]  # model and question
_MOST_LABELS = 10  # more distinct labels are a scale, for which a kappa says little


class _Judged(NamedTuple):
    names: list[str]
    outcomes: list[float]


@dataclass(frozen=True)
class JudgedTrials:
    """The trials of the logs by model and question, each with its name and the judge's outcome.

    A name is that of the log where no two trials of the question share it, else a number from 1.
    """

    trials: Mapping[_Key, _Judged]

    @classmethod
    def of(cls, reading: LogReading, missing: str) -> JudgedTrials:
        """Return the trials that have an outcome, or that count as failures."""
        found: dict[_Key, list[tuple[str, float]]] = {}
        for source in reading.sources:
            columns = source.run.columns
            for question, key, outcome, times in zip(
                columns.questions, columns.keys, columns.outcomes, columns.times, strict=True
            ):
                if times == 1 and (outcome is not None or missing == "fail"):
                    value = 0.0 if outcome is None else float(outcome)
                    found.setdefault((source.run.model, question), []).append((str(key), value))
        return cls({key: _named(each) for key, each in found.items()})

    def names(self) -> dict[str, dict[Hashable, Sequence[str]]]:
        """Return the names of the trials by model and question."""
        names: dict[str, dict[Hashable, Sequence[str]]] = {}
        for (model, question), each in self.trials.items():
            names.setdefault(model, {})[question] = each.names
        return names

    def of_labels(self, labels: Labels, model: str, label_model: str) -> list[float] | None:
        """Return the judge's outcome of each labelled trial of a model, or None if some are unknown."""
        outcomes = []
        for row in labels.rows:
            if row["model"] == label_model:
                judged = self.trials.get((model, str(row["question"])), _Judged([], []))
                by_name = dict(zip(judged.names, judged.outcomes, strict=True))
                outcomes.append(by_name.get(str(row.get("trial"))))
        return (
            None if any(each is None for each in outcomes) else [float(each) for each in outcomes if each is not None]
        )


def _named(trials: Sequence[tuple[str, float]]) -> _Judged:
    names, outcomes = [name for name, _ in trials], [outcome for _, outcome in trials]
    return _Judged(names if len(set(names)) == len(names) else [str(i + 1) for i in range(len(names))], outcomes)


def single_trials(labels: Labels, outcomes: Sequence[float] | None, judged: OutcomeMatrix, model: str) -> Any:
    """Return the judge's outcomes of just the labelled trials, if only some trials of a question are labelled."""
    from ..outcomes import OutcomeMatrix

    human = labels.human[model]
    planned = dict(zip(map(str, judged.questions or ()), judged.trials.tolist(), strict=False))
    if outcomes is None or human.questions is None:
        return None
    if all(planned.get(str(name)) == n for name, n in zip(human.questions, human.trials.tolist(), strict=True)):
        return None
    by_question: dict[Hashable, list[float]] = {}
    rows = [row for row in labels.rows if row["model"] == model]
    for row, outcome in zip(rows, outcomes, strict=True):
        by_question.setdefault(row["question"], []).append(outcome)
    return OutcomeMatrix.from_rewards(by_question)


def has_classes(judge: Sequence[float], human: Sequence[float]) -> bool:
    """Return whether the labels are few enough to count agreements."""
    return len({*judge, *human}) <= _MOST_LABELS
