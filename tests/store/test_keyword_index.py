"""rank-bm25 keeps the contract of a keyword index."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Plus

from memcore.store.bm25 import Stems
from memcore.store.keyword_index import Bm25Index
from tests.contract.keyword_index import *  # noqa: F403
from tests.contract.keyword_index import MakeKeywordIndex, keys


@pytest.fixture
def make_index() -> MakeKeywordIndex:
    return Bm25Index


WORDS = st.lists(st.sampled_from(["dog", "cat", "ann", "rome", "cello", "2023"]), max_size=8)


@given(
    documents=st.dictionaries(st.text("abc", min_size=1, max_size=2), WORDS, min_size=1),
    changed=st.dictionaries(st.text("abc", min_size=1, max_size=2), WORDS | st.none()),
    query=WORDS,
)
def test_scores_are_those_of_rank_bm25(
    documents: dict[str, list[str]], changed: dict[str, list[str] | None], query: list[str]
) -> None:
    """Also after texts were changed, removed and added: as if rank-bm25 were given what is there now."""
    index = Bm25Index()
    index.put(list(documents), [" ".join(words) for words in documents.values()])
    index.search("dog", 1)
    for key, words in changed.items():
        if words is None:
            index.remove([key])
        else:
            index.put([key], [" ".join(words)])
    now = {key: words for key, words in (documents | changed).items() if words is not None}
    found = dict(index.search(" ".join(query), 100))
    if not any(now.values()):
        assert found == {}
        return
    stems = Stems()
    scores = BM25Plus([stems.of(" ".join(words)) for words in now.values()], delta=0).get_scores(
        stems.of(" ".join(query))
    )
    expected = {key: score for key, score in zip(now, scores, strict=True) if score > 0}
    assert found == pytest.approx(expected, rel=1e-6)
    assert len(index) == len(now)


def test_it_finds_the_same_after_most_of_it_was_removed() -> None:
    """Empty places close up."""
    texts = {f"t{number:03d}": f"word{number % 5} word{number % 7} tail" for number in range(300)}
    index, fresh = Bm25Index(), Bm25Index()
    index.put(list(texts), list(texts.values()))
    index.remove([key for key in texts if key < "t250"])
    kept = {key: text for key, text in texts.items() if key >= "t250"}
    fresh.put(list(kept), list(kept.values()))
    for query in ("word1 word3", "tail", "word6 word6"):
        assert index.search(query, 20) == fresh.search(query, 20)
    index.put(["new"], ["word1 news"])
    assert index.search("news", 5)[0][0] == "new"


def test_a_saved_index_answers_as_before_and_grows_on(tmp_path: Path) -> None:
    index = Bm25Index()
    index.put(["a", "b", "c"], ["Ann has a dog and a dog", "", "Bob has a cat"])
    index.remove(["c"])
    files = {part: tmp_path / part for part in ("table", "words")}
    loaded = Bm25Index.load(files, json.loads(json.dumps(index.save(files.__getitem__))))
    for each in (index, loaded):
        each.put(["a", "d"], ["Ann has a dog and a dog", "Dora has one dog"])
    assert len(loaded) == 3
    assert loaded.search("dog Dora", 5) == index.search("dog Dora", 5)
    assert keys(loaded.search("cat", 5)) == []
