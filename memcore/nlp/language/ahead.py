"""Sentences parsed before they are asked for, in a thread beside the encoder.

A parse keeps one core busy, and a run of one step has two while its messages are compressed. What was parsed
ahead only spares a parse: whatever it lacks, or failed on, is parsed when it is asked for, with the errors
that gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

from memcore.nlp.language import pipeline

if TYPE_CHECKING:
    from spacy.tokens import Doc


class ParsedAhead:
    """What is being parsed ahead, by text, for whoever parses next. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._begun: Future[dict[str, Doc]] | None = None

    def begin(self, sentences: Callable[[], Sequence[str]]) -> None:
        """Parse what `sentences` gives, in a thread of its own; what an earlier call began is dropped."""

        def parsed() -> dict[str, Doc]:
            texts = sentences()
            return dict(zip(texts, pipeline.parse(texts), strict=True))

        thread = ThreadPoolExecutor(1, "parse ahead")
        with self._lock:
            self._begun = thread.submit(parsed)
        thread.shutdown(wait=False)

    def parser(self) -> Callable[[Sequence[str]], list[Doc]]:
        """As `pipeline.parse`, with what was parsed ahead, which is waited for and handed out once."""
        with self._lock:
            begun, self._begun = self._begun, None
        if begun is None or begun.exception() is not None:
            return pipeline.parse
        known = begun.result()

        def parse(texts: Sequence[str]) -> list[Doc]:
            missing = [text for text in texts if text not in known]
            found = known | dict(zip(missing, pipeline.parse(missing), strict=True))
            return [found[text] for text in texts]

        return parse
