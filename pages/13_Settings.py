"""Settings: what can be chosen, what is active and reachable, and the exact fix for what is not."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memcore.memory import Memory
from memcore.runtime import recordings, servers
from memcore.runtime.config import Settings, load_settings, overridden, save_settings
from ui.settings import erasing, exports, fields, model_server, people, projects
from ui.shell import access, address, opened, serving, who
from ui.shell.frame import draw_error, meta, page_without_store
from ui.shell.jobs import busy
from ui.shell.templates import draw
from ui.shell.text import count, label

PURPOSE = (
    "Choose the project, its models and how the stages work. Kept with its store; keys are read from the "
    "environment only."
)
FORGOTTEN = "doctor_report"


def choices(settings: Settings, memory: Memory | None) -> None:
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
        waits = busy("administer", whole=True)
        saved = st.form_submit_button("Save", type="primary", disabled=bool(waits), help=waits or None)
    key = f"set by {environment['openai_api_key']}" if "openai_api_key" in environment else "not set"
    meta(f"OpenAI key: {key}. It is never written to a file.")
    if saved:
        if memory is not None:
            memory.people.require("administer")
        stored = load_settings(settings.store_dir, overriding=False)
        kept = stored.flat()
        changes = {n: v for n, v in values.items() if n not in environment and v != kept[n]}
        operator = not who.name()
        if changes.get("recording") and operator:
            changes["recording"] = recordings.permit(changes["recording"])  # who wrote it here has decided
        saved_now = save_settings(stored, **changes)
        named = operator and {"ollama_host", "openai_base_url"} & changes.keys()
        if (wanted := saved_now.unpermitted_server) and named:
            model_server.permit(servers.permit, wanted)  # who wrote it here has decided
        st.session_state.pop(FORGOTTEN, None)
        model_server.check(opened.settings())
        st.toast(f"Saved {count(len(changes), 'change')}.")
        st.rerun()


def other_programs(memory: Memory) -> None:
    """Where they find the store."""
    if not serving.is_settled(memory):
        settling(memory)
    elif (why := serving.refused()) is not None:
        draw_error(why)
    elif address := serving.address():
        meta(f"Other programs find the store at {address} (REST: {address}/docs, MCP: {address}/mcp).")


@st.fragment(run_every=0.5)
def settling(memory: Memory) -> None:
    """Until it is known."""
    address.stand()
    if serving.is_settled(memory):
        st.rerun(scope="app")
    begins = serving.to_be_served(memory) is not None
    meta("Other programs will find the store here in a moment." if begins else "Serving ends.")


def columns(number: int) -> list[DeltaGenerator]:
    """Two fields a row."""
    return [column for _ in range(-(-number // 2)) for column in st.columns(2, gap="large")][:number]


def doctor(memory: Memory) -> None:
    """What is installed, active and sound, when asked for."""
    st.header("Doctor", anchor=False)
    about = "Checks packages, models, the store and the model server."
    if st.button("Examine", key="doctor", **access.greyed("administer", help=about, whole=True)):
        with st.spinner("Examining…"):
            st.session_state[FORGOTTEN] = memory.doctor()
    report = st.session_state.get(FORGOTTEN)
    if report is None:
        return
    draw("settings.doctor", checks=report.checks)


with page_without_store("Settings", PURPOSE) as memory:
    if memory is None and who.name():
        st.stop()  # what somebody may do stands in the store
    projects.draw(memory)
    settings = opened.settings()
    choices(settings, memory)
    if memory is not None:
        other_programs(memory)
    model_server.draw(settings)
    if memory is not None:
        people.draw(memory)
        exports.draw(memory)
        doctor(memory)
        erasing.draw(memory)
