"""Formats: the contract, plug-ins by entry points, unknown names, and the walker that readers go down a record by."""

import importlib.util
import json
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from helpers.command import run
from helpers.damaged import placed, valid
from helpers.written import refused, write_json, write_lines
from scorio import OutcomeError, ParameterError, read
from scorio.io import At, Companion, Format, LogFile, Request, Run, Trial, _registry, either, recognise
from scorio.io._registry import formats
from scorio.testing import check_format


class QuizFormat(Format):
    name = "quiz"
    options = frozenset({"levels"})
    companions = (Companion(lambda file: file.head.startswith(b"key:"), "the key of a quiz"),)

    def matches(self, file):
        return isinstance(file.document, dict) and "quiz" in file.document

    def read(self, file, request):
        rows = enumerate(file.at["answers"].needed.rows)
        trials = [Trial(row["id"].text, i, row["right"].to(request.outcome)) for i, row in rows]
        return [Run(file.at["model"].text, trials, identity=file.digest, task=str(file.at["quiz"].value))]


QUIZ = {"quiz": "sums", "model": "a", "answers": [{"id": "q1", "right": True}, {"id": "q1"}, {"id": "q2", "right": 0}]}
TRUTH = {"a": {"q1": [1.0, None], "q2": [0.0]}}


@pytest.fixture
def quiz(tmp_path):
    return write_json(tmp_path / "quiz.json", QUIZ)


@pytest.fixture
def plug_in(monkeypatch):
    """Install entry points, each an object of this module."""

    def install(**objects):
        points = [EntryPoint(name, f"helpers:{name}", "scorio.formats") for name in objects]
        monkeypatch.setattr(_registry, "entry_points", lambda group: points)
        monkeypatch.setattr(EntryPoint, "load", lambda point: objects[point.name])
        formats.cache_clear()

    yield install
    monkeypatch.undo()
    formats.cache_clear()


