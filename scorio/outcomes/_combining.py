"""Outcomes of several models: what a set of them is made of; aligned, pooled over tasks, and united over parts.

A union of parts is exact. Numbers of trials add up. Models and questions keep their order where all parts have the
same, and are sorted otherwise, so no grouping or order of the parts changes the result. Rewards that were kept are
sorted within each question before their moments are computed, so that these are the same to the last bit as well.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import reduce
from operator import attrgetter
from os import PathLike
from types import NoneType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import Counts, Indices
from .._base.words import shorten, unknown
from ..errors import OutcomeError, ParameterError, within
from ._from_arrays import read_prior, widen
from ._labels import (
    Labels,
    by_question,
    check_labels,
    check_same_clusters,
    check_texts,
    in_order,
    positions,
    warn_of_flat,
)
from ._matrix import OutcomeMatrix
from ._outcome_values import PASS_FAIL, Levels, added_trials
from ._reward_matrix import RewardMatrix
from ._rewards import RewardSummary, pooled as pooled_summary, summarize
from ._table import as_numpy, is_flat
from ._trials import NONE, Labelled, TrialColumns, TrialOptions, together

_KIND = attrgetter("questions", "clusters", "counts.shape", "levels")  # alike where nothing needs to be lined up
Conditions = Mapping[str, Mapping[str, Any]]  # by model, and by the name of a setting
SETTINGS = 'settings by name, as in {"a": {"temperature": 0.5}}'  # what conditions must be
_TENSOR = 3  # dimensions of a set: models, questions, trials


def align(
    models: Mapping[str, OutcomeMatrix], *, questions: Labels | None = None, clusters: Labels | None = None
) -> dict[str, OutcomeMatrix]:
    """Return outcomes of models on the same questions, in one order, with the same labels, clusters and rewards.

    Questions are matched by label where there are labels, and by place otherwise. Labels and clusters that are not
    given are those of the first model that has any. If one model has continuous rewards, all get them; otherwise
    rewards share the union of their levels, and all models have one number of categories.
    An error names the model that does not fit.

    >>> one = OutcomeMatrix([[0, 1], [1, 1]], questions=["a", "b"])
    >>> other = OutcomeMatrix([[0, 0], [1, 0]], questions=["b", "a"])
    >>> align({"one": one, "other": other})["other"].successes
    array([1, 0])
    """
    matrices = list(models.values())
    if questions is None and clusters is None and _are_aligned(matrices):
        return dict(models)
    is_continuous = any(matrix.is_continuous for matrix in matrices)
    if is_continuous:
        matrices = [matrix.as_continuous() for matrix in matrices]
    if questions is None:
        questions = next((matrix.questions for matrix in matrices if matrix.questions is not None), None)
    count = matrices[0].n_questions if questions is None else len(questions)
    ordered = [one.in_order_of(questions, count, name) for one, name in zip(matrices, models, strict=True)]
    if clusters is None:
        clusters = next((matrix.clusters for matrix in ordered if matrix.clusters is not None), None)
    for name, matrix in zip(models, ordered, strict=True):
        check_same_clusters(clusters, matrix.clusters, name)
    lined_up = [matrix.labelled(questions, clusters) for matrix in ordered]
    return dict(zip(models, lined_up if is_continuous else on_one_scale(lined_up), strict=True))


def _are_aligned(matrices: Sequence[OutcomeMatrix]) -> bool:
    """Return whether matrices without labels and clusters have as many questions, and the same categories."""
    first = matrices[0]
    if set(map(type, matrices)) != {type(first)} or first.is_continuous:
        return False
    if first.questions is not None or first.clusters is not None:
        return False
    return len(set(map(_KIND, matrices))) == 1


def on_one_scale(matrices: Sequence[OutcomeMatrix], holders: str = "models") -> list[OutcomeMatrix]:
    """Return matrices with the same categories, and the union of the levels of rewards.

    Pass/fail outcomes are rewards of 0 and 1 beside others.
    """
    scales = [matrix.levels for matrix in matrices]
    levels, width = scales[0], max(matrix.n_categories for matrix in matrices)
    if len(set(scales)) > 1:
        if any(matrix.levels is None and matrix.n_categories != len(PASS_FAIL) for matrix in matrices):
            hint = "give each category its reward, as in OutcomeMatrix.from_counts(counts, levels=[..])"
            raise OutcomeError(f"some {holders} have real rewards, others have categories", hint=hint)
        levels = tuple(sorted({level for scale in scales for level in scale or PASS_FAIL}))
        width = len(levels)
    return [_on_scale(matrix, levels, width) for matrix in matrices]


def _on_scale(matrix: OutcomeMatrix, levels: Levels | None, width: int) -> OutcomeMatrix:
    """Return outcomes with so many categories, those of other levels among them."""
    if matrix.n_categories == width and matrix.levels == levels:
        return matrix
    where: Indices = np.arange(matrix.n_categories)
    if levels is not None:
        where = np.searchsorted(levels, matrix.levels or PASS_FAIL)
    counts: dict[str, Any] = {"counts": matrix.counts, "prior": matrix.prior_counts}
    for part, narrow in counts.items():
        if narrow is not None:
            counts[part] = np.zeros((matrix.n_questions, width), np.int64)
            counts[part][:, where] = narrow
    return matrix.replaced(**counts, levels=levels, trial_columns=matrix.trial_columns)


def pooled(parts: Mapping[str, OutcomeMatrix]) -> OutcomeMatrix:
    """Return one model's questions of all tasks, named ``task/question``.

    >>> pooled({"a": OutcomeMatrix([[0, 1]]), "b": OutcomeMatrix([[1, 1], [0, 0]])}).counts.tolist()
    [[1, 1], [0, 2], [2, 0]]
    """
    if any(matrix.prior_counts is not None for matrix in parts.values()):
        raise OutcomeError("tasks with prior outcomes cannot be pooled: rank the suite itself, task by task")
    has_clusters = any(matrix.clusters is not None for matrix in parts.values())
    renamed: list[dict[str, OutcomeMatrix]] = []
    for task, matrix in parts.items():
        questions = tuple(f"{task}/{label}" for label in labels_of(matrix))
        clusters = tuple(f"{task}/{label}" for label in matrix.clusters or labels_of(matrix))
        # A question of a task without clusters is a cluster of its own.
        renamed.append({"": matrix.replaced(questions=questions, clusters=clusters if has_clusters else None)})
    labels = [label for told in renamed for label in told[""].questions or ()]
    check_labels(labels, len(labels), "questions", unique=True)
    return union(renamed, sort=False)[""]


def labels_of(matrix: OutcomeMatrix) -> Sequence[Hashable]:
    """Return the labels of the questions, or their numbers."""
    return matrix.questions or range(matrix.n_questions)


def united(lists: Sequence[Sequence[Any]], *, sort: bool = True) -> list[Any]:
    """Return the union of some lists: in their order where they are equal, else sorted, or by first places."""
    union = list(dict.fromkeys(item for items in lists for item in items))
    return in_order(union) if sort and any(list(items) != union for items in lists) else union


def union(
    parts: Sequence[Mapping[str, OutcomeMatrix]], *, sort: bool = True, fill_planned: bool = False
) -> dict[str, OutcomeMatrix]:
    """Return the models of all parts with the trials of all parts.

    A question that a model has in no part has no planned trials; with ``fill_planned``, as many as the question for
    which the model has most.
    """
    matrices = [matrix for part in parts for matrix in part.values()]
    questions = _all_questions(matrices, sort=sort)
    clusters = _all_clusters(matrices, questions)
    if any(matrix.is_continuous for matrix in matrices):
        matrices = [matrix.as_continuous() for matrix in matrices]
    else:
        matrices = on_one_scale(matrices, holders="parts")
    of_model: dict[str, list[OutcomeMatrix]] = {}
    for name, matrix in zip((name for part in parts for name in part), matrices, strict=True):
        of_model.setdefault(name, []).append(matrix)
    lists = {id(matrix.questions): matrix.questions or questions for matrix in matrices}
    rows_of = {key: positions(labels, questions) for key, labels in lists.items()}
    labels = questions if matrices[0].questions is not None else None
    made: dict[str, OutcomeMatrix] = {}
    for name in united([list(part) for part in parts], sort=sort):
        rows = [rows_of[id(matrix.questions)] for matrix in of_model[name]]
        planned = _all_planned(of_model[name], rows, questions, fill=fill_planned)
        made[name] = _one_model(name, of_model[name], rows, planned).labelled(labels, clusters)
    return made


def with_failures(matrix: OutcomeMatrix) -> OutcomeMatrix:
    """Return the outcomes with a failure for every planned trial that has no outcome.

    A failure has neither an answer nor scores, and its run is not known.

    >>> with_failures(OutcomeMatrix([[1, None], [1, 1]], missing="omit")).counts.tolist()
    [[1, 1], [0, 2]]
    """
    absent, answers = matrix.planned_trials - matrix.trials, matrix.trial_columns.answers
    count = int(absent.sum())
    if not count:
        return matrix
    levels = scale = matrix.levels
    if isinstance(matrix, RewardMatrix):
        rewards = np.full(count, matrix.ordered.min(initial=0.0))
        content: Any = summarize(rewards, np.repeat(np.arange(len(absent)), absent), len(absent))
    else:
        content, scale = np.stack([absent, 0 * absent], axis=1), levels and (min(0.0, levels[0]), levels[-1])
    no_answers = None if answers is None else Labelled(answers.labels, np.full(count, NONE, np.int32))
    columns = TrialColumns(None, no_answers, {name: np.full(count, np.nan) for name in matrix.scores})
    about = matrix.questions, matrix.clusters, scale, False, columns
    failures = matrix.of_parts(content, 0, None, *about)
    return union([{"": matrix}, {"": failures}], sort=False)[""]


def _all_questions(matrices: Sequence[OutcomeMatrix], *, sort: bool) -> Labels:
    """Return the labels of all questions; parts without labels must have equally many questions."""
    lists = [matrix.questions for matrix in matrices]
    if all(labels is None for labels in lists):
        counts = sorted({matrix.n_questions for matrix in matrices})
        if len(counts) > 1:
            problem = f"questions without labels cannot be matched: the parts have {shorten(counts)} questions"
            raise OutcomeError(problem, hint="label the questions, as in OutcomeSet(.., questions=[..])")
        return tuple(range(counts[0]))
    if any(labels is None for labels in lists):
        raise OutcomeError("some parts label their questions, others do not", hint="label the questions of all parts")
    different = list({id(labels): cast("Labels", labels) for labels in lists}.values())
    return tuple(united(different, sort=sort))


def _all_clusters(matrices: Sequence[OutcomeMatrix], questions: Labels) -> Labels | None:
    """Return the cluster of each question, which is the same in all parts."""
    if all(matrix.clusters is None for matrix in matrices):
        return None
    cluster_of: dict[Hashable, Hashable] = {}
    different = {(id(matrix.questions), id(matrix.clusters)): matrix for matrix in matrices}
    for matrix in different.values():
        for label, cluster in zip(labels_of(matrix), matrix.clusters or (), strict=False):
            if cluster_of.setdefault(label, cluster) != cluster:
                raise OutcomeError(f"question {label!r} is in two clusters, {cluster_of[label]!r} and {cluster!r}")
    lost = [label for label in questions if label not in cluster_of]
    if lost:
        problem = f"question {lost[0]!r} is in no cluster, and other questions are"
        raise OutcomeError(problem, hint="give every question its cluster")
    return tuple(cluster_of[label] for label in questions)


def _merged(one: OutcomeMatrix, other: OutcomeMatrix) -> OutcomeMatrix:
    """Return the trials of two matrices of the same questions."""
    both = align({"the first": one, "the other matrix": other})
    [total] = union([{"": matrix} for matrix in both.values()], sort=False).values()
    return total


OutcomeMatrix._merged = staticmethod(_merged)


def _all_planned(parts: Sequence[OutcomeMatrix], rows: Sequence[Indices], questions: Labels, *, fill: bool) -> Any:
    planned, asked = np.zeros(len(questions), np.int64), np.zeros(len(questions), np.bool_)
    for matrix, here in zip(parts, rows, strict=True):
        planned[here] = added_trials(planned[here], matrix.planned_trials, matrix.questions)
        asked[here] = True
    return np.where(asked, planned, planned.max()) if fill else planned


def _one_model(name: str, parts: Sequence[OutcomeMatrix], rows: Sequence[Indices], planned: Counts) -> OutcomeMatrix:
    """Return the trials of a model in all parts, without labels."""
    columns, is_adaptive = together(parts, rows), any(matrix.is_adaptive for matrix in parts)
    if parts[0].is_continuous:
        rewards = [cast("RewardMatrix", matrix) for matrix in parts]
        supports = {matrix.support for matrix in rewards}
        summary = _one_summary([matrix.summary for matrix in rewards], rows, len(planned))
        support = supports.pop() if len(supports) == 1 else None
        return RewardMatrix.of_parts(summary, planned, None, None, None, support, is_adaptive, columns)
    counts = np.zeros((len(planned), parts[0].n_categories), np.int64)
    for matrix, here in zip(parts, rows, strict=True):
        counts[here] += matrix.counts
    prior, levels = _same_prior(name, parts, rows, len(planned)), parts[0].levels
    return OutcomeMatrix.of_parts(counts, planned, prior, None, None, levels, is_adaptive, columns)


def _same_prior(name: str, parts: Sequence[OutcomeMatrix], rows: Sequence[Indices], count: int) -> Any:
    """Return the prior outcomes, which every part with prior outcomes of a question has alike."""
    if all(matrix.prior_counts is None for matrix in parts):
        return None
    width = max(matrix.prior_counts.shape[1] for matrix in parts if matrix.prior_counts is not None)
    prior, has_prior = np.zeros((count, width), np.int64), np.zeros(count, np.bool_)
    for matrix, here in zip(parts, rows, strict=True):
        if matrix.prior_counts is not None:
            mine = widen(matrix.prior_counts, width)
            if (has_prior[here] & (prior[here] != mine).any(axis=1)).any():
                raise OutcomeError(f"two parts have different prior outcomes{f' of {name!r}' * bool(name)}")
            prior[here], has_prior[here] = mine, True
    return prior


def _one_summary(parts: Sequence[RewardSummary], rows: Sequence[Indices], count: int) -> RewardSummary:
    """Return the summary of all trials, which does not depend on the order of the parts."""
    if all(part.values is not None for part in parts):
        values = np.concatenate([cast("Any", part.values) for part in parts])
        row = np.concatenate([here[part.rows] for part, here in zip(parts, rows, strict=True)])
        order = np.lexsort((values, row))
        return summarize(values[order], row[order], count)
    spread = [part.spread(here, count) for part, here in zip(parts, rows, strict=True)]
    ordered = sorted(spread, key=lambda part: [bytes(part.trials), bytes(part.mean), bytes(part.squares)])
    return reduce(pooled_summary, ordered)


# What a set of models is made of, and the groups and choices that it is split into.


def items_of(models: Any) -> tuple[Sequence[Any] | NDArray[Any], list[str] | None]:
    """Return the outcomes of each model, as a tensor of three dimensions where they form one, and the models' names."""
    if isinstance(models, (str, bytes, PathLike)):
        hint = f"scorio.read({models!r}) reads log files and tables"
        raise OutcomeError(f"the outcomes are text, {shorten([models])}", hint=hint)
    if isinstance(models, Mapping):
        warn_of_flat(models.values())
        return list(models.values()), list(models)
    if isinstance(models, (list, tuple)) and any(
        isinstance(item, (OutcomeMatrix, np.ma.MaskedArray)) for item in models
    ):
        return models, None
    try:
        tensor = models if isinstance(models, np.ma.MaskedArray) else as_numpy(models)
    except ValueError:
        if all(map(is_flat, models)):  # rows of different lengths
            _check_dimensions(_TENSOR - 1)
        return models, None
    _check_dimensions(tensor.ndim)
    return tensor, None


