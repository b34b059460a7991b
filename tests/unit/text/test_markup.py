"""A span that holds one mark of a pair takes the other one with it, and no more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.text.markup import with_pair


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("**Müller**, Peter kam", "Müller**, Peter", "**Müller**, Peter"),
        ("Herr Peter **Müller** kam", "Peter **Müller", "Peter **Müller**"),
        ("***Müller***, Peter", "Müller***, Peter", "***Müller***, Peter"),
        ("| **Müller**, Peter | 1950 |", "Müller**, Peter", "**Müller**, Peter"),
        ("**Patient: Müller** Peter", "Müller** Peter", "Müller** Peter"),
        ("**Müller**, **Peter**", "Müller**, **Peter", "Müller**, **Peter"),
        ("Herr **Müller** kam", "Müller", "Müller"),
        ('<b class="n">Müller</b>, Peter', "Müller</b>, Peter", '<b class="n">Müller</b>, Peter'),
        ("Peter <b>Müller</b> kam", "Peter <b>Müller", "Peter <b>Müller</b>"),
        ("<td>Peter <b>Müller</b></td>", "Peter <b>Müller</b>", "Peter <b>Müller</b>"),
        ("in Werder (Havel), dort", "Werder (Havel", "Werder (Havel)"),
        ("Verein „Heimkehr 09“ kam", "Verein „Heimkehr 09", "Verein „Heimkehr 09“"),
        ('Kita "Sonne" in', 'Kita "Sonne', 'Kita "Sonne"'),
        ('sagt "Kita Sonne" und', "Kita Sonne", "Kita Sonne"),
        ("(in Werder)", "Werder", "Werder"),
        ("(Werder (Havel))", "Werder (Havel)", "Werder (Havel)"),
        ("Werder (", "Werder (", "Werder ("),
    ],
)
def test_the_other_mark_of_a_pair(text: str, found: str, expected: str) -> None:
    start = text.index(found)
    wider = slice(*with_pair(text, start, start + len(found)))
    assert text[wider] == expected


@given(st.text(alphabet='aB*<>/b ("„“', max_size=30), st.data())
def test_only_marks_are_added(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    wider_start, wider_end = with_pair(text, start, end)
    assert wider_start <= start and end <= wider_end
    added = text[wider_start:start] + text[end:wider_end]
    assert set(added) <= set('*<>/b)"“')
    assert not added or added[0] in '*<)"“'
