"""All formats: the built-in ones, and those of plug-ins."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from .._display.words import unknown
from ..errors import ParameterError
from ._format import Format
from ._formats.arrays import ArraysFormat
from ._formats.code_samples import BigCodeBenchFormat, LiveCodeBenchFormat
from ._formats.databases import DatabaseFormat
from ._formats.deepeval import DeepEvalFormat
from ._formats.evalplus import EvalPlusFormat
from ._formats.evalscope import EvalScopeFormat
from ._formats.harbor import HarborFormat
from ._formats.helm import HelmFormat
from ._formats.human_eval import HumanEvalFormat
from ._formats.inspect_log import InspectFormat
from ._formats.junit import JUnitFormat
from ._formats.lighteval import LightevalFormat
from ._formats.lm_eval import LmEvalFormat
from ._formats.openai_evals import OpenAiEvalsFormat
from ._formats.opencompass import OpenCompassFormat
from ._formats.promptfoo import PromptfooFormat
from ._formats.saved_counts import SavedCountsFormat
from ._formats.swe_bench import SweBenchFormat
from ._formats.tables import TableFormat
from ._formats.tau import Tau2Format, TauBenchFormat
from ._formats.terminal_bench import TerminalBenchFormat
from ._formats.verifiers import VerifiersFormat
from ._formats.verifiers_traces import VerifiersTracesFormat

_BUILT_IN = (
    InspectFormat,
    ArraysFormat,
    LightevalFormat,
    LmEvalFormat,
    HumanEvalFormat,
    BigCodeBenchFormat,
    EvalPlusFormat,
    Tau2Format,
    TauBenchFormat,
    PromptfooFormat,
    HelmFormat,
    OpenAiEvalsFormat,
    DeepEvalFormat,
    JUnitFormat,
    HarborFormat,
    TerminalBenchFormat,
    SweBenchFormat,
    VerifiersFormat,
    VerifiersTracesFormat,
    OpenCompassFormat,
    EvalScopeFormat,
    LiveCodeBenchFormat,
    SavedCountsFormat,
    DatabaseFormat,
    TableFormat,
)
_GROUP = "scorio.formats"  # entry points of this group are formats of plug-ins


@cache
def formats() -> dict[str, Format]:
    """Return the formats by name, in the order of detection: plug-ins, built-in formats, generic formats."""
    every = [*map(_loaded, sorted(entry_points(group=_GROUP))), *(kind() for kind in _BUILT_IN)]
    by_name: dict[str, Format] = {}
    for each in sorted(every, key=lambda each: each.is_generic):
        if each.name in by_name:
            raise ParameterError(f"two formats are called {each.name!r}; uninstall one of the plug-ins that define it")
        by_name[each.name] = each
    return by_name


def format_named(name: str) -> Format:
    """Return the format of this name."""
    if name not in formats():
        raise ParameterError(unknown("format", name, formats()))
    return formats()[name]


def has_plugins() -> bool:
    """Return whether packages add formats."""
    return len(formats()) > len(_BUILT_IN)


def _loaded(entry: EntryPoint) -> Format:
    """Return the format of a plug-in: a class, or an instance of one."""
    try:
        value = entry.load()
        each = value() if isinstance(value, type) else value
    except Exception as error:
        raise ParameterError(
            f"the format plug-in {entry.name!r} ({entry.value}) cannot be loaded: {error!r}"
        ) from error
    if not (isinstance(each, Format) and isinstance(getattr(each, "name", None), str)):
        raise ParameterError(
            f"the format plug-in {entry.name!r} ({entry.value}) must be a scorio.io.Format with a name"
        )
    return each
