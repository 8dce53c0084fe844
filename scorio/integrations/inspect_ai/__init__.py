"""Inspect: metrics over all epochs with their uncertainty, reducers of one sample's epochs, and early stopping.

Inspect finds the first two by name (metric ``scorio/pass_at``, reducer ``scorio/pass_at_8``), and tasks import them:
``from scorio.integrations.inspect_ai import metrics, reducers, stop_when``.
"""

from . import metrics, reducers
from .stopping import stop_when

__all__ = ["metrics", "reducers", "stop_when"]
