"""Counting one run of outcomes: contiguous, of one row, at most ``RUN`` entries.

A run is tried as binary first: ``ones = sum x``, ``seen = OR x``, good when ``seen <= 1``. Bytes are added eight at a
time, one byte lane each, the lanes flushed every 255 words. Otherwise the run is copied to a scratch buffer, as bytes
where they fit, and each category ``v`` is counted by ``lanes += (x == v)`` over 32 byte lanes; above ``LANED``
categories, or for entries above 255, by scatter. Floats become 64-bit integers first. No entry is checked in the user's
memory and used from there again: another thread or process may change it in between, and an entry that is an index
would write anywhere.

All sums are of unsigned numbers, which wrap where entries are hostile; such a run has ``seen > 1`` or a maximum at or
above ``limit`` and its sum is never used. Good sums are at most ``RUN`` and fit every lane. Cost: one read of memory
for binary runs of any integer type; C + 1 reads of a cached buffer for the others.
"""
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    RUN = 4096              # entries of a run: 16-bit sums and byte lanes cannot overflow
    LANES = 32              # byte lanes of a comparison: RUN / LANES <= 255
    LANED = 16              # categories up to which comparing beats scattering

cdef enum Missing:          # what a NaN is
    RAISE = 0               # a fault
    OMIT = 1                # left out
    FAIL = 2                # category 0

cdef enum Status:
    GOOD = 0
    FAULT = 1               # an entry that is no outcome
    GROW = 2                # a category beyond the width of the counts

ctypedef fused word:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

ctypedef fused real:
    float
    double


cdef struct Sink:
    Py_ssize_t width        # columns of the counts
    uint64_t limit          # entries must be below
    uint64_t top            # the largest category counted so far
    int missing
    bint binary             # no run was other than binary so far
    uint8_t narrowed[RUN]
    uint64_t whole[RUN]


cdef inline uint64_t lane_sum(uint64_t lanes) noexcept nogil:
    """The sum of the eight bytes of a word."""
    cdef uint64_t even = 0x00FF00FF00FF00FF
    return (((lanes & even) + ((lanes >> 8) & even)) * <uint64_t>0x0001000100010001) >> 48


