"""The one reading of outcomes: arrays, lists, data frames, tables, logs and plug-ins all use these rules.

**Values.** A number is its own reward, and a truth value is 1 or 0. ``C``, ``P``, ``I`` and ``N`` (in capitals) are
correct, partial, incorrect and no answer: 1, 0.5, 0 and 0. Words, in any case, are correct, pass, passed, success, true
and yes (1), partial (0.5), and incorrect, fail, failed, failure, false and no (0), and so are check marks and crosses.
``25%`` is 0.25. ``levels={"good": 0.8, "timeout": None}`` gives other values a reward, or known words another one, and
None marks missing trials. Any other word is an error, and so is an infinite number. Tables, data
frames and logs hold numbers as text too; in arrays and lists a number is a number, and text that looks like one is an
error. One column (or array) holds words throughout or numbers throughout; true and false may stand beside 1 and 0.
Logs are read value by value.

**Missing outcomes.** None, NaN, the NA of nullable types, null, empty text, and the texts NA, N/A, NaN, None, null and
``<NA>`` mark a trial without an outcome. ``missing="raise"`` makes such a trial an error; ``"omit"`` leaves it out, so
that it counts only in the planned trials and ``completeness``; ``"fail"`` counts it as a failure: reward 0, or the
lowest reward where some rewards are negative. Masked entries of an array are left out under every policy.

**Rewards.** The levels are the distinct rewards in ascending order; where missing trials count as failures, their
reward is one of the levels. A lone level is paired with 0, or with 1 if it is 0 itself, since a scale has two ends.
Rewards that are only 0 and 1 are pass/fail outcomes, and have no levels (``levels`` is None).

**Continuous rewards.** Rewards with more than 50 distinct values, or with more than 10 where most trials have a value
of their own, are continuous: they have no levels and no categories, and become a RewardMatrix.
"""

import math
import re
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from types import MappingProxyType, NoneType
from typing import Any

import numpy as np

from .._base.arrays import LARGEST_REWARD, Counts, Vector
from .._kernels.count_outcomes import category_limit
from ..errors import OutcomeError, ParameterError, Remedy
from ..params import count

Levels = tuple[float, ...]
MOST_TRIALS = 2**53  # of a question: exact in a double
_MOST_IN_ALL = 2**62  # of a model: sums of 64 bits do not wrap
MOST_LEVELS = 50  # more distinct rewards are continuous
_FEW_LEVELS = 10  # so many are levels even where most trials have a reward of their own
_FIRST = 4096  # rewards that are looked at before all are
RAISE, OMIT, FAIL = 0, 1, 2  # the codes of the kernel that counts
PASS_FAIL: Levels = (0.0, 1.0)
REMEDIES = (Remedy("missing", "omit", "leaves it out"), Remedy("missing", "fail", "counts it as a failure"))
_POLICIES = {"raise": RAISE, "omit": OMIT, "fail": FAIL}
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_TRUTHS = {"true": 1.0, "false": 0.0}
_WORDS: dict[str, float] = _TRUTHS | {
    **dict.fromkeys(("correct", "pass", "passed", "success", "yes", "y", *"✓✔✅☑"), 1.0),
    "partial": 0.5,
    **dict.fromkeys(("incorrect", "fail", "failed", "failure", "no", "n", *"✗✘❌✖☒"), 0.0),
}
_MISSING_TEXTS = {"", "na", "n/a", "nan", "none", "null", "<na>"}
_AS_EMOJI = "\ufe0f"  # behind a check mark
RewardOf = Mapping[Any, float | None]  # the rewards that the user gives to values; None marks missing trials
_NO_LEVELS: RewardOf = MappingProxyType({})
_WORD, _TRUTH, _BINARY, _NUMBER = range(4)  # kinds of values: only neighbors may stand in one column
_PERCENT = 5  # which has no neighbor
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+\s*%?")
_NO_SHARE = (
    Remedy("score", "...", "names its column if it is a reward"),
    Remedy("fields", {"trials": "..."}, "names the column of the trials if it is a count"),
)
_FLOATS = {float, NoneType}
_SHOWN = 60  # characters of a value in a message


def missing_code(missing: str) -> int:
    """Return the kernel's code of a policy for missing outcomes."""
    try:
        return _POLICIES[missing]
    except (KeyError, TypeError, ValueError):
        raise ParameterError(f"must be 'raise', 'omit' or 'fail'; got {missing!r}", argument="missing") from None


def is_missing(value: Any) -> bool:
    """Return whether a value that is not text marks a trial without an outcome."""
    if type(value) in (int, bool):
        return False
    if type(value) is float:
        return value != value  # noqa: PLR0124 - the only test every Real passes
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, Real) and value != value  # noqa: PLR0124 - as above


