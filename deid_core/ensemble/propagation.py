"""Propagation: what is certain in one place is searched for in the whole note (seed 004). Here: names.

In "Patient: Xylander … Xylander klagte" the second word is a name because the first one is. A name is certain if its
detection has at least the score `min_score`: names in a field of the letterhead, and those that a list in its context,
the CRF or a recogniser of one's own gives this score. (The CRF's share: 3
more names and 1 false positive on the training letters; on non-medical texts a recall of 0.909 instead of 0.900 for
names, at the same precision.) letterhead/name_forms.py finds the forms of their words. Also found are names that a
line end breaks, names in small letters where the note writes them so, and the initials of a full name. A name that is
used as an eponym is left out. repeats.py does the same for institutions, addresses, places and numbers,
staff_initials.py finds initials of staff. Propagation runs after the recognisers and before the stacking model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from deid_core.core.labels import Label, PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.ensemble.repeats import Repeats
from deid_core.ensemble.settings import PropagationSettings
from deid_core.ensemble.staff_initials import StaffInitials
from deid_core.letterhead.name_forms import form_finder
from deid_core.lexicon.cue_words import ALSO_SURNAMES, NOT_A_NAME, CueFlag, cue_flags
from deid_core.lexicon.disambiguation.eponyms import eponym_flags, is_eponym
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.word_flags import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME, word_flags
from deid_core.recognisers.letterhead import FORM_RULES, LetterheadRecogniser
from deid_core.text.divided_words import LINE_HYPHEN
from deid_core.text.document import Document
from deid_core.text.folding import ADJECTIVE_ENDINGS, APOSTROPHES, folded, parts
from deid_core.text.token_ranges import detection_of, token_ranges
from deid_core.text.tokens import TOKEN
from deid_core.text.vocabulary import TypeFeature, Vocabulary

KIND = "propagation"
COMPOUND = "compound"
"""Rule for a certain name within a hyphenated word, which the stacking model never drops (certain_forms.py)."""
_INITIAL = CueFlag.INITIAL.value
_SCORE = 0.9
_LOWER_SCORE = 0.8
_SHORT = 5
"""The genitive of a longer word is within `max_ratio`, unless it is a common word, which needs an exact match."""
_INITIAL_CHARS = 2
_LOWER_RISK = frozenset((PhiType.CLINICIAN, PhiType.RELATIVE))
"""Other names may be the patient's: every occurrence counts, since one that stays readable does more harm."""
_FAMILY = frozenset((PhiType.PATIENT, PhiType.RELATIVE))
"""Their surnames count in compounds even if they are common words."""
_BEFORE_ITEM = frozenset(") : - / •".split())
_ADJECTIVE_ENDINGS = tuple(mark + ending for ending in ADJECTIVE_ENDINGS for mark in ("", *APOSTROPHES))
_CertainName = tuple[int, int, PhiType]
"""Start, end and type of a certain name."""


