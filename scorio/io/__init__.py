"""Readers: from the logs of evaluation tools, and from tables, to an OutcomeSet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..outcome_set import OutcomeSet
from .reading import Reading, reading
from .records import Models, Request
from .sources import Sources

__all__ = ["Reading", "read", "recognise"]


def read(
    source: Sources,
    *,
    format: str | None = None,
    model: Models = None,
    task: str | None = None,
    metric: str | None = None,
    filter: str | None = None,
    score: Callable[..., Any] | None = None,
    fields: Mapping[str, str | None] | None = None,
    levels: Mapping[str, float] | None = None,
    missing: str = "omit",
    n_jobs: int | None = None,
) -> OutcomeSet:
    r"""The outcomes in log files and tables: a path, a glob, a directory, or several of these.

    The format is told by the content; ``format`` names it. Trials of several files of one model and task add up.
    ``model`` names the model where the files do not, or maps models and path patterns to names; ``task`` chooses tasks
    by a pattern; ``metric`` and ``filter`` choose among several scores; ``score`` grades each stored response
    (lm-eval); ``fields`` maps "question", "outcome", "model", "task", "trial", "cluster", "trials" and "successes" to
    the columns or fields that hold them, or to None; ``levels`` gives words a reward. ``missing`` says what a planned
    trial without an outcome is: ``"omit"`` left out, ``"fail"`` reward 0, ``"raise"`` an error. With ``n_jobs``, or
    under ``joblib.parallel_config``, files are read side by side, on other machines too.

    >>> import pathlib, tempfile
    >>> table = pathlib.Path(tempfile.mkdtemp(), "runs.csv")
    >>> _ = table.write_text("model,question,trial,correct\na,q1,1,1\na,q1,2,0\na,q2,1,1\na,q2,2,\n")
    >>> read(table)["a"]
    OutcomeMatrix(2 questions x 1..2 trials, binary, coverage 0.75)
    """
    request = Request(task, metric, filter, score, fields or {}, levels or {})
    return reading(source, format, model, missing, request, n_jobs).outcomes


def recognise(
    source: Sources,
    *,
    format: str | None = None,
    model: Models = None,
    task: str | None = None,
    metric: str | None = None,
    filter: str | None = None,
    score: Callable[..., Any] | None = None,
    fields: Mapping[str, str | None] | None = None,
    levels: Mapping[str, float] | None = None,
    missing: str = "omit",
    n_jobs: int | None = None,
) -> Reading:
    r"""What ``read`` makes of a source: the outcomes, and what each file was taken for; prints as one line a file.

    >>> import pathlib, tempfile
    >>> table = pathlib.Path(tempfile.mkdtemp(), "runs.csv")
    >>> _ = table.write_text("model,question,c,n\na,q1,3,5\n")
    >>> str(recognise(table)).rpartition("/")[2].splitlines()[0]
    "runs.csv: table, model 'a', 5 trials (form counts, question 'question', model 'model', trials 'n', successes 'c')"
    """
    request = Request(task, metric, filter, score, fields or {}, levels or {})
    return reading(source, format, model, missing, request, n_jobs)
