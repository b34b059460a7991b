"""Rules of the group `id` for number plates and ships (HIPAA item 12), which are of the type `other`.

A German plate needs a district's letters of the list below, or a car or its plate named before; the list lacks those
that clinical abbreviations share before a hyphen and letters ("CK-MB 310", "EF"). Austrian plates ("XX-123 AB")
stand behind such a word, too. Ships: a name in quotes behind MS, Kutter, …; MS alone is multiple sclerosis.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.fragments import NO_UNIT, B
from deid_core.recognisers.pattern.rule import PatternRule

_DISTRICT = r"""
    (?:A[ACKNÖSWZ]|A[BIL][BICKL]|ANA|ANG|AIC|ALF|ASL|AUR|AZE|B[BCILMNORST]|BAD|BAR|BCH|BED|BER|BGL|BIR|BIT|BKS|BLK|BOH
    |BOR|BOT|BRA|BRB|BRG|BTF|BÜD|BÜS|BZA|CAS|CB|CHA|CLP|COC|COE|CUX|CW|D[ADEHLNOU]|DAH|DAN|DAU|DBR|DEG|DEL|DGF|DIL|DIN
    |DIZ|DKB|DON|DUD|DÜW|DZ|E[ABDEILMRSU]|EBE|EBN|EBS|ECK|EIC|EIS|EMD|EMS|ERB|ERH|ESB|ESW|EUT|F[BDFLNORSTÜ]|FDB|FDS|FEU
    |FFB|FKB|FLÖ|FRG|FRI|FRW|FTL|G[CEFGILMPRSTWZÖÜ]|GAN|GAP|GDB|GEL|GEO|GER|GHA|GLA|GMN|GNT|GOA|GRA|GRH|GRI|GRM|GRZ|GTH
    |GUB|GUN|GVM|GZ|H[ABCDEFGHIKLMNOPRSUXYZÖ]|HAL|HAM|HAS|HBN|HCH|HDH|HDL|HEB|HEF|HEI|HER|HET|HGN|HGW|HHM|HIG|HIP|HOG
    |HOH|HOL|HOM|HOR|HOT|HRO|HSK|HST|HVL|HWI|IGB|ILL|IZ|JEV|JÜL|K[ABCEFGHILMNORSTUWYÖÜ]|KAR|KEH|KEL|KIB|KLE|KLZ|KÖN|KÖT
    |KÖZ|KRU|KUS|KYF|L[ABCDEFGHILMNPRUÖ]|LAN|LAU|LBS|LBZ|LDK|LDS|LEO|LER|LEV|LIB|LIF|LIP|LÖB|LOS|LRO|LSA|LSN|LSZ|LÜN
    |LUP|LWL|M[ABDEGHIKLMNOQRSTWYZÜ]|MAB|MAI|MAK|MAL|MEI|MEK|MEL|MER|MET|MGH|MGN|MHL|MIL|MKK|MOD|MOL|MON|MOS|MSE|MSH
    |MSP|MST|MTK|MTL|MÜB|MÜR|MYK|MZG|N[BDEFHIKMPRSUWYÖ]|NAB|NAI|NAU|NDH|NEA|NEB|NEC|NEN|NES|NEW|NMB|NMS|NOH|NOL|NOM|NOR
    |NRW|NVP|NWM|NÜ|O[ABCDEFGHKLPSVZ]|OAL|OBB|OBG|OCH|OHA|OHV|OHZ|OPR|OPT|OSL|OVI|OVP|P[ABEFILMNRSW]|PAF|PAN|PAR|PCH
    |PEG|PIR|PLÖ|PRÜ|QFT|QLB|R[ADEHLMNOPSTUVWYZÜ]|RDG|REG|REH|REI|RID|RIE|ROD|ROF|ROK|ROL|ROS|ROT|ROW|RÜD|RÜG|RSL
    |S[ABCEGHIKLMNOPRTUWYZÖ]|SAB|SAD|SAN|SAW|SBG|SBK|SCZ|SDH|SDL|SDT|SEB|SEE|SEF|SEL|SFA|SFB|SFT|SGH|SHA|SHG|SHK|SHL
    |SIG|SIM|SLE|SLF|SLK|SLN|SLS|SLÜ|SLZ|SMÜ|SOB|SOG|SOK|SÖM|SPB|SPN|SRB|SRO|STA|STB|STD|STE|STL|SUL|SÜW|SWA|SZB
    |T[BEFGOPRSTUÜ]|TBB|TDO|TET|TIR|TÖL|TUT|U[EHLMN]|UEM|UER|UFF|USI|V[BEGKRS]|VAI|VEC|VER|VIB|VIE|VIT|VOH
    |W[ABDEFHILMNORSTUWZÜ]|WAF|WAK|WAN|WAR|WAT|WBS|WDA|WEL|WEN|WER|WES|WHV|WIL|WIS|WIT|WIZ|WLG|WMS|WND|WOB|WOH|WOL|WOR
    |WOS|WSF|WST|WSW|WTL|WTM|WUG|WUN|WUR|WZL|Z[EIPRWZ]|ZEL|ZIG)
