"""Lines of small charts."""

from __future__ import annotations

from deid_core.audit_page.charts import HEIGHT, WIDTH, line_chart


def test_a_line_is_broken_where_a_year_is_missing() -> None:
    chart = line_chart([2010, 2011, 2013, 2014], [0.0, 5.0, 10.0, 10.0], [False, True, False, False])
    assert chart.lines == [f"0,{HEIGHT} {WIDTH / 4:g},{HEIGHT / 2:g}", f"{WIDTH * 3 / 4:g},0 {WIDTH},0"]
    assert chart.dots[1] == (WIDTH / 4, HEIGHT / 2, True)


def test_one_year_is_a_dot_and_nothing_is_at_the_bottom() -> None:
    assert line_chart([2010], [0.0], [False]) == type(line_chart([2010], [1.0], [False]))([], [(0, HEIGHT, False)])
