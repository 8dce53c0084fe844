"""Inspect: metrics over all epochs with their uncertainty, early stopping, and a report after a run.

Inspect finds the metrics by name (``scorio/pass_at``), and tasks import them:
``from scorio.integrations.inspect_ai import metrics, stop_when``.
"""

from . import _after_run as _after_run  # Inspect finds the hook
from . import metrics
from .stopping import stop_when

__all__ = ["metrics", "stop_when"]
