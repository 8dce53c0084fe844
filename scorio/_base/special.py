"""The functions of scipy that the package uses; scipy, which takes long to load, is loaded when one is first called.

A process that is forked while a thread loads a module would wait for that module for ever, so a fork waits for the
load. The module logging is imported before this is said, because Python asks for the locks of a fork in the reverse
order: a fork that held the lock of logging while it waited would wait for ever, since modules that are loaded take it.
"""

import logging  # noqa: F401
import os
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

_LOADING = threading.RLock()
_LEAST_TAIL = 1e-150

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_LOADING.acquire, after_in_parent=_LOADING.release, after_in_child=_LOADING.release)


def _lazy(name: str, module: str = "scipy.special") -> Callable[..., Any]:
    loaded: list[Callable[..., Any]] = []

    def call(*args: Any, **options: Any) -> Any:
        if not loaded:
            with _LOADING:
                loaded.append(getattr(import_module(module), name))
        return loaded[0](*args, **options)

    call.__name__ = name
    return call


betainc = _lazy("betainc")
betaincc = _lazy("betaincc")
betainccinv = _lazy("betainccinv")
_betaincinv = _lazy("betaincinv")
betaln = _lazy("betaln")
binom = _lazy("binom")
gammaincc = _lazy("gammaincc")
gammaincinv = _lazy("gammaincinv")
expit = _lazy("expit")
gammaln = _lazy("gammaln")
log_ndtr = _lazy("log_ndtr")
ndtr = _lazy("ndtr")
ndtri = _lazy("ndtri")
stdtr = _lazy("stdtr")
stdtrit = _lazy("stdtrit")
xlog1py = _lazy("xlog1py")
xlogy = _lazy("xlogy")
chdtrc = _lazy("chdtrc")
fdtrc = _lazy("fdtrc")
solve_triangular = _lazy("solve_triangular", "scipy.linalg")
block_diag = _lazy("block_diag", "scipy.linalg")
brentq = _lazy("brentq", "scipy.optimize")


def betaincinv(a: Any, b: Any, p: Any) -> Any:
    """Return the quantile of a Beta law; 0 for tails so small, below 1e-159, that scipy knows none."""
    quantile = _betaincinv(a, b, p)
    if isinstance(quantile, float):  # a number, or numpy's
        return 0.0 if quantile != quantile and p < _LEAST_TAIL else quantile  # noqa: PLR0124 - NaN
    import numpy as np

    return np.where(np.isnan(quantile) & (np.asarray(p) < _LEAST_TAIL), 0.0, quantile)


def log_choose(n: Any, k: Any) -> Any:
    """Return the logarithm of the number of ways to choose ``k`` of ``n``."""
    return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)


def binomial(c: Any, n: Any, rate: Any) -> Any:
    """Return the probability of ``c`` successes in ``n`` trials of this rate."""
    import numpy as np

    inner = np.clip(rate, 1e-300, 1.0 - 1e-16)
    return np.exp(log_choose(n, c) + c * np.log(inner) + (n - c) * np.log1p(-inner))


def beta_binomial(c: Any, n: Any, a: Any, b: Any) -> Any:
    """Return the probability of ``c`` successes in ``n`` trials whose rate is drawn from a Beta distribution."""
    import numpy as np

    return np.exp(log_choose(n, c) + betaln(a + c, b + n - c) - betaln(a, b))
