"""The panel beside a picture: what the node or edge that was clicked stands for, its source text, and a way
to open what is not drawn yet; and the legend.

Everything it can show is in the document from the start, as JSON whose texts become text nodes and nothing
else; hidden characters are visible and sizes capped. Its links open a new tab: the frame that Streamlit puts
a document in may not lead its own tab elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
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
    """What the panel shows of one node or edge: `facts` as (name, value), sentences, words, links as (text,
    address)."""

    kind: str
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    sentences: tuple[str, ...] = ()
    said: tuple[Said, ...] = ()
    more: str = ""
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Opening:
    """What stands beside a picture before anything is clicked: a hint, how much of it is not drawn yet
    (empty: nothing), the legend as (shape, colour, meaning), and where things go once more of them are drawn,
    by their id."""

    hint: str
    not_drawn: str = ""
    legend: Sequence[tuple[str, str, str]] = ()
    places: Mapping[str, tuple[float, float]] = field(default_factory=dict)


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


def with_panel(
    document: str, cards: Mapping[str, Sequence[Card]], opening: Opening, theme: Literal["light", "dark"]
) -> str:
    """A picture's document with the panel; `cards` by the id of their node or edge."""
    accent, mark = ("#5fc3b6", "#6b5a1e") if theme == "dark" else ("#1f6f68", "#fbe3a0")
    ink, paper = ("#e6e4df", "#16181b") if theme == "dark" else ("#24272b", "#ffffff")
    colours = f"--ink: {ink}; --paper: {paper}; --accent: {accent}; --mark: {mark};"
    style = f"<style>:root {{ {colours} }}{_STYLE}</style>"
    panel = '<div id="told" role="status" tabindex="0"></div>'
    told = {key: [asdict(card) for card in each] for key, each in cards.items()}
    data = f"const TOLD = {_json(told)};\nconst OPENING = {_json(asdict(opening))};\n"
    script = f"<script>{data}{_SCRIPT}</script>"
    return document.replace("</head>", f"{style}</head>", 1).replace("</body>", f"{panel}{script}</body>", 1)


def _json(value: object) -> str:
    """JSON that ends no script."""
    written = json.dumps(value, ensure_ascii=True)
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


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
#told ul { margin: 0 0 .6rem; padding-left: 1.1rem; }
#told button { font: inherit; color: var(--accent); background: none; border: 1px solid currentColor;
  border-radius: 6px; padding: .2rem .7rem; min-height: 28px; margin: .2rem 0 .4rem; cursor: pointer; }
#told section + section { margin-top: 1rem; padding-top: .8rem;
  border-top: 1px solid color-mix(in srgb, var(--ink) 14%, transparent); }
#legend { position: absolute; left: .4rem; top: .3rem; z-index: 2; margin: 0; padding: .25rem .5rem;
  list-style: none; display: flex; flex-wrap: wrap; gap: .1rem .9rem; font-size: .84rem; pointer-events: none;
  background: color-mix(in srgb, var(--paper) 85%, transparent); border-radius: 6px; }
#legend i { display: inline-block; width: .7rem; height: .7rem; margin-right: .35rem; border-radius: 50%; }
#legend i.box { border-radius: 2px; }
#legend i.dashed { width: 1.3rem; height: 0; border-top: 2px dashed var(--ink); border-radius: 0;
  vertical-align: middle; }
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
  function part(card) {
    const made = make("section");
    made.append(make("p", card.kind, "mute"), make("h2", card.title));
    const facts = make("dl");
    for (const [name, value] of card.facts) facts.append(make("dt", name), make("dd", value));
    if (card.facts.length) made.append(facts);
    const list = make("ul");
    for (const sentence of card.sentences) list.append(make("li", sentence));
    if (card.sentences.length) made.append(list);
    for (const one of card.said) {
      const quote = make("blockquote");
      quote.append(make("p", [one.who, one.when].filter(Boolean).join(", "), "mute"));
      quote.append(one.before, make("mark", one.words), one.after);
      made.append(quote);
    }
    if (card.more) made.append(make("p", card.more, "mute"));
    for (const [text, address] of card.links) {
      const link = make("a", text + " \\u2197");
      link.href = address;
      link.target = "_blank";
      link.rel = "noopener";
      made.append(link);
    }
    return made;
  }
  function draw(lines, more) {
    const ends = lines.flatMap((line) => [line.from, line.to]).concat(more || []);
    nodes.update(Object.entries(OPENING.places).map(([id, [x, y]]) => ({ id: id, x: x, y: y })));
    nodes.update([...new Set(ends)].map((id) => ({ id: id, hidden: false })));
    edges.update(lines.map((line) => ({ id: line.id, hidden: false })));
    fit();
  }
  function fit() {
    network.fit({ nodes: nodes.getIds({ filter: (node) => !node.hidden }) });
  }
  function opens(text, lines, more) {
    const button = make("button", text);
    button.type = "button";
    button.onclick = function () {
      draw(lines, more);
      button.remove();
      panel.focus();
    };
    return button;
  }
  function tell(id) {
    const parts = TOLD[id].map(part);
    const beyond = edges.get({ filter: (line) => line.hidden && (line.from === id || line.to === id) });
    const said = beyond.length === 1 ? "Draw 1 more line" : "Draw " + beyond.length + " more lines";
    if (beyond.length) parts[0].querySelector("h2").after(opens(said, beyond));
    panel.replaceChildren(...parts);
    panel.scrollTop = 0;
  }
  function begin() {
    panel.append(make("p", OPENING.hint, "mute"));
    if (OPENING.not_drawn) {
      const left = "Not drawn yet: " + OPENING.not_drawn + ". A click on a circle leads to its own.";
      panel.append(make("p", left, "mute"));
      panel.append(opens("Draw all", edges.get(), nodes.getIds()));
    }
    const legend = make("ul");
    legend.id = "legend";
    legend.setAttribute("aria-label", "Legend");
    for (const [shape, colour, meaning] of OPENING.legend) {
      const mark = make("i", "", shape);
      if (colour) mark.style.background = colour;
      const item = make("li");
      item.append(mark, meaning);
      legend.append(item);
    }
    document.querySelector(".card").append(legend);
  }
  begin();
  network.setSize("100%", "100%");  // it was made before the panel took its place
  fit();
  network.on("click", function (event) {
    const id = event.nodes.length ? event.nodes[0] : event.edges[0];
    if (id in TOLD) tell(id);
  });
})();
"""