def _check_dimensions(count: int) -> None:
    """Check that an array has the dimensions of a set of models: models, questions, trials."""
    if count == 1:
        raise OutcomeError(
            "a flat list may be the trials of one question, or one trial of each question, of one model",
            hint="write {'model': [results]} for one question, or "
            "{'model': OutcomeMatrix.from_single_run(results)} for one trial per question",
        )
    if count == _TENSOR - 1:
        raise OutcomeError(
            "an array of two dimensions may be one model's questions x trials, or models x questions with one trial",
            hint="write {'model': R} for one model, or numpy.asarray(R)[:, :, None] for models x questions",
        )
    if count != _TENSOR:
        raise OutcomeError(f"a set of models needs a tensor models x questions x trials; got {count} dimensions")


def names_of(names: Iterable[str] | None, named: list[str] | None, count: int) -> list[str]:
    """Return the name of each model, checked to be as many different ones as there are models."""
    if names is not None and named is not None:
        raise ParameterError("is not needed: the mapping names the models itself", argument="models")
    chosen = named if names is None else list(names)
    if chosen is None:
        chosen = [f"model-{i}" for i in range(count)]
    if not chosen or [isinstance(name, str) for name in chosen].count(True) < len(chosen):
        raise OutcomeError("a set needs at least one model, and the names of models are strings")
    if len(chosen) != count or len(set(chosen)) < count:
        raise OutcomeError(f"{count} models need as many different names; got {shorten(chosen)}")
    check_texts(chosen, "models")
    return chosen


