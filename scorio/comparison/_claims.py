"""Claims about models: which of them the outcomes support or contradict, at one error rate over all."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from .._arrays import underflow_is_zero
from .._display.exports import strict
from .._display.numbers import chance, percent, times_as_many
from .._display.table import Field
from .._display.words import pluralize, tally, unknown
from ..errors import OutcomeError, ParameterError, within
from ..estimates import Family, default_metric, estimate, holm, parse_statement
from ..inference import Level
from ..metrics import Metric, as_metric
from ..outcomes import ModelsOnTasks, OutcomeSet
from ..params import count
from ._verdicts import CHANCE, CONTRADICTED, FAILED, MOST_EFFORT, OPEN, SUPPORTED, UNDECIDED, Case, Judged, error_of

_KINDS = ("best", "top", "holds")
_TEXTS = {"metric", "task", "says"}
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
        if not isinstance(values, Mapping):
            raise ParameterError(f"is a mapping such as {{'best': 'A'}}; got {values!r}", argument="claim")
        kinds = [kind for kind in _KINDS if kind in values]
        if len(kinds) != 1:
            raise ParameterError(f"has one of {', '.join(_KINDS)}; got {sorted(values)}", argument="claim")
        [kind] = kinds
        excess = sorted(set(values) - {kind} - _TEXTS - ({"k"} if kind == "top" else set()))
        if excess:
            raise ParameterError(f"of the kind {kind!r} has no {', '.join(excess)}", argument="claim")
        texts = {name: values[name] for name in (kind, *sorted(_TEXTS)) if name in values}
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
class ClaimVerdict:
    """What the outcomes say of a claim.

    ``p_supported`` is the error probability of saying that it holds, ``p_contradicted`` of saying that it does not, and
    ``p_corrected`` the smaller one, corrected for the number of claims. ``effort`` is how many times as many trials
    would decide an open claim with 80% probability, if the true differences are the present ones; None if it is
    decided, or if no realistic number is enough.
    """

    claim: Claim
    metric: str
    p_supported: float
    p_contradicted: float
    p_corrected: float
    verdict: str
    effort: float | None = None

    @property
    def needs(self) -> str:
        """What would decide the claim, in words."""
        if self.verdict != OPEN:
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
        """``"contradicted"`` if any claim is, else ``"open"`` if any is, else ``"supported"``."""
        verdicts = {row.verdict for row in self.rows}
        return next((verdict for verdict in (CONTRADICTED, OPEN) if verdict in verdicts), SUPPORTED)

    def __str__(self) -> str:
        counts = tally((row.verdict for row in self.rows), (SUPPORTED, CONTRADICTED, OPEN))
        return f"{pluralize(len(self.rows), 'claim')}: {counts}"

    def _cases(self) -> list[Case]:
        kinds = {CONTRADICTED: FAILED, OPEN: UNDECIDED, SUPPORTED: SUPPORTED}
        return [
            Case("claims", str(row.claim), kinds[row.verdict], "; ".join(filter(None, [row.verdict, row.needs])))
            for row in self.rows
        ]

    def _notes(self) -> list[str]:
        return [f"all verdicts hold together with {percent(self.confidence)} confidence (Holm)"]


@underflow_is_zero
def check_claims(
    claims: Iterable[Claim | Mapping[str, Any]],
    outcomes: Any,
    *,
    metric: Metric | str | None = None,
    confidence: float = 0.95,
    target: str = "questions",
) -> Claims:
    """Say of each claim whether the outcomes support it, contradict it or leave it open, at one error rate over all.

    A claim is a mapping with one of ``best`` (a model), ``top`` (a model, with ``k``) or ``holds``, arithmetic of
    models and numbers such as ``"new > 0.95 * old"`` or ``"new > old + 0.02"``, and, where it is about one of them
    only, ``task`` and ``metric``; ``says`` is its text. Models are compared as by ``compare``, with one-sided tests; a
    claim about all models combines those of its rivals. Any verdict is wrong with a probability of at most
    ``1 - confidence`` (Holm).

    >>> R = {"A": [[1, 1, 1, 1]] * 9, "B": [[1, 0, 1, 0]] * 9, "C": [[0, 1, 1, 0]] * 9}
    >>> found = check_claims([{"best": "A"}, {"holds": "C > A"}, {"holds": "B > C"}], R)
    >>> [row.verdict for row in found.rows], found.exit_code
    (['supported', 'contradicted', 'open'], 1)
    """
    named = [claim if isinstance(claim, Claim) else _read(claim, i) for i, claim in enumerate(claims)]
    if not named:
        raise ParameterError("hold no claim", argument="claims")
    models: Any = outcomes if isinstance(outcomes, ModelsOnTasks) else OutcomeSet(outcomes)
    boards = _Boards(models, metric, Level(1.0 - 2.0 * error_of(confidence) / len(named)), target)
    judged = [_judged(claim, boards, i) for i, claim in enumerate(named)]
    corrected = holm([min(verdict[:2]) for verdict in judged])
    return Claims(tuple(_verdict(*case, confidence) for case in zip(named, judged, corrected, strict=True)), confidence)


def read_claims(path: Path) -> Mapping[str, Any]:
    """Read a file of claims, TOML or JSON by its ending: ``claim`` has what ``check_claims`` takes.

    ``confidence`` and ``metric`` are there if the file says them.
    """
    text = path.read_text(encoding="utf-8-sig")
    try:
        content = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except ValueError as error:
        raise OutcomeError(f"{path} cannot be read: {error}") from None
    if not isinstance(content, Mapping) or not isinstance(content.get("claim"), list):
        raise OutcomeError(f"{path} has no list of claims", hint="write each below a line [[claim]], as in best = 'A'")
    excess = sorted(set(content) - _IN_A_FILE)
    if excess:
        raise ParameterError(
            f"{path} has unknown entries {', '.join(excess)}; there are {', '.join(sorted(_IN_A_FILE))}"
        )
    if content.get("version", _VERSION) != _VERSION:
        raise ParameterError(f"{path} has the version {content['version']!r}; this scorio reads version {_VERSION}")
    return content


def _read(values: Any, i: int) -> Claim:
    with within(f"claim {i + 1}"):
        return Claim.of(values)


_Errors = tuple[float, float, float, str]  # errors of support and of contradiction, effort, metric


def _judged(claim: Claim, boards: _Boards, i: int) -> _Errors:
    with within(f"claim {i + 1}"):
        metric, board = boards.of(claim)
        if claim.kind == "holds":
            laws = [parse_statement(claim.subject, board).law(boards.level)]
        elif claim.subject not in board:
            raise OutcomeError(unknown("model", claim.subject, list(board)))
        else:
            laws = [(board[claim.subject] - board[name]).law(boards.level) for name in board if name != claim.subject]
        k, rivals = claim.k, len(laws)
        if k > rivals:
            raise OutcomeError(f"is about the top {k} of {rivals + 1} models")
        worse, better = sorted(law.p_at_most(0.0) for law in laws), sorted(law.p_at_least(0.0) for law in laws)
        efforts = sorted(law.effort(0.0, CHANCE) for law in laws)
        supported = min(1.0, k * worse[rivals - k])  # all rivals but k - 1 are behind
        contradicted = min(1.0, (rivals - k + 1) * better[k - 1])  # k rivals are ahead
        return supported, contradicted, efforts[rivals - k], str(metric)


def _verdict(claim: Claim, judged: _Errors, p: float, confidence: float) -> ClaimVerdict:
    supported, contradicted, effort, metric = judged
    is_decided = p <= 1.0 - confidence
    verdict = OPEN if not is_decided else SUPPORTED if supported <= contradicted else CONTRADICTED
    more = effort if verdict == OPEN and 1.0 < effort <= MOST_EFFORT else None
    return ClaimVerdict(claim, metric, supported, contradicted, p, verdict, more)


class _Boards:
    """The estimates of all models that claims are about, each made once."""

    def __init__(self, models: ModelsOnTasks[Any], metric: Metric | str | None, level: Level, target: str) -> None:
        self.level, self._models, self._target = level, models, target
        self._metric = None if metric is None else as_metric(metric)
        self._made: dict[tuple[Metric, str | None], Family] = {}

    def of(self, claim: Claim) -> tuple[Metric, Family]:
        """Return the metric of a claim, and the estimates of all models by it, on its task."""
        tasks = self._models.by_task
        models = self._models if claim.task is None else tasks.get(claim.task)
        if models is None:
            is_unknown = self._models.tasks
            raise OutcomeError(
                unknown("task", claim.task, tasks) if is_unknown else "names a task, and there is only one"
            )
        metric = self._metric if claim.metric is None else as_metric(claim.metric)
        if metric is None:
            metric = default_metric(outcomes for of_task in models.by_task.values() for outcomes in of_task.values())
        if (metric, claim.task) not in self._made:
            about: dict[str, Any] = {"target": self._target, "confidence": self.level.confidence}
            self._made[metric, claim.task] = estimate(metric, models, **about)
        return metric, self._made[metric, claim.task]
