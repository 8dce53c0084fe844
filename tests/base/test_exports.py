"""Every result as data: dictionaries, strict JSON, data frames, HTML, draws; names in exports that do no harm."""

import csv
import io
import json
import math
import pickle

import numpy as np
import pytest

from scorio import (
    Leaderboard,
    Looks,
    OutcomeMatrix,
    OutcomeSet,
    PassAtK,
    RewardMatrix,
    compare,
    describe_questions,
    gate,
    next_trials,
    plan_questions,
    plan_separation,
    plan_trials,
)
from scorio._base.exports import strict, to_json
from scorio.curves import analyze_convergence, horizon
from scorio.judging import judge_models
from scorio.planning import analyze_runs

A = [[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]]
B = [[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
SET = OutcomeSet({"a": A, "b": B})
BOARD = Leaderboard(["pass@1", "pass@2"], SET)
RUNS = analyze_runs("pass@1", OutcomeMatrix([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]] * 5, runs=["a", "b", "c"]))
VALUES = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
OVER = OutcomeSet(
    {"a": [[1, 1], [1, 1], [1, 0], [1, 0], [0, 0], [0, 1]], "b": [[1, 1], [1, 0], [1, 0], [0, 0]] + [[0, 0]] * 2}
)
HORIZONS = horizon("pass@1", OVER, VALUES, at=0.5)
LABELS = {"a": {q: [1, q % 2] for q in range(24)}, "b": {q: [0, q % 2] for q in range(24)}}
JUDGED = judge_models("pass@1", {"a": [[1, 1], [1, 1], [1, 0], [1, 1]] * 10, "b": [[1, 1], [0, 1]] * 20}, LABELS)
REPLICATES = analyze_convergence(["avg", "pass@2"], SET, replicates=20, rng=0)

# Each result, and the rows of its data frame.
RESULTS = {
    "interval": (PassAtK(1).interval(A, 0.9, prior="learned"), 1),
    "looks": (PassAtK(1).interval(A, prior="learned", looks=Looks(trials=9)), 1),
    "comparison": (compare("pass@1", A, B, confidence=0.9), 1),
    "trials": (plan_trials("pass@1", A, 0.1), 1),
    "questions": (plan_questions("pass@1", A, 0.1), 1),
    "separation": (plan_separation("pass@1", A, B, power=0.9), 1),
    "allocation": (next_trials("pass@1", SET, 12), 6),
    "outcomes": (SET["a"], 3),
    "levels": (OutcomeMatrix.from_rewards([[0.2, 1.0], [0.5, 1.0]]), 2),
    "rewards": (RewardMatrix([[0.12, 0.3], [0.5, 0.7]]), 2),
    "set": (SET, 6),
    "leaderboard": (BOARD, 4),
    "ranking": (BOARD["pass@2"], 2),
    "convergence": (REPLICATES["avg"], 4),
    "replicates": (REPLICATES, 8),
    "one model": (Leaderboard("pass@1", {"a": A}), 1),
    "board at a look": (Leaderboard("pass@1", SET, looks=Looks(trials=9)), 2),
    "question table": (describe_questions(SET), 3),
    "runs": (RUNS, 3),
    "horizons": (HORIZONS, 2),
    "gate": (gate("pass@1", A, B, max_drop=0.9, no_new_failures=True), 1),
    "judged": (JUDGED, 2),
}


@pytest.mark.parametrize("name", RESULTS)
def test_json_is_the_dictionary(name):
    result, _ = RESULTS[name]
    assert json.loads(result.to_json(indent=1), parse_constant=pytest.fail) == strict(result.to_dict())


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", RESULTS)
def test_data_frames_have_a_row_per_part(name, backend):
    pytest.importorskip("narwhals")
    pytest.importorskip(backend)
    result, rows = RESULTS[name]
    assert len(result.to_frame(backend)) == rows


@pytest.mark.parametrize("name", RESULTS)
def test_a_notebook_shows_a_sentence_and_a_table(name):
    result, _ = RESULTS[name]
    page = result._repr_html_()
    assert page.startswith('<p style="font-size:1.2em;margin:0.4em 0">')
    assert all(table.count("<tr>") <= 2 + 8 + 1 for table in page.split("<table>"))  # heads, rows, how many more, notes
    assert str(result)


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_equals_itself_after_pickling(name):
    """Also where it has arrays, and numbers that are NaN."""
    result, _ = RESULTS[name]
    assert pickle.loads(pickle.dumps(result)) == result
    assert result != "something else"
    json.dumps(result.to_dict(), allow_nan=False)


def test_a_frame_of_no_rows_is_empty():
    pytest.importorskip("narwhals")
    pytest.importorskip("pandas")
    assert len(gate("pass@1", A, B, max_drop=0.9, no_new_failures=True).failures.to_frame("pandas")) == 0


@pytest.mark.parametrize("name", RESULTS)
def test_rows_are_csv(name):
    result, rows = RESULTS[name]
    assert len(list(csv.DictReader(io.StringIO(result.to_csv())))) == rows


@pytest.mark.parametrize(
    "name", ["interval", "looks", "comparison", "trials", "questions", "outcomes", "set", "convergence"]
)
def test_single_results_are_one_line_of_text(name):
    assert "\n" not in str(RESULTS[name][0])


def test_infinity_and_nan_are_null():
    assert strict({"z": math.inf, "sd": np.float64("nan"), "n": np.arange(2)}) == {"z": None, "sd": None, "n": [0, 1]}
    sure = compare("pass@1", [[1, 1]], [[1, 1]], target="questions", prior="uniform", shape="normal")
    assert json.loads(sure.to_json())["degrees"] is None


# Names that are formulas, or that hide what they are.

BAD = ["=1+1", "+1", "-1", "@SUM(A1)", "|cmd", "%x"]
HIDDEN = "\u202e\u2066\u200f\x1b\x07\u200b\ufeff\xad\ufff9\U000e0041"


def test_the_command_line_writes_safe_csv(tmp_path):
    """No name is a formula in a spreadsheet, and every character that cannot be seen is escaped."""
    testing = pytest.importorskip("click.testing")
    from scorio.cli._program import program

    names = BAD + [f"a{number}{char}b" for number, char in enumerate(HIDDEN)]
    table = tmp_path / "trials.jsonl"
    rows = [{"model": name, "question": "q", "trial": i, "score": i} for name in names for i in (0, 1)]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = testing.CliRunner().invoke(program, ["rank", "-q", str(table), "-m", "pass@1", "--format", "csv"])
    assert done.exit_code == 0, done.output
    found = {row["model"] for row in csv.DictReader(io.StringIO(done.stdout))}
    shown = {f"a{number}{char.encode('unicode_escape').decode()}b" for number, char in enumerate(HIDDEN)}
    assert found == {f"'{name}" for name in BAD} | shown


def test_joiners_in_words_and_emoji_stay():
    shown = str(Leaderboard("pass@1", {name: [[0, 1]] for name in ("é\u200cé", "👩\u200d💻", "a\u200db")}))
    assert "é\u200cé" in shown
    assert "👩\u200d💻" in shown
    assert r"a\u200db" in shown


def test_json_shows_what_cannot_be_seen_and_means_the_same():
    """Escapes for controls, directions, separators and invisible letters; letters of all scripts stay."""
    hidden = "\x1b \x7f \x85 \x9b \xad \u200b \u200d \u2028 \u2029 \u202e \u2066 \ufeff \ufff9 \U000e0041 \ue000 \ud800"
    seen = 'café 通义 😀 e\u0301 \t\n\\"'
    value = {hidden: [hidden, seen], "n": 1}
    for text in (to_json(value), to_json(value, 2)):
        assert json.loads(text) == value
        assert not {char for char in text if not char.isprintable() and char != "\n"}
        assert "café 通义 😀 e\u0301" in text


def test_a_notebook_shows_the_first_rows_and_says_how_many_more_there_are():
    table = OutcomeSet({f"m{i}": [[0, 1]] for i in range(45)})
    page = table._repr_html_()
    assert page.count("<tr>") == 10  # the heading, 8 models and the note
    assert ".. and 37 more" in page


def test_every_part_of_a_gate_shows_and_no_row_is_counted_twice():
    page = gate("pass@1", A, B, max_drop=0.9, per_question=0.1, no_new_failures=True)._repr_html_()
    assert (
        page.index("gate undecided") < page.index("each question undecided") < page.index("no new failures undecided")
    )
    assert OutcomeMatrix([[0, 1]] * 30)._repr_html_().count(".. and") == 1
    assert next_trials("pass@1", {"a": [[0, 1]] * 30}, 120)._repr_html_().count(".. and") == 1


def test_frames_come_out_in_the_library_they_came_in():
    rows = {"model": ["a", "a", "b", "b"], "question": ["q", "r", "q", "r"], "correct": [1, 0, 1, 1]}
    for name in ("pandas", "polars", "pandas"):
        library = pytest.importorskip(name)
        board = Leaderboard("pass@1", OutcomeSet.from_frame(library.DataFrame(rows)))
        assert isinstance(board.to_frame(), library.DataFrame)
        assert isinstance(OutcomeMatrix([[1, 0]]).to_frame(), library.DataFrame)
        assert isinstance(Leaderboard("pass@1", library.DataFrame(rows)).to_frame(), library.DataFrame)
