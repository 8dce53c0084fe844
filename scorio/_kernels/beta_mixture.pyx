"""Quantiles of a mixture of Beta distributions that are known by mean and variance.

Components are first joined: sorted by mean, neighbors in groups, as many as the spread between components asks for,
each as wide in ``arcsin sqrt`` of the probability, so that groups are smallest in the tails. In a strongly skewed
mixture only components of like variance are joined, so that a few wide components keep their long tail. A group keeps
its weight, mean and variance. A quantile is then found by Newton steps in a bracket that only shrinks, from the
quantile of one Beta with the mixture's own moments; near 1, from 1.

Where the density underflows, the step is a bisection. Tolerances are relative to the smaller tail, because far out in
the other tail a Newton step leads anywhere; the quantile of a rare tail is found from the end that this tail is at.
The distribution function is that of ``beta_law.pxd``; a quantile costs five values or so for each group.
"""
from libc.math cimport asin, exp, fabs, fmax, fmin, log, log1p, sqrt
from libc.stdlib cimport free, malloc, qsort

from scorio._kernels.beta_law cimport Component, below, first_quantile, large_below, match
from scorio._kernels.index cimport as_index

cdef enum:
    MOST = 96               # groups
    USUAL = 20              # groups of an ordinary mixture whose components lie far apart
    LAYERS = 7              # by variance
    DENSE = 1000            # components from which a law keeps as many groups and layers everywhere
    MANY = 16               # components that stand for a law without gaps
    FEWEST = 4              # groups where the components coincide
    STEPS = 200

cdef double SKEWED = 8.0            # squared distance from the nearer end over the variance
cdef double LAYER = 2.5             # ratio of variances from one layer to the next
cdef double TOLERANCE = 1e-9        # of a probability
cdef double HEAVY = 0.06            # weight of a component that is never joined
cdef double CLOSE = 2e-6            # from where one more Newton step is enough
cdef double RARE = 1e-5             # of a tail
cdef double NEAR = 1e-6             # to an end of the range: digits count from there
cdef double EXACT = 1e-14           # relative precision of one Beta's distribution function
cdef double PRECISE = 1e-11         # and of each of many


cdef int by_mean(const void* one, const void* other) noexcept nogil:
    cdef double a = (<const Component*> one).mean, b = (<const Component*> other).mean
    return (a > b) - (a < b)


cdef int by_group(const void* one, const void* other) noexcept nogil:
    cdef const Component* x = <const Component*> one
    cdef const Component* y = <const Component*> other
    if x.group != y.group:
        return (x.group > y.group) - (x.group < y.group)
    return (x.variance > y.variance) - (x.variance < y.variance)


cdef double mixture_below(const Component* c, int size, double x, double* density) noexcept nogil:
    cdef double total = 0.0, own, log_x = log(x), log_y = log1p(-x), precision = EXACT if size == 1 else PRECISE
    cdef int i
    density[0] = 0.0
    for i in range(size):
        total += c[i].weight * below(c + i, x, log_x, log_y, precision, &own)
        density[0] += c[i].weight * own
    return total


cdef double rough_below(const Component* c, int size, double x, double* density) noexcept nogil:
    """Peizer and Pratt's approximation of the mixture, and a density good enough for steps."""
    cdef double total = 0.0, s, sd, z
    cdef int i
    density[0] = 0.0
    for i in range(size):
        total += c[i].weight * large_below(c[i].a, c[i].b, x)
        s = c[i].a + c[i].b
        sd = sqrt(c[i].a * c[i].b / (s + 1.0)) / s
        z = (x - c[i].a / s) / sd
        density[0] += c[i].weight * exp(-0.5 * z * z) / (2.5066282746310002 * sd)
    return total


