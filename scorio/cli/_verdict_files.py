"""What commands with a verdict write beside their answer: JUnit XML, annotations and the summary of a CI step."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ._context import noted_warnings
from ._spelling import spelled
from ._writing import check_outputs, replacing

_SUMMARY = "GITHUB_STEP_SUMMARY"  # the file to which a step of GitHub Actions appends its summary


def check_summary(sources: Sequence[str]) -> None:
    """Check that the summary of the step, if there is one, is no file that is read."""
    summary = os.environ.get(_SUMMARY)
    check_outputs({_SUMMARY: Path(summary)} if summary else {}, sources)


def publish(result: Any, junit: Path | None, annotations: Path | None) -> None:
    """Write the files that were asked for, and append to the summary of the step if there is one."""
    junit_text = partial(result.junit, noted_warnings())
    for path, text in ((junit, junit_text), (annotations, result.annotations)):
        if path is not None:
            with replacing(path) as unfinished:
                unfinished.write_text(spelled(text()) + "\n", encoding="utf-8")
    summary = os.environ.get(_SUMMARY)
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(spelled(result.markdown()) + "\n\n")
