"""Logs of Inspect that were scored again: ``inspect score X.eval`` writes ``X-scored.eval`` beside ``X.eval``.

Both hold the same samples of the same run. For each score the log counts that has it, the later one if both have it.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import OutcomeError
from .._files import LogFile
from .inspect_file import opened
from .inspect_log import InspectFormat
from .inspect_samples import every_sample, score_names

_AGAIN = "-scored"  # at the end of the name of a log that was scored again


class _Scores(NamedTuple):
    ids: tuple[Any, ...]
    names: list[str]

    def offers(self, score: str | None) -> bool:
        """Return whether the log has the score that the user wants, or any if none was chosen."""
        return bool(self.names) if score is None else any(score in (n, n.rpartition("/")[2]) for n in self.names)


def counted_elsewhere(paths: Collection[Path], score: str | None) -> dict[Path, str]:
    """Return the logs whose samples count in another of the logs, and the reason for each."""
    known, found = set(paths), dict[Path, str]()
    for later in paths:
        first = later.with_name(later.stem.removesuffix(_AGAIN) + later.suffix)
        if first == later or first not in known:
            continue
        old, new = _scores(first), _scores(later)
        if old is None or new is None or old.ids != new.ids:
            continue
        if new.offers(score) and (score is not None or set(old.names) <= set(new.names)):
            found[first] = f"its samples were scored again in {later.name}, which is read"
        elif score is not None and old.offers(score):
            found[later] = f"its samples are those of {first.name}, which has the score {score!r}"
    return found


def _scores(path: Path) -> _Scores | None:
    """Return what identifies the samples of a log, and its scores; None if it cannot be read as a log of Inspect."""
    try:
        file = LogFile(path)
        if not InspectFormat().matches(file):
            return None
        log = opened(file)
        ids = tuple(log.header["eval"][key].needed.value for key in ("eval_id", "run_id", "created"))
        return _Scores(ids, score_names(every_sample(log.rows())))
    except OutcomeError:  # its own reading says what is wrong with it
        return None