cdef double rough_quantile(const Component* c, int size, double chance, double start, int steps) noexcept nogil:
    """A guess by a few steps on that approximation; ``start`` itself where it does not apply."""
    cdef double at = start, excess, density, step
    cdef int i, _
    for i in range(size):
        if c[i].a < 3.0 or c[i].b < 3.0:
            return start
    for _ in range(steps):
        excess = rough_below(c, size, at, &density) - chance
        if not density > 0.0:
            return start
        step = excess / density
        if fabs(excess) > 0.5 * chance:
            step *= 0.5
        if not 0.0 < at - step < 1.0:
            return start
        at -= step
        if fabs(excess) < 1e-6:
            break
    return at


cdef double solve(const Component* c, int size, const Component* whole, double chance, double start) noexcept nogil:
    """The quantile, by Newton steps that halve where they would leave the bracket."""
    cdef double low = 0.0, high = 1.0, at, excess, density, new, scale = fmin(1.0, 20.0 * fmin(chance, 1.0 - chance))
    cdef int _
    at = fmin(fmax(start, 1e-290), 1.0 - 1e-16)
    new = rough_quantile(c, size, chance, rough_quantile(whole, 1, chance, at, 6), 2)
    at = solve(whole, 1, whole, chance, at) if size > 1 and new == at else new
    for _ in range(STEPS):
        excess = mixture_below(c, size, at, &density) - chance
        if fabs(excess) <= TOLERANCE * scale:
            break
        if excess > 0.0:
            high = at
        else:
            low = at
        if high - low <= 1e-16 * high:
            break
        new = at - excess / density if density > 0.0 else low
        if fabs(excess) < CLOSE * scale:
            return new if low < new < high else at
        if not low < new < high:
            new = 0.5 * (low + high) if low > 0.01 * high else fmax(0.1 * high, 1e-300)
        at = new
    return at


cdef void mirror(Component* c, int size) noexcept nogil:
    cdef double a
    cdef int i
    for i in range(size):
        a, c[i].a = c[i].a, c[i].b
        c[i].b = a


cdef int join(Component* c, int size) noexcept nogil:
    """Groups of like components in place; how many."""
    cdef double total = 0.0, mean = 0.0, between = 0.0, within = 0.0, reached = 0.0, away, share
    cdef int i, groups = MOST, layers = 1, kept
    for i in range(size):
        total += c[i].weight
        mean += c[i].weight * c[i].mean
    mean /= total
    for i in range(size):
        c[i].weight /= total
        between += c[i].weight * (c[i].mean - mean) * (c[i].mean - mean)
        within += c[i].weight * c[i].variance
    away = fmin(mean, 1.0 - mean)
    if between + within > 0.0 and away * away > SKEWED * (between + within):
        layers = LAYERS if size >= DENSE else 1
        share = between / (between + within)    # more groups where this is most of the spread, or components are many
        groups = FEWEST + <int> as_index((USUAL if share < 0.5 and size < DENSE else MOST) * sqrt(share), MOST)
    elif within > 0.002 * between:
        layers = LAYERS
        groups = MOST // 2 if size < DENSE else MOST
    qsort(c, size, sizeof(Component), by_mean)
    for i in range(size):
        c[i].group = i
        if size > groups:
            share = asin(sqrt(fmin(1.0, reached + 0.5 * c[i].weight)))
            c[i].group = <int> as_index(groups * 0.6366197723675814 * share, groups - 1)
        reached += c[i].weight
    kept = merge(c, size, layers, between + within)
    if size >= MANY and layers == 1:
        fill_gaps(c, kept)
    return kept


cdef int merge(Component* c, int size, int layers, double scale) noexcept nogil:
    """Join the light components of each group, or of each of its layers by variance; return how many are left."""
    cdef int i, kept = -1, group = -1, layer = 0, last = -1
    cdef double weight, away, depth
    if layers > 1:
        qsort(c, size, sizeof(Component), by_group)
    for i in range(size):
        if c[i].group != group:
            group, last = c[i].group, -1
        if layers > 1:
            depth = log(fmax(c[i].variance / scale, 1e-300)) / log(LAYER)
            layer = <int> as_index(layers - 2 + depth, layers - 1)
        if layer != last or c[i].weight > HEAVY:
            kept += 1
            c[kept] = c[i]
            last = layer if c[i].weight <= HEAVY else -1
            continue
        weight = c[kept].weight + c[i].weight
        if weight > 0.0:
            away = c[i].mean - c[kept].mean
            c[kept].variance = ((c[kept].weight * c[kept].variance + c[i].weight * c[i].variance) / weight
                                + c[kept].weight * c[i].weight / (weight * weight) * away * away)
            c[kept].mean += c[i].weight / weight * away
            c[kept].weight = weight
    return kept + 1


