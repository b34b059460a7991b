"""Find the closest search term of each word of a note, in compiled code.

Words are pieces of word types (a hyphenated word and its parts) as code points, one after the other. Most pairs are
excluded by their lengths or letters: an edit distance is at least the number of distinct letters that only one of two
words has. fuzzy_match.py defines R. A letter takes 0.08 ms here, 0.6 ms with rapidfuzz.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import inlined, jit

_Array = npt.NDArray[Any]


@inlined
def _letters(codes: _Array, start: int, end: int) -> Any:
    """Return a bit for each of the word's letters; letters 64 code points apart share one."""
    bits = np.uint64(0)
    for at in range(start, end):
        bits |= np.uint64(1) << np.uint64(codes[at] & 63)
    return bits


@inlined
def _max_distance(ratio: Any, length: Any) -> Any:
    """Return the largest distance whose quotient by the length is below the ratio, -1 if there is none."""
    limit = np.int64(ratio * length)
    return limit - 1 if limit / length >= ratio else limit


@inlined
def _count(bits: Any) -> Any:
    """Return the number of bits set (Hacker's Delight, section 5-1)."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def _distance(
    words: _Array, start: int, end: int, terms: _Array, term_start: int, term_end: int, limit: Any, row: _Array
) -> Any:
    """Return the Levenshtein distance, or more than `limit` if it is larger; row: scratch, longer than the term."""
    length = term_end - term_start
    for j in range(length + 1):
        row[j] = j
    for i in range(start, end):
        diagonal, row[0] = row[0], i - start + 1
        least = row[0]
        for j in range(length):
            above = row[j + 1]
            cost = diagonal if words[i] == terms[term_start + j] else 1 + min(diagonal, min(above, row[j]))
            diagonal, row[j + 1] = above, cost
            least = min(least, cost)
        if least > limit:
            return limit + 1
    return row[length]


@jit("void(u4[::1], i8[::1], i8, u8[::1])")
def letter_bits(words: _Array, word_bounds: _Array, start: int, letters: _Array) -> None:
    """Set letters[n] for all pieces n from `start` on; arrays as in `closest_terms`."""
    for piece in range(start, len(letters)):
        letters[piece] = _letters(words, word_bounds[piece], word_bounds[piece + 1])


@jit(
    "i8(i4[::1], i8[::1], i8[::1], u4[::1], u8[::1], b1[::1], i8[::1], u4[::1], f8, i4[::1], i4[::1], i4[::1], f8[::1])"
)
def closest_terms(
    types: _Array,
    piece_bounds: _Array,
    word_bounds: _Array,
    words: _Array,
    letters: _Array,
    exact: _Array,
    term_bounds: _Array,
    terms: _Array,
    max_ratio: float,
    seen: _Array,
    hits: _Array,
    found: _Array,
    ratios: _Array,
) -> int:
    """Return the number of tokens that have a term with R below max_ratio; hits[:number] are these tokens, ascending.

    For each token with a piece found[token] is the term with the smallest R (the first of equals), -1 without one, and
    ratios[token] is that R.
    types: int32 (tokens,), word types. Type t has the pieces piece_bounds[t] to piece_bounds[t + 1]; piece p is
    words[word_bounds[p]:word_bounds[p + 1]] and has the letters of letters[p] (`letter_bits`); exact: bool (pieces,),
    whether R must be 0. Term n is terms[term_bounds[n]:term_bounds[n + 1]]. seen: int32 (word types,), scratch, all 0
    before and after. hits, found and ratios have a place for each token.
    """
    count = len(term_bounds) - 1
    longest = 0
    term_letters = np.empty(count, np.uint64)
    for term in range(count):
        longest = max(longest, term_bounds[term + 1] - term_bounds[term])
        term_letters[term] = _letters(terms, term_bounds[term], term_bounds[term + 1])
    row = np.empty(longest + 1, np.int64)
    # The largest distance of a term and a word, by the length of the shorter.
    limits = np.empty(longest + 1, np.int64)
    for length in range(1, longest + 1):
        limits[length] = _max_distance(max_ratio, length)
    number = 0
    # The first token of each type that has a piece.
    first_tokens, different = np.empty(len(types), np.int32), 0
    for token in range(len(types)):
        kind = types[token]
        # Most types have no piece.
        if piece_bounds[kind] == piece_bounds[kind + 1]:
            continue
        if seen[kind] != 0:
            before = seen[kind] - 1
            found[token] = found[before]
            if found[before] >= 0:
                ratios[token] = ratios[before]
                hits[number] = token
                number += 1
            continue
        seen[kind] = token + 1
        first_tokens[different] = token
        different += 1
        found[token] = -1
        best = max_ratio
        for piece in range(piece_bounds[kind], piece_bounds[kind + 1]):
            start, end = word_bounds[piece], word_bounds[piece + 1]
            for term in range(count):
                length = term_bounds[term + 1] - term_bounds[term]
                shorter = min(length, end - start)
                limit = 0 if exact[piece] else limits[shorter]
                if abs(length - (end - start)) > limit:
                    continue
                more, less = letters[piece] & ~term_letters[term], term_letters[term] & ~letters[piece]
                if max(_count(more), _count(less)) > limit:
                    continue
                if best < max_ratio:
                    # Look only for a better one.
                    limit = min(limit, _max_distance(best, shorter))
                    if limit < 0:
                        continue
                distance = _distance(words, start, end, terms, term_bounds[term], term_bounds[term + 1], limit, row)
                if distance <= limit:
                    best = distance / shorter
                    found[token], ratios[token] = term, best
        if found[token] >= 0:
            hits[number] = token
            number += 1
    for at in range(different):
        seen[types[first_tokens[at]]] = 0
    return number
