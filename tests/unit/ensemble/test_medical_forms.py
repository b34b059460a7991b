"""Medical forms: what is no date, age, number or name, and what looks like it and stays removed."""

from __future__ import annotations

import pytest

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Span
from deid_core.ensemble.medical_forms import is_medical


def is_medical_in(text: str, phi: PhiType) -> bool:
    """Return whether what stands in square brackets is a medical form."""
    start, end = text.index("["), text.index("]") - 1
    plain = text.replace("[", "").replace("]", "")
    return is_medical(plain, Span(start, end, label_of(phi), phi, "stacking", "r", 0.5))


@pytest.mark.parametrize(
    ("phi", "text"),
    [
        (PhiType.DATE, "[R. Aug.] reizfrei"),
        (PhiType.DATE, "RA: L. [Aug]. Hornhaut klar"),
        (PhiType.DATE, "bds. [Aug]. Linsen klar"),
        (PhiType.DATE, "[Sept.]-Plastik mit Conchotomie"),
        (PhiType.DATE, "Rhinoskopie: [Sept. dev.] nach links"),
        (PhiType.DATE, "Nase: [Sept.] nach rechts deviiert"),
        (PhiType.DATE, "Sputum mehrfach [MAI] positiv"),
        (PhiType.DATE, "M. avium-intracellulare ([MAI]) im BAL"),
        (PhiType.PERSON, "M. avium ([MAI]) im BAL"),
        (PhiType.DATE, "Verlust [40 Dez.] bei 4 kHz"),
        (PhiType.DATE, "Verlust 40 [Dez]. bei 4 kHz"),
        (PhiType.DATE, "nach EAU [2022] behandelt"),
        (PhiType.DATE, "laut ESC-Leitlinie [2019]"),
        (PhiType.DATE, "HRS/EHRA/APHRS [2013]"),
        (PhiType.DATE, "TNM [2017]"),
        (PhiType.ID, "Diabetes, SNOMED CT [732110091]"),
        (PhiType.ID, "Kalium [LOINC 2823-3] hoch"),
        (PhiType.ID, "ATC: [B01AF02]"),
        (PhiType.ID, "[PZN-08900123], 10 Pens"),
        (PhiType.ID, "EudraCT [2011-004792-37]"),
        (PhiType.PHONE, "NM_[001128425.1]:c.536A>G"),
        (PhiType.ID, "Register [DRKS00004567]"),
        (PhiType.ID, "Adenom, ICD-O [M8140/0] des Sigmas"),
        (PhiType.ID, "Gutachten zur BK Nr. [5101]"),
        (PhiType.REGION, "Stamm B/[Florida]/4/2006"),
        (PhiType.DATE, "Stamm B/Florida/[4/2006]"),
        (PhiType.PERSON, "Stamm A/[Hong Kong]/4801/2014"),
        (PhiType.ID, "[A/Singapore/INFIMH-16-0019/2016] (H3N2)"),
        (PhiType.AGE, "Kardioversion mit [78] J biphasisch"),
        (PhiType.AGE, "RFA der VSM mit [80] J/cm"),
        (PhiType.AGE, "Elektroden Alter [96] Monate"),
        (PhiType.PERSON, "Tante [Mamma-Ca.]"),
        (PhiType.PERSON, "[Osler-Krankheit], Nasenbluten 2004"),
        (PhiType.PERSON, "Z.n. [Churg]-Strauss-Syndroms"),
        (PhiType.PERSON, "• [Prehn]-Zeichen negativ"),
    ],
)
def test_forms_that_identify_nobody(phi: PhiType, text: str) -> None:
    assert is_medical_in(text, phi)