"""
_NO_TERM = r"(?!(?:SON|IES|BDI|HLA|CK|LV|PD|GAD|TPO|EF|ED|HF|RF|RV|LA|RA|SR|IL|MR|SB|ER|OP|HAM)-)"
_DIGITS = r"\d{1,4}[EH]?(?![\p{L}\d]|[.,:/-]\d)"
_GERMAN = rf"[A-ZÄÖÜ]{{1,3}}-{B}?[A-Z]{{1,2}}{B}?{_DIGITS}"
_AUSTRIAN = rf"[A-Z]{{1,2}}[- ]{B}?\d{{1,5}}{B}?[A-Z]{{1,3}}(?![\p{{L}}\d-])"
_PLATE_WORD = r"""
    (?i:(?:kfz-?|auto-?)?kennz(?:eichen|\.)?|kfz|pkw|lkw|amtl\.?|fahrz(?:eug|\.)|wagen|auto|golf|motorrad|traktor
    |trabant|wartburg|moped|mofa|opel|vw)
"""
_SHIP = r"""
    (?i:(?:fisch|krabben)?kutter|logger|frachter|schiffs?|trawler|(?:segel)?yacht|jolle|fähre|lastkahn|schlepper|dampfer
    |boot|motorschiff)
"""
_OPEN, _CLOSE = "[\"„“»«‚'”]", "[\"“”»«‘']"

PLATE_RULES = (
    PatternRule(
        "id.plate",  # "HD-AB 123", "PKW (XY-Z 12)"
        PhiType.OTHER,
        token_regex=r"[A-ZÄÖÜ]{1,3}-[A-Z]{1,2}(?:\d{1,4}[EH]?)?",
        pattern=rf"(?={_GERMAN})(?<![\p{{L}}\d.,/:-])(?:{_NO_TERM}{_DISTRICT}-[A-Z]{{1,2}}{B}?{_DIGITS}{NO_UNIT}"
        rf"|(?={_GERMAN})(?<=(?<!\p{{L}}){_PLATE_WORD}[^\n\d]{{1,30}}){_GERMAN})",
        score=0.8,
    ),
    PatternRule(
        "id.plate_without_hyphen",
        PhiType.OTHER,
        token_regex=rf"(?:\p{{L}}{{1,10}}-)?{_PLATE_WORD}",
        pattern=rf"[\p{{L}}.-]{{2,30}}+(?:{B}Kennzeichen)?:?{B}[(]?(?P<phi>[A-ZÄÖÜ]{{1,3}}{B}[A-Z]{{1,2}}{B}?{_DIGITS}"
        rf"|{_AUSTRIAN})",
        score=0.8,
    ),
    PatternRule(
        "id.plate_bracketed",  # the owner's car was named before: "(ZZ-411 K)", "(XY-AB 76)"
        PhiType.OTHER,
        token_regex=r"[A-ZÄÖÜ]{1,3}-(?:[A-Z]{1,2}|\d{2,5}[A-Z]?)",
        pattern=rf"(?<=\()(?!IL-){_NO_TERM}(?:{_DISTRICT}-[A-Z]{{1,2}}{B}{_DIGITS}"
        rf"|[A-Z]{{1,2}}-\d{{2,5}}{B}[A-Z]{{1,3}})(?=\))",
        score=0.7,
    ),
    PatternRule(
        "id.ship",  # "MS „Musterfrau“", "auf der »MS Musterland II«", "Kutter "XYZ 14 Muster""
        PhiType.OTHER,
        token_regex=rf"M[SVY]|MTS|{_SHIP}",
        pattern=rf"(?P<phi>M[SVY]{B}{_OPEN}\p{{L}}[\p{{L}}. -]{{2,30}}{_CLOSE}"
        rf"|(?<={_OPEN})M[SVY]{B}\p{{Lu}}[\p{{L}} -]{{2,25}}(?={_CLOSE})"
        rf"|(?<=(?i:auf|an{B}bord)(?:{B}(?:der|dem|des))?{B})M[SVY]{B}(?!-)\p{{Lu}}[\p{{L}}-]{{2,20}}(?:{B}"
        rf"\p{{Lu}}[\p{{L}}-]{{1,15}})?)"
        rf"|{_SHIP}{B}{_OPEN}(?P<phi>\p{{Lu}}[\p{{L}}\d -]{{2,25}})(?={_CLOSE})",
        score=0.7,
    ),
)
