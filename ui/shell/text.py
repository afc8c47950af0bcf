"""Untrusted text on its way to the screen: logs, models and file names all pass through here.

Templates escape what they interpolate by `safe`; Plotly, which reads HTML in labels, is given what went
through `charted`. `label` is the one door into Streamlit's Markdown labels. Characters a reader cannot see
are made visible. It knows nothing of what the text means.
"""

from __future__ import annotations

import html
import re
from datetime import datetime, timedelta

from memcore.review.diff import show_hidden

_MARKDOWN = re.compile(r"[\\`*_\[\]<~$&:]|^[#+\->]|(?<=\d)[.)](?=\s|$)")
_READ_LATER = re.compile(
    r"(?<=:)(?=/|material[/_]|streamlit:)|(?<=www)(?=\.)|(?<=@)(?=[\w-])"
    r"|(?<=(?<!\S)[<>~-])(?=(-|>|=|->)(?!\S))",
    re.IGNORECASE,
)
"""Within an address, an icon or an arrow: these are found after Markdown is read, and its backslashes part
none of them (measured on Streamlit 1.67)."""
JOINER = "\u2060"
"""What does part them; it has no width, and is not seen."""


def safe(text: str) -> str:
    """Text as HTML that shows exactly this text and can do nothing else.

    >>> safe('<script>alert("1")</script>')
    '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;'
    >>> safe("pay\\u202epal")
    'pay⟨U+202E⟩pal'
    """
    return html.escape(show_hidden(text))


def charted(text: str) -> str:
    """Text as Plotly shows it: it reads tags and entities, but no entity of a quotation mark.

    >>> charted('the "<b>" & more')
    'the "&lt;b&gt;" &amp; more'
    """
    return html.escape(show_hidden(text), quote=False)


def label(text: str, cap: int = 80) -> str:
    """Text as a Markdown label on one line: nothing in it formats, links or loads.

    >>> label("*not bold* [nor](http://a.link)")
    '\\\\*not bold\\\\* \\\\[nor\\\\](http\\\\:\\u2060//a.link)'
    >>> label("At 18:30, by mail@a.link or www.a.link")
    'At 18\\\\:30, by mail@\\u2060a.link or www\\u2060.a.link'
    """
    return _MARKDOWN.sub(r"\\\g<0>", _READ_LATER.sub(JOINER, shorten(show_hidden(text), cap)))


def shorten(text: str, cap: int = 80) -> str:
    """At most `cap` characters on one line.

    >>> shorten("one  two\\nthree", 9)
    'one two …'
    """
    line = " ".join(text.split())
    return line if len(line) <= cap else line[: cap - 1] + "…"


def day(moment: datetime | None) -> str:
    """A date in words; "no date" when there is none.

    >>> day(datetime(2023, 5, 7))
    '7 May 2023'
    """
    return f"{moment.day} {moment:%b %Y}" if moment else "no date"


def clock(moment: datetime | None) -> str:
    """A date with its time of day, where one is known.

    >>> clock(datetime(2023, 5, 7, 14, 5))
    '7 May 2023, 14:05'
    """
    return f"{day(moment)}, {moment:%H:%M}" if moment else "no time"


def period(start: datetime | None, end: datetime | None) -> str:
    """When something happened, as exactly as it is known (`end` is exclusive).

    >>> period(datetime(2023, 5, 1), datetime(2023, 5, 8))
    '1 May 2023 to 7 May 2023'
    >>> period(datetime(2022, 1, 1), datetime(2023, 1, 1)), period(datetime(2023, 5, 1), datetime(2023, 6, 1))
    ('2022', 'May 2023')
    """
    if start is None:
        return ""
    if end is None or end - start <= timedelta(days=1):
        return day(start) if not (start.hour or start.minute) else clock(start)
    if (start.month, start.day, end.month, end.day) == (1, 1, 1, 1) and end.year == start.year + 1:
        return str(start.year)
    if start.day == end.day == 1 and (end.year * 12 + end.month) - (start.year * 12 + start.month) == 1:
        return f"{start:%b %Y}"
    return f"{day(start)} to {day(end - timedelta(days=1))}"


def count(number: int, singular: str, plural: str = "") -> str:
    """
    >>> count(1, "memory", "memories"), count(1200, "message")
    ('1 memory', '1,200 messages')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def megabytes(size: int) -> str:
    """
    >>> megabytes(2_500_000), megabytes(900)
    ('2.5 MB', '0.9 kB')
    """
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.1f} kB"
