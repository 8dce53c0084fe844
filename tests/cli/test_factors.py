"""``scorio factors``: the library's numbers, and options for what may be missing."""

from helpers.command import ROOT, rows, run
from scorio import read

TABLE = ROOT / "examples" / "data" / "prompts.csv"


def test_levels_that_a_model_lacks(tmp_path):
    header, *lines = TABLE.read_text().splitlines()
    gaps = tmp_path / "gaps.csv"
    gaps.write_text("\n".join([header, *(line for line in lines if not line.startswith("cedar,terse"))]) + "\n")
    assert "model cedar, prompt=terse" in run("factors", gaps, "--factor", "prompt", code=2).stderr


def test_other_commands_take_factors_as_rows():
    board = rows("rank", TABLE, "--factor", "prompt")
    assert {row["model"] for row in board} == set(read(TABLE, factors=["prompt"]).models)
