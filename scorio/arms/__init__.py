"""Does it help: arms with a skill, a prompt or a tool against a baseline without it, on few tasks with a few runs."""

from ._arms import MARGIN, ArmEffect, Arms, analyze_arms, baseline_of

__all__ = ["MARGIN", "ArmEffect", "Arms", "analyze_arms", "baseline_of"]
