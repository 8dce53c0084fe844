"""SavedCounts: outcomes with their metadata, and the parts that they were merged from."""

import io
import os
from collections.abc import Mapping
from typing import Any

from .._display.words import pluralize, shorten
from ..errors import OutcomeError, ParameterError
from ._outcome_set import ModelsOnTasks, OutcomeSet, Place, Suite
from ._saved_content import Metadata, SavedContent, combined, content_of, merged_content
from ._saved_layout import digest_of, from_npz, read, to_npz, write


class SavedCounts:
    """Counts in a file: outcomes of models, or of models on several tasks, with metadata and the parts they come from.

    ``outcomes`` is an OutcomeSet or a Suite. ``metadata`` maps models to dictionaries of JSON values. Three entries
    mean something to scorio: ``conditions``, the same in all parts of a model, ``costs``, numbers that add up
    over parts, and ``measured``, which tells the score and a digest of the inputs by task, as ``io.Reading.metadata``
    has it. ``part`` names the outcomes; without a name, they are recognised by their content.

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

    _content: SavedContent

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
        self._content = content_of(outcomes, metadata, part or digest_of(outcomes.by_task))

    @classmethod
    def _of(cls, content: SavedContent) -> "SavedCounts":
        made = cls.__new__(cls)
        made._content = content
        return made

    @classmethod
    def load(cls, path: Place) -> "SavedCounts":
        """Load a file that ``save`` wrote, or that ``OutcomeSet.save`` or an ``Accumulator`` did."""
        return cls._of(read(path))

    def save(self, path: Place) -> None:
        """Save to an ``.npz`` file."""
        write(path, self._content)

    def to_bytes(self) -> bytes:
        """Return the content of an npz file, as executors send it back."""
        return to_npz(self._content)

    @classmethod
    def from_bytes(cls, content: bytes) -> "SavedCounts":
        """Return the counts in the bytes of an npz file."""
        return cls._of(from_npz(io.BytesIO(content)))

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
        """The metadata of each model over all parts: costs are summed, entries that differ are None."""
        entries: dict[str, list[Mapping[str, Any]]] = {}
        for part in self._content.parts.values():
            for name, entry in part.items():
                entries.setdefault(name, []).append(entry)
        return {name: combined(name, of_model) for name, of_model in sorted(entries.items())}

    def merge(self, *others: "SavedCounts | str | os.PathLike[str]") -> "SavedCounts":
        """Return the trials of all, by the union of their models, questions and tasks; others may be files.

        The counts are those of all trials in one place, whatever the order and the grouping of the parts. Means and
        variances of rewards whose trials were not kept agree up to rounding. A part that occurs twice is an error.
        """
        contents = [self._content, *(_content(other) for other in others)]
        _check_once(contents)
        merged = self._of(merged_content(contents))
        _ = merged.metadata  # which checks that the conditions agree
        return merged

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SavedCounts):
            return NotImplemented
        return self.parts == other.parts and self.outcomes == other.outcomes

    def __hash__(self) -> int:
        return hash(tuple(sorted(self._content.parts)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"SavedCounts({self.outcomes!r}, {pluralize(len(self._content.parts), 'part')})"


ModelsOnTasks._saved = SavedCounts


def _content(other: Any) -> SavedContent:
    if isinstance(other, SavedCounts):
        return other._content
    if isinstance(other, (str, os.PathLike)):
        return read(other)
    raise ParameterError(f"must be saved counts or files of them; got a {type(other).__name__}", argument="others")


def _check_once(contents: list[SavedContent]) -> None:
    """Check that no part is there twice, by its name or as the whole content of another."""
    seen: dict[str, SavedContent] = {}
    for content in contents:
        for part in content.parts:
            if part in seen:
                raise OutcomeError(f"part {shorten([part])} would be counted twice: merge each part once")
        seen |= dict.fromkeys(content.parts, content)
    for content in contents:
        if len(content.parts) > 1 and seen.get(digest_of(content.tasks), content) is not content:
            raise OutcomeError("the same merged counts would be counted twice: merge each part once")
