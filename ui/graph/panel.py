"""The panel beside a picture: what the node or edge that was clicked stands for, and its source text.

Everything it can show is in the document from the start, as JSON whose texts become text nodes and nothing
else; hidden characters are visible and sizes capped. Its links open a new tab: the frame that Streamlit puts
a document in may not lead its own tab elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from memcore.retrieval.results import Quote
from memcore.review.diff import show_hidden
from ui.shell.text import clock, count, shorten

MOST_QUOTES, MOST_WORDS = 4, 400
_AROUND = 80


@dataclass(frozen=True, slots=True)
class Said:
    """Words with who said them and when; `words` stand between what was said `before` and `after`."""

    who: str
    when: str
    before: str
    words: str
    after: str


@dataclass(frozen=True, slots=True)
class Card:
    """What the panel shows of one node or edge: `facts` as (name, value), words, links as (text, address)."""

    kind: str
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    said: tuple[Said, ...] = ()
    more: str = ""
    links: tuple[tuple[str, str], ...] = ()


def shown(text: str, cap: int) -> str:
    """Text as the panel may show it: on one line, nothing hidden, not too long."""
    return shorten(show_hidden(text), cap)


def said(quotes: Sequence[Quote], *, around: int = _AROUND) -> tuple[tuple[Said, ...], str]:
    """The first quotes, and how many there are beyond them."""
    first = tuple(
        Said(
            shown(quote.message.speaker, 60),
            clock(quote.message.said_at),
            _tail(quote.message.text[: quote.start], around),
            shown(quote.text, MOST_WORDS),
            _head(quote.message.text[quote.end :], around),
        )
        for quote in quotes[:MOST_QUOTES]
    )
    beyond = len(quotes) - len(first)
    return first, f"and {count(beyond, 'further place')}" if beyond else ""


def with_panel(document: str, cards: Mapping[str, Card], hint: str, theme: Literal["light", "dark"]) -> str:
    """A picture's document with the panel; `cards` by the id of their node or edge."""
    told = json.dumps({key: asdict(card) for key, card in cards.items()}, ensure_ascii=True)
    told = told.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    accent, mark = ("#5fc3b6", "#6b5a1e") if theme == "dark" else ("#1f6f68", "#fbe3a0")
    ink, paper = ("#e6e4df", "#16181b") if theme == "dark" else ("#24272b", "#ffffff")
    colours = f"--ink: {ink}; --paper: {paper}; --accent: {accent}; --mark: {mark};"
    style = f"<style>:root {{ {colours} }}{_STYLE}</style>"
    panel = f'<div id="told" role="status" tabindex="0"><p class="mute">{hint}</p></div>'
    script = f"<script>const TOLD = {told};{_SCRIPT}</script>"
    return document.replace("</head>", f"{style}</head>", 1).replace("</body>", f"{panel}{script}</body>", 1)


def _tail(text: str, most: int) -> str:
    text = show_hidden(text)
    return text if len(text) <= most else f"… {text[-most:]}"


def _head(text: str, most: int) -> str:
    text = show_hidden(text)
    return text if len(text) <= most else f"{text[:most]} …"


_STYLE = """
body { display: flex; margin: 0; height: 100vh; overflow: hidden;
  background: var(--paper); color: var(--ink);
  font: 14px/1.5 "Source Sans", "Source Sans Pro", system-ui, sans-serif; }
body > .card { flex: 1 1 0; min-width: 0; min-height: 0; position: relative; border: 0; }
#mynetwork { position: absolute !important; inset: 0; height: auto !important; width: auto !important; }
#told { flex: 0 0 17.5rem; box-sizing: border-box; padding: .2rem .2rem 1rem 1rem; overflow-y: auto;
  border-left: 1px solid color-mix(in srgb, var(--ink) 14%, transparent); overflow-wrap: anywhere; }
#told h2 { font-size: 1rem; line-height: 1.35; margin: 0 0 .4rem; }
#told .mute { color: color-mix(in srgb, var(--ink) 66%, transparent); font-size: .84rem; margin: 0 0 .2rem; }
#told dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .7rem; margin: 0 0 .6rem; }
#told dt { color: color-mix(in srgb, var(--ink) 66%, transparent); font-size: .84rem; padding-top: .06rem; }
#told dd { margin: 0; }
#told blockquote { margin: .5rem 0; padding-left: .7rem;
  border-left: 3px solid color-mix(in srgb, var(--ink) 18%, transparent); white-space: pre-wrap; }
#told mark { background: var(--mark); color: inherit; border-radius: 3px; }
#told a { color: var(--accent); display: block; margin-top: .35rem; }
@media (max-width: 620px) {
  body { flex-direction: column; }
  #told { flex: 0 0 40%; padding: .6rem .2rem 1rem;
    border-left: 0; border-top: 1px solid color-mix(in srgb, var(--ink) 14%, transparent); }
}
"""

_SCRIPT = """
(function () {
  const panel = document.getElementById("told");
  function make(tag, text, css) {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (css) made.className = css;
    return made;
  }
  function tell(card) {
    const parts = [make("p", card.kind, "mute"), make("h2", card.title)];
    const facts = make("dl");
    for (const [name, value] of card.facts) facts.append(make("dt", name), make("dd", value));
    if (card.facts.length) parts.push(facts);
    for (const one of card.said) {
      const quote = make("blockquote");
      quote.append(make("p", [one.who, one.when].filter(Boolean).join(", "), "mute"));
      quote.append(one.before, make("mark", one.words), one.after);
      parts.push(quote);
    }
    if (card.more) parts.push(make("p", card.more, "mute"));
    for (const [text, address] of card.links) {
      const link = make("a", text + " \\u2197");
      link.href = address;
      link.target = "_blank";
      link.rel = "noopener";
      parts.push(link);
    }
    panel.replaceChildren(...parts);
    panel.scrollTop = 0;
  }
  network.setSize("100%", "100%");  // it was made before the panel took its place
  network.fit();
  network.on("click", function (event) {
    const id = event.nodes.length ? event.nodes[0] : event.edges[0];
    if (id in TOLD) tell(TOLD[id]);
  });
})();
"""
