"""Tables that are read: every form and role of columns, and outcomes as people and tools write them."""

import pytest

from helpers.command import run
from helpers.written import counts, refused, table, write_json, write_lines
from scorio import read
from scorio.io import recognise

ONE_EACH = {"q1": [0, 1], "q2": [1, 0]}
SHEET = "model,question,run_1,run_2\na,q1,1,0\na,q2,0,0\na,q3,1,1\n"
OF_SHEET = {"q1": [1, 1], "q2": [2, 0], "q3": [0, 2]}
MODELS = "question,gpt,claude,topic\nq1,1,0,x\nq2,1,1,y\nq3,0,,x\n"
OF_MODELS = {"gpt": {"q1": [0, 1], "q2": [0, 1], "q3": [1, 0]}, "claude": {"q1": [1, 0], "q2": [0, 1], "q3": [0, 0]}}
TRIALS_OF_MODELS = {"gpt": {"q1": [0, 2], "q2": [1, 1]}, "claude": {"q1": [1, 1], "q2": [2, 0]}}
GRADED = {"a": {"q1": [0, 0, 1, 0], "q2": [0, 0, 0, 1]}, "b": {"q1": [1, 0, 0, 0], "q2": [0, 1, 0, 0]}}
BINARY = {"a": {"q1": [0, 1], "q2": [1, 0]}, "b": {"q1": [0, 1], "q2": [0, 1]}}
TURNS = "model,question,turn,score\na,q1,1,1\na,q1,2,0\na,q2,1,1\na,q2,2,1\n"
ALL = {"fields": {"models": "*"}}
REWARDS = "question,correct,trial_1,trial_2\nq1,3,1,0\n"
COUNTS = [  # a table of model "m" or of those that it names; the counts; and arguments of read
    ("question,n,c\nq1,9007199254740991,9007199254740990\n", {"m": {"q1": [1, 9007199254740990]}}),
    ("question,n,c\nq2,9007199254740992,1e3\n", {"m": {"q2": [9007199254740992 - 1000, 1000]}}),
    *((f"question,{names},note_1\nq1,1,0,9\n", {"m": {"q1": [1, 1]}}) for names in ("t1,t2", "run_1,run_2", "0,1")),
    ("question,Attempt #1,Attempt #2,note_1\nq1,1,0,9\n", {"m": {"q1": [1, 1]}}),
    ("question,is_correct.0,is_correct.1,note_1\nq1,1,0,9\n", {"m": {"q1": [1, 1]}}),
    (REWARDS, {"m": {"q1": [0, 1]}}, {"score": "correct"}),
    (REWARDS, {"m": {"q1": [1, 1]}}, {"fields": {"trial": "trial_*"}}),
    ("question,correct,total\nq1,3,5\n", {"m": {"q1": [2, 3]}}, {"fields": {"trials": "total"}}),
    ("run_id,question,correct\nx,q1,1\nx,q1,0\n", {"m": {"q1": [1, 1]}}, {"fields": {"trial": None}}),
    # one column per model
    (MODELS, OF_MODELS, {"fields": {"models": ["gpt", "claude"]}}),
    (MODELS, OF_MODELS, {"fields": {"models": ["[gc]*"]}}),
    ("question,trial,gpt,claude\nq1,1,1,0\nq1,2,1,1\nq2,1,0,0\nq2,2,1,0\n", TRIALS_OF_MODELS, ALL),
    ("question,gpt,claude\nq1,1,0\nq1,1,1\nq2,0,0\nq2,1,0\n", TRIALS_OF_MODELS, ALL),
    # columns that count nothing, say nothing, or name turns
    ("question,correct,total\nq1,1,5\nq1,0,5\n", {"m": {"q1": [1, 1]}}),
    ("question,correct,runs\nq1,1,x5\nq2,0,x6\n", {"m": ONE_EACH}),
    ("question,passed,failed\nq1,1,0\nq2,0,1\n", {"m": ONE_EACH}),
    ("question,correct,incorrect\nq1,1,0\nq2,0,1\n", {"m": ONE_EACH}),
    ("question,acc,n_wrong\nq1,1,0\nq2,0,1\n", {"m": ONE_EACH}),
    ("question,error,correct\nq1,wrong sign,0\nq1,,1\n", {"m": {"q1": [1, 1]}}),
    (TURNS, {"a [turn=1]": {"q1": [0, 1], "q2": [0, 1]}, "a [turn=2]": {"q1": [1, 0], "q2": [0, 1]}}),
    (TURNS, {"a": {"q1": [1, 1], "q2": [0, 2]}}, {"pool": "turn"}),
    # questions that are called like a mean, a sum or a column
    *((SHEET + f"a,{name},1,0\n", {"a": OF_SHEET | {name: [1, 1]}}) for name in ("average", "Total", "mean")),
    ("id,passed\nitem,passed\nquestion,failed\nid,failed\n", {"m": {"item": [0, 1], "question": [1, 0], "id": [1, 0]}}),
    *(
        (f"question,reward\nq1,0.2\nq2,0.6\n{name},0.4\n", {"m": {"q1": [1, 0, 0], "q2": [0, 0, 1], name: [0, 1, 0]}})
        for name in ("sum-12", "What is the sum of the digits of this?", "the lot")
    ),
    # as people write tables
    ("model,question,score\na,q1,50 %\na,q2,100 %\nb,q1,0 %\nb,q2,25 %\n", GRADED),
    ("model;question;score;\na;q1;0,5;\na;q2;1;\nb;q1;0;\nb;q2;0,25;\n", GRADED),
    (",model,question,correct\n0,a,q1,1\n1,a,q2,0\n2,b,q1,1\n3,b,q2,1\n", BINARY),
    ("llm,question,correct\na,q1,1\na,q2,0\nb,q1,1\nb,q2,1\n", BINARY),
    ("model,question,correct\na,q1, TRUE\na,q2,FALSE \nb,q1,True\nb,q2,true\n", BINARY),
    ("Model,Question,Correct answer,Is correct?\na,q1,A,Yes\na,q2,A,No\nb,q1,A,Yes\nb,q2,A,Yes\n", BINARY),
    ("model,question,epoch_1,epoch_2,mean\na,q1,1,0,0.5\na,q2,0,0,0\n", {"a": {"q1": [1, 1], "q2": [2, 0]}}),
    *((f"Question:,{head}\nq1,Yes\nq2,No\n", {"m": ONE_EACH}) for head in ("Correct?", " (Correct) ", "*correct*")),
    ("Question:,correct:\nq1,Yes\nq2,No\n", {"m": ONE_EACH}),
]


