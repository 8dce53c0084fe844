"""``sample_to_label`` and ``read_labels``: random, reproducible, and read back as written."""

import csv
import json

import numpy as np
import pytest

from scorio import OutcomeMatrix, OutcomeSet, estimate_with_judge
from scorio.errors import LabelsWarning, OutcomeError, ParameterError
from scorio.judging import read_labels, sample_to_label

R = (np.random.default_rng(0).random((40, 3)) < 0.5).astype(int)
NAMES = [f"q,{i}" for i in range(40)]
JUDGED = OutcomeMatrix(R, questions=NAMES)


def filled(path, label):
    """Fill the column ``label`` of a file, by a function of the row."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["label"] = label(row)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_the_same_seed_draws_the_same_questions():
    assert sample_to_label(JUDGED, 10, 7) == sample_to_label(JUDGED, 10, 7)
    assert sample_to_label(JUDGED, 10, 7) != sample_to_label(JUDGED, 10, 8)
    assert len(set(sample_to_label(JUDGED, 40, 1).questions)) == 40


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_written_and_read_back(tmp_path, ending):
    models = OutcomeSet({"a": JUDGED, "b": OutcomeMatrix(1 - R, questions=NAMES)})
    sample = sample_to_label(models, 25, 3)
    sample.write(path := tmp_path / "labels.csv")
    truth = {"a": dict(zip(NAMES, R.tolist(), strict=True)), "b": dict(zip(NAMES, (1 - R).tolist(), strict=True))}

    def label(row):
        return truth[row["model"]][row["question"]][int(row["trial"]) - 1]

    if ending == ".csv":
        filled(path, label)
    else:
        path = tmp_path / "labels.jsonl"
        path.write_text("\n".join(json.dumps(row | {"label": "CI"[1 - label(row)]}) for row in sample.rows))
    labels = read_labels(path)
    assert len(sample.to_csv().splitlines()) == 1 + len(labels.rows)
    assert labels.human["b"].questions == sample.questions
    assert labels.human["a"].successes.tolist() == [sum(truth["a"][name]) for name in sample.questions]
    found = estimate_with_judge("pass@2", models["a"], labels.human["a"])
    assert found.bias == pytest.approx(0.0, abs=1e-12)


def test_questions_without_names_are_numbers(tmp_path):
    sample_to_label(OutcomeMatrix(R), 20, 1).write(path := tmp_path / "labels.csv")
    filled(path, lambda row: R[int(row["question"])][int(row["trial"]) - 1])
    assert estimate_with_judge("pass@1", R, read_labels(path).human[""]).bias == pytest.approx(0.0, abs=1e-12)


def test_unfinished_files(tmp_path):
    sample_to_label(JUDGED, 10, 1).write(path := tmp_path / "labels.csv")
    with pytest.raises(OutcomeError, match="no question is labelled yet"):
        read_labels(path)
    first = sample_to_label(JUDGED, 10, 1).questions[:4]
    filled(path, lambda row: "1" if row["question"] in first else "")
    assert read_labels(path).n_questions == 4
    filled(path, lambda row: "1" if row["question"] not in first else "")
    with pytest.warns(LabelsWarning, match="4 questions without labels are not the last ones"):
        assert read_labels(path).n_questions == 6
    filled(path, lambda row: "1" if row["trial"] == "1" else "")
    with pytest.raises(OutcomeError, match="has 3 judged trials and 1 label"):
        estimate_with_judge("pass@1", JUDGED, read_labels(path).human[""])


def test_labels_are_never_overwritten(tmp_path):
    sample, path = sample_to_label(JUDGED, 10, 1), tmp_path / "labels.csv"
    sample.write(path)
    sample.write(path)  # nobody filled it
    path.write_text(text := path.read_text().replace(",1,", ",1,0"))
    with pytest.raises(OutcomeError, match="somebody may have filled it: write to another file"):
        sample_to_label(JUDGED, 5, 2).write(path)
    assert path.read_text() == text
    (other := tmp_path / "mine.csv").write_text("question,human\nq,1\n")
    with pytest.raises(OutcomeError, match="somebody may have filled it"):
        sample.write(other)


def test_names_of_trials_are_those_of_all_trials():
    with pytest.raises(ParameterError, match=r"names has 2 of 3 trials of question"):
        sample_to_label(JUDGED, 10, 1, {"": {name: ["a", "b"] for name in NAMES}})


def test_the_column_of_labels_may_have_any_name(tmp_path):
    (path := tmp_path / "mine.csv").write_text("item_id,attempt,correct,expert,checked\nq1,a,1,0,1\nq2,b,0,1,1\n")
    assert read_labels(path).human[""].successes.tolist() == [0, 1]
    assert read_labels(path, {"label": "checked"}).human[""].successes.tolist() == [1, 1]
    assert [row["trial"] for row in read_labels(path).rows] == ["a", "b"]
    with pytest.raises(OutcomeError, match="a column of questions and one of labels are needed"):
        read_labels(path, {"label": "chekced"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question,trial\nq,1\n", "a column of questions and one of labels are needed"),
        ("question,trial,label\nq,1,good\n", r"labels.csv: line 2: 'good' is not an outcome"),
        ("question,trial,label\nq,1,1\nq,1,0\n", "'q' has trial '1' twice"),
        ("question,label\n", "the file has no labels"),
        ("question,label,probability\nq,1,.2\nr,1,.4\n", "not drawn with equal probabilities"),
    ],
)
def test_damaged_files(tmp_path, text, message):
    (path := tmp_path / "labels.csv").write_text(text)
    with pytest.raises(OutcomeError, match=message):
        read_labels(path)


def test_damaged_lines(tmp_path):
    (path := tmp_path / "labels.jsonl").write_text('{"question": "q", "label": 1}\n{"question"')
    with pytest.raises(OutcomeError, match=r"labels.jsonl: line 2: the JSON ends in the middle"):
        read_labels(path)
