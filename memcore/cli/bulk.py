"""`ingest --ray`: files taken in one after the other, their conversations read beside each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memcore.cli.logs import tell_skipped, tell_timeless
from memcore.cli.options import make_backends, tell_damaged
from memcore.cli.output import Document, tell
from memcore.cli.progress import reported
from memcore.cli.sharing import opened_here
from memcore.cli.streams import streams
from memcore.domain.errors import LogError, UsageError
from memcore.domain.models import LogRead, Skipped

if TYPE_CHECKING:
    from memcore.domain.protocols import Progress
    from memcore.logs import ReadOptions
    from memcore.runtime.config import Settings

TAKE_IN = "take in files"
"""The stage in which files are read and their messages stored."""


def ingest_in_bulk(
    files: Sequence[Path],
    options: ReadOptions,
    settings: Settings,
    *,
    ray: str | None,
    owner_per_file: bool,
    recipe: str,
) -> Document:
    """Read conversation logs into memory with Ray; what to print. Raises UsageError for what goes with a
    single process only."""
    if ray is None:
        raise UsageError(
            "Only reading with Ray makes each file an owner's.",
            "Add --ray, or read one file after the other with --owner NAME.",
        )
    if settings.database is None:
        raise UsageError(
            f"One process at a time may write to a store in a directory ({settings.store_dir}), and Ray's "
            "readers are many.",
            "Name a database: --store postgresql://USER@HOST/DATABASE (docs/scale.md).",
        )
    if settings.record_to:
        raise UsageError(
            "Readers on several machines cannot append to one file of recorded replies.",
            "Leave out --record, or read without --ray.",
        )
    from memcore.scale.ray_readers import RayReaders, connected

    backends = make_backends()
    taken = _Files(files, options, owner_per_file)
    with connected(ray), opened_here(settings, backends) as memory, reported() as progress:
        tell_damaged(settings)
        report = memory.ingest_in_bulk(
            taken.logs(progress),
            RayReaders(settings, backends),
            recipe=recipe,
            progress=progress,
            cancelled=streams().gone,
        )
    for error in report.errors:
        tell(f"failed: {error}")
    return {
        "runs": list(report.run_ids),
        "state": report.state,
        "owners": len(report.owners),
        "conversations": report.conversations,
        "messages": report.messages,
        "new_messages": report.new_messages,
        "read": report.read,
        "memories": report.memories,
        "skipped": [asdict(skipped) for skipped in taken.skipped],
        "errors": list(report.errors),
        "llm": report.llm,
        "seconds": round(report.seconds, 2),
        "failed": report.state == "failed" or bool(report.errors),
    }


class _Files:
    """Files to be read one at a time, so that no more than one is held, and what of them was skipped."""

    def __init__(self, files: Sequence[Path], options: ReadOptions, owner_per_file: bool) -> None:
        self.skipped: list[Skipped] = []
        self._files = files
        self._options = options
        self._owner_per_file = owner_per_file
        if owner_per_file:
            often = [name for name, count in Counter(file.stem for file in files).items() if count > 1]
            if often:
                raise UsageError(
                    f"Several files would be the memory of one owner, {often[0]}.",
                    "Give each file a name of its own.",
                )

    def logs(self, progress: Progress) -> Iterator[LogRead]:
        """What each readable file holds; what cannot be read is told. Raises LogError where no file can."""
        from memcore.logs import missing_times, read_log

        failed: list[LogError] = []
        timeless = 0
        for number, file in enumerate(self._files):
            progress(TAKE_IN, number, len(self._files))
            owner = file.stem if self._owner_per_file else self._options.owner
            try:
                log = read_log(file, replace(self._options, owner=owner))
            except LogError as error:
                failed.append(error)
                self._skip(Skipped.whole(error))
                continue
            for skipped in log.skipped:
                self._skip(skipped)
            timeless += missing_times(log)
            yield log
        progress(TAKE_IN, len(self._files), len(self._files))
        if len(failed) == len(self._files):
            raise failed[0]
        tell_timeless(timeless, self._options)

    def _skip(self, skipped: Skipped) -> None:
        self.skipped.append(skipped)
        tell_skipped(skipped)
