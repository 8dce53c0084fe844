"""Files of claims, TOML or JSON."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import OutcomeError, ParameterError

_KEYS = {"claim", "confidence", "metric", "version"}
_VERSION = 1


def read_claims(path: Path) -> Mapping[str, Any]:
    """Read a file of claims, TOML or JSON by its ending: ``claim`` has what ``check_claims`` takes.

    ``confidence`` and ``metric`` are there if the file says them.
    """
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
