"""Words that are formed as professions are, though no list has them: by their head, or by their ending alone.

German makes a profession of nearly anything: "Lautenbauer", "Pistenchef", "Manglerin". A head ("-chef", "-wart",
"-knecht") says what it may be, an ending ("-erin", "-ist") no more than that somebody is meant; so the first asks for
evidence around it and the second for a word that announces a profession ("gelernte", "arbeitet als", "Beruf:").
"""

from __future__ import annotations

import re

HEADS = frozenset(
    """
    bauer bauern hirt hirte fischer wirt richter knecht magd leiter chef direktor vorsitzender professor assistent
    wart besitzer inhaber betreiber hauer jäger schmied koch schneider weber förster schreiber halter kocher brecher
    hüter vertreter berater therapeut wäscher steiger schlepper spuler stepper bügler mangler glätter fädler häkler
    winder händler lader binder gräber kutscher bursche bediener former bergmann knappe manager pächter amtmann
    hauptmann vormann spezialist kumpel fuhrwerker diener dienstler werker modelleur kaplan dekan mönch leutnant
    offizier geselle
    """.split()
)
"""What only makes a profession with something before it, and only with evidence: "Stadthirt", "Küchenchef"."""

SURE_HEADS = frozenset(
    """
    fachfrau fachmann lehrling dreher zeichner wärter wächter schleifer schlosser tischler gärtner drucker
    soldat kellner kaufmann kaufleute metzger bäcker schreiner händler pfarrer pastor spengler heizer pförtner
    schaffner steinmetz köchin bergknappe
    """.split()
)
"""What makes a profession with something before it, wherever it stands: "Reifendreher", though "Dreher" is a name."""

_ENDING = re.compile(
    r"""
    .{3,}(?: (?: er | ist | eur | ant | ent | or | ar | är | og | ek | arzt | anwalt | gehilf | bot | leut)in(?:nen)?
        | euse | ist(?:en)? | eure? | (?:at|it|ekt)or | ar(?:en)? | mann | frau | leute | chef(?:in)? | wart(?:in)?
        | lehrling | hilfe | kraft | knecht | magd | junge | mädchen | bub | bursche | gehilfe | bote | graf | vogt
        | rätin | angestellte[rn]? | beamt(?:er?|en|in) | wirt | hirt | student | professor | präsident
        | er(?:s)? | helfer | assistent )
    """,
    re.VERBOSE,
)
_NOBODYS_WORK = re.compile(
    r"""
    .*(?: rauchers? | trinker | trinkerin | händer(?:in|s)? | allergiker(?:in)? | diabetiker(?:in)? |
        patient(?:in)? | epileptiker(?:in)? | alkoholiker(?:in)? | träger(?:in|s)? | aussiedler(?:in)? |
        partner(?:in)? | nachbar(?:in|n|s)? | bewohner(?:in)? | spender(?:in)? | empfänger(?:in)? |
        läufer(?:in)? | gänger(?:in)? | schwimmer(?:in)? | spieler(?:in)? | sportler(?:in)? | besucher(?:in)? |
        kläger(?:in)? | länder(?:in)? | (?:ik|re|ir|ib)aner(?:in)? | iener(?:in)? | nier(?:in)? | burger(?:in)? |
        berger(?:in)? | stürmer(?:in)? | bekannter? | gläubiger | zügler(?:in)? | überträger(?:in)? | zeuger |
        versorger(?:in)? | gebärende | betreuer(?:in)? | mutter | tochter | schwester | bruder | vater |
        verletzter? | verdiener(?:in)? | turner(?:in)? | tänzer(?:in)? | schläfer | esser(?:in)? |
        begleiter(?:in)? | schwager | kinder | anfänger(?:in)? | kandidat(?:in)? | zeugin |
        befunder(?:in)? | fieber | kater | körper | marker | faktor | indikator | prädiktor | tumor | muster |
        fenster | kammer | mittel | nummer | lager | alter | leber | messer | zimmer | mieter(?:in)? |
        flüchtling | wanderer | wanderin | einzelkind | helferin | ehemann | ehefrau | hausfreund | christin |
        moslem | muslim(?:in)? | berlinerin | [li]cher(?:in)? | scher | iger | ierter | pflaster | freifrau |
        monitor | kontrast | teppich | walker | schrittmacher | filter | adapter | katheter | port | stent )
    """,
    re.VERBOSE,
)
"""What somebody is without living on it, and things that end like people."""
_MIN_LETTERS = 6


def ends_like_a_profession(lower: str) -> bool:
    """Whether a word in lower case ends as what somebody does; the lists say whether it is another word."""
    return (
        len(lower) >= _MIN_LETTERS
        and (lower.isalpha() or "-" in lower)
        and _ENDING.fullmatch(lower) is not None
        and _NOBODYS_WORK.fullmatch(lower) is None
    )
