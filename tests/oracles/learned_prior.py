"""The learned prior by dense quadrature: numpy alone, nothing of the package.

Kinds of prior: a Beta distribution; the same with point masses at 0 and 1; a log-linear density on a grid. The Beta's
unknowns run over a grid that zooms in on the posterior until the box fits it. The weights of the point masses are
integrated exactly: expanding ``(u + w B)^m`` turns the integral into a sum over how many questions sit in each mass.
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import RectBivariateSpline
from scipy.special import gammaln, logsumexp
from scipy.stats import binom

from oracles.beta_binomial import Outcomes, beta_moments, log_hyperprior, parameters

POINT_MASS_PROBABILITY, GRID_ODDS = 0.05, 2.25
ENOUGH_FOR_ROUGH = 20  # questions with a success, and with a failure
FINER = 6
DEPTH = 20.0  # nats below the mode at which the grid ends


def zoomed(log_density, points, box=((-45.0, 45.0), (-40.0, 38.0))):
    """Points, log weights and cells of a grid that fits the density."""
    size = 41
    for _ in range(100):
        axes = [np.linspace(*side, size) for side in box]
        x, y = (axis.ravel() for axis in np.meshgrid(*axes, indexing="ij"))
        value = log_density(x, y).reshape(size, size)
        high = value > value.max() - DEPTH
        top = np.unravel_index(value.argmax(), value.shape)
        new = []
        for axis, any_high, at in zip(axes, (high.any(axis=1), high.any(axis=0)), top, strict=True):
            inside, step, width = axis[any_high], axis[1] - axis[0], axis[-1] - axis[0]
            low, up = inside[0] - step, inside[-1] + step
            spare = max(0.5 * width - (up - low), 0.0) / 2  # never less than half at once: the peak may hide
            low, up = low - spare, up + spare
            if any_high[0]:  # the density goes on beyond the box
                low = axis[0] - 0.5 * width
            if any_high[-1]:
                up = axis[-1] + 0.5 * width
            new.append((max(low, -80.0), min(up, 80.0)))
        done = all(0.85 < (b[1] - b[0]) / (o[1] - o[0]) < 1.4 for b, o in zip(new, box, strict=True))
        box = tuple(new)
        if done:
            break
    axes = [np.linspace(*side, points) for side in box]
    x, y = (axis.ravel() for axis in np.meshgrid(*axes, indexing="ij"))
    return x, y, np.log((axes[0][1] - axes[0][0]) * (axes[1][1] - axes[1][0]))


def refined(points, *values):
    """Values on a square grid with ``FINER`` times as many cells along each axis, by bicubic splines."""
    here, there = np.arange(points), np.linspace(0.0, points - 1, FINER * (points - 1) + 1)
    return [RectBivariateSpline(here, here, each.reshape(points, points), s=0)(there, there).ravel() for each in values]


def refined_parts(points, log_weight, mean, variance):
    """Parts on the refined grid; variances of many orders of magnitude are interpolated by their logarithms."""
    log_weight, mean, log_variance = refined(points, log_weight, mean, np.log(np.maximum(variance, 1e-60)))
    return spread_over_cells(log_weight, mean, np.exp(log_variance))


def spread_over_cells(log_weight, mean, variance):
    """Parts of a refined grid: each stands for a uniform law over its cell, else narrow components leave steps.

    Cells of negligible weight are left out.
    """
    size = round(np.sqrt(len(mean)))
    slopes = np.gradient(mean.reshape(size, size))
    variance = variance + sum(slope.ravel() ** 2 for slope in slopes) / 12.0
    keep = log_weight > log_weight.max() - DEPTH
    return Parts(log_weight[keep] - 2 * np.log(FINER), mean[keep], variance[keep])


@dataclass
class Parts:
    """A mixture: log weights with the moments of every part."""

    log_weight: np.ndarray
    mean: np.ndarray
    variance: np.ndarray

    @property
    def log_total(self):
        """The log evidence."""
        return logsumexp(self.log_weight)


def beta_kind(outcomes, credit, points=61, population=False):
    """The Beta kind: nodes of the grid."""
    x, y, log_cell = zoomed(lambda x, y: log_hyperprior(x, y) + outcomes.log_likelihood(x, y), points)
    log_weight = log_hyperprior(x, y) + outcomes.log_likelihood(x, y) + log_cell
    if population:
        log_weight, x, y = refined(points, log_weight, x, y)
        return spread_over_cells(log_weight, beta_moments(*parameters(x, y), credit)[0], np.zeros(len(x)))
    alpha, beta = parameters(x, y)
    mean, variance = np.zeros(len(x)), np.zeros(len(x))
    for c, n, m in zip(outcomes.c, outcomes.n, outcomes.m, strict=True):
        e, v = beta_moments(alpha + c, beta + (n - c), credit)
        mean += m * e
        variance += m * v
    total = outcomes.m.sum()
    return refined_parts(points, log_weight, mean / total, variance / total**2)


def _of_population(alpha, beta, credit, total, i, j):
    """The moments for other questions, given how many of these are in the mass at 0, ``i``, and at 1, ``j``."""
    own = beta_moments(alpha, beta, credit)[0]
    scale = total + 3.0  # the mean of u, given the latent numbers, and its variance
    u, v = (i + 1) / scale, (j + 1) / scale
    low, high = credit[0] - own[:, None], credit[-1] - own[:, None]
    mean = own[:, None] + u * low + v * high
    variance = (u * (1 - u) * low**2 + v * (1 - v) * high**2 - 2 * u * v * low * high) / (scale + 1)
    return mean, variance


def point_mass_kind(outcomes, credit, points=41, population=False):
    """The kind with point masses, for one number of trials: exact sums over the questions in each mass.

    As in the package, a component is a pair of Beta parameters: the masses' weights are averaged at each.
    """
    (n,) = set(outcomes.n.tolist())
    zeros, ones = (float(outcomes.m[outcomes.c == c].sum()) for c in (0, n))
    total = outcomes.m.sum()
    i, j = (axis.ravel() for axis in np.meshgrid(np.arange(zeros + 1), np.arange(ones + 1), indexing="ij"))
    log_way = (
        gammaln(zeros + 1) - gammaln(zeros - i + 1) + gammaln(ones + 1) - gammaln(ones - j + 1)
        + gammaln(total - i - j + 1) - gammaln(total + 3) + np.log(2.0)
    )  # fmt: skip
    end = Outcomes(np.array([0, n]), np.array([n, n]), np.ones(2))

    def log_latent(x, y):
        own = end.log_states(x, y)
        return log_way + (zeros - i) * own[:, :1] + (ones - j) * own[:, 1:]

    rest = outcomes.m * (outcomes.c > 0) * (outcomes.c < n)

    def log_density(x, y):
        latent = np.concatenate([logsumexp(log_latent(*part), axis=1) for part in _split(x, y, len(i))])
        return log_hyperprior(x, y) + outcomes.log_likelihood(x, y, rest) + latent

    x, y, log_cell = zoomed(log_density, points)
    alpha, beta = parameters(x, y)
    base = log_hyperprior(x, y) + outcomes.log_likelihood(x, y, rest) + log_cell
    log_weight = base[:, None] + np.concatenate([log_latent(*part) for part in _split(x, y, len(i))])
    log_node = logsumexp(log_weight, axis=1)
    share = np.exp(log_weight - log_node[:, None])

    def collapsed(mean, variance):
        centre = (share * mean).sum(axis=1)
        spread = (share * (variance + (mean - centre[:, None]) ** 2)).sum(axis=1)
        return refined_parts(points, log_node, centre, spread)

    if population:
        return collapsed(*_of_population(alpha, beta, credit, total, i, j))
    mean, variance = np.zeros(len(x)), np.zeros(len(x))
    for c, m in zip(outcomes.c, rest, strict=True):
        e, v = beta_moments(alpha + c, beta + (n - c), credit)
        mean += m * e
        variance += m * v
    (e0, v0), (e1, v1) = (beta_moments(alpha + c, beta + (n - c), credit) for c in (0, n))
    mean = mean[:, None] + (zeros - i) * e0[:, None] + i * credit[0] + (ones - j) * e1[:, None] + j * credit[-1]
    variance = variance[:, None] + (zeros - i) * v0[:, None] + (ones - j) * v1[:, None]
    return collapsed(mean / total, variance / total**2)


def _split(x, y, width):
    step = max(1, 2_000_000 // width)
    return [(x[at : at + step], y[at : at + step]) for at in range(0, len(x), step)]


def _mode(state, curvature, basis, rho, m):
    """The density at the mode of its coefficients, the weights of each state, and the value there."""
    b = np.zeros(len(rho))
    g, w, value = state(b)
    for _ in range(200):
        gradient = basis.T @ (m @ w - m.sum() * g) - rho * b
        away = w @ basis - basis.T @ g
        metric = curvature(g, w)
        if np.linalg.eigvalsh(metric)[0] < 0.01:  # far from the mode
            metric = (away.T * m) @ away + np.diag(rho)
        step = np.linalg.solve(metric, gradient)
        scale = 1.0
        while scale > 1e-12 and state(b + scale * step)[2] < value:
            scale /= 2
        b = b + scale * step
        g, w, value = state(b)
        if gradient @ step < 1e-9:
            break
    return g, w, value


def grid_kind(outcomes, credit, intervals=60, population=False):
    """The log-linear density: the first of rising roughness that a rougher one does not beat."""
    best = density_kind(outcomes, credit, intervals, population, 7, 1.0)
    best.roughness = 0
    if min(outcomes.m[outcomes.c > 0].sum(), outcomes.m[outcomes.c < outcomes.n].sum()) < ENOUGH_FOR_ROUGH:
        return best
    for step, rough in enumerate((0.1, 0.01), 1):
        other = density_kind(outcomes, credit, intervals, population, 15, rough)
        other.log_weight += 2.0 * step
        if other.log_total <= best.log_total:
            break
        best, best.roughness = other, step
    return best


def density_kind(outcomes, credit, intervals, population, degree, rough):
    """A log-linear density: its mode by damped Newton steps, Laplace's evidence, one part."""
    x = np.sin(np.pi * np.arange(intervals + 1) / (2 * intervals)) ** 2
    u = np.linspace(-1.0, 1.0, intervals + 1)
    basis = np.stack([np.polynomial.Legendre.basis(d)(u) for d in range(1, degree + 1)] + [x == 0.0, x == 1.0], axis=1)
    rho = np.append(0.05 * rough * np.arange(1, degree + 1) ** 2, [0.1, 0.1])
    base = np.full(intervals + 1, 60 / intervals)
    base[[0, -1]] = 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        log_like = binom.logpmf(outcomes.c[:, None], outcomes.n[:, None], x)
    log_like -= (gammaln(outcomes.n + 1) - gammaln(outcomes.c + 1) - gammaln(outcomes.n - outcomes.c + 1))[:, None]
    top = log_like.max(axis=1)
    like, m, total = np.exp(log_like - top[:, None]), outcomes.m, outcomes.m.sum()

    def state(b):
        z = np.log(base) + basis @ b
        g = np.exp(z - logsumexp(z))
        mass = like @ g
        return g, like * g / mass[:, None], m @ (np.log(mass) + top) - 0.5 * rho @ b**2

    def curvature(g, w):
        means, centre = w @ basis, basis.T @ g
        pooled = (basis.T * (m @ w)) @ basis - (means.T * m) @ means
        return total * ((basis.T * g) @ basis - np.outer(centre, centre)) - pooled + np.diag(rho)

    g, w, value = _mode(state, curvature, basis, rho, m)
    log_z = value + 0.5 * (np.log(rho).sum() - np.linalg.slogdet(curvature(g, w))[1])
    f = binom.pmf(np.arange(len(credit)), len(credit) - 1, x[:, None]) @ np.asarray(credit, dtype=float)
    if population:
        mean = g @ f
        q = basis.T @ (g * (f - mean))
        return Parts(np.array([log_z]), np.array([mean]), np.array([q @ np.linalg.solve(curvature(g, w), q)]))
    e = w @ f
    q = basis.T @ ((m[:, None] * w * (f - e[:, None])).sum(axis=0)) / total
    spread = (w * (f - e[:, None]) ** 2).sum(axis=1)  # not a difference of squares: near 1 nothing would be left
    variance = (m @ spread) / total**2 + q @ np.linalg.solve(curvature(g, w), q)
    return Parts(np.array([log_z]), np.array([m @ e / total]), np.array([variance]))


