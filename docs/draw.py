"""Draw the pictures of pictures.md from the code that stands before them: ``python docs/draw.py [FOLDER]``.

Every statement of a block that is an Axes by itself draws the next picture that the page shows after the block.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

PAGE = Path(__file__).parent / "pictures.md"
PART = re.compile(r"```python\n(?P<code>.*?)```|!\[[^\]]*\]\((?P<picture>[^)]*)\)", flags=re.DOTALL)


def drawn(code: str, names: dict[str, Any]) -> Iterator[Axes]:
    """Run a block, and give what it draws."""
    for statement in ast.parse(code).body:
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), PAGE.name, "eval"), names)
            if isinstance(value, Axes):
                yield value
        else:
            exec(compile(ast.Module([statement], []), PAGE.name, "exec"), names)


def pictures(page: str) -> Iterator[tuple[str, Axes]]:
    """Every picture's name on the page, and the Axes drawn for it."""
    names: dict[str, Any] = {}
    waiting: list[Axes] = []
    for part in PART.finditer(page):
        if part["code"]:
            waiting = list(drawn(part["code"], names))
        else:
            yield part["picture"], waiting.pop(0)


def main() -> None:
    """Write them beside the page, or into another folder."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE.parent
    for name, axes in pictures(PAGE.read_text()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        axes.figure.savefig(folder / name, dpi=80)
        print(folder / name)


if __name__ == "__main__":
    main()
