"""promptfoo: ``promptfoo eval -o out.json`` or ``out.jsonl``, one result per provider, prompt, test and repeat."""

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from .. import At, Companion, Format, LogFile, Request, Run, Trial, either, grouped
from ..checks import conditions

_KEYS = {"provider", "prompt", "success", "namedScores"}  # of every result
_ERROR = 2  # the failureReason of a provider that failed, which is not a failed assertion
_SECRET = ("key", "secret", "token", "password", "header", "url")  # in the names of settings that are not shown
_CSV_COLUMNS = {"Status", "Score", "Named Scores", "Grader Reason"}
_COSTS = {"dollars": "cost", "input_tokens": "tokenUsage.prompt", "output_tokens": "tokenUsage.completion"}


def _is_csv(file: LogFile) -> bool:
    if file.is_json or b"\0" in file.head:
        return False
    columns = next(file.lines(), (0, ""))[1].strip().split(",")
    return _CSV_COLUMNS.issubset(name.strip('"') for name in columns)


class PromptfooFormat(Format):
    """Results of promptfoo."""

    name = "promptfoo"
    options = frozenset({"answers", "scores"})
    companions = (Companion(_is_csv, "promptfoo's CSV repeats its column names: export JSON, with -o out.json"),)
    noun = "metric"
    answers_from, scores_from = "response.output", "scores"

    def matches(self, file: LogFile) -> bool:
        return (file.first_row if file.first_row.has(*_KEYS) else file.at.peek("results.results").first).has(*_KEYS)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        is_rows = file.first_row.has(*_KEYS)
        rows = list(file.walk()) if is_rows else At(file.at["results.results"].value, "", "result").rows
        name_of, settings = _naming(rows), _settings(file)
        return [
            Run(
                model,
                [_trial(row, name_of(row)) for row in results],
                "promptfoo",  # each result has an id of its own, the same in JSON and in JSON lines
                usual=["success"],
                attempt="json lines" if file.is_lines else "json",
                conditions=conditions(prompt=prompt, provider=settings.get(model, {})),
            )
            for (model, prompt), results in grouped(rows, _arm).items()
        ]


def _settings(file: LogFile) -> dict[str, dict[str, Any]]:
    """Return the settings of the providers by label or id; those of JSON lines are in the JSON beside them."""
    log = file.beside(file.path.with_suffix(".json").name) if file.is_lines else file.at
    providers = log.peek("config.providers").value
    return {
        str(either(provider.peek("label"), provider.peek("id")).value): {
            name: value
            for name, value in provider.peek("config").plain.items()
            if isinstance(value, (str, int, float)) and not any(word in name.lower() for word in _SECRET)
        }
        for provider in (At(providers).rows if isinstance(providers, list) else ())
    }


def _naming(rows: list[At]) -> Callable[[At], str]:
    """Return how results are named by questions: the description of the test if it is unique, else the variables."""
    tests: dict[str, set[tuple[str, str]]] = defaultdict(set)
    checks: dict[str, dict[str, int]] = defaultdict(dict)  # the numbers of the assertions of equal variables
    for row in rows:
        description, variables, check = _test(row)
        tests[description].add((variables, check))
        checks[variables].setdefault(check, len(checks[variables]) + 1)

    def name_of(row: At) -> str:
        description, variables, check = _test(row)
        if description and len(tests[description]) == 1:
            return description
        return f"{variables} [assertions {checks[variables][check]}]" if len(checks[variables]) > 1 else variables

    return name_of


def _test(row: At) -> tuple[str, str, str]:
    """Return the description, the variables and the assertions of the test of a result."""
    variables, about = either(row["vars"], row["testCase.vars"]).value or {}, row["testCase.description"]
    check = json.dumps(row["testCase.assert"].value, sort_keys=True)
    return str(about.maybe if about else ""), json.dumps(variables, sort_keys=True, ensure_ascii=False), check


def _arm(row: At) -> tuple[str, str]:
    """Return the model and the prompt of a result."""
    prompt = either(row["prompt.label"], row["prompt.raw"]).value or row["promptIdx"].value
    return either(row["provider.label"], row["provider.id"]).text, str(prompt)


def _trial(row: At, question: str) -> Trial:
    response, is_lost = row["response"].value, row["failureReason"].value == _ERROR
    success = At(None if is_lost else row["success"].needed.flag)
    scores = {"success": success, "score": row["score"], **dict(row["namedScores"].items)}
    return Trial(
        question,
        row["id"].text,
        used=row.spent(**_COSTS),
        answer=response.get("output") if isinstance(response, dict) else response,
        scores=dict.fromkeys(scores) if is_lost else scores,
    )
