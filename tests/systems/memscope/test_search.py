"""Search over a real store: what is found, what is not, and how each place in the ranking came about."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime, timedelta

import pytest

from memcore.domain.errors import UsageError
from memcore.domain.models import Candidate, Entity, Source
from memcore.nlp.language.words.told_in import in_conversation
from memcore.retrieval.question import Question, SearchTools
from memcore.review import decide
from memcore.systems.memscope.fuse import Weights
from memcore.systems.memscope.search import hybrid
from memcore.systems.memscope.turns import load_turns
from memcore.systems.registry import SYSTEMS
from tests.pipeline import EMBEDDER, JANUARY, SayingExtractor, log, run_ingest
from tests.store.samples import proposal

PARTS = {"evidence", "session", "semantic", "lexical", "speaker", "time", "newer", "memory"}


def ask(store, query, *, weights=None, **options):
    return hybrid(store, SearchTools(EMBEDDER), Question(query, **options), weights)


def texts(report):
    return [hit.text for hit in report.hits]


def memory_of(store, words):
    (found,) = [m for m in store.memories("me", states=None) if words in m.text and m.state != "deleted"]
    return found


def approve(store, operation, target, *newer, after=None):
    key = f"p{len(store.proposals('me', states=None))}"
    with store.write(actor="test") as writer:
        made = proposal(
            key,
            target.id,
            operation=operation,
            before=target.text,
            after=after,
            candidates=tuple(Candidate(memory.id, 0.9) for memory in newer),
        )
        writer.put_proposals([made])
    return decide.approve(store, EMBEDDER, [key], "person")


# ---------------------------------------------------------------- what is found


def test_a_memory_is_found_by_its_own_words_and_quotes_its_source(store):
    talk = log(["Hello there! likes green tea. We should go.", "plays chess."])
    run_ingest(store, talk)

    best = ask(store, "green tea").hits[0]

    assert (best.kind, best.text, best.state) == ("memory", "Ann likes green tea", "active")
    (quote,) = best.quotes
    assert quote.message == talk.messages[0]
    assert quote.text == "likes green tea."
    assert best.mentioned_at == talk.messages[0].said_at


def test_a_memory_is_found_by_words_that_only_its_message_has(store):
    """Extraction wrote "Ann bought it"; the message says what."""
    talk = log(["bought it. The saxophone, at last!", "plays chess.", "likes rain.", "owns two bicycles."])
    run_ingest(store, talk)

    best = ask(store, "saxophone").hits[0]

    assert (best.kind, best.text) == ("memory", "Ann bought it")


def test_a_message_nothing_was_extracted_from_is_found_as_message(store):
    talk = log(["likes tea.", "The saxophone is in the cellar!", "likes rain."])
    run_ingest(store, talk)

    best = ask(store, "Where is the saxophone?").hits[0]

    assert (best.kind, best.id) == ("message", talk.messages[1].id)
    assert best.text == "Ben: The saxophone is in the cellar!"
    (quote,) = best.quotes
    assert quote.text == talk.messages[1].text


def test_what_a_failed_buffer_left_unread_is_found_as_message(store):
    run_ingest(store, log(["likes tea."]), extractor=SayingExtractor(fails={"likes tea."}))
    assert [hit.kind for hit in ask(store, "tea").hits] == ["message"]


def test_a_message_is_not_listed_beside_the_memories_made_of_it(store):
    talk = log(["likes tea. likes toast.", "likes rain."])
    run_ingest(store, talk)
    assert {hit.kind for hit in ask(store, "likes tea").hits} == {"memory"}


def test_a_memory_stands_with_what_it_cites_beside_its_own_message_only_where_no_other_does(store):
    """A sentence told behind an earlier one cites that, too, and does not answer what that one does."""
    talk = log(["joined a rowing club.", "How is it?", "met nice people."])
    run_ingest(store, talk)
    first, later = memory_of(store, "rowing"), memory_of(store, "people")
    asked = Source(talk.messages[1].id, 0, 3)
    behind = replace(later, sources=(*later.sources, *first.sources, asked))
    with store.write(actor="test") as writer:
        writer.put_memories([behind])

    def shown_with(message):
        (turn,) = load_turns(store, Question("rowing"), [message.id])
        return {memory.id for memory in turn.memories}

    assert shown_with(talk.messages[0]) == {first.id}
    assert shown_with(talk.messages[2]) == {behind.id}
    assert shown_with(talk.messages[1]) == {behind.id}


def test_a_message_that_only_says_what_the_conversation_was_about_is_found_as_itself(store):
    talk = log(["Which boat?", "Which river?", "met nice people."])
    run_ingest(store, talk)
    told = memory_of(store, "people")
    asked = tuple(Source(message.id, 0, 5) for message in talk.messages[:2])
    noted = replace(
        told, text=in_conversation(told.text, "a boat", "a river"), sources=(*told.sources, *asked)
    )
    with store.write(actor="test") as writer:
        writer.put_memories([noted])
    turns = load_turns(store, Question("boats"), [message.id for message in talk.messages])
    assert [[memory.id for memory in turn.memories] for turn in turns] == [[], [], [noted.id]]


def test_the_keyword_index_sees_what_is_added_after_the_first_search(store):
    """SimpleMem's keyword index never sees entries after the first insert."""
    run_ingest(store, log(["likes tea."]))
    assert texts(ask(store, "submarine")) == ["Ann likes tea"]
    for name in ("b", "c"):
        run_ingest(store, log([f"owns submarine {name}."], name=name))
        best = ask(store, f"submarine {name}").hits[0]
        assert best.text == f"Ann owns submarine {name}"
        assert best.components["lexical"] > 0


