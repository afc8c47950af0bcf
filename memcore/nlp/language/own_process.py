"""The language pipeline in a process of its own, beside the threads that encode and store.

Most of a parse, and all rules, hold Python's lock: within one process a second core waits for them. Another
process takes 2 seconds and some 300 MB to start, so a short run starts none, and a long one reads here until
it is ready. What it tells is what `LanguageExtractor`, which it uses, tells.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, Extractor, Kept
from memcore.nlp.language import pipeline
from memcore.nlp.language.extractor import LanguageExtractor

if TYPE_CHECKING:
    from concurrent.futures import Future

    from loky import ProcessPoolExecutor

MANY_MESSAGES = 400
"""From so many on a process of its own is worth its start."""

IDLE_SECONDS = 60.0
"""After which the process, asked for nothing, ends; also where this one was killed."""

Read = list[tuple[Extraction, ExtractionTrace]]


class LanguageProcess:
    """One process that reads buffers for whoever asks. Safe to use from several threads."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._begun: Future[int] | None = None
        self._asked_at = 0.0
        self._broke = False

    def start(self) -> None:
        """Begin to start it, unless it runs, and return at once. One that cannot be started or broke, for
        want of memory most likely, is not started again."""
        from loky import ProcessPoolExecutor

        with self._lock:
            starts = self._begun is not None and not self._begun.done()
            if starts or self._broke or self._is_ready():
                return
            try:
                if self._pool is None:
                    self._pool = ProcessPoolExecutor(1, timeout=self._idle_seconds, initializer=_begin)
                self._begun = self._pool.submit(os.getpid)
            except (OSError, NotImplementedError, BrokenExecutor):  # a system without semaphores, say
                self._broke = True
            else:
                self._begun.add_done_callback(lambda _: self._was_asked())

    def is_ready(self) -> bool:
        """Whether it has been started and has loaded its model."""
        with self._lock:
            return self._is_ready()

    @property
    def pid(self) -> int | None:
        """Its id, while it is ready."""
        with self._lock:
            return self._begun.result() if self._begun is not None and self._is_ready() else None

    def close(self) -> None:
        """End it now, once it has read what it was given. It can be started again."""
        with self._lock:
            pool, self._pool, self._begun = self._pool, None, None
        if pool is not None:
            pool.shutdown()

    def read(self, buffers: Sequence[Buffer], assistant_words: Kept) -> Read:
        """As `LanguageExtractor.extract`, in the process, once it was started. Raises BrokenExecutor if that
        has ended, or ends meanwhile."""
        pool = self._pool
        assert pool is not None
        self._was_asked()
        try:
            read: Read = pool.submit(_read, tuple(buffers), assistant_words).result()
            return read
        except BrokenExecutor:
            self._broke = True
            raise
        finally:
            self._was_asked()

    def _was_asked(self) -> None:
        self._asked_at = time.monotonic()

    def _is_ready(self) -> bool:
        """It has begun, did not break, and has not ended since for having nothing to do."""
        if self._begun is None or not self._begun.done() or self._broke:
            return False
        self._broke = self._begun.exception() is not None
        return not self._broke and time.monotonic() - self._asked_at < self._idle_seconds / 2


@cache
def language_process() -> LanguageProcess:
    """The one that all runs of this process share."""
    return LanguageProcess()


class LongRunExtractor:
    """The `Extractor` that reads with no server: in this process and, where much is to be read, in one of its
    own once that is ready."""

    name = LanguageExtractor.name

    def __init__(self, assistant_words: Kept = "all", process: LanguageProcess | None = None) -> None:
        self._here = LanguageExtractor(assistant_words)
        self._process = process or language_process()
        self._is_long = False

    def expect(self, messages: int) -> None:
        """See `memcore.domain.extraction.ReadsMuch`."""
        self._is_long = messages >= MANY_MESSAGES
        if self._is_long:
            self._process.start()

    def begin(self, buffers: Sequence[Buffer]) -> None:
        """See `memcore.domain.extraction.ReadsAhead`."""
        if not self._process.is_ready():
            self._here.begin(buffers)

    def extract(self, buffers: Sequence[Buffer]) -> Read:
        """As `LanguageExtractor.extract`. If the process ends meanwhile, buffers are read here, and their
        traces say so."""
        if not buffers:
            return []  # most steps leave nothing for later: it would wait behind what is being read
        if self._is_long:
            self._process.start()  # it may have ended for having nothing to do
        if not self._process.is_ready():
            return self._here.extract(buffers)
        try:
            return self._process.read(buffers, self._here.assistant_words)
        except BrokenExecutor as error:
            note = f"read anew, as the process of the language pipeline ended: {type(error).__name__}"
            return [
                (extraction, replace(trace, notes=(*trace.notes, note)))
                for extraction, trace in self._here.extract(buffers)
            ]


def in_this_process(extractor: Extractor) -> Extractor:
    """The same that starts no process of its own: for one of many that each have a core."""
    return extractor._here if isinstance(extractor, LongRunExtractor) else extractor


def _begin() -> None:
    """In the process: Ctrl-C ends the run where it began, and what was loaded stays. spaCy would import torch
    where it is installed, 2 seconds and 200 MB, for nothing that is used here."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.modules.setdefault("torch", None)  # type: ignore[arg-type]
    pipeline.load()
    gc.freeze()


def _read(buffers: Sequence[Buffer], assistant_words: Kept) -> Read:
    return LanguageExtractor(assistant_words).extract(buffers)
