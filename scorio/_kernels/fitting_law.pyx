"""The distribution of success rates on a grid that fits best, less a penalty on its distance from a value.

With ``L`` the likelihood of each state at each rate, ``n`` the questions of the states and ``v`` the value at each
rate, the shares ``f`` maximize ``sum n log(L f) - penalty/2 (v f - end)^2``. Newton's quadratic problem is one of least
squares with weights that are not negative, on the rates in use and those of steepest ascent (Wang 2007); it is solved
by active sets (Lawson and Hanson 1974), each with the orthogonal factor of its columns. A step is as long as it is
better, so no chance of a state becomes 0; likelihoods are relative to the largest of their state. Cost of a step: one
pass over ``L``, and ``states k^2`` for each of the ``k`` rates that come into use.
"""
from cpython.buffer cimport PyBuffer_Release
from libc.math cimport INFINITY, log, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from scorio._kernels.interrupt cimport pause
from scorio._kernels.plain cimport doubles, rows_of_doubles

cdef double EXACT = 1e-4        # of a log-likelihood
cdef double GAIN = 1e-5         # of a log-likelihood that a whole step foretells: less is not worth a step
cdef int STEPS = 100            # of Newton, of which few are needed
cdef double SHORTEST = 1e-4     # part of a step that is tried
cdef double NONE = 1e-12        # a share that is as good as none
cdef double LEVEL = 1e-9        # a difference of two ascents, relative to the largest, that is none
cdef double SUM = 1e3           # times the root of the number of questions: the weight of shares that add to 1
cdef double ROUNDING = 1e-14    # of a slope, relative to its factors
cdef double MADE_UP = 1e-9      # the part of a column that others do not make up, if it is none


cdef struct Fit:
    Py_ssize_t states, rates
    const double* likelihood    # states x rates
    const double* questions
    const double* values
    double penalty, end
    double* share
    double* mixed               # of each state, its chance
    double* towards             # how it changes with a whole step
    double* ascent              # of each rate
    double* column              # those in use, each with states + 2 entries
    double* factor              # their orthogonal factor
    double* upper               # and the triangle, by columns
    double* goal                # states + 2
    double* left                # what the columns leave of it
    double* found               # the share of each column
    double* trial
    Py_ssize_t* used            # the rate of each column
    Py_ssize_t* active          # columns of the set
    signed char* role           # of each column: 0 free, 1 in the set, -1 made up by others
    signed char* in_use         # of each rate


def fit(likelihood, questions, values, share, double penalty, double end, bint everywhere=False):
    """Replace a start by the shares that fit best, and return their log-likelihood.

    The rates in use are those of the last step; what a start had elsewhere fades with the steps, and is left out at the
    end. A start that is ``everywhere`` has no rate in use.
    """
    cdef Py_buffer buffers[4]
    cdef Py_ssize_t opened = 0, i, g, s
    cdef Fit f
    cdef double result
    cdef void* room = NULL
    f.states, f.rates, f.penalty, f.end = len(questions), len(share), penalty, end
    try:
        f.likelihood = rows_of_doubles(likelihood, &buffers[0], f.states)
        opened = 1
        if buffers[0].shape[1] != f.rates:
            raise ValueError("a likelihood for each rate is needed")
        f.questions = doubles(questions, &buffers[1], f.states, False)
        opened = 2
        f.values = doubles(values, &buffers[2], f.rates, False)
        opened = 3
        f.share = doubles(share, &buffers[3], f.rates, True)
        opened = 4
        g, s = f.rates, f.states + 2
        room = malloc((4 * s + 3 * g + 2 * g * s + s * s) * sizeof(double) + (g + s) * sizeof(Py_ssize_t) + 2 * g)
        if room == NULL:
            raise MemoryError
        f.mixed = <double*>room
        f.towards, f.goal, f.left = f.mixed + s, f.mixed + 2 * s, f.mixed + 3 * s
        f.ascent = f.mixed + 4 * s
        f.found, f.trial = f.ascent + g, f.ascent + 2 * g
        f.column = f.ascent + 3 * g
        f.factor = f.column + g * s
        f.upper = f.factor + g * s
        f.used = <Py_ssize_t*>(f.upper + s * s)
        f.active = f.used + g
        f.role = <signed char*>(f.active + s)
        f.in_use = f.role + g
        with nogil:
            for i in range(g):
                f.in_use[i] = not everywhere and f.share[i] > NONE
            result = fitted(&f)
        return result
    finally:
        free(room)
        for i in range(opened):
            PyBuffer_Release(&buffers[i])


