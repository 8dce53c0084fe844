"""promptfoo: ``promptfoo eval -o out.json`` or ``out.jsonl``, one result per provider, prompt, test and repeat."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile, beside
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from ..checks import by_trial, conditions, items, label, mapping, maybe_label, spent, sums, within

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
        if file.row_has_keys(*_KEYS):
            return True
        results = _log(file.document).get("results")
        return isinstance(results, list) and isinstance(next(iter(results), None), dict) and results[0].keys() >= _KEYS

    def read(self, file: LogFile, request: Request) -> list[Run]:
        rows = list(_results(file))
        questions = _questions(rows)
        names = dict.fromkeys(name for _, row in rows for name in mapping(row.get("namedScores") or {}, "namedScores"))
        measure = request.choose("score", ["success", "score", *names], "metric") if request.score else "success"
        numbered = any(row.get("id") is None for _, row in rows)  # as older versions wrote them
        runs: dict[tuple[str, str], list[Trial]] = defaultdict(list)
        used: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
        of: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        for i, ((place, row), question) in enumerate(zip(rows, questions, strict=True)):
            with within(place):
                key = i if numbered else label(row["id"], "id")
                trial = Trial(question, key, _outcome(row, measure, request))
                runs[_model(row), _prompt(row)].append(trial)
                used[_model(row), _prompt(row)].append(_spent(row))
                of[_model(row), _prompt(row)].append(row)
        settings = _settings(file)
        made = [
            Run(
                model,
                trials,
                file.digest if numbered else _IDENTITY,
                measure=measure,
                attempt="" if numbered else "json lines" if file.is_lines else "json",
                conditions=conditions(prompt=prompt, provider=settings.get(model, {})),
                origin=sums(used[model, prompt]),
                trial_costs=by_trial(used[model, prompt]),
                notes={"score": measure},
            )
            for (model, prompt), trials in runs.items()
        ]
        return [
            with_samples(run, request, map(_output, own), map(_scores, own), answers_from="response.output")
            for run, own in zip(made, (of[key] for key in runs), strict=True)
        ]


def _output(row: dict[str, Any]) -> Any:
    """Return what the provider answered, unless it failed."""
    response = row.get("response")
    return response.get("output") if isinstance(response, dict) else response


def _scores(row: dict[str, Any]) -> dict[str, Any]:
    """Return the score of a result, and those with names."""
    return {"score": row.get("score")} | mapping(row.get("namedScores") or {}, "namedScores")


def _spent(row: dict[str, Any]) -> dict[str, float]:
    """Return what a result used."""
    usage = row.get("tokenUsage")
    tokens = usage if isinstance(usage, dict) else {}
    return spent(dollars=row.get("cost"), input_tokens=tokens.get("prompt"), output_tokens=tokens.get("completion"))


def _log(document: Any) -> dict[str, Any]:
    """Return the part of a document that holds the results: older versions wrote no other part."""
    results = document.get("results") if isinstance(document, dict) else None
    return results if isinstance(results, dict) else document if isinstance(results, list) else {}


def _settings(file: LogFile) -> dict[str, dict[str, Any]]:
    """Return the settings of the providers by label or id; those of JSON lines are in the JSON beside them."""
    log = beside(file.path.with_suffix(".json")).obj if file.is_lines else file.document
    config = log.get("config") if isinstance(log, dict) else None
    providers = config.get("providers") if isinstance(config, dict) else None
    return {
        str(each.get("label") or each.get("id")): {
            name: value
            for name, value in each["config"].items()
            if isinstance(value, (str, int, float)) and not any(word in name.lower() for word in _SECRET)
        }
        for each in (providers if isinstance(providers, list) else [])
        if isinstance(each, dict) and isinstance(each.get("config"), dict)
    }


def _results(file: LogFile) -> Iterator[tuple[str, dict[str, Any]]]:
    if file.row_has_keys(*_KEYS):
        yield from file.records()
        return
    for i, row in enumerate(items(_log(file.document).get("results"), "results")):
        yield f"result {i}", mapping(row, f"result {i}")


def _questions(rows: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Return the question of each result: the description of its test if it is unique, else the variables."""
    pairs = []
    for place, row in rows:
        with within(place):
            test = mapping(row.get("testCase") or {}, "testCase")
            variables = json.dumps(row.get("vars") or test.get("vars") or {}, sort_keys=True, ensure_ascii=False)
            description = maybe_label(test.get("description") or None, "description")
            pairs.append((description, variables, json.dumps(test.get("assert"), sort_keys=True)))
    of: dict[str | None, set[tuple[str, str]]] = defaultdict(set)
    checks: dict[str, dict[str, int]] = defaultdict(dict)  # the numbers of the assertions of equal variables
    for description, variables, check in pairs:
        of[description].add((variables, check))
        checks[variables].setdefault(check, len(checks[variables]) + 1)
    return [
        description
        if description and len(of[description]) == 1
        else f"{variables} [assertions {checks[variables][check]}]"
        if len(checks[variables]) > 1
        else variables
        for description, variables, check in pairs
    ]


def _model(row: dict[str, Any]) -> str:
    provider = row.get("provider")  # the first versions wrote its id alone
    about = {"id": provider} if isinstance(provider, str) else mapping(provider, "provider")
    return label(about.get("label") or about.get("id"), "provider.id")


def _prompt(row: dict[str, Any]) -> str:
    prompt = mapping(row.get("prompt") or {}, "prompt")
    return str(prompt.get("label") or prompt.get("raw") or row.get("promptIdx"))


def _outcome(row: dict[str, Any], measure: str, request: Request) -> float | None:
    if row.get("failureReason", _reason(row)) == _ERROR:
        return None
    value = (
        row.get(measure)
        if measure in ("success", "score")
        else mapping(row.get("namedScores") or {}, "namedScores").get(measure)
    )
    if measure == "success" and not isinstance(value, bool):
        raise OutcomeError(f"success must be true or false; got {value!r}")
    return request.outcome(value)


def _reason(row: dict[str, Any]) -> int:
    """Return the reason of a failure in the results of older versions: what was not graded has failed before."""
    return _ERROR if row.get("error") and not row.get("gradingResult") else 0
