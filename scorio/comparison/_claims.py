"""Claims about models: which of them the outcomes support or contradict, at one error rate over all."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from .._arrays import underflow_is_zero
from .._display.exports import Exports, strict
from .._display.numbers import chance, percent, times_as_many
from .._display.table import Field
from .._display.words import pluralize, unknown
from ..errors import OutcomeError, ParameterError, within
from ..estimates import DifferenceLaw, Family, default_metric, estimate, holm, parse_statement, shares_of
from ..inference import Level
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeSet, Suite
from ..params import count, nonnegative, open_unit
from ._cost_comparison import Pair, cost_laws, priced
from ._cost_per_success import CostTerms
from ._ratios import Limit
from ._verdicts import CHANCE, FAILED, UNDECIDED, Case, annotation_lines, junit_xml

SUPPORTED, CONTRADICTED, OPEN = "supported", "contradicted", "open"
_EXIT_CODES = {SUPPORTED: 0, CONTRADICTED: 1, OPEN: 3}
_KINDS = ("best", "top", "better", "no_worse", "cheaper", "holds")
_ALSO = {"top": {"k"}, "better": {"by"}, "no_worse": {"by"}, "cheaper": {"by", "cost"}}
_COMMON = {"metric", "task", "says"}
_IN_A_FILE, _VERSION = {"claim", "confidence", "metric", "version"}, 1
_MOST = 1000.0  # times as many trials that are worth naming


@dataclass(frozen=True)
class Claim:
    """One claim: its ``kind``, the model it is about, its rival if it has one, and by which metric, on which task.

    >>> print(Claim.of({"better": ["A", "B"], "by": 0.02, "task": "chess"}))
    A is better than B by more than 0.02 on chess
    >>> print(Claim.of({"cheaper": ["A", "B"], "by": "10%", "cost": "dollars"}))
    A costs less per success than B by more than 10% in dollars
    >>> print(Claim.of({"holds": "A > 0.95 * B"}))
    A > 0.95 * B
    """

    kind: str
    model: str
    rival: str | None = None
    by: float | str = 0.0
    k: int = 1
    cost: str | None = None
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
        excess = sorted(set(values) - {kind} - _COMMON - _ALSO.get(kind, set()))
        if excess:
            raise ParameterError(f"of the kind {kind!r} has no {', '.join(excess)}", argument="claim")
        model, rival = _models(kind, values[kind])
        texts = {name: values[name] for name in sorted(_COMMON | {"cost"}) if name in values}
        if not all(isinstance(text, str) for text in texts.values()):
            raise ParameterError(f"has texts as metric, task, cost and says; got {texts}", argument="claim")
        by = values.get("by", 0.0)
        least = Limit.of(by, "by").written if kind == "cheaper" else float(nonnegative("by", by))
        return cls(kind, model, rival, least, count("k", values.get("k", 1)), **texts)

    def __str__(self) -> str:
        if self.says:
            return self.says
        size = self.by if isinstance(self.by, str) else f"{self.by:g}"
        margin = f" by more than {size}" if self.by else ""
        words = {
            "holds": self.model,
            "best": f"{self.model} is the best model",
            "top": f"{self.model} is among the top {self.k}",
            "better": f"{self.model} is better than {self.rival}{margin}",
            "no_worse": f"{self.model} is not worse than {self.rival}{margin}",
            "cheaper": f"{self.model} costs less per success than {self.rival}{margin}",
        }[self.kind]
        where = (
            [f" in {self.cost}"] * (self.cost is not None)
            + [f" on {self.task}"] * (self.task is not None)
            + [f" by {self.metric}"] * (self.metric is not None)
        )
        return words + "".join(where)


def _models(kind: str, named: Any) -> tuple[str, str | None]:
    if kind in ("best", "top", "holds"):
        if not isinstance(named, str):
            what = "is a text such as 'A > 0.95 * B'" if kind == "holds" else "names one model"
            raise ParameterError(f"{kind!r} {what}; got {named!r}", argument="claim")
        return named, None
    is_pair = isinstance(named, Sequence) and not isinstance(named, str) and len(named) == 2
    if not (is_pair and all(isinstance(name, str) for name in named) and named[0] != named[1]):
        raise ParameterError(f'{kind!r} names two models, as in ["A", "B"]; got {named!r}', argument="claim")
    return named[0], named[1]


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
    problem: str = ""

    @property
    def needs(self) -> str:
        """What would decide the claim, in words."""
        if self.verdict != OPEN:
            return ""
        if self.problem:
            return self.problem
        if self.effort is None:
            return "too close to tell at any realistic cost"
        return f"about {times_as_many(self.effort)} trials would decide it"

    def to_dict(self) -> dict[str, Any]:
        """Return all values in one flat record."""
        own = {name: value for name, value in vars(self).items() if name not in ("claim", "metric", "problem")}
        about = {name: value for name, value in vars(self.claim).items() if name not in ("says", "metric")}
        record: dict[str, Any] = strict({"claim": str(self.claim), **about, "metric": self.metric, **own})
        return record


@dataclass(frozen=True)
class Claims(Exports):
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
        found = {row.verdict for row in self.rows}
        return next((each for each in (CONTRADICTED, OPEN) if each in found), SUPPORTED)

    @property
    def exit_code(self) -> int:
        """0 if all claims are supported, 1 if any is contradicted, else 3."""
        return _EXIT_CODES[self.verdict]

    def __str__(self) -> str:
        counts = {kind: sum(row.verdict == kind for row in self.rows) for kind in _EXIT_CODES}
        found = ", ".join(f"{number} {kind}" for kind, number in counts.items() if number)
        return f"{pluralize(len(self.rows), 'claim')}: {found}"

    def junit(self, notes: Sequence[str] = ()) -> str:
        """Return the claims as JUnit XML: failures if contradicted, errors if open, and notes, such as warnings."""
        return junit_xml("scorio gate", self._cases(), notes)

    def annotations(self) -> str:
        """Return the claims that are contradicted or open as annotations of a job of GitHub Actions."""
        return annotation_lines("scorio gate", self._cases(), str(self))

    def _cases(self) -> list[Case]:
        kinds = {CONTRADICTED: FAILED, OPEN: UNDECIDED, SUPPORTED: SUPPORTED}
        return [
            Case("claims", str(row.claim), kinds[row.verdict], "; ".join(filter(None, [row.verdict, row.needs])))
            for row in self.rows
        ]

    def _notes(self) -> list[str]:
        return [f"all verdicts hold together with {percent(self.confidence)} confidence (Holm)"]

    def markdown(self) -> str:
        """Return a summary in Markdown."""
        return self.to_markdown()


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

    A claim is a mapping with one of ``best`` (a model), ``top`` (a model, with ``k``), ``better`` or ``no_worse`` (two
    models, with ``by``), or ``cheaper`` (two models, of which the first costs less per success, with ``by``, an amount
    or a share such as ``"10%"``, and ``cost``, as in ``cost_table``), or ``holds``, arithmetic of models and numbers
    such as ``"new - 0.95 * old > 0"``, and, where it is about one of them only, ``task``
    and ``metric``; ``says`` is its text. Models are compared as by ``compare``, with one-sided tests; a claim about all
    models combines those of its rivals. Any verdict is wrong with a probability of at most ``1 - confidence`` (Holm).

    >>> R = {"A": [[1, 1, 1, 1]] * 9, "B": [[1, 0, 1, 0]] * 9, "C": [[0, 1, 1, 0]] * 9}
    >>> found = check_claims([{"best": "A"}, {"better": ["C", "A"]}, {"better": ["B", "C"]}], R)
    >>> [row.verdict for row in found.rows], found.exit_code
    (['supported', 'contradicted', 'open'], 1)
    """
    named = [each if isinstance(each, Claim) else _read(each, i) for i, each in enumerate(claims)]
    if not named:
        raise ParameterError("hold no claim", argument="claims")
    if 1.0 - open_unit("confidence", confidence) >= 0.5:
        raise ParameterError(f"must be above 0.5; got {confidence!r}", argument="confidence")
    models = outcomes if isinstance(outcomes, (OutcomeSet, Suite)) else OutcomeSet(outcomes)
    laws = _Laws(models, metric, (1.0 - confidence) / len(named), target)
    judged = [_judged(each, laws, i) for i, each in enumerate(named)]
    corrected = holm([min(each[:2]) for each in judged])
    return Claims(tuple(_verdict(*each, confidence) for each in zip(named, judged, corrected, strict=True)), confidence)


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