cdef double fitted(Fit* f) except? -1.0 nogil:
    """Take steps until none is worth it; keep the rates in use."""
    cdef Py_ssize_t i, k, _step
    cdef int64_t work = 0
    cdef double now, before, fit_now = fit_of(f, f.share, f.mixed), value = dot(f.values, f.share, f.rates), ahead, part
    cdef double slope, total, kept_fit, kept_value
    for _step in range(STEPS):
        pause(&work, f.states * f.rates)
        if ascend(f, value) < EXACT:
            break
        k = columns(f, value)
        least_squares(f, k)
        total = 0.0
        for i in range(k):
            total += f.found[i]
        if total <= 0.0:
            break
        ahead = -value
        for i in range(f.states):
            f.towards[i] = -f.mixed[i]
        for i in range(f.rates):
            f.in_use[i] = False
        for i in range(k):
            f.found[i] /= total
            if f.found[i] > 0.0:
                f.in_use[f.used[i]] = f.found[i] > NONE
                ahead += f.found[i] * f.values[f.used[i]]
                add(f, f.found[i], f.used[i])
        slope = -f.penalty * (value - f.end) * ahead
        for i in range(f.states):
            slope += f.questions[i] / f.mixed[i] * f.towards[i]
        if slope < GAIN:
            break
        part, before = 1.0, fit_now - 0.5 * f.penalty * (value - f.end) ** 2
        while part > SHORTEST:
            fit_now = moved(f, part)
            now = fit_now - 0.5 * f.penalty * (value + part * ahead - f.end) ** 2
            if now > before:
                break
            part *= 0.5
        else:
            fit_now = moved(f, 0.0)
            break
        for i in range(f.rates):
            f.share[i] *= 1.0 - part
        for i in range(k):
            f.share[f.used[i]] += part * f.found[i]
        for i in range(f.states):
            f.mixed[i] += part * f.towards[i]
        value += part * ahead
    total = 0.0
    for i in range(f.rates):
        f.trial[i] = f.share[i] if f.in_use[i] else 0.0
        total += f.trial[i]
    if total <= 0.0:
        return fit_now
    for i in range(f.rates):
        f.trial[i] /= total
    kept_fit, kept_value = fit_of(f, f.trial, f.towards), dot(f.values, f.trial, f.rates)
    if kept_fit - 0.5 * f.penalty * ((kept_value - f.end) ** 2 - (value - f.end) ** 2) > fit_now - EXACT:
        for i in range(f.rates):
            f.share[i] = f.trial[i]
        return kept_fit
    return fit_now


