"""Which words may be a sign by themselves, and whether a name may have given it: "Wt" and "Wst" are of Westerweg.

A sign is made of the first letters of a name's words ("DS" of Anna Dorn-Sommer: its parts count as words), of a name's
beginning ("Sal" of Salzer), or of its first letter and some of those behind it in their order ("Kt" of Klemmt).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from deid_core.text.folding import folded

MAY_SIGN, DOUBTFUL = 1, 2

SIGN = re.compile(r"[^\W\d_]{2,4}\.?")
_IN_NAME = re.compile(r"[^\W\d_]+")
_MIN_NAME = 3
_MOST_INITIALS = 3

BETWEEN = frozenset("von durch vom am um uhr . : ( , / -".split())
"""What may stand between a word that announces a sign and the sign."""
UNITS = frozenset(
    """
    mg g kg ml dl l nl fl pl ul min h d s sec std tag tage wo woche mo monat j jahr mmol mol u ie iu mval pg ng hpf qm
    re li ap pa ja nein oder und w m mm cm bar kpa hg die in an bei v vs
    """.split()
)
"""Units, sides and the like, which stand beside slashes and at the ends of lines; single letters are signs else."""
_NEVER = frozenset(
    """
    mg ml dl µmol umol µg ug µkat nkat ukat nmol pmol fmol nl fl pl ul min sec sek std stdn tag tage wo wchn mon jahr
    mmol mol ie iu mval pg hpf qm cm mm km cmm qcm bar kpa hg mmhg kpm gy gbq mbq mhz khz mv ma ohm msec ms kcal kj
    mosm tsd mio mrd nm val tbl tabl tab kps amp btl trpf gtt supp susp inj inf hub hübe stk para stck pkg eur euro dm
    chf öst uhr re li ap pa ja nein oder und in an bei vs bds bd bdts dex sin med lat dist prox kran kaud vent dors
    ant post sup max mini quer frei leer gut klar rein fest tief hoch hohe warm kalt rot blau grün weiß neg pos path
    norm nor ob ok okay mit ohne usw etc ff bzw ca evtl ggf sog inkl exkl zus zw tgl tägl wö mttl morg abds vorm früh
    spät iv im sc po pi os rekt oral top inh ip ia bid tid qid dos nü fix pat patn dg diag zn vd va anam anm bef bem
    fam aa ha oa oä cä sr pfl schw ass dr dres prof herr frau hr frl tel fax gez geb gen verh led verw gruß mfg mbg lg
    ekg eeg emg ct mr mrt cct kmr pet us sono rr hf rsr temp bmi ef lv rv la ra lab urin ex entf entl aufn verl kons
    ko kon ktr beob ther rez ret lok ziel plan soll ist rest typ alt neu groß viel kaum kein nie nur nun so da hier
    dort dann auch doch noch bald sehr mehr alle muß muss will kann war wird hat habe sind geht tut gibt sagt isst ißt
    ruht ruft wach müde bett eng weit mild mo di mi do sa jan feb mär mrz apr mai jun jul aug sep sept okt nov dez anl
    anh gepl vgl lt gem zb dh kg ev gmbh kgaa rk wien köln bern ulm linz aok bkk ikk dak hek gek kkh lkk bek svb bva
    gkv pkv ögk name fall nr ii iii vi vii viii ix xi xii
    """.split()
)
"""Units, sides, routes, findings, weekdays, everyday's shortest words: what ends many lines and is no sign."""

_ABBREVIATIONS = frozenset(
    """
    st fr kl sl bk hz rö röx thx echo tee tte af vhf lad rcx rca avk khk hkl crt nyha acs ami acb ptca pci lae tvt abi
    hb hkt bb bsg bks crp inr ptt gfr krea hst na cl bz hba bga ana asl tsh psa cea afp got gpt ggt ldh ck its imc zna
    ops hno uro gyn chir inn neur psy derm päd rea reha mt et ergo logo phys kh haus heim lk ln lwk bwk hws bws lws
    isg oe ue uk bein arm knie hand fuß kopf hals herz lung milz leb nier darm haut we fd sd nd td og eg wk md sp
    dk zvk vk pvk ek ffp tk mcp pip dip tep op aip pj itn spa kv dmp pnp ecmo niv rsi rosc fees ssw lot ref htn foa
    fmh rtw nef cmrt mtla cta mra tia tga wdh uf uv hd hdf pd io ng ag vg
    """.split()
)
"""Usual abbreviations of a letter, which are signs as well where a note says so several times."""


def sign_shape(word: str) -> int:
    """MAY_SIGN for two to four letters, perhaps with a full stop; DOUBTFUL with it if they are a usual abbreviation."""
    if not SIGN.fullmatch(word):
        return 0
    lower = word.rstrip(".").lower()
    if lower in _NEVER:
        return 0
    return MAY_SIGN | DOUBTFUL if lower in _ABBREVIATIONS else MAY_SIGN


@dataclass(frozen=True, slots=True)
class Signers:
    """Who may have signed, by the names that a note has: the first letters of their words, and the words, folded."""

    initials: frozenset[str]
    words: frozenset[str]

    def begins(self, sign: str) -> bool:
        """Whether the sign is made of the first letters of a name's words, or begins one of them."""
        letters = folded(sign.rstrip("."))
        return letters in self.initials or any(word.startswith(letters) for word in self.words)

    def may_sign(self, sign: str) -> bool:
        """Whether one of the names may have given the sign."""
        letters = folded(sign.rstrip("."))
        if letters in self.initials:
            return True
        first = letters[0]
        # Most words begin with another letter.
        return any([_is_in(letters, word) for word in self.words if word[0] == first])


def signers(names: Iterable[str]) -> Signers:
    """The signers with these full names, titles left out; a name's words may be in either order."""
    initials: set[str] = set()
    words: set[str] = set()
    for name in names:
        in_name = [folded(word) for word in _IN_NAME.findall(name)]
        words.update([word for word in in_name if len(word) >= _MIN_NAME])
        if len(in_name) < 2:
            # Most names of staff are a surname alone.
            continue
        letters = "".join([word[0] for word in in_name])
        initials.update(
            letters[first : first + length]
            for length in range(2, _MOST_INITIALS + 1)
            for first in range(len(letters) - length + 1)
        )
        initials.add(letters[-1] + letters[0])
    return Signers(frozenset(initials), frozenset(words))


def _is_in(letters: str, word: str) -> bool:
    """Whether the letters stand in the word in their order."""
    rest = iter(word)
    return all(letter in rest for letter in letters)
