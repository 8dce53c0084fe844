"""JSON decoded by msgspec where it is installed, which skips what is not read, else by the standard library.

msgspec decodes into the same dictionaries, without the keys that the shape does not have. Whatever msgspec refuses (a
bare NaN, a value of another kind, damage), and text in which an object may have a key twice, is read by the standard
library, which accepts it or names the fault.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from .._kernels.json_text import scan
from ._files import check_values, parsed

try:
    msgspec: Any = importlib.import_module("msgspec")
except ImportError:
    msgspec = None


def decoded(content: bytes, shape: Any) -> Any:
    """Return a JSON value, of which only the parts in ``shape``, a type built of TypedDicts, may be used.

    >>> decoded(b'[{"id": "q1"}, {"id": NaN}, 5]', list[dict[str, Any]])
    [{'id': 'q1'}, {'id': nan}, 5]
    """
    if msgspec is not None:
        values, is_doubtful = scan(content)
        check_values(values)
        try:
            content.decode()  # msgspec does not look into the texts that it skips
            if not is_doubtful:
                return _decoder(shape).decode(content)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            pass
    return parsed(content)


@cache
def _decoder(shape: Any) -> Any:
    return msgspec.json.Decoder(shape)
