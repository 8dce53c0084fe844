"""The functions of scipy that the package uses; scipy, which takes long to load, is loaded when one is first called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def _lazy(name: str, module: str = "scipy.special") -> Callable[..., Any]:
    known: list[Callable[..., Any]] = []

    def call(*args: Any, **options: Any) -> Any:
        if not known:
            known.append(getattr(import_module(module), name))
        return known[0](*args, **options)

    call.__name__ = name
    return call


betainc = _lazy("betainc")
betaincinv = _lazy("betaincinv")
betaln = _lazy("betaln")
gammaincc = _lazy("gammaincc")
gammaincinv = _lazy("gammaincinv")
expit = _lazy("expit")
gammaln = _lazy("gammaln")
log_ndtr = _lazy("log_ndtr")
ndtr = _lazy("ndtr")
ndtri = _lazy("ndtri")
stdtr = _lazy("stdtr")
stdtrit = _lazy("stdtrit")
chdtrc = _lazy("chdtrc")
fdtrc = _lazy("fdtrc")
solve_triangular = _lazy("solve_triangular", "scipy.linalg")
