"""Sums over the trials of each run: their values, and how runs and questions cross.

Trials are in the order of their questions, and within a question in the order of their categories, so the counts say
which trial has which category. The composition of a question is how many of its trials each run has.
"""
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset

ctypedef fused run_number:
    uint8_t
    uint16_t
    uint32_t


cdef int check_trials(const int64_t[::1] trials, Py_ssize_t size) except -1:
    """Raise a ValueError unless the trials of all questions are ``size`` together: no index leaves the array."""
    cdef Py_ssize_t q
    for q in range(trials.shape[0]):
        if trials[q] < 0 or trials[q] > size:
            break
        size -= trials[q]
    else:
        if size == 0:
            return 0
    raise ValueError("the trials of the questions are not as many as the runs of trials")


def totals(const int64_t[:, ::1] counts, const int64_t[::1] trials, const run_number[::1] of_trial,
           const Py_ssize_t[::1] row, const double[:, ::1] values, double[::1] total, const int64_t[::1] composition):
    """Add ``values[row[q], c]`` of every trial to the total of its run: question ``q``, category ``c``.

    ``composition`` is that of all questions, or empty if they differ. While it is ``f`` for all, the trials of a
    question's most frequent category ``b`` need not be looked at, because

        sum_c value[c] n[c, t] = value[b] f[t] + sum_c (value[c] - value[b]) n[c, t].

    Cost: one addition per trial of the other categories.
    """
    cdef Py_ssize_t q, t, start = 0
    cdef bint alike = composition.shape[0] > 0
    cdef double common = 0.0
    if of_trial.shape[0] == 0:
        return
    check_trials(trials, of_trial.shape[0])
    with nogil:
        for q in range(counts.shape[0]):
            common += add_question(
                &of_trial[0], &start, &counts[q, 0], counts.shape[1], &values[row[q], 0], alike, &total[0]
            )
        if alike:
            for t in range(total.shape[0]):
                total[t] += common * composition[t]


cdef inline double add_question(
    const run_number* of_trial, Py_ssize_t* start, const int64_t* counts, Py_ssize_t width, const double* value,
    bint alike, double* total,
) noexcept nogil:
    """Add a question's trials and move ``start`` past them; return what every trial of its composition adds besides."""
    cdef Py_ssize_t c, at = start[0], most = 0
    cdef double common = 0.0
    if alike and width == 2:  # without a branch that depends on which is more frequent
        most = counts[1] > counts[0]
        start[0] = at + counts[0] + counts[1]
        add_trials(of_trial + at + (1 - most) * counts[0], counts[1 - most], value[1 - most] - value[most], total)
        return value[most]
    if alike:
        for c in range(1, width):
            if counts[c] > counts[most]:
                most = c
        common = value[most]
    for c in range(width):
        if not alike or c != most:
            add_trials(of_trial + at, counts[c], value[c] - common, total)
        at += counts[c]
    start[0] = at
    return common


cdef inline void add_trials(const run_number* of_trial, Py_ssize_t count, double value, double* total) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        total[of_trial[i]] += value


def composition(const int64_t[::1] trials, const run_number[::1] of_trial, int64_t[::1] found):
    """Fill the composition of the first question; return whether all questions, with so many ``trials``, have it.

    Cost: one count per trial and a comparison of memory per question, until one differs.
    """
    cdef Py_ssize_t q, t, start = 0, runs = found.shape[0]
    cdef size_t size = runs * sizeof(uint32_t)
    cdef bint alike = True
    check_trials(trials, of_trial.shape[0])
    cdef uint32_t* seen = <uint32_t*>calloc(2 * runs, sizeof(uint32_t))
    if seen == NULL:
        raise MemoryError
    cdef uint32_t* first = seen + runs
    if of_trial.shape[0] > 0:
        with nogil:
            for q in range(trials.shape[0]):
                memset(seen, 0, size)
                count_runs(&of_trial[start], trials[q], seen)
                start += trials[q]
                if q == 0:
                    memcpy(first, seen, size)
                elif memcmp(first, seen, size) != 0:
                    alike = False
                    break
    for t in range(runs):
        found[t] = first[t]
    free(seen)
    return alike


cdef inline void count_runs(const run_number* of_trial, Py_ssize_t trials, uint32_t* seen) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(trials):
        seen[of_trial[i]] += 1


cdef struct Crossed:        # sums over questions; ``base`` is a composition, from which most questions hardly differ
    Py_ssize_t runs, kinds, squares
    uint32_t* base
    uint32_t* seen          # of one question
    Py_ssize_t* where       # the runs in which it differs from the base
    double* flat            # sum_q w_qi / n_q
    double* whole           # sum_q w_qi / n_q^2
    double* away            # sum_q w_qi / n_q^2 d_qt, where d is the composition less the base
    double* common          # the base
    bint moved              # whether a question differs from the base
    double* linear
    double* square


