"""Readers: from the logs of evaluation tools, and from tables, to an OutcomeSet."""

from ._files import LogFile
from ._format import Companion, Format
from ._partitions import count_partitions
from ._reading import Reading, read, recognise
from ._records import Counted, Run, Source, Trial, TrialColumns
from ._request import Request

__all__ = [
    "Companion",
    "Counted",
    "Format",
    "LogFile",
    "Reading",
    "Request",
    "Run",
    "Source",
    "Trial",
    "TrialColumns",
    "count_partitions",
    "read",
    "recognise",
]
