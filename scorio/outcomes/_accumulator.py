"""Accumulator: outcomes that come in batches, as in a training loop or a log that grows."""

import io
import uuid
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, cast

import numpy as np

from ..errors import OutcomeError, ParameterError
from ._combining import in_order
from ._labels import Labels
from ._matrix import OutcomeMatrix
from ._outcome_set import OutcomeSet, Place
from ._outcome_values import added_trials, missing_code
from ._saved_content import Metadata, SavedContent, content_of
from ._saved_layout import check, damaged, from_npz, read, to_npz, write
from ._tallies import QuestionRows, Tally, totals_of, trials_of_batch


class Accumulator:
    """Outcomes of one model that are added batch by batch: any questions in each batch, in any array library.

    ``outcomes`` is what all trials make together, at any time: an OutcomeMatrix, or a RewardMatrix for continuous
    rewards. Questions come in the order in which they were first asked.

    Parameters
    ----------
    rewards
        Whether outcomes are rewards, as ``OutcomeMatrix.from_rewards`` takes them, instead of categories 0, 1, ..
    missing
        What becomes of a NaN or None: ``"raise"`` an error, ``"omit"`` left out, ``"fail"`` counted as a failure
        (categories only).
    keep_values
        Whether continuous rewards are kept, 8 bytes each, for Max@k and exact sums; without them, memory does not grow.
    model
        The name of the model in saved counts.
    name
        The name of this accumulator among parts that are merged; by default a random one. Two processes, or two runs,
        need different names.

    Examples
    --------
    >>> log = Accumulator()
    >>> log.add(["q1", "q2"], [[0, 1], [1, 1]])
    >>> log.add(["q2", "q3"], [[0, 1], [0, 0]])
    >>> log.add(["q1"], [[1, 1]])
    >>> log.outcomes.questions, log.outcomes.counts.tolist()
    (('q1', 'q2', 'q3'), [[1, 3], [1, 3], [2, 0]])

    """

    def __init__(
        self,
        *,
        rewards: bool = False,
        missing: str = "raise",
        keep_values: bool = True,
        model: str = "model",
        name: str | None = None,
    ) -> None:
        if rewards and missing == "fail":
            problem = "cannot be 'fail' for rewards: the reward of a failure depends on rewards that are still to come"
            hint = "replace missing rewards before they are added, or pass missing='omit'"
            raise ParameterError(problem, argument="missing", hint=hint)
        for argument, value in (("model", model), ("name", "-" if name is None else name)):
            if not (isinstance(value, str) and value):
                raise ParameterError(f"must be a name; got {value!r}", argument=argument)
        self._code = missing_code(missing)
        self._options: dict[str, Any] = {
            "rewards": bool(rewards),
            "missing": missing,
            "keep_values": bool(keep_values),
        }
        self._model = model
        self._parts: dict[str, Metadata] = {name or uuid.uuid4().hex: {}}
        self._questions = QuestionRows()
        self._labels: Labels = ()
        self._step = 0
        self._tally = Tally(rewards=bool(rewards), keep_values=bool(keep_values))

    def add(self, questions: Iterable[Hashable], outcomes: Any, *, step: int | None = None) -> None:
        """Add a batch: the label of each question, and its outcomes in one row, or one outcome per question.

        A question may occur more than once. ``step`` is the number of the step, which never falls; by default one more
        than the last. A batch that is refused, or interrupted, changes no outcome.
        """
        number = self._step + 1 if step is None else step
        if not isinstance(number, (int, np.integer)) or isinstance(number, bool) or number < max(self._step, 0):
            raise ParameterError(f"must be a whole number from {self._step} on; got {step!r}", argument="step")
        try:
            rows = self._questions.rows(questions)
            is_of_rewards = self._options["rewards"]
            trials = trials_of_batch(outcomes, rows, len(self._questions), self._code, rewards=is_of_rewards)
            self._step = int(number)
            self._tally.add(trials)
        except BaseException:
            for label in list(self._questions)[self._tally.n_rows :]:  # new questions of a batch that is not added
                del self._questions[label]
            raise

    @property
    def step(self) -> int:
        """The number of the last step; 0 before the first."""
        return self._step

    @property
    def outcomes(self) -> OutcomeMatrix:
        """All outcomes so far."""
        if not self._tally.n_rows:
            raise OutcomeError("no outcome was added yet")
        if len(self._labels) < len(self._questions):
            self._labels = tuple(self._questions)
        matrix = self._tally.content()
        if not matrix.trials.any():
            raise OutcomeError("no outcome was added yet: every one is missing")
        matrix._questions = self._labels
        return matrix

    def merge(self, other: "Accumulator") -> "Accumulator":
        """Return a new accumulator with the batches of both, such as those of two workers.

        An accumulator that is part of both is an error.
        """
        if not isinstance(other, Accumulator):
            raise ParameterError(f"must be an Accumulator; got a {type(other).__name__}", argument="other")
        if self._options != other._options or self._model != other._model:
            raise OutcomeError(
                "accumulators with different settings cannot be merged:"
                f" {self._options | {'model': self._model}} and {other._options | {'model': other._model}}"
            )
        for part in self._parts.keys() & other._parts.keys():
            hint = "merge its last state only; two processes need accumulators of different names"
            raise OutcomeError(f"the accumulator {part!r} would be counted twice", hint=hint)
        made = type(self)(**self._options, model=self._model)
        made._parts = dict(sorted((self._parts | other._parts).items()))
        both = [each for each in (self, other) if each._questions]
        for label in in_order([list(each._questions) for each in both]) if both else ():
            made._questions[label] = len(made._questions)
        planned = np.zeros(len(made._questions), np.int64)
        for each in both:
            rows = np.array([made._questions[label] for label in each._questions], np.intp)
            matrix = each._tally.stored()
            planned[rows] = added_trials(planned[rows], matrix.planned_trials, tuple(each._questions))
            made._tally.absorb(totals_of(matrix), rows, len(planned))
        made._step = max(self._step, other._step)
        return made

    # Saved state.

    def _content(self, metadata: Mapping[str, Any] | None = None) -> SavedContent:
        if not self._tally.n_rows:
            raise OutcomeError("no outcome was added yet: there is nothing to save")
        matrix = self._tally.stored()
        matrix._questions = tuple(self._questions)
        name, *others = self._parts
        own: Metadata = self._parts[name] if metadata is None else {self._model: dict(metadata)}
        content = content_of(OutcomeSet.of({self._model: matrix}), None if others else own, name)
        parts = self._parts if others else content.parts
        return content._replace(parts=parts, state=self._options | {"step": self._step})

    def save(self, path: Place, *, metadata: Mapping[str, Any] | None = None) -> None:
        """Save the state to an ``.npz`` file of saved counts, which ``load`` goes on with and ``scorio.read`` reads.

        ``metadata`` is a dictionary of JSON values, such as ``{"costs": {"usd": 1.5}}``.
        """
        write(path, self._content(metadata))

    @classmethod
    def load(cls, path: Place) -> "Accumulator":
        """Go on from a file that ``save`` wrote."""
        return cls._of(read(path))

    def to_state(self) -> bytes:
        """Return the state as bytes, the content of the file that ``save`` writes."""
        return to_npz(self._content())

    @classmethod
    def from_state(cls, state: bytes) -> "Accumulator":
        """Go on from the bytes that ``to_state`` returned."""
        return cls._of(from_npz(io.BytesIO(state)))

    @classmethod
    def _of(cls, content: SavedContent) -> "Accumulator":
        if content.state is None:
            raise OutcomeError("these are saved counts, not the state of an accumulator", hint="scorio.read reads them")
        try:
            [(model, matrix)] = content.tasks[""].items()
            state = dict(content.state)
            step = state.pop("step")
            check(type(step) is int and step >= 0, "the number of steps is invalid")
            made = cls(**state, model=model)
            labels = cast("Labels", matrix.questions)
            made._questions.update({label: row for row, label in enumerate(labels)})
            made._tally.absorb(totals_of(matrix), np.arange(len(labels)), len(labels))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise damaged(error) from None
        made._parts, made._step = dict(content.parts), step
        return made

    def __repr__(self) -> str:
        kind = "rewards" if self._options["rewards"] else "categories"
        return f"Accumulator({len(self._questions)} questions, {kind}, step {self._step})"
