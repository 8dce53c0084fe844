"""The command line, called in this process, and the files that its calls read."""

import contextlib
import csv
import io
import itertools
import json
import os
import random
import re
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

from scorio.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"


def command(name: str, *paths, **options):
    """Run a command, and return its exit code, its output, the files it wrote and how often it warned.

    The option ``half_width=0.1`` is ``--half-width 0.1``, a list gives an option several times, and True is a flag.
    Output is asked for as JSON unless there is a ``format``; ``json=False`` is for commands without.
    """
    if options.pop("json", True) and "format" not in options:
        options["format"] = "json"
    given = [word for option, value in options.items() for word in spelt(option, value)]
    home, out, said = Path.cwd(), io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        try:
            os.chdir(folder)
            code = exit_code(["scorio", name, *map(str, paths), *given], out, said)
            places = {folder: "HERE", str(EXAMPLES): "EXAMPLES"}
            places |= {str(path.parent): "FILES" for path in (*paths, *options.values()) if isinstance(path, Path)}
            files = {str(path.relative_to(folder)): content(path, places) for path in written_in(folder)}
        finally:
            os.chdir(home)
    warned = said.getvalue().count("Warning") + said.getvalue().lower().count("warning:")
    return {"exit": code, "output": parsed(out.getvalue(), places), "files": files, "warned": warned}


def spelt(option: str, value) -> list[str]:
    flag = f"-{option.rstrip('_')}" if len(option.rstrip("_")) == 1 else f"--{option.rstrip('_').replace('_', '-')}"
    if value is True:
        return [flag]
    values = value if isinstance(value, list) else [value]
    return [word for each in values for word in (flag, *(map(str, each) if isinstance(each, tuple) else [str(each)]))]


def exit_code(words: list[str], out: io.StringIO, said: io.StringIO) -> int:
    with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def parsed(text: str, places: dict[str, str]):
    """The content of a text, in which the names of folders and the time, which differ from run to run, are words."""
    for place, word in places.items():
        text = text.replace(place, word)
    text = re.sub(rf"{datetime.now(UTC):%Y-%m-%d}T[\d:.]+Z", "NOW", text)
    try:
        return json.loads(text)
    except ValueError:
        return text


def written_in(folder: str) -> list[Path]:
    return sorted(path for path in Path(folder).rglob("*") if path.is_file())


def content(path: Path, places: dict[str, str]):
    if path.suffix in (".svg", ".png"):
        return "a picture"  # matplotlib's, which differs from one version to the next
    try:
        return parsed(path.read_text(encoding="utf-8"), places) if path.stat().st_size < 400_000 else "large"
    except UnicodeDecodeError:
        return "binary"


def write_files(folder: Path) -> Path:
    """Write tables and settings that commands read: two tasks with costs and answers, claims, a baseline."""
    rng = random.Random(5)
    skill = {"amber": 0.5, "basil": 0.6, "cedar": 0.75}
    names = ("model", "task", "question", "trial", "date", "group", "correct", "dollars", "answer", "minutes")
    rows = []
    for model, task, q, trial in itertools.product(skill, ("chess", "go"), range(12), range(4)):
        right = int(rng.random() < skill[model] + (q - 6) / 20 - 0.2 * (task == "go"))
        answer = 0 if right else rng.randint(1, 3)
        dollars = round(rng.uniform(0.5, 1.5) * skill[model], 3)
        rows.append((model, task, f"{task}-{q}", trial, f"2026-0{trial + 1}-01", q // 3, right, dollars, answer, 2**q))
    _table(folder / "tasks.csv", names, rows)
    _table(folder / "chess.csv", names, [row for row in rows if row[1] == "chess"])
    _table(folder / "older.csv", names, [row for row in rows if row[3] < 2])
    _table(folder / "newer.csv", names, [(*row[:6], int(row[6] and row[2] != "chess-3"), *row[7:]) for row in rows])
    pasted = [("m", "q1", 1), ("m", "q2", 0), ("LLM", "Item", "Score"), ("m", "q3", 1)]
    _table(folder / "pasted.csv", ("model", "question", "correct"), pasted)
    _table(folder / "sets.csv", ("question", "set"), [(f"chess-{q}", "old" if q < 6 else "new") for q in range(12)])
    claims = [{"best": "cedar"}, {"holds": "cedar > amber + 0.02"}, {"holds": "basil > amber - 0.3"}]
    claims += [{"top": "basil", "k": 2, "task": "chess"}]
    (folder / "claims.json").write_text(json.dumps({"confidence": 0.9, "claim": claims}))
    (folder / "claims.toml").write_text('version = 1\n[[claim]]\nbest = "amber"\n[[claim]]\nholds = "cedar > amber"\n')
    return folder


def _table(path: Path, names, rows) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])
