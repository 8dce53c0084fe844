"""``scorio claims``: which claims of a file do the logs support?"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._display.table import plain
from ...errors import OutcomeError, ParameterError
from .._command import declared
from .._context import working
from .._options import metric_option, target_option
from .._output import Answer, Output
from .._reading import Reading, load_logs
from .._verdict_files import ANNOTATIONS, JUNIT, check_summary, publish

if TYPE_CHECKING:
    from ...metrics import Metric

_KEYS = {"claim", "confidence", "metric", "version"}
_VERSION = 1


@declared(
    "claims",
    "claims.toml logs/ --junit claims.xml",
    metric_option("It is that of claims that name none; else that of the file.", multiple=False, default=None),
    target_option,
    JUNIT,
    ANNOTATIONS,
)
def command(
    claims_file: str,
    logs: tuple[str, ...],
    how: Reading,
    metrics: Metric | None,
    target: str,
    junit: Path | None,
    annotations: Path | None,
    out: Output,
) -> None:
    """Say which claims of a file the logs support, contradict or leave open, at one error rate over all.

    Exit codes: 0 if all claims are supported, 1 if any is contradicted, else 3. Where GITHUB_STEP_SUMMARY is set, a
    summary is appended to that file.
    """
    from ...comparison import check_claims

    check_summary([*logs, claims_file])
    asked = _read(Path(claims_file))
    reading = load_logs(logs, how)
    metric = asked.get("metric") if metrics is None else metrics
    with working("comparing"):
        confidence = asked.get("confidence", 0.95)
        result = check_claims(asked["claim"], reading.outcomes, metric=metric, confidence=confidence, target=target)
    settings = {key: value for key, value in result.to_dict().items() if key != "rows"}
    publish(result, junit, annotations)
    out.deliver(Answer([result._display_table()], result._records(), settings))  # last: others can fail to be written
    if result.exit_code and not (out.path is None and out.form in (None, "table")):
        click.echo(f"scorio: {plain(str(result))}", err=True)
    click.get_current_context().exit(result.exit_code)


command.params.insert(0, click.Argument(["claims_file"], metavar="FILE", type=click.Path(exists=True, dir_okay=False)))


def _read(path: Path) -> Mapping[str, Any]:
    """Return the content of a file of claims, TOML or JSON by its ending."""
    text = path.read_text(encoding="utf-8-sig")
    try:
        content = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except ValueError as error:
        raise OutcomeError(f"{path} cannot be read: {error}") from None
    if not isinstance(content, Mapping) or not isinstance(content.get("claim"), list):
        raise OutcomeError(f"{path} has no list of claims", hint="write each below a line [[claim]], as in best = 'A'")
    excess = sorted(set(content) - _KEYS)
    if excess:
        raise ParameterError(f"{path} has unknown entries {', '.join(excess)}; there are {', '.join(sorted(_KEYS))}")
    if content.get("version", _VERSION) != _VERSION:
        raise ParameterError(f"{path} has the version {content['version']!r}; this scorio reads version {_VERSION}")
    return content
