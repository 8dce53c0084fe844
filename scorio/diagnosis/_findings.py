"""What is suspicious about outcomes: a kind, a sentence, advice, and the chance of it in outcomes that are sound."""

from __future__ import annotations

from dataclasses import dataclass

from .._display.exports import Exports

COPIES = "copied trials"
COPIED_RUN = "copied run"
COPIED_MODEL = "copied model"
SEED = "repeated seed"
AXES = "swapped axes"
TRIALS = "trials differ"
SATURATED = "saturated questions"
MISSING = "missing by outcome"
GAPS = "missing trials"
DUPLICATE = "duplicate questions"
NO_TASK = "missing tasks"
KINDS = (  # the most serious first
    COPIES,
    COPIED_RUN,
    COPIED_MODEL,
    SEED,
    AXES,
    TRIALS,
    MISSING,
    DUPLICATE,
    NO_TASK,
    GAPS,
    SATURATED,
)


@dataclass(frozen=True)
class Finding(Exports):
    """Something suspicious: its ``kind``, ``what`` was found, and ``advice``.

    ``task`` is that of a suite, else empty; ``models`` are those it is about. ``chance`` is the probability of the like
    in sound outcomes, corrected for the number of places that were looked at; None for what is simply counted.
    """

    kind: str
    what: str
    advice: str
    task: str = ""
    models: tuple[str, ...] = ()
    chance: float | None = None

    def __str__(self) -> str:
        return f"{self.kind}{f' ({self.task})' if self.task else ''}: {self.what}. {self.advice}."
