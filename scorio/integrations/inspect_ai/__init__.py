"""Inspect: metrics over all epochs with their uncertainty, early stopping, and a report after a run.

Inspect finds the metrics by name (``scorio/pass_at``), and tasks import them:
``from scorio.integrations.inspect_ai import metrics, stop_when``.
"""

from . import metrics
from .after_run import AfterRun
from .stopping import stop_when

__all__ = ["AfterRun", "metrics", "stop_when"]