def posterior(outcomes, credit, population=False, *, point_masses=True, with_grid=True, points=61):
    """All kinds with their weights: ``(weight, mean, variance)``."""
    kinds = [beta_kind(outcomes, credit, points, population=population)]
    boundary = ((outcomes.c == 0) | (outcomes.c == outcomes.n)).any() and len(set(outcomes.n.tolist())) == 1
    if point_masses and outcomes.n.max() > 1 and boundary:
        kinds.append(point_mass_kind(outcomes, credit, population=population))
        kinds[0].log_weight += np.log1p(-POINT_MASS_PROBABILITY)
        kinds[1].log_weight += np.log(POINT_MASS_PROBABILITY)
    else:
        kinds[0].log_weight += np.log1p(-POINT_MASS_PROBABILITY)
    few = min(outcomes.m[outcomes.c > 0].sum(), outcomes.m[outcomes.c < outcomes.n].sum())
    intervals = next((i for i in (60, 120, 240, 480) if outcomes.n.max() <= 200 * (i // 60) ** 2), 0)
    if few > 0 and with_grid and intervals:
        present = logsumexp([kind.log_total for kind in kinds])
        grid = grid_kind(outcomes, credit, intervals, population)
        odds = np.log(GRID_ODDS * few / (few + 5)) + grid.log_total - present
        grid.log_weight = np.array([present + odds])
        kinds.append(grid)
    log_weight, mean, variance = (
        np.concatenate([getattr(kind, field) for kind in kinds]) for field in ("log_weight", "mean", "variance")
    )
    weight = np.exp(log_weight - logsumexp(log_weight))
    keep = weight > 1e-10
    return weight[keep] / weight[keep].sum(), mean[keep], variance[keep]
