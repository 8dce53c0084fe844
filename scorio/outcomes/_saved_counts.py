"""SavedCounts: outcomes with their metadata, and the parts that they were merged from."""

import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from .._base.words import pluralize, shorten
from ..errors import OutcomeError, ParameterError
from ._combining import union, united
from ._outcome_set import ModelsOnTasks, OutcomeSet, Place, Suite
from ._saved_layout import HEADER, Content, Metadata, as_text, digest_of, from_npz, read, to_npz, write
from ._trial_costs import costs_of_all, costs_together


class SavedCounts:
    """Counts in a file: outcomes of models, or of models on several tasks, with metadata and the parts they come from.

    ``outcomes`` is an OutcomeSet or a Suite, with its conditions and costs. ``metadata`` maps models to dictionaries of
    JSON values, of which ``measured`` means something to scorio: the score and a digest of the inputs by task, as
    ``io.Reading.metadata`` has it. ``part`` names the outcomes; without a name, they are recognised by their content.

    >>> monday = SavedCounts(OutcomeSet({"a": [[0, 1], [1, 1]]}, questions=["q1", "q2"]), part="monday")
    >>> tuesday = SavedCounts(OutcomeSet({"a": [[0, 0, 1]]}, questions=["q2"]), part="tuesday")
    >>> both = monday.merge(tuesday)
    >>> both.outcomes["a"].counts.tolist()
    [[1, 1], [2, 3]]
    >>> both.merge(tuesday)
    Traceback (most recent call last):
    scorio.errors.OutcomeError: part 'tuesday' would be counted twice: merge each part once
    """

    __slots__ = ("__weakref__", "_content")

    _content: Content
    member: ClassVar[str] = HEADER  # of the archive, by which a file of saved counts is known

    def __init__(
        self,
        outcomes: OutcomeSet | Suite,
        *,
        metadata: Mapping[str, Mapping[str, Any]] | None = None,
        part: str | None = None,
    ) -> None:
        if not isinstance(outcomes, ModelsOnTasks):
            problem = f"must be an OutcomeSet or a Suite; got a {type(outcomes).__name__}"
            raise ParameterError(problem, argument="outcomes")
        if part is not None and not (isinstance(part, str) and part):
            raise ParameterError(f"must be a name; got {part!r}", argument="part")
        for models in outcomes.by_task.values():
            _checked("conditions", models.conditions, models.models)
        facts = {} if metadata is None else _checked("metadata", metadata, outcomes.models)
        self._content = Content(dict(outcomes.by_task), {part or digest_of(outcomes.by_task): facts})

    @classmethod
    def of(cls, content: Content) -> "SavedCounts":
        """Return the saved counts with this content."""
        made = cls.__new__(cls)
        made._content = content
        return made

    @classmethod
    def load(cls, path: Place) -> "SavedCounts":
        """Load a file that ``save`` wrote, or that ``OutcomeSet.save`` or an ``Accumulator`` did."""
        return cls.of(read(path))

    def save(self, path: Place) -> None:
        """Save to an ``.npz`` file."""
        write(path, self._content)

    def to_bytes(self) -> bytes:
        """Return the content of an npz file."""
        return to_npz(self._content)

    @classmethod
    def from_bytes(cls, content: bytes) -> "SavedCounts":
        """Return the counts in the bytes of an npz file."""
        return cls.of(from_npz(content))

    def replaced(self, **parts: Any) -> "SavedCounts":
        """Return the same with other ``parts``, or with the ``state`` of an accumulator."""
        return self.of(self._content._replace(**parts))

    @property
    def state(self) -> dict[str, Any] | None:
        """What an accumulator needs to go on; None if these are not the counts of one."""
        return self._content.state

    @property
    def outcomes(self) -> OutcomeSet | Suite:
        """The outcomes: an OutcomeSet, or a Suite if there are tasks."""
        tasks = self._content.tasks
        return tasks[""] if "" in tasks else Suite(tasks)

    @property
    def parts(self) -> dict[str, Metadata]:
        """The metadata by model of each part that was merged, by the part's name."""
        return {name: dict(metadata) for name, metadata in self._content.parts.items()}

    @property
    def metadata(self) -> Metadata:
        """The metadata of each model over all parts; an entry that differs between parts is None."""
        entries: Metadata = {}
        for part in self._content.parts.values():
            for name, entry in part.items():
                of_model = entries.setdefault(name, {})
                for key, value in entry.items():
                    of_model[key] = value if of_model.get(key, value) == value else None
        return dict(sorted(entries.items()))

    def merge(self, *others: "SavedCounts | str | os.PathLike[str]") -> "SavedCounts":
        """Return the trials of all, by the union of their models, questions and tasks; others may be files.

        The counts are those of all trials in one place, whatever the order and the grouping of the parts. Means and
        variances of rewards whose trials were not kept agree up to rounding. A part that occurs twice is an error.
        """
        contents = [self._content, *map(_content_of, others)]
        _check_once(contents)
        names = united([[*content.tasks] for content in contents])
        if "" in names and len(names) > 1:
            hint = 'name the task, as in Suite({"task": outcomes})'
            raise OutcomeError("some parts have tasks, others do not", hint=hint)
        tasks = {
            name: _merged([content.tasks[name] for content in contents if name in content.tasks]) for name in names
        }
        parts = {part: about for content in contents for part, about in content.parts.items()}
        return self.of(Content(tasks, parts))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SavedCounts):
            return NotImplemented
        return self.parts == other.parts and self.outcomes == other.outcomes

    def __hash__(self) -> int:
        return hash(tuple(sorted(self._content.parts)))

    def __repr__(self) -> str:
        return f"SavedCounts({self.outcomes!r}, {pluralize(len(self._content.parts), 'part')})"


