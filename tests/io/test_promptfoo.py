"""promptfoo: results as JSON and JSON lines, with repeats, several prompts and errors of the provider."""

from helpers.written import counts, write_json, write_lines
from scorio import read
from scorio.io import recognise


def result(id, *, model="m", test="t", variables=None, prompt="Say {{q}}", success=True, reason=0, score=1.25):
    return {
        "id": id,
        "provider": {"id": "echo", "label": model},
        "prompt": {"raw": prompt, "label": prompt},
        "promptIdx": 0,
        "testIdx": 0,
        "testCase": {"description": test} if test else {},
        "vars": variables or {"q": "1"},
        "success": success,
        "score": score,
        "namedScores": {} if reason == 2 else {"exact": float(success)},
        "failureReason": reason,
    }


ROWS = [result("a"), result("b", success=False, reason=1, score=0.25), result("c", success=False, reason=2, score=0)]


def document(rows):
    return {
        "evalId": "eval-1",
        "results": {"version": 3, "timestamp": "", "prompts": [], "results": rows},
        "config": {},
    }


def test_the_same_results_in_two_files_count_once(tmp_path):
    write_json(tmp_path / "out.json", document(ROWS))
    write_lines(tmp_path / "out.jsonl", ROWS)
    (tmp_path / "out.csv").write_text(
        '"q","[m] Say","Status","Score","Named Scores","Grader Reason","Status"\n1,2,3,4,5,6,7\n'
    )
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {"m": {"t": [1, 1]}}
    assert reading.outcomes["m"].planned_trials.tolist() == [3]
    assert "promptfoo's CSV repeats its column names" in str(reading)


def test_models_prompts_and_questions(tmp_path):
    rows = [
        result("a", test="", variables={"q": "1", "a": "x"}),
        result("b", test="twice", variables={"q": "2"}),
        result("c", test="twice", variables={"q": "3"}),
        result("d", model="", test="", variables={"q": "2"}),
        result("e", prompt="Tell {{q}}", variables={"q": "2"}, test="", success=False),
    ]
    outcomes = read(write_lines(tmp_path / "out.jsonl", rows))
    assert outcomes.models == ("m [prompt=Say {{q}}]", "echo", "m [prompt=Tell {{q}}]")
    assert outcomes.questions == ('{"a": "x", "q": "1"}', '{"q": "2"}', '{"q": "3"}')


def test_tests_with_equal_variables_and_other_assertions_are_two_questions(tmp_path):
    rows = [result(str(i), test="") for i in range(4)]
    for i, row in enumerate(rows):
        row["testCase"] = {"assert": [{"type": "equals", "value": str(i % 2)}]}
    names = ['{"q": "1"} [assertions 1]', '{"q": "1"} [assertions 2]']
    assert counts(read(write_lines(tmp_path / "out.jsonl", rows))) == {"m": {name: [0, 2] for name in names}}


def test_settings_of_the_provider_are_conditions(tmp_path):
    """The JSON lines of a run have the settings of the JSON beside them."""
    for name, heat in (("cold", 0), ("hot", 1)):
        provider = {"id": "echo", "label": "m", "config": {"temperature": heat, "apiKey": name}}
        rows = [result(f"{name} {i}", success=bool(heat)) for i in range(2)]
        write_json(tmp_path / f"{name}.json", document(rows) | {"config": {"providers": [provider, "openai:gpt"]}})
        write_lines(tmp_path / f"{name}.jsonl", rows)
    assert counts(read(tmp_path)) == {"m [temperature=0]": {"t": [2, 0]}, "m [temperature=1]": {"t": [0, 2]}}
