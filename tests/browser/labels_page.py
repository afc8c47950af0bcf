"""The page of `test_labels`: hostile texts through `label`, in all that Streamlit reads as Markdown."""

from __future__ import annotations

import random

import streamlit as st

from ui.shell.text import label

CAP = 2_000
PIECES = (
    "[click](http://evil.example/x)", "![i](http://evil.example/p.png)", "http://evil.example/auto",
    "HTTPS://evil.example", "www.evil.example", "WWW.evil.example", "mail@evil.example",
    "mailto:a@evil.example", "xmpp:a@evil.example/x", '<a href="http://evil.example/h">h</a>',
    "<http://evil.example>", "<mail@evil.example>", "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>", ":red[r]", ":blue-background[b]", ":green-badge[b]", ":small[s]",
    ":shimmer[s]", ":help[h]", ':color[c]{foreground="red"}', ":material/home:", ":material_home:",
    ":streamlit:", ":smile:", ":100:", ":+1:", "$x$", "$$x$$", "`c`", "```", "~~~", "**b**", "__b__", "*i*",
    "_i_", "~~s~~", "~s~", "&amp;", "&#58;//evil.example", "&colon;smile:", "\\",
    "\\[x](http://evil.example)", "[^1]", "[evil]: http://evil.example", "[x][evil]", "[evil]", "# h",
    "- l", "+ l", "1. l", "2) l", "> q", "---", "===", "| a | b |", "{#id}", "- [ ] t", "->", "<-", "<->",
    "--", ">=", "<=", "~=", "://evil.example", "//evil.example", "http:", "www", ".evil.example",
    "@evil.example", "a", "18:30", "\u202e", "\u200b", "\u2060", '"', "'", "(", ")", "!", ".",
)  # fmt: skip


def texts() -> list[str]:
    """Each piece alone, and pieces in every company: side by side, with a space, or without one."""
    chance = random.Random(7)
    mixed = ["".join(chance.choice(PIECES) + chance.choice(("", " ")) for _ in range(6)) for _ in range(150)]
    return [text for text in [*PIECES, *mixed] if text.strip()]


def draw() -> None:
    """Pieces as options, which are plain; every text as a caption; pieces as all else that takes Markdown."""
    st.selectbox("Plain", PIECES)
    st.multiselect("Plain too", PIECES, default=PIECES[:40])
    for text in texts():
        st.caption(label(text, CAP))
    for place, text in enumerate(PIECES):
        named = label(text, CAP)
        st.expander(f"Expander {named}")
        st.button(f"Button {named}", key=f"button_{place}")
        st.header(f"Header {named}", anchor=False)
        st.progress(0.5, text=f"Progress {named}")
        st.checkbox(f"Checkbox {named}", key=f"checkbox_{place}")
    options = [label(text, CAP) for text in PIECES]
    st.radio("Radio", [f"Radio {one}" for one in options], captions=[f"Note {one}" for one in options])
    st.segmented_control("Segments", [f"Segment {one}" for one in options])
    st.tabs([f"Tab {one}" for one in options])
    st.text("End", help=" ".join(options))
    st.toast(" ".join(options), duration="infinite")


if __name__ == "__main__":
    draw()
