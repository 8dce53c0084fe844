"""Inspect logs: ``.eval`` archives and ``.json`` documents.

Of an archive only the header and the sample summaries are read; a run that was killed has neither, but a journal of
both. Where a sample was run again, the later row stands, as it does for the tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ..errors import OutcomeError
from .archive import Archive, opened
from .choose import chosen
from .expect import items, label, mapping, maybe_label, whole, within
from .files import LogFile, parsed
from .records import Format, Request, Run, Trial
from .reward import reward

_HEADER, _START = "header.json", "_journal/start.json"
_SUMMARIES, _JOURNAL = "summaries.json", "_journal/summaries/"
_NO_MODEL = "none/none"  # of runs whose models are all in roles
_BEGINNING = 200  # characters of an input that are compared; summaries keep a thousand
_NO_TEXT = re.compile(r"attachment://.*|\([A-Z]\w*\)")  # what stands for a text or an image that is elsewhere
_LONE_SCORE = "score"  # what logs of the first version call the one score they have


def _matches(file: LogFile) -> bool:
    if file.head.startswith(b"PK"):
        with opened(file.path) as archive:
            return bool(archive.names & {_HEADER, _START})
    log = file.document
    return isinstance(log, dict) and isinstance(log.get("eval"), dict) and "model" in log["eval"]


def _read(file: LogFile, request: Request) -> list[Run]:
    header, samples = _archived(file) if file.head.startswith(b"PK") else _whole(file)
    spec = mapping(header.get("eval"), "eval")
    run = Run(
        model=_model(spec),
        trials=[],
        identity=str(spec.get("task_id") or spec.get("run_id") or file.digest),
        task=maybe_label(spec.get("task"), "eval.task"),
        attempt=_attempt(spec),
    )
    return [_filled(run, header, samples, request) if request.wants(run.task) else run]


FORMAT = Format("inspect", _matches, _read, frozenset({"metric", "levels", "question", "cluster"}))


def _model(spec: dict[str, Any]) -> str:
    """The model, or those of the roles where the run had no other."""
    model = label(spec.get("model"), "eval.model")
    roles = mapping(spec.get("model_roles") or {}, "eval.model_roles")
    if model != _NO_MODEL or not roles:
        return model
    named = {role: entry.get("model") if isinstance(entry, dict) else entry for role, entry in roles.items()}
    return str(*named.values()) if len(named) == 1 else ", ".join(f"{role}={model}" for role, model in named.items())


def _attempt(spec: dict[str, Any]) -> str:
    """When the log was begun, and its name: a retry has the task's id, and both of its own."""
    try:
        begun = datetime.fromisoformat(str(spec.get("created")))
        return f"{begun.astimezone(UTC).isoformat()} {spec.get('eval_id') or spec.get('run_id')}"
    except (ValueError, OverflowError):
        return ""


def _whole(file: LogFile) -> tuple[dict[str, Any], list[Any]]:
    log = mapping(file.document, "an Inspect log")
    if log.get("samples") is None and log.get("status", "success") == "success":
        raise OutcomeError("the log holds no samples: it was written without them")
    return log, items(log.get("samples") or [], "samples")


def _archived(file: LogFile) -> tuple[dict[str, Any], list[Any]]:
    with opened(file.path) as archive:
        header = mapping(_member(archive, _HEADER if _HEADER in archive.names else _START), "the header")
        names = [_SUMMARIES] if _SUMMARIES in archive.names else _journal(archive)
        samples = [row for name in names for row in items(_member(archive, name), name)]
        if not samples and header.get("status") == "success":
            raise OutcomeError("the log holds no samples: it was written without them")
        if header.get("invalidated"):
            samples = [_marked(archive, mapping(row, "a sample")) for row in samples]
        return header, samples


def _journal(archive: Archive) -> list[str]:
    numbers = {name: name.removeprefix(_JOURNAL).removesuffix(".json") for name in archive.names}
    return sorted((name for name, number in numbers.items() if number.isdecimal()), key=lambda name: int(numbers[name]))


def _member(archive: Archive, name: str) -> Any:
    with within(name):
        return parsed(archive.member(name))


def _marked(archive: Archive, row: dict[str, Any]) -> dict[str, Any]:
    """The summary with its sample's mark of being invalid, which summaries leave out."""
    name = f"samples/{row.get('id')}_epoch_{row.get('epoch')}.json"
    if name not in archive.names:
        return row
    return row | {"invalidation": mapping(_member(archive, name), name).get("invalidation")}


@dataclass(frozen=True)
class _Sample:
    id: str
    epoch: int
    scores: Mapping[str, Any]  # by name, or by name/key where a score has several values
    metadata: dict[str, Any]
    text: str  # how the input of a numbered sample begins, without blanks

    def question(self, key: str | None) -> str:
        """Its id, or what its metadata calls it."""
        return self.id if key in (None, "id") else label(self.metadata.get(key), f"metadata {key!r}")


