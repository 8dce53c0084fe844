"""The arguments of ``recognise`` and of what is built on it, checked once."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from ..outcomes import Normalize, normalize_answer
from ._asked import Asked, asked_questions
from ._format import Format
from ._naming import Models, Pool, check_models, check_pool
from ._request import Fields, Request
from ._sources import Sources


class Options(TypedDict, total=False):
    """The arguments of ``recognise``."""

    format: str | Format | None
    model: Models
    task: str | None
    score: str | None
    filter: str | None
    grade: Callable[..., Any] | None
    fields: Fields | None
    levels: Mapping[str, float | None] | None
    table: str | None
    query: str | None
    factors: Sequence[str] | str
    only: Sequence[str] | str
    keep: Sequence[str] | str
    normalize: Normalize | None
    questions: Asked | None
    missing: str
    pool: Pool
    skip_bad: bool
    n_jobs: int | None


_DEFAULTS: Options = {"factors": (), "only": (), "keep": (), "normalize": normalize_answer, "missing": "omit"}
_DEFAULTS |= {"pool": False, "skip_bad": False}  # those of the others are None
_OF_A_FILE = {"task", "score", "filter", "grade", "levels", "table", "query", "factors", "keep", "normalize"}
_OF_A_FILE |= {"questions"}


def with_options(function: Callable[..., Any], *more: inspect.Parameter) -> inspect.Signature:
    """Return the signature of a function of a source that takes all options, and ``more``."""
    own = inspect.signature(function)
    annotations = inspect.get_annotations(Options)
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(name), annotation=annotation)
        for name, annotation in annotations.items()
    ]
    return own.replace(parameters=[own.parameters["source"], *shared, *more])


class Call(NamedTuple):
    """What is read and how: what formats see of the arguments, and all of them."""

    source: Sources
    request: Request
    options: Mapping[str, Any]

    @classmethod
    def of(cls, source: Sources, given: Options) -> "Call":
        """Return the call with all options, of which those that are not given have their defaults."""
        names = inspect.get_annotations(Options)
        unknown = next((name for name in given if name not in names), None)
        if unknown is not None:
            raise TypeError(f"recognise() got an unexpected keyword argument {unknown!r}")
        every: dict[str, Any] = {**dict.fromkeys(names), **_DEFAULTS, **given}
        every |= {name: names_of(every[name]) for name in ("only", "keep", "factors")}
        every |= {"questions": asked_questions(every["questions"]), "levels": every["levels"] or {}}
        check_models(every["model"])
        check_pool(every["pool"])
        request = Request.of(every["fields"], **{name: every[name] for name in _OF_A_FILE})
        return cls(source, request, every)


def names_of(names: Sequence[str] | str) -> tuple[str, ...]:
    """Return names, of which one may be given alone."""
    return (names,) if isinstance(names, str) else tuple(names)
