"""MLE-bench: ``DATE_grading_report.json`` of a group of runs, with a report for each attempt at a competition."""

from . import Format, LogFile, Request, Run, Trial, document_with

_MEDAL = "any_medal"  # what the tool's leaderboard counts
_SCORES = (_MEDAL, "gold_medal", "silver_medal", "bronze_medal", "above_median", "valid_submission")


class MleBenchFormat(Format):
    """Grading reports of MLE-bench."""

    name = "mle-bench"
    options = frozenset({"score"})
    layouts = (document_with("competition_reports", "total_runs", "total_medals"),)
    model_from = "folder"

    def read(self, file: LogFile, request: Request) -> Run:
        measure = request.measure(_SCORES, usual=_MEDAL)
        reports = file.at["competition_reports"].needed.rows
        trials = [Trial(each["competition_id"].text, None, each.part(measure).to(request.outcome)) for each in reports]
        return Run("", trials, measure=measure)
