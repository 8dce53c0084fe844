"""Claims about models: which of them the outcomes show, or show to be wrong, at one error rate over all."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from .._base.arrays import underflow_is_zero
from .._base.exports import Record, strict
from .._base.numbers import chance, percent, times_as_many
from .._base.table import Field
from .._base.words import pluralize, tally, unknown
from ..errors import OutcomeError, ParameterError, within
from ..estimates import Family, estimate, parse_statement
from ..estimates._tasks import as_models, default_metric
from ..inference._level import Level
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..params import count
from ._verdicts import CHANCE, MOST_EFFORT, UNDECIDED, VERDICTS, Case, Judged, decided, error_of, worst_of

_KINDS = ("best", "top", "holds")
_IN_A_FILE, _VERSION = {"claim", "confidence", "metric", "version"}, 1


@dataclass(frozen=True)
class Claim:
    """One claim, by one metric or on one task if it names them; ``says`` is its text.

    The ``subject`` is the model that is ``"best"`` or among the ``"top"`` ``k``, or the statement that ``"holds"``.

    >>> print(Claim.of({"top": "A", "k": 3, "task": "chess"}))
    A is among the top 3 on chess
    >>> print(Claim.of({"holds": "A > 0.95 * B"}))
    A > 0.95 * B
    """

    kind: str
    subject: str
    k: int = 1
    metric: str | None = None
    task: str | None = None
    says: str = ""

    @classmethod
    def of(cls, values: Any) -> Claim:
        """Return the claim that a mapping means, as it stands in a file."""
        kinds = [kind for kind in _KINDS if kind in values] if isinstance(values, Mapping) else []
        if len(kinds) != 1:
            problem = f"is a mapping with one of {', '.join(_KINDS)}, such as {{'best': 'A'}}; got {values!r}"
            raise ParameterError(problem, argument="claim")
        [kind] = kinds
        texts = {name: text for name, text in values.items() if name != "k" or kind != "top"}
        if excess := sorted(set(texts) - {kind, "metric", "task", "says"}):
            raise ParameterError(f"of the kind {kind!r} has no {', '.join(excess)}", argument="claim")
        if not all(isinstance(text, str) for text in texts.values()):
            problem = f"has texts as {kind}, metric, task and says; got {texts}"
            raise ParameterError(problem, argument="claim", hint="such as holds = 'A > 0.95 * B'")
        return cls(kind, texts.pop(kind), count("k", values.get("k", 1)), **texts)

    def __str__(self) -> str:
        words = {"holds": "{}", "best": "{} is the best model", "top": f"{{}} is among the top {self.k}"}
        task = f" on {self.task}" if self.task is not None else ""
        metric = f" by {self.metric}" if self.metric is not None else ""
        return self.says or words[self.kind].format(self.subject) + task + metric


@dataclass(frozen=True)
class ClaimVerdict(Record):
    """What the outcomes say of a claim: it is ``"passed"`` if they show it, and ``"failed"`` if they show it is wrong.

    ``p_passed`` is the error probability of saying that it holds, ``p_failed`` of saying that it does not, and
    ``p_corrected`` the smaller one, corrected for the number of claims. ``effort`` is how many times as many trials
    would decide an undecided claim with 80% probability, if the true differences are the present ones; None if it is
    decided, or if no realistic number is enough.
    """

    claim: Claim
    metric: str
    p_passed: float
    p_failed: float
    p_corrected: float = 1.0
    verdict: str = UNDECIDED
    effort: float | None = None

    @property
    def needs(self) -> str:
        """What would decide the claim, in words."""
        if self.verdict != UNDECIDED:
            return ""
        if self.effort is None:
            return "too close to tell at any realistic cost"
        return f"about {times_as_many(self.effort)} trials would decide it"

    def to_dict(self) -> dict[str, Any]:
        """Return all values in one flat record."""
        about = {name: value for name, value in vars(self.claim).items() if name not in ("says", "metric")}
        record: dict[str, Any] = strict(vars(self) | {"claim": str(self.claim)} | about)
        return record


@dataclass(frozen=True)
class Claims(Judged):
    """The verdicts about all claims: any wrong one has a probability of at most ``1 - confidence``."""

    rows: tuple[ClaimVerdict, ...]
    confidence: float
    _also: ClassVar = ("verdict", "exit_code")
    _columns: ClassVar = (
        Field("claim", of="claim"),
        Field("metric", of="metric"),
        Field("verdict", of="verdict"),
        Field("p corrected", True, "p_corrected", chance),
        Field("needs", of="needs", form=lambda needs: needs or "-"),
    )

    @property
    def verdict(self) -> str:
        """``"failed"`` if any claim is, else ``"undecided"`` if any is, else ``"passed"``."""
        return worst_of(row.verdict for row in self.rows)

    def __str__(self) -> str:
        counts = tally((row.verdict for row in self.rows), VERDICTS)
        return f"{pluralize(len(self.rows), 'claim')}: {counts}"

    def _cases(self) -> list[Case]:
        told = [(row, "; ".join(filter(None, [row.verdict, row.needs]))) for row in self.rows]
        return [Case("claims", str(row.claim), row.verdict, text) for row, text in told]

    def _notes(self) -> list[str]:
        return [f"all verdicts hold together with {percent(self.confidence)} confidence (Holm)"]


@underflow_is_zero
def check_claims(
    claims: Path | Iterable[Claim | Mapping[str, Any]],
    outcomes: Any,
    *,
    metric: Metric | str | None = None,
    confidence: float | None = None,
    target: str = "questions",
) -> Claims:
    """Say of each claim whether the outcomes show it, show that it is wrong or leave it open, at one error rate.

    A claim is a mapping with one of ``best`` (a model), ``top`` (a model, with ``k``) or ``holds``, arithmetic of
    models and numbers such as ``"new > 0.95 * old"`` or ``"new > old + 0.02"``, and, where it is about one of them
    only, ``task`` and ``metric``; ``says`` is its text. A ``Path`` is that of a file of claims, which may say the
    ``metric`` of claims that name none, and the ``confidence``, by default 0.95. Models are compared as by ``compare``,
    with one-sided tests; a claim about all models combines those of its rivals. Any verdict is wrong with a probability
    of at most ``1 - confidence`` (Holm).

    >>> R = {"A": [[1, 1, 1, 1]] * 9, "B": [[1, 0, 1, 0]] * 9, "C": [[0, 1, 1, 0]] * 9}
    >>> result = check_claims([{"best": "A"}, {"holds": "C > A"}, {"holds": "B > C"}], R)
    >>> [row.verdict for row in result.rows], result.exit_code
    (['passed', 'failed', 'undecided'], 1)
    """
    asked: Mapping[str, Any] = _read(claims) if isinstance(claims, Path) else {"claim": claims}
    metric = asked.get("metric") if metric is None else metric
    sure: float = asked.get("confidence", 0.95) if confidence is None else confidence
    named: list[Claim] = []
    for claim in asked["claim"]:
        with within(f"claim {len(named) + 1}"):
            named.append(claim if isinstance(claim, Claim) else Claim.of(claim))
    if not named:
        raise ParameterError("hold no claim", argument="claims")
    models, error = as_models(outcomes), error_of(sure)
    level = Level(1.0 - 2.0 * error / len(named))

    @cache
    def board_of(by: Metric | str | None, task: str | None) -> tuple[str, Family]:
        """Return the metric, and the estimates of all models by it, on a task or on all of them."""
        part = models if task is None else models.by_task.get(task)
        if part is None:
            problem = unknown("task", task, models.tasks) if models.tasks else "names a task, and there is only one"
            raise OutcomeError(problem)
        matrices = [outcomes for of_task in part.by_task.values() for outcomes in of_task.values()]
        chosen = default_metric(matrices) if by is None else as_metric(by)
        return str(chosen), estimate(chosen, part, target=target, confidence=level.confidence)

    rows = []
    for i, claim in enumerate(named):
        with within(f"claim {i + 1}"):
            rows.append(_tested(claim, *board_of(claim.metric or metric, claim.task), level))
    verdicts = decided([row.p_passed for row in rows], [row.p_failed for row in rows], error)
    judged = [
        replace(row, p_corrected=p, verdict=verdict, effort=row.effort if verdict == UNDECIDED else None)
        for row, p, verdict in zip(rows, *verdicts, strict=True)
    ]
    return Claims(tuple(judged), sure)


def _tested(claim: Claim, metric: str, board: Family, level: Level) -> ClaimVerdict:
    """Return the errors of both verdicts, and the effort, of a claim that is not decided yet."""
    if claim.kind == "holds":
        laws = [parse_statement(claim.subject, board).law(level)]
    elif claim.subject not in board:
        raise OutcomeError(unknown("model", claim.subject, list(board)))
    else:
        laws = [(board[claim.subject] - board[name]).law(level) for name in board if name != claim.subject]
    k, rivals = claim.k, len(laws)
    if k > rivals:
        raise OutcomeError(f"is about the top {k} of {rivals + 1} models")
    worse, better = sorted(law.p_at_most(0.0) for law in laws), sorted(law.p_at_least(0.0) for law in laws)
    effort = sorted(law.effort(0.0, CHANCE) for law in laws)[rivals - k]
    p_passed = min(1.0, k * worse[rivals - k])  # all rivals but k - 1 are behind
    p_failed = min(1.0, (rivals - k + 1) * better[k - 1])  # k rivals are ahead
    return ClaimVerdict(claim, metric, p_passed, p_failed, effort=effort if 1.0 < effort <= MOST_EFFORT else None)


def _read(path: Path) -> Mapping[str, Any]:
    """Read a file of claims, TOML or JSON by its ending."""
    text = path.read_text(encoding="utf-8-sig")
    try:
        content = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except ValueError as error:
        raise OutcomeError(f"{path} cannot be read: {error}") from None
    if not isinstance(content, Mapping) or not isinstance(content.get("claim"), list):
        raise OutcomeError(f"{path} has no list of claims", hint="write each below a line [[claim]], as in best = 'A'")
    if excess := sorted(set(content) - _IN_A_FILE):
        problem = f"{path} has unknown entries {', '.join(excess)}; there are {', '.join(sorted(_IN_A_FILE))}"
        raise ParameterError(problem)
    if content.get("version", _VERSION) != _VERSION:
        raise ParameterError(f"{path} has the version {content['version']!r}; this scorio reads version {_VERSION}")
    return content
