"""The prior that all questions share, learned from them: three kinds of prior, averaged by their evidence.

- A Beta distribution with unknown mean and spread (``beta_evidence.pxd``).
- The same with point masses at 0 and 1 of unknown weight (``point_mass_weights.pxd``); its prior probability is
  ``POINT_MASS_PROBABILITY``. One trial per question cannot tell the two apart: there it is left out.
- A log-linear density on a grid (``log_linear_prior.pxd``), for shapes that no Beta has. Its odds against the other two
  are ``GRID_ODDS t/(t + 5)`` times their ratio of evidence; ``t`` is the smaller of the numbers of questions with a
  success and with a failure, so that outcomes without any success, or without any failure, leave it out.

The first two become *nodes*: Beta distributions with posterior weights, on a lattice that follows the posterior of mean
and spread (``density_lattice.pxd``). Nodes that together weigh less than ``NEGLIGIBLE`` are dropped, kinds below
``MIN_WEIGHT`` too. One fit runs without the GIL: about 60 us for 17 states, and up to 70 us more where point masses are
likely.
"""
from libc.math cimport exp, fmax, fmin, log, sqrt
from libc.stdlib cimport free, malloc

import numpy as np

from scorio._kernels.beta_evidence cimport Evidence, close_evidence, log_posterior, open_evidence
from scorio._kernels.density_lattice cimport Lattice, Peak, climb, cover, prune
from scorio._kernels.log_linear_prior cimport ROUGHNESSES, LogLinear, fit_log_linear, intervals_for, open_log_linear
from scorio._kernels.point_mass_weights cimport Rule
from scorio._kernels.states cimport States

cdef double POINT_MASS_PROBABILITY = 0.05
cdef double GRID_ODDS = 2.25
cdef double ENOUGH_FOR_ROUGH = 20.0  # questions with a success, and with a failure, that a rough density needs
cdef double MIN_WEIGHT = 1e-2       # posterior weight of a kind that may be left out
cdef double RARE = 1e-10            # the same for the law of another question: its spread may come from a rare kind
cdef double ROUGH_FACTOR = 2.0      # by which a Laplace approximation may misjudge that weight
cdef double NEGLIGIBLE = 3e-4       # joint weight of nodes that may be left out
cdef double DEPTH = 9.5             # log density below the highest at which a lattice ends
cdef double DEEP = 14.0             # and where the mean may come from rare nodes: another question, no success at all
cdef double WIDE = 1.25             # spacing of nodes in standard deviations: enough where questions differ,
cdef double WIDEST = 1.45           # and for as many questions as make the density nearly a Gaussian
cdef double FINEST = 0.25           # for the law of another question
cdef double FINER = 0.35            # the same with point masses, whose weights spread every node
cdef double FINE = 0.3              # and where the nodes' own spread is all that an interval shows
cdef double MANY_QUESTIONS = 100.0
cdef int FEW_STATES = 4             # up to which the finer lattice costs nothing
cdef double MOST_GRID_VALUES = 8e6  # states times grid points, above which the grid is left out


cdef class SharedPrior:
    """Nodes and grid density of one fit; the arrays are filled by ``learn`` and never change."""

    def __dealloc__(self):
        free(self.node)
        free(self.rule)
        free(self.boundary)
        if self.grid != NULL:
            free(self.grid.x)
            free(self.grid)

    @property
    def alpha(self):
        """Alpha of every node's Beta, (J,)."""
        return np.array([self.node[j].alpha for j in range(self.size)])

    @property
    def beta(self):
        """Beta of every node's Beta, (J,)."""
        return np.array([self.node[j].beta for j in range(self.size)])

    @property
    def weight(self):
        """Posterior weights of all components, the nodes and then the grid density if there is one; they add to 1."""
        weights = [self.node[j].weight for j in range(self.size)]
        return np.array([*weights, self.grid_weight] if self.grid != NULL else weights)

    @property
    def point_mass_weight(self):
        """The posterior probability of the kind with point masses."""
        return sum([self.node[j].weight for j in range(self.size) if self.node[j].rule >= 0], 0.0)

    def point_masses(self, int node):
        """Weights of a node's point masses: shares (K,), weights at 0 and at 1 (K,); None without point masses."""
        cdef Rule* rule
        if self.node[node].rule < 0:
            return None
        rule = self.rule + self.node[node].rule
        table = np.empty((3, rule.size))
        for k in range(rule.size):
            table[:, k] = rule.share[k], rule.zero[k], rule.one[k]
        return tuple(table)

    @property
    def has_grid(self):
        """Whether the grid density is a component."""
        return self.grid != NULL

    @property
    def grid_roughness(self):
        """How rough the grid density is: 0 is smooth, and without one."""
        return self.grid.roughness if self.grid != NULL else 0

    @property
    def grid_density(self):
        """Grid points and prior probabilities of the log-linear density, or None."""
        if self.grid == NULL:
            return None
        return (np.asarray(<double[:self.grid.points]> self.grid.x).copy(),
                np.asarray(<double[:self.grid.points]> self.grid.g).copy())


