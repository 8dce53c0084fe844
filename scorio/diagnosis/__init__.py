"""What outcomes can say: what is suspicious about them, which statements they support, and how much of them is luck."""

from ._diagnose import diagnose
from ._diagnosis import Diagnosis, Finding
from ._reliability import Reliability
from ._statements import Statement

__all__ = [
    "Diagnosis",
    "Finding",
    "Reliability",
    "Statement",
    "diagnose",
]
