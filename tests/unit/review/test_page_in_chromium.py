"""The page of `deid review` in a browser, by its keys. Skipped where selenium, Chromium or its driver is missing."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("starlette", reason="needs the extra review")
pytest.importorskip("selenium", reason="needs the extra browser")

from review_lake import CANARY, name_range, note_id, read_note, review_lake
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from served_review import served

from deid_core.lake.layout import Lake
from deid_core.lake.notes.reviews import Review, ReviewRole, read_reviews
from deid_core.review.marks import ReaderName

ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    program = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("needs Chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in (*ARGUMENTS, "--disable-dev-shm-usage", "--window-size=1400,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    started = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield started
    started.quit()


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Three notes; the first shows its patient's name."""
    return review_lake(tmp_path, 3, leaking=[0])


class Page:
    """The page as its reader sees it."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        self._driver = driver
        driver.get(address)
        self.shows("Note 1 of")

    def shows(self, text: str) -> None:
        """Wait until the page shows a text."""
        WebDriverWait(self._driver, 30).until(lambda d: text in d.find_element(By.TAG_NAME, "body").text, text)

    def press(self, *keys: str) -> None:
        ActionChains(self._driver).send_keys(*keys).perform()

    def extend(self, key: str) -> None:
        ActionChains(self._driver).key_down(Keys.SHIFT).send_keys(key).key_up(Keys.SHIFT).perform()

    def marks(self, pane: str = "before") -> list[tuple[str, set[str]]]:
        """Return text and classes of each mark of a pane."""
        found = self._driver.find_elements(By.CSS_SELECTOR, f"#{pane} mark")
        return [(mark.text, set(str(mark.get_attribute("class")).split())) for mark in found]

    def selected_text(self) -> str:
        return str(self._driver.execute_script("return getSelection().toString()"))

    def message(self) -> str:
        return self._driver.find_element(By.ID, "message").text


def stored(lake: Lake, count: int) -> list[Review]:
    """Return the reviews once there are so many."""
    for _ in range(100):
        if len(found := read_reviews(lake)) >= count:
            return found
        time.sleep(0.1)
    raise AssertionError("nothing was stored")


def select_name(page: Page) -> None:
    """Select the patient's name of the first note in the text after, word by word."""
    for _ in range(9):
        page.press(Keys.ARROW_RIGHT)
        if page.selected_text().startswith(CANARY):
            return
    raise AssertionError(page.selected_text())


def test_three_notes_are_read_by_keys_alone(browser: webdriver.Chrome, lake: Lake) -> None:
    with served(lake, "--reader", "anna", "--order", "doubt") as (address, _):
        page = Page(browser, address)
        # The dropped detection is the only item: not right until somebody says so.
        assert page.marks() == [(f"{CANARY}0", {"PER", "wrong", "dropped", "doubtful"})]
        page.press("m")
        page.shows("Select the text first")
        select_name(page)
        page.press("m")
        page.shows("What is it?")
        page.press("p")
        assert page.marks("after") == [(f"{CANARY}0", {"PER", "accepted", "dropped", "doubtful", "selected"})]
        page.press(Keys.ENTER)
        page.shows("Note 2 of 3")
        page.shows("1 marked items can still be read in the text.")
        page.press("j", "w", Keys.ENTER)
        page.shows("Note 3 of 3")
        page.press("j", "r")
        page.shows("What is it?")
        page.press("o", Keys.ENTER)
        page.shows("That was the last note. 3 of 3 are read.")
        reviews = {review.note_id: review for review in stored(lake, 3)}
    assert {note: [(m.start, m.end, str(m.type), m.readable) for m in r.marks] for note, r in reviews.items()} == {
        note_id(0): [(*name_range(0), "patient", True)],
        note_id(1): [],
        note_id(2): [(*name_range(2), "person", False)],
    }


