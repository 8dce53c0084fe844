"""Vally, which dotnet/skills uses: ``<variant>/results.jsonl`` with one trial of a stimulus per line."""

from . import At, Companion, Format, LogFile, Request, Run, Trial, conditions, grouped, lines_with, records_with

_TRIAL = "trial-result"  # other lines are about the whole run
_MEASURES = ("passed", "score")


class VallyFormat(Format):
    """Trials of Vally with and without a skill: the variant is the model."""

    name = "vally"
    options = frozenset({"score"})
    layouts = (lines_with("type", "variant", "stimulus", "trajectory"),)
    companions = (
        Companion(records_with("type", "experiment", "configHash"), "the settings of a run of Vally"),
        Companion(records_with("type", "timestamp", "data"), "the events of one trial of Vally"),
    )

    def read(self, file: LogFile, request: Request) -> list[Run]:
        measure = request.measure(_MEASURES, usual=_MEASURES[0])
        rows = [row for row in file.walk() if row["type"].value == _TRIAL]
        arms = grouped(rows, lambda row: (row["variant"].text, row["model"].maybe, row["evalName"].text))
        return [
            Run(
                variant,
                [_trial(row, measure, request) for row in of_arm] if request.wants(task) else [],
                of_arm[0]["experiment.runId"].text_or(file.digest),
                task,
                measure,
                conditions=conditions(executor=model),
            )
            for (variant, model, task), of_arm in arms.items()
        ]


def _trial(row: At, measure: str, request: Request) -> Trial:
    metrics, activations = row["trajectory.metrics"], row["trajectory.metrics.skillActivationCount"].whole_or(None)
    used = metrics.spent(tokens="tokenUsage.totalTokens", seconds="wallTimeMs")
    used |= {} if activations is None else {"skill_used": float(activations > 0)}
    return Trial(row["stimulus"].text, row["itemId"].maybe, row["gradeResult"][measure].to(request.outcome), used=used)
