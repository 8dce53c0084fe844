"""Moments and quantiles of a mixture of Beta distributions: see ``beta_mixture.pyx``."""


cdef void mixture_moments(const double* weight, const double* mean, const double* variance, int size,
                          double* mu, double* sigma) noexcept nogil
cdef int mixture_quantiles(const double* weight, const double* mean, const double* variance, int size, double low,
                           double high, const double* chances, int count, double* out) noexcept nogil
