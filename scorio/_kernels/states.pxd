from libc.stdint cimport int64_t


cdef class Groups:
    cdef readonly int64_t n_questions
    cdef readonly int64_t min_trials
    cdef readonly int64_t max_trials
    cdef const int64_t[::1] m
    cpdef double mean(self, values) except? -1.0
    cpdef double norm(self, values) except? -1.0


cdef class States(Groups):
    cdef readonly Py_ssize_t n_states
    cdef const int64_t[::1] c
    cdef const int64_t[::1] n


cdef Groups groups_of(const int64_t[::1] multiplicity, int64_t min_trials, int64_t max_trials)
cdef States states_of_table(const int64_t[:, ::1] table)
