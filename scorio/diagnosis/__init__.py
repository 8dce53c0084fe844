"""What outcomes can say: what is suspicious about them, and which statements they support."""

from ._diagnose import diagnose
from ._diagnosis import Diagnosis as Diagnosis, Finding as Finding, Statement as Statement

__all__ = ["diagnose"]
