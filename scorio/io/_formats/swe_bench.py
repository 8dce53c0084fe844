"""SWE-bench: the report of a run, ``<model>.<run>.json``, with the instances by outcome; and SWE-bench/experiments.

It has a folder per submission, ``evaluation/<split>/<submission>``. Its ``results/results.json`` lists what was
resolved and what was not generated; it is read if it lists what was generated as well. Submissions of mini-SWE-agent
have ``per_instance_details.json`` instead, with every instance.
"""

from dataclasses import replace
from pathlib import Path

from ..._base.words import shorten
from ...errors import OutcomeError
from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with

_WRONG = ("unresolved_ids", "empty_patch_ids", "error_ids")
_MISSING = ("infra_failure_ids", "incomplete_ids", "pending_ids")
_FIRST = {"no_generation", "resolved"}  # of every report of the first version, which lists the instances by fate
_LISTED = ("generated", "no_generation")  # all instances, in such a report
_RESULTS, _SPLITS = "results", "evaluation"  # folders of SWE-bench/experiments
_NO_LISTS = "it lists only the resolved instances and those without a patch or logs, not those that failed"


def _is_details(file: LogFile) -> bool:
    return isinstance(file.document, dict) and file.at.all_have("resolved", "cost", "api_calls")


def _is_patch(file: LogFile) -> bool:
    """Return whether a file is patches: JSON lines, a list, or an object with one patch per instance."""
    return any(row.has("instance_id", "model_patch") for row in (file.first_record, file.at.first))


class SweBenchFormat(Format):
    """Reports of runs of SWE-bench, and submissions to SWE-bench/experiments."""

    name = "swe-bench"
    layouts = (document_with("resolved_ids", "submitted_ids", "total_instances"), document_with(*_FIRST), _is_details)
    companions = (
        Companion(lambda file: file.at.all_have("patch_exists", "resolved"), "one instance of a SWE-bench run"),
        Companion(_is_patch, "patches without their outcomes: read the report of the SWE-bench run"),
    )

    def read(self, file: LogFile, request: Request) -> Run:
        log = file.at
        if file.at.has(*_FIRST) or _is_details(file):
            return _submission(file, request)
        right, wrong, missing = _ids(log, "resolved_ids"), _ids(log, *_WRONG), _ids(log, *_MISSING)
        if log["resolved_ids"].needed and right.keys() & wrong.keys():
            raise OutcomeError(f"resolved and not resolved: {shorten(sorted(right.keys() & wrong.keys()))}")
        model, _, run_id = file.path.name.removesuffix(".json").rpartition(".")
        outcomes: dict[str, float | None] = {**right, **wrong, **missing, **_ids(log, "submitted_ids")}
        outcomes.update(dict.fromkeys(wrong, 0.0) | dict.fromkeys(right, 1.0), **missing)
        trials = [Trial(name, run_id, outcome) for name, outcome in outcomes.items()]
        if not model:
            return Run("", trials)
        return Run(model.replace("__", "/"), trials, run_id, model_from="folder", origin={"run": run_id})


def _submission(file: LogFile, request: Request) -> Run:
    """Return the run of a submission; all that is not resolved is wrong, as on the leaderboard."""
    model, task = _submitted(file.path)
    about = Run(model, [], task=task, model_from="folder" if model else "file name")
    if not request.wants(task):
        return about
    log = file.at
    details = {} if log.has(*_FIRST) else dict(log.items)
    outcomes = {At(name, key="an instance").text: entry["resolved"] for name, entry in details.items()}
    if not details:  # what a report lists and does not name as resolved is not resolved
        listed, resolved = _ids(log, *_LISTED, "no_logs"), _ids(log, "resolved")
        outcomes = dict.fromkeys(listed, At(False)) | dict.fromkeys(resolved, At(True))
    if not (details or log.has(*_LISTED)):
        raise OutcomeError(_NO_LISTS, hint="add a list 'generated' with the instances of the split to the file")
    trials = [
        Trial(name, 0, outcome.to(request.outcome), used=details.get(name, At({})).spent(dollars="cost"))
        for name, outcome in outcomes.items()
    ]
    return replace(about, trials=trials)


def _submitted(path: Path) -> tuple[str, str | None]:
    """Return the name of a submission, and of the split, if the file lies where SWE-bench/experiments has it."""
    folder = path.resolve().parent
    folder = folder.parent if folder.name == _RESULTS else folder
    is_of_split = folder.parent.parent.name == _SPLITS
    is_named = is_of_split or path.resolve().parent.name == _RESULTS
    return folder.name if is_named else "", folder.parent.name if is_of_split else None


def _ids(log: At, *names: str) -> dict[str, None]:
    """Return the instances of some lists, in order."""
    return {row.text: None for name in names for row in log[name].rows}
