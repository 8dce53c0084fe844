"""Inspect: metrics over all epochs with their uncertainty, early stopping, and a report after a run.

Inspect finds the metrics by name (``scorio/pass_at``), and tasks import them:
``from scorio.integrations.inspect_ai import StopWhen, metrics``.
"""

from .._stopping import StopWhen
from . import (
    _after_run as _after_run,  # Inspect finds the hook
    metrics,
)

__all__ = ["StopWhen", "metrics"]
