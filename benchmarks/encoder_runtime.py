"""Which runtime reads the embedded encoder fastest, and how near to float32 it stays.

    python -m benchmarks.encoder_runtime ../shared/data/locomo/locomo_dev4.json

Side by side in one run, one thread each: the transformers module (float32, eager attention: what ran
before, the reference), `BertEncoder` in float32 and bfloat16, and where they are installed (with onnx)
ONNX Runtime (float32, dynamic int8) and OpenVINO (float32, bfloat16). Read are short
texts (single turns), long ones (14 turns each) and single questions. Printed are the tokens a processor
second (other programs distort it less than the clock), as a multiple of the reference; the worst and
the mean cosine of sentence vectors to the reference's; the share of words kept or dropped alike at rate
0.6; and milliseconds by the clock for one question, tokenising included.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memcore.nlp.encoder.checkpoint import embedded_checkpoint
from memcore.nlp.encoder.llmlingua2 import (
    EMBEDDED_NAME,
    LLMLingua2,
    load_prompt_compressor,
    of_prompt_compressor,
)
from memcore.nlp.encoder.word_pieces import MAX_ROW

RATE = 0.6
SHORT, LONG, TURNS_IN_LONG, QUESTIONS = 320, 24, 14, 100
ROUNDS = 3

States = Callable[[Any, Any], Any]
"""Padded ids and mask to last hidden states, as `BertEncoder.states`."""


@dataclass(frozen=True, slots=True)
class Texts:
    """What is read: single turns, turns joined to long texts, and questions."""

    short: list[str]
    long: list[str]
    questions: list[str]


def main() -> None:
    """Print speed and fidelity of every runtime, side by side."""
    import torch

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("locomo", type=Path)
    texts = read_texts(parser.parse_args().locomo)
    torch.set_num_threads(1)
    loaded = load_prompt_compressor(str(embedded_checkpoint()))
    reader = LLMLingua2(of_prompt_compressor(loaded), name=EMBEDDED_NAME, threads=1, dtype=torch.float32)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f} before")
    print(f"{'':<24} {'short':>14} {'long':>14} {'cosine to float32':>19} {'kept alike':>10}  one question")
    found = dict(candidates(loaded.model))
    compressors = {name: _reading_with(reader, states) for name, states in found.items()}
    speeds: dict[str, dict[str, list[float]]] = {name: {"short": [], "long": []} for name in found}
    for _ in range(ROUNDS):  # in turns, so that what else runs slows all alike
        for name, compressor in compressors.items():
            speeds[name]["short"].append(tokens_a_second(compressor, texts.short))
            speeds[name]["long"].append(tokens_a_second(compressor, texts.long))
    everything = texts.short + texts.long
    reference, *_ = found
    expected, decided = results(compressors[reference], everything)
    for name, compressor in compressors.items():
        vectors, kept = results(compressor, everything)
        cosine = (vectors * expected).sum(axis=1)
        columns = [
            f"{max(speeds[name][kind]):6.0f} ({max(speeds[name][kind]) / max(speeds[reference][kind]):4.2f}x)"
            for kind in ("short", "long")
        ]
        milliseconds = question_milliseconds(compressor, texts.questions)
        print(
            f"{name:<24} {columns[0]:>14} {columns[1]:>14}   {cosine.min():.6f} {cosine.mean():.6f} "
            f"{(kept == decided).mean():10.2%}  p50 {np.percentile(milliseconds, 50):.1f} "
            f"p95 {np.percentile(milliseconds, 95):.1f} ms"
        )
    print(f"load {os.getloadavg()[0]:.2f} after")


def read_texts(path: Path) -> Texts:
    """Texts of a LoCoMo file."""
    samples = json.loads(path.read_text(encoding="utf-8"))
    turns = [
        turn["text"]
        for sample in samples
        for value in sample["conversation"].values()
        if isinstance(value, list)
        for turn in value
    ]
    long = [" ".join(turns[i : i + TURNS_IN_LONG]) for i in range(0, LONG * TURNS_IN_LONG, TURNS_IN_LONG)]
    questions = [qa["question"] for sample in samples for qa in sample["qa"]]
    return Texts(turns[-SHORT:], long, questions[:QUESTIONS])


def candidates(model: Any) -> Iterator[tuple[str, States]]:
    """The runtimes by name, the reference first."""
    import torch

    from memcore.nlp.encoder.bert_encoder import BertEncoder
    from memcore.nlp.encoder.bert_weights import of_module

    def transformers_states(ids: Any, mask: Any) -> Any:
        return model(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states[-1]

    yield "transformers float32", transformers_states
    for dtype in (torch.float32, torch.bfloat16):
        encoder = BertEncoder(of_module(model.base_model), dtype)
        yield encoder.runtime, encoder.states
    yield from _exported(model)


def _exported(model: Any) -> Iterator[tuple[str, States]]:
    """Runtimes that read an ONNX file."""
    import torch

    class Body(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = model.base_model

        def forward(self, ids: Any, mask: Any) -> Any:
            return self.body(input_ids=ids, attention_mask=mask).last_hidden_state

    try:
        import onnxruntime  # type: ignore[import-not-found]
        from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-not-found]
    except ImportError as error:
        print(f"ONNX Runtime: {error}")
        return
    place = Path(tempfile.gettempdir()) / f"encoder-{os.getpid()}.onnx"
    shape = torch.ones((2, 9), dtype=torch.long)
    axes = {0: "rows", 1: "width"}
    torch.onnx.export(
        Body().eval(),
        (shape, shape),
        str(place),
        input_names=["ids", "mask"],
        output_names=["states"],
        dynamic_axes={"ids": axes, "mask": axes, "states": axes},
        dynamo=False,
    )
    small = place.with_suffix(".int8.onnx")
    quantize_dynamic(place, small, weight_type=QuantType.QInt8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    for name, path in (("onnxruntime float32", place), ("onnxruntime int8", small)):
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        yield name, _session_states(session)
    yield from _openvino(place)


def _session_states(session: Any) -> States:
    import torch

    def states(ids: Any, mask: Any) -> Any:
        given = {"ids": ids.numpy(), "mask": mask.long().numpy()}
        return torch.from_numpy(session.run(None, given)[0])

    return states


def _openvino(path: Path) -> Iterator[tuple[str, States]]:
    import torch

    try:
        import openvino  # type: ignore[import-not-found]
    except ImportError as error:
        print(f"OpenVINO: {error}")
        return
    for precision in ("f32", "bf16"):
        settings = {"INFERENCE_PRECISION_HINT": precision, "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}
        compiled = openvino.compile_model(path, "CPU", settings)

        def states(ids: Any, mask: Any, compiled: Any = compiled) -> Any:
            return torch.from_numpy(compiled([ids.numpy(), mask.long().numpy()])[0])

        yield f"OpenVINO {precision}", states


def _reading_with(reader: LLMLingua2, states: States) -> LLMLingua2:
    """The same compressor, its hidden states computed by another runtime."""
    from copy import copy
    from types import SimpleNamespace

    twin = copy(reader)
    twin.model = copy(reader.model)
    twin.model._encoder = SimpleNamespace(states=states)  # type: ignore[assignment]
    return twin


def rows_of(compressor: LLMLingua2, texts: Sequence[str]) -> list[list[int]]:
    """The token ids of each text, cut to the longest row the model takes."""
    model = compressor.model
    return [model.row(encoding.ids[: MAX_ROW - 2]) for encoding in model.encode(texts)]


def tokens_a_second(compressor: LLMLingua2, texts: Sequence[str]) -> float:
    """Tokens read in a second of processor time."""
    rows = rows_of(compressor, texts)
    begun = time.process_time()
    compressor.model.read(rows)
    return sum(map(len, rows)) / (time.process_time() - begun)


def results(compressor: LLMLingua2, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Sentence vectors of the texts' beginnings, and of every word whether it is kept."""
    vectors = np.stack([read.vector for read in compressor.model.read(rows_of(compressor, texts))])
    kept = [word.kept for text in compressor.compress(texts, RATE) for word in text.words]
    return vectors, np.asarray(kept)


def question_milliseconds(compressor: LLMLingua2, questions: Sequence[str]) -> list[float]:
    """How long each question takes when it is read by itself."""
    spent = []
    for question in questions:
        begun = time.perf_counter()
        compressor.model.read(rows_of(compressor, [question]))
        spent.append(1000 * (time.perf_counter() - begun))
    return spent


if __name__ == "__main__":
    main()
