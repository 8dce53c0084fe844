"""Tables of outcomes: text, workbooks, Parquet and databases as columns and rows."""

from .._files import LogFile
from .parquet import ParquetTable
from .table import Table
from .text import CsvTable, JsonTable, is_records, is_separated

_PARQUET = b"PAR1"


def is_table(file: LogFile) -> bool:
    """Return whether a file has rows and columns."""
    return is_parquet(file) or (is_records(file) if file.is_json else is_separated(file))


def is_parquet(file: LogFile) -> bool:
    """Return whether a file is one of Parquet."""
    return file.head.startswith(_PARQUET)


def table_of(file: LogFile) -> Table:
    """Return a file as a table."""
    kind = ParquetTable if is_parquet(file) else JsonTable if file.is_json else CsvTable
    return kind(file)
