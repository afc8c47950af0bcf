"""Is the language model server there, and does it have the model? For `doctor` and Settings.

Asks the server's cheap listing endpoints only; loads no model and generates nothing. A server that
is down or odd, or a recording that cannot be read, is the finding, never an exception.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import ollama

from memcore.domain.errors import UsageError
from memcore.llm.ollama import unreachable as ollama_unreachable
from memcore.llm.openai_compatible import unreachable as openai_unreachable
from memcore.llm.recording import read_recording

PROBE_TIMEOUT_S = 3.0


@dataclass(frozen=True, slots=True)
class Probe:
    """What was found. `usable`: a question can be asked now; otherwise `problem` says why not and
    `fix` what to do. `models` are the names the server lists, `version` its own word. Of a recording, `host`
    is the file and `remarks` are the lines that could not be read."""

    backend: str
    host: str
    model: str
    usable: bool = False
    reachable: bool = False
    version: str = ""
    models: tuple[str, ...] = ()
    problem: str = ""
    fix: str = ""
    remarks: tuple[str, ...] = ()


def probe_ollama(host: str, model: str, *, timeout_s: float = PROBE_TIMEOUT_S) -> Probe:
    """Version, models, and whether `model` (`:latest` understood) is among them."""
    probe = Probe("ollama", host, model)
    try:
        client = ollama.Client(host, timeout=timeout_s, trust_env=False, follow_redirects=False)
        models = tuple(sorted(m.model for m in client.list().models if m.model))
        with httpx.Client(timeout=timeout_s, trust_env=False) as plain:
            version = plain.get(f"{host.rstrip('/')}/api/version").raise_for_status().json()["version"]
    except (ConnectionError, httpx.ConnectError, httpx.TimeoutException):
        error = ollama_unreachable(host)
        return replace(probe, problem=error.cause, fix=error.fix)
    except (
        ollama.ResponseError,
        httpx.HTTPError,
        httpx.InvalidURL,
        ValueError,
        LookupError,
        TypeError,
    ) as odd:
        problem = f"{host} does not answer like an Ollama server ({type(odd).__name__}: {odd})."
        return replace(probe, problem=problem, fix="Correct the Ollama host in Settings.")
    probe = replace(probe, reachable=True, version=str(version), models=models)
    if model in models or f"{model}:latest" in models:
        return replace(probe, usable=True)
    problem = f"Ollama at {host} does not have the model {model!r}."
    return replace(probe, problem=problem, fix=f"Fetch it with `ollama pull {model}`.")


def probe_openai(base_url: str, api_key: str, model: str, *, timeout_s: float = PROBE_TIMEOUT_S) -> Probe:
    """Whether the server lists `model`, and takes the key."""
    probe = Probe("openai", base_url, model)
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        response = httpx.get(f"{base_url.rstrip('/')}/models", headers=headers, timeout=timeout_s)
    except (httpx.HTTPError, httpx.InvalidURL):
        error = openai_unreachable(base_url)
        return replace(probe, problem=error.cause, fix=error.fix)
    probe = replace(probe, reachable=True)
    if response.status_code in (401, 403):
        problem = f"{base_url} rejects the key ({response.status_code})."
        return replace(probe, problem=problem, fix="Set a valid key in OPENAI_API_KEY.")
    try:
        models = tuple(sorted(str(entry["id"]) for entry in response.raise_for_status().json()["data"]))
    except (httpx.HTTPStatusError, ValueError, LookupError, TypeError) as odd:
        problem = f"{base_url} does not list its models ({type(odd).__name__})."
        return replace(probe, problem=problem, fix="Check the base URL in Settings; most end in /v1.")
    probe = replace(probe, models=models)
    if model in models:
        return replace(probe, usable=True)
    problem = f"{base_url} does not list the model {model!r}."
    return replace(probe, problem=problem, fix="Choose one of its models in Settings.")


def probe_recording(path: Path) -> Probe:
    """How many replies a file of recorded replies has, whose they are, and what in it is damaged."""
    probe = Probe("recorded", str(path), "")
    try:
        found = read_recording(path)
    except UsageError as error:
        return replace(probe, problem=error.cause, fix=error.fix)
    replies = sum(map(len, found.replies.values()))
    return replace(
        probe,
        model=found.name,
        usable=True,
        reachable=True,
        version=f"{replies:,} {'reply' if replies == 1 else 'replies'}",
        remarks=tuple(f"{path.name} line {line.number} is left out: {line.why}" for line in found.damaged),
    )
