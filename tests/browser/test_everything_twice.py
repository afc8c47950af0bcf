"""Every control of every page is used twice in a row, after leaving and coming back, and after a reload, as
`tests/browser/walk.py` says, with the sample loaded: `python -m pytest -m walk`. By default only the question
of Ask is, on a small store; the slow run adds the pages that take a minute or two."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic

import pytest
from playwright.sync_api import Browser

from memcore.domain.models import DEFAULT_OWNER
from memcore.logs import ReadOptions, read_bytes, read_log
from memcore.memory import open_memory
from memcore.review.curate.acts import MarkWrong
from memcore.review.decide import WRITING
from memcore.runtime import projects
from tests.app.seed import seed
from tests.browser.conftest import session, tell
from tests.browser.controls import FILES
from tests.browser.walk import Walk
from tools.serving import ROOT, served

pytestmark = [pytest.mark.browser, pytest.mark.models]

SAMPLE, SEED, OWNERS, EMPTY = "sample", "seed", "owners", "empty"
ASKED = "Where+does+Nora+live+now%3F"
WALKS = [
    (EMPTY, "Home", [""]),
    (OWNERS, "Home", [""]),
    (SAMPLE, "Import", ["Import"]),
    (SAMPLE, "Compression", ["Compression"]),
    (SAMPLE, "Topics", ["Topics", "Topics?moving=true&segment={segment}"]),
    (SAMPLE, "Buffers", ["Buffers"]),
    (SAMPLE, "Memories", ["Memories", "Memories?session={session}", "Memories?memory={memory}"]),
    (SAMPLE, "Graph", ["Graph"]),
    (SAMPLE, "Update queue", ["Update_queue"]),
    (
        SAMPLE,
        "Review",
        ["Review?proposal={proposal}", "Review?view=History", "Review?view=Found+wrong", "Review?view=Rules"],
    ),
    (SAMPLE, "Ask", [f"Ask?q={ASKED}"]),
    (
        SAMPLE,
        "Compare",
        ["Compare?systems=memscope,lightmem,naive_rag", f"Compare?view=A+question&q={ASKED}"],
    ),
    (SAMPLE, "Evaluate", ["Evaluate?files=sample&system=naive_rag&first=4"]),
    (SAMPLE, "Runs and cost", ["Runs_and_cost", "Runs_and_cost?run={run}"]),
    (SAMPLE, "Settings", ["Settings"]),
]
"""The store, the page, and the addresses of its views."""
SHORT = ("Home", "Compression", "Buffers", "Runs and cost")
"""Pages that the slow run walks through as well."""


def _marks(name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.walk, *([pytest.mark.slow] if name in SHORT else [])]


# --------------------------------------------------------------------------- stores


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, dict[str, str]]]:
    """A store by its name, made once, and ids of what is in it. To be copied, not to be worked on."""
    made: dict[str, tuple[Path, dict[str, str]]] = {}

    def store(name: str) -> tuple[Path, dict[str, str]]:
        if name not in made:
            directory = tmp_path_factory.mktemp(name) / "store"
            made[name] = directory, _MAKE[name](directory)
        return made[name]

    return store


def _make_sample(directory: Path) -> dict[str, str]:
    with open_memory(directory, llm="none") as memory:
        log = read_log(ROOT / "sample_data" / "two_friends.json")
        for recipe in ("memscope", "lightmem"):
            memory.ingest(log, recipe=recipe)
        memory.consolidate()
        for recipe in ("memscope", "lightmem"):
            last = memory.memories.find(DEFAULT_OWNER, recipe=recipe)[-1]
            memory.curation.do(MarkWrong((last.id,), "person", "Somebody else said it"))
        first = memory.evidence.session(memory.evidence.sessions(DEFAULT_OWNER)[0].id)
        return {
            "run": memory.runs.all()[-1].id,
            "session": first.session.id,
            "segment": first.segments[1].id,
            "memory": first.memories[0].id,
            "proposal": next(p.id for p in memory.review.proposals(DEFAULT_OWNER) if p.operation in WRITING),
        }


def _make_seed(directory: Path) -> dict[str, str]:
    seed(directory)
    return {}


def _make_owners(directory: Path) -> dict[str, str]:
    seed(directory)
    with open_memory(directory, llm="none") as memory:
        own = read_bytes("friends.md", FILES["friends_1.md"], ReadOptions(owner="Ada"))
        memory.ingest(own, owner="Ada")
    return {}


def _make_empty(directory: Path) -> dict[str, str]:
    directory.mkdir()
    return {}


_MAKE = {SAMPLE: _make_sample, SEED: _make_seed, OWNERS: _make_owners, EMPTY: _make_empty}


@pytest.fixture
def walk(
    browser: Browser,
    stores: Callable[[str], tuple[Path, dict[str, str]]],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Iterator[Callable[..., Walk]]:
    """Walk through a page in a browser of its own, on copies of a store that no other walk sees, as a person
    whose projects no other has; on Settings they have one more."""
    with ExitStack() as stack:

        def walked(store: str, name: str, *addresses: str, only: str = "", root: Path = ROOT) -> Walk:
            begun, server, times = monotonic(), ExitStack(), iter(range(1_000))
            stack.callback(lambda: server.close())
            original, ids = stores(store)

            def serve() -> str:
                server.close()
                own = tmp_path / str(next(times)) / "store"
                shutil.copytree(original, own)
                persons = {one: str(own.with_name(one)) for one in ("MEMSCOPE_CONFIG", "MEMSCOPE_DATA")}
                if name == "Settings":
                    other = own.with_name("other")
                    seed(other)
                    projects.add(str(other), "Another project", persons)
                return server.enter_context(served(own, root=root, OMP_NUM_THREADS="1", **persons)).url

            context = stack.enter_context(session(browser, viewport={"width": 1360, "height": 1400}))
            context.set_default_timeout(30_000)
            done = Walk(context.new_page(), serve, name, only)
            done.through(*(address.format(**ids) for address in addresses))
            took = (monotonic() - begun) / 60
            tell(request.node, f"{name}: {len(done.used)} controls twice, {took:.1f} minutes")
            return done

        yield walked


# --------------------------------------------------------------------------- the walks


def test_every_question_that_is_typed_is_asked(walk: Callable[..., Walk]) -> None:
    done = walk(SEED, "Ask", "Ask", only="text ")
    assert done.failed == []
    assert len(done.used) == 1


@pytest.mark.slow
def test_every_day_of_asking_that_is_chosen_is_asked_on(walk: Callable[..., Walk]) -> None:
    done = walk(SEED, "Ask", f"Ask?q={ASKED}", only="day asked_asked_on")
    assert done.failed == []
    assert len(done.used) == 1


EVERY_SECOND = {
    """        st.text_input(
            "Question", placeholder="When did we …?", key=_key("text"), label_visibility="collapsed"
        )
