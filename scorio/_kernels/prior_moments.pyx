"""A metric's posterior under a learned prior: its mean and variance at every component, or of every state.

Components are the nodes of ``shared_prior.pyx`` and, last, the grid density if there is one. A metric is given by what
``j = 0..k`` successes are worth, up to ``MAX_BUDGET`` trials, or by tables (nodes, states) of its mean and variance
under every node's Beta; and by its values at success rates 0 and 1 and on the grid. The GIL is released throughout.
"""
from libc.math cimport exp, fabs, fmax, log
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from scorio._kernels.beta_mixture cimport mixture_moments, mixture_quantiles
from scorio._kernels.cholesky cimport solve_lower
from scorio._kernels.credit_moments cimport (
    MAX_BUDGET, Credit, Moments, credit_moments, describe_credit, fill_tables, scale_credit, tabled_moments)
from scorio._kernels.credit_values cimport credit_value
from scorio._kernels.fitting_law cimport best_law, room_of_law
from scorio._kernels.hypergeometric cimport expectation
from scorio._kernels.log_linear_prior cimport LogLinear, project
from scorio._kernels.point_mass_weights cimport Rule
from scorio._kernels.pooled_moments cimport Pooled, boundary_mass, pool, pool_grid, pool_point_masses
from scorio._kernels.shared_prior cimport Node, SharedPrior
from scorio._kernels.states cimport States

cdef enum:
    GRID_ROOM = 512     # more than the points of the largest grid

LARGEST_BUDGET = MAX_BUDGET     # of a credit that these kernels take

cdef double LEAST_DISAGREEMENT = 0.05   # of the posterior variance: of a score and a mean that hardly differ
cdef double LEAST_SHARE = 0.25          # of a bias that does not show, which the variance has though the mean stays
cdef double ENOUGH = 0.02               # of a log-likelihood: how well the distribution that fits best is known
cdef double FEW = 5.0                   # questions from which on a mean score is nearly normal


cdef void fill_states(States states, Credit* credit, const Node* node, double* mean, double* variance) noexcept nogil:
    """Moments of every state at a node."""
    cdef Moments found
    cdef long long n = -1
    cdef Py_ssize_t i
    cdef bint tabled = False
    for i in range(states.n_states):
        if states.n[i] != n:
            n = states.n[i]
            scale_credit(credit, node.alpha + node.beta + n)
            tabled = (i + 1 < states.n_states and states.n[i + 1] == n
                      and fill_tables(credit, node.alpha, node.beta, n))
        if tabled:
            found = tabled_moments(credit, states.c[i], n - states.c[i], node.alpha + states.c[i],
                                   node.beta + (n - states.c[i]))
        else:
            found = credit_moments(credit, node.alpha + states.c[i], node.beta + (n - states.c[i]))
        mean[i], variance[i] = found.mean, found.variance


cdef void fill_grid(const double[::1] x, const LogLinear* grid, double* values) noexcept nogil:
    """What a success rate on the grid is worth."""
    cdef Py_ssize_t k = x.shape[0] - 1
    cdef int i
    values[0], values[grid.points - 1] = x[0], x[k]
    for i in range(1, grid.points - 1):
        values[i] = credit_value(&x[0], k, grid.x[i], 1.0 - grid.x[i])


cdef void fill_components(SharedPrior prior, States states, const double[::1] x, const double[:, ::1] table_mean,
                          const double[:, ::1] table_variance, bint tabled, double* scratch, double about,
                          double* mean, double* variance, double* second) noexcept nogil:
    """Moments of the mean over questions at every component; ``scratch`` holds twice the states and two grids."""
    cdef Py_ssize_t size = states.n_states
    cdef const double* row_mean = scratch
    cdef const double* row_variance = scratch + size
    cdef Credit credit
    cdef Pooled found
    cdef const Node* node
    cdef int j
    if not tabled:
        describe_credit(&credit, x.shape[0] - 1, &x[0])
    for j in range(prior.size):
        node = prior.node + j
        if tabled:
            row_mean, row_variance = &table_mean[j, 0], &table_variance[j, 0]
        else:
            fill_states(states, &credit, node, scratch, scratch + size)
        if node.rule < 0:
            found = pool(states, row_mean, row_variance, about)
        else:
            found = pool_point_masses(states, prior.rule + node.rule, node.alpha, node.beta, prior.boundary,
                                      prior.n_boundary, row_mean, row_variance, x[0], x[x.shape[0] - 1], about)
        mean[j], variance[j], second[j] = found.mean, found.variance, found.second
    if prior.grid != NULL and not tabled:
        fill_grid(x, prior.grid, scratch + 2 * size)
        found = pool_grid(prior.grid, states, scratch + 2 * size, scratch + 2 * size + GRID_ROOM, about)
        j = prior.size
        mean[j], variance[j], second[j] = found.mean, found.variance, found.second