SAMPLES = "eee/00000000-0000-4000-8000-000000000000_samples.jsonl"
CONTRACT = [  # a valid file, its format and the outcomes that it holds
    ("a.eval", "inspect", {"lab/one": {"q0": [1.0], "q1": [1.0, None], "q2": [1.0, None]}}),
    ("a.json", "inspect", {"lab/one": {"q0": [1.0], "q1": [1.0, None], "q2": [1.0, None]}}),
    ("m_results.jsonl", "human-eval", {"m": {"a": [1.0, 1.0, 1.0]}}),
    ("runs.jsonl", "metr-runs", {"m": {"a": [1.0], "b": [1.0], "c": [1.0]}}),
    ("eval_results.json", "evalplus", {"files": {"a": [1.0]}}),
    ("tau.json", "tau-bench", {"tau": {"0": [1.0]}}),
    ("tau2.json", "tau2", {"m": {"a": [1.0]}}),
    ("promptfoo.jsonl", "promptfoo", {"m": {'{"q": 1}': [1.0, 1.0, 1.0]}}),
    ("tensor.npz", "arrays", {"m": {"0": [1.0, 0.0, 0.0], "1": [0.0, 1.0, 0.0], "2": [0.0, 0.0, 1.0]}}),
    ("counts.npz", "saved-counts", {"m": {"q1": [0, 1], "q2": [1, 1]}, "n": {"q1": [0, 0], "q2": [1, 0]}}),
    ("runs.sqlite", "database", {"a": {"q1": [1.0], "q2": [1.0]}}),
    ("m.xlsx", "excel", {"m": {"q1": [1.0], "q2": [0.0]}}),
    ("m/samples_sums_2026-01-01T00-00-00.000001.jsonl", "lm-eval", {"m": {"0": [1.0], "1": [1.0], "2": [1.0]}}),
    ("lmms/20260101_120000_samples_mmmu_val.jsonl", "lmms-eval", {"lmms": {"0": [0.0], "1": [1.0], "2": [0.0]}}),
    ("table.csv", "table", {"a": {"q1": [1.0], "q2": [0.0]}}),
    ("table.jsonl", "table", {"table": {"q0": [0.0], "q1": [1.0], "q2": [0.0]}}),
    ("counts.csv", "table", {"counts": {"q1": [1, 1, 1, 0, 0], "q2": [1, 1, 1, 1]}}),
    ("langsmith.csv", "table", {"langsmith": {"a": [1.0, None]}}),
    ("braintrust.json", "table", {"braintrust": {'{"q": 1}': [1.0, 0.0]}}),
    ("wandb.json", "table", {"m": {"q1": [1.0], "q2": [0.0]}}),
    ("weave.jsonl", "table", {"m": {"q": [0.0, 1.0]}}),
    ("verl.jsonl", "table", {"step 5": {"1+1?": [1.0, 0.0]}}),
    ("lists.json", "table", {"lists": {"1": [1.0, 0.0]}}),
    ("wide.csv", "table", {"wide": {"q1": [1, 0], "q2": [1, 1]}}),
    ("helm/per_instance_stats.json", "helm", {"helm": {"a": [1.0], "b": [1.0]}}),
    ("evals.jsonl", "openai-evals", {"gpt": {"a": [1.0], "b": [0.0]}}),
    ("deepeval.json", "deepeval", {"m": {"q": [1.0, 1.0]}}),
    ("junit.xml", "junit", {"junit": {"t::a": [1.0, 0.0], "b": [None]}}),
    ("phoenix.json", "phoenix", {"phoenix": {"e1": [1.0, 1.0]}}),
    ("langfuse.json", "langfuse", {"m": {"q1": [1.0, 1.0]}}),
    ("langsmith.json", "langsmith", {"langsmith": {"q1": [1.0, 0.0]}}),
    ("bfcl/score/lab_m/live/BFCL_v4_multiple_score.json", "bfcl", {"lab_m": {"multiple_0": [1], "multiple_1": [0]}}),
    ("traces.jsonl", "mlflow-traces", {"r1": {'{"q": "1+1"}': [1.0, 1.0]}}),
    ("experiment.json", "pydantic-evals", {"experiment": {"q1": [1.0], "q2": [None]}}),
    ("pytest.json", "pytest-json", {"pytest": {"t.py::test_a[1-2]": [1.0]}}),
    ("job/a/result.json", "harbor", {"terminus-2/lab/gpt-x": {"hello": [1.0]}}),
    ("run/results.json", "terminal-bench", {"run": {"a": [1.0]}}),
    ("sums--m/0/results.jsonl", "verifiers", {"m": {"0": [1.1], "1": [1.1]}}),
    ("words/traces.jsonl", "verifiers-traces", {"words": {"a": [1.0]}}),
    ("results/m/add.json", "opencompass", {"m": {"a_0": [1.0]}}),
    ("reviews/m/mcq_main.jsonl", "evalscope", {"m": {"0": [1.0, 1.0]}}),
    ("m/codegeneration_2_0.2_eval_all.json", "livecodebench", {"m": {"7": [1.0]}}),
    ("m--main--bigcodebench-hard--vllm-0-1-x_eval_results.json", "bigcodebench", {"m": {"a": [1.0]}}),
    ("lab/results.json", "swe-bench", {"lab": {"a": [0.0], "b": [1.0]}}),
    ("evaluation/lite/agent/per_instance_details.json", "swe-bench", {"agent": {"a": [1.0], "b": [0.0]}}),
    ("m.run-1.json", "swe-bench", {"m": {"a": [1.0], "b": [0.0]}}),
    (SAMPLES, "every-eval-ever", {"lab/m": {"q0": [0.0], "q1": [1.0], "q2": [0.0]}}),
    ("eval-1/with_skill/run-1/grading.json", "skill-creator", {"with_skill": {"eval-1": [0.0]}}),
    ("plugin/results.jsonl", "vally", {"baseline": {"first": [1.0, 0.0]}}),
    ("validator/results.json", "skill-validator", {"baseline": {"first": [1.0]}}),
]


@pytest.mark.parametrize(("name", "form", "truth"), CONTRACT)
def test_built_in_formats_keep_the_contract(name, form, truth, tmp_path):
    check_format(formats()[form], placed(tmp_path / "files", name, valid()[name]), truth)


def test_a_format_that_is_passed(quiz):
    outcomes = read(quiz, format=QuizFormat())
    assert outcomes["a"].counts.tolist() == [[0, 1], [1, 0]]
    assert recognise(quiz, format=QuizFormat(), levels={"great": 1.0}).sources[0].run.task == "sums"
    refused(quiz, "'score' cannot be chosen in files of quiz", by=ParameterError, format=QuizFormat(), score="right")


def test_plug_ins_are_read_by_python_and_the_command_line(quiz, plug_in):
    quiz.with_name("key.txt").write_text("key: 1, 2")
    refused(quiz, "no known format")
    for each in (QuizFormat, QuizFormat()):
        plug_in(quiz=each)
        reading = recognise(quiz.parent)
        assert [source.format for source in reading.sources] == ["quiz"]
        assert list(reading.skipped.values()) == ["the key of a quiz"]
        assert read(quiz, format="quiz") == reading.outcomes
        run("convert", quiz, "--log-format", "quiz")


