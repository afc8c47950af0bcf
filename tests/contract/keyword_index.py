"""What every KeywordIndex must do. The fixture `make_index` makes an empty one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memcore.domain.protocols import KeywordIndex

MakeKeywordIndex = Callable[[], KeywordIndex]


def keys(found: list[tuple[str, float]]) -> list[str]:
    return [key for key, _ in found]


def test_an_empty_index_finds_nothing(make_index: MakeKeywordIndex) -> None:
    index = make_index()
    index.remove(["unknown"])
    assert (len(index), index.search("dog", 5)) == (0, [])


@pytest.mark.parametrize("collection", [["a dog"], ["a dog", "a cat"], ["a dog", "my dog"]])
def test_a_word_scores_above_zero_however_small_the_collection(
    make_index: MakeKeywordIndex, collection: list[str]
) -> None:
    index = make_index()
    index.put([str(number) for number in range(len(collection))], collection)
    assert all(score > 0 for _, score in index.search("dog", 5))
    assert "0" in keys(index.search("dog", 5))


def test_only_what_shares_a_word_is_found(make_index: MakeKeywordIndex) -> None:
    index = make_index()
    index.put(["dog", "cat"], ["Melanie adopted a dog", "Caroline painted cats"])
    assert keys(index.search("dogs!", 5)) == ["dog"]
    assert index.search("violin", 5) == []
    assert index.search("", 5) == []
    assert index.search("?!", 5) == []
    assert index.search("dog", 0) == []


def test_rarer_words_and_shorter_texts_weigh_more(make_index: MakeKeywordIndex) -> None:
    index = make_index()
    index.put(
        ["rare", "common", "long"],
        ["Ann plays cello", "Ann plays tennis", "Ann plays tennis and also many other things on many days"],
    )
    assert keys(index.search("Ann cello", 3))[0] == "rare"
    assert keys(index.search("tennis", 3)) == ["common", "long"]


def test_entries_after_the_first_search_are_found(make_index: MakeKeywordIndex) -> None:
    """SimpleMem's published index never sees them."""
    index = make_index()
    index.put(["first"], ["Ann has a dog"])
    assert keys(index.search("dog", 5)) == ["first"]
    index.put(["second"], ["Bob has a dog and a unicorn"])
    assert set(keys(index.search("dog", 5))) == {"first", "second"}
    assert keys(index.search("unicorn", 5)) == ["second"]


def test_it_makes_no_difference_whether_entries_came_at_once_or_one_by_one(
    make_index: MakeKeywordIndex,
) -> None:
    texts = [f"word{number % 5} word{number % 7} tail" for number in range(40)]
    ids = [f"t{number:02d}" for number in range(40)]
    at_once, one_by_one = make_index(), make_index()
    at_once.put(ids, texts)
    for key, text in zip(ids, texts, strict=True):
        one_by_one.put([key], [text])
        one_by_one.search("tail", 1)
    for query in ("word1 word3", "tail", "word6"):
        found = one_by_one.search(query, 40)
        expected = at_once.search(query, 40)
        assert keys(found) == keys(expected)
        assert [score for _, score in found] == pytest.approx([score for _, score in expected])


def test_changed_and_removed_texts_are_forgotten(make_index: MakeKeywordIndex) -> None:
    index = make_index()
    index.put(["a", "b"], ["Ann lives in New York", "Bob lives in Rome"])
    index.search("lives", 5)
    index.put(["a"], ["Ann lives in Berlin"])
    assert index.search("York", 5) == []
    assert keys(index.search("Berlin", 5)) == ["a"]
    index.remove(["b"])
    assert (len(index), index.search("Rome", 5)) == (1, [])
    index.put(["b"], ["Bob is back in Rome"])
    assert keys(index.search("Rome", 5)) == ["b"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Мы любим музыку", "МУЗЫКУ"),
        ("我喜欢音乐和猫", "音乐"),
        ("שלום עולם", "עולם"),
        ("die Straße", "STRASSE"),
        ("nul\x00byte", "byte"),
        ("party 🎉 time", "party"),
        ("x" * 100_000 + " needle", "needle"),
    ],
)
def test_words_of_any_script_are_words(make_index: MakeKeywordIndex, text: str, query: str) -> None:
    index = make_index()
    index.put(["it", "other"], [text, "something else"])
    assert keys(index.search(query, 5)) == ["it"]


def test_equal_scores_come_in_the_order_of_ids(make_index: MakeKeywordIndex) -> None:
    index = make_index()
    index.put(["c", "a", "b"], ["dog", "dog", "dog"])
    assert keys(index.search("dog", 2)) == ["a", "b"]
