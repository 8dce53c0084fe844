"""Scores of several models by an imperfect judge, corrected by the labels of one file, and how often they agree."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any, ClassVar

from .._display.exports import Exports
from .._display.numbers import DIGITS, number, percent, span
from .._display.table import Field, Table
from .._display.words import SUBJECT, shorten, unknown
from ..errors import OutcomeError, ParameterError
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ._agreement import Agreement, measure_agreement
from ._corrected import RectifiedInterval, SampledInterval, estimate_with_judge
from ._labels import Labels
from ._leaderboard import RectifiedLeaderboard, rank_with_judge
from ._score_rows import CORRECTED, ScoreRow, score_rows

_Trials = Mapping[str, Mapping[str, Mapping[str, float]]]  # the judge's outcome by model, question and trial
_MOST_LABELS = 10  # more distinct labels are a scale, for which a kappa says little
_Judge = Mapping[str, Sequence[float] | None]


@dataclass(frozen=True)
class JudgedModels(Exports):
    """Corrected scores by metric and model, or leaderboards of them, and the agreement of judge and people by model."""

    labels: Labels
    answers: Mapping[tuple[str, str], RectifiedInterval]
    boards: tuple[RectifiedLeaderboard, ...]
    agreements: Mapping[str, Agreement]
    _rows_alone: ClassVar = True
    _columns: ClassVar = (Field("metric", of="metric"), Field("model", of="model"), *CORRECTED)

    @property
    def rows(self) -> list[ScoreRow]:
        """One row for each corrected score."""
        return score_rows(self.answers)

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the corrected scores, and the agreement if it is known trial by trial."""
        scored = [table for board in self.boards for table in board.tables(digits)] or super().tables(digits)
        return [*scored, *_agreement_table(self.agreements, digits)]

    @property
    def _title(self) -> str:
        return f"{self.labels}, out of {self._first.n_questions} questions"

    def _notes(self) -> list[str]:
        subject = SUBJECT[self._first.target]
        return [f"{percent(self._first.confidence)} intervals for {subject}; labels alone: without the judge"]

    @property
    def _first(self) -> RectifiedInterval:
        return next(iter(self.answers.values()))

    def _records(self) -> Sequence[Mapping[str, Any]]:
        if self.boards:
            return [{"metric": str(board.metric), **row} for board in self.boards for row in board._records()]
        return super()._records()


def judge_models(
    metrics: Sequence[Any],
    judged: OutcomeSet,
    labels: Labels,
    trials: _Trials | None = None,
    *,
    between: tuple[str, str] | None = None,
    rank: bool = False,
    target: str = "questions",
    confidence: float = 0.95,
) -> JudgedModels:
    """Correct the scores of every labelled model, or the difference of two, by the labels that ``read_labels`` returns.

    With ``rank``, the labelled models are ranked. ``trials`` has the judge's outcome by model, question and trial, as
    ``Reading.named_trials`` returns it: it says which trials were labelled, and how often the judge agrees.
    """
    if rank and between is not None:
        raise ParameterError("compares all labelled models, and between only two: give one of them", argument="rank")
    names = _model_names(labels, judged)
    known = {model: _outcomes_of(trials or {}, labels, model, name) for model, name in names.items()}
    chosen = [as_metric(metric) for metric in metrics]
    about: dict[str, Any] = {"target": target, "confidence": confidence, "probabilities": labels.probabilities}
    boards, answers = [], {}
    if rank:
        human = {model: labels.human[name] for model, name in names.items()}
        boards = [
            rank_with_judge(metric, {model: judged[model] for model in names}, human, **about) for metric in chosen
        ]
    else:
        answers = {
            (str(metric), model): result
            for metric in chosen
            for model, result in _corrected(metric, judged, labels, names, known, between, about).items()
        }
    return JudgedModels(labels, answers, tuple(boards), _agreements(labels, names, known, confidence))


def _model_names(labels: Labels, models: OutcomeSet) -> dict[str, str]:
    """Return the labelled models, each with its name in the file, which is empty without a column of models."""
    if "" in labels.human:
        if len(models) > 1:
            raise OutcomeError(
                f"the labels have no column model, and the logs hold several: {shorten(models)}",
                hint="add the column, or choose one model",
            )
        return {next(iter(models)): ""}
    for name in labels.human:
        if name not in models:
            raise OutcomeError(unknown("model", name, models))
    return {model: model for model in models if model in labels.human}