class Failing(QuizFormat):
    """A format that fails in one place."""

    name = "failing"
    companions = (Companion(lambda file: Failing.fail("companion"), "beside it"),)
    place, fault = "", Exception()

    @classmethod
    def fail(cls, place):
        if cls.place == place:
            raise cls.fault
        return False

    def matches(self, file):
        return self.fail("matches") or (self.place == "read" and super().matches(file))

    def read(self, file, request):
        return self.fail("read") or super().read(file, request)


@pytest.fixture
def failing(monkeypatch, plug_in):
    def install(place, fault):
        monkeypatch.setattr(Failing, "place", place)
        monkeypatch.setattr(Failing, "fault", fault)
        plug_in(failing=Failing)

    return install


@pytest.mark.parametrize(
    "fault", [KeyError("model"), TypeError("two\nlines"), AttributeError(), IndexError(), ValueError()]
)
@pytest.mark.parametrize("place", ["read", "matches", "companion"])
def test_a_reader_that_fails_is_reported_with_the_file(quiz, failing, place, fault):
    failing(place, fault)
    kind = type(fault).__name__
    caught = refused(quiz, rf"quiz.json: the reader of format 'failing' failed with {kind}: ")
    assert "\n" not in str(caught)
    assert caught.__cause__ is fault
    quiz.with_name("table.csv").write_text("question,correct\nq1,1\nq2,0\n")
    skipped = recognise(quiz.parent, skip_bad=True, format=None if place == "read" else "table").skipped
    assert place != "read" or "failed with" in skipped[quiz]


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), SystemExit(), MemoryError(), ParameterError("wrong")])
@pytest.mark.parametrize("place", ["read", "matches", "companion"])
def test_what_is_not_about_the_file_passes(quiz, failing, place, fault):
    failing(place, fault)
    with pytest.raises(type(fault)) as caught:
        read(quiz)
    assert caught.value is fault


def test_the_documentation_and_the_fuzzer_know_every_format(tmp_path):
    built_in = set(formats())
    page = Path(__file__).parents[2] / "docs" / "readers.md"
    if page.exists():
        first_cells = re.findall(r"^\| (`[^|]*`) \|", page.read_text(), re.MULTILINE)
        assert built_in <= {name for cell in first_cells for name in re.findall(r"`([^`]+)`", cell)}
    found = set()
    for name, content in valid().items():
        path = placed(tmp_path, name, content)
        found.add(recognise(path).sources[0].format)
        matching = [each.name for each in formats().values() if not each.is_generic and each.matches(LogFile(path))]
        assert len(matching) < 2  # so that their order does not matter
    needs_duckdb = set() if importlib.util.find_spec("duckdb") else {"lighteval"}
    assert found == built_in - needs_duckdb


def test_plug_ins_that_are_wrong(plug_in, quiz):
    class InspectFormat(QuizFormat):
        name = "inspect"

    for wrong, message in [
        (object(), r"format plug-in 'wrong' \(helpers:wrong\) must be a scorio.io.Format with a name"),
        (Format, r"format plug-in 'wrong' \(helpers:wrong\) cannot be loaded: TypeError"),
        (InspectFormat, "two formats are called 'inspect'"),
    ]:
        plug_in(wrong=wrong)
        refused(quiz, message, by=ParameterError)


def test_the_contract_of_formats(quiz):
    check_format(QuizFormat(), quiz, TRUTH)
    with pytest.raises(AssertionError, match="quiz: the outcomes are the truth.*expected"):
        check_format(QuizFormat(), quiz, {"a": {"q1": [1.0], "q2": [0.0]}})
    with pytest.raises(AssertionError, match="takes an instance"):
        check_format(QuizFormat, quiz, TRUTH)


@pytest.mark.parametrize(
    ("attributes", "rule"),
    [
        ({"name": ""}, "the format has a name"),
        ({"options": frozenset({"color"})}, "its options are arguments of read"),
        ({"matches": lambda self, file: False}, "every file matches"),
        ({"matches": lambda self, file: True}, "files of other kinds do not match"),
    ],
)
def test_each_rule_is_checked(attributes, rule, quiz):
    with pytest.raises(AssertionError, match=rule):
        check_format(type("Wrong", (QuizFormat,), attributes)(), quiz, TRUTH)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "tables"}, "unknown format 'tables'. Did you mean 'table'?"),
        ({"format": "inspect"}, "m.jsonl: "),
        ({"task": "sum"}, "unknown task 'sum'. Did you mean 'sums'? Choose from: sums"),
        ({"score": "corect"}, "unknown column 'corect'. Did you mean 'correct'? Choose from: model, task"),
        ({"model": {"gtp": "GPT"}}, "model has an unknown name: unknown model 'gtp'. Did you mean 'gpt'?"),
        ({"fields": {"questions": "q"}}, "fields has an unknown role 'questions'. Did you mean 'question'?"),
    ],
)
def test_unknown_names_have_a_suggestion(options, message, tmp_path):
    row = {"model": "gpt", "task": "sums", "question": "q1", "correct": 1}
    path = write_lines(tmp_path / "task=x, model=m" / "m.jsonl", [row, row | {"question": "q2"}])
    error = refused(path, re.escape(message), by=ValueError, **options)
    assert options != {"format": "inspect"} or error.where == str(path)
    assert "'gtp' is neither the name of a model" in str(recognise(path, model={"gtp": "GPT"}))


