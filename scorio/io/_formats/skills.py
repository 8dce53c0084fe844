"""Skills: skill-creator, and Vally and the validator of dotnet/skills; the arm, with a skill or without, is the model.

skill-creator writes ``eval-N/{with_skill,without_skill}/run-K/grading.json``, and ``benchmark.json`` for a folder;
Vally ``<variant>/results.jsonl`` with one trial of a stimulus per line; the validator ``results.json`` with one run of
each scenario and arm.
"""

from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with, either, grouped, lines_with
from ..checks import conditions

_GRADING, _DEPTH = "grading.json", 4  # a run writes its outputs into folders up to this deep beside its grading
_is_benchmark = document_with("runs", "run_summary")
_TRIAL = "trial-result"  # other lines of Vally are about the whole run
_ARMS = {"baseline": "baseline", "skilledIsolated": "isolated", "skilledPlugin": "plugin"}
_OLD = "withSkill"  # the name of the isolated arm in older files of the validator


def _is_summary(file: LogFile) -> bool:
    return _is_benchmark(file) and next(file.folder.glob(f"**/{_GRADING}"), None) is not None


def _scores(met: list[bool | None]) -> dict[str, float | None]:
    """Return whether all expectations are met, and the share that is; None where not all were graded."""
    if not met or None in met:
        return {"all": None, "share": None}
    return {"all": float(all(met)), "share": sum(map(bool, met)) / len(met)}


class SkillCreatorFormat(Format):
    """Graded runs of skill-creator, with and without a skill."""

    name = "skill-creator"
    noun = "score"
    companions = (
        Companion(_is_summary, "a summary of runs, whose grading.json are in the folders below"),
        Companion(lambda file: bool(file.above(_GRADING, _DEPTH)), "a file of a run, whose outcome is in grading.json"),
    )

    def matches(self, file: LogFile) -> bool:
        return file.path.name == _GRADING or (_is_benchmark(file) and not _is_summary(file))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        if _is_benchmark(file):
            arms = grouped(file.at["runs"].rows, lambda row: row["configuration"].text)
            return [
                Run(arm, [_of_benchmark(row) for row in rows], usual=["all"], model_from="folder")
                for arm, rows in arms.items()
            ]
        folder, timing = file.folder, At(file.beside("timing.json").obj | file.at["timing"].obj)
        seconds = either(timing["executor_duration_seconds"], timing["total_duration_seconds"]).key
        run, arm = (folder.name, folder.parent) if folder.name.startswith("run-") else ("run-1", folder)
        used = timing.spent(seconds=seconds, tokens="total_tokens")
        trial = Trial(arm.parent.name, run, used=used, scores=_scores(_met(file.at)))
        suite = arm.parent.parent
        settings = conditions(iteration=suite.name if suite.name.startswith("iteration-") else None)
        return [Run(arm.name, [trial], str(suite), usual=["all"], model_from="folder", conditions=settings)]


def _of_benchmark(row: At) -> Trial:
    result, question = row["result"], row["eval_name"].text_or("") or f"eval-{row['eval_id'].text}"
    used = result.spent(seconds="time_seconds", tokens="tokens")
    amounts = {name: amount for name, amount in used.items() if amount > 0.0}  # 0 is what the tool does not know
    return Trial(question, row["run_number"].whole, used=amounts, scores=_scores(_met(row)))


def _met(log: At) -> list[bool | None]:
    return [row["passed"].flag for row in log["expectations"].rows]


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
        arms = grouped(rows, lambda row: (row["variant"].text, row["model"].maybe, row["evalName"].text))
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

    def read(self, file: LogFile, request: Request) -> list[Run]:
        identity, runs = file.at["timestamp"].text_or(file.digest), list[Run]()
        for verdict in file.at["verdicts"].rows:
            task, arms = verdict["skillName"].text, dict[str, list[Trial]]()
            for row in verdict["scenarios"].rows if request.wants(task) else ():
                if len(row["perRunScores"].array) > 1:
                    raise row["perRunScores"].fault("what each of several runs did is not stored: run with --runs 1")
                for key, arm in _ARMS.items():
                    at = row[key] if row[key] or key != "skilledIsolated" else row[_OLD]
                    if at:
                        arms.setdefault(arm, []).append(_of_validator(row, at["metrics"], arm))
            runs += [Run(arm, trials, identity, task, usual=["all"]) for arm, trials in arms.items()]
        return runs


def _of_validator(row: At, metrics: At, arm: str) -> Trial:
    activation = either(row[f"skillActivation{arm.capitalize()}"], row["skillActivation"])["activated"].flag
    used = metrics.spent(tokens="tokenEstimate", seconds="wallTimeMs")
    used |= {} if activation is None or arm == "baseline" else {"skill_used": float(activation)}
    scores = _scores([check["passed"].flag for check in metrics["assertionResults"].rows])
    return Trial(
        row["scenarioName"].text, 0, used=used, scores=scores | {"completed": At(metrics["taskCompleted"].flag)}
    )
