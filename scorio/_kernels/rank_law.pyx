"""Panels of the quadrature that finds the probability of each of many independent models to be the best.

A panel is as wide as the narrowest model in it over ``1 + sqrt(A) / 4`` with A models in reach: the product of their
distributions changes faster than the density of any of them. A model that is much narrower than the others begins a new
panel. Cost: A operations per panel.
"""

from libc.math cimport INFINITY, fmax, fmin, sqrt

cdef double NARROWER = 0.5  # a model begins a panel if it is narrower than this share of the narrowest one there


def panels(const double[::1] starts, const double[::1] ends, const double[::1] spread):
    """Return start and end of each panel; together the panels cover all models, each from its start to its end."""
    cdef Py_ssize_t i, here, near
    cdef double x = min(starts), last = max(ends), following, narrowest, limit, end, width, furthest
    found = []
    while x < last:
        here, narrowest, following = 0, INFINITY, INFINITY
        for i in range(starts.shape[0]):
            if starts[i] > x:
                following = fmin(following, starts[i])
            elif x < ends[i]:
                here += 1
                narrowest = fmin(narrowest, spread[i])
        if here == 0:
            x = following
            continue
        near, width, furthest, end = 0, INFINITY, -INFINITY, INFINITY
        limit = x + narrowest / (1.0 + sqrt(here) / 4.0)
        for i in range(starts.shape[0]):
            if x < starts[i] < limit and spread[i] < NARROWER * narrowest:
                end = fmin(end, starts[i])
            elif starts[i] < limit and x < ends[i]:
                near += 1
                width = fmin(width, spread[i])
                furthest = fmax(furthest, ends[i])
        end = fmin(fmin(end, furthest), x + width / (1.0 + sqrt(near) / 4.0))
        found.append((x, end))
        x = end
    return found