cdef inline bint binary_bytes(const uint8_t* x, Py_ssize_t n, int64_t* ones) noexcept nogil:
    """Return whether all entries are 0 or 1, and how many are 1."""
    cdef uint64_t one_word, lanes, seen = 0, total = 0
    cdef Py_ssize_t i = 0, stop
    while n - i >= 8:
        stop = i + 8 * min(<Py_ssize_t>255, (n - i) // 8)
        lanes = 0
        while i < stop:
            memcpy(&one_word, x + i, 8)
            lanes += one_word
            seen |= one_word
            i += 8
        total += lane_sum(lanes)
    while i < n:
        total += x[i]
        seen |= x[i]
        i += 1
    ones[0] = <int64_t>total
    return (seen & <uint64_t>0xFEFEFEFEFEFEFEFE) == 0


cdef inline bint binary_words(const word* x, Py_ssize_t n, int64_t* ones) noexcept nogil:
    """Return whether all entries are 0 or 1, and how many are 1."""
    cdef word total = 0, seen = 0
    cdef Py_ssize_t i
    for i in range(n):
        total += x[i]
        seen |= x[i]
    ones[0] = <int64_t>total
    return seen <= 1


cdef inline uint64_t largest(const word* x, Py_ssize_t n) noexcept nogil:
    cdef word top = 0
    cdef Py_ssize_t i
    for i in range(n):
        top = x[i] if x[i] > top else top
    return top


cdef inline uint64_t narrow(const word* x, Py_ssize_t n, uint8_t* out) noexcept nogil:
    """The low byte of every entry, and the OR of all entries: below 256 when nothing was lost."""
    cdef word seen = 0
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <uint8_t>x[i]
        seen |= x[i]
    return seen


cdef inline int64_t equal_bytes(const uint8_t* x, Py_ssize_t blocks, const uint8_t* rest, uint8_t value) noexcept nogil:
    """How many of ``blocks * LANES`` bytes and of ``LANES`` more equal ``value``."""
    cdef uint8_t lanes[LANES]
    cdef uint64_t words[4]
    cdef Py_ssize_t b, lane
    for lane in range(LANES):
        lanes[lane] = rest[lane] == value
    for b in range(blocks):
        for lane in range(LANES):
            lanes[lane] += x[b * LANES + lane] == value
    memcpy(words, lanes, LANES)
    return <int64_t>(lane_sum(words[0]) + lane_sum(words[1]) + lane_sum(words[2]) + lane_sum(words[3]))


cdef inline void count_bytes(const uint8_t* x, Py_ssize_t n, uint64_t top, int64_t* counts) noexcept nogil:
    """Add bytes that are all at most ``top`` to ``counts``."""
    cdef Py_ssize_t i, blocks = n // LANES
    cdef uint8_t rest[LANES]
    cdef int64_t equal, zeros = n
    if top < LANED:
        memset(rest, 0, LANES)
        memcpy(rest, x + blocks * LANES, n - blocks * LANES)
        for i in range(1, <Py_ssize_t>top + 1):
            equal = equal_bytes(x, blocks, rest, <uint8_t>i)
            counts[i] += equal
            zeros -= equal
        counts[0] += zeros
    else:
        for i in range(n):
            counts[x[i]] += 1


cdef inline int count_categories(const word* x, Py_ssize_t n, int64_t* counts, Sink* sink) noexcept nogil:
    """Add a run of any categories to ``counts``, unless one is at or above the limit or the width."""
    cdef uint64_t top
    cdef Py_ssize_t i
    cdef bint fits = True
    if word is uint8_t:
        memcpy(sink.narrowed, x, n)
    else:
        fits = narrow(x, n, sink.narrowed) < 256
    if not fits:
        for i in range(n):
            sink.whole[i] = x[i]
    top = largest(<const uint8_t*>sink.narrowed, n) if fits else largest(<const uint64_t*>sink.whole, n)
    if top >= sink.limit:
        return FAULT
    sink.top = max(sink.top, top)
    if top >= <uint64_t>sink.width:
        return GROW
    if fits:
        count_bytes(sink.narrowed, n, top, counts)
    else:
        for i in range(n):
            counts[sink.whole[i]] += 1
    return GOOD


cdef inline int count_words(const word* x, Py_ssize_t n, int64_t* counts, Sink* sink) noexcept nogil:
    """Add a run to ``counts``: as binary while every run was, else as categories."""
    cdef int64_t ones = 0
    cdef bint good
    if sink.binary:
        if word is uint8_t:
            good = binary_bytes(x, n, &ones)
        else:
            good = binary_words(x, n, &ones)
        if good:
            counts[0] += n - ones
            counts[1] += ones
            return GOOD
        sink.binary = False
    return count_categories(x, n, counts, sink)


cdef inline bint all_whole(const real* x, Py_ssize_t n, uint64_t* out) noexcept nogil:
    """Convert floats to integers; return whether each of them is one.

    Adding ``3 * 2**51`` leaves the nearest integer in the low bits; the entry is whole when subtracting it again gives
    the same bits. A fraction or anything from ``2**51`` on does not, nor does -0.0; a NaN, an infinity or a negative
    number leaves high bits behind.
    """
    cdef double entry, shifted, back, shift = 6755399441055744.0
    cdef uint64_t entry_bits, shifted_bits, back_bits, shift_bits, differs = 0
    cdef Py_ssize_t i
    memcpy(&shift_bits, &shift, 8)
    for i in range(n):
        entry = x[i]
        shifted = entry + shift
        back = shifted - shift
        memcpy(&entry_bits, &entry, 8)
        memcpy(&shifted_bits, &shifted, 8)
        memcpy(&back_bits, &back, 8)
        out[i] = shifted_bits - shift_bits
        differs |= (entry_bits ^ back_bits) | (out[i] >> 52)
    return differs == 0


cdef inline Py_ssize_t whole_numbers(const real* x, Py_ssize_t n, Sink* sink) noexcept nogil:
    """Floats as integers in ``sink.whole``: how many there are once the missing are left out, -1 for a fault."""
    cdef Py_ssize_t i, kept = 0
    if all_whole(x, n, sink.whole):
        return n
    for i in range(n):
        if x[i] != x[i]:
            if sink.missing == RAISE:
                return -1
            if sink.missing == OMIT:
                continue
            sink.whole[kept] = 0
        elif x[i] >= 0.0 and x[i] < sink.limit and <uint64_t>x[i] == x[i]:
            sink.whole[kept] = <uint64_t>x[i]
        else:
            return -1
        kept += 1
    return kept


cdef inline int count_reals(const real* x, Py_ssize_t n, int64_t* counts, Sink* sink) noexcept nogil:
    """Add a run of floats to ``counts``."""
    cdef Py_ssize_t kept = whole_numbers(x, n, sink)
    if kept < 0:
        return FAULT
    return count_words(<const uint64_t*>sink.whole, kept, counts, sink)
