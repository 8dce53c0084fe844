"""A density of two unknowns: its mode, and a lattice of nodes that covers it.

``climb`` finds the mode by Newton steps on differences of the gradient, with curvatures kept positive and steps halved
until the density rises. ``cover`` lays a lattice along the axes of the curvature there and spreads from the mode to
every neighbor of a node whose log density is within ``depth`` of the highest: a skewed, bent or long-tailed density
is followed wherever it goes. Each row is shifted against the one before by the golden ratio: every row is a trapezoid
rule all the same, and a metric that depends on one unknown alone still sees as many values as there are nodes.
Two checks decide whether the lattice is good enough:

- *Spacing.* The trapezoid rule on a smooth density errs by about the square of what the rule with twice the spacing
  does, so the nodes of even and of odd index along each axis must carry equal shares to within ``IMBALANCE``, a little
  more where the spacing is ``LOOSE`` (a Gaussian has .19 at 1.45), else the spacing along that axis is halved. A single
  heavy node cannot pass: it is all of its own parity.
- *Extent.* Where more than ``MANY`` nodes are needed, the spacing is taken from the nodes' own covariance.

A lattice that fails after ``ROUNDS``, or touches the limits of the unknowns with weight that counts, is marked.
The cost is one evaluation of the density for each node and its rim: about 60 on a density near a Gaussian.
"""
from libc.math cimport exp, fabs, floor, fmax, fmin, log, sqrt
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy, memset

ctypedef double (*LogDensity)(void* about, double x, double y, double* gradient) noexcept nogil

cdef enum:
    SIDE = 241          # lattice indices of an axis, the mode in the middle
    HALF = 120
    CAPACITY = 12000    # nodes
    CLIMBS = 100        # Newton steps at most
    ROUNDS = 6          # lattices at most
    MANY = 5000         # nodes above which the spacing is looked at again

cdef extern from *:
    """
    static const double IMBALANCE = 0.2;
    static const double LOOSE_IMBALANCE = 0.25;
    static const double LOOSE = 1.4;
    static const double FLATTEST = 0.08;
    static const double DIFFERENCE = 1e-3;
    static const double LIMIT_X = 60.0;
    static const double LIMIT_Y = 42.0;
    static const double GOLDEN = 0.6180339887498949;
    """
    const double IMBALANCE         # shares of even and odd nodes
    const double LOOSE_IMBALANCE  # the same from the spacing ``LOOSE``
    const double LOOSE            # in standard deviations
    const double FLATTEST         # curvature that is taken for none
    const double DIFFERENCE       # step of the gradient's differences
    const double LIMIT_X          # of |x|
    const double LIMIT_Y          # of |y|
    const double GOLDEN           # shift between neighboring rows of nodes


cdef struct Peak:
    double x
    double y
    double height
    double xx           # inverse curvature
    double xy
    double yy
    bint found


cdef struct Lattice:
    int size
    double x[CAPACITY]
    double y[CAPACITY]
    double share[CAPACITY]      # log density, then shares of the integral
    short i[CAPACITY]
    short j[CAPACITY]
    char seen[SIDE * SIDE]
    double across               # the last spacing: of x within a row,
    double slant                # of y with it,
    double along                # and of y between rows
    double log_integral
    bint trusted


cdef inline double between(double low, double value, double high) noexcept nogil:
    return fmin(fmax(low, value), high)


cdef inline void invert_curvature(Peak* peak, double p, double c, double q) noexcept nogil:
    """The inverse of the curvature ``(p, c; c, q)``, eigenvalues kept positive."""
    cdef double centre = 0.5 * (p + q), half = 0.5 * (p - q), reach = sqrt(half * half + c * c)
    cdef double high = fmax(fabs(centre + reach), FLATTEST), low = fmax(fabs(centre - reach), FLATTEST)
    cdef double cosine = half / reach if reach > 0.0 else 1.0, sine = c / reach if reach > 0.0 else 0.0
    cdef double mean = 0.5 * (1.0 / high + 1.0 / low), difference = 0.5 * (1.0 / high - 1.0 / low)
    peak.xx, peak.yy, peak.xy = mean + difference * cosine, mean - difference * cosine, difference * sine


