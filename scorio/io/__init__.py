"""Readers: from the logs of evaluation tools, and from tables, to an OutcomeSet."""

from ._assemble import assemble, one_task
from ._dated_runs import dated_runs, dates_of
from ._doubts import check_together, columns_of_keys, warn_of_doubtful_sides
from ._files import LogFile, file_rows
from ._format import Companion, Format, Request, document_with, lines_with, records_with
from ._outcome_table import check_writable, question_trials, write_table
from ._reading import Reading, read, read_runs, recognise
from ._records import Counted, Run, Source, Trial, Trials
from ._sources import expand, url_text
from ._trial_table import single_trials
from ._walk import At, either, grouped, names_in

__all__ = [
    "At",
    "Companion",
    "Counted",
    "Format",
    "LogFile",
    "Reading",
    "Request",
    "Run",
    "Source",
    "Trial",
    "Trials",
    "assemble",
    "check_together",
    "check_writable",
    "columns_of_keys",
    "dated_runs",
    "dates_of",
    "document_with",
    "either",
    "expand",
    "file_rows",
    "grouped",
    "lines_with",
    "names_in",
    "one_task",
    "question_trials",
    "read",
    "read_runs",
    "recognise",
    "records_with",
    "single_trials",
    "url_text",
    "warn_of_doubtful_sides",
    "write_table",
]