cdef double dot(const double* one, const double* other, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t i
    cdef double total = 0.0
    for i in range(count):
        total += one[i] * other[i]
    return total


cdef double fit_of(Fit* f, const double* share, double* mixed) noexcept nogil:
    """Write the chance of every state under these shares; return the log-likelihood."""
    cdef Py_ssize_t i
    cdef double total = 0.0
    for i in range(f.states):
        mixed[i] = dot(f.likelihood + i * f.rates, share, f.rates)
        total += f.questions[i] * log(mixed[i]) if mixed[i] > 0.0 else -INFINITY
    return total


cdef double moved(Fit* f, double part) noexcept nogil:
    """Return the log-likelihood after a part of the step."""
    cdef Py_ssize_t i
    cdef double total = 0.0, chance
    for i in range(f.states):
        chance = f.mixed[i] + part * f.towards[i]
        total += f.questions[i] * log(chance) if chance > 0.0 else -INFINITY
    return total


cdef void add(Fit* f, double share, Py_ssize_t rate) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(f.states):
        f.towards[i] += share * f.likelihood[i * f.rates + rate]


cdef double ascend(Fit* f, double value) noexcept nogil:
    """Write how fast the goal rises with the share of each rate, at the cost of all others; return the fastest."""
    cdef Py_ssize_t i, g
    cdef double gain, pull = f.penalty * (value - f.end), own = 0.0, most = -INFINITY
    cdef const double* row
    for g in range(f.rates):
        f.ascent[g] = -pull * f.values[g]
    for i in range(f.states):
        gain, row = f.questions[i] / f.mixed[i], f.likelihood + i * f.rates
        for g in range(f.rates):
            f.ascent[g] += gain * row[g]
    own = dot(f.ascent, f.share, f.rates)
    for g in range(f.rates):
        f.ascent[g] -= own
        most = max(most, f.ascent[g])
    return most


cdef Py_ssize_t columns(Fit* f, double value) noexcept nogil:
    """Write the columns of the rates in use and of the peaks of the ascent, and the goal; return how many there are.

    A peak is higher than both neighbors; of a level stretch, it is the last point.
    """
    cdef Py_ssize_t g, i, k = 0, rows = f.states + 2
    cdef double most = 0.0, level, total = 0.0, sums
    cdef double* column
    for i in range(f.states):
        total += f.questions[i]
        f.goal[i] = 2.0 * sqrt(f.questions[i])
    sums = SUM * sqrt(total)
    f.goal[f.states], f.goal[f.states + 1] = sums, sqrt(f.penalty) * f.end
    for g in range(f.rates):
        most = max(most, f.ascent[g])
    level = LEVEL * most
    for g in range(f.rates):
        if not f.in_use[g]:
            if f.ascent[g] <= 0.0 or (g > 0 and f.ascent[g] < f.ascent[g - 1] - level):
                continue
            if g + 1 < f.rates and f.ascent[g] <= f.ascent[g + 1] + level:
                continue
        column = f.column + k * rows
        for i in range(f.states):
            column[i] = sqrt(f.questions[i]) / f.mixed[i] * f.likelihood[i * f.rates + g]
        column[f.states], column[f.states + 1] = sums, sqrt(f.penalty) * f.values[g]
        f.used[k] = g
        k += 1
    return k


cdef void least_squares(Fit* f, Py_ssize_t k) noexcept nogil:
    """Find the combination of the columns, with no negative part, that comes nearest to the goal."""
    cdef Py_ssize_t i, j, best, rows = f.states + 2, size = 0, _round
    cdef double slope, most, length = sqrt(dot(f.goal, f.goal, rows))
    cdef double* column
    for j in range(k):
        f.found[j], f.role[j] = 0.0, 0
        if f.in_use[f.used[j]] and f.share[f.used[j]] > NONE and size + 1 < rows:  # a start near the end
            f.found[j], f.role[j], f.active[size] = f.share[f.used[j]], 1, j
            size += 1
    if size > 0 and solved(f, size):
        size = shrunk(f, size)
    else:
        size = 0
        for j in range(k):
            f.found[j], f.role[j] = 0.0, 0
    for _round in range(3 * k + 3):
        for i in range(rows):
            f.left[i] = f.goal[i]
        for j in range(size):
            column = f.column + f.active[j] * rows
            for i in range(rows):
                f.left[i] -= f.found[f.active[j]] * column[i]
        best, most = -1, 0.0
        for j in range(k):
            if f.role[j] == 0:
                column = f.column + j * rows
                slope = dot(column, f.left, rows)
                if slope > most and slope > ROUNDING * length * sqrt(dot(column, column, rows)):
                    best, most = j, slope
        if best < 0 or size == rows:
            return
        f.active[size], f.role[best] = best, 1
        size += 1
        if not solved(f, size):
            f.role[best] = -1
            size -= 1
            continue
        size = shrunk(f, size)


cdef Py_ssize_t shrunk(Fit* f, Py_ssize_t size) noexcept nogil:
    """Go to the combination that was found, as far as no part is negative, until none is; return the columns left."""
    cdef Py_ssize_t i, j, first
    cdef double part
    while True:
        part, first = 1.0, -1  # which column is the first to reach 0 on the way
        for j in range(size):
            i = f.active[j]
            if f.trial[j] <= 0.0 and (first < 0 or f.found[i] < part * (f.found[i] - f.trial[j])):
                part, first = f.found[i] / (f.found[i] - f.trial[j]) if f.found[i] > 0.0 else 0.0, j
        for j in range(size):
            i = f.active[j]
            f.found[i] += part * (f.trial[j] - f.found[i])
        if first < 0:
            return size
        f.found[f.active[first]], f.role[f.active[first]] = 0.0, 0
        size -= 1
        for j in range(first, size):
            f.active[j] = f.active[j + 1]
        solved(f, size)


cdef bint solved(Fit* f, Py_ssize_t size) noexcept nogil:
    """Write the combination of the columns in the set that is nearest to the goal; not if others make up the last."""
    cdef Py_ssize_t i, j, m, rows = f.states + 2
    cdef double* mine
    cdef double* other
    cdef double length, whole
    for i in range(rows):
        f.left[i] = f.goal[i]
    for j in range(size):
        mine = f.factor + j * rows
        for i in range(rows):
            mine[i] = f.column[f.active[j] * rows + i]
        whole = sqrt(dot(mine, mine, rows))
        for m in range(j):
            other = f.factor + m * rows
            f.upper[j * rows + m] = dot(other, mine, rows)
            for i in range(rows):
                mine[i] -= f.upper[j * rows + m] * other[i]
        length = sqrt(dot(mine, mine, rows))
        if length <= MADE_UP * whole:
            return False
        f.upper[j * rows + j] = length
        for i in range(rows):
            mine[i] /= length
        f.trial[j] = dot(mine, f.left, rows)
        for i in range(rows):
            f.left[i] -= f.trial[j] * mine[i]
    for j in range(size - 1, -1, -1):
        f.trial[j] /= f.upper[j * rows + j]
        for m in range(j):
            f.trial[m] -= f.upper[j * rows + m] * f.trial[j]
    return True
