"""Evaluations that are kept: one small file each with what was evaluated and its figures, and beside it,
packed, its questions.

They lie in the directory `evaluations` of a store, as files: an evaluation may end while another process
holds the database, and its questions are as large as a store. Nothing in them is run or trusted: they are
JSON, read into dataclasses, with a limit on the size of each.
"""

from __future__ import annotations

import gzip
import os
import re
import tempfile
import uuid
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import TypeAdapter

from memcore.domain.errors import NotFoundError, StoreError
from memcore.domain.models import now
from memcore.evaluation.dataset_files import DatasetFile
from memcore.evaluation.detail import QuestionDetail, from_json, to_json
from memcore.runtime.config import Settings

T = TypeVar("T")
Kind = Literal["retrieval", "segmentation", "compression", "consolidation", "oversight"]
FOLDER = "evaluations"
MOST_BYTES = 10_000_000
"""Of a record; of several hundred questions it has some hundred kilobytes."""
MOST_BYTES_OF_QUESTIONS = 200_000_000
"""Unpacked; the 500 questions of LongMemEval have about 30 million."""

_NAME = re.compile(r"[0-9a-f]{12}")
_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class EvaluatedFile:
    """A file that was evaluated: its name and size, and the hash that tells it from another."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class EvaluationRecord:
    """One evaluation: what was evaluated, when and from where (`by`), with which system (empty: none),
    settings, version and embedding model, and the figures as the command line prints them. `code` is the
    hash of memcore's own source. `without_questions` says why its questions are not kept (empty: they are,
    or there are none)."""

    id: str
    kind: Kind
    at: datetime
    by: str
    seconds: float
    files: tuple[EvaluatedFile, ...]
    recipe: str
    settings: dict[str, Any]
    version: str
    code: str
    embedding_model: str
    document: dict[str, Any]
    without_questions: str = ""

    @property
    def datasets(self) -> list[dict[str, Any]]:
        """The document of each dataset: one, or of segmentation and compression several."""
        several: list[dict[str, Any]] = self.document.get("datasets", [self.document])
        return several


@dataclass(frozen=True, slots=True)
class Removed:
    """The files of an evaluation that was deleted, which `Evaluations.restore` puts back."""

    id: str
    files: Mapping[str, bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Listed:
    """Kept evaluations, newest first, and the names of files that cannot be read as one."""

    records: tuple[EvaluationRecord, ...]
    unreadable: tuple[str, ...]


def new_id() -> str:
    """An id for an evaluation, which links and commands name."""
    return uuid.uuid4().hex[:12]


def evaluated_files(files: Sequence[DatasetFile]) -> tuple[EvaluatedFile, ...]:
    """Names, hashes and sizes of the files."""
    described = []
    for file in files:
        data = file.read_bytes()
        described.append(EvaluatedFile(file.name, sha256(data).hexdigest(), len(data)))
    return tuple(described)


def new_record(
    kind: Kind,
    document: dict[str, Any],
    *,
    files: Sequence[EvaluatedFile],
    settings: Settings,
    embedding_model: str,
    by: str,
    seconds: float,
    recipe: str = "",
    id: str = "",
) -> EvaluationRecord:
    """A record of an evaluation that ends now. API keys are not among its settings."""
    return EvaluationRecord(
        id=id or new_id(),
        kind=kind,
        at=now(),
        by=by,
        seconds=round(seconds, 2),
        files=tuple(files),
        recipe=recipe,
        settings=settings.shown(),
        version=_version(),
        code=_code(),
        embedding_model=embedding_model,
        document=document,
    )


@cache
def _version() -> str:
    try:
        return version("memscope")
    except PackageNotFoundError:
        return "not installed as a package"


@cache
def _code() -> str:
    """A hash of this package's source."""
    digest = sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        digest.update(f"{path.relative_to(_PACKAGE)}\n".encode())
        digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


@cache
def _records() -> TypeAdapter[EvaluationRecord]:
    return TypeAdapter(EvaluationRecord)