def test_a_named_person_counts(store):
    run_ingest(store, log(["likes green tea.", "likes green tea."]))
    assert texts(ask(store, "What does Ben like?"))[0] == "Ben likes green tea"
    assert texts(ask(store, "What does Ann like?"))[0] == "Ann likes green tea"


def test_an_entity_leads_to_memories_through_its_triples(store):
    run_ingest(store, log(["owns Rex.", "likes rain.", "likes tea.", "likes jazz."]))

    report = ask(store, "Tell me about Rex")

    assert report.trace.plan.entities == ("Rex",)
    assert report.hits[0].text == "Ann owns Rex"
    by_graph = next(view for view in report.trace.views if view.view == "graph").ranking
    assert [key for key, _ in by_graph] == [report.hits[0].id]


def test_after_a_merge_of_entities_either_name_leads_to_the_memories_of_both(store):
    run_ingest(store, log(["owns Rex.", "likes rain.", "walks Rexie.", "likes jazz."]))
    rex, rexie = (next(e for e in store.entities("me") if e.name == name) for name in ("Rex", "Rexie"))
    with store.write(actor="test") as writer:
        writer.put_proposals([proposal("p", rex.id, rexie.id, operation="merge_entities", after="Rex")])
    decide.approve(store, EMBEDDER, ["p"], "person")

    for name in ("Rex", "Rexie"):
        report = ask(store, f"Tell me about {name}")
        assert report.trace.plan.entities == ("Rex",)
        by_graph = dict(next(v for v in report.trace.views if v.view == "graph").ranking)
        assert {m.id for m in store.memories("me") if "Rex" in m.text} <= set(by_graph)


