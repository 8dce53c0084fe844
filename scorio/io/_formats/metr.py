"""METR's time horizons: ``runs.jsonl`` with one run of a task per line, and how long a person needs."""

from .. import At, Format, LogFile, Request, Run, Trial, either, grouped, lines_with

_SCORE = "score_binarized"
_NUMBERS = ("human_minutes", "invsqrt_task_weight", "equal_task_weight", "human_score", "score_cont", "score", _SCORE)


class MetrFormat(Format):
    """Runs of METR's time horizons."""

    name = "metr-runs"
    options = frozenset({"scores"})
    layouts = (lines_with("task_id", "human_minutes", _SCORE),)
    noun = "score"
    scores_from = "numbers of each run"

    def read(self, file: LogFile, request: Request) -> list[Run]:
        return [
            Run(
                model,
                [_trial(row) for row in runs],
                "runs" if all(row["run_id"].value is not None for row in runs) else file.digest,
                usual=[_SCORE],
                notes={"cluster": "'task_family'" if runs[0]["task_family"] else ""},
            )
            for model, runs in grouped(file.walk(), lambda row: either(row["alias"], row["model"]).text).items()
        ]


def _trial(row: At) -> Trial:
    return Trial(
        row["task_id"].text,
        row["run_id"].maybe,
        cluster=row["task_family"].maybe,
        used=row.spent(dollars="generation_cost", tokens="tokens_count"),
        mark=f"{row['human_minutes'].value} minutes",
        scores={name: row[name] for name in _NUMBERS if name in row},
    )
