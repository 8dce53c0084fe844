"""Columns that are kept as factors, in every kind of table and data frame; and what is said if they are not."""

import itertools

import pytest

from helpers.written import inspect_log, quietly, refused, write_rows
from scorio import OutcomeSet, Suite, analyze_factors, read
from scorio.errors import OutcomeError, ParameterError, PoolingWarning
from scorio.io import recognise

NAMES = tuple(f"{model} [prompt={prompt}]" for model, prompt in itertools.product("ab", ("cot", "plain")))
ROWS = [
    {
        "model": model,
        "prompt": prompt,
        "item": f"q{q}",
        "run": run,
        "score": (q + run * (model == "a") + len(prompt)) % 2,
    }
    for model, prompt in itertools.product("ab", ("cot", "plain"))
    for q in range(4)
    for run in range(3)
]
BARE = [{key: value for key, value in row.items() if key != "run"} for row in ROWS]
COLUMNS = {"question": "item", "outcome": "score", "model": "model"}
TRIALS = COLUMNS | {"trial": "run"}


@pytest.fixture(params=[".csv", ".jsonl", ".parquet"])
def table(request, tmp_path):
    return write_rows(tmp_path / f"runs{request.param}", ROWS)


def check(outcomes):
    assert outcomes.models == NAMES
    for name in NAMES:
        rows = [row for row in ROWS if name == f"{row['model']} [prompt={row['prompt']}]"]
        solved = [sum(row["score"] for row in rows if row["item"] == f"q{q}") for q in range(4)]
        assert (outcomes[name].successes.tolist(), outcomes[name].trials.tolist()) == (solved, [3] * 4)
    assert outcomes.conditions["b [prompt=cot]"] == {"model": "b", "prompt": "cot"}


def test_a_column_of_a_table_is_a_factor(table):
    outcomes = quietly(table, factors=["prompt"])
    check(outcomes)
    assert outcomes == read(table, factors="prompt")
    assert "factors 'prompt'" in str(recognise(table, factors="prompt"))
    assert analyze_factors("pass@1", outcomes).levels == {"model": ("a", "b"), "prompt": ("cot", "plain")}


def test_levels_are_pooled_if_the_user_says_so(table):
    outcomes = read(table, factors=["prompt"], pool=["prompt"])
    assert outcomes.models == ("a", "b")
    assert outcomes["a"].trials.tolist() == [6] * 4


def test_files_of_one_layout_are_put_together(tmp_path):
    for name, rows in itertools.groupby(ROWS, lambda row: f"{row['model']} {row['prompt']}"):
        write_rows(tmp_path / f"{name}.parquet", rows)
    check(read(tmp_path, factors=["prompt"]))


def test_the_advice_is_to_keep_prompts_apart_and_not_to_pool_them(table):
    error = refused(table, r"factors=\[\"prompt\"\] keeps their levels apart")
    assert "trial" not in [remedy.argument for remedy in error.remedies]
    assert all(remedy.value != {"trial": None} for remedy in error.remedies)


def test_two_columns_are_advised_where_one_does_not_suffice(tmp_path):
    rows = [{**row, "judge": judge, "note": "x"} for row in ROWS for judge in ("g", "h")]
    path = write_rows(tmp_path / "runs.csv", rows)
    refused(path, r"factors=\[\"prompt\", \"judge\"\]")
    outcomes = read(path, factors=["prompt", "judge"])
    assert len(outcomes) == 8
    assert outcomes.models[0] == "a [prompt=cot, judge=g]"


def test_pooled_prompts_are_warned_about(tmp_path):
    message = r"differ in 'prompt' and are counted as repeated trials.*factors=\['prompt'\]"
    with pytest.warns(PoolingWarning, match=message):
        assert read(write_rows(tmp_path / "bare.csv", BARE)).models == ("a", "b")


