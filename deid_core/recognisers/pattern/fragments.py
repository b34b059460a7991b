"""Fragments of expressions that several groups share: blanks, units, laboratory values, months and numeric dates.

Each is a verbose `regex` expression to be put into a rule's pattern; none captures a group.
"""

from __future__ import annotations

from deid_core.recognisers.pattern.alternation import by_first, by_last

B = "[ ]"
"""A blank within a line; patterns see a text's plain form (plain.py), where no other blank is left."""

QUOTE = r"['`´’‘]"
DASH = "[-—]"

_UNITS = by_first(r"""
    % | ‰ | ° | € | mg | ml | ug | µg | μg | ng | pg | kg | g | l | dl | cl | fl | fg
  | mol(?:/l)? | mmol(?:/l)? | µmol(?:/l)? | μmol(?:/l)? | nmol(?:/l)? | pmol(?:/l)? | val | mval
  | U | IU | mU | mIU | I\.?E\.? | E | mE | Einh\.? | Einheiten | mm(?:Hg)? | m²? | cm | km | ms(?:ec)? | sec
  | Sek\.? | Sekunden? | min | Min\.? | Minuten? | h | Std\.? | Stunden? | Uhr | bpm | W | Watt | J | Joule | kJ
  | cal | Cal | kcal | kCal | Kalorien | Gy | cGy | mSv | KBq | MBq | GBq | Hz | kHz | V | mV | mA | Ohm | Ω
  | Ch\.? | Charr\.? | F | Gauge | Tropfen | Tbl\.? | Tabl?\.? | Tabletten? | Kps\.? | Hübe? | Amp\. | Ampullen?
  | Schritten? | Metern? | Stufen | Patienten | Fällen? | mal | Mal | x | EUR | Euro | Punkten? | Pkt\.?
  | Stück | Zellen | Kopien | Packungen | py
""")
NO_UNIT = rf"(?!{B}{{0,2}}+(?:{_UNITS})(?![\p{{L}}\d]|\.\p{{L}}|(?<=\b\p{{Lu}})\.))"
"""What stands here is no unit: "1950 ml" is no year; "2009 E. Muster" is one.

No unit begins with a blank, nor does an analyte or a version's word below end with one: where the word does not fit
behind all the blanks it does not fit behind fewer, so they are possessive and the long alternations tried once.
"""

_ANALYTES = by_last(r"""
    INR | Quick | a?PTT | Hb | Hkt | HbA1c | Thrombo | Thrombos | Thrombozyten | Ery | Erys | Erythrozyten | Lymphozyten
  | Retikulozyten | Kalium | Natrium | Calcium | Kalzium | Magnesium | Phosphat | Chlorid | [CK]rea | [CK]reatinin
  | Harnstoff | Harnsäure | e?GFR | (?:NT-?)?(?:pro-?)?BNP | CK | CK-?MB | LDH | [GS]?[GO]OT | GPT | G-?GT | ASAT
  | ALAT | CRP | PCT | TSH | f?T3 | f?T4 | Glu[ck]ose | BZ | Blutzucker | LDL | HDL | Cholesterin
  | Trigly[cz]erid | Trigly[cz]eride | Ferritin | D-?Dimer | D-?Dimere | Lipase | Amylase | Bilirubin | Albumin
  | La[kc]tat | pH | pO | pH2 | pO2 | pCO2 | Fibrinogen | PSA | Digoxin | Digoxinspiegel | Myoglobin | Osmolalität
  | Spiegel | Faktor | Wert | Gradient | Vmax | LVEF | EF | BMI | Quotient | Ratio | Index | Anzahl | Heparin
  | Liquemin | Fragmin | Dosis | Insulin | Gewicht | SUV | hb | psa | inr | crp | krea | tsh | quick | leuko | thr | bz
  | hba1c | ck | ldh | Gesamtdosis | Tagesdosis | Diurese | Ausfuhr | Einfuhr | Zufuhr
""")
_ANALYTES_CUT = r"Leuko\p{L}{0,10}|(?:hs-?)?Trop\p{L}{0,8}|Harnst\."
NO_VALUE = rf"""
    (?<!(?<![\p{{L}}-])(?:{_ANALYTES}|{_ANALYTES_CUT})[ \t:=]{{0,4}}+
        (?:(?:von|auf|bei|bis|um|max\.?|maximal|ca\.?){B})?)
    (?<![=<≤≥±~≈]{B}?|(?<!-)>{B}?)
"""
"""What stands before is neither a laboratory value's name nor a sign of comparison."""