def test_marks_are_taken_back_and_found_again(browser: webdriver.Chrome, lake: Lake) -> None:
    with served(lake, "--reader", "anna", "--order", "doubt") as (address, _):
        page = Page(browser, address)
        page.press("n")
        page.shows("Note 2 of 3")
        [(_, before)] = page.marks()
        page.press("j", "w")
        assert "wrong" in page.marks()[0][1]
        page.press("u")
        assert page.marks()[0][1] == before == {"PER", "accepted", "span"}
        # Two words in one mark, which takes the place of the span that it covers.
        page.press(Keys.ARROW_RIGHT)
        assert page.selected_text() == "Herr"
        page.extend(Keys.ARROW_RIGHT)
        assert page.selected_text() == "Herr <PER"
        page.press("m", "o", Keys.ENTER)
        page.shows("Note 3 of 3")
        page.press("p")
        page.shows("You have read this note before.")
        [review] = stored(lake, 1)
        assert [(m.start, m.end, m.readable) for m in review.marks] == [(2, name_range(1)[1], True)]
        assert f"Herr {CANARY}1" in "".join(text for text, _ in page.marks())


def test_text_is_selected_by_lines_and_by_the_mouse(browser: webdriver.Chrome, lake: Lake) -> None:
    with served(lake, "--reader", "anna", "--order", "doubt") as (address, _):
        page = Page(browser, address)
        page.press(Keys.ARROW_DOWN)
        assert page.selected_text() == "Diagnose"
        page.press(Keys.ARROW_UP)
        assert page.selected_text() == "Herr"
        # A double click selects the word.
        mark = browser.find_element(By.CSS_SELECTOR, "#before mark")
        ActionChains(browser).double_click(mark).perform()
        assert page.selected_text().strip() == f"{CANARY}0"
        page.press("m", "p", Keys.ENTER)
        page.shows("Note 2 of 3")
        [review] = stored(lake, 1)
    assert [(mark.start, mark.end) for mark in review.marks] == [name_range(0)]


def test_read_only(browser: webdriver.Chrome, lake: Lake) -> None:
    with served(lake, "--language", "de") as (address, _):
        browser.get(address)
        page = browser.find_element(By.TAG_NAME, "body")
        WebDriverWait(browser, 30).until(lambda _: "Brief 1 von 3" in page.text)
        assert "Nur lesen." in page.text
        ActionChains(browser).send_keys("j", "w", "a", "m", Keys.ENTER).perform()
        WebDriverWait(browser, 30).until(lambda _: "Brief 2 von 3" in page.text)
    assert not lake.reviews.exists()


def test_who_decides_between_two_readers(browser: webdriver.Chrome, lake: Lake) -> None:
    read_note(lake, 0, "patient", reader=ReaderName("anna"))
    read_note(lake, 0, reader=ReaderName("ben"))
    with served(lake, "--reader", "carla", "--adjudicate") as (address, _):
        page = Page(browser, address)
        assert page.marks() == [(f"{CANARY}0", {"PER", "open", "reader", "doubtful"})]
        page.press(Keys.ENTER)
        page.shows("1 items are still to be decided.")
        page.press("d", "a", Keys.ENTER)
        page.shows("That was the last note. 1 of 1 are read.")
        page.shows("Agreement of two readers over 1 notes")
        decided = stored(lake, 3)[-1]
    assert (decided.role, [str(mark.type) for mark in decided.marks]) == (ReviewRole.ADJUDICATOR, ["patient"])


def test_nothing_is_asked_of_anybody_else_and_nothing_is_wrong(browser: webdriver.Chrome, lake: Lake) -> None:
    for kind in ("performance", "browser"):
        browser.get_log(kind)
    with served(lake, "--reader", "anna") as (address, _):
        page = Page(browser, address)
        page.press("j", "?")
        page.shows("Labels")
        events: list[dict[str, Any]] = [
            json.loads(line["message"])["message"] for line in browser.get_log("performance")
        ]
        asked = {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}
        assert f"{address}review.js" in asked and f"{address}api/notes/0" in asked
        assert [url for url in asked if not url.startswith(address)] == []
        assert [line["message"] for line in browser.get_log("browser")] == []


def test_it_says_when_nobody_answers(browser: webdriver.Chrome, lake: Lake) -> None:
    with served(lake, "--reader", "anna") as (address, process):
        page = Page(browser, address)
        process.terminate()
        process.wait(timeout=60)
        page.press(Keys.ENTER)
        page.shows("Not stored: deid does not answer.")
        assert page.message().startswith("Not stored")