def of_each(values: Any, names: list[str], argument: str, *, is_shared: bool) -> list[Any]:
    """Return what an argument says of each model: by its name, the same for all, or one for each in their order."""
    if isinstance(values, Mapping):
        for name in values:
            if name not in names:
                raise ParameterError(f"has an {unknown('model', name, names)}", argument=argument)
        return [values.get(name) for name in names]
    if is_shared or values is None:
        return [values] * len(names)
    if len(values) != len(names):
        problem = f"must be by the name of the model, or one for each of {len(names)} models; got {len(values)}"
        raise ParameterError(problem, argument=argument)
    return list(values)


def priors_of(prior: Any, names: list[str]) -> list[Any]:
    """Return R0 of each model, which may be one for all."""
    if prior is None:
        return [None] * len(names)
    is_shared = not isinstance(prior, Mapping) and _depth(prior) != _TENSOR
    return of_each(prior, names, "prior", is_shared=is_shared)


def _depth(values: Any) -> int:
    """Return the number of dimensions; rows may have different lengths."""
    try:
        return as_numpy(values).ndim
    except ValueError:
        return 1 + max(map(_depth, values))


def trials_of_each(names: list[str], options: TrialOptions) -> list[dict[str, Any]]:
    """Return what single trials of each model are, as arguments of ``OutcomeMatrix``; runs may be those of all."""
    by_model: list[dict[str, Any]] = [{} for _ in names]
    normalize = {"normalize": options["normalize"]} if "normalize" in options else {}
    for argument in ("runs", "answers", "scores"):
        values: Any = options.get(argument)
        if values is None:
            continue
        of_models = of_each(values, names, argument, is_shared=argument == "runs")
        for arguments, value in zip(by_model, of_models, strict=True):
            if value is not None:
                arguments.update({argument: value} | normalize)
    return by_model


