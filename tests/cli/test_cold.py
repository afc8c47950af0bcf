"""What a command loads in a process of its own, which is most of what it takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memcore import open_memory
from memcore.logs import read_log

ROOT = Path(__file__).parents[2]
OF_MODELS = {"torch", "transformers", "llmlingua", "sentence_transformers", "nltk", "sklearn", "spacy"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cold") / "store"
    with open_memory(place) as memory:
        memory.ingest(read_log(ROOT / "sample_data" / "two_friends.json"))
        memory.consolidate()
    return place


@pytest.mark.models
@pytest.mark.parametrize(
    "words", [["search", "Who took Biscuit in?"], ["ask", "Who took Biscuit in?"], ["review", "list"]]
)
def test_asking_and_listing_load_no_library_of_models(store: Path, words: list[str]) -> None:
    code = (
        f"import sys; from memcore.cli import main; code = main({[*words, '--store', str(store)]!r});"
        f"print(sorted({OF_MODELS!r} & set(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip()
    assert done.stderr.strip().endswith("[]")
