"""Charts as SVG: a bar or point for each score, where the score says."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from deid_core.lab.evaluate.charts import bar_chart, line_chart, write_chart

SVG = "{http://www.w3.org/2000/svg}"


def read(chart: str) -> ET.Element:
    return ET.fromstring(chart)  # noqa: S314


def test_a_bar_is_as_high_as_its_score() -> None:
    root = read(bar_chart("A & B", ["first", "second"], {"P": {"PER": [0.25, 1.0]}, "R": {"PER": [0.5, 0.0]}}))
    bars = [of for of in root.iter(f"{SVG}rect") if of.find(f"{SVG}title") is not None]
    assert [float(bar.attrib["height"]) for bar in bars] == [50.0, 200.0, 100.0, 0.0]
    assert len({float(bar.attrib["y"]) + float(bar.attrib["height"]) for bar in bars}) == 1
    assert [bar.findtext(f"{SVG}title") for bar in bars][:2] == ["P PER, first: 0.250", "P PER, second: 1.000"]
    assert [text.text for text in root.iter(f"{SVG}text")][:3] == ["A & B", "first", "second"]


def test_a_line_has_a_band_that_holds_it(tmp_path: Path) -> None:
    chart = line_chart(
        "Curve", ["10", "20"], {"rules": [(0.5, 0.5, 0.5)] * 2, "crf": [(0.6, 0.4, 0.8), (0.7, 0.7, 0.7)]}
    )
    write_chart(tmp_path / "new" / "curve.svg", chart)
    root = read((tmp_path / "new" / "curve.svg").read_text(encoding="utf-8"))
    lines = [
        [float(point.split(",")[1]) for point in line.attrib["points"].split()] for line in root.iter(f"{SVG}polyline")
    ]
    bands = [
        [float(point.split(",")[1]) for point in band.attrib["points"].split()] for band in root.iter(f"{SVG}polygon")
    ]
    assert len(lines) == len(bands) == 2
    # Higher scores are further up; the band goes onward along its upper end and back along the lower one.
    high, last_high, last_low, low = bands[1]
    assert high < lines[1][0] < low
    assert last_high == lines[1][1] == last_low
