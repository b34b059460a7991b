"""Words that names of institutions are made of; data of the recogniser `institution`, no code.

In lower case unless the case tells a name from a word. Written for the project from general knowledge.
"""

from __future__ import annotations

STRONG_HEADS = """
    klinikum krankenhaus hospital spital universitätsklinik uniklinik universitätsmedizin landeskrankenhaus
    kantonsspital
    landesklinikum universitätsspital lazarett
"""
"""Kinds of hospital that an unknown word behind them makes a name."""
HOSPITAL_HEADS = """
    klinik institut universitaetsklinik krankenanstalt krankenanstalten sanatorium hospiz zentrum praxis ordination
    stift
    pflegeheim altenheim altersheim seniorenheim wohnheim kinderheim übernachtungsheim wohnstift seniorenresidenz
    seniorenstift residenz reha ärztehaus kurhaus rehaklinik apotheke heilstätte röntgeninstitut roentgeninstitut
    spitalverbund klinikverbund poliklinik hausärzte hausarztteam physiotherapie physio geburtshaus pflegezentrum
    seniorenzentrum altenzentrum alterszentrum seniorenhaus wohnpark ambulatorium kurheim erholungsheim genesungsheim
    diakonissenhaus pflegewohnen pflegeresidenz zahnärzte frauenärzte kinderärzte heilst. heilstätten hosp. hosp kurkl.
    inst. krhs.
"""
HOSPITAL_LETTERS = frozenset(
    "KH KKH MVZ LKH UKH BKH FKH BZK ZfP PIA SPZ LK AKH LNK LVR LWL BDH BwZK BwK Krhs KHS".split()
)
"""Kinds of hospital as letters: with a name behind them."""
HOSPITAL_NAMES = frozenset(
    """
    UKM UKR UKE UKD UKB UKK UKJ UKL UKSH UKGM UKT UKA UKF UKH UKER UKS UMG UMM UMR MHH DHZB DHZC DHM HDZ RBK UKW LMU
    KUM MRI KSW USZ KSSG KSA KSB KSGR KSBL LUKS UKBB CHUV AKH SMZ LKHF Charité CHARITÉ Inselspital INSELSPITAL
    Marienstift Elisabethinum Bergmannstrost
    """.split()
)
"""Hospitals by their well-known letters or name; those with another meaning in letters stand in AMBIGUOUS_HOSPITALS."""
AMBIGUOUS_HOSPITALS = frozenset("MRI KUM UKS UKH UKT AKH UKF HDZ DHM SMZ RBK LMU UKA KSW".split())
"""Not taken alone: they mean something else as well, as MRI does magnetic resonance imaging."""
PLACED_LETTERS = frozenset("EK KS AK CHR CHU KSU UKH NRZ SMZ KK UK HDZ".split())
"""Hospitals' letters with a place behind them only; alone they mean something else."""
NO_HOSPITAL_LETTERS = frozenset(
    "UKG UKD KSP UMA UKP UHD KSH KSR LKG HSV HSP HSM UKE UMTS LKK LKR HSE UHF SMS SMD SMA SMT UMD UHU KSK".split()
)
"""Three letters that look like a hospital's and are none, or stand in another list."""
NUMBERED_SUBJECTS = frozenset("chir gyn uch nch uro neuro abteilung abt".split())
"""In lower case: "Gyn 3", "Chir. I" are wards."""
UNIT_HEADS = """
    klinik kliniken poliklinik abteilung abt. institut inst. zentrum sektion fachbereich departement department
    funktionsbereich fachabteilung hauptabteilung belegabteilung bereich praxis gemeinschaftspraxis fachpraxis
    schwerpunktpraxis universitätsklinik
"""
"""Before "für …" or behind "Medizinische" the designation of a department."""
ORGANISATION_HEADS = """
    krankenkasse ersatzkasse krankenversicherung rentenversicherung versicherung berufsgenossenschaft unfallkasse
    versicherungsanstalt pensionskasse gebietskrankenkasse gesundheitskasse pflegekasse sozialversicherung
    stadtwerk stadtwerke sparkasse volksbank raiffeisenbank vr-bank landratsamt finanzamt jugendamt sozialamt
    gesundheitsamt arbeitsamt ordnungsamt standesamt versorgungsamt integrationsamt bauamt schulamt forstamt
    zollamt arbeitsagentur jobcenter betreuungsbehörde betreuungsstelle betreuungsverein amtsgericht sozialgericht
    landesamt bundesamt seeamt jva landgericht arbeitsgericht verwaltungsgericht familiengericht landessozialgericht
    oberlandesgericht
    staatsanwaltschaft polizeiinspektion polizeipräsidium polizeirevier polizeiposten polizeiwache kreisverwaltung
    stadtverwaltung gemeindeverwaltung bezirksregierung rathaus bauhof ärztekammer handwerkskammer krebsregister
    krebsliga pflegestützpunkt beihilfestelle rettungswache nef-wache leitstelle bezirksstelle kreisverband
    ortsverband landesverband
    grundschule hauptschule realschule gesamtschule förderschule berufsschule waldorfschule gymnasium hochschule
    fachhochschule universität kantonsschule ingenieurschule volksschule mittelschule sonderschule musikschule
    volkshochschule gemeinschaftsschule oberschule fachschule landfrauenschule pflegeschule uni
    maschinenring bezirksverwaltung führerscheinstelle zulassungsstelle kirchenchor männerchor shantychor schule
    gemeinde
    feuerwehr kirchengemeinde pfarrgemeinde moschee
    pflegedienst sozialstation sozialsprengel palliativnetz palliativteam hospizdienst diakoniestation
    wohngemeinschaft wohnungsgenossenschaft wohnungsbaugenossenschaft agrargenossenschaft werkstatt
    heimatverein turnverein sportverein schützenverein fußballverein gesangverein musikverein reitverein
    segelclub tennisclub fußballclub jodelclub blaskapelle
    werke chemiewerk stahlwerk zementwerk kraftwerk walzwerk sägewerk autowerk eisenwerk kaliwerk glaswerk hüttenwerk
    reifenwerk gaswerk wasserwerk ziegelwerk gusswerk stiftung verlag panzerbataillon bataillon
    sensenwerk holzwerk betonwerk hammerwerk strumpfwerk textilwerk schraubenwerk bergwerk
    polizei kantonspolizei bundespolizei stadtpolizei polizeistation polizeidirektion landespolizei gendarmerie
    giftnotruf rettungsdienst rettungsleitstelle bergrettung bergwacht wasserwacht krankentransport krankenfahrten
    blutspendedienst bezirkshauptmannschaft bezirksamt magistrat regierungspräsidium landesverwaltungsamt
    landwirtschaftskammer wirtschaftskammer arbeiterkammer landeswohlfahrtsverband landschaftsverband sozialverband
    caritasverband kinderschutzbund kreuzbund suchtberatung drogenberatung beratungsstelle krebsberatungsstelle
    justizanstalt justizvollzugsanstalt strafanstalt haftanstalt bezirksgericht landesgericht kantonsgericht obergericht
    vormundschaftsgericht generalkonsulat konsulat amtsarzt sozialversicherungsanstalt ausgleichskasse kantonsarztamt
    kantonalbank landesbank raiffeisenkasse stadtsparkasse forstverwaltung gutsverwaltung forstbetrieb
    berufsbildungswerk berufsförderungswerk bildungswerk bildungszentrum berufskolleg internat polytechnikum
    akademie primarschule sekundarschule sportschule stadtschule bundesgymnasium
    trachtengruppe trachtenverein knappenverein knappenchor imkerverein landfrauenverein frauengemeinschaft angelverein
    kegelclub schachclub ruderclub schwingklub turngemeinde blasmusik guggenmusik herzsportgruppe rehasportgruppe
    selbsthilfegruppe ortsgruppe brüdergemeinde pfarre pfarrei pfarramt diakonie hilfswerk volkssolidarität
    hauskrankenpflege tagespflege seemannsmission lotsenbrüderschaft weinbruderschaft orchester staatsorchester theater
    stadttheater opernhaus philharmonie frauenhaus gemeinschaftsunterkunft notaufnahmelager gewerkschaft spitex kesb
    sozialdienst verein chor
    polizeikommissariat landeskriminalamt kriminalpolizei wasserschutzpolizei autobahnpolizei bezirksdirektion
    giftzentrale giftinformationszentrum giftinformationszentrale giftnotrufzentrale vergiftungsinformationszentrale
    schulzentrum schulhaus schulgemeinde bezirksschule kreismusikschule kreisjugendamt kreissozialamt stadtjugendamt
    gemeindeamt stadtamt wohnungsamt umweltamt veterinäramt steueramt patentamt straßenverkehrsamt einwohnermeldeamt
    unfallversicherung lebensversicherung sterbekasse beistandschaft berufsbeistandschaft invalidenversicherung
    sozialberatung schuldnerberatung erziehungsberatung familienberatung lebensberatung nachbarschaftshilfe
    kinderkrankenpflege krankenpflegeverein intensivpflegedienst mahlzeitendienst samariterverein kinderhaus jugendhaus
    jugendzentrum kirchgemeinde bauernverband musikgesellschaft jägerbataillon pionierbataillon fliegerhorst botschaft
    staatsarchiv stadtarchiv landesregierung gemeindekanzlei kreditgenossenschaft wohnungsbaugesellschaft
"""
"""Kinds of organisation that a place or name behind them makes a name."""
BUSINESS_HEADS = """
    firma fa. autohaus möbelhaus kaufhaus modehaus druckhaus warenhaus lagerhaus bestattungshaus sanitätshaus
    bestattungen bestattungsinstitut gasthaus gasthof gaststätte hotel kurhotel pension eiscafé café restaurant pizzeria
    imbiss bäckerei baeckerei metzgerei fleischerei konditorei tischlerei schreinerei zimmerei sennerei molkerei weberei
    teppichweberei spinnerei druckerei brauerei gießerei giesserei gärtnerei reederei werft spedition weingut
    baugeschäft
    maschinenbau waggonbau stahlbau gerüstbau innenausbau elektro grube zeche steinbruch kombinat volkseigenen fabrik
    manufaktur friseursalon haarstudio taxi kita kindergarten kindertagesstätte kinderkrippe kinderhort veb lpg raw
    konsum kinderladen kolonialwarenladen schlachthof landmaschinen heimbeatmung häusliche marina
    drogerie optik optiker akustik hörakustik hörgeräte orthopädietechnik orthopädie-schuhtechnik medizintechnik
    holzbau metallbau treppenbau fensterbau tiefbau hochbau straßenbau heizungsbau bedachungen dachdeckerei schlosserei
    spenglerei sattlerei bauunternehmen bauunternehmung baufirma transporte logistik möbel polstermöbel schuhhaus
    schuhmarkt blumenladen blumenhaus buchhandlung wäscherei nagelstudio kosmetikstudio fitnessstudio weinhaus weinbau
    hofladen biohof spargelhof reiterhof ferienhof gutshof sowchose kolchose agrar agrargen. schacht glashütte
    gelateria trattoria osteria ristorante bistro wirtshaus landgasthof weinstube supermarkt baumarkt getränkemarkt
    tankstelle raststätte kanzlei anwaltskanzlei ingenieurbüro architekturbüro reisebüro bergbahnen liftbetriebe
    seilbahnen pflegedienst fahrdienst taxiunternehmen leihfirma zeitarbeitsfirma
    elektrotechnik haustechnik gartenbau landtechnik fahrzeugbau fliesenbau zuckerfabrik papierfabrik schuhfabrik
    porzellanfabrik möbelfabrik tuchfabrik textilfabrik maschinenfabrik konservenfabrik ziegelei schachtanlage zirkus
    rehatechnik orthopädiehaus
"""
"""Kinds of firm and house whose own name follows, even if it is a common word: "Hotel Waldhaus"."""
CLUBS = frozenset(
    """
    ASG SVA TV SV FC HC EHC RFC BSG MTV HSG MGV PI PR RK KIT BFW AK KVHS BORG HTL HAK HLW BRG FH TH TU TSV VfB VfL
    TuS SC SG SpVgg FSV DJK FF FFW FW PK ILS AG LG BH VR IV-Stelle Uni
    """.split()
)
"""Letters of clubs, fire brigades, courts and offices: with a place behind them only."""
KNOWN = frozenset(
    """
    DRK BRK ÖRK ASB THW JUH NVA Bundeswehr Reichspost Bundespost Reichsbahn Bundesbahn Caritas Johanniter-Unfall-Hilfe
    BfA LVA PVA AUVA SVS DRV Suva SUVA MDK BGW BGN BGHM AWO VdK Kreissparkasse Seekasse Landfrauen KLJB Jobcenter
    Rega REGA BAMF ADAC ÖAMTC ANWB FDGB HO SKM SKF ZBFS LAGeSo Bundesknappschaft Bundesheer Volksmarine
    Volkspolizei Grenztruppen Volkssolidarität Johanniter Malteser Steiermärkische Haspa Reichsarbeitsdienst Kreuzbund
    Arbeitsagentur Bundesagentur Lebenshilfe Nospa Sparda-Bank Postbank Commerzbank Landeskirche DLRG Knappschaft
    """.split()
)
"""Organisations that the word alone names, with a place or branch behind it or not."""
EMPLOYERS = frozenset(
    """
    Edeka EDEKA Rewe REWE Aldi ALDI Lidl LIDL Penny Norma Kaufland Karstadt Kaufhof Hertie Quelle Neckermann Otto Ikea
    IKEA Obi OBI Bauhaus Hornbach Toom Deichmann Rossmann dm Schlecker Müller Metro Globus Tegut Migros Coop Spar Billa
    VW Volkswagen Audi BMW Daimler Mercedes Opel Ford Porsche Bosch Siemens Conti Continental Michelin Goodyear Thyssen
    Krupp ThyssenKrupp Mannesmann Salzgitter Hoechst BASF Bayer Henkel Degussa Merck Wismut Robotron Carl Zeiss Schott
    Lufthansa Telekom DHL Hermes UPS DPD Amazon Zalando Airbus MAN Bahn DB ÖBB SBB Post VOEST Voest Magna Swatch Nestlé
    RWE Eon Ruhrkohle Vattenfall Miele Bertelsmann Oetker Zoll Finanzamt Polizei
    """.split()
)
"""Large employers: only behind a word of employment or "bei"; their names are also goods and devices."""
KNOWN_PAIRS = frozenset(
    {
        ("rotes", "kreuz"), ("roten", "kreuz"), ("rote", "kreuz"), ("blaues", "kreuz"), ("blauen", "kreuz"),
        ("malteser", "hilfsdienst"), ("anonyme", "alkoholiker"), ("anonymen", "alkoholiker"), ("deutsche", "bahn"),
        ("deutschen", "bahn"), ("deutsche", "post"), ("deutschen", "post"), ("deutschen", "reichsbahn"),
        ("deutschen", "bundesbahn"), ("weißer", "ring"), ("weißen", "ring"), ("vr", "bank"), ("weisser", "ring"),
        ("pro", "infirmis"), ("pro", "senectute"), ("pro", "familia"), ("pro", "juventute"), ("missione", "cattolica"),
        ("grüne", "damen"), ("grünen", "damen"), ("bunter", "kreis"), ("bunten", "kreis"), ("zilveren", "kruis"),
    }
)  # fmt: skip
INSURERS = frozenset(
    """
    aok barmer dak dak-gesundheit hkk ikk bkk lkk knappschaft mhplus viactiv debeka huk huk-coburg axa dkv barmenia
    hallesche continentale gothaer lvm svlfg allianz signal-iduna lbg seekrankenkasse see-krankenkasse
    ögk wgkk nögkk oögkk sgkk stgkk kgkk tgkk vgkk bgkk bvaeb bva svb helsana visana swica ökk concordia assura atupri
    sympany sanitas
    """.split()
)
AMBIGUOUS_INSURERS = frozenset(
    "TK KKH BG Signal SIGNAL BEK bek HEK SBK KBS CSS KPT ERGO Ergo ergo MD KV UK GUV Mobiliar".split()
)
"""Insurers whose letters mean something else in letters: a word of insurance or an insurer's branch must be near."""
BRANCHED = frozenset("aok bkk ikk lkk drv lva mdk md bg kv lbg bfa guv uk lsv svlfg ögk".split())
"""Insurers and offices with branches: any name behind them is the branch's."""
TAILS = """
    gesund landesstelle regionaldirektion hauptstelle geschäftsstelle kundencenter außenstelle ortsverein
    iv-stelle
    gek ersatzkasse krankenkasse gesundheitskasse versicherung krankenversicherung iduna plus classic südwest nord süd
    nordost nordwest ost west bau holz metall chemie handel verkehr energie nahrungsmittel rohstoffe etem rci bund rlp
    rps bw nö bahn post mobil oil verkehrsbau hilfsdienst kreisverband rettungsdienst gesundheit suedwest
    mitteldeutschland
    nordrhein hannover
"""
QUALIFIERS = """
    sankt st. heilig heilige heiliger evangelisches evangelische evangelischen katholisches katholische katholischen
    städtisches städtische städtischen asklepios sana helios median mediclin ameos vitos paracelsus rhön celenus
    johanniter malteser caritas diakonie drk awo marien ev. evang. kath. städt. städt stadtische staedtisches
    oberschwäbische reha-fachklinik schön agaplesion alexianer artemed schwarzwald univ. uni
"""
REGIONAL = """
    deutsche deutschen süddeutsche süddeutschen norddeutsche westdeutsche badische badischen bayerische bayerischen
    schwäbische pfälzische hessische sächsische rheinische westfälische württembergische schweizerische österreichische
    techniker kaufmännische hanseatische allgemeine landwirtschaftliche klinisches freiwillige freiwilligen mobiles
    altpietistische gemeinnützige
"""
"""Before an organisation's head word only: "Deutsche Rentenversicherung"."""
EMPLOYED = (
    "arbeitet arbeitete arbeiten gearbeitet beschäftigt angestellt angestellte angestellter tätig mitarbeiter "
    "mitarbeiterin lehre ausbildung azubi lehrling jobbt jobbte gejobbt aushilfe minijob praktikum lager schicht stelle"
)
LEGAL = frozenset("gmbh ggmbh mbh ag kg kgaa ohg e.v. gbr eg".split())
ORDERS = frozenset("barmherzigen barmherzige elisabethinnen kreuzschwestern ursulinen universität diakonissen".split())
"""Behind "Krankenhaus der": who keeps it."""
WATERS = """
    rhein main neckar donau saale elbe inn oder weser fulda lahn ruhr see bodensee chiemsee harz taunus isar lech nahe
    mosel saar werra havel spree kocher jagst tauber nagold enz murg kinzig aller leine wald berg alb mur
"""
"""Waters and hills that a town's name ends with: "Weil am Rhein"; place_words.py has those that are places alone."""
DISCIPLINE_STEMS = (
    "medizinisch chirurgisch urologisch neurologisch orthopädisch gynäkologisch geburtshilflich kardiologisch "
    "psychiatrisch psychosomatisch internistisch radiologisch pathologisch onkologisch hämatologisch "
    "gastroenterologisch pneumologisch nephrologisch dermatologisch "
    "rheumatologisch geriatrisch pädiatrisch anästhesiologisch "
    "neurochirurgisch herzchirurgisch gefäßchirurgisch unfallchirurgisch thoraxchirurgisch nuklearmedizinisch "
    "strahlentherapeutisch interdisziplinär universitätsklinisch orthopaedisch kinderchirurgisch viszeralchirurgisch "
    "endokrinologisch diabetologisch sozialpädiatrisch tropenmedizinisch neonatologisch intensivmedizinisch inner "
    "humangenetisch augenärztlich hautärztlich geburtshilflich-gynäkologisch zahnärztlich kinderärztlich"
).split()
DISCIPLINE_SHORT = frozenset(
    "med. chir. neurol. urol. orthop. orthopäd. gyn. radiol. psychiatr. kardiol. intern.".split()
)
DISCIPLINE_ENDINGS = (
    "ologie", "iatrie", "chirurgie", "medizin", "pädie", "paedie", "therapie", "diagnostik", "heilkunde", "hilfe",
    "ästhesie", "genetik", "somatik", "diabetes", "schmerz", "prothetik", "krankheiten", "kunde", "physik",
    "gesundheit", "begutachtung", "rehabilitation", "versorgung", "hygiene", "pharmazie", "transplantation",
    "augen", "beatmung", "interne", "innere", "psychotherapie", "psychosomatik", "tumoren", "orthetik",
    "dialyse", "traumatologie",
)  # fmt: skip
"""Endings of the subjects that departments are for; a part before a hyphen ("Kinder-") counts as well."""
SPECIALTY_ENDINGS = (
    "ologie", "chirurgie", "medizin", "iatrie", "pädie", "labor", "genetik", "dialyse", "strahlentherapie",
)  # fmt: skip
"""Subjects that head the name of a practice or department: "Radiologie am Markt", "Innere Medizin III"."""
