"""Results that are all in their rows."""

from typing import Any

from .exports import Exports, strict


class RowExports(Exports):
    """A result whose dictionary has its rows, ready for JSON, as ``rows``."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all rows, ready for JSON: NaN and infinity become None."""
        return {"rows": strict(list(self._records()))}
