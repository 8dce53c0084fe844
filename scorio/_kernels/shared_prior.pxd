"""The posterior of the prior that a set of questions shares, as nodes: see ``shared_prior.pyx``."""
from libc.stdint cimport int64_t

from scorio._kernels.beta_evidence cimport Evidence
from scorio._kernels.density_lattice cimport Lattice, Peak
from scorio._kernels.log_linear_prior cimport LogLinear
from scorio._kernels.point_mass_weights cimport Rule
from scorio._kernels.states cimport States


cdef struct Node:
    double alpha
    double beta
    double weight       # posterior
    int rule            # index of its point masses' weights, -1 without
    double across       # the node's cell: its width in logit m,
    double slant        # the change of logit r with that,
    double along        # and the cell's height in logit r


cdef class SharedPrior:
    cdef readonly States states
    cdef readonly bint trusted      # whether every lattice passed its checks
    cdef readonly int size
    cdef readonly double grid_weight
    cdef Node* node
    cdef Rule* rule
    cdef LogLinear* grid
    cdef Py_ssize_t n_boundary
    cdef Py_ssize_t* boundary       # states without a success, or without a failure
