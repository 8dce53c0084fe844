"""MLE-bench: ``DATE_grading_report.json`` of a group of runs, with a report for each attempt at a competition."""

from ..._display.words import shorten
from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request

_MEDAL = "any_medal"  # what the tool's leaderboard counts
_SCORES = (_MEDAL, "gold_medal", "silver_medal", "bronze_medal", "above_median", "valid_submission")


class MleBenchFormat(Format):
    """Grading reports of MLE-bench."""

    name = "mle-bench"
    options = frozenset({"score"})

    def matches(self, file: LogFile) -> bool:
        return file.has_keys("competition_reports", "total_runs", "total_medals")

    def read(self, file: LogFile, request: Request) -> list[Run]:
        measure = request.choose("score", _SCORES) if request.score else _MEDAL
        trials: list[Trial] = []
        seen: dict[str, int] = {}
        for report in file.at["competition_reports"].needed.rows:
            name = report["competition_id"].text
            if measure not in report:
                raise report.fault(f"it has no {measure!r}, only {shorten(list(report.obj))}")
            seen[name] = number = seen.get(name, -1) + 1
            trials.append(Trial(name, number, report[measure].to(request.outcome)))
        model = file.path.resolve().parent.name
        return [Run(model, trials, file.digest, measure=measure, model_from="folder", notes={"score": measure})]