def learn(States states not None, double discount=1.0, bint point_masses=True, bint grid=True, bint fine=False):
    """The posterior of the shared prior; every question counts as ``discount`` of one.

    ``fine`` lays more nodes, for the law of another question. ``point_masses`` and ``grid`` allow those kinds.
    """
    cdef SharedPrior prior = SharedPrior.__new__(SharedPrior)
    cdef Evidence evidence
    cdef Lattice* lattice = <Lattice*> malloc(2 * sizeof(Lattice))
    cdef bint few = states.n_states <= FEW_STATES, deep = fine
    cdef double share[2]
    cdef double log_present, log_grid = -1e308
    cdef int status = 0
    if lattice == NULL:
        raise MemoryError
    prior.states = states
    try:
        open_evidence(&evidence, states, discount)
        evidence.boundary.fine = fine
        with nogil:
            point_masses = point_masses and states.max_trials > 1 and evidence.boundary.size > 0
            deep = fine or (few and evidence.boundary.rest == 0.0)
            if grid:
                status = fit_grid(prior, states, &log_grid)
            prior.trusted = lay_kinds(&evidence, lattice, point_masses, fine, few, deep, log_grid, share, &log_present)
            weigh_grid(prior, log_grid - log_present)
            share[0] *= 1.0 - prior.grid_weight
            share[1] *= 1.0 - prior.grid_weight
            if status == 0:
                status = keep_nodes(prior, states, &evidence, lattice, share, deep)
        close_evidence(&evidence)
    finally:
        free(lattice)
    if status != 0:
        raise MemoryError
    return prior


cdef bint lay_kinds(Evidence* evidence, Lattice* lattice, bint point_masses, bint fine, bint few, bint deep,
                    double log_grid, double* share, double* log_present) noexcept nogil:
    """Lattices of the kinds that count, their shares, and the log evidence of both."""
    cdef Peak peak
    cdef double start_x, start_y, correction
    cdef double log_share[2]
    cdef bint trusted
    cdef double spacing, depth = DEEP if deep else DEPTH, least = RARE if fine else MIN_WEIGHT
    first_guess(evidence, &start_x, &start_y)
    evidence.point_masses = 0
    peak = climb(log_posterior, evidence, start_x, start_y)
    start_x, start_y = peak.x, peak.y
    few = few or exp(-peak.y) * evidence.questions > 2.0 * (evidence.successes + evidence.failures)
    spacing = FINE if few else WIDEST if evidence.questions >= MANY_QUESTIONS else WIDE
    spacing = FINEST if fine else spacing
    cover(lattice, log_posterior, evidence, &peak, spacing, depth)
    trusted = peak.found and lattice.trusted
    log_share[0], log_share[1] = log(1.0 - POINT_MASS_PROBABILITY) + lattice.log_integral, -1e308
    if point_masses:
        evidence.point_masses = 1
        peak = climb(log_posterior, evidence, start_x, start_y)
        evidence.point_masses = 2
        correction = -log_posterior(evidence, peak.x, peak.y, NULL)
        evidence.point_masses = 3
        peak.height = log_posterior(evidence, peak.x, peak.y, NULL)
        correction += peak.height
        evidence.point_masses = 2
        log_share[1] = (log(POINT_MASS_PROBABILITY) + peak.height + 1.8378770664093453
                        + 0.5 * log(fmax(peak.xx * peak.yy - peak.xy * peak.xy, 1e-300)))
        if log_share[1] - fmax(log_share[0], log_grid) > log(least / ROUGH_FACTOR):
            if log_share[1] - log_share[0] < log(0.1 * MIN_WEIGHT):
                spacing, depth = WIDEST, DEPTH
            cover(lattice + 1, log_posterior, evidence, &peak, fmax(spacing, FINER), depth)
            trusted = trusted and peak.found and lattice[1].trusted
            log_share[1] = log(POINT_MASS_PROBABILITY) + lattice[1].log_integral + correction
        else:
            log_share[1] = -1e308
    share[0] = 1.0 / (1.0 + exp(fmin(log_share[1] - log_share[0], 700.0)))
    share[1] = 1.0 / (1.0 + exp(fmin(log_share[0] - log_share[1], 700.0)))
    log_present[0] = fmax(log_share[0], log_share[1]) - log(fmax(share[0], share[1]))
    if share[0] < least:
        share[0], share[1] = 0.0, 1.0
    elif share[1] < least:
        share[0], share[1] = 1.0, 0.0
    return trusted


