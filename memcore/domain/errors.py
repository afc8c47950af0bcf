"""One family of errors. Each says what went wrong and the exact step that fixes it."""

from __future__ import annotations


class MemcoreError(Exception):
    """Something a person can act on: `cause` in one sentence, `fix` as the step to take."""

    def __init__(self, cause: str, fix: str) -> None:
        super().__init__(f"{cause} {fix}")
        self.cause = cause
        self.fix = fix


class UsageError(MemcoreError):
    """The request itself is off (an unknown recipe, a date that is none, an empty question)."""


class LogError(MemcoreError):
    """A whole file cannot be read as a conversation log. `file` and `where` name the place."""

    def __init__(self, cause: str, fix: str, *, file: str, where: str = "") -> None:
        super().__init__(cause, fix)
        self.file = file
        self.where = where


class StoreError(MemcoreError):
    """The store cannot be opened, or is damaged."""


class StoreBusyError(StoreError):
    """Another process holds the store open."""


class ReadOnlyStoreError(StoreError):
    """The store can only be read: its directory or file may not be written."""


class EmbeddingMismatchError(StoreError):
    """The store was made with another embedding model than the one now active."""


class NotFoundError(MemcoreError):
    """No object has this id."""


class NotPermittedError(MemcoreError):
    """Whoever is logged in was not granted what this needs."""


class ConflictError(MemcoreError):
    """The object has changed since: deciding or undoing now would overwrite someone's work. `object_id` names
    it where there is one, so that its history can be shown."""

    def __init__(self, cause: str, fix: str, *, object_id: str = "") -> None:
        super().__init__(cause, fix)
        self.object_id = object_id


class BackendError(MemcoreError):
    """An in-process model (encoder, compressor, language pipeline) is missing or damaged."""


class LlmError(MemcoreError):
    """The language model server did not give a usable answer."""


class LlmUnavailableError(LlmError):
    """The server cannot be reached, or does not have the model."""


class LlmReplyError(LlmError):
    """The server answered, but not with what was asked for (invalid JSON, cut off, empty)."""


class CancelledError(MemcoreError):
    """The person cancelled. Finished steps are kept; running again continues after them."""