_VERSIONS = by_last(r"""
    Version | V | Release | Software | Firmware | Modell | Typ | Kapitel | Ziffer | Punkt | Abschnitt | Tabelle
  | Abbildung | § | GOÄ | OPS | DRG | Code | IP
""")
NO_VERSION = rf"(?<!(?<!\p{{L}})(?:{_VERSIONS}|(?:Vers|V|Rel|Kap|Abs|Tab|Abb)\.):?+{B}?+)"
"""What stands before does not announce a version, a chapter or a code."""

NO_NUMBER = r"(?!\d|[.,:/]\d)"
"""What stands before is a whole number."""
NO_PERSON = rf"(?<!(?<!\p{{L}})(?i:Herrn?|Frau|Fr\.|Hr\.|Dr\.|Dr|Prof\.|Familie|Schwester|Sr\.|Pfleger){B})"
"""What stands here is no name that is also a month, a season or a feast: "Frau Mai", "Schwester Silvester"."""

DAY = r"(?:0?[1-9]|[12]\d|3[01])(?!\d)"
MONTH = r"(?:0?[1-9]|1[0-2])(?!\d)"
YEAR4 = r"(?:19\d\d|20[0-4]\d)(?!\d)"
YEAR = rf"(?:{B}?{YEAR4}|{B}?{QUOTE}{B}?\d\d(?!\d)|\d\d(?!\d))"
"""A year behind a day and a month; two digits alone only without a blank ("12.3. 14 Uhr" is no year)."""

MONTH_BEGINS = r"(?=(?i:[jfmasond0]))"
"""Most words begin as no month does: one look spares them the alternation."""
MONTH_NAME = rf"""
    (?:{MONTH_BEGINS}(?:(?i:Januar|Jänner|Jaenner|Februar|Feber|März|Maerz|March|April|Mai|May|Juni|June|Juli|July|August
    |September|Oktober|October|November|Dezember|December
    |0ktober|Septernber|Novernber|Dezernber|Apri1|Ju1i|Mär2)(?!\p{{L}})(?:\.(?=\d))?
    |(?i:Jan|Jän|Febr?|Mrz|Mär|Apr|Jun|Jul|Aug|Sept?|Okt|Oct|Nov|Dez|Dec)(?!\p{{L}})\.?))
"""
"""A full stop belongs to an abbreviation only: behind "4. Dezember" the sentence ends. Scans read "rn" for "m"."""
NAMED_YEAR = rf"(?:{YEAR4}|{QUOTE}{B}?\d\d(?!\d)|\d\d(?!\d|[.,:/-]\d){NO_UNIT})"
"""A year behind a month's name, where two digits alone are a year too."""

DAY_MONTH_YEAR = (
    rf"(?:{DAY}\.{B}?{MONTH}\.{YEAR}|{DAY}\.{B}{MONTH}\.{B}\d\d(?!\d|[.,:]\d|{B}?Uhr)"
    rf"|\d{{1,2}}{B}?[.,]{B}?\d{{1,2}}{B}?[.,]{B}?{YEAR4})"
)
"""01.12.1956, 1.12.`09, 1. 3. 2009, 1. 3. 98; with four digits of a year, misspelled days and commas count too."""

DAY_MONTH = rf"{DAY}\.{B}?{MONTH}\.(?!\d)"
NAMED_DATE = rf"(?:{DAY}\.?{B}{{0,2}}{MONTH_NAME}(?:{B}?,?{B}?{NAMED_YEAR})?)"
ISO_DATE = r"(?:(?:19\d\d|20[0-4]\d)[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])(?!\d))"
SLASHED_DATE = rf"(?:{DAY}[-/]{MONTH}[-/]{YEAR4}|{DAY}/{MONTH}/\d\d(?!\d|[-/]))"
FULL_DATE = rf"(?:{DAY_MONTH_YEAR}|{ISO_DATE}|{SLASHED_DATE}|{NAMED_DATE})"

ORDERED = r"""
    (?:\p{L}{0,20}[Tt]ag(?:e[sn]?)?|Woche|Monat|Jahr|Finger\p{L}{0,8}|Zehe\p{L}{0,8}|Strahl|Mal|Stock|Advent|Quartal
    |Rippe\p{L}{0,12}|Zyklus|Kurs|Termin|LT|Pod|POD|post\p{L}*+|ICR|IKR|MFK|MHK|[HBL]W[SK]|Wirbel|Gang|Versuch
    |Mittel\p{L}{1,10}|OP|Schritt|Segment|Zahn|p\.?o\.?)
"""
"""What is counted by an ordinal: the number before it is no day ("am 3. Tag", "2. OP")."""
