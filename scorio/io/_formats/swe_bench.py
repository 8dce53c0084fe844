"""SWE-bench: the report of a run, ``<model>.<run>.json``, with the instances by outcome."""

from typing import Any

from ..._display.words import shorten
from ...errors import OutcomeError
from .._files import LogFile
from .._format import Companion, Format
from .._records import Run, Trial
from .._request import Request
from ..checks import items, label, mapping, model_of_path

_RIGHT = ("resolved_ids",)
_WRONG = ("unresolved_ids", "empty_patch_ids", "error_ids")
_MISSING = ("infra_failure_ids", "incomplete_ids", "pending_ids")
_SUBMITTED = ("submitted_ids",)  # an instance in no other list is missing as well
_FIRST = {"no_generation", "resolved"}  # of every report of the first version, which lists the instances by fate
_LISTED = ("generated", "no_generation")  # all instances, in such a report
_NO_LISTS = "it lists only the resolved instances and those without logs: read the reports of the run"


def _is_instance(file: LogFile) -> bool:
    log = file.document
    return isinstance(log, dict) and any(log) and all(_is_report(entry) for entry in log.values())


def _is_report(entry: Any) -> bool:
    return isinstance(entry, dict) and {"patch_exists", "resolved"} <= entry.keys()


def _is_patch(file: LogFile) -> bool:
    rows = [file.first_row]  # patches are JSON lines, a list, or an object with one patch per instance
    if isinstance(file.document, (dict, list)):
        rows += list(file.document.values() if isinstance(file.document, dict) else file.document)[:1]
    return any(isinstance(row, dict) and {"instance_id", "model_patch"} <= row.keys() for row in rows)


def _is_without_lists(file: LogFile) -> bool:
    return file.has_keys(*_FIRST) and not file.has_keys(*_LISTED)


class SweBenchFormat(Format):
    """Reports of runs of SWE-bench."""

    name = "swe-bench"
    companions = (
        Companion(_is_instance, "one instance of a SWE-bench run: read the report of the run"),
        Companion(_is_without_lists, _NO_LISTS),
        Companion(_is_patch, "patches without their outcomes: read the report of the SWE-bench run"),
    )

    def matches(self, file: LogFile) -> bool:
        return file.has_keys("resolved_ids", "submitted_ids", "total_instances") or file.has_keys(*_FIRST, *_LISTED)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log = mapping(file.document, "a SWE-bench report")
        if "resolved_ids" not in log:
            return [_first_report(file, log, request)]
        right, wrong, missing = (_ids(log, names) for names in (_RIGHT, _WRONG, _MISSING))
        if right.keys() & wrong.keys():
            raise OutcomeError(f"resolved and not resolved: {shorten(sorted(right.keys() & wrong.keys()))}")
        model, dot, run_id = file.path.name.removesuffix(".json").rpartition(".")
        outcomes = dict.fromkeys([*right, *wrong, *missing, *_ids(log, _SUBMITTED)])
        outcomes |= dict.fromkeys(wrong, False) | dict.fromkeys(right, True) | dict.fromkeys(missing, None)
        trials = [Trial(name, run_id, request.outcome(outcome)) for name, outcome in outcomes.items()]
        return [
            Run(
                model=model.replace("__", "/") if dot else model_of_path(file.path),
                model_from="folder" if dot else "file name",
                trials=trials,
                identity=run_id if dot else file.digest,
                origin={"run": run_id if dot else ""},
            )
        ]


def _first_report(file: LogFile, log: dict[str, Any], request: Request) -> Run:
    """Return the run of a report of the first version, ``<model>/results/results.json``: the rest is not resolved."""
    outcomes = dict.fromkeys(_ids(log, _LISTED), False) | dict.fromkeys(_ids(log, ("resolved",)), True)
    folder = file.path.resolve().parent
    return Run(
        model=folder.parent.name if folder.name == "results" else model_of_path(file.path),
        model_from="folder" if folder.name == "results" else "file name",
        trials=[Trial(name, 0, request.outcome(outcome)) for name, outcome in outcomes.items()],
        identity=file.digest,
    )


def _ids(log: dict[str, Any], names: tuple[str, ...]) -> dict[str, None]:
    """Return the instances of some lists, in order."""
    return {label(name, key): None for key in names for name in items(log.get(key) or [], key)}
