"""Accumulator: outcomes that come in batches, as in a training loop or a log that grows."""

import uuid
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import OutcomeError, ParameterError
from ._combining import union, with_failures
from ._labels import check_labels, positions
from ._matrix import OutcomeMatrix
from ._outcome_set import OutcomeSet, Place
from ._outcome_values import FAIL, MOST_LEVELS, OMIT, check_size, missing_code
from ._reward_matrix import RewardMatrix
from ._rewards import RewardTrials, read_rewards
from ._saved_counts import SavedCounts
from ._saved_layout import Metadata
from ._table import as_numpy, is_flat, single_run

_WAITING = 1 << 16  # trials of batches that are added to the total at once


class _Batch(NamedTuple):
    """The questions of a batch, and its trials by the places of these."""

    questions: list[Hashable]
    trials: RewardTrials


class Accumulator:
    """Outcomes of one model that are added batch by batch: any questions in each batch, in any array library.

    ``outcomes`` is what all trials make together, at any time, as ``OutcomeMatrix.from_rewards`` makes it: an
    OutcomeMatrix, or a RewardMatrix for continuous rewards. Questions come in the order in which they were first asked.

    Parameters
    ----------
    missing
        What becomes of a NaN or None: ``"raise"`` an error, ``"omit"`` left out, ``"fail"`` counted as a failure.
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
        self, *, missing: str = "raise", keep_values: bool = True, model: str = "model", name: str | None = None
    ) -> None:
        for argument, value in (("model", model), ("name", "-" if name is None else name)):
            if not (isinstance(value, str) and value):
                raise ParameterError(f"must be a name; got {value!r}", argument=argument)
        self._code = missing_code(missing)
        self._options: dict[str, Any] = {"missing": missing, "keep_values": bool(keep_values)}
        self._model = model
        self._parts: dict[str, Metadata] = {name or uuid.uuid4().hex: {}}
        self._step = 0
        self._total_and_waiting: tuple[OutcomeMatrix | None, list[_Batch]] = None, []  # changed in one step
        self._size, self._most = 0, _WAITING  # of the trials that wait, about

    def add(self, questions: Iterable[Hashable], outcomes: Any, *, step: int | None = None) -> None:
        """Add a batch: the label of each question, and its outcomes in one row, or one outcome per question.

        A question may occur more than once. ``step`` is the number of the step, which never falls; by default one more
        than the last. A batch that is refused, or interrupted, changes no outcome.
        """
        number = self._step + 1 if step is None else step
        if not isinstance(number, (int, np.integer)) or isinstance(number, bool) or number < max(self._step, 0):
            raise ParameterError(f"must be a whole number from {self._step} on; got {step!r}", argument="step")
        # Failures are counted in the end: what they are worth depends on the rewards of all batches.
        batch = _batch(_labels(questions), outcomes, OMIT if self._code == FAIL else self._code)
        if self._size >= self._most:
            self._gathered()
        self._step = int(number)
        self._size += batch.trials.rewards.size
        self._total_and_waiting[1].append(batch)

    @property
    def step(self) -> int:
        """The number of the last step; 0 before the first."""
        return self._step

    @property
    def outcomes(self) -> OutcomeMatrix:
        """All outcomes so far."""
        matrix = self._gathered()
        if matrix is None:
            raise OutcomeError("no outcome was added yet")
        matrix = with_failures(matrix) if self._code == FAIL else matrix
        if not matrix.trials.any():
            raise OutcomeError("no outcome was added yet: every one is missing")
        return self._settled(matrix, None)

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
        made._total_and_waiting = self._sum([self._gathered(), other._gathered()], sort=True), []
        made._step = max(self._step, other._step)
        return made

    def _gathered(self) -> OutcomeMatrix | None:
        """Return the outcomes of all batches, with every level that occurs; None without any."""
        total, waiting = self._total_and_waiting
        if waiting:
            total = self._sum([total, self._of_batches(waiting)], sort=False)
            self._total_and_waiting, self._size = (total, []), 0
            # All numbers of the total are read to add to it, so as many trials wait.
            kept = total.summary.values if isinstance(total, RewardMatrix) else total and total.counts
            self._most = max(_WAITING, 0 if kept is None else kept.size)
        return total

    def _of_batches(self, batches: list[_Batch]) -> OutcomeMatrix:
        labels = tuple(dict.fromkeys(label for batch in batches for label in batch.questions))
        rows_of = [positions(batch.questions, labels) for batch in batches]
        parts = [batch.trials for batch in batches]
        planned = np.zeros(len(labels), np.int64)
        for of_batch, part in zip(rows_of, parts, strict=True):
            np.add.at(planned, of_batch, part.planned)
        rewards = np.concatenate([part.rewards for part in parts])
        rows = np.concatenate([of_batch[part.rows] for of_batch, part in zip(rows_of, parts, strict=True)])
        if not rewards.size:
            return OutcomeMatrix.of_parts(np.zeros((len(labels), 2), np.int64), planned, None, labels)
        reduced = RewardTrials(rewards, rows, len(labels), "outcomes").reduced(MOST_LEVELS)
        return self._kept(OutcomeMatrix.of_reduced(reduced, planned, labels, None))

    def _sum(self, parts: list[OutcomeMatrix | None], *, sort: bool) -> OutcomeMatrix | None:
        """Return the union of the trials, of which rewards with too many levels are continuous."""
        having = [{"": part} for part in parts if part is not None]
        if len(having) < len(parts):
            return having[0][""] if having else None
        [total] = union(having, sort=sort).values()
        return self._settled(total, MOST_LEVELS)

    def _settled(self, matrix: OutcomeMatrix, most: int | None) -> OutcomeMatrix:
        """Return rewards without levels that do not occur, or as continuous rewards if they have too many."""
        if not matrix.is_continuous and matrix.trials.any():
            reduced = matrix.as_trials("the accumulator").reduced(most)
            matrix = OutcomeMatrix.of_reduced(reduced, matrix.planned_trials, matrix.questions, None)
        return self._kept(matrix)

    def _kept(self, matrix: OutcomeMatrix) -> OutcomeMatrix:
        if self._options["keep_values"] or not isinstance(matrix, RewardMatrix):
            return matrix
        return matrix.replaced(summary=matrix.summary.without_values())

    # Saved state.

    def _saved(self, metadata: Mapping[str, Any] | None = None) -> SavedCounts:
        matrix = self._gathered()
        if matrix is None:
            raise OutcomeError("no outcome was added yet: there is nothing to save")
        added, name = dict(metadata or {}), self._model
        saved = SavedCounts(OutcomeSet.of({name: matrix}), metadata={name: added}, part=next(iter(self._parts)))
        told = {part: {**facts, name: {**facts.get(name, {}), **added}} for part, facts in self._parts.items()}
        return saved.replaced(parts=told if added else self._parts, state=self._options | {"step": self._step})

    def save(self, path: Place, *, metadata: Mapping[str, Any] | None = None) -> None:
        """Save the state to an ``.npz`` file of saved counts, which ``load`` goes on with and ``scorio.read`` reads.

        ``metadata`` is a dictionary of JSON values, such as ``{"seed": 7}``, of all accumulators that were merged.
        """
        self._saved(metadata).save(path)

    @classmethod
    def load(cls, path: Place) -> "Accumulator":
        """Go on from a file that ``save`` wrote."""
        return cls._of(SavedCounts.load(path))

    def to_state(self) -> bytes:
        """Return the state as bytes, the content of the file that ``save`` writes."""
        return self._saved().to_bytes()

    @classmethod
    def from_state(cls, state: bytes) -> "Accumulator":
        """Go on from the bytes that ``to_state`` returned."""
        return cls._of(SavedCounts.from_bytes(state))

    @classmethod
    def _of(cls, saved: SavedCounts) -> "Accumulator":
        if saved.state is None:
            raise OutcomeError("these are saved counts, not the state of an accumulator", hint="scorio.read reads them")
        [(model, matrix)] = saved.outcomes.by_task[""].items()
        options = {name: value for name, value in saved.state.items() if name != "step"}
        made = cls(**options, model=model)
        made._total_and_waiting = matrix, []
        made._parts, made._step = saved.parts, saved.state["step"]
        return made

    def __repr__(self) -> str:
        matrix = self._gathered()
        return f"Accumulator({0 if matrix is None else matrix.n_questions} questions, step {self._step})"


def _labels(questions: Iterable[Hashable]) -> list[Hashable]:
    """Return the labels of the questions of a batch, at least one."""
    if not isinstance(questions, (list, tuple)) and hasattr(questions, "__array__"):
        questions = as_numpy(questions).tolist()
    labels = list(questions)
    if not labels:
        raise OutcomeError("a batch needs at least one question")
    check_labels(labels, len(labels), "questions", unique=False)
    return labels


def _batch(questions: list[Hashable], outcomes: Any, missing: int) -> _Batch:
    """Return a batch in any form: a row of outcomes for each question, or one outcome for each."""
    table = single_run(outcomes, None)[0] if len(questions) > 1 and is_flat(outcomes) else outcomes
    trials = read_rewards(table, missing, "outcomes")
    if trials.n_rows != len(questions):
        raise OutcomeError(f"outcomes have {trials.n_rows} rows for {len(questions)} questions")
    if trials.rewards.size:
        check_size((float(trials.rewards.min()), float(trials.rewards.max())), "outcomes")
    return _Batch(questions, trials)
