"""The fences of prompts: what a log says can close and open none of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.prompts import fenced

MEMCORE = Path(__file__).parents[2] / "memcore"
TAGS = sorted(
    {tag for path in MEMCORE.rglob("*.py") for tag in re.findall(r'fenced\("(\w+)"', path.read_text())}
)
PIECES = st.sampled_from(["<", "/", " ", "\n", ">", "&lt;", "hi", "LOG", *TAGS])


def test_the_fences_of_all_prompts_are_known() -> None:
    assert {"log", "people", "question", "memories"} <= set(TAGS)


@pytest.mark.parametrize("tag", TAGS)
@given(pieces=st.lists(PIECES, max_size=12))
def test_no_text_closes_or_opens_any_fence(tag: str, pieces: list[str]) -> None:
    text = fenced(tag, "".join(pieces))
    assert text.startswith(f"<{tag}>\n")
    assert text.endswith(f"\n</{tag}>")
    inside = text.removeprefix(f"<{tag}>").removesuffix(f"</{tag}>")
    assert not re.search(rf"<\s*/?\s*({'|'.join(TAGS)})", inside, re.IGNORECASE)


def test_what_is_no_tag_stays_as_it_is() -> None:
    assert "I <3 you, 2 < 3 and a > b" in fenced("log", "I <3 you, 2 < 3 and a > b")
