"""A BERT-like encoder at work, without the Hugging Face module around it.

Computes what a BertModel or XLMRobertaModel (the families LLMLingua-2 checkpoints come in) computes, two to
four times as fast: query, key and value in one product, fused attention where nobody asks for its
probabilities, only the layers and outputs that are used, and no step of it by Python (`bert_layers`). Where
the CPU multiplies bfloat16 in hardware (AMX or AVX512-BF16), products are in bfloat16; sums over layers,
normalisation and what is handed out stay float32. Measured by `benchmarks/encoder_runtime.py`: a sentence
vector's cosine to float32 is at least 0.9999. Knows padded ids, no rows, words or tokenizer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.encoder.bert_layers import bert_layers
from memcore.nlp.encoder.bert_weights import BertWeights, LayerWeights, Linear

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class BertEncoder:
    """An encoder in one precision, `runtime` in words. Its weights are never changed: safe to call from
    several threads."""

    def __init__(self, weights: BertWeights, dtype: torch.dtype | None = None) -> None:
        """The `weights` are shared, or copied into `dtype` (None: the fastest here, see `fastest_dtype`)."""
        import torch

        self.dtype = dtype or fastest_dtype()
        self.runtime = f"torch {str(self.dtype).removeprefix('torch.')}"
        self._ordered = self.dtype is torch.bfloat16 and _multiplies_bfloat16()
        self._embeddings = [weights.words, weights.places, weights.first_sentence, *weights.embedded_norm]
        self._layers = [self._layer(layer) for layer in weights.layers]
        self._heads, self._epsilon = weights.heads, weights.epsilon
        self._compute = bert_layers()

    def states(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Last hidden states, float32, shape (rows, width, hidden), of padded `ids` and `mask` (True:
        a piece, False: padding), both of shape (rows, width)."""
        present = None if bool(mask.all()) else mask[:, None, None, :]
        return self._compute.states(
            ids, present, self._embeddings, self._layers, self._heads, self._epsilon, self._ordered
        )

    def attention(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The attention of each position to each, float32, shape (rows, width, width), averaged over
        all heads of the upper half of the layers."""
        present = mask[:, None, None, :]
        return self._compute.attention(
            ids, present, self._embeddings, self._layers, self._heads, self._epsilon, self._ordered
        )

    def _layer(self, layer: LayerWeights) -> list[Tensor]:
        import torch

        parts = (layer.query, layer.key, layer.value)
        together = torch.cat([weight for weight, _ in parts]), torch.cat([bias for _, bias in parts])
        return [
            *self._linear(together),
            *self._linear(layer.attended),
            *layer.attended_norm,
            *self._linear(layer.up),
            *self._linear(layer.down),
            *layer.norm,
        ]

    def _linear(self, linear: Linear) -> Linear:
        """In the precision of products, and once in the order that products of a few rows read weights in:
        oneDNN's own where bfloat16 is multiplied in hardware, into which it would else bring them for every
        product, a quarter of the time of a question; else by input, which MKL reads up to a quarter faster
        than by output."""
        import torch

        weight, bias = (one.to(self.dtype) for one in linear)
        if self._ordered:
            return torch.ops.mkldnn._reorder_linear_weight(weight), bias
        return weight.t().contiguous().t(), bias


def fastest_dtype() -> torch.dtype:
    """bfloat16 where the CPU multiplies it in hardware (AMX or AVX512-BF16), else float32."""
    import torch

    return torch.bfloat16 if _multiplies_bfloat16() else torch.float32


def _multiplies_bfloat16() -> bool:
    import torch

    features = torch.cpu.get_capabilities()
    return bool(features.get("amx_bf16") or features.get("avx512_bf16"))