ModelsOnTasks._saved = SavedCounts


def _checked(argument: str, facts: Any, models: Sequence[str]) -> Metadata:
    """Return facts by model, checked to survive JSON unchanged."""
    if not isinstance(facts, Mapping) or not all(isinstance(about, Mapping) for about in facts.values()):
        raise ParameterError("must map models to dictionaries", argument=argument)
    for name in facts:
        if name not in models:
            raise ParameterError(f"names {name!r}, which is not a model", argument=argument)
    plain = {name: dict(about) for name, about in facts.items()}
    try:
        is_json = json.loads(as_text(plain)) == plain
    except (TypeError, ValueError, RecursionError):
        is_json = False
    if not is_json:
        problem = "must be JSON: text, finite numbers, truth values, None, lists, and dictionaries with text as keys"
        raise ParameterError(problem, argument=argument)
    return plain


def _content_of(other: Any) -> Content:
    if isinstance(other, SavedCounts):
        return other._content
    if isinstance(other, (str, os.PathLike)):
        return read(other)
    raise ParameterError(f"must be saved counts or files of them; got a {type(other).__name__}", argument="others")


def _check_once(contents: list[Content]) -> None:
    """Check that no part is there twice, by its name or as the whole content of another."""
    seen: dict[str, Content] = {}
    for content in contents:
        for part in content.parts:
            if part in seen:
                raise OutcomeError(f"part {shorten([part])} would be counted twice: merge each part once")
        seen |= dict.fromkeys(content.parts, content)
    for content in contents:
        if len(content.parts) > 1 and seen.get(digest_of(content.tasks), content) is not content:
            raise OutcomeError("the same merged counts would be counted twice: merge each part once")


def _merged(parts: Sequence[OutcomeSet]) -> OutcomeSet:
    """Return the union of the models of one task, with the conditions and costs that their parts tell."""
    models, conditions, costs = union(parts), dict[str, Any](), dict[str, Any]()
    for name, matrix in models.items():
        having = [part for part in parts if name in part]
        told = [settings for part in having if (settings := dict(part.conditions[name]))]
        conditions[name] = told[0] if told else {}
        for other in told:
            if other != told[0]:
                problem = f"{name!r} was run under different conditions: {told[0]} and {other}"
                raise OutcomeError(problem, hint="give the models different names before they are merged")
        join = partial(costs_together, outcomes=matrix, sort=True)
        trials = [int(part[name].trials.sum()) for part in having]
        costs[name] = costs_of_all([part.costs[name] for part in having], trials, join)
    return OutcomeSet.of(models, conditions, costs)
