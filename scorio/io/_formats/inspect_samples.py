"""The samples of Inspect logs, the scores that they have, and the trials that they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..._base.words import pluralize, warn
from ...errors import FilesWarning, OutcomeError
from .. import At, Request, Trial
from ..checks import spent

_USAGE = {"input_tokens": "input_tokens", "output_tokens": "output_tokens", "dollars": "total_cost"}
_USUAL = 1 << 20  # epochs below this need no check
_BEGINNING = 200  # characters of an input that are compared; summaries keep 1,000
_NO_TEXT = re.compile(r"attachment://.*|\([A-Z]\w*\)")  # placeholders of texts and images that are stored elsewhere


class Sample(NamedTuple):
    """A sample of one epoch; its scores have names such as ``judge/style`` if a score has several values."""

    id: str
    epoch: int
    scores: Mapping[str, Any]
    text: str  # the input without blanks, or its start and the id
    row: At

    @property
    def at(self) -> At:
        """What is known of the sample, with its place."""
        log = {"metadata": self.row["metadata"].obj, "scores": self.scores}
        return At(log, f"sample {self.id!r}, epoch {self.epoch}")

    def question(self, key: str | None) -> str:
        """Return the id, or the name that the metadata has under ``key``."""
        return self.id if key in (None, "id") else self.at["metadata", str(key)].text


def samples_of(rows: Sequence[At], *, by_input: bool) -> list[Sample]:
    """Return the sample of each row; where no row has an epoch, the rows of an id are its epochs in order.

    Samples of one name must have one id and, ``by_input``, one input, also if a later row replaces them. Large logs
    have many samples, so that what is usual is taken without a check.
    """
    samples: list[Sample] = []
    has_epochs, count = any("epoch" in row for row in rows), Counter[str]()
    first: dict[str, tuple[Any, Any, str]] = {}  # of each name, the id and the input, and its text
    for row in rows:
        log = row.value if type(row.value) is dict else row.needed.obj
        id_, asked, epoch = log.get("id"), log.get("input"), log.get("epoch", 1)
        name = id_ if type(id_) is str and id_ else row["id"].text
        if not has_epochs:
            count[name] += 1
            epoch = count[name]
        elif type(epoch) is not int or not 0 <= epoch < _USUAL:
            epoch = row["epoch"].whole
        first_id, first_asked, text = first.get(name) or first.setdefault(name, (id_, asked, _text(asked, id_)))
        if type(first_id) is not type(id_):
            hint = "give one of them another id, as both are called by the same text"
            raise OutcomeError(f"two samples have the ids {first_id!r} and {id_!r}", hint=hint)
        if asked != first_asked:
            first_text, text = text, _text(asked, id_)
            first[name] = id_, first_asked if first_text else asked, first_text or text
        else:
            first_text = text
        samples.append(Sample(name, epoch, _scores(row), text, row))
        if by_input and text != first_text and text and first_text:
            raise samples[-1].at.fault(
                "it has another input than an earlier sample of this id: these are two questions"
            )
    return samples


def _text(asked: Any, id_: Any) -> str:
    """Return the text of an input without blanks; others may begin alike if it is long."""
    text = "".join("".join(_texts(asked)).split())
    return text if len(text) <= _BEGINNING else f"{text[:_BEGINNING]} {id_}"


def _texts(part: Any) -> Iterator[str]:
    """Yield the texts of an input: a text, or messages, which may have several parts."""
    if isinstance(part, str):
        yield "" if _NO_TEXT.fullmatch(part) else part
    elif isinstance(part, list):
        for entry in part:
            yield from _texts(entry.get("content", entry.get("text")) if isinstance(entry, dict) else None)


def _scores(row: At) -> dict[str, Any]:
    """Return the values of a sample's scores by name; none of an invalid sample."""
    stored = row.value.get("scores")
    values: dict[str, Any] = {}
    if row.value.get("invalidation"):
        return values
    scores: dict[str, Any] = stored if type(stored) is dict else row["scores"].obj
    for name, score in scores.items():
        entry = score if type(score) is dict else At(score, row.where, f"scores.{name}").needed.obj
        value: Any = entry.get("value")
        if type(value) in (list, dict):
            parts = enumerate(value) if type(value) is list else value.items()
            values |= {f"{name}/{key}": part for key, part in parts}
        else:
            values[name] = value
    return values


def _is_there(value: Any) -> bool:
    return value is not None and value == value  # noqa: PLR0124 - NaN


def score_names(samples: Sequence[Sample]) -> list[str]:
    """Return the names of the scores; a score with several values may have none of them in some samples."""
    names = dict.fromkeys(name for sample in samples for name in sample.scores)
    several = {name.rpartition("/")[0] for name in names}
    if several.isdisjoint(names):
        return list(names)
    valued = {name for sample in samples for name, value in sample.scores.items() if _is_there(value)}
    return [name for name in names if name in valued or name not in several]


def without_earlier(every: Sequence[Sample], measure: str) -> tuple[list[Sample], str]:
    """Return the last sample of each id and epoch, and how many others there are; a warning says if these have scores.

    A sample that was run again has a later row, which counts for the tool as well.
    """
    samples = list({(sample.id, sample.epoch): sample for sample in every}.values())
    if len(samples) == len(every):
        return samples, ""
    kept = set(map(id, samples))
    lost = [sample for sample in every if id(sample) not in kept]
    scored = sum(_is_there(sample.scores.get(measure)) for sample in lost)
    if scored:
        many = f"{pluralize(scored, 'scored row')} of {len(every):,} {'is' if scored == 1 else 'are'} left out"
        reason = "a later row has the same id and epoch, as a sample that was run again has"
        warn(f"{many}: {reason}. If these are trials, number their epochs", FilesWarning)
    return samples, pluralize(len(lost), "row")


def trials_of(samples: Sequence[Sample], measure: str, cluster: str, request: Request) -> list[Trial]:
    """Return the trials of a score; ``cluster`` is a key of the metadata."""
    key, by_id = request.fields.get("question"), "question" not in request.fields
    answers = [_answers(sample) for sample in samples] if request.keeps_answers else []
    is_named = "/" not in measure or any(measure in of_sample for of_sample in answers)
    scorer = measure if is_named else measure.rpartition("/")[0]  # of a score with several values
    outcomes: dict[tuple[type, Any], float | None] = {}
    trials: list[Trial] = []
    for i, sample in enumerate(samples):
        value, log = sample.scores.get(measure), sample.row.value
        try:
            outcome = outcomes[type(value), value]
        except (KeyError, TypeError):
            outcome = sample.at["scores", measure].to(request.outcome)
            outcomes[type(value), value] = outcome
        metadata = log.get("metadata") or {}
        is_plain = type(metadata) is dict and metadata.get(cluster) is None
        group = None if is_plain else sample.at["metadata", cluster].maybe
        question, mark = sample.id if by_id else sample.question(key), sample.text if by_id else ""
        answer = answers[i].get(scorer) if answers else None
        trials.append(Trial(question, sample.epoch, outcome, group, 1, usage_of(log), mark, answer, sample.scores))
    return trials


def _answers(sample: Sample) -> dict[str, Any]:
    """Return the answers of a sample by the names of its scores."""
    scores = {} if sample.row["invalidation"] else sample.row["scores"].obj
    return {name: score["answer"] for name, score in scores.items() if score.get("answer") is not None}


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
