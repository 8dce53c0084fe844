"""Settings and fixtures of all tests."""

import pytest
from hypothesis import settings

from scorio.metrics import _names

# A slow machine is no fault of an example's.
settings.register_profile("scorio", deadline=None)
settings.load_profile("scorio")


@pytest.fixture
def own_names(monkeypatch):
    """Forget the names of the metrics that a test defines."""
    monkeypatch.setattr(_names, "_classes", dict(_names._classes))
