"""What is read as it is written, and may be meant otherwise, is told; what is plain is not."""

import pytest

from helpers.command import run
from helpers.written import LONG, counts, quietly, refused, table, write_lines
from scorio import OutcomeMatrix, diagnose, read
from scorio.errors import AxesWarning, FilesWarning, PoolingWarning, QuestionsWarning, TrialsWarning
from scorio.io import recognise

TEXTS = "model,question_id,prompt,correct\n"
TWO_TEXTS = "question '1' has different values of 'prompt'"
SCORES = "model,question,score\n{}b,q0,0.5\nb,q1,1\n"
ONE = "model,question,score\n"
OLD = "model,question,correct\na,q1,1\na,q2,0\na,q2,1\n"
ROWS = "all rows of .*a.csv are rows of .*b.csv"
SUBJECTS = "model,subject,question,correct\na,math,1,1\na,math,2,0\na,law,1,1\na,law,2,1\n"
ORDERS = [[f"a,q{question},{value}" for question in range(20) for value in values] for values in ((0, 1), (1, 0))]
MODELS = "modle,question,correct\na,a1,1\na,a2,0\nb,b1,1\nb,b2,1\n"
WIDE = "question,v1,v2\n" + "".join(f"q{i},{i % 9 < 1:d},{i % 9 > 1:d}\n" for i in range(40))
ERRORS = "question,correct,error\nq1,1,\nq2,0,timeout\nq2,1,none\nq3,0,\n"
FAILED = "question,correct,status\nq1,1,passed\nq2,0,error\nq3,0,failed\n"
TWICE = "question,correct\n" + 2 * "".join(f"q{i % 8},{i % 3 == 0:d}\n" for i in range(32))
RUNS = "run,q1,q2,q3\n1,1,0,1\n2,0,0,1\n"


def scored(*values):
    return "".join(f"a,q{i},{value}\n" for i, value in enumerate(values))


TOLD = [  # tables of one folder, the warning, and arguments of read
    ([TEXTS + "a,1,What is 1?,1\na,2,What?,0\nb,1,Who is it?,1\nb,2,What?,1\n"], FilesWarning, f"a.csv: {TWO_TEXTS}"),
    ([SCORES.format(scored(50, 100))], FilesWarning, "the scores of 'b' are at most 1, and those of 'a' reach 100"),
    ([SCORES.format(scored(0, 100))], FilesWarning, "the scores of 'b' are at most 1, and those of 'a' reach 100"),
    ([OLD, f"{OLD}a,q1,0\na,q2,1\n"], PoolingWarning, ROWS),
    ([OLD, "model,question,correct\na,q3,1\na,q1,1\na,q2,0\na,q2,1\n"], PoolingWarning, ROWS),
    ([OLD, "model,question,correct\na,q1,1\na,q2,0\na,q3,0\na,q2,1\n"], PoolingWarning, ROWS),  # all rows differ
    (["\n".join([ONE, *lines]) for lines in ORDERS], PoolingWarning, "have the same outcomes of 'a' on every question"),
    ([MODELS], PoolingWarning, "column 'modle' may name models, and all rows are taken for those of one model"),
    ([SUBJECTS], PoolingWarning, "differ in 'subject'"),
    ([WIDE], TrialsWarning, r"columns 'v1', 'v2' are read as trials.*{'models': 'v\*'} reads .*{'trial': 'v\*'} says"),
    (
        [ERRORS],
        FilesWarning,
        r"'error' has 'timeout' in 1 of the 2 trials with the outcome 0.*{'failed': 'error'} makes",
    ),
    ([ERRORS.replace("timeout", "boom")], FilesWarning, "column 'error' has 'boom' in 1 of the 2 trials"),
    ([ERRORS.replace("error", "status").replace("none", "done")], FilesWarning, "column 'status' has 'timeout' in 1"),
    ([ERRORS + "q4,0,AssertionError\n"], FilesWarning, "failed to run, leave out the outcomes of those that did"),
    ([FAILED], FilesWarning, "column 'status' has 'error' in 1 of the 2 trials"),  # failed is a wrong answer
    ([TWICE], PoolingWarning, "every row seems to be there twice"),
    ([RUNS], AxesWarning, "the rows of 'run' are read as questions", {"fields": {"question": "run"}}),
]


