"""Columns of factors, runs and costs, in every kind of table and data frame; and what is said if they are not named."""

import itertools

import numpy as np
import pytest

from helpers.written import inspect_log, quietly, refused, write_rows
from scorio import (
    OutcomeError,
    OutcomeMatrix,
    OutcomeSet,
    ParameterError,
    PassAtK,
    Suite,
    analyze_factors,
    compare,
    read,
)
from scorio.errors import PoolingWarning, RunsWarning
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


# Runs: files, a lone column, one that the user names, one that is pointed to.


QUESTIONS = [f"q{i:02}" for i in range(40)]
KINDS = ["csv", "jsonl", "parquet"]


def outcomes(seed, shift=0.1):
    """Pass/fail outcomes of five runs, whose log odds differ by ``shift``."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 1.7, (40, 1)) + shift * np.array([-2, -1, 0, 1, 2])
    return (rng.random((40, 5)) < 1 / (1 + np.exp(-logits))).astype(int)


def rows_of(table, column="seed", model="m"):
    """A row per trial, of which one column names the run."""
    cells = [(i, run) for i in range(40) for run in range(5)]
    return [{"model": model, "question": QUESTIONS[i], column: run, "correct": int(table[i, run])} for i, run in cells]


def demand_runs(matrix, table):
    assert matrix.runs == ("0", "1", "2", "3", "4")
    assert np.array_equal(matrix.counts_by_run[:, :, 1], table.T)


@pytest.mark.parametrize("column", ["seed", "run", "Run ID", "job_id"])
def test_a_lone_column_of_runs(tmp_path, column):
    path = write_rows(tmp_path / "a.csv", rows_of(outcomes(0), column))
    reading = recognise(path)
    demand_runs(reading.outcomes["m"], outcomes(0))
    assert f"column {column!r} names the run of each trial" in str(reading)
    assert "names the run" not in str(recognise(write_rows(tmp_path / "b.csv", rows_of(outcomes(0), "trial"))))


@pytest.mark.parametrize("files", [1, 2])
@pytest.mark.parametrize("column", ["seed", "run_id"])
def test_tables_that_duckdb_counts_keep_their_runs(tmp_path, column, files):
    """Many tables are counted by one query, which must not take the number of a row for its run."""
    for seed in range(files):
        write_rows(tmp_path / f"{seed}.parquet", rows_of(outcomes(seed), column, f"m{seed}"))
    models = read(tmp_path)
    for seed in range(files):
        demand_runs(models[f"m{seed}"], outcomes(seed))


def test_files_are_runs(tmp_path):
    for night in range(5):
        rows = [{"model": "m", "question": q, "correct": int(outcomes(0)[i, night])} for i, q in enumerate(QUESTIONS)]
        write_rows(tmp_path / f"night {night}.jsonl", rows)
    matrix = read(tmp_path)["m"]
    assert matrix.runs == tuple(f"night {night}.jsonl" for night in range(5))
    assert np.array_equal(matrix.counts_by_run[:, :, 1], outcomes(0).T)
    assert read(tmp_path / "night 0.jsonl")["m"].runs is None


def test_runs_of_logs_are_warned_of_and_taken(tmp_path):
    one, other = (read(write_rows(tmp_path / f"{i}.csv", rows_of(outcomes(i, 1.0))))["m"] for i in (0, 1))
    with pytest.warns(RunsWarning):
        PassAtK(1).interval(one)
    assert compare("pass@1", one, other, runs="random").runs == "random"


R = np.random.default_rng(5).integers(0, 2, (6, 4))
SEEDS = ["11", "11", "12", "13"]  # of the trials
SEEDED = [
    {"model": "m", "question": f"q{row}", "trial": trial, "seed": SEEDS[trial], "correct": int(R[row, trial])}
    for row in range(6)
    for trial in range(4)
]
TRUTH = OutcomeMatrix(R, questions=[f"q{row}" for row in range(6)], runs=SEEDS)
BY_SEED = {"fields": {"run": "seed"}}


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_of_runs_beside_one_of_trials(tmp_path, kind):
    path = write_rows(tmp_path / f"m.{kind}", SEEDED)
    matrix = read(path, **BY_SEED)["m"]
    assert matrix == TRUTH
    assert matrix.runs == ("11", "12", "13")
    assert PassAtK(2).interval(matrix, runs="random") == PassAtK(2).interval(TRUTH, runs="random")
    with pytest.warns(PoolingWarning, match=r"column 'seed' may name runs.*fields={'run': 'seed'} reads runs"):
        without = read(path)["m"]
    assert without.runs is None
    with pytest.raises(OutcomeError, match=r"another column that fields=\{'run': \.\.\.\} names"):
        PassAtK(1).interval(without, runs="random")


@pytest.mark.parametrize("kind", KINDS)
def test_runs_of_several_trials_without_a_number(tmp_path, kind):
    rows = [{key: value for key, value in row.items() if key != "trial"} for row in SEEDED]
    path = write_rows(tmp_path / f"m.{kind}", rows)
    assert read(path, **BY_SEED)["m"] == TRUTH
    refused(path, 'is there twice: fields={"run": "seed"} if it names runs of')


def test_the_number_of_a_trial_may_start_again_in_every_run(tmp_path):
    rows = [{**row, "trial": SEEDS[: row["trial"]].count(row["seed"])} for row in SEEDED]
    assert read(write_rows(tmp_path / "m.csv", rows), **BY_SEED)["m"] == TRUTH


def test_runs_and_factors_are_kept_apart(tmp_path):
    rows = [{**row, "prompt": prompt} for row in SEEDED for prompt in ("x", "y")]
    models = read(write_rows(tmp_path / "m.csv", rows), factors=["prompt"], **BY_SEED)
    assert models.conditions["m [prompt=x]"] == {"model": "m", "prompt": "x"}
    assert models["m [prompt=x]"] == models["m [prompt=y]"] == TRUTH


@pytest.mark.parametrize(
    "seeds",
    [["7"] * 24, [str(i) for i in range(24)], [f"shard {i // 12}" for i in range(24)]],
    ids=["one", "all different", "parts of the questions"],
)
def test_labels_that_do_not_cross_questions_are_no_runs(tmp_path, seeds):
    rows = [{**row, "seed": seed} for row, seed in zip(SEEDED, seeds, strict=True)]
    assert quietly(write_rows(tmp_path / "m.csv", rows))["m"].runs is None


def test_unknown_and_empty_runs(tmp_path):
    path = write_rows(tmp_path / "m.csv", [*SEEDED[:5], {**SEEDED[5], "seed": ""}, *SEEDED[6:]])
    refused(path, "unknown column 'sed'", fields={"run": "sed"})
    refused(path, "line 7: .*seed is empty", **BY_SEED)
    refused(path, "no column of outcomes", by=ValueError, fields={"run": "correct"})


# Costs of trials.


COSTED = [
    {"model": model, "question": f"q{q}", "trial": t, "correct": (q + t) % 2, "usd": usd * (q + t), "latency_s": 0.5}
    for model, usd in (("big", 0.25), ("small", 0.0625))
    for q in range(3)
    for t in range(1, 5)
]


def check_costs(outcomes, rows=COSTED, name="dollars", column="usd"):
    """The costs of each question have the mean and the variance of those in its rows."""
    for model in ("big", "small"):
        cost = outcomes.costs[model][name]
        told = [
            [row[column] for row in rows if (row["model"], row["question"]) == (model, q)] for q in ("q0", "q1", "q2")
        ]
        assert cost == pytest.approx(np.mean(told))
        np.testing.assert_allclose(cost.trials.means, np.mean(told, axis=1))
        np.testing.assert_allclose(cost.trials.variances, np.var(told, axis=1, ddof=1))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json", "sqlite", "parquet"])
@pytest.mark.parametrize("named", [True, False])
def test_usual_names_are_found_in_every_kind_of_table(tmp_path, kind, named):
    rows = COSTED if named else [{key: value for key, value in row.items() if key != "trial"} for row in COSTED]
    reading = recognise(write_rows(tmp_path / f"runs.{kind}", rows))
    check_costs(reading.outcomes, rows)
    check_costs(reading.outcomes, rows, "seconds", "latency_s")
    assert "costs 'usd', 'latency_s'" in str(reading)


def test_columns_are_named(tmp_path):
    kept = ("model", "question", "correct")
    rows = [{key: row[key] for key in kept} | {"spent": row["usd"], "usd": 1} for row in COSTED]
    path = write_rows(tmp_path / "m.csv", rows)
    assert read(path).costs["big"] == {"dollars": 1.0}
    outcomes = read(path, fields={"cost": "spent"})
    assert [*outcomes.costs["big"]] == ["spent"]
    check_costs(outcomes, rows, "spent", "spent")
    assert [*read(path, fields={"cost": ["spent", "usd"]}).costs["big"]] == ["spent", "dollars"]
    assert read(path, fields={"cost": None}).costs.get("big", {}) == {}
    refused(path, "unknown column 'spend'. Did you mean 'spent'", fields={"cost": "spend"})
    refused(path, r"or to None \(models and cost: to several\)", by=ParameterError, fields={"cost": ["usd", "usd"]})


@pytest.mark.parametrize("cell", ["", "cheap", "-1", "nan", "inf"])
def test_a_trial_that_does_not_tell_its_cost(tmp_path, cell):
    rows = [dict(row) for row in COSTED]
    rows[5]["usd"] = cell
    path = write_rows(tmp_path / "m.csv", rows)
    assert [*read(path).costs["big"]] == ["seconds"]
    assert [*read(path).costs["small"]] == ["dollars", "seconds"]
    refused(path, "question 'q1' has a trial whose cost in column 'usd' is not known", fields={"cost": "usd"})
    rows[5]["correct"] = ""
    assert "dollars" in read(write_rows(path, rows), fields={"cost": "usd"}).costs["big"]


def test_columns_that_could_have_two_roles(tmp_path):
    rows = [
        {"task": f"t{i}", "arm": arm, "run": j, "success": (i + j) % 2}
        for i in range(3)
        for arm in "ab"
        for j in (0, 1)
    ]
    path = write_rows(tmp_path / "arms.csv", rows)
    refused(path, r"fields=\{\"question\": \"task\"\} names it")
    assert quietly(path, fields={"question": "task"}).models == ("a", "b")
    alike = [{"question": i, "trial": t, "epoch": t + 1, "correct": t % 2} for i in range(2) for t in range(3)]
    assert quietly(write_rows(tmp_path / "m.csv", alike)).first.max_trials == 3
    seeds = [{**row, "seed": s} for row in alike for s in range(2)]
    path = write_rows(tmp_path / "n.csv", [{name: row[name] for name in row if name != "epoch"} for row in seeds])
    refused(path, r"fields=\{\"run\": \"seed\"\} reads runs")
    for fields in ({"run": "seed"}, {"run": "seed", "trial": None}):
        assert quietly(path, fields=fields).first.runs == ("0", "1")
