"""``scorio judge``: a sample for annotators, and the library's answers from their labels."""

import csv

import numpy as np
import pytest

pytest.importorskip("click")

from helpers.command import LOGS, MODELS, rows, run, trials
from scorio import judge_agreement, read, read_labels, rectified, rectified_leaderboard


def answered(path, label, **columns):
    """Fill the column ``label`` by a function of the judge's outcome, and add columns."""
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    place = {}
    for line in lines:
        key = line["model"], line["question"]
        place[key] = place.get(key, -1) + 1
        line["label"] = label(trials()[line["model"]][line["question"]][place[key]])
        line |= {name: make(line) for name, make in columns.items()}
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    return lines


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "labels.csv"
    done = run("judge", LOGS, "-q", "--sample", 25, "--write", path, "--seed", 3)
    assert "25 of 40 questions to label" in done.stdout
    return path


def test_a_judge_that_is_right_has_no_bias(labels):
    answered(labels, str)
    for row in rows("judge", LOGS, "-q", "--labels", labels, "-m", "pass@1", "-m", "pass@4"):
        assert row["mu"] == pytest.approx(row["predicted"])
        assert row["n_labelled"] == 25
    assert "1.000 [" in run("judge", LOGS, "-q", "--labels", labels).stdout


def test_the_answers_are_the_librarys(labels):
    rng = np.random.default_rng(1)
    lines = answered(labels, lambda outcome: int(rng.random() < (0.9 if outcome else 0.2)))
    outcomes, people = read(LOGS), read_labels(labels)
    options = ("-m", "pass@2", "--target", "population", "--confidence", "0.9")
    answer = rows("judge", LOGS, "-q", "--labels", labels, *options)
    assert [row["model"] for row in answer] == MODELS
    for row in answer:
        found = rectified(
            "pass@2", outcomes[row["model"]], people.human[row["model"]], target="population", confidence=0.9
        )
        assert [row[name] for name in ("mu", "sigma", "lo", "hi")] == pytest.approx(tuple(found))
        assert row["labels_alone_mu"] == pytest.approx(found.labels_alone.mu)
    (gap,) = rows("judge", LOGS, "-q", "--labels", labels, "--between", *MODELS[:2])
    pairs = [(outcomes[name], people.human[name]) for name in MODELS[:2]]
    assert gap["mu"] == pytest.approx(rectified("pass@1", *pairs[0], minus=pairs[1]).mu)
    mine = [line for line in lines if line["model"] == MODELS[0]]
    judge = []
    for question in dict.fromkeys(line["question"] for line in mine):
        judge += trials()[MODELS[0]][question]
    agreement = judge_agreement(judge, [line["label"] for line in mine], questions=[line["question"] for line in mine])
    assert f"{agreement.kappa.mu:.3f} [" in run("judge", LOGS, "-q", "--labels", labels).stdout


def test_bias_by_a_column(labels):
    answered(labels, lambda _: 0, side=lambda line: "left" if line["trial"] == "1" else "right")
    text = run("judge", LOGS, "-q", "--labels", labels, "--by", "side").stdout
    assert "bias of the judge by side" in text
    assert text.count("left") == text.count("right") == 4
    assert "unknown column 'length'" in run("judge", LOGS, "-q", "--labels", labels, "--by", "length", code=2).stderr


def test_scattered_labels_serve_pass_at_1_only(labels):
    lines = answered(labels, str)
    first = [line for line in lines if line["trial"] == "1"]
    with labels.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(first[0]))
        writer.writeheader()
        writer.writerows(first)
    for row in rows("judge", LOGS, "-q", "--labels", labels):
        assert row["mu"] == pytest.approx(row["predicted"])
    message = run("judge", LOGS, "-q", "--labels", labels, "-m", "pass@4", code=2).stderr
    assert "serve pass@1 and avg only" in message


def test_what_is_missing_is_said(labels):
    assert "either --sample N" in run("judge", LOGS, "-q", code=2).stderr
    assert "no question is labelled yet" in run("judge", LOGS, "-q", "--labels", labels, code=2).stderr
    answered(labels, str)
    labels.write_text(labels.read_text().replace(MODELS[0], "nobody"))
    assert "unknown model 'nobody'" in run("judge", LOGS, "-q", "--labels", labels, code=2).stderr


def test_ranks_are_those_of_the_rectified_leaderboard(labels):
    answered(labels, lambda outcome: outcome)
    board = rectified_leaderboard("pass@1", read(LOGS), read_labels(labels).human)
    answer = rows("judge", LOGS, "--labels", labels, "--rank")
    assert [(row["model"], row["rank"], row["top"]) for row in answer] == [
        (name, board.ranks[name], name in board.top) for name in board.scores
    ]
    shown = run("judge", LOGS, "--labels", labels, "--rank").stdout
    assert shown.startswith(str(board))
    error = run("judge", LOGS, "--labels", labels, "--rank", "--between", MODELS[0], MODELS[1], code=2).stderr
    assert "leave out --between" in error
