"""Gauss-Hermite points for the standard normal density, five, seven or nine of them; the weights sum to 1."""

cdef extern from *:
    """
    static const double FIVE_ROOTS[5] = {-2.8569700138728056, -1.3556261799742659, 0.0, 1.3556261799742659,
        2.8569700138728056};
    static const double FIVE_WEIGHTS[5] = {0.011257411327720677, 0.22207592200561257, 0.53333333333333333,
        0.22207592200561257, 0.011257411327720677};
    static const double SEVEN_ROOTS[7] = {-3.7504397177257425, -2.3667594107345411, -1.1544053947399682, 0.0,
        1.1544053947399682, 2.3667594107345411, 3.7504397177257425};
    static const double SEVEN_WEIGHTS[7] = {0.00054826885597221770, 0.030757123967586519, 0.24012317860501270,
        0.45714285714285713, 0.24012317860501270, 0.030757123967586519, 0.00054826885597221770};
    static const double NINE_ROOTS[9] = {-4.5127458633997826, -3.2054290028564698, -2.0768479786778302,
        -1.0232556637891326, 0.0, 1.0232556637891326, 2.0768479786778302, 3.2054290028564698, 4.5127458633997826};
    static const double NINE_WEIGHTS[9] = {2.2345844007746607e-05, 0.0027891413212317692, 0.049916406765217823,
        0.24409750289493953, 0.40634920634920635, 0.24409750289493953, 0.049916406765217823, 0.0027891413212317692,
        2.2345844007746607e-05};
    """
    const double* FIVE_ROOTS
    const double* FIVE_WEIGHTS
    const double* SEVEN_ROOTS
    const double* SEVEN_WEIGHTS
    const double* NINE_ROOTS
    const double* NINE_WEIGHTS


cdef inline const double* hermite_roots(int size) noexcept nogil:
    """Return the points of the rule with five, seven or nine."""
    return FIVE_ROOTS if size == 5 else SEVEN_ROOTS if size == 7 else NINE_ROOTS


cdef inline const double* hermite_weights(int size) noexcept nogil:
    """Return their weights."""
    return FIVE_WEIGHTS if size == 5 else SEVEN_WEIGHTS if size == 7 else NINE_WEIGHTS