Judged = tuple[float, float, float, str, str]  # errors of support and of contradiction, effort, metric, problem


def _judged(claim: Claim, laws: _Laws, i: int) -> Judged:
    with within(f"claim {i + 1}"):
        metric, models = laws.subject(claim)
        if claim.kind == "cheaper":
            law, limit, problem = laws.of_costs(claim)
            errors = law.p_at_least(limit), law.p_at_most(limit)
            return *errors, law.effort(limit, CHANCE), "cost per success", problem
        if claim.kind == "holds":
            law = laws.of_statement(claim, metric)
            return law.p_at_most(0.0), law.p_at_least(0.0), law.effort(0.0, CHANCE), str(metric), ""
        if claim.rival is not None:
            law, limit = laws.law(claim, metric, claim.rival), float(claim.by)
            limit = limit if claim.kind == "better" else -limit
            return law.p_at_most(limit), law.p_at_least(limit), law.effort(limit, CHANCE), str(metric), ""
        rivals = [laws.law(claim, metric, name) for name in models if name != claim.model]
        k = claim.k if claim.kind == "top" else 1
        if k > len(rivals):
            raise OutcomeError(f"is about the top {k} of {len(rivals) + 1} models")
        worse, better = sorted(law.p_at_most(0.0) for law in rivals), sorted(law.p_at_least(0.0) for law in rivals)
        efforts = sorted(law.effort(0.0, CHANCE) for law in rivals)
        supported = min(1.0, k * worse[len(rivals) - k])  # all rivals but k - 1 are behind
        contradicted = min(1.0, (len(rivals) - k + 1) * better[k - 1])  # k rivals are ahead
        return supported, contradicted, efforts[len(rivals) - k], str(metric), ""