cdef void first_guess(Evidence* e, double* x, double* y) noexcept nogil:
    """Mean and correlation by moments, from the sums that the tallies hold."""
    cdef double total = e.successes + e.failures, m = (e.successes + 0.5) / (total + 1.0)
    cdef double trials_squared = 0.0, successes_squared = 0.0, mixed = 0.0, pairs, r, above, previous = 0.0
    cdef Py_ssize_t i
    x[0] = log(m / (1.0 - m))
    for i in range(e.trial.size):       # sum of n (n - 1), from the weights above each count
        above = e.trial.step[i].count
        trials_squared += e.trial.step[i].weight * (above * (above - 1.0) - previous * (previous - 1.0))
        previous = above
    previous = 0.0
    for i in range(e.success.size):
        above = e.success.step[i].count
        successes_squared += e.success.step[i].weight * (above * (above - 1.0) - previous * (previous - 1.0))
        previous = above
    pairs = successes_squared / fmax(trials_squared, 1e-300) if trials_squared > 0.0 else m * m + 0.3 * m * (1.0 - m)
    r = (pairs - m * m) / (m * (1.0 - m))
    mixed = fmax(0.3 / (1.0 + sqrt(fmax(trials_squared, 1.0))), 1e-12)
    r = fmin(fmax(r, mixed), 0.9)
    y[0] = log(r / (1.0 - r))


cdef int keep_nodes(SharedPrior prior, States states, Evidence* evidence, Lattice* lattice, const double* share,
                    bint deep) noexcept nogil:
    """The lattices' nodes, with the rules of their point masses; a kind's nodes weigh its ``share``."""
    cdef int count[2]
    cdef int kind, j, rules = 0
    cdef double total, strength, height = 0.0
    cdef Node* node
    cdef Py_ssize_t i, size = 0
    for kind in range(2):
        count[kind] = 0
        if share[kind] > 0.0:
            count[kind] = prune(lattice + kind, 1e-3 * NEGLIGIBLE if deep else fmin(NEGLIGIBLE / share[kind], 0.05))
    if count[0] < 0 or count[1] < 0:
        return -1
    prior.node = <Node*> malloc((count[0] + count[1]) * sizeof(Node))
    prior.rule = <Rule*> malloc((count[1] + 1) * sizeof(Rule))
    prior.boundary = <Py_ssize_t*> malloc((evidence.boundary.size + 1) * sizeof(Py_ssize_t))
    if prior.node == NULL or prior.rule == NULL or prior.boundary == NULL:
        return -1
    for kind in range(2):
        evidence.point_masses = 3 * kind
        total = 0.0
        for j in range(count[kind]):
            node = prior.node + prior.size
            strength = exp(-lattice[kind].y[j])
            node.alpha = strength / (1.0 + exp(-lattice[kind].x[j]))
            node.beta = strength / (1.0 + exp(lattice[kind].x[j]))
            node.weight = lattice[kind].share[j]
            node.rule = -1
            node.across, node.slant, node.along = lattice[kind].across, lattice[kind].slant, lattice[kind].along
            if kind == 1:   # the lattice has shares by Laplace's approximation
                node.weight = log_posterior(evidence, lattice[kind].x[j], lattice[kind].y[j], NULL)
                height = node.weight if rules == 0 else height
                node.weight = exp(node.weight - height)
                prior.rule[rules] = evidence.rule
                node.rule = rules
                rules += 1
            total += node.weight
            prior.size += 1
        for j in range(prior.size - count[kind], prior.size):
            prior.node[j].weight *= share[kind] / total
    for i in range(states.n_states):
        if states.c[i] == 0 or states.c[i] == states.n[i]:
            prior.boundary[size] = i
            size += 1
    prior.n_boundary = size
    return 0


cdef int fit_grid(SharedPrior prior, States states, double* log_mass) noexcept nogil:
    """The log-linear density, and the logarithm of its prior probability times its evidence; -1 without memory."""
    cdef double some = 0.0, missed = 0.0, few
    cdef int intervals = intervals_for(states.max_trials)
    cdef Py_ssize_t i
    for i in range(states.n_states):
        some += states.m[i] * (states.c[i] > 0)
        missed += states.m[i] * (states.c[i] < states.n[i])
    few = fmin(some, missed)
    if few == 0.0 or intervals == 0 or (<double> intervals) * states.n_states > MOST_GRID_VALUES:
        return 0
    prior.grid = <LogLinear*> malloc(sizeof(LogLinear))
    if prior.grid == NULL:
        return -1
    prior.grid.x = NULL
    if open_log_linear(prior.grid, states, intervals) < 0:
        return -1
    if fit_log_linear(prior.grid, states, ROUGHNESSES if few >= ENOUGH_FOR_ROUGH else 1):
        log_mass[0] = log(GRID_ODDS * few / (few + 5.0)) + prior.grid.log_evidence
    return 0


cdef void weigh_grid(SharedPrior prior, double log_odds) noexcept nogil:
    """The weight of the log-linear density, which is dropped where it does not count."""
    if prior.grid == NULL:
        return
    prior.grid_weight = 1.0 / (1.0 + exp(fmin(-log_odds, 700.0)))
    if prior.grid_weight < MIN_WEIGHT:
        free(prior.grid.x)
        free(prior.grid)
        prior.grid = NULL
        prior.grid_weight = 0.0