""": """        text = st.text_input(
            "Question", asked.text, placeholder="When did we …?", label_visibility="collapsed"
        ).strip()
""",
    """            st.form_submit_button("Ask", type="primary", on_click=_ask)
        asked_on.left_empty(memory, asked.as_of)
    return asked if asked.text else None
""": """            if st.form_submit_button("Ask", type="primary"):
                links.only(q=text or None)
    return replace(asked, text=text) if text else None
""",
    "import asdict, dataclass, fields": "import asdict, dataclass, fields, replace",
}
"""What makes Ask take every second question only, as it once did: its text input has another value in each
run, and no key."""


@pytest.mark.slow
def test_a_walk_fails_where_every_second_question_is_lost(walk: Callable[..., Walk], tmp_path: Path) -> None:
    root = tmp_path / "app"
    for part in ("pages", "ui", "memcore", "sample_data", ".streamlit"):
        shutil.copytree(ROOT / part, root / part)
    shutil.copy(ROOT / "app.py", root)
    form = root / "ui" / "ask" / "question.py"
    code = form.read_text(encoding="utf-8")
    for now, before in EVERY_SECOND.items():
        assert code.count(now) == 1
        code = code.replace(now, before)
    form.write_text(code, encoding="utf-8")
    done = walk(SEED, "Ask", "Ask", only="text ", root=root)
    (failure,) = done.failed
    assert "text “Question”: it shows" in failure


@pytest.mark.parametrize(
    ("store", "name", "addresses"),
    [pytest.param(*one, marks=_marks(one[1]), id=f"{one[0]} {one[1]}") for one in WALKS],
)
def test_every_control_is_used_twice(
    walk: Callable[..., Walk], store: str, name: str, addresses: list[str]
) -> None:
    done = walk(store, name, *addresses)
    assert not done.failed, "\n".join(done.failed)
    assert done.used
