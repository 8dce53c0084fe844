"""JUnit XML, as pytest and others write it: a test case is a trial; repeats of a test are trials of one question.

A test with scorio's mark ``trials`` is one test case, which has its trials as a property.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ...errors import OutcomeError
from .._xml import parse_xml
from . import At, Format, LogFile, Request, Run, Trial, shown

_ROOT = re.compile(rb"<testsuites?[\s>/]")
_REPEAT = re.compile(r"(?P<stem>.*\[(?:.*-)?)(?P<repeat>\d+)-(?P<count>\d+)\]", re.DOTALL)  # of pytest-repeat
_OUTCOMES = {"failure": 0.0, "error": None, "skipped": None}  # by the element in a test case; without one, it passed
_MOST_BYTES = 1 << 28
_BLOCK = 1 << 20
_TRIALS = "scorio_trials"  # the property of a test case in which the plug-in for pytest writes a sign for each trial
_SIGNS = {"1": 1.0, "0": 0.0, "-": None}


class Case(NamedTuple):
    """A test case: its whole name, its outcome, and those of its trials if it has several."""

    name: str
    outcome: float | None
    trials: tuple[float | None, ...] = ()

    @property
    def function(self) -> str:
        """The name without parameters."""
        return self.name.partition("[")[0]


class JUnitFormat(Format):
    """Test reports as JUnit XML."""

    name = "junit"

    def matches(self, file: LogFile) -> bool:
        return file.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<") and bool(_ROOT.search(file.head))

    def read(self, file: LogFile, request: Request) -> list[Run]:  # noqa: ARG002 - there is nothing to choose
        if file.size > _MOST_BYTES:
            raise OutcomeError(f"it has more than {_MOST_BYTES >> 20} MiB, which no test report has")
        return [run_of_cases(_Cases().read(file))]


def run_of_cases(cases: Sequence[Case]) -> Run:
    """Return the run of a test report: the file's name is the model, a test is a question, its repeats are trials."""
    if not cases:
        raise OutcomeError("there is no test case")
    asked = zip(cases, _questions(cases), strict=True)
    outcomes = [(question, outcome) for case, question in asked for outcome in case.trials or (case.outcome,)]
    return Run("", [Trial(question, i, outcome) for i, (question, outcome) in enumerate(outcomes)])


class _Cases:
    """The test cases of a file, collected while it is parsed."""

    def __init__(self) -> None:
        self._cases: list[Case] = []
        self._path: list[str] = []
        self._case: dict[str, str] | None = None
        self._marks: set[str] = set()
        self._trials = ""

    def read(self, file: LogFile) -> list[Case]:
        with file.path.open("rb") as stream:
            parse_xml(iter(lambda: stream.read(_BLOCK), b""), self._start, self._end)
        return self._cases

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "testcase":
            self._case, self._marks, self._trials = attributes, set(), ""
        elif self._path and self._path[-1] == "testcase":
            self._marks.add(name)
        elif name == "property" and self._path[-2:] == ["testcase", "properties"] and attributes.get("name") == _TRIALS:
            self._trials = attributes.get("value", "")
        self._path.append(name)

    def _end(self, name: str) -> None:
        self._path.pop()
        if name == "testcase" and self._case is not None:
            place = f"test case {len(self._cases) + 1}"
            short, trials = At(self._case, place)["name"].text, At(self._trials, place).to(_trials_of)
            marks = [outcome for mark, outcome in _OUTCOMES.items() if mark in self._marks]
            module = self._case.get("classname")
            whole = f"{module}::{short}" if module else short
            self._cases.append(Case(whole, marks[0] if marks else 1.0, trials))


def _trials_of(signs: str) -> tuple[float | None, ...]:
    """Return the outcomes of the trials of a test case, from the signs of its property."""
    if not set(signs) <= _SIGNS.keys():
        problem = f"the property {_TRIALS} must have one of {', '.join(_SIGNS)} for each trial"
        raise OutcomeError(f"{problem}; got {shown(signs)}")
    return tuple(_SIGNS[sign] for sign in signs)


def _questions(cases: Sequence[Case]) -> list[str]:
    """Return the question of each test case: its name without the number of the repeat, as pytest-repeat writes it.

    A test function is repeated if all its cases are of the same count, and one of them has every repeat; else the
    numbers are parameters.
    """
    repeats: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    counts: dict[str, set[int]] = defaultdict(set)
    for case in cases:
        match = _REPEAT.fullmatch(case.name)
        counts[case.function].add(int(match["count"]) if match else 0)
        if match:
            repeats[case.function][match["stem"]].add(int(match["repeat"]))
    repeated = {
        function
        for function, [count, *others] in counts.items()
        if count > 1 and not others and {*range(1, count + 1)} in repeats[function].values()
    }
    return [_without_repeat(case.name) if case.function in repeated else case.name for case in cases]


def _without_repeat(name: str) -> str:
    stem = _REPEAT.sub(r"\g<stem>", name)
    return stem.removesuffix("[") if stem.endswith("[") else f"{stem.removesuffix('-')}]"
