"""The public attributes of the data containers: what users need, and nothing that the package keeps for itself."""

from pathlib import Path

import scorio.outcomes
from scorio import OutcomeMatrix, OutcomeSet, RewardMatrix, Suite

EXPORTS = ["to_csv", "to_dict", "to_frame", "to_json"]
COUNTS = ["counts", "prior_counts", "trials", "successes", "min_trials", "max_trials", "planned", "planned_trials"]
KINDS = [
    "n_questions",
    "n_categories",
    "has_two_categories",
    "is_pass_fail",
    "levels",
    "questions",
    "clusters",
    "runs",
    "counts_by_run",
    "answers",
    "answer_counts",
    "scores",
]
MADE = [
    "from_counts",
    "from_frame",
    "from_rewards",
    "from_single_run",
    "draw",
    "merge",
    "select",
    "with_prior_counts",
    "without_rewards",
]
CONTINUOUS = ["is_continuous", "as_continuous"]
REWARDS = ["means", "variances", "ordered", "support", "at_least", "from_moments"]
LOOKS = ["mean_trials", "is_adaptive", "as_adaptive"]
MAPPING = ["get", "items", "keys", "values"]
FILES = ["load", "save"]
SHARED = ["questions", "clusters", "n_questions", "n_categories", "is_pass_fail", "select", "from_frame"]


def public(kind):
    return sorted(name for name in dir(kind) if not name.startswith("_"))


def test_public_names_of_a_matrix():
    assert public(OutcomeMatrix) == sorted([*COUNTS, *KINDS, *MADE, *CONTINUOUS, *LOOKS, *EXPORTS, "completeness"])


def test_public_names_of_continuous_rewards():
    assert public(RewardMatrix) == sorted([*public(OutcomeMatrix), *REWARDS])


def test_public_names_of_a_set():
    assert public(OutcomeSet) == sorted(
        [*MAPPING, *SHARED, *EXPORTS, *FILES, "models", "trials_each", "split", "conditions", "costs"]
    )


def test_public_names_of_a_suite():
    own = [
        "tasks",
        "models",
        "n_questions",
        "missing",
        "check_complete",
        "select",
        "split",
        "pooled",
        "from_frame",
        "costs",
    ]
    assert public(Suite) == sorted([*MAPPING, *EXPORTS, *FILES, *own])


def test_public_names_of_the_package():
    blocks = (Path(__file__).parents[2] / "docs" / "building-blocks.md").read_text()
    assert [name for name in scorio.outcomes.__all__ if f"`scorio.outcomes.{name}`" not in blocks] == [
        "Accumulator",
        "OutcomeMatrix",
        "OutcomeSet",
        "RewardMatrix",
        "SavedCounts",
        "Suite",
        "align",
        "as_outcomes",
        "normalize_answer",
    ]
