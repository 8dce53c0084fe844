"""Inspect: metrics over all epochs with their uncertainty, and early stopping.

Inspect finds the metrics by name (``scorio/pass_at``), and tasks import them:
``from scorio.integrations.inspect_ai import metrics, stop_when``.
"""

from . import metrics
from .stopping import stop_when

__all__ = ["metrics", "stop_when"]
