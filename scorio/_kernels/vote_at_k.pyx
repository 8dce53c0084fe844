"""The chance of each answer to win a vote of ``k`` of a question's trials.

Answer ``a`` has ``c_a`` of the ``n`` trials, and ``s`` trials abstain. With ``r = k/n``, let every trial take part with
probability ``r``, independently; given that ``k`` take part, all draws of ``k`` are alike. Hence

    P(a wins) = sum_j b(j; c_a) [z^(k-j)] int_0^1 b(z; S_j) prod_{c_b >= j, b != a} f_b(z, u) du / b(k; n),
    f_b(z, u) = sum_{i<j} b(i; c_b) z^i + u b(j; c_b) z^j

where ``b(i; c)`` is the binomial mass, ``b(z; S_j)`` their polynomial, ``S_j`` the number of abstentions and of trials
of answers with fewer than ``j``: these can neither win nor tie. With ``T`` others that tie, ``a`` wins with probability
``1/(1+T)``, which is the integral of ``u^T``. Each tie takes ``j`` trials, so the degree in ``u`` is known, and a
Gauss-Legendre rule is exact. Where a tie is no answer, ``u`` is 0. All numbers are probabilities: sums and products of
positive terms of at most 1, so that nothing overflows or cancels, and what underflows does not count.

Answers with equally many trials win alike: only distinct counts are computed. Cost: for each ``j`` and node, ``2 j k``
per answer with at least ``j``.
"""
from libc.math cimport cos, exp, fabs, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free, malloc

from scorio._kernels.hypergeometric cimport split_exponent, split_scale
from scorio._kernels.interrupt cimport pause


cdef struct Vote:
    int64_t* count          # distinct counts of answers, largest first
    int64_t* answers        # how many answers have each
    int64_t distinct
    int64_t abstained
    int64_t trials
    int64_t k
    bint shared             # whether ties are shared; else a tie is no answer
    double* rows            # binomial masses 0..k of each count, (distinct, k + 1)
    double* base            # and of the trials that can neither win nor tie
    double* suffix          # products over later answers without one of each count, (distinct, k + 1)
    double* product
    double* spare
    double* factor
    double* chance          # of one answer with each distinct count to win
    double** rules          # nodes and weights of each order of Gauss-Legendre
    int64_t work


def chances(const int64_t[::1] count, const int64_t[::1] first, const int64_t[::1] trials, const int64_t[::1] drawn,
            bint shared, double[::1] chance):
    """Write the chance of each answer to win; ``first`` has where a question's answers begin, by falling ``count``.

    Of the ``trials`` of each question, those without an answer abstain, and as many as ``drawn`` says take part.
    """
    cdef Py_ssize_t questions = trials.shape[0], a
    cdef int64_t most = 1, k = 1, i, at
    for a in range(questions):
        most, k = max(most, trials[a]), max(k, drawn[a])
    cdef Vote vote
    open_vote(&vote, <int64_t> sqrt(2.0 * most) + 3, k)
    vote.shared = shared
    try:
        with nogil:
            for a in range(questions):
                vote.trials, vote.k = trials[a], drawn[a]
                gather(&vote, count, first[a], first[a + 1])
                of_question(&vote)
                at = 0
                for i in range(first[a], first[a + 1]):
                    while vote.count[at] != count[i]:
                        at += 1
                    chance[i] = vote.chance[at]
                pause(&vote.work, 0)
    finally:
        close_vote(&vote, k)


