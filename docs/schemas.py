"""Write the JSON schemas of what commands write with ``--format json``: ``python docs/schemas.py``.

The commands below are run on the example logs, and what they write is described: the fields, their types, and whether
they are always there. Numbers may be null, which stands for what no number is (infinite, or not known). A new field is
no new version; a field that is gone or means something else is one.
"""

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from scorio.cli._program import program

ROOT = Path(__file__).parents[1]
FOLDER, PAGE = Path(__file__).parent / "schemas", Path(__file__).parent / "export.md"
END = "<!-- end of schemas -->"
LOGS, DATA = str(ROOT / "examples/logs/inspect"), ROOT / "examples/data"
PAIR = ("--between", "borealis-70b", "aurora-70b")
PRICES = tuple(
    part
    for name, price in (("aurora-70b", 0.07), ("borealis-70b", 0.06), ("cirrus-7b", 0.05), ("drizzle-1b", 0.03))
    for part in ("--cost", f"{name}={price}")
)
CLAIMS = {
    "claim": [
        {"best": "aurora-70b"},
        {"holds": "`aurora-70b` > `cirrus-7b` + 0.02", "says": "A leads"},
        {"top": "aurora-70b", "k": 2, "metric": "pass@2"},
        {"holds": "`borealis-70b` > 0.9 * `aurora-70b`"},
    ]
}
COUNTED = "model,question,trial,correct,usd\n" + "".join(
    f"{model},q{q},{t},{int((q * 7 + t * 3 + shift) % 5 < 3)},{0.1 + 0.05 * ((q + t) % 4)}\n"
    for model, shift in (("new", 0), ("old", 1))
    for q in range(12)
    for t in range(4)
)
# The calls that show what a command may write, by command, or by command and kind of answer. Names in braces are files.
CALLS: dict[str, list[tuple[str, ...]]] = {
    "compare": [(LOGS, *PAIR), (LOGS, *PAIR, "-m", "pass@1", "-m", "pass@4"), ("{priced}", "--cost", "dollars")],
    "compare-arms": [(str(ROOT / "examples/skill"),), (LOGS, *PAIR, "--margin", "0.1")],
    "costs": [(LOGS, *PRICES), ("{priced}", "--per", "success"), (LOGS, *PRICES, "-m", "pass@2", "--limit", "0.14")],
    "curve": [
        (LOGS, "-m", "pass", "-m", "passhat"),
        (LOGS, *(each for name in PAIR[1:] for each in ("--only", name)), "-k", "4,6,1000"),
        (LOGS, "-m", "passhat", "-k", "6,24", "--confidence", "0.4"),
    ],
    "doctor": [(LOGS,), ("{priced}",)],
    "factors": [(str(DATA / "prompts.csv"), "--factor", "prompt")],
    "gate": [
        (LOGS, *PAIR),
        (LOGS, *PAIR, "--max-drop", "5%", "--mode", "noninferior", "--no-new-failures", "-m", "pass@1", "-m", "pass@2"),
        (LOGS, *PAIR, "--mode", "equivalent", "--max-drop", "0.2", "--per-question", "0.5"),
        ("{priced}", "--between", "new", "old", "--max-cost-rise", "20%"),
        (f"{LOGS}/aurora-70b.json", "--per-question", "0.5"),
    ],
    "gate-file": [(LOGS, "--file", "{claims}")],
    "gap": [
        (str(DATA / "seen.csv"), "--sets", str(DATA / "seen-dates.csv"), "--cut", "2024-06-01", "--suspect", "amber")
    ],
    "history": [(LOGS, "--only", "aurora-70b"), ("{priced}",)],
    "horizon": [(str(DATA / "horizons.jsonl"), "--at", ".5")],
    "judge": [(LOGS, "--labels", str(DATA / "labels.csv"))],
    "plan": [(LOGS,), (LOGS, "-m", "pass@2", "--half-width", "0.02")],
    "plan-design": [("--questions", "50", "--trials", "4", "--difference", "0.1")],
    "questions": [(LOGS,), (LOGS, "--top", "4", "--sort", "disagreement")],
    "questions-baseline": [(LOGS, *PAIR), ("{priced}", "--between", "new", "old")],
    "rank": [(LOGS,), (LOGS, "-m", "pass@1", "-m", "pass@2", "--family", "holm"), ("{priced}",)],
    "score": [(LOGS,), (LOGS, "-m", "pass@1", "-m", "pass^4", "--target", "population"), ("{priced}",)],
    "score-list": [("--list",)],
    "subset": [(LOGS, "--choose", "20", "--write-sample", "{sample}")],
    "watch": [(LOGS, "--trials", "64", "--half-width", "0.05")],
}
FIELDS = {  # what fields of any command mean
    "settings": "what was asked, and what is about the whole answer",
    "rows": "one record per line of the answer",
    "inputs": "the files that were read",
    "file": "the name of the file",
    "bytes": "its size",
    "sha256": "its SHA-256 digest",
    "verdict": "what follows, in a word",
    "exit_code": "the exit code of the command",
    "confidence": "one minus the error rate of intervals and verdicts",
    "target": "whether the answer is about these questions or the population that they are from",
    "task": "the task, or overall; empty if the logs name none",
    "metric": "the metric",
    "model": "the model",
    "lo": "the lower end of the interval, or the lower bound",
    "hi": "the upper end of the interval, or the upper bound",
    "mu": "the posterior mean",
    "sigma": "the standard deviation of the posterior",
    "score": "the score of the recorded trials; null where they are too few for it",
    "difference": "the first model's value minus the second's, or the new one's minus the baseline's",
    "p_value": "the p-value of the difference",
    "p_corrected": "a p-value that is corrected for the number of tests",
    "effort": "how many times as many trials would decide it with 80% probability; null if decided or not realistic",
    "max_drop": "the accepted drop: a number, a percentage as text, or these by task",
    "ratio": "the new value over the baseline's",
    "weights": "the weights of the tasks",
    "runs": "how trials of one run are taken, or the number of runs by model",
}
WORDS = {  # what texts may be
    ("gate", "verdict"): ["passed", "failed", "undecided"],
    ("gate-file", "kind"): ["best", "top", "holds"],
}
BY_NAME = {"leader"}  # fields that are mappings from names
GIVEN = {  # arguments that are given back as they were given, of any type
    *(
        "prior",
        "shape",
        "looks",
        "runs",
        "task_weights",
        "weights",
        "cost",
        "limit",
        "max_drop",
        "max_rise",
        "rng",
        "levels",
    ),
    *("half_width", "level", "budget", "date", "property", "seed", "names", "bounds", "question"),
}


