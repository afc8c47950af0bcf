"""A file that is there whole or not at all: written beside its place, and moved there when complete.

Only its owner may read it: it holds what people said. Knows nothing of what is written.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from memcore.domain import private_files
from memcore.domain.errors import StoreError, UsageError


@contextmanager
def draft_file(to: Path, *, overwrite: bool = False) -> Iterator[BinaryIO]:
    """A file to write to, that takes the place of `to` when the block ends without an exception.

    Raises UsageError when something is there already and `overwrite` does not allow for it (an empty file
    is nothing), StoreError when it cannot be written; what was there before is then left alone."""
    draft = to.with_name(f"{to.name}.{uuid.uuid4().hex[:8]}.new")
    try:
        if to.exists() and not (to.is_file() and (overwrite or not to.stat().st_size)):
            raise UsageError(
                f"There is already something at {to}.",
                "Name another file, or allow for this one to be replaced: --overwrite (overwrite=True).",
            )
        with private_files.create(draft) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(to)
    except OSError as error:
        raise StoreError(
            f"{to} cannot be written: {error}.",
            "Choose an existing directory you may write to, with free disk space.",
        ) from error
    finally:
        draft.unlink(missing_ok=True)
