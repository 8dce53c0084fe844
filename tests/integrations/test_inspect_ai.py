"""The Inspect plug-in, run by Inspect itself with its mock model."""

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

inspect_ai = pytest.importorskip("inspect_ai")

from inspect_ai.dataset import Sample  # noqa: E402
from inspect_ai.scorer import SampleScore, Score, Target, accuracy, match, scorer  # noqa: E402

from helpers import mock_inspect  # noqa: E402
from scorio import BayesMetric, OutcomeMatrix, ParameterError, PassAtK, PassHatK  # noqa: E402
from scorio.integrations.inspect_ai import metrics  # noqa: E402
from scorio.metrics import METRICS  # noqa: E402

pytestmark = mock_inspect.marks
RIGHT = {"q1": [1, 1, 1, 1, 1], "q2": [1, 0, 1, 1, 0], "q3": [0, 0, 1, 0, 0], "q4": [0, 0, 0, 0, 0]}
OUTCOMES = OutcomeMatrix(list(RIGHT.values()), clusters=["x", "x", "y", "y"])
NAN = float("nan")
PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"


def run(folder, measures, right=RIGHT, reducer=None, by=match, **options):
    topics = {name: {"topic": "x" if name < "q3" else "y"} for name in right}
    samples = [Sample(input="?", target="yes", id=name, metadata=about) for name, about in topics.items()]
    about = {"metrics": measures, "epochs": inspect_ai.Epochs(5, reducer), "scorer": by()}
    return mock_inspect.log_of(folder, samples, lambda name, epoch: right[name][epoch - 1], task=about, **options)


def unqualified(name):
    """Without the package, which Inspect leaves out itself where Python runs in the package's own source tree."""
    return name and name.split("/")[-1]


def values(log, reducer=None):
    results = [score for score in log.results.scores if unqualified(score.reducer) == reducer]
    assert len(results) == 1
    return {name: measure.value for name, measure in results[0].metrics.items()}


@pytest.mark.parametrize(
    ("measure", "metric"),
    [
        (metrics.bayes(), BayesMetric()),
        (metrics.pass_at(2), PassAtK(2)),
        (metrics.passhat_at(3), PassHatK(3)),
        (metrics.measure("passhat@3"), PassHatK(3)),
    ],
    ids=["bayes", "pass_at", "passhat_at", "measure"],
)
def test_a_run_reports_the_score_and_its_interval(tmp_path, measure, metric):
    results = values(run(tmp_path, [measure]))
    _, sd, lower, upper = metric.interval(OUTCOMES)
    numbers = {"": metric.score(OUTCOMES), "_sd": sd, "_lower": lower, "_upper": upper, "_completeness": 1.0}
    assert results == pytest.approx({f"{metric}{name}": value for name, value in numbers.items()}, rel=1e-12)


TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, accuracy, scorer
from scorio.integrations.inspect_ai.metrics import pass_at

RIGHT = {right}

@scorer(metrics=[pass_at(2, cluster="topic"), accuracy()])
def scripted():
    async def score(state, target):
        return Score(value=RIGHT[state.sample_id][state.epoch - 1])
    return score

@task
def four():
    samples = [Sample(input="?", id=id, metadata=dict(topic=id)) for id in RIGHT]
    return Task(dataset=samples, solver=[], scorer=scripted())
"""
AGAIN = """
import sys
from inspect_ai.log import read_eval_log, recompute_metrics
log = read_eval_log(sys.argv[1])
log.results = None
recompute_metrics(log)
for score in log.results.scores:
    for name, measure in score.metrics.items():
        print(score.reducer, name, measure.group, measure.value)