def _corrected(
    metric: Metric,
    models: OutcomeSet,
    labels: Labels,
    names: Mapping[str, str],
    known: _Judge,
    between: tuple[str, str] | None,
    about: Mapping[str, Any],
) -> dict[str, RectifiedInterval]:
    """Return the interval of each labelled model, or of the difference of two."""
    if between is not None:
        for name in between:
            if name not in names:
                raise ParameterError(unknown("labelled model", name, names))
        one, other = ((models[name], labels.human[names[name]]) for name in between)
        return {" - ".join(between): estimate_with_judge(metric, *one, minus=other, **about)}
    return {
        model: estimate_with_judge(
            metric,
            models[model],
            labels.human[name],
            judged_labelled=_single_trials(labels, known[model], models[model], name),
            **about,
        )
        for model, name in names.items()
    }


def _trials(labels: Labels, name: str) -> tuple[list[float], list[Any]]:
    """Return the labels of a model, and the question of each."""
    rows = [row for row in labels.rows if row["model"] == name]
    return [row["label"] for row in rows], [row["question"] for row in rows]


def _agreements(labels: Labels, names: Mapping[str, str], known: _Judge, confidence: float) -> dict[str, Agreement]:
    """Return the agreements of the models whose labelled trials are those of the logs."""
    found: dict[str, Agreement] = {}
    for model, name in names.items():
        judge, (human, questions) = known[model], _trials(labels, name)
        if judge is not None and len({*judge, *human}) <= _MOST_LABELS:
            found[model] = measure_agreement(judge, human, questions=questions, confidence=confidence)
    return found


def _agreement_table(found: Mapping[str, Agreement], digits: int) -> list[Table]:
    """Return the table of agreements, if there are any."""

    def estimate(head: str, of: Callable[[Agreement], SampledInterval | None]) -> Field:
        return Field(head, True, form=lambda row: _estimate(of(row[1]), digits))

    if not found:
        return []
    classes = dict.fromkeys(label for each in found.values() for label in each.rates)
    columns = [
        Field("model", form=itemgetter(0)),
        estimate("agreement", attrgetter("share")),
        estimate("kappa", attrgetter("kappa")),
        *(estimate(f"same if {each:g}", partial(_rate, of=each)) for each in classes),
    ]
    note = "same if 1: how often the judge says 1 where people do (sensitivity); same if 0: specificity"
    return [Table.of("agreement of judge and people, trial by trial", columns, found.items(), [note])]


def _rate(agreement: Agreement, of: Any) -> SampledInterval | None:
    return agreement.rates.get(of)


def _estimate(interval: SampledInterval | None, digits: int) -> str:
    return "-" if interval is None else f"{number(interval.mu, digits)} {span(interval.lo, interval.hi, digits)}"


def _outcomes_of(trials: _Trials, labels: Labels, model: str, label_model: str) -> list[float] | None:
    """Return the judge's outcome of each labelled trial of a model, or None if some are unknown."""
    own = trials.get(model, {})
    rows = [row for row in labels.rows if row["model"] == label_model]
    known = [own.get(str(row["question"]), {}).get(str(row.get("trial"))) for row in rows]
    return None if None in known else [float(each) for each in known if each is not None]


def _single_trials(labels: Labels, outcomes: Sequence[float] | None, judged: OutcomeMatrix, model: str) -> Any:
    """Return the judge's outcomes of just the labelled trials, if only some trials of a question are labelled."""
    human = labels.human[model]
    planned = dict(zip(map(str, judged.questions or ()), judged.trials.tolist(), strict=False))
    asked = zip(human.questions or (), human.trials.tolist(), strict=False)
    some = [str(name) for name, n in asked if n < planned.get(str(name), n)]
    if not some:
        return None
    if outcomes is None:
        problem = (
            f"only some trials are labelled of {shorten(some)}, and the labels do not say which of the logs' trials"
        )
        hint = "name the trials in a column trial, as the logs do, or label all trials of a question"
        raise OutcomeError(problem, hint=hint)
    by_question: dict[Hashable, list[float]] = {}
    rows = [row for row in labels.rows if row["model"] == model]
    for row, outcome in zip(rows, outcomes, strict=True):
        by_question.setdefault(row["question"], []).append(outcome)
    return OutcomeMatrix.from_rewards(by_question)