def matrix_of(item: Any, name: str, missing: str, trials: Mapping[str, Any]) -> OutcomeMatrix:
    """Return one model's outcomes, without the set's labels and prior outcomes; ``trials`` says what trials are."""
    if isinstance(item, OutcomeMatrix):
        if trials:
            first = next(iter(trials))
            hint = f"give the {first} where the OutcomeMatrix is made, as in OutcomeMatrix(R, {first}=..)"
            raise OutcomeError("the trials are counted already", where=name, argument=first, hint=hint)
        return item
    try:
        return OutcomeMatrix(item, missing=missing, **trials)
    except OutcomeError as error:
        raise error.at(name) from error.__cause__


def with_priors(models: dict[str, OutcomeMatrix], priors: Sequence[Any], missing: int) -> dict[str, OutcomeMatrix]:
    """Return aligned models with their prior outcomes R0, whose questions are in the order of the aligned questions."""
    if set(map(type, priors)) == {NoneType}:
        return models
    made = []
    for (name, matrix), prior in zip(models.items(), priors, strict=True):
        if prior is not None and matrix.prior_counts is not None:
            raise OutcomeError("has prior outcomes of its own: leave out prior=", where=name)
        with within(name):
            earlier = None if prior is None else read_prior(prior, matrix.n_questions, missing, matrix.levels)
        made.append(matrix if earlier is None else matrix.replaced(prior=earlier))
    return dict(zip(models, made if made[0].is_continuous else on_one_scale(made), strict=True))


