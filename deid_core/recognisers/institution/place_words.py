"""Words that names of places are made of; data of place_names.py, no code. Written from general knowledge."""

from __future__ import annotations

HEADS = frozenset(
    """
    alp alpe alm piz monte gut hofgut rittergut gutshof schloss schloß burg ruine kloster abtei stift kapelle
    pfarrkirche kirche stiftskirche wallfahrtskirche moschee pagode synagoge flughafen airport hafen yachthafen friedhof
    waldfriedhof strandbad freibad hallenbad badesee baggersee stausee talsperre skigebiet schigebiet campingplatz
    camping restaurant restaurants gasthof buschenschank heuriger jausenstation almhütte berghütte schutzhütte parzelle
    kaserne dorfplatz stadion kunsteisbahn eishalle sporthalle kurpark stadtpark tierpark kreisstraße staatsstraße
    landstraße landesstraße bundesstraße kreisstrasse insel hallig kap grenzübergang übergang forsthaus hofstelle
    mehrgenerationenhaus gemeindehaus jugendhaus naturfreundehaus aussiedlerhof bauernhof reiterhof gehöft
    ferienpark ferienlager zeltplatz einkaufszentrum
    """.split()
)
"""Kinds of place that are named by the word behind them."""
WIDE_HEADS = frozenset("gut stift burg kirche hafen insel übergang camping restaurant restaurants monte kap".split())
"""Of these, those that other words follow as well: an unlisted word behind them is asked for."""
ENDINGS = (
    "bach", "tal", "thal", "wald", "see", "weiher", "teich", "woog", "berg", "joch", "alm", "alp", "alpe", "pass",
    "tunnel", "brücke", "moor", "kogel", "horn", "spitze", "stein", "kanal", "graben", "schlucht", "klamm", "turm",
    "kirche", "gletscher", "halle", "gut", "hof", "park", "passage", "haff", "busen", "stausee",
    "talsperre", "sund", "förde", "bucht", "radweg", "höhenweg", "alpsee", "maar", "ried", "heide", "forst",
)  # fmt: skip
"""Endings of words that name a landscape or building where a preposition of place stands before them."""
NO_STEMS = frozenset(
    """
    bauern innen hinter vorder fried bahn schul kinder stadt markt haupt dorf frei neu alt post rat bade kur tier
    volks sport turn schwimm eis lager mehrzweck werk fabrik fest messe wende park eck edel mahl grenz zahn gallen
    nieren blasen sperr quer ober unter schwer kirch mauer schatten nadel laub misch regen ur wirts kopf hinterhaupt
    glocken land wach aus fern kontroll leucht nord süd ost west ein weg rück jahr laden kies bau gas stollen an ab
    auf zu vor nach bei durch dienst gerichts bus güter berufs industrie gewerbe auto gips pfropf felsen mond
    """.split()
)
"""Before such an ending no name: "Bauernhof", "Gallenstein", "Schwimmhalle"."""
LANDSCAPES = frozenset(
    """
    see stausee weiher meer haff alm alp hof moor heide wald forst berg tor brücke spitze hütte park teich bucht
    """.split()
)
"""Behind an adjective they name a place: "Musterstädter Weiher"."""
ADJECTIVES = frozenset(
    """
    schwarze schwarzen schwarzes rote roten rotes tote toten totes frische frischen frisches kurische kurischen
    kurisches stettiner grüne grünen weiße weißen weisse weissen hohe hohen große großen kleine kleinen steinerne
    """.split()
)
"""Common adjectives that do so in the middle of a sentence: "Totes Meer"."""
WATERS = frozenset(
    """
    Rhein Main Donau Elbe Weser Ems Oder Spree Havel Saale Mulde Unstrut Werra Fulda Lahn Mosel Saar Ruhr Lippe
    Neckar Isar Lech Iller Salzach Enns Mur Drau Reuss Aare Limmat Thur Rhone Niers Schlei Eider Trave Warnow Peene
    Wolga Dnjepr Weichsel Memel Moldau Donez Don Theiß Ostsee Nordsee Mittelmeer Adria Ägäis Biskaya Atlantik
    Pazifik Bodensee Chiemsee Müritz Gardasee Genfersee Zürichsee Vierwaldstättersee Wannsee Ammersee Tegernsee
    Wörthersee Attersee Traunsee Mondsee Neusiedlersee Edersee Möhnesee Steinhuder Zugspitze Watzmann Brocken
    Großglockner Matterhorn Säntis Eiger Gotthard Brenner Arlberg Fichtelberg Feldberg Nebelhorn Ortler Montblanc
    Ätna Vesuv
    """.split()
)
"""Rivers, seas and mountains that are no ordinary word."""
NEAR = frozenset("am im in an auf vom von zum zur ins ans beim um über bei vor entlang durch".split())
"""Prepositions of place; an article may stand behind them."""
BARE = frozenset({"in", "bei", "nach", "über"})
"""Of these, those that stand before a town without an article."""
ARTICLES = frozenset("der die das dem den".split())