cdef inline Peak climb(LogDensity f, void* about, double x, double y) noexcept nogil:
    """The mode of the density, from a first guess."""
    cdef Peak peak
    cdef double g[2]
    cdef double gx[2]
    cdef double gy[2]
    cdef double dx, dy, gain, scale, value, old
    cdef int _
    peak.found = False
    peak.x, peak.y = between(-LIMIT_X, x, LIMIT_X), between(-LIMIT_Y, y, LIMIT_Y)
    peak.height = f(about, peak.x, peak.y, g)
    for _ in range(CLIMBS):
        f(about, peak.x + DIFFERENCE, peak.y, gx)
        f(about, peak.x, peak.y + DIFFERENCE, gy)
        invert_curvature(&peak, (g[0] - gx[0]) / DIFFERENCE, 0.5 * (g[0] - gy[0] + g[1] - gx[1]) / DIFFERENCE,
                         (g[1] - gy[1]) / DIFFERENCE)
        dx, dy = peak.xx * g[0] + peak.xy * g[1], peak.xy * g[0] + peak.yy * g[1]
        gain = dx * g[0] + dy * g[1]
        scale = fmin(1.0, 2.5 / fmax(fmax(fabs(dx), fabs(dy)), 1e-300))
        old = peak.height
        x, y = peak.x, peak.y
        while True:
            peak.x = between(-LIMIT_X, x + scale * dx, LIMIT_X)
            peak.y = between(-LIMIT_Y, y + scale * dy, LIMIT_Y)
            value = f(about, peak.x, peak.y, g)
            if value >= old - 1e-13 * fabs(old) or scale < 1e-9:
                break
            scale *= 0.5
        if value < old:
            peak.x, peak.y = x, y
            peak.height = f(about, x, y, g)
        else:
            peak.height = value
        if gain < 0.02 or scale < 1e-9:
            peak.found = gain < 1.0
            break
    return peak


cdef inline void cover(Lattice* lattice, LogDensity f, void* about, Peak* peak, double spacing,
                       double depth) noexcept nogil:
    """Nodes and shares; ``spacing`` in standard deviations of the curvature."""
    cdef double across = spacing * sqrt(peak.xx), slant = spacing * peak.xy / sqrt(peak.xx)
    cdef double along = spacing * sqrt(fmax(peak.yy - peak.xy * peak.xy / peak.xx, 1e-4 * peak.yy))
    cdef double odd_i, odd_j, most = LOOSE_IMBALANCE if spacing >= LOOSE else IMBALANCE
    cdef int turn
    for turn in range(ROUNDS):
        lattice.trusted = spread(lattice, f, about, peak, across, slant, along, depth)
        if not lattice.trusted or lattice.size > MANY:
            if turn == ROUNDS - 1:
                break
            rescale(lattice, peak, spacing, &across, &slant, &along)
            continue
        parity(lattice, &odd_i, &odd_j)
        lattice.trusted = odd_i < most and odd_j < most
        if lattice.trusted:
            break
        if odd_i >= most:
            across *= 0.5
            slant *= 0.5
        if odd_j >= most:
            along *= 0.5


cdef inline bint spread(Lattice* lattice, LogDensity f, void* about, Peak* peak, double across, double slant,
                        double along, double depth) noexcept nogil:
    """Fill the lattice from the mode outwards; False where it does not fit."""
    cdef int head = 0, kept = 0, i, j, move
    cdef double top = -1e308, total = 0.0, value
    cdef bint fits = True
    memset(lattice.seen, 0, SIDE * SIDE)
    lattice.size = 0
    append(lattice, f, about, peak, across, slant, along, 0, 0)
    while head < lattice.size:
        value = lattice.share[head]
        top = fmax(top, value)
        i, j = lattice.i[head], lattice.j[head]
        head += 1
        if value < top - depth:
            continue
        if i == HALF or i == -HALF or j == HALF or j == -HALF or lattice.size > CAPACITY - 8:
            fits = False
            continue
        for move in range(4):
            append(lattice, f, about, peak, across, slant, along, i + (move == 0) - (move == 1),
                   j + (move == 2) - (move == 3))
    for head in range(lattice.size):
        if lattice.share[head] >= top - depth:
            lattice.x[kept], lattice.y[kept] = lattice.x[head], lattice.y[head]
            lattice.i[kept], lattice.j[kept] = lattice.i[head], lattice.j[head]
            lattice.share[kept] = exp(lattice.share[head] - top)
            total += lattice.share[kept]
            kept += 1
    lattice.size = kept
    for head in range(kept):
        lattice.share[head] /= total
    lattice.log_integral = top + log(total * fabs(across * along))
    lattice.across, lattice.slant, lattice.along = across, slant, along
    return fits