def groups_of(by: Any, count: int, questions: Labels | None, clusters: Labels | None) -> dict[str, Indices]:
    """Return the positions of the questions of each group, groups in the order of their first question.

    >>> groups_of({"q1": "easy", "q2": "hard"}, 2, ("q1", "q2"), None)
    {'easy': array([0]), 'hard': array([1])}
    """
    groups = _group_of_each(by, count, questions, clusters)
    order: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        order.setdefault(group, []).append(place)
    names = {group: str(group) for group in order}
    if len(set(names.values())) < len(names):
        raise ParameterError(f"has groups with the same text: {shorten(order)}", argument="by")
    return {names[group]: np.array(places, np.intp) for group, places in order.items()}


def _group_of_each(by: Any, count: int, questions: Labels | None, clusters: Labels | None) -> Labels:
    if by is None:
        if clusters is None:
            hint = "pass by={question: group}, or one group per question"
            raise OutcomeError("the questions have no clusters to split them by", hint=hint)
        return clusters
    if isinstance(by, Mapping):
        by = by_question(by, count, questions, "by")
    groups = check_labels(by, count, "by", unique=False)
    assert groups is not None
    if any(group is None for group in groups):
        raise OutcomeError(f"question {groups.index(None)} has the group None", argument="by")
    return groups


def chosen_names(noun: str, names: Iterable[str], offered: tuple[str, ...]) -> tuple[str, ...]:
    """Return the chosen names, each checked to be one of those that are offered."""
    chosen = (names,) if isinstance(names, str) else tuple(names)
    for name in chosen:
        if name not in offered:
            raise OutcomeError(unknown(noun, name, offered))
    return chosen


def of_known_models(values: Any, models: Mapping[str, Any], what: str, example: str) -> dict[str, dict[str, Any]]:
    """Return the mapping of each model, without empty ones; an error calls them ``what`` and says what each must be."""
    if not isinstance(values, Mapping) or not all(isinstance(of_model, Mapping) for of_model in values.values()):
        raise OutcomeError(f"{what} map models to {example}")
    for name in values:
        if name not in models:
            raise OutcomeError(unknown("model", name, list(models)), where=what)
    return {name: dict(of_model) for name, of_model in values.items() if of_model}
