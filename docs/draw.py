"""Draw the pictures of the pages from the code before them: ``python docs/draw.py [FOLDER]``.

Every statement of a block that is an Axes by itself draws the next picture that the page shows after the block.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from PIL import Image

DOCS = Path(__file__).parent
PAGES = (
    "pictures.md",
    "how-many-trials.md",
    "costs.md",
    "factors.md",
    "winner.md",
    "horizon.md",
    "forecast.md",
)
PART = re.compile(r"```python\n(?P<code>.*?)```|!\[[^\]]*\]\((?P<picture>[^)]*)\)", flags=re.DOTALL)


def drawn(code: str, names: dict[str, Any]) -> Iterator[Axes]:
    """Run a block, and give what it draws."""
    for statement in ast.parse(code).body:
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), "page", "eval"), names)
            if isinstance(value, Axes):
                yield value
        else:
            exec(compile(ast.Module([statement], []), "page", "exec"), names)


def pictures(page: str) -> Iterator[tuple[str, Axes]]:
    """Every picture's name on the page, and the Axes drawn for it."""
    names: dict[str, Any] = {}
    waiting: list[Axes] = []
    for part in PART.finditer(page):
        if part["code"] and ">>>" in part["code"]:
            continue  # a session, which shows results
        if part["code"]:
            waiting = list(drawn(part["code"], names))
        else:
            yield part["picture"], waiting.pop(0)


def main() -> None:
    """Write them beside the page, or into another folder."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    for page in PAGES:
        for name, axes in pictures((DOCS / page).read_text()):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            axes.figure.savefig(folder / name, dpi=110)
            with Image.open(folder / name) as picture:  # 256 colours: a third of the size, and the same to the eye
                small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
            small.save(folder / name, optimize=True)
            print(folder / name)


if __name__ == "__main__":
    main()
