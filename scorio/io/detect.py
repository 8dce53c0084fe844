"""What a file is, told by its content."""

from __future__ import annotations

from ..errors import OutcomeError, ParameterError
from . import arrays, evalplus, human_eval, inspect_log, lighteval, lm_eval, tables, tau
from .files import LogFile
from .records import Companion, Format

FORMATS: tuple[Format, ...] = (
    inspect_log.FORMAT,
    arrays.FORMAT,
    lighteval.FORMAT,
    lm_eval.FORMAT,
    human_eval.FORMAT,
    evalplus.FORMAT,
    tau.TAU2,
    tau.TAU,
)
COMPANIONS: tuple[Companion, ...] = (lm_eval.AGGREGATE, human_eval.UNSCORED, evalplus.GENERATIONS, tau.SIMULATION)
_UNREADABLE = {
    b"\x1f\x8b": "it is compressed with gzip: unpack it first",
    b"\x28\xb5\x2f\xfd": "it is compressed with Zstandard: unpack it first",
    b"PK\x03\x04": "it is a zip archive of something else: unpack it first",
    b"\xff\xfe": "it is UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "it is UTF-16 text: save it as UTF-8",
}
_NAMES = {form.name: form for form in (*FORMATS, tables.FORMAT)}


def recognised(file: LogFile, wanted: str | None) -> Format | str:
    """The format of a file, or the reason why it is not read."""
    if wanted is not None:
        return named(wanted)
    if not file.head.strip():
        raise OutcomeError("the file is empty")
    found = next((form for form in FORMATS if form.matches(file)), None)
    if found is not None:
        return found
    companion = next((other for other in COMPANIONS if other.matches(file)), None)
    if companion is not None:
        return companion.reason
    for start, reason in _UNREADABLE.items():
        if file.head.startswith(start):
            return reason
    return tables.FORMAT if tables.FORMAT.matches(file) else f"it is of no known format: {', '.join(_NAMES)}"


def named(name: str) -> Format:
    """The format of a name."""
    if name not in _NAMES:
        raise ParameterError(f"format must be one of {', '.join(_NAMES)}; got {name!r}")
    return _NAMES[name]
