"""Recorded replies behind the seam of `ChatServer`: a server that answers from a file, and one that writes
into it what a live server answers.

A reply is found by the hash of what is asked, so it does not matter which thread asks first, nor when. A
request that the file lacks is never answered with something near it.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime

from memcore.llm.chat import ChatCompletion, ChatRequest, ChatServer, UnansweredError
from memcore.llm.recording import Recorder, Recording


class RecordedServer:
    """A `ChatServer`. Replies to one request are given in the order they were recorded, then the last again.
    Safe to use from several threads."""

    def __init__(self, recording: Recording) -> None:
        self.model_id = recording.name
        self._recording = recording
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def send(self, request: ChatRequest) -> ChatCompletion:
        """See `ChatServer.send`. Raises UnansweredError for a request that was not recorded."""
        digest = request.digest
        replies = self._recording.replies.get(digest)
        if replies is None:
            raise UnansweredError(self._recording.why_not(request.prompt_version))
        with self._lock:
            number = self._asked[digest]
            self._asked[digest] += 1
        return replies[min(number, len(replies) - 1)]


class RecordingServer:
    """A `ChatServer` that asks another one and keeps what it answers. What did not arrive (a lost connection,
    a refusal) is no reply."""

    def __init__(
        self,
        server: ChatServer,
        recorder: Recorder,
        *,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        self.model_id = server.model_id
        self._server = server
        self._recorder = recorder
        self._today = today

    def send(self, request: ChatRequest) -> ChatCompletion:
        """See `ChatServer.send`. Raises as the server, and UsageError where the reply cannot be kept."""
        begun = time.perf_counter()
        completion = self._server.send(request)
        milliseconds = round((time.perf_counter() - begun) * 1000, 3)
        self._recorder.append(
            request,
            completion,
            model=self.model_id,
            milliseconds=milliseconds,
            date=self._today().isoformat(),
        )
        return replace(completion, milliseconds=milliseconds)
