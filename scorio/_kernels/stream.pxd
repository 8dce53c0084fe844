"""A stream of random numbers: SFC64 (C. Doty-Humphrey, PractRand), word for word that of ``numpy.random.SFC64``.

Three words of state and a counter, which alone makes the period at least 2**64; two additions, two shifts and a
rotation a word. A number below ``total`` comes from half a word by D. Lemire's multiplication (arXiv:1805.10941): the
high half of ``x total``, redrawn while the low half is below ``2**32 mod total``, so that every number is exactly
equally likely. The remainder is only computed in the ``total / 2**32`` of cases where it may matter.
"""
from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    WARM_UP = 12


cdef struct Stream:
    uint64_t a
    uint64_t b
    uint64_t c
    uint64_t counter
    uint64_t word                   # its high half is still to be used where `half` is set
    bint half


cdef inline void start(Stream* stream, const uint64_t* seed) noexcept nogil:
    """Three words of seed."""
    cdef int _
    stream.a = seed[0]
    stream.b = seed[1]
    stream.c = seed[2]
    stream.counter = 1
    stream.half = False
    for _ in range(WARM_UP):
        next_word(stream)


cdef inline uint64_t next_word(Stream* stream) noexcept nogil:
    cdef uint64_t word = stream.a + stream.b + stream.counter
    stream.counter += 1
    stream.a = stream.b ^ (stream.b >> 11)
    stream.b = stream.c + (stream.c << 3)
    stream.c = ((stream.c << 24) | (stream.c >> 40)) + word
    return word


cdef inline uint32_t next_half(Stream* stream) noexcept nogil:
    """The low half of a word, then its high half."""
    stream.half = not stream.half
    if stream.half:
        stream.word = next_word(stream)
        return <uint32_t>stream.word
    return <uint32_t>(stream.word >> 32)


cdef inline uint32_t below(Stream* stream, uint32_t total) noexcept nogil:
    """A whole number from 0 to ``total - 1``."""
    cdef uint64_t product = <uint64_t>next_half(stream) * total
    if <uint32_t>product < total:
        product = settled(stream, product, total)
    return <uint32_t>(product >> 32)


cdef inline uint64_t settled(Stream* stream, uint64_t product, uint32_t total) noexcept nogil:
    """The product, or a redrawn one, whose low half is no part of the surplus."""
    cdef uint32_t surplus = (0 - total) % total
    while <uint32_t>product < surplus:
        product = <uint64_t>next_half(stream) * total
    return product
