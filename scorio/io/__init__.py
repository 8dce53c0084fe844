"""Readers: from the logs of evaluation tools, and from tables, to an OutcomeSet."""

from ..outcomes._table_rows import Trials
from ._assemble import assemble
from ._files import LogFile
from ._format import Companion, Format, Request, document_with, lines_with, records_with
from ._reading import Reading as Reading, read, read_runs, recognise
from ._records import Counted, Run, Source, Trial
from ._walk import At as At, either as either, grouped as grouped, names_in as names_in

__all__ = [
    "Companion",
    "Counted",
    "Format",
    "LogFile",
    "Request",
    "Run",
    "Source",
    "Trial",
    "Trials",
    "assemble",
    "document_with",
    "lines_with",
    "read",
    "read_runs",
    "recognise",
    "records_with",
]
