"""What outcomes can say: what is suspicious about them, and which statements they support."""

from ._diagnose import diagnose
from ._diagnosis import Diagnosis, Finding, Statement

__all__ = ["Diagnosis", "Finding", "Statement", "diagnose"]
