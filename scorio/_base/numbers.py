"""Numbers as tables, reports, pictures and sentences write them: the same everywhere."""

import math

DIGITS = 3  # decimals of scores and probabilities
WHOLE = 100.0  # costs from here on are shown without decimals
_LARGE = 1e7  # numbers from here on are written with six digits and a power of ten
_PLAIN = 10.0  # numbers from which on no decimal is shown
FORECAST = "forecast"  # what stands in the place of a score that takes more trials than there are
FORECAST_NOTE = (
    "forecast: the metric takes more trials than questions have, so there is no score; intervals are widened by "
    "what these trials leave open"
)


def number(value: float, digits: int = DIGITS) -> str:
    """Write a score; one that is not 0 but would show as 0 keeps two significant digits, a very large one six.

    >>> number(0.71234), number(0.0), number(0.00021), number(4.5e99)
    ('0.712', '0.000', '0.00021', '4.5e+99')
    """
    if abs(value) >= _LARGE:
        return f"{value:.6g}"
    text = f"{value:.{digits}f}"
    return f"{value:.2g}" if value and not float(text) else text


def times_as_many(effort: float) -> str:
    """Write how many times as much data it takes, to two digits, as a person writes it.

    >>> times_as_many(2.34), times_as_many(129.5), times_as_many(5120.0)
    ('2.3 times as many', '130 times as many', '5,100 times as many')
    """
    rounded = float(f"{effort:.2g}")
    return f"{rounded:,.0f} times as many" if rounded >= _PLAIN else f"{rounded:g} times as many"


def score_text(score: float | None, digits: int = DIGITS) -> str:
    """Write a score; one that is NaN or None, because questions have too few trials for it, is a forecast.

    >>> score_text(0.5), score_text(float("nan"))
    ('0.500', 'forecast')
    """
    return FORECAST if score is None or math.isnan(score) else number(score, digits)


def signed(value: float, digits: int = DIGITS) -> str:
    """Write a difference with its sign.

    >>> signed(0.1), signed(-0.25)
    ('+0.100', '-0.250')
    """
    return f"{'+' if value >= 0 else ''}{number(value, digits)}"


def span(lo: float, hi: float, digits: int = DIGITS) -> str:
    """Write an interval; a small end that is less than a thousandth of the width from 0 shows as 0.

    >>> span(0.5, 1.0), span(3e-9, 0.25), span(1e-5, 4e-5), span(-7e44, 4e22)
    ('[0.500, 1.000]', '[0.000, 0.250]', '[1e-05, 4e-05]', '[-7e+44, 4e+22]')
    """
    least = min(1e-3 * (hi - lo), 10.0**-digits)
    low, high = 0.0 if abs(lo) < least else lo, 0.0 if abs(hi) < least else hi
    return f"[{number(low, digits)}, {number(high, digits)}]"


def amount(value: float) -> str:
    """Write a cost; an infinite one is called unbounded.

    >>> amount(0.0213), amount(1.5), amount(12345.678)
    ('0.0213', '1.500', '12,346')
    """
    if math.isinf(value):
        return "unbounded"
    return f"{value:,.0f}" if value >= WHOLE else number(value, decimals_of(value))


def decimals_of(value: float) -> int:
    """Return as many decimals as show three digits of a small cost."""
    return max(DIGITS, 2 - math.floor(math.log10(value))) if value > 0.0 else DIGITS


def amount_span(lo: float, hi: float) -> str:
    """Write the interval of a cost; an infinite end is called unbounded.

    >>> amount_span(0.012, 0.031), amount_span(2.0, math.inf)
    ('[0.0120, 0.0310]', '[2.000, unbounded]')
    """
    low, high = (f"{'-' * (-math.inf < end < 0)}{amount(abs(end))}" for end in (lo, hi))
    return f"[{low}, {high}]"


def amounts(value: float, lo: float, hi: float) -> str:
    """Write a cost, or a difference of costs, with its interval.

    >>> amounts(-0.5, -1.0, math.inf)
    '-0.500 [-1.000, unbounded]'
    """
    told = "unknown" if math.isnan(value) else f"{'-' * (-math.inf < value < 0)}{amount(abs(value))}"
    return f"{told} {amount_span(lo, hi)}"


def chance(p: float) -> str:
    """Write a probability; none is written as 0 or 1, because a posterior is never certain.

    >>> chance(0.0001), chance(0.5), chance(0.99999), chance(1.0)
    ('<.001', '0.500', '>.999', '>.999')
    """
    if p < 0.0005:
        return "<.001"
    return ">.999" if p >= 0.9995 else f"{p:.3f}"


def is_chance(p: float) -> str:
    """Write that a probability is so large, for a sentence.

    >>> is_chance(0.99999), is_chance(0.5)
    ('> .999', '= 0.500')
    """
    text = chance(p)
    return f"{text[0]} {text[1:]}" if text[0] in "<>" else f"= {text}"


def percent(share: float) -> str:
    """Write a confidence level.

    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * share:.6g}%"


def counts(fewest: float, most: float) -> str:
    """Write a number, or a range where the ends differ.

    >>> counts(8, 8), counts(3, 1200)
    ('8', '3-1,200')
    """
    return f"{fewest:,}" if fewest == most else f"{fewest:,}-{most:,}"


def of_planned(present: int, planned: int) -> str:
    """Write a number of trials, and that of the planned ones if some are missing."""
    return f"{present:,}" if present == planned else f"{present:,} of {planned:,} planned"


def trials_each(fewest: int, most: int) -> str:
    """Write how many trials each question has.

    >>> trials_each(8, 8), trials_each(1, 1), trials_each(6, 8)
    ('8 trials each', '1 trial each', '6-8 trials each')
    """
    return f"{counts(fewest, most)} {'trial' if fewest == most == 1 else 'trials'} each"


def signed_span(lo: float, hi: float, digits: int = DIGITS) -> str:
    """Write the interval of a difference.

    >>> signed_span(-0.1, 0.25)
    '[-0.100, +0.250]'
    """
    return f"[{signed(lo, digits)}, {signed(hi, digits)}]"


def signed_within(value: float, lo: float, hi: float, digits: int = DIGITS) -> str:
    """Write a difference with this interval; one that is less than a thousandth of the width from 0 shows as 0.

    >>> signed_within(1.1e-5, -0.122, 0.122), signed_within(1.1e-5, 1e-5, 2e-5)
    ('+0.000', '+1.1e-05')
    """
    return signed(0.0 if abs(value) < min(1e-3 * (hi - lo), 10.0**-digits) else value, digits)


def difference_span(value: float, lo: float, hi: float) -> str:
    """Write a difference and its interval."""
    return f"{signed_within(value, lo, hi)} {signed_span(lo, hi)}"


def rate(value: float) -> str:
    """Write the rate of a question to two digits."""
    return number(value, 2)


def rate_span(lo: float, hi: float) -> str:
    """Write the interval of such a rate."""
    return span(lo, hi, 2)
