"""A file that is written whole or not at all: under a name of its own first, which it leaves when it is complete.

A process that is killed in between leaves its unfinished file, whose name begins with ``.scorio-``.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give an unfinished file that replaces ``path`` if the block succeeds, and is deleted if it fails.

    A link stays a link, and a file that is replaced keeps its permissions.
    """
    target = path.resolve()
    unfinished = target.with_name(f".scorio-{secrets.token_hex(8)}{target.suffix}")
    try:
        unfinished.touch(exist_ok=False)
        yield unfinished
        if target.exists():
            unfinished.chmod(target.stat().st_mode & 0o777)
        unfinished.replace(target)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(path)  # nobody knows the name of the unfinished file
        raise
