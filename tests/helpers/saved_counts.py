"""Outcomes of every kind that saved counts must keep, by name; the fixture files hold the same."""

import numpy as np
from hypothesis import strategies as st

from scorio import Accumulator, OutcomeMatrix, OutcomeSet, RewardMatrix, Suite
from scorio.outcomes import SavedCounts

METADATA = {"a": {"day": "monday", "seed": [1, 2]}}


def examples():
    """Sets and suites of every kind, always the same."""
    labels = {"questions": ["q1", "q2", "q3"], "clusters": ["x", "x", None]}
    binary = OutcomeSet({"a": [[0, 1], [1, 1], [0, 0]], "b": [[1, 1], [0, 1], [0, 1]]}, **labels)
    ragged = OutcomeMatrix(
        [[0, 1, 2, None], [2], [1, None]], missing="omit", prior=[[0], [3, 1], [0, 0]], questions=[1, ("t", 2.5), "q"]
    )
    rewards = OutcomeMatrix.from_rewards([[0.25, 1.0, 0.25], [-0.5, 1.0, 1.0]])
    kept = RewardMatrix([[0.125, 0.5, 0.75], [0.25]], support=(0, 1), questions=["r1", "r2"])
    rewards_of_one = [[0.25, 0.25, 0.75, 0.75, None], [None, None]]
    moments = RewardMatrix(rewards_of_one, missing="omit", keep_values=False, questions=["r1", "r2"])
    continuous = OutcomeSet({"kept": kept, "moments": moments.as_adaptive()})
    return {
        "binary": binary,
        "ragged": OutcomeSet({"a": ragged.as_adaptive(), "b": ragged.replaced(prior=None)}),
        "rewards": OutcomeSet({"a": rewards, "b": [[0, 1], [1, 0]]}),
        "continuous": continuous,
        "one": OutcomeSet({"a": [[1]]}),
        "suite": Suite({"x": binary, "y": continuous, "z/1": OutcomeSet({"c": [[0, 1, 5]]})}),
    }


def examples_with_costs():
    """Outcomes with the costs of single trials, which files hold too.

    Costs that are counted already do not say which trials succeeded, as in files written before this was kept.
    """
    dollars = {"a": RewardMatrix([[0.25, 0.5], [0.125, 0.625]]), "b": RewardMatrix([[1.0, 1.0], [2.0, 0.0]])}
    models, questions = {"a": [[0, 1], [1, 1]], "b": [[0, 0], [0, 1]]}, ["q1", "q2"]
    by_model = {name: {"dollars": each} for name, each in dollars.items()}
    with_tokens = by_model | {"a": by_model["a"] | {"tokens": 100.0}}
    tasks = {
        "x": OutcomeSet(models, questions=questions, costs=by_model),
        "y": OutcomeSet({"a": [[1, 0]]}, questions=["r"], costs={"a": {"dollars": RewardMatrix([[2.0, 1.0]])}}),
    }
    return {"costs": OutcomeSet(models, questions=questions, costs=with_tokens), "tasks": Suite(tasks)}


def examples_with_facts():
    """Two parts with tasks of different costs and conditions."""
    costs = {"a": {"usd": RewardMatrix([[0.25, 0.5], [0.125, 0.125]])}, "b": {"usd": 3.0}}
    x = OutcomeSet(
        {"a": [[0, 1], [1, 1]], "b": [[1, 1], [1, 1]]},
        questions=["q1", "q2"],
        conditions={"a": {"temperature": 0.5}, "b": {"version": 1}},
        costs=costs,
    )
    y = {"conditions": {"a": {"temperature": 1}}, "costs": {"a": {"usd": 1.1, "tokens": 7}}}
    first = Suite({"x": x, "y": OutcomeSet({"a": [[0, 1, 1]]}, questions=["r"], **y)})
    second = Suite({"y": OutcomeSet({"a": [[1, 1]], "b": [[0, 0]]}, questions=["s"], **y)})
    return SavedCounts(first, metadata={"a": {"seed": 7}}, part="monday"), SavedCounts(second, part="tuesday")


