"""The walks of CONTRIBUTING.md name exactly the files that a metric, a reader and an option of the package touch."""

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
pytestmark = pytest.mark.skipif(not (ROOT / "Makefile").exists(), reason="runs in a checkout")
WALKS = {"GeomDsAtK": r"GeomDsAtK|\bgeom_ds_at_k", "harbor": r"[Hh]arbor", "write_sample": r"\bwrite_sample\b"}


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
