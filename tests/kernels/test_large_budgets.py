"""Powers with budgets far above the number of trials, against ratios of gamma functions."""

import mpmath
import numpy as np
import pytest

from scorio._kernels import posterior_power
from scorio._kernels.states import States


@pytest.mark.parametrize("k", [1025, 10**4, 10**6])
@pytest.mark.parametrize(
    ("a", "b", "c", "n"),
    [(1, 1, 0, 1), (0.5, 0.5, 3, 4), (1e-3, 2, 0, 1), (3, 1e-4, 4, 4), (50, 7, 20, 60), (7, 50, 5, 5)],
)
def test_moments_of_powers(k, a, b, c, n):
    states = States(*np.array([[c], [n], [1]]))
    some, every = np.empty((2, 1)), np.empty((2, 1))
    posterior_power.any_success(states, k, a, b, *some)
    posterior_power.all_success(states, k, a, b, *every)
    with mpmath.workdps(60):
        up, down = mpmath.mpf(a) + c, mpmath.mpf(b) + (n - c)
        for found, x, is_complement in ((some, down, True), (every, up, False)):
            first, second = (mpmath.rf(x, m) / mpmath.rf(up + down, m) for m in (k, 2 * k))
            mean, sd = 1 - first if is_complement else first, mpmath.sqrt(second - first**2)
            assert found[0, 0] == pytest.approx(float(mean), rel=1e-12 if k < 10**6 else 1e-10, abs=1e-307)
            assert found[1, 0] == pytest.approx(float(sd), rel=1e-11 if k < 10**6 else 1e-9, abs=1e-150)