class Evaluations:
    """The evaluations kept in one store's directory, which need not exist before one is."""

    def __init__(self, store_dir: Path) -> None:
        self.directory = store_dir / FOLDER

    def keep(self, record: EvaluationRecord, questions: QuestionDetail | None = None) -> EvaluationRecord:
        """Write it down, the questions first, so that a record that is there is whole. Returns what was
        written: questions beyond the limit are left out, and it says so. Raises StoreError."""
        packed = None if questions is None else to_json(questions)
        if packed is not None and len(packed) > MOST_BYTES_OF_QUESTIONS:
            why = f"Its questions have {len(packed) / 1e6:,.0f} MB; at most {_LIMIT} are kept."
            record, packed = replace(record, without_questions=why), None
        if packed is not None:
            self._write(self._questions(record.id), gzip.compress(packed, 6, mtime=0))
        self._write(self._record(record.id), _records().dump_json(record, indent=1))
        return record

    def all(self) -> Listed:
        """Everything that is kept here. A damaged file hides no other."""
        records, unreadable = [], []
        for path in sorted(self.directory.glob("*.json")) if self.directory.is_dir() else []:
            try:
                records.append(self._load(path))
            except (OSError, ValueError):
                unreadable.append(path.name)
        records.sort(key=lambda one: (one.at, one.id), reverse=True)
        return Listed(tuple(records), tuple(unreadable))

    def get(self, evaluation_id: str) -> EvaluationRecord:
        """Raises NotFoundError, and StoreError for a damaged file."""
        path = self._record(evaluation_id)
        return self._read(path, lambda: self._load(path))

    def questions(self, evaluation_id: str) -> QuestionDetail | None:
        """Its questions, or None if none are kept. Raises StoreError for a damaged file."""
        path = self._questions(evaluation_id)
        return self._read(path, lambda: from_json(_unpacked(path))) if path.is_file() else None

    def written_at(self, evaluation_id: str) -> int:
        """When its files were last written, in nanoseconds: erasing writes them anew."""
        paths = (self._record(evaluation_id), self._questions(evaluation_id))
        return max((path.stat().st_mtime_ns for path in paths if path.is_file()), default=0)

    def remove(self, evaluation_id: str) -> Removed:
        """Delete its files. What they held is handed over, so that it can be undone. Raises NotFoundError
        and StoreError."""
        paths = [self._record(evaluation_id), self._questions(evaluation_id)]
        if not paths[0].is_file():
            raise _not_found(evaluation_id)
        try:
            files = {path.name: path.read_bytes() for path in paths if path.is_file()}
            for path in paths:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise _unusable(paths[0], error) from error
        return Removed(evaluation_id, files)

    def restore(self, removed: Removed) -> None:
        """Put back what `remove` took away. Raises StoreError."""
        for name in sorted(removed.files, reverse=True):  # the record, ID.json, last
            self._write(self.directory / name, removed.files[name])

    def _record(self, evaluation_id: str) -> Path:
        if not _NAME.fullmatch(evaluation_id):
            raise _not_found(evaluation_id)
        return self.directory / f"{evaluation_id}.json"

    def _questions(self, evaluation_id: str) -> Path:
        return self._record(evaluation_id).with_suffix(".questions.gz")

    def _load(self, path: Path) -> EvaluationRecord:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES / 1e6:,.0f} MB")
        record = _records().validate_json(data)
        if record.id != path.stem:
            raise ValueError("it is of another evaluation")
        documents = record.document.get("datasets", [record.document])
        if not all(isinstance(one, dict) and isinstance(one.get("dataset"), str) for one in documents):
            raise ValueError("it does not say of which dataset it is")
        return record

    def _read(self, path: Path, load: Callable[[], T]) -> T:
        try:
            return load()
        except FileNotFoundError as error:
            raise _not_found(path.name.partition(".")[0]) from error
        except (OSError, ValueError, EOFError, zlib.error) as error:
            raise _unusable(path, error) from error

    def _write(self, path: Path, data: bytes) -> None:
        """The whole file or none of it, for this user's eyes."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, temporary = tempfile.mkstemp(dir=self.directory, prefix=".", suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                Path(temporary).replace(path)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise StoreError(
                f"The evaluation cannot be kept in {self.directory}: {error.strerror or error}.",
                "Make room or allow writing there, or name another store; then evaluate again: the memories "
                "that were built are kept, so it takes much less time.",
            ) from error


_LIMIT = f"{MOST_BYTES_OF_QUESTIONS / 1e6:,.0f} MB"


def _unpacked(path: Path) -> bytes:
    """What a packed file holds, up to the limit: a small file can unpack to anything."""
    with gzip.open(path) as file:
        data = file.read(MOST_BYTES_OF_QUESTIONS + 1)
    if len(data) > MOST_BYTES_OF_QUESTIONS:
        raise ValueError(f"it unpacks to more than {_LIMIT}")
    return data


def _not_found(evaluation_id: str) -> NotFoundError:
    return NotFoundError(
        f"There is no kept evaluation {evaluation_id[:60]!r} in this store.",
        "Choose one from the list on the Evaluate page; it may have been deleted.",
    )


def _unusable(path: Path, error: Exception) -> StoreError:
    why = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return StoreError(f"The kept evaluation {path} cannot be used: {why}.", "Delete the file, or restore it.")
