"""The rule of LightMem's published code stands among the methods wherever one is chosen."""

import subprocess
import sys

import pytest

CHOSEN_IN = {
    "the command line": "from memcore.cli.names import _methods; print(*_methods())",
    "evaluation": "from memcore.evaluation.segmentation import SEGMENT_METHODS; print(*SEGMENT_METHODS)",
    "settings": "from memcore.runtime.config import METHODS; print(*METHODS)",
}


@pytest.mark.parametrize("code", CHOSEN_IN.values(), ids=CHOSEN_IN)
def test_in_a_new_process_it_can_be_chosen(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "lightmem" in done.stdout.split()