@pytest.mark.parametrize("case", TOLD)
def test_doubts_are_told(case, tmp_path):
    texts, category, message, *options = case
    for name, text in zip("ab", texts, strict=False):
        table(tmp_path, text, f"{name}.csv")
    with pytest.warns(category, match=message):
        read(tmp_path, **dict(*options))


@pytest.mark.parametrize(
    "texts",
    [
        [TEXTS + "a,1,What is 1?,1\na,2,What is 2?,0\n", TEXTS + "b,1,Say what 1 is,1\nb,2,Say what 2 is,1\n"],
        *([SCORES.format(scored(*values))] for values in ((3, 5), (5, 10), (-50, 100))),
        *([ONE + scored(*values)] for values in ((-1, -1, 0, 1), (-1, 1, 1))),
        [OLD, "model,question,correct\na,q1,1\na,q2,0\na,q3,0\na,q2,1\na,q3,0\n"],  # which may be so by chance
        [OLD, "model,question,correct\na,q1,1\na,q2,1\na,q2,0\na,q1,0\n"],
        [OLD, "model,question,correct\nb,q1,1\nb,q2,0\nb,q2,1\n"],
        *([WIDE.replace("v1,v2", names)] for names in ("t1,t2", "trial_1,trial_2", "1,2")),
        *([ERRORS.replace("timeout", text)] for text in ("AssertionError: 1", "0.37", "none")),
        [ERRORS.replace("none", "timeout").replace("q3,0,\n", "q3,1,\n")],
        [ERRORS.replace("timeout", "off by one").replace("q3,0,\n", "q3,0,two signs\n")],
        [TWICE[: len(TWICE) // 2] + "q0,1\n"],
    ],
)
def test_what_is_plain_is_not_told(texts, tmp_path):
    for name, text in zip("ab", texts, strict=False):
        table(tmp_path, text, f"{name}.csv")
    assert quietly(tmp_path).n_questions > 1


def test_columns_of_models_that_may_be_trials(tmp_path):
    path = table(tmp_path, WIDE)
    assert all(quietly(path, fields={"models": name}).models == ("v1", "v2") for name in ("v*", "v1,v2"))
    assert quietly(path, fields={"trial": "v*"}).first.max_trials == 2
    for names in ("o1,o3", "gpt-5,o3"):  # these do not count trials
        refused(table(tmp_path, WIDE.replace("v1,v2", names)), "no column of outcomes was found")


def test_trials_that_failed_to_run(tmp_path):
    path = table(tmp_path, ERRORS)
    assert quietly(path, fields={"failed": "error"}).first.completeness == 0.75
    assert quietly(path, fields={"failed": None}).first.completeness == 1.0
    rows = [dict(zip(("question", "correct", "error"), line.split(","), strict=True)) for line in ERRORS.split()[1:]]
    with pytest.warns(FilesWarning, match=r"from_frame\(frame, failed='error', ..\) makes them missing"):
        OutcomeMatrix(rows)
    assert OutcomeMatrix.from_frame(rows, failed="error", missing="omit").trials.sum() == 3
    refused(table(tmp_path, WIDE), "one row per trial", fields={"failed": "v1", "trial": "v*"})


def test_one_id_with_two_texts(tmp_path):
    table(tmp_path, TEXTS + "a,1,What is 1?,1\na,2,What is 2?,0\n", "a.csv")
    table(tmp_path, TEXTS + "b,1,Who is it?,1\nb,2,What is 2?,1\n", "b.csv")
    with pytest.warns(FilesWarning, match=rf"a.csv and .*b.csv: {TWO_TEXTS} and count as the same; .*'prompt'\}}"):
        read(tmp_path)
    by_text = quietly(tmp_path, fields={"question": "prompt"})
    assert counts(by_text)["a"] == {"What is 1?": [0, 1], "What is 2?": [1, 0], "Who is it?": [0, 0]}


def test_a_score_that_may_mean_an_error(tmp_path):
    path = table(tmp_path, ONE + scored(-1, 0, 0, 1, 1))
    with pytest.warns(FilesWarning, match="a score of -1 is there 1 time beside 0 and 1"):
        read(path)
    without = quietly(path, levels={"-1": None})["a"]
    assert (without.trials.sum(), without.successes.sum(), without.completeness) == (4, 2, 0.8)


def test_models_in_a_column_of_another_name_are_warned_of(tmp_path):
    """Else the answers of two models count as trials of one, which is called like the file."""
    rows = [
        {"meta": {"model": model}, "question": f"q{i}", "score": int(i > 0 or model == "a"), "note": f"{model}{i}"}
        for model in "ab"
        for i in range(3)
    ]
    path = write_lines(tmp_path / "m.jsonl", rows)
    with pytest.warns(PoolingWarning, match="differ in 'meta.model', which may name models"):
        assert counts(read(path)) == {"m": {"q0": [1, 1], "q1": [0, 2], "q2": [0, 2]}}
    assert list(read(path, fields={"model": "meta.model"})) == ["a", "b"]


@pytest.mark.parametrize(
    "hidden", ["\u200b", "\ufeff", "\xad", "\ufff9", "\u2060", "\U000e0041", "\ufe0f", "\u3164", "\x07"]
)
@pytest.mark.parametrize("kind", ["questions", "models"])
def test_names_that_differ_in_what_cannot_be_seen(tmp_path, hidden, kind):
    other = f"a,q{hidden}1,0\n" if kind == "questions" else f"a{hidden},q1,0\n"
    path = table(tmp_path, f"model,question,correct\na,q1,1\n{other}")
    with pytest.warns(QuestionsWarning, match=f"two {kind} look alike: '.*' and '.*' differ in .*blanks") as caught:
        outcomes = read(path)
    assert str(caught[0].message).isascii()
    assert (outcomes.n_questions, len(outcomes)) == ((2, 1) if kind == "questions" else (1, 2))


def test_a_model_without_outcomes_is_left_out(tmp_path):
    path = table(tmp_path, f"{LONG}dead,q1,1,\ndead,q1,2,NA\ndead,q2,1,\ndead,q2,2,\n")
    reading = recognise(path)
    assert counts(reading.outcomes) == counts(read(table(tmp_path, LONG, "good.csv")))
    assert reading.bad_models == {"dead": "none of 4 trials has an outcome"}
    assert "model 'dead': left out, none of 4 trials has an outcome" in str(reading)
    with pytest.warns(TrialsWarning, match="model 'dead' is left out: none of 4 trials has an outcome"):
        assert read(path).models == ("a", "b")
    assert "left out dead: none of 4 trials has an outcome\n" in run("score", path).stderr
    assert "dead is left out: none of 4 trials has an outcome" in run("doctor", path).stdout
    assert diagnose(reading).finding("missing trials").models == ("dead",)
    for options in ({"only": ["dead", "a"]}, {"only": "dea*"}, {"missing": "raise"}):
        refused(path, "no trial of 'dead' has an outcome", **options)
    assert read(path, missing="fail")["dead"].counts.tolist() == [[2, 0], [2, 0]]


def test_a_model_without_outcomes_in_one_task(tmp_path):
    reading = recognise(table(tmp_path, "task,model,question,correct\nx,a,q1,1\nx,b,q1,0\ny,a,q1,\ny,b,q1,1\n"))
    assert {task: models.models for task, models in reading.outcomes.items()} == {"x": ("a", "b"), "y": ("b",)}
    assert reading.bad_models == {"a": "task y: none of 1 trial has an outcome"}
