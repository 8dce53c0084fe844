"""The distribution of success rates with the largest likelihood: see ``fitting_law.pyx``."""


cdef Py_ssize_t room_of_law(Py_ssize_t states, Py_ssize_t points) noexcept nogil
cdef double best_law(double* like, const double* questions, Py_ssize_t states, int points, double enough,
                     double* scratch, double* share) noexcept nogil