@pytest.mark.parametrize(
    ("phi", "text"),
    [
        (PhiType.DATE, "Beschwerden seit [Aug. 2010]"),
        (PhiType.DATE, "Katarakt-OP re. [Aug. 07], Visus 0,8"),
        (PhiType.DATE, "Katarakt-OP re. [Aug]. 07, Visus 0,8"),
        (PhiType.DATE, "Knie-TEP re. [Aug.] geplant"),
        (PhiType.DATE, "Katarakt re. [Aug.], li. Dez., Visus gut"),
        (PhiType.DATE, "Kontrolle Visus im [Aug.]"),
        (PhiType.PERSON, "[R. Aug.] reizfrei"),
        (PhiType.DATE, "im [Sept.] Deviation gesehen"),
        (PhiType.DATE, "[Sept.] entlassen"),
        (PhiType.DATE, "Septumplastik [Sept. 2011]"),
        (PhiType.DATE, "IM [MAI] POSITIV"),
        (PhiType.DATE, "Kontrolle [MAI] 2012"),
        (PhiType.PERSON, "Frau [MAI] positiv"),
        (PhiType.DATE, "am [20 Dez.] Audiogramm"),
        (PhiType.DATE, "Verlust 40, [Dez.] Kontrolle"),
        (PhiType.DATE, "KM-Transplantation ([10/10]) bei AML"),
        (PhiType.DATE, "Z.n. Stanzbiopsie [5/12]"),
        (PhiType.DATE, "MMST [06/10]: 24/30"),
        (PhiType.DATE, "(Appendektomie [2012])"),
        (PhiType.DATE, "WHO-Stadium, Reha [2018]"),
        (PhiType.DATE, "ESC [2019-03-04]"),
        (PhiType.ID, "Fallnummer [73211009]"),
        (PhiType.ID, "Histo-Nr. [M8140/13]"),
        (PhiType.DATE, "PZN [03.04.2010]"),
        (PhiType.DATE, "OMIM [12/2010]"),
        (PhiType.PHONE, "Tel. [0301 4455667]"),
        (PhiType.ID, "BK, Az. [4101]"),
        (PhiType.DATE, "BK [2009]"),
        (PhiType.ID, "Ihr Zeichen: BK [4101] / 2-3319-05"),
        (PhiType.ID, "Ihr Zeichen 602 BK [4301]"),
        (PhiType.REGION, "wohnt in [Florida]"),
        (PhiType.ID, "Archiv [B/2011/4521]"),
        (PhiType.AGE, "Z.n. ICD-Schock. Pat. [72] J., männlich"),
        (PhiType.AGE, "Schock bei [78] J. altem Patienten"),
        (PhiType.AGE, "[36] J., Schockraum"),
        (PhiType.AGE, "Sohn 35 J., Tochter [41] J."),
        (PhiType.AGE, "Alter [96] Monate"),
        (PhiType.PERSON, "Frau [Weber-Cabrera]"),
        # What a reviewer found readable in an earlier form of the module.
        (PhiType.DATE, "Letzter MoCA [11/12] bei Dr. Meier"),
        (PhiType.DATE, "GCS [11/09]"),
        (PhiType.DATE, "Transplantiert [5/09] HLA identisch"),
        (PhiType.DATE, "Am [10/12] HLA bestimmt"),
        (PhiType.DATE, "- L. [Aug]. war sie in Kur"),
        (PhiType.DATE, "vom Re. [Aug]. bis Sept."),
        (PhiType.DATE, "[Sept.] Perforation"),
        (PhiType.DATE, "OMIM [2010-11-17]"),
        (PhiType.DATE, "LOINC [17-12-1956]"),
        (PhiType.ID, "SCTID [19570312]"),
        (PhiType.PHONE, "SNOMED [06221/561234]"),
        (PhiType.PHONE, "PZN Nr. [0172-1234567]"),
        (PhiType.ID, "Fallnummer: [2011-004792-37]"),
        (PhiType.ID, "AOK-Nr. [2010-004792-01]"),
        (PhiType.ID, "Patienten-ID: [rs4711081]"),
        (PhiType.ID, "Pat-Nr. [M-8123/2]"),
        (PhiType.ID, "Fall-Nr.: [M9123/0]"),
        (PhiType.AGE, "Z.n. Schock mit [94 J.]"),
        (PhiType.AGE, "Kardioversion [92] J."),
        (PhiType.AGE, "Laser [45] J."),
        (PhiType.PERSON, "Unser Zeichen: A/[Mustermann]/sb/10"),
        (PhiType.PERSON, "Station A/[Müller]/Schmidt/10"),
        (PhiType.PERSON, "Zeichen: A/[Lehmann]/HS/2010"),
        (PhiType.ID, "Labor B/Wagner/[12/09]"),
        (PhiType.PERSON, "Pat. [Müller-Karzinom]"),
        (PhiType.PERSON, "Pat. [Müller]-Krankheitsgeschichte"),
        (PhiType.PERSON, "Frau [Muster-Beispiel] mit Syndrom"),
        (PhiType.PERSON, "der von Herrn Muster-Beispiel zitierte [Muster-Beispiel-Score]"),
        (PhiType.PERSON, "[M. Osler] wurde entlassen"),
        (PhiType.PERSON, "Dr. med. M. [Paget]"),
        (PhiType.PERSON, "A.M. [Paget], Ärztin"),
        (PhiType.PERSON, "[M. Paget-Muster]"),
        (PhiType.PERSON, "[M. Muster]"),
        (PhiType.PERSON, "Herr [M.] klagt"),
        (PhiType.PERSON, "Frau [K.] selbständig"),
        (PhiType.CLINICIAN, "Zeichen: A 3/[pl]"),
        (PhiType.CLINICIAN, "Dr. Beispiel/[hs]"),
        (PhiType.PERSON, "Herr [Grob] neurologisch o.B."),
        (PhiType.PERSON, "Fr. [Grob] neurologisch o.B."),
        (PhiType.PERSON, "Dr. med. A. [Grob] klinisch tätig"),
        (PhiType.CLINICIAN, "\n[LM]: keine Stenose bekannt"),
        (PhiType.PERSON, "\n[Grob] neurologisch unauffällig"),
    ],
)
def test_what_looks_like_one_and_is_none(phi: PhiType, text: str) -> None:
    assert not is_medical_in(text, phi)
