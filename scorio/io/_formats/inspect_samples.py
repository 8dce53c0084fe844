"""Samples of Inspect logs: scores, answers and costs of each epoch of a question, and their trials."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict

from ...errors import OutcomeError
from ..checks import spent
from . import At, Request, Trial

_USAGE = {"input_tokens": "input_tokens", "output_tokens": "output_tokens", "dollars": "total_cost"}
_USUAL = 1 << 20  # epochs below this need no check
_BEGINNING = 200  # characters of an input that are compared; summaries keep 1,000
_NO_TEXT = re.compile(r"attachment://.*|\([A-Z]\w*\)")  # placeholders of texts and images that are stored elsewhere


class ScoreRow(TypedDict, total=False):
    """What is read of a score."""

    value: Any
    answer: Any


class SampleRow(TypedDict, total=False):
    """What is read of a sample, or of its summary."""

    id: Any
    epoch: Any
    input: Any
    metadata: Any
    invalidation: Any
    scores: dict[str, ScoreRow] | None
    model_usage: Any


class Sample(NamedTuple):
    """A sample of one epoch; its scores have names such as ``judge/style`` if a score has several values."""

    id: str
    epoch: int
    scores: Mapping[str, Any]
    metadata: Mapping[str, Any]
    text: str  # the input without blanks, or its start and the id
    used: Mapping[str, float]  # tokens and dollars
    answers: Mapping[str, Any] = MappingProxyType({})  # by the name of the score

    def question(self, key: str | None) -> str:
        """Return the id, or the name that the metadata has under ``key``."""
        return self.id if key in (None, "id") else self.at["metadata", str(key)].text

    def cluster(self, key: str) -> str | None:
        """Return the cluster that the metadata has under ``key``, None if there is none."""
        return None if self.metadata.get(key) is None else self.at["metadata", key].maybe

    @property
    def at(self) -> At:
        """What is known of the sample, with its place."""
        return At({"metadata": self.metadata, "scores": self.scores}, f"sample {self.id!r}, epoch {self.epoch}")


def every_sample(rows: Sequence[At]) -> list[Sample]:
    """Return the sample of each row; where no row has an epoch, the rows of an id are its epochs in order."""
    samples = [_sample(row) for row in rows]
    if any("epoch" in row for row in rows):
        return samples
    count = Counter[str]()
    for i, sample in enumerate(samples):
        count[sample.id] += 1
        samples[i] = sample._replace(epoch=count[sample.id])
    return samples


def check_ids(rows: Sequence[At]) -> None:
    """Check that samples that are called by one text have one id."""
    first: dict[str, Any] = {}
    for row in rows:
        id_ = row["id"].value
        if type(other := first.setdefault(str(id_), id_)) is not type(id_):
            hint = "give one of them another id, as both are called by the same text"
            raise OutcomeError(f"two samples have the ids {other!r} and {id_!r}", hint=hint)


def check_inputs(samples: Sequence[Sample]) -> None:
    """Check that samples of one id have one input, also those that a later row replaces."""
    first: dict[str, str] = {}
    for sample in samples:
        if sample.text and first.setdefault(sample.id, sample.text) != sample.text:
            raise sample.at.fault("it has another input than an earlier sample of this id: these are two questions")


def _sample(row: At) -> Sample:
    """Return the sample of a row; large logs have many, so that what is usual is taken without a check."""
    log = row.needed.obj
    name, epoch, metadata = log.get("id"), log.get("epoch", 1), log.get("metadata")
    scores = {} if log.get("invalidation") else _scores(row)
    text = "".join("".join(_texts(log.get("input"))).split())
    return Sample(
        name if type(name) is str and name else row["id"].text,
        epoch if type(epoch) is int and 0 <= epoch < _USUAL else row["epoch"].whole,
        _values(scores),
        metadata if type(metadata) is dict else row["metadata"].obj,
        text if len(text) <= _BEGINNING else f"{text[:_BEGINNING]} {log.get('id')}",  # others may begin alike
        usage_of(log),
        {name: score["answer"] for name, score in scores.items() if score.get("answer") is not None},
    )


def _scores(row: At) -> dict[str, Any]:
    """Return the scores of a sample, each an object."""
    scores = row.value.get("scores")
    scores = scores if type(scores) is dict else row["scores"].obj
    if all(type(score) is dict for score in scores.values()):
        return scores
    return {name: At(score, row.where, f"scores.{name}").needed.obj for name, score in scores.items()}


def _texts(part: Any) -> Iterator[str]:
    """Yield the texts of an input: a text, or messages, which may have several parts."""
    if isinstance(part, str):
        yield "" if _NO_TEXT.fullmatch(part) else part
    elif isinstance(part, list):
        for entry in part:
            yield from _texts(entry.get("content", entry.get("text")) if isinstance(entry, dict) else None)


def _values(scores: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a sample's scores; None for a value that is missing."""
    values: dict[str, Any] = {}
    for name, score in scores.items():
        value = score.get("value")
        if isinstance(value, list):
            value = {str(i): part for i, part in enumerate(value)}
        if isinstance(value, dict):
            values |= {f"{name}/{key}": _present(part) for key, part in value.items()}
        else:
            values[name] = _present(value)
    return values


def _present(value: Any) -> Any:
    return value if value == value else None  # noqa: PLR0124 - NaN


def score_names(samples: Sequence[Sample]) -> list[str]:
    """Return the names of the scores; a score with several values may have none of them in some samples."""
    names = dict.fromkeys(name for sample in samples for name in sample.scores)
    several = {name.rpartition("/")[0] for name in names}
    if several.isdisjoint(names):
        return list(names)
    valued = {name for sample in samples for name, value in sample.scores.items() if value is not None}
    return [name for name in names if name in valued or name not in several]


def trials_of(samples: Sequence[Sample], measure: str, cluster: str, request: Request) -> Iterator[Trial]:
    """Yield the trials of a score; ``cluster`` is a key of the metadata."""
    key, by_id = request.fields.get("question"), "question" not in request.fields
    is_own = "/" not in measure or any(measure in sample.answers for sample in samples)
    scorer = measure if is_own else measure.rpartition("/")[0]  # of a score with several values
    outcomes: dict[tuple[type, Any], float | None] = {}
    for sample in samples:
        value = sample.scores.get(measure)
        try:
            outcome = outcomes[type(value), value]
        except (KeyError, TypeError):
            outcome = sample.at["scores", measure].to(request.outcome)
            outcomes[type(value), value] = outcome
        question, mark = sample.question(key), sample.text if by_id else ""
        answer, group = sample.answers.get(scorer), sample.cluster(cluster)
        yield Trial(question, sample.epoch, outcome, group, 1, sample.used, mark, answer, sample.scores)


def usage_of(part: dict[str, Any]) -> dict[str, float]:
    """Return the tokens and dollars of a run or a sample over all models that it used; nothing if it does not tell."""
    usage = part.get("model_usage")
    if not usage or not isinstance(usage, dict):
        return {}
    models = [model for model in usage.values() if isinstance(model, dict)]
    amounts = [spent(**{name: model.get(key) for name, key in _USAGE.items()}) for model in models]
    return {
        name: sum(used.get(name, 0) for used in amounts) for name in _USAGE if any(name in used for used in amounts)
    }
