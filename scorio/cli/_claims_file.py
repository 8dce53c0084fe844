"""Files of claims, which ``scorio gate --file`` checks: which of them do the logs support?"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import OutcomeError, ParameterError
from ._context import working
from ._metric import MetricChoice
from ._reading import Reading, load_logs

if TYPE_CHECKING:
    from ..comparison import Claims

_KEYS = {"claim", "confidence", "metric", "version"}
_VERSION = 1


def checked_claims(path: Path, logs: Sequence[str], how: Reading, metrics: MetricChoice, target: str) -> Claims:
    """Return the verdicts about the claims of a file; the metric is that of claims that name none."""
    from ..comparison import check_claims

    if metrics.by_task or len(metrics.plain) > 1:
        raise ParameterError("--file takes one --metric, that of claims that name none")
    asked = _claims_of(path)
    reading = load_logs(logs, how)
    metric = metrics.plain[0] if metrics.plain else asked.get("metric")
    with working("comparing"):
        confidence = asked.get("confidence", 0.95)
        return check_claims(asked["claim"], reading.outcomes, metric=metric, confidence=confidence, target=target)


def _claims_of(path: Path) -> Mapping[str, Any]:
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
