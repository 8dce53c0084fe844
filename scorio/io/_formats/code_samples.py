"""Benchmarks that run generated code: LiveCodeBench, BigCodeBench, evalplus and human-eval.

LiveCodeBench writes ``*_eval_all.json`` with a list of outcomes per question; BigCodeBench ``*_eval_results.json`` with
a status per answer; evalplus the same with two statuses, on the base tests and on the extra tests; human-eval
``*_results.jsonl`` with one row per completion that says whether it passed, whose trials are in file order.
"""

import re

from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with, either, records_with
from ..checks import conditions, model_of_path, shown

_LIVE_NAME = re.compile(r"(?:Scenario\.)?(?P<scenario>[a-z]+)_\d+_(?P<temperature>[\d.]+)(?:_.*)?_eval_all\.json")
_BIG_NAME = re.compile(
    r"(?P<model>.+?)(?:--main)?--(?P<task>bigcodebench[a-z-]*?)"
    r"(?:--(?P<backend>.+?)-(?P<temperature>[\d.]+)-\d+-?(?P<variant>.*?))?_eval_results\.json"
)
_STATUSES = {"pass": 1.0, "fail": 0.0, "timeout": 0.0, None: None}  # a time-out is a failure, as for the tools
_UNSCORED = {"task_id", "completion", "solution", "raw_solution", "prompt", "entry_point", "canonical_solution", "test"}


class LiveCodeBenchFormat(Format):
    """Graded answers of LiveCodeBench."""

    name = "livecodebench"
    layouts = (records_with("question_id", "graded_list"),)
    companions = (
        Companion(records_with("pass@1", "detail"), "means of LiveCodeBench: its trials are in *_eval_all.json"),
        Companion(records_with("question_id", "output_list"), "answers of LiveCodeBench: run it with --evaluate"),
    )

    def read(self, file: LogFile, request: Request) -> Run:
        name = file.named(_LIVE_NAME)
        trials: list[Trial] = []
        for row in file.walk():
            question = either(row["id"], row["question_id"]).text
            if row["test_id"].value is not None:  # some scenarios ask several questions about one problem
                question = f"{question}/{row['test_id'].text}"
            grades = row["graded_list"].needed.rows
            trials += (Trial(question, key, request.outcome(grade.flag)) for key, grade in enumerate(grades))
        if not name:
            return Run(model_of_path(file.path).removesuffix("_eval_all"), trials, model_from="file name")
        settings = conditions(temperature=name["temperature"])
        return Run(file.folder.name, trials, task=name["scenario"], model_from="folder", conditions=settings)


def _first_answer(file: LogFile) -> At:
    """Return the first answer of results that are by question."""
    results = file.at.peek("eval").plain.values()
    return At(next((answers[0] for answers in results if isinstance(answers, list) and answers), None))


def _answers(file: LogFile) -> list[tuple[str, int, At]]:
    """Return the question, the number and the entry of each answer of results that are by question."""
    by_question = file.at["eval"].items
    return [(question, i, entry) for question, entries in by_question for i, entry in enumerate(entries.needed.rows)]


class BigCodeBenchFormat(Format):
    """Results of BigCodeBench, with one status per answer."""

    name = "bigcodebench"
    companions = (Companion(document_with("pass@1", "split"), "means of BigCodeBench: read *_eval_results.json"),)

    def matches(self, file: LogFile) -> bool:
        return _first_answer(file).has("status")

    def read(self, file: LogFile, request: Request) -> Run:
        name = file.named(_BIG_NAME)
        trials = [Trial(question, key, entry["status"].meaning(_STATUSES)) for question, key, entry in _answers(file)]
        origin = {"date": file.at["date"].value}
        if not name:
            return Run("", trials, origin=origin)
        return Run(
            name["model"].replace("--", "/"),
            trials,
            task=name["task"],
            model_from="folder",
            conditions=conditions(**{key: name.get(key) for key in ("backend", "temperature", "variant")}),
            origin=origin,
        )


class EvalPlusFormat(Format):
    """Results of EvalPlus, with statuses on base and extra tests; "plus" needs both."""

    name = "evalplus"
    noun = "test suite"

    def matches(self, file: LogFile) -> bool:
        return _first_answer(file).has("base_status")

    def read(self, file: LogFile, request: Request) -> Run:
        answers = _answers(file)
        has_plus = any(entry["plus_status"].value is not None for *_, entry in answers)
        names = ("base", "plus") if has_plus else ("base",)
        trials = []
        for question, key, entry in answers:
            passed = [entry[f"{name}_status"].meaning(_STATUSES) for name in names]
            both = 0.0 if 0.0 in passed else None if None in passed else 1.0
            trials.append(Trial(question, key, scores=dict(zip(names, (passed[0], both), strict=False))))
        return Run("", trials)


class HumanEvalFormat(Format):
    """Results of human-eval, one row per completion."""

    name = "human-eval"
    companions = (
        Companion(
            lambda file: file.first_row.has("task_id") and file.first_row.obj.keys() < _UNSCORED,
            "completions that were not run against their tests: read their *_results.jsonl",
        ),
    )

    def matches(self, file: LogFile) -> bool:
        is_table = any(file.first_row.has(name) for name in ("model", "trial"))  # which the tool does not write
        return file.first_row.has("task_id", "passed", "result") and not is_table

    def read(self, file: LogFile, request: Request) -> Run:
        trials = []
        for row in file.walk():
            if "passed" not in row:
                raise row.fault("it has no 'passed'")
            outcome = row["passed"].to(request.outcome)
            if outcome not in (None, 0.0, 1.0):
                raise row.fault(f"passed must be true or false; got {shown(row['passed'].value)}")
            trials.append(Trial(row["task_id"].text, None, outcome))
        return Run("", trials)
