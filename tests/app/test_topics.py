"""Topics: every method side by side, the turns behind a click, and a boundary moved, read again, undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memcore.domain.models import LogRead, StageTrace
from memcore.memory import Memory, open_memory
from memcore.stages.segmentation.trace import SegmentationTrace
from tests import pipeline
from tests.app.conftest import Open, shown
from tests.app.seed import RUN
from tests.pipeline import FakeBackends, FirstTurnExtractor
from ui.components.terms import TERMS
from ui.shell import opened
from ui.shell.jobs import board

TALK = pipeline.log(
    ["likes tea.", "likes jazz.", "owns boats.", "sings songs.", "reads maps.", "bakes bread."]
)
SESSION = TALK.sessions[0].id
TURNS = [message.id for message in TALK.messages]


@pytest.fixture
def extractor(store: Path) -> FirstTurnExtractor:
    """What the pages read with."""
    made = FirstTurnExtractor()
    opened.work_with(partial(FakeBackends, extractor=made))
    return made


@pytest.fixture
def talk(store: Path, extractor: FirstTurnExtractor) -> Iterator[Memory]:
    """A session that a person has cut into turns 1 to 3 and 4 to 6."""
    with open_memory(store, backends=partial(FakeBackends, extractor=extractor)) as memory:
        memory.ingest(LogRead((TALK,)))
        memory.resegment(SESSION, [TURNS[3]])
        yield memory


def topics(memory: Memory) -> list[int]:
    return [len(segment.message_ids) for segment in memory.evidence.session(SESSION).segments]


def titles(app: AppTest) -> list[str]:
    return [one.label for one in app.expander if one.label.startswith("**")]


def start_moving(app: AppTest) -> AppTest:
    return app.toggle(key="bound_moving").set_value(True).run()


def read_again(app: AppTest) -> AppTest:
    app.button(key="read_again").click().run()
    job = board().get(app.query_params["job"])
    assert job is not None
    job.future.exception(timeout=180)
    return app.run()


def rows(app: AppTest) -> dict[str, str]:
    """The side-by-side table: cut -> where its topics start."""
    table = next(e.proto.body for e in app.get("html") if "topics start at turn" in e.proto.body)
    cells = [row.split("<td>")[1:] for row in unescape(table).split("<tr>")[2:]]
    return {name.split("<")[0]: starts.split("<")[0] for name, _, starts in cells}


# ---------------------------------------------------------------- what is shown


def test_every_method_stands_beside_the_cut_of_the_person(talk: Memory, open_page: Open) -> None:
    found = rows(open_page("3_Topics", attention="true"))
    assert list(found)[:4] == ["B1 attention", "B2 similarity", "B1 ∩ B2", "published ±3"]
    assert {"TextTiling", "topic shift"} <= found.keys()
    assert list(found)[-1] == "a person"
    assert found["a person"] == "4"


def test_the_turns_the_url_names_are_set_off_and_their_topic_is_open(talk: Memory, open_page: Open) -> None:
    app = open_page("3_Topics", turn="5")
    assert [one.proto.expanded for one in app.expander if one.label.startswith("**")] == [False, True]
    assert shown(app).count('class="ms-turn lit"') == 1
    assert shown(open_page("3_Topics", turn="2,5")).count('class="ms-turn lit"') == 2
    assert shown(open_page("3_Topics", turn="99,x")).count('class="ms-turn lit"') == 0


def test_a_link_to_a_segment_opens_it(talk: Memory, open_page: Open) -> None:
    wanted = talk.evidence.session(SESSION).segments[1].id
    app = open_page("3_Topics", session=SESSION, recipe="memscope", segment=wanted)
    assert [one.proto.expanded for one in app.expander if one.label.startswith("**")] == [False, True]


def test_a_session_read_by_several_systems_is_shown_as_the_chosen_one_cut_it(
    talk: Memory, open_page: Open
) -> None:
    talk.resume(recipe="lightmem")
    assert "a person" in rows(open_page("3_Topics", session=SESSION, recipe="memscope"))
    other = open_page("3_Topics", session=SESSION, recipe="lightmem")
    assert "a person" not in rows(other)
    assert "set by a person" not in shown(other)


def test_a_fallback_is_told_as_such(talk: Memory, open_page: Open) -> None:
    assert "fallback: similarity alone" not in shown(open_page("3_Topics"))
    _rewrite(talk, fallback=True)
    assert "fallback: similarity alone" in shown(open_page("3_Topics"))


def test_a_trace_of_before_the_trained_method_is_still_shown(talk: Memory, open_page: Open) -> None:
    _rewrite(talk, method="similarity", by_method={}, shift=(), shift_threshold=None, reasons=(), matrix=None)
    app = open_page("3_Topics")
    assert not app.exception
    assert list(rows(app)) == ["B1 attention", "B2 similarity", "a person"]


def test_attention_that_no_method_needed_is_read_when_somebody_asks_and_not_before(
    talk: Memory, open_page: Open
) -> None:
    app = open_page("3_Topics")
    assert list(rows(app)) == ["B2 similarity", "TextTiling", "topic shift", "a person"]
    assert "read now" not in shown(app)

    app.toggle(key="bound_attention").set_value(True).run()
    assert {"B1 attention", "B1 ∩ B2", "published ±3"} <= rows(app).keys()
    assert "were read now, from the turns as they were compressed" in shown(app)
    assert app.query_params["attention"] == "true"
    (stored,) = talk.traces.of(SESSION, "segment")
    assert not any(SegmentationTrace(**stored.payload).attention)

    app.toggle(key="bound_attention").set_value(False).run()
    assert "B1 attention" not in rows(app)


def test_attention_that_was_stored_is_shown_as_it_is(talk: Memory, open_page: Open) -> None:
    _rewrite(talk, attention=(None, 1.0, 0.2, 0.9, 0.2, 0.3), attention_maxima=(3,), matrix=((0.5,) * 6,) * 6)
    app = open_page("3_Topics")
    assert "bound_attention" not in [toggle.key for toggle in app.toggle]
    assert "its local maxima" in shown(app)


def _rewrite(memory: Memory, **changes: object) -> None:
    """Let the newest segmentation trace of the session say something else."""
    (trace,) = memory.traces.of(SESSION, "segment")
    payload = asdict(replace(SegmentationTrace(**trace.payload), **changes))  # type: ignore[arg-type]
    memory.store._database.query("delete from traces where stage = 'segment'")
    with memory.store.write(actor="test") as writer:
        writer.add_traces([StageTrace(trace.run_id, "segment", SESSION, 0, 1.0, payload)])


# ---------------------------------------------------------------- moving a boundary


def test_a_moved_boundary_is_a_draft_that_changes_nothing_until_it_is_read(
    talk: Memory, open_page: Open
) -> None:
    app = start_moving(open_page("3_Topics"))
    app.button(key="later_1").click().run()
    assert "2 topics would be read again: turns 1 to 4, 5 to 6" in shown(app)
    assert rows(app)["draft"] == "5"
    assert titles(app) == ["**1. not read yet** · 4 turns", "**2. not read yet** · 2 turns"]
    assert topics(talk) == [3, 3]

    app.button(key="earlier_1").click().run()
    assert "would be read again" not in shown(app)
    app.button(key="earlier_1").click().run()
    app.button(key="discard_draft").click().run()
    assert "would be read again" not in shown(app)
    assert len(titles(app)) == 2


def test_a_boundary_passes_no_other_and_leaves_no_topic_empty(talk: Memory, open_page: Open) -> None:
    app = start_moving(open_page("3_Topics"))
    app.button(key="later_1").click().run()
    app.button(key="later_1").click().run()
    assert app.button(key="later_1").disabled
    assert not app.button(key="earlier_1").disabled
    assert "earlier_0" not in [button.key for button in app.button]


def test_topics_are_joined_and_new_ones_begun(talk: Memory, open_page: Open) -> None:
    app = start_moving(open_page("3_Topics"))
    app.selectbox(key=f"split_{TURNS[3]}_{TURNS[5]}").set_value(TURNS[4]).run()
    assert rows(app)["draft"] == "4, 5"
    app.button(key="join_1").click().run()
    assert rows(app)["draft"] == "5"


def test_reading_again_changes_the_topics_says_what_came_of_it_and_can_be_undone(
    talk: Memory, open_page: Open
) -> None:
    app = start_moving(open_page("3_Topics"))
    app.button(key="later_1").click().run()
    read_again(app)

    assert topics(talk) == [4, 2]
    html = shown(app)
    assert "2 topics read again" in html
    assert "1 memory added, 1 as before, 1 proposed for removal" in html
    assert "Ann reads maps" in html
    assert "would be read again" not in html
    assert rows(app)["a person"] == "5"
    (proposal,) = talk.review.proposals()
    assert proposal.before == "Ben sings songs"

    app.button(key="undo_cut").click().run()
    assert topics(talk) == [3, 3]
    assert talk.review.proposals() == []
    assert rows(app)["a person"] == "4"
    assert "job" not in app.query_params


def test_the_last_move_can_be_undone_later(talk: Memory, open_page: Open) -> None:
    app = open_page("3_Topics")
    assert "set by a person" in shown(app)
    app.button(key="undo_last_cut").click().run()
    assert talk.evidence.session(SESSION).cut is None
    assert "set by a person" not in shown(app)
    assert not app.exception


def test_a_reading_that_fails_says_why_and_keeps_the_draft(
    talk: Memory, open_page: Open, extractor: FirstTurnExtractor
) -> None:
    extractor.fails.add("bakes bread.")
    app = start_moving(open_page("3_Topics"))
    app.button(key="later_1").click().run()
    read_again(app)
    assert "cannot read &#x27;bakes bread.&#x27;" in shown(app)
    assert rows(app)["draft"] == "5"
    assert topics(talk) == [3, 3]


def test_a_move_is_told_in_the_history_of_decisions(talk: Memory, open_page: Open) -> None:
    html = shown(open_page("8_Review", view="History"))
    assert "Topic boundaries moved" in html
    assert "into 2 topics" in html


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    opened.close()


def test_a_summary_is_shown_only_with_the_system_that_made_it(seeded: Path, open_page: Open) -> None:
    with open_memory(seeded) as memory, memory.store.write(actor="test", run_id=RUN) as writer:
        view = memory.evidence.session("ses_1")
        assert view.summary is not None
        made_from = tuple(segment.id for segment in view.segments)
        writer.put_summaries([replace(view.summary, segment_ids=made_from)])
        theirs = replace(view.segments[0], id="seg_light", recipe="lightmem")
        writer.add_segments([theirs])
        writer.mark_processed("lightmem", [m.id for m in view.messages], RUN)
    opened.close()
    assert "<b>Summary.</b>" in shown(open_page("3_Topics", session="ses_1", recipe="memscope"))
    assert "<b>Summary.</b>" not in shown(open_page("3_Topics", session="ses_1", recipe="lightmem"))


def test_the_terms_of_the_rules_say_what_they_are(talk: Memory, open_page: Open) -> None:
    html = unescape(shown(open_page("3_Topics", attention="true")))
    for term in ("B1", "B2", "TextTiling depth"):
        assert f'<abbr title="{TERMS[term]}">{term}</abbr>' in html
