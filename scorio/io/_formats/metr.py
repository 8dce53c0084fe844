"""METR's time horizons: ``runs.jsonl`` with one run of a task per line, and how long a person needs."""

from .._files import LogFile
from .._format import Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from .._walk import At, either
from ..checks import by_trial, sums

_SCORE = "score_binarized"
_SCORES = (_SCORE, "score_cont", "score")  # what an outcome can be read from
_NUMBERS = ("human_minutes", "invsqrt_task_weight", "equal_task_weight", "human_score", "score_cont", "score")


class MetrFormat(Format):
    """Runs of METR's time horizons."""

    name = "metr-runs"
    options = frozenset({"score", "scores"})

    def matches(self, file: LogFile) -> bool:
        return file.row_has_keys("task_id", "human_minutes", _SCORE)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        rows = list(file.walk())
        offered = [name for name in _SCORES if any(name in row for row in rows)]
        measure = request.choose("score", offered, "score") if request.score else _SCORE
        models: dict[str, list[tuple[Trial, At]]] = {}
        minutes: dict[str, object] = {}
        for i, row in enumerate(rows):
            own, key = row["human_minutes"].value, row["run_id"]
            trial = Trial(
                row["task_id"].text,
                i if key.value is None else key.text,  # runs without an id are numbered
                row[measure].to(request.outcome),
                row["task_family"].maybe,
            )
            if minutes.setdefault(trial.question, own) != own:
                known = minutes[trial.question]
                raise row.fault(f"human_minutes of {trial.question!r} are {own!r}, and {known!r} before")
            models.setdefault(either(row["alias"], row["model"]).text, []).append((trial, row))
        return [_run(model, own, measure, file, request) for model, own in models.items()]


def _run(model: str, own: list[tuple[Trial, At]], measure: str, file: LogFile, request: Request) -> Run:
    trials, rows = [trial for trial, _ in own], [row for _, row in own]
    amounts = [row.spent(dollars="generation_cost", tokens="tokens_count") for row in rows]
    named = all(row["run_id"].value is not None for row in rows)
    run = Run(
        model,
        trials,
        "runs" if named else file.digest,
        measure=measure,
        origin=sums(amounts),
        trial_costs=by_trial(amounts),
        notes={"score": measure, "cluster": "'task_family'" if trials[0].cluster is not None else ""},
    )
    scores = ({name: row.obj[name] for name in _NUMBERS if name in row} for row in rows)
    return with_samples(run, request, (), scores, scores_from="numbers of each run")