cdef int open_vote(Vote* vote, int64_t width, int64_t k) except -1:
    """Allocate what a vote needs."""
    cdef double* block = <double*> malloc((2 * width * (k + 1) + 4 * (k + 1) + width) * sizeof(double))
    cdef int64_t* counts = <int64_t*> malloc(2 * width * sizeof(int64_t))
    cdef double** rules = <double**> calloc(k + 2, sizeof(double*))
    if block == NULL or counts == NULL or rules == NULL:
        free(block)
        free(counts)
        free(rules)
        raise MemoryError
    vote.rows = block
    vote.suffix = block + width * (k + 1)
    vote.base = vote.suffix + width * (k + 1)
    vote.product = vote.base + (k + 1)
    vote.spare = vote.product + (k + 1)
    vote.factor = vote.spare + (k + 1)
    vote.chance = vote.factor + (k + 1)
    vote.count, vote.answers, vote.rules, vote.work = counts, counts + width, rules, 0
    return 0


cdef void close_vote(Vote* vote, int64_t k) noexcept:
    cdef int64_t n
    for n in range(k + 2):
        free(vote.rules[n])
    free(vote.rows)
    free(vote.count)
    free(vote.rules)


cdef void gather(Vote* vote, const int64_t[::1] count, int64_t begin, int64_t end) noexcept nogil:
    """Collect the distinct counts of a question's answers, and its abstentions."""
    cdef int64_t i
    vote.distinct, vote.abstained = 0, vote.trials
    for i in range(begin, end):
        if vote.distinct == 0 or vote.count[vote.distinct - 1] != count[i]:
            vote.count[vote.distinct], vote.answers[vote.distinct] = count[i], 0
            vote.distinct += 1
        vote.answers[vote.distinct - 1] += 1
        vote.abstained -= count[i]


cdef int of_question(Vote* vote) except -1 nogil:
    """Write the chance of an answer with each distinct count to win."""
    cdef int64_t d, j, k = vote.k, contenders = vote.distinct, idle
    cdef double total
    for d in range(vote.distinct):
        vote.chance[d] = 0.0
    if vote.distinct == 0 or vote.count[0] == 0:
        return 0
    if k == vote.trials:
        vote.chance[0] = 1.0 / vote.answers[0] if vote.shared or vote.answers[0] == 1 else 0.0
        return 0
    for d in range(vote.distinct):
        fill_masses(vote.rows + d * (k + 1), vote.count[d], k, k, vote.trials)
    idle = vote.abstained
    for j in range(1, min(vote.count[0], k) + 1):
        while vote.count[contenders - 1] < j:
            contenders -= 1
            idle += vote.count[contenders] * vote.answers[contenders]
        fill_masses(vote.base, idle, k - j, k, vote.trials)
        with_votes(vote, j, contenders)
    total = mass(k, vote.trials, k, vote.trials)
    for d in range(vote.distinct):
        vote.chance[d] /= total
    return 0


