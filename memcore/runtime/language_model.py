"""The language model that settings choose: a live server, recorded or not, or recorded replies in its place.

Nothing is sent anywhere, and no file is read, that the person has not permitted (`servers`, `recordings`).
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from memcore.domain.errors import LlmUnavailableError, UsageError
from memcore.runtime import recordings
from memcore.runtime.config import Settings

if TYPE_CHECKING:
    from memcore.llm.chat import ChatServer
    from memcore.llm.probe import Probe


def server(chosen: Settings) -> ChatServer | None:
    """What answers; None where no model is chosen. A live one is connected to on the first question, and
    what it answers is kept if the settings say where. Raises LlmUnavailableError for what is not permitted,
    UsageError for a recording that cannot be read or written."""
    require_permission(chosen)
    live = _live(chosen)
    if live is not None and chosen.record_to:
        from memcore.llm.recorded import RecordingServer
        from memcore.llm.recording import Recorder

        return RecordingServer(live, Recorder(Path(chosen.record_to)))
    if chosen.llm == recordings.BACKEND:
        from memcore.llm.recorded import RecordedServer
        from memcore.llm.recording import read_recording

        return RecordedServer(read_recording(Path(chosen.recording)))
    return live


def _live(chosen: Settings) -> ChatServer | None:
    if chosen.llm == "ollama":
        from memcore.llm.ollama import OllamaServer

        return OllamaServer(chosen.ollama_model, chosen.ollama_host, timeout_s=chosen.llm_timeout_s)
    if chosen.llm == "openai":
        from memcore.llm.openai_compatible import OpenAiServer

        if not chosen.openai_api_key and chosen.openai_base_url.startswith("https://api.openai.com"):
            raise UsageError("OpenAI needs an API key.", "Set the environment variable OPENAI_API_KEY.")
        return OpenAiServer(
            chosen.openai_model,
            chosen.openai_base_url,
            chosen.openai_api_key,
            timeout_s=chosen.llm_timeout_s,
        )
    return None


def probe(chosen: Settings) -> Probe | None:
    """Whether it can be asked now; None where no model is chosen. Raises LlmUnavailableError for what is not
    permitted."""
    if chosen.llm == "none":
        return None
    require_permission(chosen)
    from memcore.llm.probe import probe_ollama, probe_openai, probe_recording

    if chosen.llm == "ollama":
        return probe_ollama(chosen.ollama_host, chosen.ollama_model)
    if chosen.llm == recordings.BACKEND:
        return probe_recording(Path(chosen.recording))
    return probe_openai(chosen.openai_base_url, chosen.openai_api_key, chosen.openai_model)


def name(chosen: Settings) -> str:
    """The model's name; empty where none is chosen. Of recorded replies, whose they are, where they may and
    can be read."""
    if chosen.llm != recordings.BACKEND:
        return {"none": "", "ollama": chosen.ollama_model, "openai": chosen.openai_model}[chosen.llm]
    from memcore.llm.recording import read_recording

    if chosen.unpermitted_recording is not None:
        return "recorded: not permitted"
    try:
        return read_recording(Path(chosen.recording)).name
    except UsageError:  # whoever asks the model is told what is wrong with the file
        return "recorded: not readable"


def require_permission(chosen: Settings) -> None:
    """Raise LlmUnavailableError for a server or file that the person has not permitted."""
    if address := chosen.unpermitted_server:
        raise LlmUnavailableError(
            f"The store's settings name the model server {address}, which you have not permitted; nothing "
            "was sent to it.",
            f"If you know it and trust it with these conversations: memcore servers permit {address}, or "
            "permit it on Settings. Else choose another server, or none, in the settings.",
        )
    if (file := chosen.unpermitted_recording) is not None:
        raise LlmUnavailableError(
            f"The store's settings name the file of recorded replies {file[:200]!r}, which you have not "
            "permitted; it was not read.",
            f"If you know it: --llm {shlex.quote(f'recorded:{file}')}, or permit it on Settings. Else choose "
            "another model, or none, in the settings.",
        )
