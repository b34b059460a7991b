"""Prints how many letters an hour one reader reads in the page of `deid review`, at a stated speed of reading.

    python tests/benchmarks/review_speed.py --lake LAKE [--notes 20] [--words-a-minute 250]

A script opens the page in Chromium and presses the keys of a reader: it selects each doubtful item and accepts it,
marks one word as missed, and goes to the next note. Its time is measured; the time of reading is the words of the
text after, at the stated speed. Needs the extra `browser`, Chromium and chromedriver. It works on a copy of the lake.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "certify"))

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from served_review import served

from deid_core.lake.layout import Lake

ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,900")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lake", type=Path, required=True)
    parser.add_argument("--notes", type=int, default=20)
    parser.add_argument("--words-a-minute", type=int, nargs="+", default=[250, 700])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lake = Lake.at(Path(shutil.copytree(args.lake, Path(folder) / "lake")))
        with served(lake, "--reader", "script", "--order", "random") as (address, _):
            words, seconds = measured(address, args.notes)
    print(f"{len(words)} letters of {median(words):.0f} words, median; keys and page {median(seconds):.1f} s a letter")
    for speed in args.words_a_minute:
        hour = 3600 / (sum(words) / speed * 60 + sum(seconds)) * len(words)
        print(f"at {speed} words a minute: {hour:.0f} letters an hour")


def measured(address: str, notes: int) -> tuple[list[int], list[float]]:
    """Returns words and seconds of each note."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ARGUMENTS:
        options.add_argument(argument)
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    words, seconds = [], []
    try:
        driver.get(address)
        for number in range(1, notes + 1):
            start = time.monotonic()
            shown = f"Note {number} of"
            WebDriverWait(driver, 60, 0.02).until(lambda d, s=shown: s in d.find_element(By.ID, "number").text)
            doubtful = len(driver.find_elements(By.CSS_SELECTOR, "#before mark.doubtful"))
            keys = ["d", "a"] * doubtful + [Keys.ARROW_DOWN, Keys.ARROW_RIGHT, "m", "x", "u", Keys.ENTER]
            ActionChains(driver).send_keys(*keys).perform()
            seconds.append(time.monotonic() - start)
            words.append(len(driver.find_element(By.ID, "after").text.split()))
    finally:
        driver.quit()
    return words, seconds


if __name__ == "__main__":
    main()
