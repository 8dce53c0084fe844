"""What outcomes can say: what is suspicious about them, which statements they support, and how much of them is luck."""

from ._diagnose import diagnose
from ._diagnosis import Diagnosis, Finding, Statement
from ._reliability import Reliability

__all__ = [
    "Diagnosis",
    "Finding",
    "Reliability",
    "Statement",
    "diagnose",
]
