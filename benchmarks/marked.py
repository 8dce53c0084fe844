"""What the scripts write into the documentation stands between ``<!-- name -->`` and ``<!-- end of name -->``."""

from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def fill(page: str, name: str, text: str) -> None:
    """Put a text in its place on a page."""
    path = DOCS / page
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, rest = path.read_text().partition(begin)
    after = rest.partition(end)[2] if end in rest else rest
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}")