def test_a_request_is_checked():
    with pytest.raises(ParameterError, match="grade must be a function"):
        Request(grade="exact")
    with pytest.raises(OutcomeError, match="there is no filter"):
        Request().choose("filter", [])


# The walker goes down a record as plain Python does, and every error names the place.


KEYS = st.sampled_from(["a", "b", "c.d", ""])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.floats(0, 1), st.sampled_from(["", "x"])),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


def down(value, keys):
    """What the keys lead to, null for what is not there; an error at the first key of what is no object."""
    for i, key in enumerate(keys):
        if value is not None and not isinstance(value, dict):
            return None, i
        value = None if value is None else value.get(key)
    return value, None


@given(st.dictionaries(KEYS, VALUES, max_size=3), st.lists(KEYS, min_size=1, max_size=3))
def test_it_goes_down_as_python_does(record, keys):
    found, fault = down(record, keys)
    at = At(record, "line 3")
    if fault is None:
        assert at[tuple(keys)].value == found
        assert "c.d" in keys or at[".".join(keys)].value == found
        assert at.peek(tuple(keys)).value == found
    else:
        with pytest.raises(OutcomeError, match="line 3: .*must be an object"):
            at[tuple(keys)]
        assert at.peek(tuple(keys)).value is None


CHECKS = {
    "obj": lambda value: value is None or isinstance(value, dict),
    "array": lambda value: value is None or isinstance(value, list),
    "text": lambda value: type(value) is int or (isinstance(value, str) and value != ""),
    "maybe": lambda value: (
        value is None or isinstance(value, (bool, float, int)) or (isinstance(value, str) and value != "")
    ),
    "flag": lambda value: value is None or isinstance(value, bool),
    "whole": lambda value: type(value) is int and value >= 0,
    "needed": lambda value: value is not None,
}


@pytest.mark.parametrize("name", CHECKS)
@given(value=VALUES)
def test_every_check_takes_what_it_says_and_names_the_place_of_other_values(name, value):
    at = At({"a": {"b": value}}, "line 3")["a.b"]
    if CHECKS[name](value):
        getattr(at, name)
    else:
        with pytest.raises(OutcomeError, match=r"^line 3: a\.b must be .*; got "):
            getattr(at, name)


def test_places_of_entries(tmp_path):
    log = At({"answers": [{"q": 1}, 5], "by": {"x": {"n": -1}}}, "line 3")
    assert [each.where for each in log["answers"].rows] == ["line 3: answers 0", "line 3: answers 1"]
    with pytest.raises(OutcomeError, match="^line 3: answers 1: it must be an object; got 5"):
        log["answers"].rows[1]["q"]
    [(name, entry)] = log["by"].items
    with pytest.raises(OutcomeError, match="^line 3: x: n must be a whole number; got -1"):
        entry["n"].whole
    assert name == "x"
    with pytest.raises(OutcomeError, match="^line 3: score: 'good' is not an outcome"):
        At({"score": "good"}, "line 3")["score"].to(Request().outcome)
    path = tmp_path / "log.jsonl"
    path.write_text('{"a": 1}\n\n{"a": []}\n')
    first, last = LogFile(path).walk()
    assert first["a"].text == "1"
    with pytest.raises(OutcomeError, match=r"^line 3: a must be a name or a whole number; got \[\]"):
        last["a"].text


def test_values_that_may_be_elsewhere_and_what_was_used():
    log = At(json.loads('{"alias": "", "model": "m", "time_ms": 1500, "tokens": {"in": 3, "out": "many"}}'))
    assert either(log["alias"], log["model"]).text == "m"
    assert (log["alias"].text_or("none"), log["lost"].text_or(None), log["lost"].whole_or(4)) == ("none", None, 4)
    used = log.spent(seconds="time_ms", input_tokens="tokens.in", output_tokens="tokens.out")
    assert used == {"seconds": 1.5, "input_tokens": 3}
    assert (log["tokens"].only(["in", "x"]), log["tokens"].without(["in"])) == ({"in": 3, "x": None}, {"out": "many"})