cdef Py_ssize_t room(SharedPrior prior) noexcept nogil:
    """Numbers of scratch: twice the states and two grids, or what the distribution that fits best needs, and a grid."""
    cdef Py_ssize_t states = prior.states.n_states, found = 2 * states + 2 * GRID_ROOM
    if prior.grid == NULL:
        return found
    return max(found, states * (prior.grid.points + 2) + room_of_law(states, prior.grid.points) + GRID_ROOM)


cdef void free_law(const LogLinear* grid, States states, Py_ssize_t first, Py_ssize_t last, double* scratch,
                   double* share) noexcept nogil:
    """The shares of the grid's rates in the distribution that fits these states best, from the density of all."""
    cdef int points = grid.points, columns = points + 1, i
    cdef Py_ssize_t size = last - first, s
    cdef double* questions = scratch + size * columns
    for s in range(size):
        questions[s] = states.m[first + s]
        for i in range(points):
            scratch[s * columns + i] = grid.like[(first + s) * points + i] / grid.g[i] if grid.g[i] > 1e-250 else 0.0
    memcpy(share, grid.g, points * sizeof(double))
    best_law(scratch, questions, size, points, ENOUGH, questions + size, share)


def components(SharedPrior prior not None, const double[::1] x, double[:, ::1] out, double about=0.0,
               const double[:, ::1] table_mean=None, const double[:, ::1] table_variance=None):
    """Moments of the mean over questions at every component: of the credit ``x``, or of tables with its end values.

    The rows of ``out`` (3, components) are the mean, its variance, and the mean square of a question's value about
    ``about``.
    """
    cdef States states = prior.states
    cdef bint tabled = table_mean is not None
    cdef double* scratch = <double*> malloc((2 * states.n_states + 2 * GRID_ROOM) * sizeof(double))
    if scratch == NULL:
        raise MemoryError
    with nogil:
        fill_components(prior, states, x, table_mean, table_variance, tabled, scratch, about, &out[0, 0], &out[1, 0],
                        &out[2, 0])
    free(scratch)


cdef struct Scored:
    double mean
    double spread       # mean squared deviation from it
    double trust        # t/(t + FEW), t the smaller of the numbers of questions below the highest and above the lowest
    double noise        # an estimate of the variance of ``mean`` that needs no density, once it is known; else negative


cdef Scored scored(States states, const double* score, const double[::1] x) noexcept nogil:
    """What the questions' unbiased scores say."""
    cdef Scored found
    cdef double count = states.n_questions, low = x[0], high = x[0], below = 0.0, above = 0.0
    cdef Py_ssize_t i
    for i in range(x.shape[0]):
        low, high = min(low, x[i]), max(high, x[i])
    found.mean = found.spread = 0.0
    for i in range(states.n_states):
        found.mean += states.m[i] * score[i]
        below += states.m[i] * (score[i] < high)
        above += states.m[i] * (score[i] > low)
    found.mean /= count
    for i in range(states.n_states):
        found.spread += states.m[i] * (score[i] - found.mean) * (score[i] - found.mean)
    found.spread /= count
    found.trust = min(below, above) / (min(below, above) + FEW)
    found.noise = -1.0
    return found


cdef double noise_of(SharedPrior prior, States states, const double* score, double about, double spread,
                     const double[::1] x, bint believed, double* scratch) noexcept nogil:
    """An estimate of the variance of the mean score that does not take the density for granted; 0 where there is none.

    It is unbiased where every question has ``2k`` trials (``noise_of_draws``). With fewer, it is that under the
    distribution of rates that fits best (``fitting_law``): one for all questions, or for each number of trials where
    the prior is not ``believed`` because rates depend on it. A prior that is believed has the noise of ``k = 1`` right.
    """
    cdef Py_ssize_t k = x.shape[0] - 1, first = 0, last, s
    cdef int point
    cdef double square = 0.0, questions
    cdef double* share
    if (k == 1 and believed) or k > MAX_BUDGET:
        return 0.0
    for s in range(states.n_states):
        if states.n[s] < 2 * k:
            break
    else:
        return noise_of_draws(states, score, about, x)
    if prior.grid == NULL:
        return 0.0
    share = scratch + room(prior) - GRID_ROOM
    while first < states.n_states:
        last, questions = first, 0.0
        while last < states.n_states and (believed or states.n[last] == states.n[first]):
            questions += states.m[last]
            last += 1
        free_law(prior.grid, states, first, last, scratch, share)
        fill_grid(x, prior.grid, scratch)
        for point in range(prior.grid.points):
            square += questions * share[point] * (scratch[point] - about) * (scratch[point] - about)
        first = last
    return fmax(spread - square / states.n_questions, 0.0) / states.n_questions


