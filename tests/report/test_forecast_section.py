"""The forecast in a report: what is drawn, what is said in words, and where there is none."""

import re
import warnings

import numpy as np
import pytest

from helpers import browser
from scorio import Leaderboard, OutcomeMatrix, forecast
from scorio.errors import ForecastWarning
from scorio.report import html_report

pytestmark = pytest.mark.filterwarnings("ignore::scorio.errors.ForecastWarning", "ignore::scorio.errors.PriorWarning")
LOW = OutcomeMatrix.from_counts([0, 0, 0, 1, 2, 5, 8, 13, 16, 16], 16)
HIGH = OutcomeMatrix.from_counts([0, 1, 2, 3, 5, 8, 12, 15, 16, 16], 16)
PAIR = {"low": LOW, "high": HIGH}


def board(metrics, models, **options):
    return Leaderboard(metrics, models, too_few="nan", **options)


def section_of(page, number=1):
    """The markup of a forecast, from its heading to the end of the section."""
    (found,) = re.findall(rf'<section aria-labelledby="forecast-{number}">.*?</section>', page)
    return found


def test_it_has_the_words_the_caution_and_the_numbers_of_the_library():
    page = section_of(html_report(board("pass@1000", PAIR)))
    found = forecast("pass@1", PAIR, [1, 2, 4, 8, 16, 64, 256, 1000])
    for each in found.verdicts():
        assert f"<li>{each}.</li>".replace("'", "&#x27;") in page
    assert any("more than half of what is not known" in each for each in found.cautions())
    cells = [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<t[hd][^>]*>.*?</t[hd]>", page)]
    table = found.tables()[0]
    assert cells == [
        *(each.head for each in table.columns),
        *(cell for row in table.cells for cell in row),
    ]


def test_the_warning_is_given_and_that_on_the_shape_is_not_repeated():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        html_report(board("pass@1000", PAIR))
    assert [each.category for each in caught].count(ForecastWarning) == 1
    assert len(caught) <= 2


def test_within_the_trials_or_where_nothing_is_known_beyond_there_is_none():
    for metric in ("pass@16", "gpass@32:tau=.5"):
        assert "forecast-1" not in html_report(board(metric, PAIR))


def test_a_fixed_prior_has_no_forecast_and_the_page_says_so():
    assert "a forecast takes prior &quot;learned&quot;, and this page" in html_report(
        board("pass@99", PAIR, prior="uniform")
    )


@browser.needed
def test_a_browser_draws_points_where_the_numbers_say_and_dashes_beyond(tmp_path):
    path, found = tmp_path / "page.html", forecast("pass@1", PAIR, [1, 2, 4, 8, 16, 64, 256, 1000])
    path.write_text(html_report(board("pass@1000", PAIR)), encoding="utf-8")
    script = """
        const section = document.querySelector('#forecast-1').closest('section');
        const look = s => getComputedStyle(section.querySelector(s)).strokeDasharray;
        const points = [...section.querySelectorAll('.inside')].map(e => e.getAttribute('d'));
        return [look('.solid'), look('.dashed'), points, document.documentElement.scrollWidth];"""
    with browser.Browser() as page:
        for width in (320, 1200):
            page.size(width, 800)
            page.open(path)
            solid, dashed, points, wide = page.run(script)
            assert solid == "none"
            assert dashed != "none"
            assert wide <= width
    heights = [float(y) for each in points for y in re.findall(r"M[\d.]+,([\d.]+)h", each)]
    means = [each.mu for name in ("high", "low") for each in found.of(name) if each.is_forecast]
    slope, start = np.polyfit(means, heights, 1)
    assert slope < 0.0
    assert np.abs(start + slope * np.array(means) - heights).max() < 0.01
