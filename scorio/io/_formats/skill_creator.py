"""skill-creator: ``eval-N/{with_skill,without_skill}/run-K/grading.json``, or the ``benchmark.json`` of a folder."""

from . import At, Companion, Format, LogFile, Request, Run, Trial, conditions, document_with, either, grouped

_GRADING, _DEPTH = "grading.json", 4  # a run writes its outputs into folders up to this deep beside its grading
_is_benchmark = document_with("runs", "run_summary")
_MEASURES = ("all", "share")  # 1 if all expectations of the task are met, or the share that are


def _is_summary(file: LogFile) -> bool:
    return _is_benchmark(file) and next(file.folder.glob(f"**/{_GRADING}"), None) is not None


class SkillCreatorFormat(Format):
    """Graded runs of skill-creator, with and without a skill."""

    name = "skill-creator"
    options = frozenset({"score"})
    companions = (
        Companion(_is_summary, "a summary of runs, whose grading.json are in the folders below"),
        Companion(lambda file: bool(file.above(_GRADING, _DEPTH)), "a file of a run, whose outcome is in grading.json"),
    )

    def matches(self, file: LogFile) -> bool:
        return file.path.name == _GRADING or (_is_benchmark(file) and not _is_summary(file))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        measure = request.measure(_MEASURES, usual=_MEASURES[0])
        if _is_benchmark(file):
            arms = grouped(file.at["runs"].rows, lambda row: row["configuration"].text)
            return [
                Run(arm, [_of_benchmark(row, measure) for row in rows], measure=measure, model_from="folder")
                for arm, rows in arms.items()
            ]
        folder, timing = file.folder, At(file.beside("timing.json").obj | file.at["timing"].obj)
        seconds = either(timing["executor_duration_seconds"], timing["total_duration_seconds"]).key
        run, arm = (folder.name, folder.parent) if folder.name.startswith("run-") else ("run-1", folder)
        used = timing.spent(seconds=seconds, tokens="total_tokens")
        trial = Trial(arm.parent.name, run, _outcome(file.at, measure), used=used)
        suite = arm.parent.parent
        settings = conditions(iteration=suite.name if suite.name.startswith("iteration-") else None)
        return [Run(arm.name, [trial], str(suite), None, measure, model_from="folder", conditions=settings)]


def _of_benchmark(row: At, measure: str) -> Trial:
    result, question = row["result"], row["eval_name"].text_or("") or f"eval-{row['eval_id'].text}"
    used = result.spent(seconds="time_seconds", tokens="tokens")
    amounts = {name: amount for name, amount in used.items() if amount > 0.0}  # 0 is what the tool does not know
    return Trial(question, row["run_number"].whole, _outcome(row, measure), used=amounts)


def _outcome(log: At, measure: str) -> float | None:
    """Return the share of the expectations that are met, or whether all are; None where not all were graded."""
    met = [row["passed"].flag for row in log["expectations"].rows]
    if not met or None in met:
        return None
    return sum(map(bool, met)) / len(met) if measure == "share" else float(all(met))
