"""skill-creator: graded runs with and without a skill; the arm is the model, and the skill is the task.

It writes ``<skill>-workspace/iteration-N/<eval>/{with_skill,without_skill}/run-K/grading.json``, where the folders of
iterations and runs may be absent, and ``benchmark.json`` for a folder. Tools that follow agentskills.io do the same.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from ...errors import OutcomeError
from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with, either, grouped
from ..checks import all_and_share, conditions
from .skill_workspaces import BENCHMARK, GRADING, has_gradings, is_output, iteration_of, older_iterations, task_of

_DEPTH = 4  # a run writes its outputs into folders up to this deep beside its grading
_SECONDS = ("executor_duration_seconds", "total_duration_seconds", "duration_ms")
_NOTES = (("eval_id", "prompt"), ("reviews", "status"), ("skill_name", "evals"), ("current_best", "iterations"))
_COPY = "a copy of a run that is counted: the same eval, arm, tokens, time and grade"
_is_benchmark = document_with("runs", "run_summary")


def _is_summary(file: LogFile) -> bool:
    """Return whether a file has means without runs, or of runs that are in the folders below it."""
    if file.at.has("run_summary") and not file.at.has("runs"):
        return True
    return (_is_benchmark(file) or file.path.name == BENCHMARK) and has_gradings(file.folder)


class SkillCreatorFormat(Format):
    """Graded runs of skill-creator, with and without a skill."""

    name = "skill-creator"
    noun = "score"
    companions = (
        Companion(_is_summary, "a summary of runs, whose grading.json are in the folders below"),
        Companion(lambda file: bool(file.above(GRADING, _DEPTH)), "a file of a run, whose outcome is in grading.json"),
        Companion(is_output, "a file of a run that was not graded"),
        Companion(lambda file: any(file.at.has(*keys) for keys in _NOTES), "it says what was tested, or notes on it"),
    )

    def matches(self, file: LogFile) -> bool:
        return file.path.name == GRADING or (_is_benchmark(file) and not _is_summary(file))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        return _of_benchmark(file) if _is_benchmark(file) else [_of_grading(file)]

    def superseded(self, paths: Collection[Path], request: Request) -> dict[Path, str]:
        """Return the runs of older iterations, unless the user asks for these, and copies of runs."""
        files = [LogFile(path) for path in paths if path.name in (GRADING, BENCHMARK)]
        reasons = {} if request.pool or "iteration" in request.factors else older_iterations(files)
        counted = set[tuple[object, ...]]()
        for file in sorted(files, key=lambda file: len(file.path.parts)):  # a copy lies as deep as the run, or deeper
            if file.path.name == GRADING and file.path not in reasons:
                with suppress(OutcomeError, OSError):  # its own reading names what is wrong with it
                    run = _of_grading(file)
                    [trial] = cast("Sequence[Trial]", run.trials)
                    about = run.model, str(run.conditions), *trial[:2], str(trial.used), str(trial.scores)
                    if trial.used.get("tokens") and about in counted:
                        reasons[file.path] = _COPY
                    counted.add(about)
        return reasons


def _of_grading(file: LogFile) -> Run:
    folder, log = file.folder, file.at
    is_numbered = folder.name.startswith("run-")
    arm, eval_above = (folder.parent, ["..", ".."]) if is_numbered else (folder, [".."])
    suite, iteration, about = arm.parent.parent, iteration_of(file), file.beside(*eval_above, "eval_metadata.json")
    timing = At(file.beside("timing.json").obj | log["timing"].obj)
    question = about["eval_name"].text_or("") or arm.parent.name
    trial = Trial(
        question,
        folder.name if is_numbered else "run-1",
        used=timing.spent(seconds=either(*(timing[name] for name in _SECONDS)).key, tokens="total_tokens"),
        mark=str(about["prompt"].value or ""),
        scores=_scores(either(log["expectations"], log["assertion_results"]), log["summary"]),
    )
    return Run(
        arm.name,
        [trial],
        str(suite),
        usual=["all"],
        planned={question: len({run.name for run in arm.parent.glob("*/run-*")})} if is_numbered else {},
        model_from="folder",
        conditions=conditions(iteration=iteration and iteration.name),
        label=str(suite),
        **task_of(suite),
    )


def _of_benchmark(file: LogFile) -> list[Run]:
    skill, iteration = file.at["metadata"].peek("skill_name").value, iteration_of(file)
    settings, task = conditions(iteration=iteration and iteration.name), task_of(file.folder, skill)
    arms = grouped(file.at["runs"].rows, lambda row: row["configuration"].text)
    about: dict[str, Any] = {"usual": ["all"], "model_from": "folder", "conditions": settings, **task}
    return [Run(arm, [*map(_of_row, rows)], **about) for arm, rows in arms.items()]


def _of_row(row: At) -> Trial:
    """Return a run of a benchmark, whose tokens are left out: most often they are the characters of its output."""
    result, question = row["result"], row["eval_name"].text_or("") or f"eval-{row['eval_id'].text}"
    used = {name: amount for name, amount in result.spent(seconds="time_seconds").items() if amount > 0.0}
    return Trial(question, row["run_number"].whole, used=used, scores=_scores(row["expectations"], result))


def _scores(rows: At, counts: At) -> dict[str, float | None]:
    """Return the scores of a run, by its counts where the expectations themselves are not listed."""
    total = counts["total"].whole_or(0)
    if rows or not total:
        return all_and_share([row["passed"].flag for row in rows.rows])
    if (passed := counts["passed"].whole) > total:
        raise counts.fault(f"{passed} of {total} expectations cannot be met")
    return {"all": float(passed == total), "share": passed / total}
