"""Import: conversation logs in, previewed before anything is stored, then worked on in the background."""

from __future__ import annotations

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.domain.models import DEFAULT_OWNER, LogRead
from memcore.logs import FORMATS, ReadOptions
from memcore.memory import Memory
from memcore.runs.ingest import IngestReport
from memcore.systems.registry import title
from ui.components import recipes, report
from ui.importing import one_file, reading, upload
from ui.shell import access, chosen, links, opened, progress, sample
from ui.shell.frame import draw_error, meta, offer_recorded_sample, page
from ui.shell.jobs import Job, board, found_again
from ui.shell.text import count, label

PURPOSE = "Bring in conversation logs. You see what was found in them before anything is stored."


def show_job(memory: Memory, job: Job[IngestReport] | None) -> None:
    """The import that the address names: its progress, then its result."""
    owner = opened.owner(memory)
    if job is None:
        progress.vanished(max(memory.runs.unfinished(owner).values(), default=0))
    else:
        progress.follow(job, lambda made: report.draw(made, memory))
    if job is None or job.state != "running":
        offer_resume(memory)
        if st.button("Import more", key="import_more"):
            links.address(job=None)
            st.rerun()


def offer_resume(memory: Memory) -> None:
    """A button for each system that has not read all that is stored."""
    owner = opened.owner(memory)
    if board().running():
        return
    for recipe, pending in memory.runs.unfinished(owner).items():
        words = f"{count(pending, 'message')} stored, but not read by {title(recipe)} yet."
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.text(words, width="content")
            if st.button("Resume", key=f"resume_{recipe}", type="primary", **access.greyed("review")):
                read_stored(memory, owner, recipe)


def offer_other_recipe(memory: Memory) -> None:
    """What is stored can be read again by a system that has not read it."""
    owner = opened.owner(memory)
    unread = [r for r in recipes.TITLES if r not in memory.runs.systems(owner)]
    if not unread or not memory.evidence.stats(owner)["messages"] or board().running():
        return
    with st.expander("Read what is stored with another system"):
        recipe = recipes.choose(unread, "other_recipe", model=memory.settings.llm != "none")
        text = f"Read with {label(recipes.TITLES[recipe])}"
        if st.button(text, key="read_stored", **access.greyed("review")):
            read_stored(memory, owner, recipe)


def read_stored(memory: Memory, owner: str, recipe: str) -> None:
    """Start reading what one system has not read yet; from now on that system is looked at."""
    follow(
        board().start(
            "Import",
            f"Reading with {title(recipe)}",
            IngestReport,
            lambda tick, cancelled: memory.resume(
                owner=owner, recipe=recipe, progress=tick, cancelled=cancelled
            ),
        )
    )


def follow(job: Job[IngestReport], **choice: str) -> None:
    """Show this job from now on, also after a reload, and what it is of."""
    links.address(job=job.id, **choice)
    st.rerun()


def chosen_uploads() -> list[reading.Upload]:
    """The files that were given."""
    files = st.file_uploader(
        "Conversation logs",
        accept_multiple_files=True,
        key="files",
        help="One or several files, or a ZIP of them. Nothing leaves this machine.",
    )
    uploads = [reading.Upload(f.file_id, f.name, f.getvalue()) for f in files]
    if uploads:
        st.session_state.pop("use_sample", None)
    else:
        formats = "; ".join(reader.title for reader in FORMATS.values())
        meta(f"Reads: {formats}. The format is found from the content.")
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Load sample", key="load_sample"):
                st.session_state["use_sample"] = True
            offer_recorded_sample()
        meta(sample.ABOUT)
        if st.session_state.get("use_sample"):
            path = sample.path()
            uploads = [reading.Upload("sample", path.name, path.read_bytes())]
    reading.keep(uploads)
    return uploads


def preview(uploads: list[reading.Upload], memory: Memory) -> tuple[LogRead | None, str]:
    """What would be stored, for the owner who is asked for here, before anything is; None while files are
    being read."""
    usual = opened.owner(memory) if memory.people.me else DEFAULT_OWNER
    owner = st.text_input(
        "Whose memory is this?",
        value=chosen.get(chosen.OWNER) or usual,
        key="import_owner",
        help="Every search stays within one owner. Keep the default if only you use Memscope.",
    ).strip()
    options = ReadOptions(owner=owner or DEFAULT_OWNER)
    outcomes = [one_file.preview(one, options) for one in uploads]
    done = [outcome for outcome in outcomes if outcome is not None]
    return upload.together(done) if len(done) == len(outcomes) else None, options.owner


def offer_import(memory: Memory, logs: LogRead | None, owner: str, files: int) -> None:
    """What importing would add, and the button that does it; only when everything is read."""
    memory.people.require("review", owner)
    recipe = recipes.choose(list(recipes.TITLES), "recipe", model=memory.settings.llm != "none")
    if logs is None:
        reading.wait()
        return
    if (running := board().running()) is not None:
        progress.elsewhere(running)
        return
    if not logs.logs:
        return
    said = [message.id for log in logs.logs for message in log.messages]
    distinct, stored = len(set(said)), memory.evidence.count_stored(logs)
    added = distinct - stored
    if repeated := repetition(len(said), distinct, stored):
        meta(repeated)
    if added:
        text = f"Import {count(added, 'new message' if added < len(said) else 'message')}"
    elif memory.runs.pending(owner, recipe=recipe):
        text = f"Read with {label(recipes.TITLES[recipe])}"
    else:
        text = "Nothing new to import"
    if st.button(text, type="primary", key="start_import", disabled=text == "Nothing new to import"):
        try:
            job = board().start(
                "Import",
                f"Import of {count(files, 'file')}",
                IngestReport,
                lambda tick, cancelled: memory.ingest(
                    logs, owner=owner, recipe=recipe, progress=tick, cancelled=cancelled
                ),
            )
        except MemcoreError as error:
            draw_error(error)
        else:
            reading.keep(())
            log = logs.logs[0].conversation.id
            follow(job, **{chosen.OWNER: owner, chosen.LOG: log, chosen.SYSTEM: recipe})


def repetition(said: int, distinct: int, stored: int) -> str:
    """What of the messages would not be added, and why; empty when all would."""
    parts = []
    if stored:
        parts.append(
            f"{stored:,} of {count(distinct, 'message')} {'is' if stored == 1 else 'are'} already stored"
        )
    if twice := said - distinct:
        parts.append(f"{twice:,} {'is' if twice == 1 else 'are'} in more than one of these files")
    return f"{', and '.join(parts)}: nothing is added twice." if parts else ""


with page("Import", PURPOSE) as memory:
    if (job := found_again("Import", IngestReport)) or "job" in st.query_params:
        show_job(memory, job)
    else:
        offer_resume(memory)
        uploads = chosen_uploads()
        if not uploads:
            offer_other_recipe(memory)
        else:
            logs, owner = preview(uploads, memory)
            offer_import(memory, logs, owner, len(uploads))