class Propagation:
    """Finds the other occurrences of names that are certain in one place, in documents of one vocabulary."""

    def __init__(self, settings: PropagationSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._settings = settings
        self._flags = word_flags(gazetteer, vocabulary)
        self._forms = form_finder(gazetteer, vocabulary)
        self._eponyms = eponym_flags(vocabulary)
        self._terms = _SearchTerms(self._flags, vocabulary, settings.min_letters)
        self._eponym_words = gazetteer.words("eponym")
        self._initials = TypeFeature(vocabulary, _is_initial, bool)
        self._repeated = Repeats(self._flags)
        self._staff_initials = StaffInitials(self._flags, vocabulary) if settings.staff_initials else None

    @property
    def min_score(self) -> float:
        """The score from which a name is certain."""
        return self._settings.min_score

    def propagate(self, document: Document, detections: Sequence[Detection]) -> Iterator[Detection]:
        """Yield detections of the certain names' other forms; `rule` is "repeat", or says what is special about it.

        Raises NoteError if there are too many words to compare.
        """
        yield from self._repeated.find(document, detections, KIND)
        if self._staff_initials is not None:
            yield from self._staff_initials.find(document, detections, KIND)
        name, min_score = Label.PER, self._settings.min_score
        # Sets, since several recognisers find most certain names.
        certain, forms = set[_CertainName](), set[_CertainName]()
        for d in detections:
            if d.label is name and d.score >= min_score:
                (forms if _is_hyphenated_form(document, d) else certain).add((d.start, d.end, d.type))
        if forms:
            certain |= _known_forms(document, forms, certain)
        if not certain:
            return
        names = _CertainNames(document, sorted(certain), self._flags.gather(document.tokens.types), self._terms)
        yield from self._repeats(document, names)
        yield from _broken_words(document, names)
        yield from _lower_case(document, names)
        yield from self._pairs_of_initials(document, names)

    def _repeats(self, document: Document, names: _CertainNames) -> Iterator[Detection]:
        """Yield forms of the names' words; neighbours are joined, together with the initials before them."""
        found = {form.index: form for form in self._forms.find(document, names.terms, self._settings.max_ratio)}
        if not found:
            return
        tokens, joined = document.tokens, names.joined
        eponyms = self._eponyms.gather(tokens.types)
        is_initial = self._initials.gather(tokens.types)
        end_token = -1
        for index, form in found.items():
            if index < end_token:
                continue
            start_token, end_token = index, index + 1
            while end_token in found and joined[end_token]:
                end_token += 1
            if end_token == start_token + 1 and names.flags[index] & COMMON:
                if is_eponym(eponyms, tokens.breaks, start_token, end_token):
                    continue
                if form.type in _LOWER_RISK and self._is_ambiguous(document, start_token):
                    continue
            while start_token and joined[start_token] and is_initial[start_token - 1]:
                start_token -= 1
            end_token = _with_given_name(document, names, start_token, end_token)
            rule = "variant" if form.ratio else "repeat"
            yield detection_of(document, start_token, end_token, form.type, KIND, rule, _SCORE - form.ratio)
            for token in range(index, end_token):
                if token in found and not found[token].ratio:
                    yield from self._in_compound(document, names, token, form.type)

    def _in_compound(self, document: Document, names: _CertainNames, token: int, phi: PhiType) -> Iterator[Detection]:
        """Yield the name at the beginning of a hyphenated word, "Muster" of "Muster-Konsil", if it is no other word.

        The patient's and a relative's name may be a common word if it is a listed surname, too ("Müller").
        """
        word = document.word(token)
        pieces = word.split("-")
        known = 1
        while known < len(pieces) and folded(pieces[known - 1]) in names.terms:
            known += 1
        name = "-".join(pieces[: known - 1])
        if not name or folded(name) in self._forms.eponyms:
            return
        flags = self._flags.of(name)
        if flags & COMMON and (phi not in _FAMILY or not flags & SURNAME):
            return
        start = int(document.tokens.starts[token])
        yield Detection(start, start + len(name), label_of(phi), phi, KIND, COMPOUND, _SCORE)

    def _is_ambiguous(self, document: Document, token: int) -> bool:
        """Whether the word is also an eponym, or is one of several words in capitals."""
        word = document.word(token)
        return word in self._eponym_words or (word.isupper() and token > 0 and document.word(token - 1).isupper())

    def _pairs_of_initials(self, document: Document, names: _CertainNames) -> Iterator[Detection]:
        """Yield two initials that are those of a certain full name: "A. M." for Anna Muster."""
        if not names.initials:
            return
        is_initial = self._initials.gather(document.tokens.types)
        for token in np.flatnonzero(is_initial[:-1] & is_initial[1:]).tolist():
            phi = names.initials.get(document.word(token)[0] + document.word(token + 1)[0])
            if phi is not None and names.joined[token + 1]:
                yield detection_of(document, token, token + 2, phi, KIND, "initials", _LOWER_SCORE)


class _SearchTerms(dict[int, tuple[str, ...] | None]):
    """The folded search terms of word types; only the few that are part of a certain name are ever computed.

    The terms are the word, its parts, and a genitive that `max_ratio` would not reach; none if the word is in small
    letters. The value is None for what is no word of a name.
    """

    def __init__(self, flags: TypeFeature, vocabulary: Vocabulary, min_letters: int) -> None:
        super().__init__()
        self._flags = flags
        self._vocabulary = vocabulary
        self._min_letters = min_letters

    def __missing__(self, number: int) -> tuple[str, ...] | None:
        word = self._vocabulary.words[number]
        found = self[number] = tuple(self._terms(word)) if self._is_name_word(word) else None
        return found

    def lower_case(self, number: int) -> list[int]:
        """Return the word types of a name in small letters: itself, "knarls frau", "die knarl'sche familie"."""
        word = self._vocabulary.words[number]
        if self._flags.of(word) & COMMON or len(word) < self._min_letters or word in NOT_A_NAME:
            return []
        # Not stored: the vocabulary grows with each note.
        endings = _ADJECTIVE_ENDINGS if word[-1] in "sßxz" else ("s", *_ADJECTIVE_ENDINGS)
        forms = (self._vocabulary.known(word + ending) for ending in endings)
        return [number, *(form for form in forms if form is not None)]

    def _terms(self, word: str) -> Iterator[str]:
        flags = self._flags.of(word)
        if not flags & CAPITALISED:
            return
        common = flags & COMMON
        for part in parts(word):
            if len(part) >= self._min_letters and part.lower() not in NOT_A_NAME:
                yield folded(part)
                if part[-1] not in "sßxz" and len(part) > self._min_letters and (common or len(part) <= _SHORT):
                    yield f"{folded(part)}s"

    def _is_name_word(self, word: str) -> bool:
        is_cue = cue_flags(word) & ~_INITIAL != 0 and word.lower() not in ALSO_SURNAMES
        return self._flags.of(word) & (IS_WORD | STOP) == IS_WORD and not is_cue


class _CertainNames:
    """What to search for in a document with these certain names.

    terms: folded words and their type. lower_case: word types in small letters that are no common word, and their type.
    initials: the initials of the patient's and relatives' full names in both orders, and their type. flags: of each
    token (lexicon/word_flags.py). joined: bool for each token, whether at most a blank parts it from the one before.
    """

    def __init__(
        self,
        document: Document,
        certain: Iterable[_CertainName],
        flags: np.typing.NDArray[np.uint32],
        search_terms: _SearchTerms,
    ) -> None:
        tokens = document.tokens
        self.flags = flags
        self.joined = ~tokens.breaks
        self.joined[1:] &= tokens.starts[1:] - tokens.ends[:-1] <= 1
        self.terms: dict[str, PhiType] = {}
        self.lower_case: dict[int, PhiType] = {}
        self.initials: dict[str, PhiType] = {}
        ranges = token_ranges(document, [(start, end) for start, end, _ in certain])
        # A memoryview: names have few of the note's tokens.
        types, patient = tokens.types.data, PhiType.PATIENT
        words = document.vocabulary.words
        seen: set[int] = set()
        for (_, _, phi), (start_token, end_token) in zip(certain, ranges, strict=True):
            numbers = [number for number in types[start_token:end_token].tolist() if search_terms[number] is not None]
            for number in numbers:
                # The type of a word's first name counts.
                if number in seen:
                    continue
                seen.add(number)
                if terms := search_terms[number]:
                    for term in terms:
                        self.terms.setdefault(term, phi)
                elif not words[number][0].isupper():
                    self.lower_case |= dict.fromkeys(search_terms.lower_case(number), phi)
            if phi is patient and len(numbers) == 2:
                one, other = (words[number][0].upper() for number in numbers)
                self.initials[one + other] = self.initials[other + one] = phi


def _with_given_name(document: Document, names: _CertainNames, start_token: int, end_token: int) -> int:
    """Return the end of the name, with a given name after a comma if a line or list item begins with the name."""
    given = end_token + 1
    if given >= len(document.tokens) or not names.joined[given] or document.word(end_token) != ",":
        return end_token
    opens = not start_token or document.tokens.breaks[start_token] or document.word(start_token - 1) in _BEFORE_ITEM
    return given + 1 if opens and names.flags[given] & (GIVEN_NAME | STOP) == GIVEN_NAME else end_token


def _broken_words(document: Document, names: _CertainNames) -> Iterator[Detection]:
    """Yield both parts of a name's word that is hyphenated at the end of a line."""
    tokens = document.tokens
    for hyphen in LINE_HYPHEN.finditer(document.text):
        before = int(tokens.ends.searchsorted(hyphen.start()))
        after = int(tokens.starts.searchsorted(hyphen.end()))
        if after == len(tokens) or tokens.ends[before] != hyphen.start() or tokens.starts[after] != hyphen.end():
            continue
        left, right = folded(document.word(before)), folded(document.word(after))
        phi = names.terms.get(left + right) or names.terms.get(f"{left}-{right}")
        if phi is not None:
            yield detection_of(document, before, before + 1, phi, KIND, "broken", _SCORE)
            yield detection_of(document, after, after + 1, phi, KIND, "broken", _SCORE)


def _lower_case(document: Document, names: _CertainNames) -> Iterator[Detection]:
    """Yield names in small letters, in a note that writes them so."""
    types = document.tokens.types
    # One by one, since there are one or two.
    for number, phi in names.lower_case.items():
        for token in np.flatnonzero(types == number).tolist():
            yield detection_of(document, token, token + 1, phi, KIND, "small", _LOWER_SCORE)


def _is_hyphenated_form(document: Document, detection: Detection) -> bool:
    """Whether the letterhead knows a word of the note because it knows one of its parts."""
    return (
        detection.rule in FORM_RULES
        and detection.recogniser == LetterheadRecogniser.kind
        and "-" in document.text[detection.start : detection.end]
    )


def _known_forms(document: Document, forms: set[_CertainName], certain: set[_CertainName]) -> set[_CertainName]:
    """Return the hyphenated words that are certain or known names, or whose parts are: of "Kopf-Rose" one is none."""
    texts = [*(document.text[start:end] for start, end, _ in certain), *(text for text, _ in document.known)]
    names = {folded(part) for text in texts for word in TOKEN.findall(text) for part in parts(word)}
    words = {form: document.text[form[0] : form[1]] for form in forms}
    # A part of two letters is no search term by itself: "Li-Muster".
    return {
        form for form in forms if folded(words[form]) in names or names.issuperset(map(folded, words[form].split("-")))
    }


def _is_initial(word: str) -> bool:
    return len(word) == _INITIAL_CHARS and word[1] == "." and word[0].isupper()
