"""One pass over JSON text before it is decoded: how many values it holds, and whether an object may repeat a key.

A decoder that skips what is not asked for does not see that a key occurs twice. Here the keys of every object are
hashed as bytes, sorted where the object ends, and compared. Everything that the pass cannot decide counts as doubtful:
equal hashes, a key with an escape (which may spell another key), brackets that do not match, deep nesting. Equal keys
have equal hashes, so a repeated key is never missed; a doubtful text is for a decoder that sees every key.
"""
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, qsort, realloc
from libc.string cimport memcpy

cdef enum:
    DEEPEST = 200                   # nested objects and lists; real logs stay below 30

cdef struct Keys:
    uint64_t* hash                  # of the open objects, one after the other
    Py_ssize_t size
    Py_ssize_t room

cdef struct Scan:
    Py_ssize_t values               # lists, objects and commas
    bint doubtful


def scan(const unsigned char[::1] text not None):
    """Return the number of lists, objects and commas outside strings, and whether the text is doubtful."""
    cdef Keys keys = Keys(NULL, 0, 0)
    cdef Scan found
    cdef int status = 0
    if text.shape[0] == 0:
        return 0, True
    with nogil:
        status = scan_text(&text[0], text.shape[0], &keys, &found)
    free(keys.hash)
    if status != 0:
        raise MemoryError
    return found.values, found.doubtful


cdef int scan_text(const unsigned char* text, Py_ssize_t size, Keys* keys, Scan* found) noexcept nogil:
    """Walk over the text with a stack of open brackets; -1 without memory."""
    cdef Py_ssize_t start[DEEPEST]  # of the keys of each open object; -1 for a list
    cdef Py_ssize_t i = 0, end, depth = 0
    cdef bint key_next = False, escaped = False
    cdef unsigned char c
    found.values, found.doubtful = 0, False
    while i < size:
        c = text[i]
        if c == b'"':
            end = end_of_string(text, size, i + 1, &escaped)
            if key_next:
                found.doubtful |= escaped
                if remember(keys, hash_of(text, i + 1, end)) != 0:
                    return -1
                key_next = False
            i = end
        elif c == b"{" or c == b"[":
            found.values += 1
            if depth < DEEPEST:
                start[depth] = keys.size if c == b"{" else -1
            depth += 1
            key_next = c == b"{" and depth <= DEEPEST
        elif c == b",":
            found.values += 1
            key_next = 0 < depth <= DEEPEST and start[depth - 1] >= 0
        elif c == b"}" or c == b"]":
            depth -= 1
            key_next = False
            if depth < 0:
                depth, found.doubtful = 0, True
            elif depth < DEEPEST:
                if (start[depth] >= 0) != (c == b"}"):
                    found.doubtful = True
                elif start[depth] >= 0:
                    found.doubtful |= has_equal(keys, start[depth])
                    keys.size = start[depth]
            else:
                found.doubtful = True
        i += 1
    found.doubtful |= depth != 0
    return 0


cdef inline Py_ssize_t end_of_string(const unsigned char* text, Py_ssize_t size, Py_ssize_t i,
                                     bint* escaped) noexcept nogil:
    """The place of the quotation mark that closes a string, and whether the string has an escape."""
    escaped[0] = False
    while i < size:
        while i + 8 <= size and not has_mark(text + i):
            i += 8
        if i >= size or text[i] == b'"':
            break
        if text[i] == b"\\":
            escaped[0] = True
            i += 1
        i += 1
    return i if i < size else size  # a backslash may be the last byte


cdef inline bint has_mark(const unsigned char* text) noexcept nogil:
    """Whether one of eight bytes may be a quotation mark or a backslash: a zero byte of the difference is found."""
    cdef uint64_t eight, quote, slash
    memcpy(&eight, text, 8)
    quote, slash = eight ^ 0x2222222222222222ULL, eight ^ 0x5C5C5C5C5C5C5C5CULL
    quote = (quote - 0x0101010101010101ULL) & ~quote
    slash = (slash - 0x0101010101010101ULL) & ~slash
    return ((quote | slash) & 0x8080808080808080ULL) != 0


cdef inline uint64_t hash_of(const unsigned char* text, Py_ssize_t i, Py_ssize_t end) noexcept nogil:
    """FNV-1a of the bytes of a key."""
    cdef uint64_t hash = 14695981039346656037ULL
    while i < end:
        hash = (hash ^ text[i]) * 1099511628211ULL
        i += 1
    return hash


cdef inline int remember(Keys* keys, uint64_t hash) noexcept nogil:
    cdef uint64_t* wider
    cdef Py_ssize_t room
    if keys.size == keys.room:
        room = 2 * keys.room if keys.room > 0 else 256
        wider = <uint64_t*> realloc(keys.hash, room * sizeof(uint64_t))
        if wider == NULL:
            return -1
        keys.hash, keys.room = wider, room
    keys.hash[keys.size] = hash
    keys.size += 1
    return 0


cdef inline bint has_equal(Keys* keys, Py_ssize_t start) noexcept nogil:
    """Whether two keys of the object that ends here have the same hash."""
    cdef Py_ssize_t i, j
    if keys.size - start > 24:
        qsort(keys.hash + start, keys.size - start, sizeof(uint64_t), &order)
        for i in range(start + 1, keys.size):
            if keys.hash[i] == keys.hash[i - 1]:
                return True
        return False
    for i in range(start + 1, keys.size):
        for j in range(start, i):
            if keys.hash[i] == keys.hash[j]:
                return True
    return False


cdef int order(const void* a, const void* b) noexcept nogil:
    cdef uint64_t x = (<const uint64_t*> a)[0], y = (<const uint64_t*> b)[0]
    return (x > y) - (x < y)
