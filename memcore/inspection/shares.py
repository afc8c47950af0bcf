"""Shares in words: what is there is never shown as nothing, nor a part as the whole."""

from __future__ import annotations


def figure(percent: float, decimals: int = 0) -> str:
    """A share in percent as a figure.

    >>> figure(0.0), figure(0.49), figure(0.51), figure(12.3456, 1)
    ('0', 'under 1', '1', '12.3')
    >>> figure(99.51), figure(99.96, 1), figure(100.0)
    ('over 99', 'over 99.9', '100')
    """
    step = 10.0**-decimals
    rounded = round(percent / step) * step
    if percent > 0.0 and rounded < step / 2:
        return f"under {step:.{decimals}f}"
    if percent < 100.0 and rounded > 100.0 - step / 2:
        return f"over {100.0 - step:.{decimals}f}"
    return f"{percent:.{decimals}f}"


def in_percent(percent: float, decimals: int = 0) -> str:
    """The same with its sign.

    >>> in_percent(100 * 1 / 204), in_percent(75.0)
    ('under 1 %', '75 %')
    """
    return f"{figure(percent, decimals)} %"