def answers(command: str) -> list[dict[str, Any]]:
    """Return what the calls of a command write as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        files = {
            "{claims}": (Path(folder, "claims.json"), json.dumps(CLAIMS)),
            "{priced}": (Path(folder, "priced.csv"), COUNTED),
        }
        for path, text in files.values():
            path.write_text(text, encoding="utf-8")
        named = {name: str(path) for name, (path, _) in files.items()}
        named["{sample}"] = str(Path(folder, "sample.csv"))
        name = command.partition("-")[0]
        return [written(name, [named.get(each, each) for each in call]) for call in CALLS[command]]


def written(command: str, arguments: Sequence[str]) -> dict[str, Any]:
    """Return what one call writes as JSON."""
    done = CliRunner().invoke(program, [command, *arguments, "-q", "--format", "json"], prog_name="scorio")
    if done.exit_code not in (0, 1, 3):
        raise RuntimeError(f"scorio {command} {' '.join(arguments)}: {done.output}")
    return json.loads(done.stdout)


def schema_of(command: str, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of what a command writes; a kind of its answers is behind a hyphen."""
    [version] = {each["settings"]["schema"] for each in found}
    made = _described(command, "", found)
    made["properties"]["settings"]["properties"]["schema"] = {"const": version}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": version}
    name = command.replace("-", " --")
    return {**head, "description": f"What scorio {name} writes with --format json.", **made}


def _described(command: str, name: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return the schema of some values of a field."""
    if name in GIVEN:
        return {"description": FIELDS[name]} if name in FIELDS else {}
    kinds = {_kind(each) for each in values}
    if kinds == {"null"}:  # what else it may be, no call has shown
        kinds = set()
    if "number" in kinds:
        kinds = (kinds - {"integer"}) | {"null"}
    made: dict[str, Any] = {"description": FIELDS[name]} if name in FIELDS else {}
    if kinds:
        made["type"] = sorted(kinds) if len(kinds) > 1 else min(kinds)
    records = [each for each in values if isinstance(each, dict)]
    if records and name in BY_NAME:
        made["additionalProperties"] = _described(command, "", [own for each in records for own in each.values()])
    elif records:
        keys = dict.fromkeys(key for each in records for key in each if "_per_trial" not in key)  # names of costs
        made["properties"] = {key: _described(command, key, [r[key] for r in records if key in r]) for key in keys}
        made["required"] = [key for key in keys if all(key in each for each in records)]
    items = [own for each in values if isinstance(each, list) for own in each]
    if items:
        made["items"] = _described(command, "", items)
    if (command, name) in WORDS and kinds == {"string"}:
        made["enum"] = WORDS[command, name]
    return made


def _kind(value: Any) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    return "null" if value is None else names[type(value)]


def main() -> None:
    """Write the schema of each command, or of those that are named."""
    FOLDER.mkdir(exist_ok=True)
    for command in sys.argv[1:] or CALLS:
        made = schema_of(command, answers(command))
        (FOLDER / f"{command}.json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    links = [f"[{each}](schemas/{each}.json)" for each in CALLS]
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition("<!-- schemas -->\n")
    PAGE.write_text(f"{before}{begin}{', '.join(links)}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
