"""XML parsed as a stream. Document types are refused, so there are neither external nor expanding entities."""

from collections.abc import Callable, Iterable
from typing import Any
from xml.parsers import expat

from ..errors import OutcomeError

_MOST_LEVELS = 100


def parse_xml(
    blocks: Iterable[bytes],
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    text: Callable[[str], None] | None = None,
) -> None:
    """Parse the blocks of a file, and call the functions for the start and the end of each element, and for text."""
    depth = 0

    def start_checked(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MOST_LEVELS:
            raise OutcomeError("it is nested too deeply")
        start(name, attributes)

    def end_counted(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name)

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse
    parser.StartElementHandler, parser.EndElementHandler = start_checked, end_counted
    if text is not None:
        parser.CharacterDataHandler = text
    try:
        for block in blocks:
            parser.Parse(block, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise OutcomeError(f"line {error.lineno} is not valid XML: {expat.ErrorString(error.code)}") from None
    except (ValueError, LookupError) as error:  # an encoding that is unknown
        if isinstance(error, OutcomeError):
            raise
        raise OutcomeError(f"it is not valid XML: {error}") from None


def _refuse(*_: Any) -> None:
    raise OutcomeError("it declares a document type, which such files do not have: it is not read")
