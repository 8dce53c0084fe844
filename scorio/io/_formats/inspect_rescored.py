"""Logs of Inspect that were scored again: ``inspect score X.eval`` writes ``X-scored.eval`` beside ``X.eval``.

Both hold the same samples of the same run. For each score the log counts that has it, the later one if both have it.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from ...errors import OutcomeError
from . import LogFile
from .inspect_file import opened
from .inspect_log import InspectFormat
from .inspect_samples import every_sample, score_names

_AGAIN = "-scored"  # at the end of the name of a log that was scored again


def counted_elsewhere(paths: Collection[Path], score: str | None) -> dict[Path, str]:
    """Return the logs whose samples count in another of the logs, and the reason for each."""
    logs, reasons = set(paths), dict[Path, str]()
    for later in paths:
        first = later.with_name(later.stem.removesuffix(_AGAIN) + later.suffix)
        if first == later or first not in logs:
            continue
        (old_run, old), (new_run, new) = _scores(first), _scores(later)
        if old_run is None or old_run != new_run:
            continue
        if _offers(new, score) and (score is not None or set(old) <= set(new)):
            reasons[first] = f"its samples were scored again in {later.name}, which is read"
        elif score is not None and _offers(old, score):
            reasons[later] = f"its samples are those of {first.name}, which has the score {score!r}"
    return reasons


def _offers(names: list[str], score: str | None) -> bool:
    """Return whether a log has the score that the user wants, or any if none was chosen."""
    return bool(names) if score is None else any(score in (name, name.rpartition("/")[2]) for name in names)


def _scores(path: Path) -> tuple[Any, list[str]]:
    """Return what identifies the run of a log, and its scores; nothing if it cannot be read as a log of Inspect."""
    try:
        file = LogFile(path)
        log = opened(file) if InspectFormat().matches(file) else None
        if log is None:
            return None, []
        run = tuple(log.header["eval"][key].needed.value for key in ("eval_id", "run_id", "created"))
        return run, score_names(every_sample(log.rows(with_answers=False)))
    except OutcomeError:  # its own reading says what is wrong with it
        return None, []