cdef void fill_gaps(Component* c, int size) noexcept nogil:
    """Widen a light component that is narrower than the gaps beside it to a uniform law's variance at least."""
    cdef double gap, left
    cdef int i
    for i in range(size if size > 2 else 0):
        left = c[i].mean if i == 0 else c[i - 1].mean
        gap = 0.5 * (c[min(i + 1, size - 1)].mean - left)
        if c[i].weight < HEAVY:
            c[i].variance = fmax(c[i].variance, gap * gap / 12.0)


cdef void mixture_moments(const double* weight, const double* mean, const double* variance, int size,
                          double* mu, double* sigma) noexcept nogil:
    """Mean and standard deviation: within components and between them. A large common value costs no digits."""
    cdef double centre = 0.0, spread = 0.0
    cdef int i
    for i in range(size):
        centre += weight[i] * (mean[i] - mean[0])
    centre += mean[0]
    for i in range(size):
        spread += weight[i] * (variance[i] + (mean[i] - centre) * (mean[i] - centre))
    mu[0], sigma[0] = centre, sqrt(spread)


cdef int mixture_quantiles(const double* weight, const double* mean, const double* variance, int size, double low,
                           double high, const double* chances, int count, double* out) noexcept nogil:
    """Quantiles on ``[low, high]``; the weights add to 1. Returns -1 without memory."""
    cdef int i, j
    cdef double width = high - low, chance, start
    cdef bint from_high
    cdef Component whole
    cdef Component* c = <Component*> malloc(size * sizeof(Component))
    if c == NULL:
        return -1
    for i in range(size):
        c[i].weight, c[i].mean, c[i].variance = weight[i], (mean[i] - low) / width, variance[i] / (width * width)
    size = join(c, size)
    whole.weight, whole.mean, whole.variance = 1.0, 0.0, 0.0
    for i in range(size):
        match(c + i)
        whole.mean += c[i].weight * c[i].mean
    for i in range(size):
        whole.variance += c[i].weight * (c[i].variance + (c[i].mean - whole.mean) * (c[i].mean - whole.mean))
    match(&whole)
    for j in range(count):
        chance = chances[j]
        start = first_quantile(&whole, chance)
        from_high = start > 0.5
        if fmin(chance, 1.0 - chance) < RARE and fmin(start, 1.0 - start) > NEAR:
            from_high = chance > 0.5
        if not from_high:
            out[j] = low + width * solve(c, size, &whole, chance, start)
        else:
            mirror(c, size)
            mirror(&whole, 1)
            out[j] = high - width * solve(c, size, &whole, 1.0 - chance, 1.0 - start)
            mirror(c, size)
            mirror(&whole, 1)
    free(c)
    return 0


def moments(const double[::1] weight, const double[::1] mean, const double[::1] variance):
    """Mean and standard deviation of the mixture."""
    cdef double mu, sigma
    mixture_moments(&weight[0], &mean[0], &variance[0], weight.shape[0], &mu, &sigma)
    return mu, sigma


def quantiles(const double[::1] weight, const double[::1] mean, const double[::1] variance, double low, double high,
              const double[::1] chances, double[::1] out):
    """Quantiles on ``[low, high]``; the weights add to 1."""
    cdef int status
    with nogil:
        status = mixture_quantiles(&weight[0], &mean[0], &variance[0], weight.shape[0], low, high, &chances[0],
                                   chances.shape[0], &out[0])
    if status != 0:
        raise MemoryError
