"""Read a person's name from the token where it begins: initials, particles and words that can belong to the name.

Names are capitalised. After a cue word in lower case ("dr. muster") the name may be in lower case, too; its words must
then not be common ones. The number of tokens read for a name is bounded.
"""

from __future__ import annotations

from deid_core.core.word_lists import word_set
from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.name_regexes import PARTICLES
from deid_core.lexicon.word_flags import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME
from deid_core.recognisers.person_context.name_line import MIN_RARE, NameLine
from deid_core.recognisers.person_context.spelling_flags import PartFlag

_TITLE = CueFlag.TITLE.value
_SIGNED = CueFlag.SIGNED.value
_PARTICLE = CueFlag.PARTICLE.value
_NOT_INSIDE = (CueFlag.NEVER_IN_NAME & ~CueFlag.DATE).value
_INITIALS = PartFlag.INITIALS.value
_CAPITAL_INITIALS = PartFlag.CAPITAL_INITIALS.value
_NOT_A_NAME = PartFlag.NOT_A_NAME.value
_NOUN = PartFlag.NOUN.value
_NOBILITY = PartFlag.NOBILITY.value
_GENERATION = PartFlag.GENERATION.value

_MAX_WORDS = 5
_MAX_TOKENS = 10
_WORD_CASE_OR_STOP = IS_WORD | CAPITALISED | STOP
"""A word can be torn off a name if it has the first of these flags alone."""
_SMALL_VERBS = word_set("person_context/small-verbs")
_ARTICLES = frozenset(("der", "den", "da"))
"""Particles that begin no name: "die Damen und Herren der Musterkasse"."""
_MAX_SHORTENED = 4
_SHORTENED = word_set("person_context/shortened-given-names")


def may_begin_name(line: NameLine, index: int, *, lower: bool = False) -> bool:
    """Whether a name can begin at the token at all. Most tokens after a role are verbs and marks."""
    flags = line.flags[index]
    return bool(flags & CAPITALISED or (lower and flags & IS_WORD)) or (
        line.is_initial(index, lower=lower) or line.is_particle(index)
    )


def name_at(line: NameLine, index: int, *, lower: bool = False) -> tuple[int, int] | None:
    """Return the token range of the name that begins at `index`, None without one; lower: it may be in lower case."""
    if index >= line.count or not may_begin_name(line, index, lower=lower):
        return None
    # Most names are two words long, without hyphen or full stop. Cheap checks come before calls.
    count, types, flags, parts = line.count, line.types, line.flags, line.parts
    full_stop, hyphen = line.full_stop_type, line.hyphen_type
    initials = _INITIALS if lower else _CAPITAL_INITIALS
    at, words, end_token = index, 0, index
    expects_surname = True
    read_end = min(count, index + _MAX_TOKENS)
    while at < read_end and words < _MAX_WORDS:
        if at > index and line.opens_column(at):
            break
        shortened = at + 1 < count and types[at + 1] == full_stop and _is_shortened(line, at)
        if (shortened or parts[at] & initials) and (words or not line.cues[at] & _SIGNED):
            expects_surname = True
            end_token = at + 1
            if shortened:
                at, end_token = at + 1, at + 2
            elif (
                line.word(end_token) == "-"
                and line.adjacent(end_token)
                and line.is_initial(end_token + 1)
                and line.adjacent(end_token + 1)
            ):
                at += 1
        elif _continues(line, at, words, expects_surname or end_token > index + words, lower):
            words += 1
            # After a given name, or a word that no list has, a surname can follow.
            of_word = line.flags_as_capitalised(at)
            expects_surname = bool(of_word & GIVEN_NAME) or not of_word & (SURNAME | COMMON)
            expects_surname = expects_surname or bool(parts[at] & _NOBILITY)
            end_token = at + 1
            if end_token >= count:
                break
            if types[end_token] == hyphen and is_hyphenated_at(line, end_token):
                at, end_token = end_token + 1, end_token + 2
            elif flags[end_token] & _WORD_CASE_OR_STOP == IS_WORD and _is_torn_at(line, end_token):
                at, end_token = end_token, end_token + 1
        elif flags[at] & CAPITALISED and _is_torn_at(line, at + 1):
            words, expects_surname, at, end_token = words + 1, False, at + 1, at + 2
        elif at == index and line.word(at) in _ARTICLES:
            break
        elif not (expects_surname and line.is_particle(at) and _particle_leads_on(line, at, lower)):
            break
        at += 1
    if end_token == index:
        return None
    if end_token < count and parts[end_token] & _GENERATION and flags[end_token] & IS_WORD and line.adjacent(end_token):
        # "Muster jun."
        end_token += 1 + (line.word(end_token + 1) == "." and line.word(end_token)[-1] != ".")
    return index, end_token


def with_given_name(line: NameLine, name: tuple[int, int], *, lower: bool = False) -> tuple[int, int]:
    """Return the name with the given name that a comma adds to it: "Muster, Anna"."""
    comma = name[1]
    start_token = comma + 1
    if line.word(comma) != "," or not line.adjacent(start_token):
        return name
    flags = line.flags_as_capitalised(start_token)
    if not (flags & GIVEN_NAME or line.is_initial(start_token)) or flags & STOP:
        return name
    if not (lower or line.flags[start_token] & CAPITALISED):
        return name
    given = name_at(line, start_token, lower=lower)
    return (name[0], given[1]) if given else name


