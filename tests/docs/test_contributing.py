"""The walks of CONTRIBUTING.md name exactly the files that a metric, a reader and a plot of the package touch."""

import io
import re
import tokenize
from pathlib import Path

import pytest

from helpers.written import write_json
from scorio.io import recognise
from scorio.testing import check_format

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
pytestmark = pytest.mark.skipif(not (ROOT / "Makefile").exists(), reason="runs in a checkout")
WALKS = {"GeomDsAtK": r"GeomDsAtK|\bgeom_ds_at_k", "lighteval": r"[Ll]ighteval", "cost_frontier": r"cost_frontier"}


def sources():
    return [path for path in (ROOT / "scorio").rglob("*.py") if "_kernels" not in path.parts]


def code(source):
    """The source without comments and docstrings, one token per line."""
    tokens, starts_statement = [], True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in (tokenize.COMMENT, tokenize.STRING) or (
            token.type == tokenize.STRING and not starts_statement
        ):
            tokens.append(token.string)
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            starts_statement = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return "\n".join(tokens)


@pytest.mark.slow
@pytest.mark.parametrize("name", WALKS)
def test_a_walk_names_the_files_that_mention_its_example(name):
    walk = PAGE.read_text().split(f"<!-- files of {name} -->")[1].split("<!-- end of files -->")[0]
    listed = set(re.findall(r"`(scorio/[\w/]+\.py)`", walk))
    touched = {path for path in sources() if re.search(WALKS[name], code(path.read_text()))}
    touched = {path.relative_to(ROOT).as_posix() for path in touched}
    assert touched == listed


def test_every_path_exists():
    paths = set(re.findall(r"`((?:scorio|tests|docs|benchmarks|examples|tools)/[\w./]*)`", PAGE.read_text()))
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_every_word_of_the_makefile_exists():
    words = set(re.findall(r"^([\w-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    used = set(re.findall(r"`make ([\w-]+)", PAGE.read_text()))
    assert used <= words
    assert {"build", "test", "fast", "lint", "types", "docs", "bench", "all"} <= words


def test_the_template_of_a_format_keeps_the_rules(tmp_path):
    block = PAGE.read_text().split("<!-- a format -->")[1].split("<!-- end of a format -->")[0]
    names: dict = {}
    exec(block.split("```python")[1].split("```")[0], names)
    answers = [{"question": "q1", "correct": correct} for correct in (True, False, None)]
    path = write_json(tmp_path / "a.json", {"newtool_version": 1, "model": "m", "answers": answers})
    check_format(names["NewToolFormat"](), path, {"m": {"q1": [1.0, 0.0, None]}})
    temperatures = ({}, {"temperature": None}, {"temperature": 0.5})
    for settings, conditions in zip(temperatures, ({}, {}, {"temperature": "0.5"}), strict=True):
        write_json(path, {"newtool_version": 1, "model": "m", "answers": answers} | settings)
        assert recognise(path, format=names["NewToolFormat"]()).sources[0].run.conditions == conditions
