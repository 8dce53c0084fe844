"""Replace what scripts write into the documentation, between ``<!-- name -->`` and ``<!-- end of name -->``."""

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def made() -> str:
    """With what, and when."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("scorio", "numpy", "scipy"))
    return f"{packages}, Python {platform.python_version()}, {datetime.now(tz=UTC).date()}"


def fill(page: str, name: str, text: str) -> None:
    """Put a text in its place on a page."""
    path = DOCS / page
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, rest = path.read_text().partition(begin)
    after = rest.partition(end)[2] if end in rest else rest
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}")