@pytest.mark.parametrize("case", COUNTS)
def test_counts(case, tmp_path):
    text, truth, *options = case
    outcomes = read(table(tmp_path, text), **dict(*options))
    assert counts(outcomes) == truth
    assert all(matrix.planned_trials.min() >= 1 for matrix in outcomes.values())


def rewards(path, **options):
    """The only reward of each question."""
    matrix = read(path, **options)["m"]
    levels = matrix.levels or (0.0, 1.0)
    return [levels[row.index(1)] if sum(row) else None for row in matrix.counts.tolist()]


def column(*values, mark=","):
    return "\n".join([f"question{mark}score", *(f"q{i}{mark}{value}" for i, value in enumerate(values))])


@pytest.mark.parametrize(
    ("values", "mark", "expected"),
    [
        (("0%", "25%", "12.5 %", "100%"), ",", [0.0, 0.25, 0.125, 1.0]),
        (("0,0", "0,25", "1", "-1,5", "0.5"), ";", [0.0, 0.25, 1.0, -1.5, 0.5]),
        (("12,5%", "50%"), ";", [0.125, 0.5]),
        (("✓", "✗", "✔️", "❌", "☑", "N/A"), ",", [1.0, 0.0, 1.0, 0.0, 1.0, None]),
        (("3", "0"), ",", [3.0, 0.0]),
    ],
)
def test_rewards_as_people_write_them(values, mark, expected, tmp_path):
    assert rewards(table(tmp_path, column(*values, mark=mark))) == expected


def test_words_that_mark_missing_trials(tmp_path):
    path = table(tmp_path, column("PASSED", "FAILED", "ERROR"))
    refused(path, "'ERROR' is not an outcome")
    assert rewards(path, levels={"ERROR": None}) == [1.0, 0.0, None]
    assert rewards(path, levels={"ERROR": None}, missing="fail") == [1.0, 0.0, 0.0]
    assert rewards(path, levels={"FAILED": None, "ERROR": 0.5}) == [1.0, None, 0.5]
    assert "66.7%" in run("score", path, "--level", "ERROR=none", "--too-few", "omit").stdout
    assert "--level ERROR=... gives a word a reward" in run("score", path, code=2).stderr
    assert "must be a number, or none" in run("score", path, "--level", "ERROR=lost", code=2).stderr


def test_columns_are_recognised_shown_and_named(tmp_path):
    path = table(tmp_path, "Problem ID;Verdict;Attempt\np1;1;a\np1;0;b\n")
    refused(path, "no column of outcomes was found")
    reading = recognise(path, score="Verdict")
    assert counts(reading.outcomes) == {"m": {"p1": [1, 1]}}
    shown = "(form long, question 'Problem ID', trial 'Attempt', outcome 'Verdict', model from the file's name)"
    assert str(reading) == f"{path}: table, model 'm', 2 trials {shown}\n{reading.outcomes!r}"
    assert read(path, fields={"question": "Attempt", "outcome": "Verdict"}).questions == ("a", "b")
    several = table(tmp_path, "question,correct,gpt4 a,gpt4 b,gpt5\nq1,1,1,0,0\n")
    reading = recognise(several, fields={"trial": "gpt4*"}, model="gpt4")
    assert counts(reading.outcomes) == {"gpt4": {"q1": [1, 1]}}
    assert "trials 'gpt4 a' to 'gpt4 b'" in str(reading)


METRICS = {"a": {"q1": ("1", "good"), "q2": ("0", "poor")}, "b": {"q1": ("1", "poor"), "q2": ("1", "good")}}