cdef inline void append(Lattice* lattice, LogDensity f, void* about, Peak* peak, double across, double slant,
                        double along, int i, int j) noexcept nogil:
    """The node of these indices, unless it has been seen or lies outside the limits."""
    cdef int at = (i + HALF) * SIDE + j + HALF, new = lattice.size
    cdef double shifted = i + GOLDEN * j - floor(GOLDEN * j)
    cdef double x = peak.x + across * shifted, y = peak.y + slant * shifted + along * j
    if lattice.seen[at] or fabs(x) > LIMIT_X or fabs(y) > LIMIT_Y:
        return
    lattice.seen[at] = 1
    lattice.i[new], lattice.j[new] = i, j
    lattice.x[new], lattice.y[new] = x, y
    lattice.share[new] = f(about, x, y, NULL)
    lattice.size += 1


cdef inline void parity(Lattice* lattice, double* odd_i, double* odd_j) noexcept nogil:
    """How much the shares of even and odd indices differ, along both axes."""
    cdef double by_i = 0.0, by_j = 0.0
    cdef int node
    for node in range(lattice.size):
        by_i += -lattice.share[node] if lattice.i[node] & 1 else lattice.share[node]
        by_j += -lattice.share[node] if lattice.j[node] & 1 else lattice.share[node]
    odd_i[0], odd_j[0] = fabs(by_i), fabs(by_j)


cdef inline void rescale(Lattice* lattice, Peak* peak, double spacing, double* across, double* slant,
                         double* along) noexcept nogil:
    """Centre and spacing from the nodes' own mean and covariance."""
    cdef double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0, share, u, v
    cdef int node
    for node in range(lattice.size):
        x += lattice.share[node] * lattice.x[node]
        y += lattice.share[node] * lattice.y[node]
    for node in range(lattice.size):
        share, u, v = lattice.share[node], lattice.x[node] - x, lattice.y[node] - y
        xx += share * u * u
        xy += share * u * v
        yy += share * v * v
    peak.x, peak.y = x, y
    across[0] = fmax(spacing * sqrt(xx), across[0])
    slant[0] = xy / xx * across[0] if xx > 0.0 else 0.0
    along[0] = fmax(spacing * sqrt(fmax(yy - xy * xy / xx, 1e-4 * yy)) if xx > 0.0 else 0.0, along[0])


cdef inline int descending(const void* one, const void* other) noexcept nogil:
    cdef double a = (<const double*> one)[0], b = (<const double*> other)[0]
    return (a < b) - (a > b)


cdef inline int prune(Lattice* lattice, double negligible) noexcept nogil:
    """Drop the lightest nodes, together below ``negligible``; the number left, or -1 without memory."""
    cdef double* sorted_shares = <double*> malloc(lattice.size * sizeof(double))
    cdef double total = 0.0, least = 0.0
    cdef inline int j, kept = 0
    if sorted_shares == NULL:
        return -1
    memcpy(sorted_shares, lattice.share, lattice.size * sizeof(double))
    qsort(sorted_shares, lattice.size, sizeof(double), descending)
    for j in range(lattice.size):
        total += sorted_shares[j]
        least = sorted_shares[j]
        if total > 1.0 - negligible:
            break
    free(sorted_shares)
    for j in range(lattice.size):
        if lattice.share[j] >= least:
            lattice.x[kept], lattice.y[kept] = lattice.x[j], lattice.y[j]
            lattice.share[kept] = lattice.share[j] / total
            kept += 1
    lattice.size = kept
    return kept
