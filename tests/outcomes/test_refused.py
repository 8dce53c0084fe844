"""What outcomes are not: every refusal of the constructors, selections and mergers says what is wrong, and where."""

from fractions import Fraction
from operator import attrgetter

import numpy as np
import pytest

from scorio import OutcomeMatrix, OutcomeSet, RewardMatrix, Suite
from scorio.errors import OutcomeError, ParameterError
from scorio.outcomes import align

A = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
B = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
NAN = float("nan")
TENSOR = np.random.default_rng(0).integers(0, 3, (3, 4, 5))
PQ = {"questions": ["p", "q"], "clusters": ["x", "y"]}
P_AND_Q = OutcomeMatrix([[0], [1]], **PQ)
LABELLED = OutcomeMatrix(A, questions=["a", "b"], clusters=["x", "y"], prior=[[0], [1]])
CONTINUOUS = RewardMatrix(np.random.default_rng(0).normal(size=(6, 5)))
BARE = RewardMatrix([[0.1, 0.2]], keep_values=False)
NOT_COUNTED = r"continuous rewards: use avg, bayes or max@k .*R\.at_least\(0\.5\)"

ENTRIES = [  # what OutcomeMatrix is made of
    ([[0, 1], [0, 2.5]], r"^R\[1, 1\] is 2.5: outcomes must be whole numbers: .*from_rewards.*values >= 0.5$"),
    ([[0, np.inf]], r"^R\[0, 1\] is inf: outcomes must be whole numbers$"),
    ([[0, 1, NAN]], r'^R\[0, 2\] is NaN, a trial without an outcome: missing="omit" leaves it out; missing="fail"'),
    ([[0, None]], r"^R\[0, 1\] is None, a trial without an outcome"),
    ([[0], [-1]], r"^R\[1, 0\] is -1: outcomes start at 0$"),
    ([[0, 10**9]], r"^R\[0, 1\] is 1000000000: above 0\.\.65535, pass real rewards to .*from_rewards$"),
    (np.array([[0, 2**63]], np.uint64), r"^R\[0, 1\] is 9223372036854775808: above"),
    ([[0, 10**400]], r"^R\[0, 1\] is 1000.*: above"),
    ([[0, Fraction(1, 3)]], r"^R\[0, 1\] is 1/3: outcomes must be whole numbers: .*from_rewards"),
    (np.array([[0, "1"]], object), r"^R\[0, 1\]: '1' is a number written as text: numpy.asarray"),
    (np.array([[0, 1j]], object), r"^R\[0, 1\] is 1j: outcomes must be whole numbers$"),
    (np.array([[0, 0.5]], np.float16), r"^R\[0, 1\] is 0.5: outcomes must be whole numbers: .*from_rewards"),
    (np.array([[0, 1 + np.finfo("g").eps]], "g"), r"^R\[0, 1\] is 1\.0+[1-9]\d*: outcomes .*from_rewards"),
    (np.array([[1, -7]], ">i4"), r"^R\[0, 1\] is -7: outcomes start at 0$"),
    (np.array([[0, 1, 2]], np.uint8).view(bool), r"^R\[0, 2\] is 2: above 0\.\.1"),
    ([[0, 1], [1, 0, 3.5]], r"^R\[1, 2\] is 3.5: outcomes must be whole numbers: .*from_rewards"),
    ([[0, 1], 1], r"^R\[1\] is 1: where one row is a sequence"),
    ([[0, 1], []], r'^R\[1\] has no trial: missing="omit" keeps'),
    ([[[0], [1, 2]], [[0]]], r"^R: every row must be a (flat )?sequence of whole numbers$"),
    ([[1j, 0]], "^R holds complex numbers: outcomes must be whole numbers$"),
    ([[1, 0], [1, "maybe"]], r"^R\[1, 1\]: 'maybe' is not an outcome: outcomes are numbers .*words such as pass/fail"),
    ([["0", "1"]], r"^R\[0, 0\]: '0' is a number written as text: numpy.asarray"),
    (np.array([[b"1", b"0"]]), r"^R holds bytes: .*astype\(int\)"),
    ((row for row in A), r"got generator object: wrap it in list\(\)"),
    (np.array([["2020-01-01"]], "M8[D]"), r"^R holds dates: outcomes"),
    (np.zeros(2, [("a", "i4")]), "^no column of questions was found; the columns are 'a': OutcomeSet.from_frame"),
    ([], "^R has no trial$"),
    (np.zeros((0, 3)), "^R has no question$"),
    (np.zeros((3, 0)), "^R has no trial$"),
    (1, "^R must be an array, or lists, of questions x trials; got 1$"),
    (np.zeros((2, 2, 2)), "^R must have one or two dimensions, questions x trials; got 3$"),
]
OPTIONS = [  # of OutcomeMatrix
    ({"prior": [[0], [1], [0]]}, "^R0 has 3 questions, R has 2$"),
    ({"prior": [0, 1, 1]}, "^R0 has 3 outcomes, which 2 questions cannot share evenly$"),
    ({"prior": [[0], [-1]]}, r"^R0\[1, 0\] is -1: outcomes start at 0$"),
    ({"prior": [[0], [NAN]]}, r"^R0\[1, 0\] is NaN"),
    ({"questions": ["a"]}, "questions has 1 labels for 2 questions"),
    ({"questions": ["a", "a"]}, "questions must be unique; 'a' occurs more than once"),
    ({"questions": [["a"], ["b"]]}, "questions must be hashable"),
    ({"questions": ["a", NAN]}, r"questions\[1\] is nan, which does not equal itself"),
    ({"questions": "ab"}, "questions must be a sequence of labels"),
    ({"clusters": ["a", "b", "c"]}, "clusters has 3 labels for 2 questions"),
    ({"runs": ["a"]}, "must have one label for each of 5 columns, or one row of labels for each question; got 1"),
    ({"runs": [["a"] * 5, ["a"]]}, "must have the shape of the outcomes, .*: 2 rows of 5, 5; got 2 rows of 5, 1"),
    ({"runs": ["a", "b", "c", "d", None]}, "has a missing label: every trial needs its run"),
    ({"runs": "ab"}, "must be one label per column of the outcomes, or one per trial; got 'ab'"),
    *(({"answers": answers}, "shape of the outcomes") for answers in ([["a"]], "ab", 3, [["a", "b"]] * 2)),
    ({"answers": [[{}, "1", "2", "3", "4"]] * 2}, "cannot be compared"),
    ({"answers": [["1"] * 5] * 2, "normalize": "strip"}, "normalize"),
    ({"scores": [[0.1, 0.2]]}, "by the name of the score"),
    ({"scores": {"judge": [["high", 0, 0, 0, 0]] * 2}}, "'high', which is no number"),
    ({"scores": {"judge": [[float("inf"), 0, 0, 0, 0]] * 2}}, "infinite"),
]
COUNTS = [  # the arguments of from_counts, and its options
    (([3, 6], 5), r"counts\[1\] is 6: more successes than its 5 trials"),
    (([3, 4],), "successes need trials: pass trials"),
    (([3, 2.5], 5), r"counts\[1\] is 2.5: counts are whole numbers"),
    (([3, NAN], 5), r"counts\[1\] is nan: counts are whole numbers"),
    (([3, 2**60], 2**60), r"counts\[1\] is .*: counts are whole numbers from 0 to 2\*\*53"),
    (([3, 2], [5, 5, 5]), r"trials must be one number, or one for each of 2 questions; got \(3,\)"),
    (([3, 2], -5), "trials is -5: counts are whole numbers"),
    (([3, 2], "5"), "trials must be whole numbers; got <U1"),
    (([True, False], 5), "counts must be whole numbers; got bool"),
    (([3 + 0j], 5), "counts must be whole numbers; got complex128"),
    (([[1, 2], [3]],), "counts must have rows of one length"),
    (([[1], [3]], 3), r"counts must be successes \(M,\) or counts by category"),
    ((3, 5), r"counts must be successes \(M,\) or counts by category"),
    (([], 5), r"counts must be successes \(M,\) or counts by category"),
    (([[1, 2], [3, 1]], 3), r"counts\[1\] adds up to 4 trials, which trials contradicts"),
    (([[2**53, 2**53]],), r"counts\[0\] adds up to more than 2\*\*53 trials"),
    (([0, 0], 0), "counts hold no trial"),
    (([3, 4], 5), r"planned\[1\] is below the trials that are present", {"planned": [5, 4]}),
    *((([3, 4], 5), "levels must be 2 ascending rewards", {"levels": x}) for x in ([1, 0], [0, 1, 2], [0, np.inf])),
    (([[1, 2]],), r"levels has a reward of 1e\+101", {"levels": (0, 1e101)}),
]
REWARDS = [  # the arguments of from_rewards, and its options
    ([[0.5, NAN]], r"values\[0, 1\] is NaN, a trial without an outcome: missing="),
    ([[0.5, 1], [0.5, np.inf]], r"values\[1, 1\] is not a finite number"),
    ([[0.5], [1, 0, -np.inf]], r"values\[1, 2\] is not a finite number", {"missing": "omit"}),
    (np.array([["a", 1]], object), r"values\[0, 0\]: 'a' is not an outcome: outcomes are numbers throughout, or C"),
    (np.array([[object, 1]], object), r"values\[0, 0\] is not a finite number"),
    ([["a"]], r"values\[0, 0\]: 'a' is not an outcome"),
    ([[1j]], "values holds complex numbers"),
    ([[]], "values has no trial"),
    ([[NAN]], "values has no outcome: every one is missing", {"missing": "omit"}),
    (np.arange(70_000) / 7, "values has 70000 distinct rewards; round them to at most 65536", {"max_levels": 70_000}),
    ([[1]], "missing must be", {"missing": "ignore"}),
    ([[-1e308, 1.0]], r"values has a reward of -1e\+308; the largest there may be is 1e\+100"),
]
CONTINUOUS_REWARDS = [  # the arguments of RewardMatrix
    ([[0.5, float("inf")]], r"values\[0, 1\] is not a finite number"),
    ([["a"]], r"values\[0, 0\]: 'a' is not an outcome"),
    ([[1e101, 0.5]], r"values has a reward of 1e\+101; the largest there may be is 1e\+100"),
    ([[]], "has no trial"),
    ([[0.5, NAN]], r'values\[0, 1\] is NaN, a trial without an outcome: missing="omit"'),
    ([[0.25, 1.5]], r"a reward is outside the support \(0, 1\)", {"support": (0, 1)}),
    *(([[0.25]], "support must", {"support": support}) for support in ((1, 0), (0,), "ab", 3)),
]
SELECTIONS = [  # labels of two questions, and what is selected
    (None, [3], "no question 3: there are 2"),
    (None, ["a"], "questions have no labels: select them by integer indices"),
    (None, [0.0], "questions have no labels: select them by integer indices"),
    (None, [], "the selection has no question"),
    (None, [False, False], "the selection has no question"),
    (None, [True], "a mask needs one entry for each of 2 questions"),
    (["a", "b"], ["c"], "no question is labeled 'c'"),
    (["a", "b"], "c", "no question is labeled 'c'"),
    (["a", "b"], [[]], "labels must be hashable"),
    (["a", "b"], ["a", "a"], "questions must be unique"),
    ([True, False], [True, True], "questions must be unique"),
]
MERGED = [  # what is merged with two questions that have labels, clusters and prior outcomes
    ([[1]], "the other matrix has 1 question where the first has 2"),
    (OutcomeMatrix(A, questions=["a", "c"]), "the other matrix has no trial of question 'b'"),
    (OutcomeMatrix([*A, [1]], questions=["a", "b", "c"]), "the first has no trial of question 'c', which"),
    (OutcomeMatrix(A, clusters=["x", "z"]), "clusters differ: the other matrix has question 1 in 'z', .* in 'y'"),
    (OutcomeMatrix(A, prior=[[1], [1]]), "different prior outcomes"),
]
SETS = [  # the models of a set, and its options
    ({"a": A, "b": [[1]]}, "^b has 1 question where the first has 2$"),
    ({"a": A, "b": [[1], [0.5]]}, r"^b: R\[1, 0\] is 0.5: outcomes must be whole numbers: .*from_rewards"),
    (np.zeros((2, 2, 2, 2)), "needs a tensor models x questions x trials; got 4 dimensions"),
    ([0, 1], "a flat list may be"),
    (np.zeros((2, 2, 0)), "^model-0: R has no trial$"),
    (np.zeros((2, 0, 2)), "^model-0: R has no question$"),
    (np.array([[[0.0]], [[NAN]]]), r"^model-1: R\[0, 0\] is NaN"),
    (np.array([[[0.0]], [[NAN]]]), "^model-1: R has no trial: every one is missing", {"missing": "omit"}),
    (TENSOR, "questions has 1 labels for 4 questions", {"questions": ["a"]}),
    (TENSOR, "clusters has 1 labels for 4 questions", {"clusters": ["a"]}),
    ({"a": A}, "^a: R0 has 3 questions, R has 2$", {"prior": [[0], [1], [0]]}),
    ({"a": A}, "^prior has an unknown model 'b'", {"prior": {"b": [[0], [1]]}}),
    ({"a": A}, "^prior must be .* one for each of 1 models; got 2$", {"prior": np.zeros((2, 2, 1))}),
    ({"a": OutcomeMatrix(A, prior=A)}, "^a: has prior outcomes of its own: leave out prior=$", {"prior": A}),
    ({"a": B, "b": OutcomeMatrix.from_rewards([[0.5], [1]])}, "some models have real rewards, others have categories"),
    ({"a": CONTINUOUS, "b": [[0, 1, 2]] * 6}, "categories without rewards"),
    *((TENSOR, "3 models need as many different names", {"models": list(names)}) for names in ("xy", "xyy", "xyzu")),
    (TENSOR, "a set needs at least one model", {"models": [1, 2, 3]}),
    *((models, "a set needs at least one model|flat list") for models in ({}, [], {1: A})),
    ({"a": A}, "the mapping names the models itself", {"models": ["b"]}),
    ({"a": P_AND_Q, "b": OutcomeMatrix([[0], [1]], questions=["q", "r"])}, "b has no trial of question 'p'"),
    ({"a": P_AND_Q, "b": OutcomeMatrix([[0]] * 3, questions=["q", "r", "p"])}, "the first has no trial of .* 'r'"),
    (
        {"a": P_AND_Q, "b": OutcomeMatrix([[0], [1]], questions=["p", "q"], clusters=["y", "y"])},
        "clusters differ: b has question 0 in 'y', the first has it in 'x'",
    ),
    ({"a": OutcomeMatrix.from_counts([1, 2], 2)}, "the trials are counted already: give the runs", {"runs": "xy"}),
    ({"a": [[0, 1]]}, "runs has an unknown model 'c'", {"runs": {"c": ["x", "y"]}}),
    *(({"a": A}, "conditions", {"conditions": wrong}) for wrong in ({"c": {}}, {"a": 1}, 3)),
    *(({"a": A}, "costs", {"costs": wrong}) for wrong in ({"c": {"s": 1}}, {"a": 1})),
    *(({"a": A}, "costs", {"costs": {"a": {"s": cost}}}) for cost in (-1, True, "1")),
    (Suite({"x": {"a": A}}), r"several tasks.*suite\['task'\].*suite.pooled"),
]
OTHERS = [
    (lambda: OutcomeMatrix(Suite({"x": {"a": A}})), r"several tasks.*suite\['task'\].*suite.pooled"),
    (lambda: align({"a": P_AND_Q, "b": P_AND_Q.select(["q"])}), "^b has no trial of question 'p'"),
    (lambda: BARE.at_least(0.0), "were not kept.*keep_values=True"),
]
UNKNOWN = [  # what an object does not know, and what it says where it is asked
    *((OutcomeMatrix(B), name, "binary outcomes .* category 2 occurs") for name in ("successes", "states")),
    (OutcomeMatrix(B), "state_of_question", "binary outcomes .* category 2 occurs"),
    *((CONTINUOUS, name, NOT_COUNTED) for name in ("counts", "n_categories", "max_category", "successes", "states")),
    *((CONTINUOUS, name, NOT_COUNTED) for name in ("profile_rows", "groups")),
    (BARE, "ordered", "were not kept.*keep_values=True"),
    (OutcomeMatrix.from_counts([1, 2], 2), "counts_by_run", "it is not known which run each trial belongs to"),
    (OutcomeMatrix.from_counts([1, 2], 2), "trial_columns.all_answers", "answers of the trials are not known"),
]
EVERY = [
    *((lambda v=v: OutcomeMatrix(v), message) for v, message in ENTRIES),
    *((lambda o=o: OutcomeMatrix(A, **o), message) for o, message in OPTIONS),
    *((lambda c=c: OutcomeMatrix.from_counts(*c[0], **dict(*c[2:])), c[1]) for c in COUNTS),
    *((lambda c=c: OutcomeMatrix.from_rewards(c[0], **dict(*c[2:])), c[1]) for c in REWARDS),
    *((lambda c=c: RewardMatrix(c[0], **dict(*c[2:])), c[1]) for c in CONTINUOUS_REWARDS),
    *((lambda of=of, q=q: OutcomeMatrix(A, questions=of).select(q), message) for of, q, message in SELECTIONS),
    *((lambda other=other: LABELLED.merge(other), message) for other, message in MERGED),
    *((lambda c=c: OutcomeSet(c[0], **dict(*c[2:])), c[1]) for c in SETS),
    *((lambda of=of, name=name: attrgetter(name)(of), message) for of, name, message in UNKNOWN),
    *OTHERS,
]


@pytest.mark.parametrize(("call", "message"), EVERY, ids=[message for _, message in EVERY])
def test_refusals_say_what_is_wrong(call, message):
    with pytest.raises((OutcomeError, ParameterError), match=message):
        call()
