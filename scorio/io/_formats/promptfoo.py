"""promptfoo: ``promptfoo eval -o out.json`` or ``out.jsonl``, one result per provider, prompt, test and repeat."""

import json
import re
from collections import defaultdict
from typing import Any

from .._files import LogFile, beside
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from .._walk import At, either
from ..checks import by_trial, conditions, spent, sums

_KEYS = {"provider", "prompt", "success", "namedScores"}  # of every result
_START = 200  # bytes in which the first element of XML is looked for
_ERROR = 2  # the failureReason of a provider that failed, which is not a failed assertion
_SECRET = ("key", "secret", "token", "password", "header", "url")  # in the names of settings that are not shown
_CSV_COLUMNS = {"Status", "Score", "Named Scores", "Grader Reason"}
_IDENTITY = "promptfoo"  # each result has an id of its own, the same in JSON and in JSON lines


def _is_csv(file: LogFile) -> bool:
    if file.is_json or b"\0" in file.head:
        return False
    columns = next(file.lines(), (0, ""))[1].strip().split(",")
    return _CSV_COLUMNS.issubset(name.strip('"') for name in columns)


def _is_other_export(file: LogFile) -> bool:
    """Return whether a file is the configuration, or the results as YAML or XML."""
    start = file.head.lstrip()
    return (
        start.startswith((b"evalId:", b"# yaml-language-server: $schema=https://promptfoo"))
        or b"<promptfoo" in start[:_START]
        or (not file.is_json and all(re.search(rb"(?m)^%b:" % key, file.head) for key in (b"prompts", b"providers")))
    )


class PromptfooFormat(Format):
    """Results of promptfoo."""

    name = "promptfoo"
    options = frozenset({"score", "answers", "scores"})
    companions = (
        Companion(_is_csv, "promptfoo's CSV repeats its column names: export JSON, with -o out.json"),
        Companion(_is_other_export, "promptfoo's configuration, or its results as YAML or XML: export JSON"),
    )

    def matches(self, file: LogFile) -> bool:
        results = None if file.row_has_keys(*_KEYS) else _results(file).value
        first = next(iter(results), None) if isinstance(results, list) else file.first_row
        return isinstance(first, dict) and first.keys() >= _KEYS

    def read(self, file: LogFile, request: Request) -> list[Run]:
        rows = list(file.walk()) if file.row_has_keys(*_KEYS) else _results(file).needed.rows
        names = dict.fromkeys(name for row in rows for name in row["namedScores"].obj)
        measure = request.choose("score", ["success", "score", *names], "metric") if request.score else "success"
        numbered = any(row["id"].value is None for row in rows)  # as older versions wrote them
        runs: dict[tuple[str, str], list[tuple[At, Trial]]] = defaultdict(list)
        for i, (row, question) in enumerate(zip(rows, _questions(rows), strict=True)):
            trial = Trial(question, i if numbered else row["id"].text, _outcome(row, measure, request))
            runs[_model(row), _prompt(row)].append((row, trial))
        settings, made = _settings(file), []
        for (model, prompt), own in runs.items():
            used = [_spent(row) for row, _ in own]
            run = Run(
                model,
                [trial for _, trial in own],
                file.digest if numbered else _IDENTITY,
                measure=measure,
                attempt="" if numbered else "json lines" if file.is_lines else "json",
                conditions=conditions(prompt=prompt, provider=settings.get(model, {})),
                origin=sums(used),
                trial_costs=by_trial(used),
                notes={"score": measure},
            )
            answers, scores = (_output(row) for row, _ in own), (_scores(row) for row, _ in own)
            made.append(with_samples(run, request, answers, scores, answers_from="response.output"))
        return made


def _results(file: LogFile) -> At:
    """Return the list of results: older versions wrote no other part of the document."""
    results = At(file.document).peek("results")
    return At(results["results"] if isinstance(results, dict) and "results" in results else results, "", "result")


def _output(row: At) -> Any:
    """Return what the provider answered, unless it failed."""
    response = row["response"].value
    return response.get("output") if isinstance(response, dict) else response


def _scores(row: At) -> dict[str, Any]:
    """Return the score of a result, and those with names."""
    return {"score": row["score"].value} | row["namedScores"].obj


def _spent(row: At) -> dict[str, float]:
    """Return what a result used."""
    tokens = {"input_tokens": row.peek("tokenUsage.prompt"), "output_tokens": row.peek("tokenUsage.completion")}
    return spent(dollars=row["cost"].value, **tokens)


def _settings(file: LogFile) -> dict[str, dict[str, Any]]:
    """Return the settings of the providers by label or id; those of JSON lines are in the JSON beside them."""
    log = beside(file.path.with_suffix(".json")) if file.is_lines else At(file.document)
    providers = log.peek("config.providers")
    return {
        str(each.get("label") or each.get("id")): {
            name: value
            for name, value in each["config"].items()
            if isinstance(value, (str, int, float)) and not any(word in name.lower() for word in _SECRET)
        }
        for each in (providers if isinstance(providers, list) else [])
        if isinstance(At(each).peek("config"), dict)
    }


def _questions(rows: list[At]) -> list[str]:
    """Return the question of each result: the description of its test if it is unique, else the variables."""
    tests = []
    for row in rows:
        variables = either(row["vars"], row["testCase.vars"]).value or {}
        asked = json.dumps(variables, sort_keys=True, ensure_ascii=False)
        check = json.dumps(row["testCase.assert"].value, sort_keys=True)
        about = row["testCase.description"]
        tests.append((str(about.maybe) if about else "", asked, check))
    of: dict[str, set[tuple[str, str]]] = defaultdict(set)
    checks: dict[str, dict[str, int]] = defaultdict(dict)  # the numbers of the assertions of equal variables
    for description, variables, check in tests:
        of[description].add((variables, check))
        checks[variables].setdefault(check, len(checks[variables]) + 1)

    def named(variables: str, check: str) -> str:
        several = len(checks[variables]) > 1
        return f"{variables} [assertions {checks[variables][check]}]" if several else variables

    return [about if about and len(of[about]) == 1 else named(variables, check) for about, variables, check in tests]


def _model(row: At) -> str:
    provider = row["provider"]  # the first versions wrote its id alone
    return provider.text if isinstance(provider.value, str) else either(provider["label"], provider["id"]).text


def _prompt(row: At) -> str:
    return str(either(row["prompt.label"], row["prompt.raw"]).value or row["promptIdx"].value)


def _outcome(row: At, measure: str, request: Request) -> float | None:
    lost = _ERROR if row["error"] and not row["gradingResult"] else 0  # in the results of older versions
    if row.obj.get("failureReason", lost) == _ERROR:
        return None
    if measure == "success":
        return request.outcome(row["success"].needed.flag)
    return (row if measure == "score" else row["namedScores"])[measure,].to(request.outcome)
