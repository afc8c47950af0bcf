"""The one door through which HTML reaches a page: Jinja2 templates with autoescaping.

Each folder of `ui/` has one file of macros, `NAME/NAME.html.j2`; `draw("NAME.macro", …)` shows one, `render`
gives it as `Markup` for another. Whatever a template interpolates is escaped, and characters a reader cannot
see are made visible. Line breaks of a template, with the indentation after them, lay out the template and do
not reach the page (its texts stand in `white-space: pre-wrap`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import streamlit as st
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from ui.shell import links
from ui.shell.text import clock, count, day, period, safe, shorten

FOLDER = Path(__file__).parents[1]
Width = Literal["stretch", "content"] | int
_TAG = re.compile(r"(\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})", re.DOTALL)
_BREAK = re.compile(r"(?<![{ \t])[ \t]*((?:\n[ \t]*)+)")  # after a brace, a comment would begin a tag


def _comment(breaks: re.Match[str]) -> str:
    return "{#" + "\n" * breaks[1].count("\n") + "#}"


class _Layout(Extension):
    """Takes line breaks and indentation between tags out of a template; line numbers in errors stay right."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        parts = _TAG.split(source)
        parts[::2] = [_BREAK.sub(_comment, data) for data in parts[::2]]
        return "".join(parts)


def _finalize(value: object) -> Markup:
    """Every interpolated value on its way into HTML; only what a template rendered passes as it is."""
    if isinstance(value, Markup):
        return value
    if value is None:
        raise TypeError("A template was given None where a text belongs.")
    return Markup(safe(str(value)))  # noqa: S704 - this is where text is escaped


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        extensions=[_Layout],
    )
    environment.globals.update(
        clock=clock, count=count, day=day, href=links.href, period=period, shorten=shorten
    )
    del environment.filters["safe"]
    environment.filters.update(number=lambda n: f"{n:,}", fixed=lambda n, places: f"{n:,.{places}f}")
    return environment


ENVIRONMENT = _environment()


@cache
def macros(folder: str) -> Any:
    """The macros of one folder's file."""
    return ENVIRONMENT.get_template(f"{folder}/{folder}.html.j2").module


def render(name: str, /, **values: object) -> Markup:
    """What a macro, named as "folder.macro", makes of these values."""
    folder, _, macro = name.partition(".")
    made: Markup = getattr(macros(folder), macro)(**values)
    return made


def show(html: Markup, *, into: DeltaGenerator | None = None, width: Width = "stretch") -> None:
    """Draw what was rendered. Refuses a plain string: nobody has escaped it."""
    if not isinstance(html, Markup):
        raise TypeError("Only what a template rendered is drawn as HTML.")
    (into or st).html(html, width=width)


def draw(
    name: str, /, *, into: DeltaGenerator | None = None, width: Width = "stretch", **values: object
) -> None:
    """Render a macro and draw it, here or in a column or container."""
    show(render(name, **values), into=into, width=width)


def joined(parts: Iterable[Markup]) -> Markup:
    """Rendered pieces one after the other."""
    return Markup().join(parts)


def stylesheet(folder: str) -> None:
    """Draw the style sheet of one folder, `NAME/NAME.css`."""
    st.html(FOLDER / folder / f"{folder}.css")


def run_script(name: str, /, **values: object) -> None:
    """Draw a macro that holds a script of ours, and let it run."""
    st.html(render(name, **values), unsafe_allow_javascript=True)
