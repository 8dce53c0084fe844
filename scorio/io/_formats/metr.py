"""METR's time horizons: ``runs.jsonl`` with one run of a task per line, and how long a person needs."""

from typing import Any

from ...errors import OutcomeError
from .._files import LogFile
from .._format import Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from ..checks import by_trial, label, maybe_label, spent, sums, within

_OF_A_RUN = {"task_id", "human_minutes", "score_binarized"}
_SCORE = "score_binarized"
_SCORES = (_SCORE, "score_cont", "score")  # what an outcome can be read from
_NUMBERS = ("human_minutes", "invsqrt_task_weight", "equal_task_weight", "human_score", "score_cont", "score")


class MetrFormat(Format):
    """Runs of METR's time horizons."""

    name = "metr-runs"
    options = frozenset({"score", "scores"})

    def matches(self, file: LogFile) -> bool:
        return file.row_has_keys(*_OF_A_RUN)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        rows = list(file.records())
        offered = [name for name in _SCORES if any(name in row for _, row in rows)]
        measure = request.choose("score", offered, "score") if request.score else _SCORE
        models: dict[str, list[tuple[Trial, dict[str, Any]]]] = {}
        minutes: dict[str, Any] = {}
        for i, (place, row) in enumerate(rows):
            with within(place):
                trial = _trial(row, i, measure, request)
                own = row.get("human_minutes")
                if minutes.setdefault(trial.question, own) != own:
                    known = minutes[trial.question]
                    raise OutcomeError(f"human_minutes of {trial.question!r} are {own!r}, and {known!r} before")
                models.setdefault(label(row.get("alias") or row.get("model"), "alias"), []).append((trial, row))
        return [_run(model, own, measure, file, request) for model, own in models.items()]


def _trial(row: dict[str, Any], i: int, measure: str, request: Request) -> Trial:
    """Return a run of a task; runs without an id are numbered."""
    key = row.get("run_id")
    cluster = maybe_label(row.get("task_family"), "task_family")
    outcome = request.outcome(row.get(measure))
    return Trial(label(row.get("task_id"), "task_id"), i if key is None else label(key, "run_id"), outcome, cluster)


def _run(model: str, own: list[tuple[Trial, dict[str, Any]]], measure: str, file: LogFile, request: Request) -> Run:
    trials, rows = [trial for trial, _ in own], [row for _, row in own]
    amounts = [spent(dollars=row.get("generation_cost"), tokens=row.get("tokens_count")) for row in rows]
    named = all(row.get("run_id") is not None for row in rows)
    run = Run(
        model,
        trials,
        "runs" if named else file.digest,
        measure=measure,
        origin=sums(amounts),
        trial_costs=by_trial(amounts),
        notes={"score": measure, "cluster": "'task_family'" if trials[0].cluster is not None else ""},
    )
    scores = ({name: row[name] for name in _NUMBERS if name in row} for row in rows)
    return with_samples(run, request, (), scores, scores_from="numbers of each run")
