"""Settings of all tests."""

from hypothesis import settings

# A slow machine is no fault of an example's.
settings.register_profile("scorio", deadline=None)
settings.load_profile("scorio")
