"""The two errors of the library; both are ``ValueError``."""


class OutcomeError(ValueError):
    """Outcomes, counts or labels that cannot be what they are said to be."""


class ParameterError(ValueError):
    """A parameter outside its domain."""
