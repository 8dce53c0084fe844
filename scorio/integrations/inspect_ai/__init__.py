"""Inspect: metrics over all epochs with their uncertainty, and reducers of one sample's epochs.

Inspect finds them by name (metric ``scorio/pass_at``, reducer ``scorio/pass_at_8``), and tasks import them:
``from scorio.integrations.inspect_ai import metrics, reducers``.
"""

from . import metrics, reducers

__all__ = ["metrics", "reducers"]
