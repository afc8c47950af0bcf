"""What is chosen on one page is chosen on the next: owner, log, session and system."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from memcore.memory import open_memory
from tests.app.conftest import LightBackends, Open, shown
from tests.store.samples import log
from ui.shell import chosen, links

pytestmark = pytest.mark.usefixtures("light_embedder")
PAGES = [Path(file).stem if file != "app.py" else file for file in links.PAGES.values()]
CHOICE = {"log": "a", "session": "a-s1", "recipe": "lightmem"}


@pytest.fixture
def two_logs(seeded: Path) -> Path:
    """Beside the seed's log one of two sessions, read by LightMem, which has read the seed's first, too; and
    a log of another owner."""
    with open_memory(seeded, backends=LightBackends) as memory:
        ours = memory.memories.find()
        run = replace(memory.runs.all()[0], id="run_light", recipe="lightmem")
        first, second = log("Hello.", "Good day."), log("It rains.", "Again?", session=1)
        read = [m.id for m in memory.evidence.session("ses_1").messages]
        with memory.store.write(actor="test", run_id=run.id) as writer:
            writer.put_run(run)
            for one in (first, second, log("Mine.", name="b", owner="you")):
                writer.add_log(one)
            writer.put_memories([replace(ours[0], id="light", recipe="lightmem", run_id=run.id)])
            read += [m.id for one in (first, second) for m in one.messages]
            writer.mark_processed("lightmem", read, run.id)
    return seeded


def go(app: AppTest, page: str, **query: str) -> AppTest:
    """Follow the sidebar's link to a page or, with a `query`, a deep link that says no more than that."""
    carried = parse_qs(app.sidebar.get("page_link")[0].proto.query_string)
    query = query or {name: value for name, (value,) in carried.items()}
    app.query_params.clear()
    app.switch_page("app.py" if page == "app.py" else f"pages/{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def told(app: AppTest) -> dict[str, str]:
    """What of the choice the address says."""
    given = {name: app.query_params[name] for name in chosen.NAMES if name in app.query_params}
    return {name: one if isinstance(one, str) else one[0] for name, one in given.items()}


def box(app: AppTest, label: str) -> str:
    """What a select box shows."""
    (value,) = [one.value for one in app.selectbox if one.label == label]
    return str(value)


def choose(app: AppTest, label: str, value: str) -> None:
    """Choose in a select box."""
    (one,) = [one for one in app.selectbox if one.label == label]
    one.set_value(value).run()


def test_every_page_keeps_what_was_chosen_in_its_address_and_in_the_links_of_its_sidebar(
    two_logs: Path, open_page: Open
) -> None:
    app = open_page("3_Topics", **CHOICE)
    for page in PAGES:
        go(app, page)
        assert told(app) == CHOICE, page
        for one in app.sidebar.get("page_link"):
            assert parse_qs(one.proto.query_string) == {k: [v] for k, v in CHOICE.items()}, page


def test_a_choice_made_on_a_page_is_shown_on_the_others(two_logs: Path, open_page: Open) -> None:
    app = open_page("4_Buffers")
    choose(app, "Log", "a")
    choose(app, "Session", "a-s1")
    assert told(app) == {"session": "a-s1"}
    assert box(app, "Log") == "a"
    assert box(go(app, "5_Memories"), "Session") == "a-s1"
    assert box(go(app, "10_Compare"), "Log") == "a"
    choose(app, "Log", "conv_1")
    assert told(app) == {"log": "conv_1"}
    assert box(go(app, "4_Buffers"), "Session") == "ses_1"


def test_a_deep_link_shows_what_it_names_and_leaves_the_address_as_it_is(
    two_logs: Path, open_page: Open
) -> None:
    app = open_page("3_Topics", **CHOICE)
    go(app, "3_Topics", session="ses_2")
    assert told(app) == {"session": "ses_2"}
    assert (box(app, "Log"), box(app, "Session")) == ("conv_1", "ses_2")
    assert told(go(app, "4_Buffers")) == {"session": "ses_2"}
    assert told(go(app, "10_Compare", log="a")) == {"log": "a"}


def test_a_system_that_has_not_read_the_session_is_said_so_and_not_forgotten(
    two_logs: Path, open_page: Open
) -> None:
    app = open_page("4_Buffers", session="ses_2", recipe="mem0")
    assert "Mem0 has not read this session: Memscope’s own is shown." in shown(app)
    assert "Mem0 has read nothing here: Memscope’s own is shown." in shown(go(app, "5_Memories"))
    assert "Mem0 has read nothing here: Memscope’s own is shown." in shown(go(app, "9_Ask"))
    assert "The system mem0 has no graph here." in shown(go(app, "6_Graph"))
    assert "0 of 3 that wait: Mem0" in shown(go(app, "8_Review"))
    assert told(app)["recipe"] == "mem0"


def test_a_link_to_an_entity_shows_the_graph_that_has_it(two_logs: Path, open_page: Open) -> None:
    with open_memory(two_logs, backends=LightBackends) as memory:
        whole = memory.graph.whole("me", recipe="memscope")
        entities = [replace(one, id=f"{one.id}_light", recipe="lightmem") for one in whole.entities.values()]
        triples = [
            replace(
                one,
                id=f"{one.id}_light",
                recipe="lightmem",
                subject_id=f"{one.subject_id}_light",
                object_id=f"{one.object_id}_light",
            )
            for one in memory.store.triples("me", recipe="memscope")
        ]
        with memory.store.write(actor="test") as writer:
            writer.put_entities(entities)
            writer.put_triples(triples)
    app = go(open_page("5_Memories", recipe="lightmem"), "6_Graph", recipe="lightmem", entity="ent_1")
    assert "The entity is in the graph of Memscope’s own, which is shown." in shown(app)
    assert box(app, "Entity") == "ent_1"


def test_another_owner_is_another_log(two_logs: Path, open_page: Open) -> None:
    app = open_page("3_Topics", **CHOICE)
    choose(app, "Whose memory", "you")
    assert told(app) == {"owner": "you", "recipe": "lightmem"}
    assert told(go(app, "4_Buffers")) == {"owner": "you", "recipe": "lightmem"}


def test_links_in_text_carry_the_choice(two_logs: Path, open_page: Open) -> None:
    assert "./Memories?log=conv_1&amp;memory=" in shown(open_page("6_Graph", log="conv_1"))


def test_the_sidebar_counts_the_memories_of_one_system(two_logs: Path, open_page: Open) -> None:
    with open_memory(two_logs, backends=LightBackends) as memory:
        own = memory.memories.count(recipe="memscope")
    app = open_page("13_Settings")
    assert f"{own} memories of Memscope’s own" in shown(app)
    assert "1 memory of LightMem" in shown(go(app, "13_Settings", recipe="lightmem"))


def test_a_link_of_the_sidebar_opens_a_page_without_the_filters_it_was_left_with(
    two_logs: Path, open_page: Open
) -> None:
    app = open_page("5_Memories", session="ses_2")
    app.text_input(key="bound_text").set_value("Porto").run()
    choose(app, "Kind", "state")
    assert ">1 memory<" in shown(app)
    go(app, "13_Settings")
    go(app, "5_Memories")
    assert (app.text_input(key="bound_text").value, box(app, "Kind")) == ("", "None")
    assert ">3 memories<" in shown(app)
    assert dict(app.query_params) == {"log": "conv_1", "session": "ses_2"}


def test_what_of_the_graph_is_shown_is_not_shown_on_return(two_logs: Path, open_page: Open) -> None:
    app = open_page("6_Graph", depth="3", ended="false")
    assert (app.number_input(key="bound_depth").value, app.toggle(key="bound_ended").value) == (3, False)
    app.number_input(key="bound_depth").set_value(2).run()
    assert app.query_params["depth"] == "2"
    go(app, "5_Memories")
    go(app, "6_Graph")
    assert (app.number_input(key="bound_depth").value, app.toggle(key="bound_ended").value) == (1, True)
    assert {*app.query_params} == set()


def test_what_a_new_choice_ends_changes_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chosen, "get", {"owner": "me", "log": "a", "session": "a-s1"}.get)
    ended = chosen.with_what_ends
    assert ended({"owner": "you"}) == {"log": None, "session": None, "owner": "you"}
    assert ended({"owner": "you", "log": "a"}) == {"session": None, "owner": "you", "log": "a"}
    assert ended({"log": "a", "recipe": "mem0", "job": "j"}) == {"recipe": "mem0", "job": "j"}
    assert ended({"session": "b-s1"}) == {"log": None, "session": "b-s1"}
    assert ended({"log": None}) == {"log": None}