def is_hyphenated_at(line: NameLine, index: int) -> bool:
    """Whether a hyphen at `index` splits a word at a line end: "Mus-", "ter"."""
    return (
        index + 1 < line.count
        and line.word(index) == "-"
        and line.starts[index] == line.ends[index - 1]
        and line.breaks[index + 1]
        and line.gap(index + 1).count("\n") == 1
        and bool(line.flags[index + 1] & IS_WORD)
        and not (line.flags[index + 1] & STOP)
    )


def _is_shortened(line: NameLine, index: int) -> bool:
    """Whether the token is a shortened given name before a full stop and a name: "Ch. Muster", "Joh. Muster"."""
    flags = line.flags[index]
    if not flags & CAPITALISED:
        return False
    word, after_stop = line.word(index), index + 2
    return (
        len(word) <= _MAX_SHORTENED
        and (not flags & (STOP | COMMON) or word in _SHORTENED)
        and not line.cues[index]
        and line.adjacent(after_stop)
        and bool(line.flags[after_stop] & CAPITALISED)
        and not line.flags[after_stop] & STOP
        and not line.cues[after_stop] & _NOT_INSIDE
    )


def _continues(line: NameLine, index: int, words: int, expects_surname: bool, lower: bool) -> bool:
    """Whether the token continues a name that has `words` words so far."""
    flags = line.flags[index]
    if not flags & (IS_WORD if lower else CAPITALISED) or line.parts[index] & _NOT_A_NAME:
        return False
    if line.cues[index] & _NOT_INSIDE and not (words and expects_surname and flags & SURNAME):
        return False
    if flags & CAPITALISED:
        return _continues_capitalised(line, index, words, expects_surname)
    return _continues_lower(line, index, words, expects_surname)


def _continues_capitalised(line: NameLine, index: int, words: int, expects_surname: bool) -> bool:
    flags = line.flags[index]
    is_name = bool(flags & (GIVEN_NAME | SURNAME))
    if not flags & STOP:
        if words == 0 or not (flags & COMMON or line.parts[index] & _NOUN):
            return True
        return expects_surname and (is_name or (words == 1 and line.ends_clause(index)))
    word = line.word(index)
    if words == 0 and line.adjacent(index) and line.cues[index - 1] & _TITLE and flags & COMMON:
        # "Dr. Gleich": after a title every word is a name, whatever else it means.
        if word.lower() in PARTICLES:
            # "Dr. Zur Muster"
            return line.adjacent(index + 1) and bool(line.flags[index + 1] & CAPITALISED)
        return len(word) > MIN_RARE and not line.cues[index] and not line.is_noun_like(index)
    return is_name and (words == 0 or expects_surname) and len(word) > MIN_RARE


def _continues_lower(line: NameLine, index: int, words: int, expects_surname: bool) -> bool:
    flags, word = line.flags[index], line.word(index)
    if flags & STOP or len(word) < MIN_RARE or line.cues[index] & _PARTICLE or word in _SMALL_VERBS:
        return False
    as_capitalised = line.flags_as_capitalised(index)
    is_name = bool(as_capitalised & (GIVEN_NAME | SURNAME))
    if words == 0:
        return is_name or not flags & COMMON or line.is_addressed_in_lower_case(index)
    after_given = bool(line.flags_as_capitalised(index - 1) & GIVEN_NAME)
    if flags & COMMON:
        # "anna müller". Most verbs that follow a given name end in "t": "anna kommt".
        return after_given and bool(as_capitalised & SURNAME) and not word.endswith("t")
    return expects_surname and (is_name or (after_given and line.is_rare(index)))


def _is_torn_at(line: NameLine, index: int) -> bool:
    """Whether a scan split a name before the lower-case word at `index`: "Mus ter", "Xyla-Mus ter"."""
    if not 0 < index < line.count:
        return False
    if line.flags[index] & _WORD_CASE_OR_STOP != IS_WORD or line.cues[index] or not line.adjacent(index):
        return False
    word = line.word(index)
    if len(word) < MIN_RARE:
        return False
    before = line.word(index - 1)
    return bool(line.flags[index - 1] & CAPITALISED) and bool(
        line.flags_of(before.rpartition("-")[2] + word) & (GIVEN_NAME | SURNAME)
    )


def _particle_leads_on(line: NameLine, index: int, lower: bool) -> bool:
    """Whether a possible name follows the particles. In "vom Klinikum" none does."""
    for at in range(index + 1, min(line.count, index + 4)):
        if not line.adjacent(at):
            return False
        if not line.is_particle(at):
            capitalised = bool(line.flags[at] & CAPITALISED) and not line.flags[at] & STOP
            if line.word(index) == "den" or line.word(at - 1) == "den":
                # A particle of Dutch names, and an article: "die Frau von den Nachbarn".
                capitalised = capitalised and not line.flags[at] & COMMON
            return capitalised or (lower and (line.is_rare(at) or line.is_initial(at, lower=True)))
    return False
