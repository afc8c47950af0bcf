"""Settings: what can be chosen, what is active and reachable, and the exact fix for what is not."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memcore.domain.errors import MemcoreError
from memcore.memory import Memory
from memcore.runtime import recordings, servers
from memcore.runtime.config import Settings, load_settings, overridden, save_settings
from ui.settings import erasing, exports, fields, projects
from ui.shell import opened
from ui.shell.frame import draw_error, meta, note, page_without_store
from ui.shell.jobs import busy
from ui.shell.templates import draw
from ui.shell.text import count, label

PURPOSE = (
    "Choose the project, its models and how the stages work. Kept with its store; keys are read from the "
    "environment only."
)
FORGOTTEN = "doctor_report"
REFUSED = "refused_server"


def choices(settings: Settings) -> None:
    """Every setting as a field; what the environment sets cannot be changed here."""
    environment = overridden()
    values = {}
    now = settings.flat()
    with st.form("settings"):
        for group, members in fields.groups().items():
            st.header(label(group), anchor=False)
            for field, column in zip(members, columns(len(members)), strict=True):
                with column:
                    values[field.name] = fields.widget(field, now[field.name], environment.get(field.name))
        waits = busy()
        saved = st.form_submit_button("Save", type="primary", disabled=bool(waits), help=waits or None)
    key = f"set by {environment['openai_api_key']}" if "openai_api_key" in environment else "not set"
    meta(f"OpenAI key: {key}. It is never written to a file.")
    if saved:
        stored = load_settings(settings.store_dir, overriding=False)
        kept = stored.flat()
        changes = {n: v for n, v in values.items() if n not in environment and v != kept[n]}
        if changes.get("recording"):
            changes["recording"] = recordings.permit(changes["recording"])  # who wrote it here has decided
        saved_now = save_settings(stored, **changes)
        if (wanted := saved_now.unpermitted_server) and {"ollama_host", "openai_base_url"} & changes.keys():
            permit(servers.permit, wanted)  # who wrote it here has decided
        st.session_state.pop(FORGOTTEN, None)
        st.toast(f"Saved {count(len(changes), 'change')}.")
        st.rerun()


def columns(number: int) -> list[DeltaGenerator]:
    """Two fields a row."""
    return [column for _ in range(-(-number // 2)) for column in st.columns(2, gap="large")][:number]


def permit(keep: Callable[[str], str], what: str) -> None:
    """The person permits a model server or recorded replies, for every store. What is neither cannot be: it
    says why."""
    try:
        keep(what)
    except MemcoreError as error:
        st.session_state[REFUSED] = error


def server(settings: Settings) -> None:
    """Whether the model server answers and has the model, or the recording can be read, when asked for."""
    if settings.llm == "none":
        return
    st.header("Model server", anchor=False)
    if refused := st.session_state.pop(REFUSED, None):
        draw_error(refused)
    if wanted := settings.unpermitted_server:
        note(
            f"This store names the model server {wanted}, which you have not permitted.",
            "Nothing is sent to it. Permit it if you know it and trust it with these conversations; "
            "else name another above.",
        )
        st.button(
            f"Permit {label(wanted)}", key="permit_server", on_click=permit, args=(servers.permit, wanted)
        )
        return
    if (file := settings.unpermitted_recording) is not None:
        note(
            f"This store names the recorded replies {file}, which you have not permitted.",
            "The file is not read. Permit it if you know it; else name another above.",
        )
        st.button("Permit it", key="permit_recording", on_click=permit, args=(recordings.permit, file))
        return
    recorded = settings.llm == "recorded"
    if st.button("Check the recording" if recorded else "Check the server", key="check_server"):
        with st.spinner("Reading…" if recorded else "Asking the server…"):
            st.session_state["probe"] = opened.backends(settings).probe()
    found = st.session_state.get("probe")
    asked = (settings.llm, settings.recording if recorded else opened.backends(settings).model_name())
    if found is None or (found.backend, found.host if recorded else found.model) != asked:
        return
    if found.usable and recorded:
        note(f"{found.host} has {found.version}: {found.model}.", *found.remarks[:5])
    elif found.usable:
        note(f"{found.host} answers and has {found.model}. {found.version}".strip())
    else:
        note(found.problem, found.fix)
    if found.models:
        meta(f"It has: {', '.join(found.models[:40])}")


def doctor(memory: Memory) -> None:
    """What is installed, active and sound, when asked for."""
    st.header("Doctor", anchor=False)
    if st.button("Examine", key="doctor", help="Checks packages, models, the store and the model server."):
        with st.spinner("Examining…"):
            st.session_state[FORGOTTEN] = memory.doctor()
    report = st.session_state.get(FORGOTTEN)
    if report is None:
        return
    draw("settings.doctor", checks=report.checks)


with page_without_store("Settings", PURPOSE) as memory:
    projects.draw(memory)
    settings = opened.settings()
    choices(settings)
    server(settings)
    if memory is not None:
        exports.draw(memory)
        doctor(memory)
        erasing.draw(memory)