def _verdict(claim: Claim, judged: Judged, p: float, confidence: float) -> ClaimVerdict:
    supported, contradicted, effort, metric, problem = judged
    is_decided = p <= 1.0 - confidence
    verdict = OPEN if not is_decided else SUPPORTED if supported <= contradicted else CONTRADICTED
    more = effort if verdict == OPEN and 1.0 < effort <= _MOST else None
    return ClaimVerdict(claim, metric, supported, contradicted, p, verdict, more, problem)


class _Laws:
    """The laws of what claims are about."""

    def __init__(self, models: OutcomeSet | Suite, metric: Metric | str | None, error: float, target: str) -> None:
        self._models, self._error, self._target = models, error, target
        self._metric = None if metric is None else as_metric(metric)
        self._boards: dict[tuple[Any, ...], Family] = {}

    def subject(self, claim: Claim) -> tuple[Metric, Sequence[str]]:
        """Return the metric of a claim and the models it may be about."""
        outcomes = self._outcomes(claim)
        models = list(outcomes.models)
        named = () if claim.kind == "holds" else (claim.model, claim.rival)
        for name in filter(None, named):
            if name not in models:
                raise OutcomeError(unknown("model", name, models))
        if claim.metric is not None:
            return as_metric(claim.metric), models
        sets = list(outcomes.values()) if isinstance(outcomes, Suite) else [outcomes]
        usual: Callable[[], Metric] = lambda: default_metric(each for one in sets for each in one.values())
        return self._metric or usual(), models

    def _outcomes(self, claim: Claim) -> OutcomeSet | Suite:
        if claim.task is None:
            return self._models
        tasks = list(self._models) if isinstance(self._models, Suite) else []
        if not isinstance(self._models, Suite) or claim.task not in tasks:
            raise OutcomeError(unknown("task", claim.task, tasks) if tasks else "names a task, and there is only one")
        return self._models[claim.task]

    def _board(self, claim: Claim, metric: Metric) -> Family:
        """Return the estimates of all models on the task of a claim, each made once."""
        key = (metric, claim.task)
        if key not in self._boards:
            about: dict[str, Any] = {"target": self._target, "confidence": 1.0 - 2.0 * self._error}
            self._boards[key] = estimate(metric, self._outcomes(claim), **about)
        return self._boards[key]

    def law(self, claim: Claim, metric: Metric, rival: str) -> DifferenceLaw:
        """Return the law of the model's value minus that of a rival."""
        board = self._board(claim, metric)
        return (board[claim.model] - board[rival]).law(Level(1.0 - 2.0 * self._error))

    def of_statement(self, claim: Claim, metric: Metric) -> DifferenceLaw:
        """Return the law of what is above 0 if a statement holds."""
        return parse_statement(claim.model, self._board(claim, metric)).law(Level(1.0 - 2.0 * self._error))

    def of_costs(self, claim: Claim) -> tuple[DifferenceLaw, float, str]:
        """Return the law of the model's cost per success against a rival's, the limit, and why it means nothing."""
        outcomes = self._outcomes(claim)
        names = (claim.model, str(claim.rival))
        pair = Pair.of(outcomes, outcomes, names)
        _, prices = priced(pair, claim.cost)
        shares = shares_of(None, {task: each.n_questions for task, each in pair.tasks.items()})
        laws = cost_laws(pair, prices, CostTerms(1.0 - 2.0 * self._error, target=self._target), shares)
        limit = Limit.of(claim.by, "by")
        problem = limit.undefined(laws.costs[1].value, "cost per success", names[1])
        if limit.is_relative or not limit.amount:
            return *laws.of_ratio(1.0 - limit.amount), problem
        return laws.difference, -limit.amount, problem