def example_with_success_costs():
    """Two tasks with the costs of single trials and of successes, of which one model has none on one task."""
    x = OutcomeSet(
        {"a": [[0, 1], [1, 1]], "b": [[0, 0], [0, 0]]},
        questions=["q1", "q2"],
        costs={name: {"dollars": [[0.25, 0.5], [0.125, 0.625]]} for name in ("a", "b")},
    )
    y = OutcomeSet({"a": [[1, 0]]}, questions=["r"], costs={"a": {"dollars": [[2.0, 1.0]]}})
    return Suite({"x": x, "y": y})


def example_of_a_state():
    """An accumulator that goes on."""
    log = Accumulator(name="worker 1", model="policy")
    log.add(["q1", "q2"], [[0.25, 1.0], [0.5, 0.125]])
    log.add(["q2"], [[1.0]])
    return log


def write_examples(folder):
    """Write the fixture files: what tests/outcomes/saved holds."""
    for name, outcomes in (examples() | examples_with_costs()).items():
        metadata = METADATA if name in ("binary", "suite") else None
        SavedCounts(outcomes, metadata=metadata, part=f"part {name}").save(folder / f"{name}.npz")
    first, second = examples_with_facts()
    first.merge(second).save(folder / "facts.npz")
    SavedCounts(example_with_success_costs(), part="part success").save(folder / "success_costs.npz")
    example_of_a_state().save(folder / "state.npz", metadata={"seed": 7})


WRITABLE = st.characters(codec="utf-8", exclude_characters="\0")  # what files can hold
LABELS = st.one_of(
    st.text(WRITABLE, max_size=4), st.integers(-3, 3), st.tuples(st.integers(0, 2), st.text(WRITABLE, max_size=2))
)


@st.composite
def trial_lists(draw, outcomes, *, questions=None):
    """Draw a mapping from questions to trials, at least one of which is not missing."""
    labels = draw(st.lists(st.sampled_from(questions) if questions else LABELS, min_size=1, max_size=5, unique=True))
    rows = {label: draw(st.lists(st.one_of(outcomes, st.none()), min_size=1, max_size=5)) for label in labels}
    rows[labels[0]].append(draw(outcomes))
    return rows


CATEGORIES = st.integers(0, 3)
BINARY = st.integers(0, 1)
FEW_REWARDS = st.sampled_from([-0.5, 0.0, 0.25, 1.0])
REWARDS = st.floats(-8, 8, width=32)


@st.composite
def matrices(draw):
    """Draw outcomes of one model, of every kind."""
    kind = draw(st.sampled_from(["binary", "categories", "rewards", "continuous"]))
    drawn = {"binary": BINARY, "categories": CATEGORIES, "rewards": FEW_REWARDS, "continuous": REWARDS}[kind]
    rows = draw(trial_lists(drawn))
    given = {"questions": list(rows), "missing": "omit"}
    if draw(st.booleans()):
        given["clusters"] = [draw(LABELS) for _ in rows]
    if kind == "rewards":
        made = OutcomeMatrix.from_rewards(list(rows.values()), **given)
    elif kind == "continuous":
        made = RewardMatrix(list(rows.values()), keep_values=draw(st.booleans()), **given)
    else:
        prior = [[draw(drawn)] for _ in rows] if draw(st.booleans()) else None
        made = OutcomeMatrix(list(rows.values()), prior=prior, **given)
    return made.as_adaptive() if draw(st.booleans()) else made


@st.composite
def sets(draw):
    """Draw outcomes of one to three models, which have trials of their own on the same questions."""
    matrix = draw(matrices())
    names = draw(st.lists(st.text(WRITABLE, max_size=3), min_size=1, max_size=3, unique=True))
    if matrix.is_continuous:
        return OutcomeSet(dict.fromkeys(names, matrix))
    scaled = [
        matrix.replaced(counts=np.array(matrix.counts) * (2**i), planned=matrix.planned_trials * 2**i)
        for i in range(len(names))
    ]
    return OutcomeSet(dict(zip(names, scaled, strict=True)))