def reward(value: Any, levels: RewardOf = _NO_LEVELS) -> float | None:
    """Return the reward that an outcome stands for, or None if it is missing; ``levels`` come first.

    >>> [reward(value, {"good": 0.75}) for value in ("C", "P", "passed", "0.25", True, "good", "NaN", None)]
    [1.0, 0.5, 1.0, 0.25, 1.0, 0.75, None, None]
    >>> [reward(value, {"ERROR": None}) for value in ("25%", "✗", "Y", "ERROR")]
    [0.25, 0.0, 1.0, None]
    """
    if isinstance(value, str):
        return _text_reward(value.strip(), levels)
    if is_missing(value):
        return None
    if levels and isinstance(value, Hashable):
        for key in (value, str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)):
            if key in levels:
                return _finite(levels[key])
    if not isinstance(value, (Real, np.bool_, Decimal)):
        raise OutcomeError(f"an outcome must be a number, a truth value or a word; got {short(value)}")
    return _number(value, levels)


def _text_reward(text: str, levels: RewardOf) -> float | None:
    if text in levels:
        return _finite(levels[text])
    if text in _LETTERS:
        return _LETTERS[text]
    try:
        lower = text.lower().removesuffix(_AS_EMOJI)
    except SystemError:  # raised by Python for code points that do not exist, which numpy's text arrays can hold
        raise OutcomeError("an outcome is text with an invalid code point") from None
    if lower in _MISSING_TEXTS:
        return None
    if lower in _WORDS:
        return _WORDS[lower]
    if is_number(text):
        return _number(float(text), levels)
    if is_percentage(text):
        return _finite(float(text.removesuffix("%")) / 100.0)
    if _DECIMAL_COMMA.fullmatch(text):
        hint = "write decimals with a point, or separate the columns by semicolons"
        raise OutcomeError(f"{short(text)} is not an outcome: it has a comma", hint=hint)
    raise OutcomeError(
        f"{short(text)} is not an outcome",
        remedies=[Remedy("levels", {text: "..."}, "gives a word a reward, and None marks missing trials")]
        if len(text) <= _SHOWN
        else [],
        hint="outcomes are numbers, C/P/I/N, or words such as pass/fail, true/false and yes/no",
    )


def _number(value: Any, levels: RewardOf) -> float | None:
    """Return a number that is its own reward, unless the user gives it another one, as -1 for -1.0."""
    number = _finite(value)
    key = f"{number:g}" if levels and number is not None else ""
    return _finite(levels[key]) if key in levels else number


def _finite(value: Any) -> float | None:
    """Return a number or the reward that the user gives to a value; None for missing trials."""
    try:
        number = math.nan if value is None else float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise OutcomeError("an outcome is infinite")
    return None if math.isnan(number) else number + 0.0


def short(value: Any) -> str:
    """Return a value as messages show it, cut off where it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}.."


def is_number(text: str) -> bool:
    """Return whether a text is written as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def is_percentage(text: str) -> bool:
    """Return whether a text is written as a percentage."""
    return text.endswith("%") and is_number(text.removesuffix("%"))


class ColumnReader:
    """The rewards of one column, which holds words throughout or numbers throughout.

    ``share`` is the column if its name alone says that its numbers are from 0 to 1. Where semicolons separate the
    columns of a file, numbers may have decimal commas.
    """

    def __init__(self, levels: RewardOf = _NO_LEVELS, share: str = "", *, has_commas: bool = False) -> None:
        self._levels, self._share, self._has_commas = levels, share, has_commas
        self._rewards: dict[tuple[type, Any], float | None] = {}
        self._first: dict[int, Any] = {}

    def __call__(self, value: Any) -> float | None:
        """Return the reward of one value, None if it is missing."""
        key = type(value), value
        try:
            return self._rewards[key]
        except KeyError:
            return self._rewards.setdefault(key, self._checked(value))
        except TypeError:  # which cannot be hashed
            return self._checked(value)

    def column(self, values: Sequence[Any]) -> Vector | None:
        """Return the rewards of a column of floats, NaN where they are missing; None if each needs to be looked at."""
        if self._levels or not _FLOATS.issuperset(map(type, values)):
            return None
        rewards = np.array(values, np.float64) + 0.0  # None becomes NaN
        low, high = (0.0, 1.0) if self._share else (-sys.float_info.max, sys.float_info.max)
        return None if ((rewards < low) | (rewards > high)).any() else rewards

    def _checked(self, value: Any) -> float | None:
        if self._has_commas and value is not None and _DECIMAL_COMMA.fullmatch(value.strip()):
            value = value.replace(",", ".")
        number = reward(value, self._levels)
        text = value.strip() if isinstance(value, str) else value
        if number is not None and not (self._levels and text in self._levels):
            self._first.setdefault(_kind(text, number), value)
            if self._share and not 0 <= number <= 1:
                problem = f"{self._share!r} is {value}, which is not from 0 to 1"
                raise OutcomeError(problem, remedies=_NO_SHARE)
        if self._first and max(self._first) - min(self._first) > 1:
            word, other = (self._first[kind] for kind in (min(self._first), max(self._first)))
            if _PERCENT in self._first:
                raise OutcomeError(f"outcomes are percentages and others at once, {other!r} and {word!r}")
            hint = "give the words a reward with levels={...}"
            raise OutcomeError(f"outcomes are words and numbers at once, {word!r} and {other!r}", hint=hint)
        return number


