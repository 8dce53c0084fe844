"""The skill validator of dotnet/skills: ``results.json`` with one run of each scenario and arm."""

from . import At, Format, LogFile, Request, Run, Trial, document_with, either

_ARMS = {"baseline": "baseline", "skilledIsolated": "isolated", "skilledPlugin": "plugin"}
_OLD = "withSkill"  # the name of the isolated arm in older files
_MEASURES = ("all", "share", "completed")  # of the assertions, or whether the task was completed


class SkillValidatorFormat(Format):
    """Verdicts of the skill validator: scenarios are questions, and skills are tasks."""

    name = "skill-validator"
    options = frozenset({"score"})
    layouts = (document_with("judgeModel", "verdicts"),)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        measure = request.measure(_MEASURES, usual=_MEASURES[0])
        identity, runs = file.at["timestamp"].text_or(file.digest), list[Run]()
        for verdict in file.at["verdicts"].rows:
            task, arms = verdict["skillName"].text, dict[str, list[Trial]]()
            for row in verdict["scenarios"].rows if request.wants(task) else ():
                if len(row["perRunScores"].array) > 1:
                    raise row["perRunScores"].fault("what each of several runs did is not stored: run with --runs 1")
                for key, arm in _ARMS.items():
                    at = row[key] if row[key] or key != "skilledIsolated" else row[_OLD]
                    if at:
                        arms.setdefault(arm, []).append(_trial(row, at["metrics"], arm, measure))
            runs += [Run(arm, trials, identity, task, measure) for arm, trials in arms.items()]
        return runs


def _trial(row: At, metrics: At, arm: str, measure: str) -> Trial:
    met = [bool(row["passed"].flag) for row in metrics["assertionResults"].rows]
    share = sum(met) / len(met) if met else None
    if measure == "completed":
        share = None if metrics["taskCompleted"].value is None else float(bool(metrics["taskCompleted"].flag))
    outcome = float(share == 1.0) if measure == "all" and share is not None else share
    activation = either(row[f"skillActivation{arm.capitalize()}"], row["skillActivation"])["activated"].flag
    used = metrics.spent(tokens="tokenEstimate", seconds="wallTimeMs")
    used |= {} if activation is None or arm == "baseline" else {"skill_used": float(activation)}
    return Trial(row["scenarioName"].text, 0, outcome, used=used)