def _sample(row: Any) -> _Sample:
    row = mapping(row, "a sample")
    numbered = isinstance(row.get("id"), int)  # as samples without ids are, in the order of that run
    return _Sample(
        label(row.get("id"), "a sample's id"),
        whole(row.get("epoch", 1), "a sample's epoch"),
        {} if row.get("invalidation") else _values(row),
        mapping(row.get("metadata") or {}, "a sample's metadata"),
        "".join("".join(_texts(row.get("input"))).split())[:_BEGINNING] if numbered else "",
    )


def _texts(part: Any) -> Iterator[str]:
    """The texts of an input: of a lone one, or of each message, which may have parts."""
    if isinstance(part, str):
        yield "" if _NO_TEXT.fullmatch(part) else part
    elif isinstance(part, list):
        for entry in part:
            yield from _texts(entry.get("content", entry.get("text")) if isinstance(entry, dict) else None)


def _values(row: dict[str, Any]) -> dict[str, Any]:
    """The values of a sample's scores; None for what is not there."""
    scores = {_LONE_SCORE: row["score"]} if row.get("score") else row.get("scores")
    found: dict[str, Any] = {}
    for name, score in mapping(scores or {}, "a sample's scores").items():
        value = mapping(score, f"the score {name!r}").get("value")
        if isinstance(value, list):
            value = {str(i): part for i, part in enumerate(value)}
        found |= {f"{name}/{key}": part for key, part in value.items()} if isinstance(value, dict) else {name: value}
    return {name: value if value == value else None for name, value in found.items()}  # noqa: PLR0124 - NaN


def _names(samples: list[_Sample]) -> list[str]:
    """The scores that there are; one that has several values may be without any in some samples."""
    found = dict.fromkeys(name for sample in samples for name in sample.scores)
    several = {name.rpartition("/")[0] for name in found}
    valued = {name for sample in samples for name, value in sample.scores.items() if value is not None}
    return [name for name in found if name in valued or name not in several]


def _filled(run: Run, header: dict[str, Any], rows: list[Any], request: Request) -> Run:
    spec = header["eval"]
    samples = list({(sample.id, sample.epoch): sample for sample in map(_sample, rows)}.values())
    names = _names(samples)
    measure = chosen(request.metric, names, "score", "metric") if names else ""
    cluster = request.fields.get("cluster") or _declared_cluster(spec)
    trials = [_trial(sample, measure, cluster, request) for sample in samples]
    clustered = any(trial.cluster is not None for trial in trials)
    return replace(
        run,
        trials=trials,
        measure=measure,
        planned=_planned(header, spec, samples, request.fields.get("question")),
        fingerprints={} if "question" in request.fields else {each.id: each.text for each in samples if each.text},
        notes={
            "status": str(header.get("status", "killed")),
            "score": measure or "none",
            "cluster": f"metadata {cluster!r}" if clustered else "",
        },
    )


def _trial(sample: _Sample, measure: str, cluster: str, request: Request) -> Trial:
    with within(f"sample {sample.id!r}, epoch {sample.epoch}"):
        outcome = reward(sample.scores.get(measure), request.levels)
        question = sample.question(request.fields.get("question"))
        return Trial(question, sample.epoch, outcome, maybe_label(sample.metadata.get(cluster), "the cluster"))


def _declared_cluster(spec: dict[str, Any]) -> str:
    """The metadata key that the log's own standard errors are clustered by, else "cluster"."""
    found = {key for key in _cluster_options(spec.get("scorers")) if isinstance(key, str)}
    return found.pop() if len(found) == 1 else "cluster"


def _cluster_options(part: Any) -> list[Any]:
    if isinstance(part, dict):
        options = part.get("options")
        own = [options["cluster"]] if isinstance(options, dict) and "cluster" in options else []
        return own + _cluster_options(list(part.values()))
    if isinstance(part, list):
        return [option for entry in part for option in _cluster_options(entry)]
    return []


def _planned(header: dict[str, Any], spec: dict[str, Any], samples: list[_Sample], key: str | None) -> dict[str, int]:
    """How often each question was meant to be asked; logs of limited runs may list the whole dataset all the same."""
    epochs = whole(mapping(spec.get("config") or {}, "eval.config").get("epochs") or 1, "eval.config.epochs")
    listed = mapping(spec.get("dataset") or {}, "eval.dataset").get("sample_ids") or []
    ids = [label(entry, "a sample id") for entry in items(listed, "eval.dataset.sample_ids")]
    total = mapping(header.get("results") or {}, "results").get("total_samples")
    if not ids or key not in (None, "id") or (total is not None and total != len(ids) * epochs):
        ids = [sample.question(key) for sample in samples]
    return dict.fromkeys(ids, epochs)