def _kind(value: Any, number: float) -> int:
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, str) and value.lower() in _TRUTHS):
        return _TRUTH
    if isinstance(value, str) and not is_number(value):
        return _PERCENT if is_percentage(value) else _WORD
    return _BINARY if number in PASS_FAIL else _NUMBER


def is_continuous(rewards: Vector, trials: int, max_levels: int | None = None) -> bool:
    """Return whether the rewards of so many trials have too many distinct values for each to be a category.

    >>> is_continuous(np.linspace(0.0, 1.0, 51), 1000), is_continuous(np.array([0.0, 0.5, 1.0]), 3)
    (True, False)
    """
    limit = MOST_LEVELS if max_levels is None else count("max_levels", max_levels)
    if np.unique(rewards[:_FIRST]).size > limit:
        return True
    levels = np.unique(rewards).size
    return levels > limit or (max_levels is None and levels > max(_FEW_LEVELS, trials / 2))


def failure_reward(rewards: Vector) -> float:
    """Return the reward of a trial that counts as a failure: 0, or the lowest reward where some are negative."""
    return float(rewards.min(initial=0.0))


def scale_of(rewards: Vector, rows: int, name: str) -> Levels:
    """Return the levels of finite rewards of a number of questions."""
    levels = np.unique(rewards)
    if not levels.size:
        raise OutcomeError(f"{name} has no outcome: every one is missing")
    most = category_limit(rows)
    if levels.size > most:
        raise OutcomeError(f"{name} has {levels.size} distinct rewards; round them to at most {most} levels")
    check_size((float(levels[0]), float(levels[-1])), name)
    if levels.size > 1:
        return tuple(levels.tolist())
    lone = float(levels[0])
    return (lone, 0.0) if lone < 0 else (0.0, lone or 1.0)


def check_levels(levels: Iterable[float], categories: int) -> Levels:
    """Return the reward of each category, checked to be finite and ascending."""
    try:
        rewards = tuple(float(level) for level in levels)
    except (TypeError, ValueError, OverflowError):
        rewards = ()
    if not (len(rewards) == categories and np.isfinite(rewards).all() and (np.diff(rewards) > 0).all()):
        raise OutcomeError(f"levels must be {categories} ascending rewards; got {levels!r}")
    check_size(rewards, "levels")
    return rewards


def check_size(levels: Levels, name: str) -> None:
    """Check that no reward is so large that its square overflows."""
    extreme = max(levels, key=abs)
    if abs(extreme) > LARGEST_REWARD:
        raise OutcomeError(f"{name} has a reward of {extreme}; the largest there may be is {LARGEST_REWARD:g}")


def added_trials(mine: Counts, more: Counts, labels: tuple[Hashable, ...] | None) -> Counts:
    """Return the trials of each question added up, checked to stay exact in a double.

    >>> added_trials(np.array([2**53]), np.array([1]), ("q1",))
    Traceback (most recent call last):
    scorio.errors.OutcomeError: question 'q1' would have 9007199254740993 trials: a question has at most 2**53
    """
    total = mine + more
    if int(total.max(initial=0)) > MOST_TRIALS:
        a = int(total.argmax())
        label = labels[a] if labels else a
        raise OutcomeError(f"question {label!r} would have {total[a]} trials: a question has at most 2**53")
    return total


def check_total(trials: int | Counts, questions: int) -> None:
    """Raise an OutcomeError if the trials of all questions together are more than can be counted."""
    total = float(trials.sum(dtype=np.float64)) if isinstance(trials, np.ndarray) else trials * questions
    if total > _MOST_IN_ALL:
        raise OutcomeError(f"a model has {total:.6g} trials in all, and scorio counts up to 2**62: leave questions out")
