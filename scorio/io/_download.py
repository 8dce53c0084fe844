"""Copies of remote files, within bounds: a server may be slow, silent, endless, or wrong about what it sends.

fsspec copies; its callback counts the bytes. Servers of the web also have a limit for every wait.
"""

import importlib
import time
from collections.abc import Sequence
from typing import Any, Self

from ..errors import OutcomeError

_CONNECT, _SILENCE = 30.0, 60.0  # seconds until a server of the web answers, and between two pieces of its answer
_PATIENCE = 60.0  # seconds for which a download may be slow
_SLOWEST = 10_000  # bytes in a second of all files together
_LARGEST = 1 << 30  # bytes of a file whose size the server does not say
_LONGEST = 600.0  # seconds for such a file


def web_options(url: str) -> dict[str, Any]:
    """Return the options of fsspec for the web addresses in a URL: how long to wait for an answer."""
    protocols = [each for each in ("http", "https") if f"{each}://" in url]
    if not protocols:
        return {}
    timeout = importlib.import_module("aiohttp").ClientTimeout(total=None, sock_connect=_CONNECT, sock_read=_SILENCE)
    return {each: {"client_kwargs": {"timeout": timeout}} for each in protocols}


def download(system: Any, paths: Sequence[str], places: Sequence[str]) -> None:
    """Copy files of a file system of fsspec to places on the disk."""
    callbacks = importlib.import_module("fsspec.callbacks")
    start, received, is_over = time.monotonic(), 0, False

    class Bounded(callbacks.Callback):  # type: ignore[misc,name-defined]
        """Counts the bytes of one file, or the files, and stops a download that leads nowhere."""

        def branched(self, path_1: str, path_2: str, **_: Any) -> Self:  # noqa: ARG002 - the signature of fsspec
            return type(self)()

        def relative_update(self, inc: int = 1) -> None:
            nonlocal received
            if is_over:  # a thread of fsspec goes on after an interruption
                raise OutcomeError("the download was interrupted")
            super().relative_update(inc)
            received += inc
            _check(self.value, self.size, received, time.monotonic() - start)

    try:
        system.get([*paths], [*places], callback=Bounded())
    finally:
        is_over = True


def _check(size: int, stated: int | None, total: int, seconds: float) -> None:
    """Check that a file of which ``size`` bytes are there, of ``total`` bytes of all files, may go on."""
    if size > max(stated or 0, _LARGEST):
        said = "the server does not say how long it is" if stated is None else f"the server says {stated:,} bytes"
        raise OutcomeError(f"it has more than {_LARGEST:,} bytes, and {said}", hint=_BY_HAND)
    if stated is None and seconds > _LONGEST:
        raise OutcomeError(f"it did not end within {_LONGEST:.0f} seconds", hint=_BY_HAND)
    if seconds > _PATIENCE and total < seconds * _SLOWEST:
        raise OutcomeError(f"the server sends less than {_SLOWEST:,} bytes in a second", hint=_BY_HAND)


_BY_HAND = "copy the file to this machine with another program, and read the copy"


def reason_of(error: Exception) -> str:
    """Return in words why a file could not be copied.

    >>> reason_of(TimeoutError())
    'the server did not answer in time'
    """
    if isinstance(error, TimeoutError):
        return "the server did not answer in time"
    status = getattr(error, "status", None)
    if type(error).__name__ == "TooManyRedirects":
        return "the server redirects without end"
    if isinstance(status, int) and status >= 400:
        return f"the server answers with the error {status} ({getattr(error, 'message', '')})"
    if type(error).__name__ in ("ClientPayloadError", "ContentLengthError", "ServerDisconnectedError"):
        return "the server ended the connection before the file was complete"
    return str(error).partition("\n")[0] or type(error).__name__
