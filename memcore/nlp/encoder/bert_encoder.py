"""The layers of a BERT-like encoder, run without the Hugging Face module around them.

Computes what a BertModel or XLMRobertaModel (the families LLMLingua-2 checkpoints come in) computes, two to
four times as fast: query, key and value in one product, fused attention where nobody asks for its
probabilities, only the layers and outputs that are used. Where the CPU multiplies bfloat16 in hardware (AMX
or AVX512-BF16), products are in bfloat16; sums over layers, normalisation and what is handed out stay
float32. Measured by `benchmarks/encoder_runtime.py`: a sentence vector's cosine to float32 is at least
0.9999. Knows padded ids, no rows, words or tokenizer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.nlp.encoder.bert_weights import BertWeights, LayerWeights, Linear, Norm, Transform, normalised

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class _Linear:
    """A linear layer, whose weights are put once into the order that products of a few rows read them in:
    oneDNN's own where bfloat16 is multiplied in hardware, into which it would else bring them for every
    product, a quarter of the time of a question; else by input, which MKL reads up to a quarter faster than
    by output. The numbers are the same."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        import torch

        self._ordered = weight.dtype is torch.bfloat16 and _multiplies_bfloat16()
        if self._ordered:
            self._weight = torch.ops.mkldnn._reorder_linear_weight(weight)
        else:
            self._weight = weight.t().contiguous().t()
        self._bias = bias

    @property
    def parameters(self) -> Linear:
        """Weight and bias."""
        return self._weight, self._bias

    def __call__(self, states: Tensor) -> Tensor:
        import torch

        if self._ordered:
            product: Tensor = torch.ops.mkldnn._linear_pointwise(
                states, self._weight, self._bias, "none", [], ""
            )
            return product
        return torch.nn.functional.linear(states, self._weight, self._bias)


@dataclass(frozen=True, slots=True)
class _Layer:
    query_key_value: _Linear
    attended: _Linear
    attended_norm: Norm
    up: _Linear
    activation: Transform
    down: _Linear
    norm: Norm


class BertEncoder:
    """An encoder in one precision, `runtime` in words. Its weights are never changed: safe to call from
    several threads."""

    def __init__(self, weights: BertWeights, dtype: torch.dtype | None = None) -> None:
        """The `weights` are shared, or copied into `dtype` (None: the fastest here, see `fastest_dtype`)."""
        self.dtype = dtype or fastest_dtype()
        self.runtime = f"torch {str(self.dtype).removeprefix('torch.')}"
        self._embed = weights.embed
        self._heads = weights.heads
        self._layers = [self._layer(layer) for layer in weights.layers]
        self._at_once = _at_once(self._layers, weights.heads, self.dtype)

    def _layer(self, layer: LayerWeights) -> _Layer:
        import torch

        parts = (layer.query, layer.key, layer.value)
        together = torch.cat([weight for weight, _ in parts]), torch.cat([bias for _, bias in parts])
        return _Layer(
            query_key_value=self._linear(together),
            attended=self._linear(layer.attended),
            attended_norm=layer.attended_norm,
            up=self._linear(layer.up),
            activation=layer.activation,
            down=self._linear(layer.down),
            norm=layer.norm,
        )

    def _linear(self, linear: Linear) -> _Linear:
        weight, bias = linear
        return _Linear(weight.to(self.dtype), bias.to(self.dtype))

    def states(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Last hidden states, float32, shape (rows, width, hidden), of padded `ids` and `mask` (True:
        a piece, False: padding), both of shape (rows, width)."""
        from torch.nn.functional import scaled_dot_product_attention

        present = None if bool(mask.all()) else mask[:, None, None, :]
        states = self._embed(ids)
        if present is None and self._at_once:
            for whole in self._at_once:
                states = whole(states)
            return states
        for layer in self._layers:
            query, key, value = self._query_key_value(layer, states)
            context = scaled_dot_product_attention(query, key, value, attn_mask=present)
            states = self._after_attention(layer, states, context)
        return states

    def attention(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The attention of each position to each, float32, shape (rows, width, width), averaged over
        all heads of the upper half of the layers."""
        import torch
        from torch.nn.functional import scaled_dot_product_attention

        present = mask[:, None, None, :]
        states = self._embed(ids)
        upper = self._layers[len(self._layers) // 2 :]
        total = torch.zeros(())
        for number, layer in enumerate(self._layers, start=1 + len(upper) - len(self._layers)):
            query, key, value = self._query_key_value(layer, states)
            if number <= 0:
                context = scaled_dot_product_attention(query, key, value, attn_mask=present)
            else:
                scores = (query / math.sqrt(query.shape[-1])) @ key.transpose(-1, -2)
                paid = scores.masked_fill(~present, -math.inf).softmax(-1)
                total = total + paid.sum(1, dtype=torch.float32)
                if number == len(upper):
                    break
                context = paid @ value
            states = self._after_attention(layer, states, context)
        return total / (self._heads * len(upper))

    def _query_key_value(self, layer: _Layer, states: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Each of shape (rows, heads, width, hidden / heads)."""
        rows, width, hidden = states.shape
        together = layer.query_key_value(states.to(self.dtype))
        split = together.view(rows, width, 3, self._heads, hidden // self._heads).permute(2, 0, 3, 1, 4)
        return split[0], split[1], split[2]

    def _after_attention(self, layer: _Layer, states: Tensor, context: Tensor) -> Tensor:
        attended = layer.attended(context.transpose(1, 2).reshape(states.shape))
        states = normalised(states + attended, layer.attended_norm)
        wide = layer.activation(layer.up(states.to(self.dtype)))
        return normalised(states + layer.down(wide), layer.norm)


def _at_once(layers: Sequence[_Layer], heads: int, dtype: torch.dtype) -> list[Transform]:
    """The same layers as torch computes each in one step, sharing their weights: Python's lock, for which
    every step waits while another thread runs Python, is taken 6 times instead of 90 for a question. Empty
    where torch has no such step: for products in bfloat16 with sums in float32, or another activation."""
    import torch

    if dtype is not torch.float32 or any(one.activation is not torch.nn.functional.gelu for one in layers):
        return []
    return [_whole(layer, heads) for layer in layers]


def _whole(layer: _Layer, heads: int) -> Transform:
    import torch

    up, _ = layer.up.parameters
    parts = {
        "self_attn.out_proj.": layer.attended.parameters,
        "linear1.": layer.up.parameters,
        "linear2.": layer.down.parameters,
        "self_attn.in_proj_": layer.query_key_value.parameters,
        "norm1.": layer.attended_norm[:2],
        "norm2.": layer.norm[:2],
    }
    with torch.device("meta"):
        whole = torch.nn.TransformerEncoderLayer(
            up.shape[1], heads, up.shape[0], dropout=0.0, activation="gelu", batch_first=True
        )
    weights = {f"{name}weight": weight for name, (weight, _) in parts.items()}
    whole.load_state_dict(weights | {f"{name}bias": bias for name, (_, bias) in parts.items()}, assign=True)
    whole.norm1.eps, whole.norm2.eps = layer.attended_norm[2], layer.norm[2]
    return whole.requires_grad_(False).eval()


def fastest_dtype() -> torch.dtype:
    """bfloat16 where the CPU multiplies it in hardware (AMX or AVX512-BF16), else float32."""
    import torch

    return torch.bfloat16 if _multiplies_bfloat16() else torch.float32


def _multiplies_bfloat16() -> bool:
    import torch

    features = torch.cpu.get_capabilities()
    return bool(features.get("amx_bf16") or features.get("avx512_bf16"))
