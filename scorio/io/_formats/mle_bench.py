"""MLE-bench: ``DATE_grading_report.json`` of a group of runs, with a report for each attempt at a competition."""

from ..._display.words import shorten
from ...errors import OutcomeError
from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from ..checks import items, label, mapping, within

_OF_A_REPORT = ("competition_reports", "total_runs", "total_medals")
_MEDAL = "any_medal"  # what the tool's leaderboard counts
_SCORES = (_MEDAL, "gold_medal", "silver_medal", "bronze_medal", "above_median", "valid_submission")


class MleBenchFormat(Format):
    """Grading reports of MLE-bench."""

    name = "mle-bench"
    options = frozenset({"score"})

    def matches(self, file: LogFile) -> bool:
        return file.has_keys(*_OF_A_REPORT)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        measure = request.choose("score", _SCORES) if request.score else _MEDAL
        log = mapping(file.document, "a grading report")
        trials: list[Trial] = []
        seen: dict[str, int] = {}
        for i, entry in enumerate(items(log.get("competition_reports"), "competition_reports")):
            with within(f"report {i}"):
                report = mapping(entry, "a report")
                name = label(report.get("competition_id"), "competition_id")
                if measure not in report:
                    raise OutcomeError(f"it has no {measure!r}, only {shorten(list(report))}")
                seen[name] = number = seen.get(name, -1) + 1
                trials.append(Trial(name, number, request.outcome(report[measure])))
        model = file.path.resolve().parent.name
        return [Run(model, trials, file.digest, measure=measure, model_from="folder", notes={"score": measure})]
