"""Ctrl-C in long loops without the interpreter's lock: now and then the lock is taken, and a pending signal raises."""
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t

cdef enum:
    ENOUGH = 1 << 24                # units of work between two looks, of a nanosecond or two each


cdef inline int pause(int64_t* work, int64_t cost) except -1 nogil:
    """Count ``cost`` units of work, and look for a signal if there were many."""
    work[0] += cost
    if work[0] >= ENOUGH:
        work[0] = 0
        with gil:
            PyErr_CheckSignals()
    return 0
