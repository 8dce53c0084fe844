"""The table in a file: named columns, and rows of text, wherever they come from.

Everything stays text, so that 001, 01 and 1 are three questions, and NA is the name of one.
"""

from ...outcomes._relations import Relation
from .._files import LogFile

_MOST_BYTES = 1 << 25  # of a table all of whose columns are looked at


class Table(Relation):
    """The rows and columns of a file."""

    def __init__(self, file: LogFile) -> None:
        self.file = file

    @property
    def is_small(self) -> bool:
        """Whether all columns may be looked at."""
        return self.file.size <= _MOST_BYTES