cdef double noise_of_draws(States states, const double* score, double about, const double[::1] x) noexcept nogil:
    """An unbiased estimate of the variance of the mean score from two disjoint draws of every question.

    With ``y_i = x_i - about``, ``U_a^2 - S_a`` is unbiased for the variance of a question's score ``U_a - about`` if
    ``S_a`` is the mean of ``y_i y_j`` over two disjoint draws of ``k`` trials: the score of a credit of ``2k`` trials.
    Where ``k = 1`` it would add nothing: every prior that is learned has the variance of the rates right.
    """
    cdef double pair[2 * MAX_BUDGET + 1]
    cdef double product[MAX_BUDGET + 1]
    cdef double peak = 0.0, total = 0.0, count = states.n_questions
    cdef Py_ssize_t k = x.shape[0] - 1, s, i
    for s in range(2 * k + 1):
        for i in range(max(0, s - k), min(s, k) + 1):
            product[i] = (x[i] - about) * (x[s - i] - about)
            peak = fmax(peak, fabs(product[i]))
        pair[s] = expectation(2 * k, s, k, product, peak)
    for i in range(states.n_states):
        total += states.m[i] * ((score[i] - about) * (score[i] - about)
                                - expectation(states.n[i], states.c[i], 2 * k, pair, peak))
    return fmax(total, 0.0) / (count * count)


cdef void toward_score(SharedPrior prior, const double* weight, Scored* score, const double* scores,
                       const double[::1] x, bint believed, double* mean, double* variance,
                       const double* second, double* scratch) noexcept nogil:
    """Move components toward an unbiased score as far as it disagrees with them: see ``toward_scores``."""
    cdef int count = prior.size + (prior.grid != NULL), last = count - 1, j
    cdef double questions = prior.states.n_questions, mu, sigma, own, error, distance, within, share
    cdef double square = 0.0, between, unseen
    score.noise = noise_of(prior, prior.states, scores, score.mean, score.spread, x, believed, scratch)
    if prior.grid != NULL and prior.grid.roughness > 0:
        error = max(variance[last], (score.spread - second[last]) / questions, score.noise)
        mean[last] += score.trust * (score.mean - mean[last])
        variance[last] += score.trust * (error - variance[last])
    mixture_moments(weight, mean, variance, count, &mu, &sigma)
    own = between = sigma * sigma
    for j in range(count):
        square += weight[j] * second[j]
        between -= weight[j] * variance[j]
    error = max((score.spread - square) / questions, own)
    distance = (score.mean - mu) * (score.mean - mu)
    share = score.trust
    if believed:
        within = max(error - own, LEAST_DISAGREEMENT * own)
        share *= 1.0 - within / distance if distance > within else 0.0
    error = max(error, score.noise)
    unseen = max(LEAST_SHARE * score.trust - share, 0.0) * (error - own) if score.noise > 0.0 else 0.0
    error += (1.0 - share) * max(between, 0.0)      # means that move together differ less
    for j in range(count):
        mean[j] += share * (score.mean - mean[j])
        variance[j] += share * (error - variance[j]) + unseen


def toward_scores(SharedPrior prior not None, const double[::1] x, const double[::1] scores, const double[::1] weight,
                  bint believed, double[:, ::1] out):
    """Move components (3, components), computed about the mean score, toward the unbiased ``scores`` of the states.

    With ``mu`` and ``sigma`` of the mixture, the mean score ``U`` has the variance ``V``, the mean over questions of
    ``U_a^2 - E f_a^2`` (``f_a`` the question's value) over their number, and ``D = U - mu`` about ``V_D = V - sigma^2``
    if the prior is right. What ``D^2`` exceeds that is taken for bias, as by James and Stein: with the share
    ``w = r (1 - V_D/D^2)`` the mean moves to ``(1 - w) mu + w U``, the variance to ``(1 - w) sigma^2 + w V``. A bias of
    one standard deviation of ``D`` does not show, so that the variance moves by at least ``r/4``, except for ``k = 1``,
    where no shape has a bias. The trust ``r = t/(t + 5)`` is small where few questions have a score other than the
    lowest (or highest) of ``x``, because so rare a score is not normal. A rough grid density was needed because no
    smooth one fits; its mean is not believed, and ``w = r`` there, as for all components where the prior is not
    ``believed``. ``V`` rests on the prior's squares ``E f_a^2``. Where every question has ``2k`` trials they have an
    unbiased estimate too, and else those of the distribution that fits best: the larger of both variances counts.
    """
    cdef Scored score
    cdef double* scratch = <double*> malloc(room(prior) * sizeof(double))
    if scratch == NULL:
        raise MemoryError
    with nogil:
        score = scored(prior.states, &scores[0], x)
        toward_score(prior, &weight[0], &score, &scores[0], x, believed, &out[0, 0], &out[1, 0], &out[2, 0], scratch)
    free(scratch)


