"""The readers of tools and tables, and what each of them is written with."""

from .._files import LogFile
from .._format import Companion, Format, Request, document_with, lines_with, records_with
from .._records import Run, Trial
from .._walk import At, either, grouped, names_in
from ..checks import conditions, digest, model_of_path, shown

__all__ = [
    "At",
    "Companion",
    "Format",
    "LogFile",
    "Request",
    "Run",
    "Trial",
    "conditions",
    "digest",
    "document_with",
    "either",
    "grouped",
    "lines_with",
    "model_of_path",
    "names_in",
    "records_with",
    "shown",
]