@pytest.mark.parametrize("form", ["csv", "jsonl", "json"])
@pytest.mark.parametrize("names", [("metric", "score"), ("Metric Name", "score"), ("score_name", "outcome")])
def test_rows_of_several_metrics_are_no_trials(names, form, tmp_path):
    """Values of the other metrics are not looked at where one is chosen."""
    heads = ("model", "question", *names)
    cells = [(model, q, pair) for model, rows in METRICS.items() for q, pair in rows.items()]
    rows = [(model, q, name, pair[i]) for model, q, pair in cells for i, name in enumerate(("exact", "fluent"))]
    records = [dict(zip(heads, row, strict=True)) for row in rows]
    if form == "csv":
        path = table(tmp_path, "\n".join(",".join(row) for row in [heads, *rows]))
    else:
        path = (write_lines if form == "jsonl" else write_json)(tmp_path / f"m.{form}", records)
    truth = {"exact": BINARY, "fluent": {"a": ONE_EACH, "b": {"q1": [1, 0], "q2": [0, 1]}}}
    assert counts(read(path, score="exact")) == BINARY
    apart = counts(read(path, score=names[1], levels={"good": 1, "poor": 0}))
    assert apart == {f"{model} [{names[0]}={name}]": of[model] for model in "ab" for name, of in truth.items()}


def training(path, step, rewards_of_step, **more):
    rows = [{"input": "1+1?", "output": "x", "score": reward, "step": step, **more} for reward in rewards_of_step]
    return write_lines(path, rows)


def test_steps_of_a_training_are_models(tmp_path):
    for step in (0, 100):
        training(tmp_path / "one" / f"{step}.jsonl", step, [-1.0, 1.0], acc=bool(step))
    assert counts(read(tmp_path)) == {"step 0": {"1+1?": [2, 0]}, "step 100": {"1+1?": [0, 2]}}
    training(tmp_path / "two" / "100.jsonl", 100, [-1.0, 1.0], acc=False)
    assert set(read(tmp_path)) == {"step 0", "step 100 [folder=one]", "step 100 [folder=two]"}
    assert set(read(tmp_path, model={"*one*": "A", "*two*": "B"})) == {"A [step=0]", "A [step=100]", "B"}


def test_a_training_with_rewards_of_other_names(tmp_path):
    row = {"step": 3, "prompt": "1+1?", "completion": "2"}
    path = write_lines(tmp_path / "a.jsonl", [row | {"reward_exact": i} for i in (0, 1)])
    assert counts(read(path)) == {"step 3": {"1+1?": [1, 1]}}
    path = write_lines(tmp_path / "b.jsonl", [row | {"exact": i} for i in (0, 1)])
    refused(path, r"no column of outcomes was found; .* score=\"...\" names it")
    assert counts(read(path, score="exact")) == {"step 3": {"1+1?": [1, 1]}}


def test_columns_of_nested_objects_have_names_with_dots(tmp_path):
    rows = [{"task": {"id": f"q{i}"}, "eval": {"by": {"judge": i % 2}}} for i in range(2)]
    path = write_lines(tmp_path / "m.jsonl", rows)
    fields = {"question": "task.id", "task": None}
    options = {"score": "eval.by.judge", "fields": fields}
    assert counts(read(path, **options)) == {"m": {"q0": [1, 0], "q1": [0, 1]}}
    refused(path, r"unknown column 'eval.by.jugde'. Did you mean 'eval.by.judge'", score="eval.by.jugde", fields=fields)
    absent = write_lines(tmp_path / "a.jsonl", [*rows, {"task": {"id": "q1"}, "eval": {"by": {}}}])
    assert read(absent, **options)["a"].planned_trials.tolist() == [1, 2]
    broken = write_lines(tmp_path / "b.jsonl", [*rows, {"task": {"id": "q3"}, "eval": 3}])
    refused(broken, r"line 3: the row has no 'eval.by.judge'", **options)


def test_the_last_part_of_a_column_names_it_where_it_is_unique(tmp_path):
    rows = [{"doc_id": i, "metrics": {"acc": i % 2, "loss": 0.5}, "other": {"loss": 1}} for i in range(3)]
    path = write_lines(tmp_path / "m.jsonl", rows)
    assert counts(read(path, score="acc")) == {"m": {"0": [1, 0], "1": [0, 1], "2": [1, 0]}}
    refused(path, "unknown column 'loss'", score="loss")


def test_lists_of_numbers_and_missing_trials(tmp_path):
    rows = [{"question": name, "correct": values} for name, values in (("a", [1, 0, None]), ("b", None), ("c", []))]
    matrix = read(write_json(tmp_path / "m.json", rows))["m"]
    assert (matrix.counts.tolist(), matrix.planned_trials.tolist()) == ([[1, 1], [0, 0], [0, 0]], [3, 1, 1])
    for value in (1, {"x": 1}, [[1]]):
        path = write_json(tmp_path / "b.json", [*rows[:1], {"question": "b", "correct": value}])
        refused(path, r"record 1: ('correct' must be a list|an outcome in a list must be)")