def crossed(const int64_t[::1] trials, const run_number[::1] of_trial, const double[:, ::1] weights,
            double[:, ::1] linear, double[:, :, ::1] square):
    """Add up the shares ``f`` of runs in the trials of questions, whose composition may differ, for each weight.

    With ``w_qi`` the i-th weight of question ``q``, ``linear[i, t]`` is ``sum_q w_qi f_qt``, and ``square[i, t, u]`` is
    ``sum_q w_qi f_qt f_qu`` for ``u >= t``, of the first weights only.

    With ``c = b + d``, where the base ``b`` is an earlier question's composition, ``c c' = b b' + b d' + d b' + d d'``,
    so only the runs in which a question differs from the base need to be looked at. A question that differs in more
    than half of the runs is the next base.

    Cost: one count per trial and one comparison per question and run; half of (runs)^2 additions for each base.
    """
    cdef Py_ssize_t q, start = 0
    cdef Crossed sums
    check_trials(trials, of_trial.shape[0])
    sums.runs, sums.kinds, sums.squares = linear.shape[1], linear.shape[0], square.shape[0]
    sums.linear, sums.square = &linear[0, 0], &square[0, 0, 0]
    cdef Py_ssize_t each = sums.squares * sums.runs
    sums.base = <uint32_t*>calloc(2 * sums.runs, sizeof(uint32_t))
    sums.where = <Py_ssize_t*>calloc(sums.runs, sizeof(Py_ssize_t))
    sums.flat = <double*>calloc(2 * sums.kinds + each + sums.runs, sizeof(double))
    if sums.base == NULL or sums.where == NULL or sums.flat == NULL:
        free(sums.base)
        free(sums.where)
        free(sums.flat)
        raise MemoryError
    sums.seen, sums.whole = sums.base + sums.runs, sums.flat + sums.kinds
    sums.away, sums.moved = sums.whole + sums.kinds, False
    sums.common = sums.away + each
    if of_trial.shape[0] > 0:
        with nogil:
            for q in range(trials.shape[0]):
                if trials[q] > 0:
                    memset(sums.seen, 0, sums.runs * sizeof(uint32_t))
                    count_runs(&of_trial[start], trials[q], sums.seen)
                    start += trials[q]
                    add_composition(&sums, <double>trials[q], &weights[q, 0])
            add_base(&sums)
    free(sums.base)
    free(sums.where)
    free(sums.flat)


cdef void add_composition(Crossed* sums, double n, const double* weights) noexcept nogil:
    """Add the question whose composition was counted, with ``n`` trials and these weights."""
    cdef Py_ssize_t t, i, a, b, differ = 0
    cdef double flat, whole, part
    for t in range(sums.runs):
        sums.where[differ] = t
        differ += sums.seen[t] != sums.base[t]
        if 2 * differ > sums.runs:
            add_base(sums)
            memcpy(sums.base, sums.seen, sums.runs * sizeof(uint32_t))
            differ = 0
            break
    sums.moved |= differ > 0
    for i in range(sums.kinds):
        flat = weights[i] / n
        whole = flat / n
        sums.flat[i] += flat
        sums.whole[i] += whole
        for a in range(differ):
            t = sums.where[a]
            sums.linear[i * sums.runs + t] += flat * away(sums, t)
            if i < sums.squares:
                part = whole * away(sums, t)
                sums.away[i * sums.runs + t] += part
                for b in range(a, differ):
                    sums.square[(i * sums.runs + t) * sums.runs + sums.where[b]] += part * away(sums, sums.where[b])


cdef inline double away(const Crossed* sums, Py_ssize_t t) noexcept nogil:
    return <double>sums.seen[t] - <double>sums.base[t]


cdef void add_base(Crossed* sums) noexcept nogil:
    """Add what the base is in the questions so far, and begin anew."""
    cdef Py_ssize_t i, t
    cdef double* apart
    cdef double* into
    for t in range(sums.runs):
        sums.common[t] = sums.base[t]
    for i in range(sums.kinds):
        add_row(sums.linear + i * sums.runs, sums.flat[i], sums.common, 0, sums.runs)
        if i < sums.squares:
            apart = sums.away + i * sums.runs
            for t in range(sums.runs):
                into = sums.square + (i * sums.runs + t) * sums.runs
                add_row(into, sums.whole[i] * sums.common[t] + apart[t], sums.common, t, sums.runs)
                if sums.moved:
                    add_row(into, sums.common[t], apart, t, sums.runs)
            memset(apart, 0, sums.runs * sizeof(double))
    sums.moved = False
    memset(sums.flat, 0, 2 * sums.kinds * sizeof(double))


cdef inline void add_row(
    double* into, double factor, const double* row, Py_ssize_t first, Py_ssize_t last
) noexcept nogil:
    cdef Py_ssize_t u
    if factor != 0.0:
        for u in range(first, last):
            into[u] += factor * row[u]