cdef int with_votes(Vote* vote, int64_t j, int64_t contenders) except -1 nogil:
    """Add the chance to win with ``j`` votes; the first so many counts are at least ``j``."""
    cdef int64_t answers = 0, d, node, nodes = 1, rest = vote.k - j
    cdef double* rule = NULL
    for d in range(contenders):
        answers += vote.answers[d]
    if vote.shared:
        nodes = min(answers - 1, rest // j) // 2 + 1
        rule = rule_of(vote, nodes)
    for node in range(nodes):
        at_node(vote, j, contenders, rule[2 * node] if vote.shared else 0.0, rule[2 * node + 1] if vote.shared else 1.0)
    pause(&vote.work, 2 * nodes * answers * min(j, rest + 1) * (rest + 1))
    return 0


cdef void at_node(Vote* vote, int64_t j, int64_t contenders, double u, double weight) noexcept nogil:
    """Add the chance to win with ``j`` votes where each tie counts ``u``."""
    cdef int64_t d, i, _each, degree = 0, width = vote.k + 1, rest = vote.k - j
    cdef double* suffix
    cdef double found
    vote.product[0] = 1.0
    for d in range(contenders - 1, -1, -1):
        fill_factor(vote, d, j, u)
        for _each in range(vote.answers[d] - 1):
            degree = times_factor(vote, degree, j, rest)
        suffix = vote.suffix + d * width
        for i in range(rest + 1):
            suffix[i] = vote.product[i] if i <= degree else 0.0
        if d:
            degree = times_factor(vote, degree, j, rest)
    for i in range(rest + 1):
        vote.product[i] = vote.base[i]
    for d in range(contenders):
        suffix = vote.suffix + d * width
        found = 0.0
        for i in range(rest + 1):
            found += vote.product[i] * suffix[rest - i]
        vote.chance[d] += weight * found * vote.rows[d * width + j]
        if d < contenders - 1:
            fill_factor(vote, d, j, u)
            for _each in range(vote.answers[d]):
                times_factor(vote, rest, j, rest)


cdef inline void fill_factor(Vote* vote, int64_t d, int64_t j, double u) noexcept nogil:
    """Write the polynomial of an answer that does not get more than ``j`` votes."""
    cdef int64_t i
    cdef const double* row = vote.rows + d * (vote.k + 1)
    for i in range(j):
        vote.factor[i] = row[i]
    vote.factor[j] = u * row[j]


cdef inline int64_t times_factor(Vote* vote, int64_t degree, int64_t j, int64_t rest) noexcept nogil:
    """Multiply the product by the factor, up to the power ``rest``; return its degree."""
    cdef int64_t i, t, new = min(degree + j, rest), last
    cdef double scale
    cdef double* out = vote.spare
    cdef const double* product = vote.product
    for i in range(new + 1):
        out[i] = 0.0
    for t in range(min(j, new) + 1):
        scale = vote.factor[t]
        last = min(degree, new - t)
        for i in range(last + 1):
            out[t + i] += scale * product[i]
    vote.spare, vote.product = vote.product, out
    return new


cdef inline double mass(int64_t x, int64_t size, int64_t k, int64_t n) noexcept nogil:
    """Return the binomial mass ``b(x; size, k/n)``."""
    if size == 0:
        return 1.0 if x == 0 else 0.0
    return exp(split_exponent(x, size, k, n)) * sqrt(split_scale(x, size))


cdef void fill_masses(double* row, int64_t size, int64_t last, int64_t k, int64_t n) noexcept nogil:
    """Write the binomial masses ``b(i; size, k/n)`` for ``i = 0..last``, from the largest of them outward."""
    cdef double odds = <double> k / <double> (n - k)
    cdef int64_t top = min(min(size, last), <int64_t> (<double> (size + 1) * k / n)), i
    row[top] = mass(top, size, k, n)
    for i in range(top, 0, -1):
        row[i - 1] = row[i] * (i / ((size - i + 1.0) * odds))
    for i in range(top + 1, last + 1):
        row[i] = row[i - 1] * (odds * (size - i + 1.0) / i) if i <= size else 0.0


cdef double* rule_of(Vote* vote, int64_t nodes) except NULL nogil:
    """Return the nodes and weights of the Gauss-Legendre rule on (0, 1), computed once."""
    cdef double* rule = vote.rules[nodes]
    cdef double x, step, before, value, slope, next_one
    cdef int64_t i, m, _tries
    if rule != NULL:
        return rule
    rule = <double*> malloc(2 * nodes * sizeof(double))
    if rule == NULL:
        with gil:
            raise MemoryError
    for i in range(nodes):
        x = cos(3.141592653589793 * (i + 0.75) / (nodes + 0.5))
        for _tries in range(100):
            before, value = 1.0, x
            for m in range(2, nodes + 1):
                next_one = ((2.0 * m - 1.0) * x * value - (m - 1.0) * before) / m
                before, value = value, next_one
            slope = nodes * (x * value - before) / (x * x - 1.0)
            step = value / slope
            x -= step
            if fabs(step) <= 4e-16:
                break
        rule[2 * i] = 0.5 * (1.0 + x)
        rule[2 * i + 1] = 1.0 / ((1.0 - x * x) * slope * slope)
    vote.rules[nodes] = rule
    return rule