def test_at_most_k_are_returned_best_first(store):
    run_ingest(store, log([f"likes thing{n}." for n in range(20)]))
    report = ask(store, "likes", k=7)
    assert len(report.hits) == 7
    scores = [hit.score for hit in report.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(ask(store, "likes", k=1000).hits) == 20


def test_the_same_question_has_the_same_answer(store):
    run_ingest(store, log([f"likes thing{n}." for n in range(10)]))
    assert ask(store, "thing3 or thing4?").hits == ask(store, "thing3 or thing4?").hits


def test_an_answer_is_found_by_the_question_it_answers(store):
    run_ingest(
        store,
        log(["likes rain.", "How long have you played the oboe?", "Five years!", "likes tea."]),
    )
    answer, *_ = [hit for hit in ask(store, "How long has Ann played the oboe?").hits if "Five" in hit.text]
    place = texts(ask(store, "How long has Ann played the oboe?")).index(answer.text)
    assert place <= 1, "right behind or before the turn that asks"


def test_i_asks_for_the_users_words_and_you_for_the_assistants(store):
    talk = log(["likes green tea.", "likes green tea."])
    asked, answered = (
        replace(message, speaker=name, role=role)
        for message, name, role in zip(
            talk.messages, ("User", "Assistant"), ("user", "assistant"), strict=True
        )
    )
    run_ingest(store, replace(talk, messages=(asked, answered)))
    for query, speaker in (("Which tea do I like?", "User"), ("Which tea do you like?", "Assistant")):
        best = ask(store, query).hits[0]
        assert best.quotes[0].message.speaker == speaker
        assert best.components["speaker"] > 0


@pytest.mark.parametrize(
    ("query", "weighed"),
    [
        ("Which tea do I like?", {"User": 1, "Assistant": -1}),
        ("Which tea do you like?", {"User": 0, "Assistant": 1}),
    ],
)
def test_an_assistants_words_count_less_where_nobody_asks_what_it_said(store, query, weighed):
    talk = log(["likes green tea.", "likes black tea."])
    roles = [("User", "user"), ("Assistant", "assistant")]
    said = tuple(
        replace(message, speaker=name, role=role)
        for message, (name, role) in zip(talk.messages, roles, strict=True)
    )
    run_ingest(store, replace(talk, messages=said))
    parts = {hit.quotes[0].message.speaker: hit.components["speaker"] for hit in ask(store, query).hits}
    assert {name: (part > 0) - (part < 0) for name, part in parts.items()} == weighed


def test_memories_of_the_same_words_are_told_once_by_the_nearest(store):
    """Two facts rest on one sentence; the sentence beside it has a fact of its own."""
    talk = log(["likes green tea. plays chess."])
    run_ingest(store, talk)
    told = memory_of(store, "tea")
    with store.write(actor="test") as writer:
        writer.put_memories([replace(told, id="again", text="Ann enjoys a hot drink")])
    assert texts(ask(store, "green tea")) == ["Ann likes green tea", "Ann plays chess"]
    assert texts(ask(store, "enjoys a hot drink"))[0] == "Ann enjoys a hot drink"


def test_a_memory_without_evidence_is_found_by_its_own_words(store):
    run_ingest(store, log(["likes rain.", "plays chess."]))
    written = replace(memory_of(store, "rain"), id="written", text="Ann is allergic to nuts", sources=())
    with store.write(actor="a person") as writer:
        writer.put_memories([written])
        writer.add_embeddings(EMBEDDER.model_id, {written.text: EMBEDDER.embed([written.text])[0]})
    best = ask(store, "allergic to nuts").hits[0]
    assert (best.id, best.quotes) == ("written", ())


def test_texts_whose_token_codes_were_never_stored_are_read_when_asked(store):
    """A store made before there were token codes."""
    run_ingest(store, log(["likes green tea.", "The saxophone is in the cellar!"]))
    expected = ask(store, "Where is the saxophone?")

    class Without:
        def __init__(self, inner):
            self._inner = inner

        def __getattr__(self, name):
            return getattr(self._inner, name)

        def token_codes(self, owner, ids, *, kind, recipe="memscope"):
            return {}

    assert ask(Without(store), "Where is the saxophone?").hits == expected.hits


def test_every_turn_that_was_weighed_is_in_the_trace_best_first(store):
    run_ingest(store, log([f"likes thing{n}." for n in range(20)]))
    report = ask(store, "likes thing3", k=3)
    assert len(report.hits) == 3 and len(report.trace.candidates) == 20
    scores = [candidate.score for candidate in report.trace.candidates]
    assert scores == sorted(scores, reverse=True)
    assert report.trace.candidates[0].id == report.hits[0].id
    assert report.trace.candidates[0].message_ids == (report.hits[0].quotes[0].message.id,)


# ---------------------------------------------------------------- when


def test_what_was_superseded_is_found_as_of_then_and_not_now(store):
    run_ingest(store, log(["lives in Paris.", "likes tea."], ["lives in Oslo.", "likes rain."]))
    old, new = memory_of(store, "Paris"), memory_of(store, "Oslo")
    approve(store, "invalidate", old, new)

    now = ask(store, "Where does Ann live?")
    then = ask(store, "Where does Ann live?", as_of=JANUARY + timedelta(days=1))

    assert "Ann lives in Paris" not in texts(now) and texts(now)[0] == "Ann lives in Oslo"
    assert "Ann lives in Oslo" not in texts(then) and texts(then)[0] == "Ann lives in Paris"
    assert then.hits[0].state == "invalidated"
    assert not any("Paris" in text for text in texts(now)), "nor as the raw message it came from"


def test_a_turn_is_found_no_more_for_what_was_superseded_in_it(store):
    """The message tells something else, too, which is found for itself as before."""
    run_ingest(
        store,
        log(
            ["owns four bikes. likes green tea.", "likes tea."],
            ["owns five bikes.", "likes rain."],
            ["repaired bikes.", "likes jazz."],
        ),
    )
    old, new = memory_of(store, "four"), memory_of(store, "five")

    approve(store, "update", old, new, after="Ann owns five bikes, one of them red")

    now = ask(store, "Which bikes does Ann own?").hits
    assert now[0].text.startswith("Ann owns five bikes")
    (tea,) = [hit for hit in now if hit.text == "Ann likes green tea"]
    assert tea.components["memory"] < -0.1
    (tea,) = ask(store, "Who likes green tea?").hits[:1]
    assert (tea.text, tea.components["memory"]) == ("Ann likes green tea", 0.0)
    then = ask(store, "Which bikes does Ann own?", as_of=JANUARY + timedelta(days=1))
    assert texts(then)[0] == "Ann owns four bikes"


def test_a_turn_of_which_all_was_superseded_is_found_for_what_took_its_place_and_nothing_else(store):
    """An answer that quotes the words it answers is not what they told."""
    talk = log(["owns four bikes.", "likes tea."], ["owns five bikes.", "likes rain."])
    run_ingest(store, talk)
    old, new, answer = (memory_of(store, words) for words in ("four", "five", "tea"))
    asked = Source(talk.messages[0].id, 0, len(talk.messages[0].text))
    with store.write(actor="test") as writer:
        writer.put_memories([replace(answer, sources=(*answer.sources, asked))])
    (outcome,) = approve(store, "update", old, new, after="Ann owns five bikes, one of them red").outcomes

    (turn,) = load_turns(store, Question("bikes"), [talk.messages[0].id])
    assert [memory.id for memory in turn.memories] == [outcome.memory_id]
    decide.undo(store, store.events()[-1].id, "person")
    approve(store, "invalidate", memory_of(store, "four"), memory_of(store, "five"))
    assert load_turns(store, Question("bikes"), [talk.messages[0].id]) == []


def test_a_turn_is_found_for_what_took_the_place_of_what_took_its_place(store):
    talk = log(["owns four bikes.", "likes tea."], ["owns five bikes.", "likes rain."], ["owns six bikes."])
    run_ingest(store, talk)
    old, new, newest = (memory_of(store, words) for words in ("four", "five", "six"))
    (first,) = approve(store, "update", old, new, after="Ann owns five bikes, one of them red").outcomes
    second = store.memories_by_id([first.memory_id])[first.memory_id]
    (last,) = approve(store, "update", second, newest, after="Ann owns six bikes, one of them red").outcomes

    (turn,) = load_turns(store, Question("bikes"), [talk.messages[0].id])
    assert [memory.id for memory in turn.memories] == [last.memory_id]


def test_who_asks_how_it_is_now_finds_the_newest_of_what_tells_the_same(store):
    run_ingest(
        store,
        log(
            ["owns four bikes.", "likes tea."],
            ["owns five bikes.", "likes rain."],
            ["owns six bikes.", "likes jazz."],
        ),
    )
    counts = ["Ann owns six bikes", "Ann owns five bikes", "Ann owns four bikes"]
    now = ask(store, "How many bikes does Ann own?").hits
    assert [hit.text for hit in now[:3]] == counts
    assert [hit.components["newer"] for hit in now[:3]] == [0.2, 0.1, 0.0]
    assert sum(now[0].components.values()) == pytest.approx(now[0].score)

    then = ask(store, "How many bikes did Ann own before?").hits
    assert {hit.components["newer"] for hit in then} == {0.0}


def test_what_tells_the_same_is_seen_by_the_memory_nearest_to_the_question(store):
    run_ingest(
        store,
        log(
            ["adores quiet evenings. owns four red city bikes.", "likes tea."],
            ["admires opera singers. owns five red city bikes.", "likes rain."],
        ),
    )
    hits = [hit for hit in ask(store, "How many red city bikes does Ann own?").hits if "bikes" in hit.text]
    assert [(hit.text, hit.components["newer"]) for hit in hits] == [
        ("Ann owns five red city bikes", 0.2),
        ("Ann owns four red city bikes", 0.0),
    ]


def test_who_asks_how_it_is_now_reads_the_newest_words_first(store):
    run_ingest(store, log(["owns five bikes.", "likes tea."], ["owns five bikes, all red.", "likes rain."]))
    old, new = sorted((m for m in store.memories("me") if "bikes" in m.text), key=lambda m: m.mentioned_at)
    (outcome,) = approve(store, "merge", old, new, after=old.text).outcomes

    (now,) = [hit for hit in ask(store, "How many bikes does Ann own?").hits if hit.id == outcome.memory_id]
    (then,) = [h for h in ask(store, "Which bikes did Ann own first?").hits if h.id == outcome.memory_id]

    assert [quote.text for quote in now.quotes] == ["owns five bikes, all red.", "owns five bikes."]
    assert [quote.text for quote in then.quotes] == ["owns five bikes.", "owns five bikes, all red."]


def test_what_another_person_or_the_same_session_tells_is_no_newer_answer(store):
    run_ingest(store, log(["owns four bikes.", "owns five bikes.", "owns three bikes."], ["Hello.", "Hi."]))
    hits = ask(store, "How many bikes does Ann own?").hits
    assert {hit.components["newer"] for hit in hits} == {0.0}


def test_what_was_not_said_yet_is_not_known_then(store):
    run_ingest(store, log(["likes tea.", "The cellar is wet!"], ["likes rain.", "The roof leaks!"]))

    before_all = ask(store, "tea rain cellar roof", as_of=JANUARY - timedelta(days=1))
    between = ask(store, "tea rain cellar roof", as_of=JANUARY + timedelta(days=1))

    assert texts(before_all) == []
    assert set(texts(between)) == {"Ann likes tea", "Ben: The cellar is wet!"}


def test_an_update_holds_from_the_newer_statement_on(store):
    run_ingest(store, log(["has a dog.", "likes rain."], ["has a dog named Rex.", "likes jazz."]))
    old, new = sorted((m for m in store.memories("me") if "dog" in m.text), key=lambda m: m.mentioned_at)
    (outcome,) = approve(store, "update", old, new, after="Ann has a dog, Rex").outcomes

    now = ask(store, "dog")
    assert "Ann has a dog" not in texts(now)
    assert outcome.memory_id in {hit.id for hit in now.hits}
    then = ask(store, "dog", as_of=JANUARY + timedelta(days=1))
    assert texts(then)[0] == "Ann has a dog"
    assert outcome.memory_id not in {hit.id for hit in then.hits}


def test_undoing_brings_back_what_was_found_before(store):
    run_ingest(store, log(["lives in Paris.", "likes tea."], ["lives in Oslo.", "likes rain."]))
    before = ask(store, "Where does Ann live?").hits
    decided = approve(store, "invalidate", memory_of(store, "Paris"), memory_of(store, "Oslo"))

    decide.undo(store, decided.event_id, "person")

    assert ask(store, "Where does Ann live?").hits == before


def test_a_time_in_the_question_counts(store):
    run_ingest(
        store,
        log(["visited the dentist."], begin=datetime(2023, 2, 3)),
        log(["visited the dentist."], name="b", begin=datetime(2023, 6, 3)),
    )
    for month, place in (("February", datetime(2023, 2, 3)), ("June", datetime(2023, 6, 3))):
        best = ask(store, f"Which visits to the dentist were there in {month} 2023?").hits[0]
        assert best.mentioned_at == place
        assert best.components["time"] > 0


# ---------------------------------------------------------------- scores and trace


def test_the_components_sum_to_the_score(store):
    run_ingest(store, log(["likes green tea.", "owns Rex.", "The cellar is wet!", "likes rain."]))
    for query in ("When did Ann drink green tea?", "Rex", "cellar in January 2024"):
        for hit in ask(store, query).hits:
            assert set(hit.components) == PARTS
            assert sum(hit.components.values()) == pytest.approx(hit.score)


def test_whoever_says_the_words_of_the_time_asked_is_not_found_for_them(store):
    run_ingest(store, log(["bought a smoker.", "bought a lamp ten days ago."]))
    asked = JANUARY + timedelta(days=10)

    hits = ask(store, "What did Ann buy ten days ago?", asked_at=asked).hits

    assert "smoker" in hits[0].text
    assert hits[0].components["lexical"] >= hits[1].components["lexical"]


def test_a_weight_of_nothing_silences_a_view(store):
    run_ingest(store, log(["likes green tea.", "owns Rex."]))
    silent = Weights(**{field.name: 0.0 for field in fields(Weights)} | {"lexical": 1.0})
    for hit in ask(store, "Ann tea", weights=silent).hits:
        assert hit.score == hit.components["lexical"]


def test_the_trace_tells_all_that_led_to_the_ranking(store):
    run_ingest(store, log(["likes green tea.", "owns Rex."]))
    as_of = JANUARY + timedelta(days=3)

    trace = ask(store, "When did Ann see Rex?", as_of=as_of).trace

    assert trace.plan.query == "When did Ann see Rex?"
    assert (trace.plan.persons, trace.plan.asks_when) == (("Ann",), True)
    assert {view.view for view in trace.views} == {
        "semantic memory",
        "semantic message",
        "semantic triple",
        "lexical memory",
        "lexical message",
        "graph",
        "late interaction",
    }
    assert set(trace.weights) == PARTS
    assert trace.as_of == as_of
    for view in trace.views:
        raw = [score for _, score in view.ranking]
        assert raw == sorted(raw, reverse=True)
        assert view.milliseconds >= 0
    known = {m.id for m in store.memories("me")}
    by_meaning = next(view for view in trace.views if view.view == "semantic memory")
    assert {key for key, _ in by_meaning.ranking} == known


def test_searching_writes_nothing(store):
    run_ingest(store, log(["likes tea."]))
    before = (store.events(), store.runs(), store.traces())
    ask(store, "tea")
    assert (store.events(), store.runs(), store.traces()) == before


# ---------------------------------------------------------------- owners


def test_nothing_of_another_owner_is_found_or_named(store):
    run_ingest(store, log(["likes green tea. owns Rex."]))
    run_ingest(store, log(["hates green tea. walks Fido.", "The cellar is wet!"], owner="you"), owner="you")

    mine, yours = (
        ask(store, "green tea Rex Fido cellar"),
        ask(store, "green tea Rex Fido cellar", owner="you"),
    )

    assert set(texts(mine)) == {"Ann likes green tea", "Ann owns Rex"}
    assert set(texts(yours)) == {"Ann hates green tea", "Ann walks Fido", "Ben: The cellar is wet!"}
    assert (mine.trace.plan.entities, yours.trace.plan.entities) == (
        ("green tea", "Rex"),
        ("green tea", "Fido"),
    )
    ids = [{key for view in r.trace.views for key, _ in view.ranking} for r in (mine, yours)]
    assert ids[0].isdisjoint(ids[1])


def test_of_two_recipes_only_the_named_ones_memories_are_found(store):
    talk = log(["likes green tea.", "plays chess."])
    run_ingest(store, talk)
    run_ingest(store, talk, recipe=SYSTEMS["lightmem"])
    for recipe in ("memscope", "lightmem"):
        hits = ask(store, "green tea", recipe=recipe).hits
        assert {store.memory(hit.id).recipe for hit in hits} == {recipe}
        assert hits[0].text == "Ann likes green tea"


def test_an_owner_nobody_has_heard_of_has_an_empty_memory(store):
    run_ingest(store, log(["likes tea."]))
    assert ask(store, "tea", owner="stranger").hits == ()


# ---------------------------------------------------------------- odd questions


def test_an_empty_store_answers_with_nothing(store):
    report = ask(store, "Where does Ann live?")
    assert report.hits == ()
    assert all(view.ranking == () for view in report.trace.views)


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_an_empty_question_is_a_usage_error(store, query):
    with pytest.raises(UsageError, match="empty"):
        ask(store, query)


@pytest.mark.parametrize("k", [0, -3])
def test_asking_for_no_results_is_a_usage_error(store, k):
    with pytest.raises(UsageError, match=f"k = {k}"):
        ask(store, "tea", k=k)


@pytest.mark.parametrize(
    "query",
    [
        "who is it?",
        "the of and",
        "?!",
        "tea' OR 1=1; DROP TABLE memories; --",
        '"; select * from memories where "%_"',
        "(.*)+[a-z]{1,}$^\\",
        "🫖 🐕‍🦺",
        "чай と 茶",
        "tea\x00\x1b[31m\u202e",
        "\ud800 tea",
        "tea " * 2500,
        "x" * 10_000,
        "2024-99-99 or 31 February",
        "in 0 days, 99999999999 years ago",
    ],
)
def test_whatever_is_asked_the_store_answers_and_stays_whole(store, query):
    run_ingest(store, log(["likes green tea.", "owns Rex."]))

    report = ask(store, query)

    assert 0 < len(report.hits) <= 2
    assert all(hit.score == hit.score for hit in report.hits), "no score is NaN"
    if "tea" in query:
        (tea,) = (hit for hit in report.hits if "tea" in hit.text)
        assert tea.components["lexical"] > 0
    assert store.count_memories("me") == 2


def test_names_with_metacharacters_are_matched_as_they_are(store):
    run_ingest(store, log(["likes C++ (2020).", "likes rain."]))
    with store.write(actor="test") as writer:
        writer.put_entities([Entity("e", "me", "50% off_", "THING")])
    assert texts(ask(store, "C++ (2020)"))[0] == "Ann likes C++ (2020)"
