"""How files become outcomes, stage by stage: collected, named, told apart, each trial once, and put together."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict, Unpack

from .._display.words import shorten
from ..errors import ParameterError
from ..outcomes import Normalize, normalize_answer
from ._asked import Asked, asked_questions
from ._assemble import of_task, without_repeats
from ._collect import Collected, collect
from ._doubts import warn_of_doubts
from ._format import Format
from ._kept import check_kept
from ._naming import (
    Models,
    Pool,
    check_factors,
    check_models,
    check_numbered,
    check_one_folder,
    check_pool,
    only_models,
    rename_models,
    rename_separated,
    separate,
    unknown_models,
    unknown_patterns,
    with_factors,
)
from ._records import Source
from ._registry import format_named, formats
from ._remote import Mirror
from ._request import Fields, Request
from ._sources import Sources
from ._tabular.extra_rows import warn_of_repeated_rows


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
_OF_A_FILE = ("task", "score", "filter", "grade", "table", "query", "normalize")


def with_options(function: Callable[..., Any], *more: inspect.Parameter) -> inspect.Signature:
    """Return the signature of a function of a source that takes all options, and ``more``."""
    own = inspect.signature(function)
    annotations = inspect.get_annotations(Options)
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(name), annotation=annotation)
        for name, annotation in annotations.items()
    ]
    return own.replace(parameters=[own.parameters["source"], *shared, *more])


@dataclass(frozen=True)
class Call:
    """What is read and how: the arguments of ``recognise``, checked."""

    source: Sources
    form: str | Format | None
    request: Request
    model: Models
    only: tuple[str, ...]
    missing: str
    pool: Pool
    skip_bad: bool
    n_jobs: int | None

    @classmethod
    def of(cls, source: Sources, **options: Unpack[Options]) -> "Call":
        """Return the call with all options, of which those that are not given have their defaults."""
        unknown = next((name for name in options if name not in inspect.get_annotations(Options)), None)
        if unknown is not None:
            raise TypeError(f"recognise() got an unexpected keyword argument {unknown!r}")
        every: dict[str, Any] = {**dict.fromkeys(inspect.get_annotations(Options)), **_DEFAULTS, **options}
        which = {name: every[name] for name in _OF_A_FILE}
        which |= {"keep": names_of(every["keep"]), "questions": asked_questions(every["questions"])}
        request = Request.of(every["fields"], levels=every["levels"] or {}, factors=names_of(every["factors"]), **which)
        check_models(every["model"])
        check_pool(every["pool"])
        others = (every[name] for name in ("missing", "pool", "skip_bad", "n_jobs"))
        return cls(source, every["format"], request, every["model"], names_of(every["only"]), *others)


def names_of(names: Sequence[str] | str) -> tuple[str, ...]:
    """Return names, of which one may be given alone."""
    return (names,) if isinstance(names, str) else tuple(names)


def collected(call: Call, mirror: Mirror | None = None) -> Collected:
    """Return the runs of all files, once every option has an effect on some of them."""
    found = collect(
        call.source, call.form, call.request, call.n_jobs, call.model, skip_bad=call.skip_bad, mirror=mirror
    )
    names, request = {each.format for each in found.sources}, call.request
    forms = [call.form] if isinstance(call.form, Format) else [format_named(name) for name in names]
    unused = request.options - request.kept_options - {option for each in forms for option in each.options}
    if unused:
        raise ParameterError(f"{shorten(sorted(unused))} cannot be chosen in files of {', '.join(sorted(names))}")
    return found


def named(call: Call, sources: Sequence[Source]) -> list[Source]:
    """Return the runs of the tasks that are wanted, with their models named as the user says and their factors."""
    own = with_factors(of_task(rename_models(sources, call.model), call.request), call.request.factors)
    check_kept(own, call.request, formats())
    return own


class Apart(NamedTuple):
    """Runs under other conditions are models of their own; and the names of models that the user says in vain."""

    sources: list[Source]
    unknown: tuple[str, ...]


def told_apart(call: Call, files: Sequence[Source], sources: Sequence[Source]) -> Apart:
    """Return the runs with the names that their conditions give their models; ``files`` have their first names."""
    check_factors(call.request.factors, sources)
    separated = separate(sources, call.pool)
    every = rename_separated(sources, separated, call.model)
    unknown = unknown_models([*files, *separated], call.model) + unknown_patterns(every, call.only)
    return Apart(every, tuple(unknown))


def each_once(call: Call, sources: Sequence[Source]) -> list[Source]:
    """Return the runs of the models to keep, each trial in one attempt, where none is taken for another by chance."""
    chosen = without_repeats(only_models(sources, call.only))
    check_one_folder(chosen)
    check_numbered(chosen)
    warn_of_repeated_rows(chosen)
    warn_of_doubts(chosen)
    return chosen