def intervals(SharedPrior prior not None, list values, list scores, bint believed, const double[:, ::1] bounds,
              double confidence, double[:, ::1] out):
    """Mean, standard deviation and equal-tailed interval of many credits, (metrics, 4), each inside its bounds.

    ``scores`` are the unbiased scores of the states, or None, for every credit; see ``toward_scores``.
    """
    cdef States states = prior.states
    cdef int count = prior.size + (prior.grid != NULL), j, which, status = 0
    cdef double* scratch = <double*> malloc((room(prior) + 4 * count) * sizeof(double))
    cdef double* weight = scratch + room(prior)
    cdef double chances[2]
    cdef Scored score
    cdef bint has_score
    cdef const double[::1] x, own
    if scratch == NULL:
        raise MemoryError
    chances[0] = (1.0 - confidence) / 2.0
    chances[1] = 1.0 - chances[0]
    for j in range(prior.size):
        weight[j] = prior.node[j].weight
    weight[count - 1] = prior.grid_weight if prior.grid != NULL else weight[count - 1]
    for which in range(len(values)):
        x, own = values[which], scores[which]
        has_score = own is not None
        with nogil:
            score.mean = 0.0
            if has_score:
                score = scored(states, &own[0], x)
            fill_components(prior, states, x, None, None, False, scratch, score.mean, weight + count,
                            weight + 2 * count, weight + 3 * count)
            if has_score:
                toward_score(prior, weight, &score, &own[0], x, believed, weight + count, weight + 2 * count,
                             weight + 3 * count, scratch)
            status |= interval_of(weight, count, bounds[which, 0], bounds[which, 1], chances, &out[which, 0])
    free(scratch)
    if status != 0:
        raise MemoryError


cdef int interval_of(const double* weight, int count, double low, double high, const double* chances,
                     double* out) noexcept nogil:
    """The four numbers from components: the interval reaches to the mean."""
    cdef int status = 0
    mixture_moments(weight, weight + count, weight + 2 * count, count, &out[0], &out[1])
    out[2], out[3] = low, high
    if high > low:
        status = mixture_quantiles(weight, weight + count, weight + 2 * count, count, low, high, chances, 2, out + 2)
    out[2] = min(max(min(out[2], out[0]), low), high)
    out[3] = min(max(max(out[3], out[0]), low), high)
    return status


def of_states(SharedPrior prior not None, const double[::1] x, double[:, ::1] out,
              const double[:, ::1] table_mean=None, const double[:, ::1] table_variance=None):
    """Adds up over the nodes: the mean, the variance given the node, and the square of the mean, (3, states)."""
    cdef States states = prior.states
    cdef Py_ssize_t size = states.n_states, i
    cdef double* scratch = <double*> malloc((2 * size + 1) * sizeof(double))
    cdef const double* row_mean = scratch
    cdef const double* row_variance = scratch + size
    cdef Credit credit
    cdef const Node* node
    cdef int j
    if scratch == NULL:
        raise MemoryError
    with nogil:
        if table_mean is None:
            describe_credit(&credit, x.shape[0] - 1, &x[0])
        for j in range(prior.size):
            node = prior.node + j
            if table_mean is None:
                fill_states(states, &credit, node, scratch, scratch + size)
            else:
                row_mean, row_variance = &table_mean[j, 0], &table_variance[j, 0]
            for i in range(size):
                if node.rule >= 0 and (states.c[i] == 0 or states.c[i] == states.n[i]):
                    add_boundary(out, i, states, prior.rule + node.rule, node, row_mean[i], row_variance[i], x)
                else:
                    out[0, i] += node.weight * row_mean[i]
                    out[1, i] += node.weight * row_variance[i]
                    out[2, i] += node.weight * row_mean[i] * row_mean[i]
    free(scratch)


