"""dotnet/skills: Vally, and the validator before it; the arm, with a skill or without, is the model.

Vally writes ``<variant>/results.jsonl`` with one trial of a stimulus per line; the validator ``results.json`` with one
run of each scenario and arm; and what adapts the one to the other ``results.json`` with whether each run passed.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path, PurePosixPath
from typing import cast

from ...errors import OutcomeError, Remedy
from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with, either, grouped, lines_with
from ..checks import all_and_share, conditions

_OF_VALLY = "results.jsonl"
_TRIAL = "trial-result"  # other lines of Vally are about the whole run
_ARMS = {"baseline": "baseline", "skilledIsolated": "isolated", "skilledPlugin": "plugin"}
_PASSED = {"baseline": "baselinePassed", "isolated": "treatmentPassed"}  # where runs were compared one by one
_OLD = "withSkill"  # the name of the isolated arm in older files of the validator


class VallyFormat(Format):
    """Trials of Vally with and without a skill."""

    name = "vally"
    noun = "score"
    layouts = (lines_with("type", "variant", "stimulus", "trajectory"),)
    companions = (
        Companion(lines_with("type", "experiment", "configHash"), "the settings of a run of Vally"),
        Companion(lines_with("type", "timestamp", "data"), "the events of one trial of Vally"),
    )

    def read(self, file: LogFile, request: Request) -> list[Run]:
        rows = [row for row in file.walk() if row["type"].value == _TRIAL]
        files = dict.fromkeys(map(_name_and_file, rows))
        shared = {name for name, count in Counter(name for name, _ in files).items() if count > 1}
        folders = {key: PurePosixPath(key[1]).parent.name for key in files if key[0] in shared}
        tasks = {key: folders.get(key) or key[0] for key in files}
        arms = grouped(rows, lambda row: (row["variant"].text, row["model"].maybe, tasks[_name_and_file(row)]))
        return [
            Run(
                variant,
                [_of_vally(row) for row in of_arm],
                of_arm[0]["experiment.runId"].text_or(file.digest),
                task,
                usual=["passed"],
                conditions=conditions(executor=model),
            )
            for (variant, model, task), of_arm in arms.items()
        ]


def _name_and_file(row: At) -> tuple[str, str]:
    """Return the name of an eval, and its file, whose folder is called like the skill where several have one name."""
    return row["evalName"].text, str(row.peek("experiment.evalFile").value or "").replace("\\", "/")


def _of_vally(row: At) -> Trial:
    metrics, activations = row["trajectory.metrics"], row["trajectory.metrics.skillActivationCount"].whole_or(None)
    used = metrics.spent(tokens="tokenUsage.totalTokens", seconds="wallTimeMs")
    used |= {} if activations is None else {"skill_used": float(activations > 0)}
    scores = {name: row["gradeResult"][name] for name in ("passed", "score")}
    return Trial(row["stimulus"].text, row["itemId"].maybe, used=used, scores=scores)


class SkillValidatorFormat(Format):
    """Verdicts of the skill validator: scenarios are questions, and skills are tasks."""

    name = "skill-validator"
    noun = "score"
    layouts = (document_with("judgeModel", "verdicts"),)
    companions = (Companion(document_with("skillName", "scenarios"), "the verdict on one skill of results.json"),)

    def superseded(self, paths: Collection[Path], request: Request) -> dict[Path, str]:
        """Return comparisons of runs of Vally, whose own files are there."""
        folders = {folder for path in paths if path.name == _OF_VALLY for folder in path.parents}
        beside = [path for path in paths if path.name == "results.json" and path.parent in folders]
        return {path: f"its runs are those of {_OF_VALLY}" for path in beside if self.matches(LogFile(path))}

    def read(self, file: LogFile, request: Request) -> list[Run]:
        identity, runs = file.at["timestamp"].text_or(file.digest), list[Run]()
        for verdict in file.at["verdicts"].rows:
            task, arms = verdict["skillName"].text, dict[str, list[Trial]]()
            for row in verdict["scenarios"].rows if request.wants(task) else ():
                for key, arm in _ARMS.items():
                    at = row[key] if row[key] or key != "skilledIsolated" else row[_OLD]
                    if at:
                        arms.setdefault(arm, []).extend(_of_scenario(row, at["metrics"], arm))
            runs += [Run(arm, trials, identity, task, usual=["all"]) for arm, trials in arms.items() if trials]
        graded = [trial.scores for run in runs for trial in cast("Sequence[Trial]", run.trials)]
        if graded and request.score is None and all(scores["all"] is None for scores in graded):
            remedy = Remedy("score", "completed", "reads whether the agent completed the task")
            raise OutcomeError("no scenario has assertions", remedies=[remedy])
        return runs


def _of_scenario(row: At, metrics: At, arm: str) -> list[Trial]:
    """Return the runs of a scenario by an arm: those of a comparison, of which the plugin is no part, or the only one.

    What several runs used is known by its mean alone.
    """
    question = row["scenarioName"].text
    activation = either(row[f"skillActivation{arm.capitalize()}"], row["skillActivation"])["activated"].flag
    used = metrics.spent(tokens="tokenEstimate", seconds="wallTimeMs")
    used |= {} if activation is None or arm == "baseline" else {"skill_used": float(activation)}
    if "trials" in row:
        passed = [run[_PASSED[arm]].flag for run in row["trials"].rows] if arm in _PASSED else []
        of_each = used if len(passed) == 1 else {}
        return [Trial(question, i, used=of_each, scores={"all": grade}) for i, grade in enumerate(passed)]
    if len(row["perRunScores"].array) > 1:
        raise row["perRunScores"].fault("what each of several runs did is not stored: run with --runs 1")
    scores = all_and_share([check["passed"].flag for check in metrics["assertionResults"].rows])
    return [Trial(question, 0, used=used, scores=scores | {"completed": At(metrics["taskCompleted"].flag)})]