@pytest.mark.parametrize(
    "rows",
    [
        [{"prompt": f"What is {q}?", "score": 1, "run": run} for q in range(3) for run in range(2)],  # the question
        [{"item": q, "prompt": f"What is {q}?", "score": 1, "run": run} for q in range(3) for run in range(2)],
        [{"item": q, "model": m, "judge": f"of {m}", "score": 1} for q in range(3) for m in "ab"],
    ],
    ids=["the question", "the text of the question", "one per model"],
)
def test_columns_that_follow_from_others_are_no_factors(tmp_path, rows):
    quietly(write_rows(tmp_path / "runs.csv", rows))


def test_logs_under_two_conditions_are_analysed_without_further_words(tmp_path):
    values = {("one", 0.0): "CCI", ("one", 1.0): "CII", ("two", 0.0): "ICI", ("two", 1.0): "III"}
    for i, ((model, temperature), letters) in enumerate(values.items()):
        of_questions = {f"q{q}": letter for q, letter in enumerate(letters)}
        config = {"temperature": temperature}
        inspect_log(tmp_path / f"{i}.eval", of_questions, model, run=f"run {i}", model_generate_config=config)
    outcomes = read(tmp_path)
    assert outcomes.conditions["one [temperature=1.0]"]["model"] == "one"
    analysis = analyze_factors("pass@1", outcomes)
    assert analysis.levels == {"model": ("one", "two"), "temperature": ("0.0", "1.0")}
    cells = {cell.levels: cell.score.mu for cell in analysis.cells}
    assert cells == pytest.approx(
        {key: letters.count("C") / 3 for key, letters in zip(cells, values.values(), strict=True)}
    )
    assert read(tmp_path, factors=["temperature"]) == outcomes
    with pytest.raises(ParameterError, match="factors has an unknown condition 'prompt'. Choose from: temperature"):
        read(tmp_path, factors=["prompt"])


@pytest.fixture
def frame():
    pytest.importorskip("narwhals")
    return pytest.importorskip("pyarrow").Table.from_pylist(ROWS)


def test_rows_of_a_frame_are_models_under_levels(frame):
    check(OutcomeSet.from_frame(frame, factors=["prompt"], **TRIALS))
    message = r"model 'a' is there twice: factors=\[\"prompt\"\] keeps their levels apart"
    with pytest.raises(OutcomeError, match=message):
        OutcomeSet.from_frame(frame, **TRIALS)
    of_one = TRIALS | {"model": None}
    outcomes = OutcomeSet.from_frame(frame, factors=["model", "prompt"], **of_one)
    assert outcomes.models[0] == "model-0 [model=a, prompt=cot]"
    assert outcomes.conditions[outcomes.models[0]]["prompt"] == "cot"


def test_numbers_of_a_frame_are_levels(frame):
    outcomes = OutcomeSet.from_frame(frame, factors=["prompt", "run"], **COLUMNS)
    assert len(outcomes) == 12
    assert outcomes.conditions["a [prompt=cot, run=2]"] == {"model": "a", "prompt": "cot", "run": "2"}


def test_pooled_prompts_of_a_frame_are_warned_about(frame):
    about_runs = pytest.warns(PoolingWarning, match="column 'run' may name runs")
    with about_runs, pytest.warns(PoolingWarning, match="differ in 'prompt'"):
        OutcomeSet.from_frame(frame, **COLUMNS)


@pytest.mark.parametrize("chosen", [["item"], ["prompt", "prompt"], ["score"]])
def test_a_column_has_one_role(frame, chosen):
    with pytest.raises(ParameterError, match="factors must be different columns, each without another role"):
        OutcomeSet.from_frame(frame, factors=chosen, **COLUMNS)


def test_suites_keep_factors(frame):
    tasks = frame.append_column("task", [["t1", "t2"] * (len(frame) // 2)])
    suite = Suite.from_frame(tasks, task="task", factors="prompt", **TRIALS)
    assert suite["t1"].conditions["a [prompt=cot]"] == {"model": "a", "prompt": "cot"}
    assert suite.pooled().conditions["a [prompt=cot]"]["prompt"] == "cot"
