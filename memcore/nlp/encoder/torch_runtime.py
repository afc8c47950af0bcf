"""Running torch beside other work: how many threads, and what loading a library must not disturb.

Knows nothing of any model. Why threads are chosen and not left to torch: on two cores that are
both busy, a 2-thread forward pass falls to a quarter of the speed of a 1-thread one.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np


def own_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spare_threads() -> int:
    """Cores of this process that the last minute's load left free; at least 1."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1, min(own_cores(), round(own_cores() - load)))


def side_by_side(batches: Sequence[list[int]], work: Callable[[list[int]], None], *, threads: int) -> None:
    """Work on every batch, on all cores: several side by side with one thread of torch each, which computes
    without holding Python's lock; a single one with `threads`. Unlike more threads for each of several, this
    waits for no busy core, and on two idle ones 600 long messages take 7.4 s and not 11.1 (with AMX)."""
    import torch

    each = threads if len(batches) == 1 else 1

    def one(batch: list[int]) -> None:
        with torch_threads(each), torch.inference_mode():
            work(batch)

    workers = min(max(1, own_cores() // each), len(batches))
    if workers <= 1:
        for batch in batches:
            one(batch)
        return
    with ThreadPoolExecutor(workers, "encode") as pool:
        for _ in pool.map(one, batches):
            pass


class _Computing:
    """How many blocks compute now, and the thread count that was set before the first of them."""

    lock = threading.Lock()
    blocks = 0
    before = 1


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Inside the block torch computes with `count` threads. Blocks of several threads may overlap; when
    the last one ends, torch's setting is again what it was before the first."""
    import torch

    with _Computing.lock:
        if _Computing.blocks == 0:
            _Computing.before = torch.get_num_threads()
        _Computing.blocks += 1
        torch.set_num_threads(count)
    try:
        yield
    finally:
        with _Computing.lock:
            _Computing.blocks -= 1
            if _Computing.blocks == 0:
                torch.set_num_threads(_Computing.before)


@contextmanager
def undisturbed_randomness() -> Iterator[None]:
    """Undo what llmlingua's `seed_everything` does to the process: the global random states of
    Python, NumPy and torch, PYTHONHASHSEED and the cuDNN switches."""
    import torch

    python_state, numpy_state, torch_state = random.getstate(), np.random.get_state(), torch.get_rng_state()
    hash_seed = os.environ.get("PYTHONHASHSEED")
    deterministic, benchmark = torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark
    try:
        yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)
        torch.set_rng_state(torch_state)
        torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = deterministic, benchmark
        if hash_seed is None:
            os.environ.pop("PYTHONHASHSEED", None)
        else:
            os.environ["PYTHONHASHSEED"] = hash_seed


@contextmanager
def quiet_loading() -> Iterator[None]:
    """Inside the block transformers shows no progress bars and only errors: nobody waits for a load of
    90 MB from disk, and the command line keeps stderr for what matters. Afterwards as before."""
    from transformers.utils import logging as untyped

    logging: Any = untyped
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