cdef void add_boundary(double[:, ::1] out, Py_ssize_t i, States states, const Rule* rule, const Node* node,
                       double mean, double variance, const double[::1] x) noexcept nogil:
    """A boundary state, over the weights of the point masses."""
    cdef double mass = boundary_mass(node.alpha, node.beta, states.c[i], states.n[i])
    cdef double zero, one, total, down = x[0] - mean, up = x[x.shape[0] - 1] - mean, move, weight
    cdef int k
    for k in range(rule.size):
        zero = rule.zero[k] if states.c[i] == 0 else 0.0
        one = rule.one[k] if states.c[i] == states.n[i] else 0.0
        total = zero + one + (1.0 - rule.zero[k] - rule.one[k]) * mass
        zero, one = zero / total, one / total
        move, weight = zero * down + one * up, node.weight * rule.share[k]
        out[0, i] += weight * (mean + move)
        out[1, i] += weight * (max(zero * down * down + one * up * up - move * move, 0.0)
                               + (1.0 - zero - one) * variance)
        out[2, i] += weight * (mean + move) * (mean + move)


def of_unseen(SharedPrior prior not None, const double[::1] x, double[::1] mean, double[::1] variance,
              const double[::1] table_mean=None):
    """The expected value of another question at every node, and its variance over the node's cell and point masses.

    Most of the cell's width on each axis stands for the continuous law that the nodes sample; it fills the gaps between
    their values and adds less than 2% to the standard deviation.
    Tables leave it out.
    """
    cdef Credit credit
    cdef const Node* node
    cdef double own, cell
    cdef int j
    with nogil:
        if table_mean is None:
            describe_credit(&credit, x.shape[0] - 1, &x[0])
        for j in range(prior.size):
            node = prior.node + j
            cell = 0.0
            if table_mean is None:
                own = unseen_mean(&credit, log(node.alpha / node.beta), -log(node.alpha + node.beta))
                cell = cell_variance(&credit, node, own)
            else:
                own = table_mean[j]
            over_point_masses(prior, node, own, cell, x, &mean[j], &variance[j])


cdef inline double unseen_mean(Credit* credit, double x, double y) noexcept nogil:
    cdef double s = exp(-y), alpha = s / (1.0 + exp(-x)), beta = s / (1.0 + exp(x))
    scale_credit(credit, alpha + beta)
    return credit_moments(credit, alpha, beta).mean


cdef double cell_variance(Credit* credit, const Node* node, double own) noexcept nogil:
    """Of the expected value, over a uniform law in the middle seven eighths of the node's cell; to first order."""
    cdef double x = log(node.alpha / node.beta), y = -log(node.alpha + node.beta)
    cdef double right = unseen_mean(credit, x + 0.5 * node.across, y + 0.5 * node.slant) - own
    cdef double up = unseen_mean(credit, x, y + 0.5 * node.along) - own
    return (right * right + up * up) / 4.0


cdef void over_point_masses(SharedPrior prior, const Node* node, double own, double cell, const double[::1] x,
                            double* mean, double* variance) noexcept nogil:
    """Moments over the weights of the node's point masses and over its cell."""
    cdef const Rule* rule
    cdef double value, smooth, centre = 0.0, square = 0.0, stretch = 0.0
    cdef int k
    mean[0], variance[0] = own, cell
    if node.rule < 0:
        return
    rule = prior.rule + node.rule
    for k in range(rule.size):
        smooth = 1.0 - rule.zero[k] - rule.one[k]
        value = rule.zero[k] * (x[0] - own) + rule.one[k] * (x[x.shape[0] - 1] - own)
        centre += rule.share[k] * value
        square += rule.share[k] * value * value
        stretch += rule.share[k] * smooth * smooth
    mean[0] = own + centre
    variance[0] = max(square - centre * centre, 0.0) + stretch * cell


def grid_posterior(SharedPrior prior not None):
    """Posterior probabilities of the grid points for every state, (states, points)."""
    cdef Py_ssize_t size = prior.states.n_states
    return np.asarray(<double[:size, :prior.grid.points]> prior.grid.like)


def grid_scores(SharedPrior prior not None, const double[:, ::1] values):
    """For rows of values on the grid: the coordinates whose squares add up to ``q' A^-1 q``, ``q = B' values``."""
    cdef double[:, ::1] out = np.empty((values.shape[0], prior.grid.terms))
    cdef Py_ssize_t i
    with nogil:
        for i in range(values.shape[0]):
            project(prior.grid, &values[i, 0], &out[i, 0])
            solve_lower(prior.grid.curvature, prior.grid.terms, &out[i, 0])
    return np.asarray(out)