"""


def test_a_user_s_command_finds_metrics_by_entry_point(tmp_path):
    def python(*arguments):
        done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    (tmp_path / "four.py").write_text(TASK.format(right=RIGHT))
    (tmp_path / "again.py").write_text(AGAIN)
    command = "eval four.py --model mockllm/model --epochs 5 --display plain --log-format json"
    python("-m", "inspect_ai", *command.split())
    [log] = (tmp_path / "logs").glob("*.json")
    stored = inspect_ai.log.read_eval_log(str(log)).eval.scorers[0].metrics
    assert [measure.name for measure in stored] == ["scorio/pass_at", "inspect_ai/accuracy"]
    assert stored[0].options == {"k": 2, "cluster": "topic"}
    results = {tuple(line.split()[:3]): float(line.split()[3]) for line in python("again.py", str(log)).splitlines()}
    assert results["None", "pass@2", "pass_at"] == pytest.approx(PassAtK(2).score(OUTCOMES))
    assert results["None", "pass@2_lower", "pass_at"] == pytest.approx(
        PassAtK(2).interval(OUTCOMES, prior="learned").lo
    )


def test_metrics_see_every_epoch_whatever_the_reducer(tmp_path):
    log = run(tmp_path, [metrics.pass_at(2), accuracy()], reducer="max")
    assert values(log)["pass@2"] == pytest.approx(PassAtK(2).score(OUTCOMES))
    assert values(log, "max") == {"accuracy": 0.75}
    measure = log.results.scores[-1].metrics["pass@2"]
    assert (measure.group, measure.params) == ("pass_at", {"k": 2})


def test_failed_epochs_are_missing_not_wrong(tmp_path):
    right = {**RIGHT, "q2": [1, None, 1, 1, 0], "q3": [0, 0, 1, 0, None]}
    log = run(tmp_path, [metrics.pass_at(2), metrics.pass_at(5), metrics.bayes(epochs=8)], right, fail_on_error=False)
    outcomes = OutcomeMatrix([[trial for trial in row if trial is not None] for row in right.values()])
    results = values(log)
    assert results["pass@2"] == pytest.approx(PassAtK(2).score(outcomes))
    assert results["pass@2_completeness"] == 18 / 20
    assert math.isnan(results["pass@5"])
    assert results["pass@5_lower"] == pytest.approx(PassAtK(5).interval(outcomes, prior="learned").lo)
    assert results["bayes_completeness"] == 18 / 32


def test_samples_with_too_few_epochs_can_be_left_out(tmp_path):
    right = {**RIGHT, "q3": [0, 0, 1, 0, None]}
    log = run(tmp_path, [metrics.pass_at(5, too_few="omit")], right, fail_on_error=False)
    assert values(log)["pass@5"] == pytest.approx(PassAtK(5).score(OUTCOMES.select([0, 1, 3])))


@scorer(metrics=[metrics.bayes()])
def graded():
    async def score(state, target: Target):
        return Score(value={"q1": "C", "q2": "P", "q3": "I", "q4": NAN if state.epoch < 3 else "N"}[state.sample_id])

    return score


def test_partial_credit_is_a_reward_and_unscored_is_missing(tmp_path):
    results = values(run(tmp_path, None, by=graded))
    counts = [[0, 0, 5], [0, 5, 0], [5, 0, 0], [3, 0, 0]]
    outcomes = OutcomeMatrix.from_counts(counts, planned=5, levels=(0.0, 0.5, 1.0))
    expected = BayesMetric().interval(outcomes)
    assert results["bayes"] == pytest.approx(BayesMetric().score(outcomes))
    assert (results["bayes_sd"], results["bayes_completeness"]) == (pytest.approx(expected.sigma), 18 / 20)


@pytest.mark.parametrize("name", [name for name, each in METRICS.items() if not each.is_of_samples])
def test_every_metric_of_the_package_has_one_here(name):
    function = f"{name}_at" if "k" in METRICS[name].__dataclass_fields__ else name
    assert function in metrics.__all__ and callable(getattr(metrics, function))
    if PAGE.exists():
        assert re.search(rf"`{function}[`(]", PAGE.read_text())


def sample_scores(rows, topics=None):
    return [
        SampleScore(score=Score(value=value), sample_id=id, sample_metadata=topics and {"topic": topics[id]})
        for id, row in rows.items()
        for value in row
    ]


def test_clusters_come_from_metadata():
    clustered = metrics.bayes(cluster="topic")
    assert clustered(sample_scores(RIGHT, dict(zip(RIGHT, "xxyy")))) == metrics.bayes()(sample_scores(RIGHT))
    with pytest.raises(ValueError, match="sample q1 has no metadata 'topic'"):
        clustered(sample_scores(RIGHT))


def test_without_scores_every_number_is_nan():
    results = metrics.pass_at(2)([])
    names = ["pass@2", "pass@2_sd", "pass@2_lower", "pass@2_upper"]
    assert list(results) == [*names, "pass@2_completeness"]
    assert all(math.isnan(results[name]) for name in names)


def test_every_prefix_of_a_run_has_a_value():
    measure = metrics.pass_at(3)
    given = sample_scores(RIGHT)
    for seen in range(1, len(given) + 1):
        assert set(measure(given[:seen])) == {
            "pass@3",
            *(f"pass@3_{name}" for name in ("sd", "lower", "upper", "completeness")),
        }


@pytest.mark.parametrize(
    "make",
    [
        lambda: metrics.pass_at(0),
        lambda: metrics.pass_at(2, confidence=2),
        lambda: metrics.pass_at(2, prior="nobody's"),
        lambda: metrics.pass_at(2, too_few="raise"),
        lambda: metrics.measure("pas@2"),
        lambda: metrics.measure("bayes:w=0,.5,1"),
        lambda: metrics.gpass_at(3, 2.0),
    ],
)
def test_what_is_wrong_is_said_before_the_run(make):
    with pytest.raises(ParameterError):
        make()
