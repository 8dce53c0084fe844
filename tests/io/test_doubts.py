"""What is read as it is written, and may be meant otherwise, is told."""

import pytest

from helpers.written import counts, quietly, refused
from scorio import read
from scorio.errors import FilesWarning

TEXTS = "model,question_id,prompt,correct\n"


def test_one_id_with_two_texts(tmp_path):
    (tmp_path / "a.csv").write_text(TEXTS + "a,1,What is 1?,1\na,2,What is 2?,0\n")
    (tmp_path / "b.csv").write_text(TEXTS + "b,1,Who is it?,1\nb,2,What is 2?,1\n")
    problem = r"a.csv and .*b.csv: question '1' has different values of 'prompt' and count as the same; .*'prompt'\}"
    with pytest.warns(FilesWarning, match=problem):
        read(tmp_path)
    by_text = quietly(tmp_path, fields={"question": "prompt"})
    assert counts(by_text)["a"] == {"What is 1?": [0, 1], "What is 2?": [1, 0], "Who is it?": [0, 0]}


def test_one_id_with_two_texts_in_one_file(tmp_path):
    (tmp_path / "a.csv").write_text(TEXTS + "a,1,What is 1?,1\na,2,What?,0\nb,1,Who is it?,1\nb,2,What?,1\n")
    with pytest.warns(FilesWarning, match="a.csv: question '1' has different values of 'prompt'"):
        read(tmp_path)


def test_prompts_that_are_written_in_another_way_for_each_model(tmp_path):
    (tmp_path / "a.csv").write_text(TEXTS + "a,1,What is 1?,1\na,2,What is 2?,0\n")
    (tmp_path / "b.csv").write_text(TEXTS + "b,1,Say what 1 is,1\nb,2,Say what 2 is,1\n")
    assert sorted(quietly(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize(
    ("scores", "is_told"), [((50, 100), True), ((0, 100), True), ((3, 5), False), ((5, 10), False), ((-50, 100), False)]
)
def test_scores_on_two_scales(tmp_path, scores, is_told):
    rows = [f"a,q{i},{score}" for i, score in enumerate(scores)] + ["b,q0,0.5", "b,q1,1"]
    (tmp_path / "a.csv").write_text("\n".join(["model,question,score", *rows]))
    if is_told:
        with pytest.warns(FilesWarning, match="the scores of 'b' are at most 1, and those of 'a' reach 100"):
            read(tmp_path)
    else:
        quietly(tmp_path)


@pytest.mark.parametrize(
    ("scores", "is_told"), [([-1, 0, 0, 1, 1], True), ([-1, -1, 0, 1], False), ([-1, 1, 1], False)]
)
def test_a_score_that_may_mean_an_error(tmp_path, scores, is_told):
    rows = [f"a,q{i},{score}" for i, score in enumerate(scores)]
    (tmp_path / "a.csv").write_text("\n".join(["model,question,score", *rows]))
    if is_told:
        with pytest.warns(FilesWarning, match="a score of -1 is there 1 time beside 0 and 1"):
            read(tmp_path)
        without = quietly(tmp_path, levels={"-1": None})["a"]
        assert (without.trials.sum(), without.successes.sum(), without.completeness) == (4, 2, 0.8)
    else:
        quietly(tmp_path)


def test_lines_that_are_no_json_in_json_lines(tmp_path):
    (tmp_path / "a.csv").write_text("model,question,correct\na,q1,1\n")
    (tmp_path / "b.jsonl").write_text('INFO started\n{"model": "b", "question": "q1", "correct": 1}\n')
    refused(tmp_path, "b.jsonl: its first line, 'INFO started', is not JSON: remove the lines")
