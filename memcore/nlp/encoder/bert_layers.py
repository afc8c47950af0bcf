"""What a BERT-like encoder computes, as functions that torch runs from begin to end without Python's lock.

One step after the other called from Python, each of some 150 waits for the lock, up to 5 ms where another
thread runs Python, and then finds the processor's caches filled with other things: beside one such thread,
reading a text takes twice the processor time and twenty times as long. TorchScript takes the lock once a
batch. It is deprecated in favour of compilers that a user's machine does not have.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class BertLayers:
    """The functions, compiled. Those that read take

    - ids, shape (rows, width);
    - where a piece is and no padding, shape (rows, 1, 1, width); None: everywhere;
    - the embeddings of words, places and the first sentence, weight and bias of their norm;
    - of each layer, weight and bias of: query, key and value in one product; the product after attention, its
      norm; the wide product, the narrow one, the norm after them;
    - the number of heads, the epsilon of the norms, and whether the weights of products lie in the order that
      oneDNN reads them in."""

    states: Callable[[Tensor, Tensor | None, list[Tensor], list[list[Tensor]], int, float, bool], Tensor]
    """Last hidden states, float32, shape (rows, width, hidden)."""
    attention: Callable[[Tensor, Tensor, list[Tensor], list[list[Tensor]], int, float, bool], Tensor]
    """The attention of each position to each, float32, shape (rows, width, width), averaged over all heads of
    the upper half of the layers."""
    outputs: Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    """Of last hidden states, where a piece is, shape (rows, width), and weight and bias of a linear layer
    with two outputs: the second one's probability of each piece, shape (rows, width), and the unit-length
    mean of each row, shape (rows, hidden)."""


@cache
def bert_layers() -> BertLayers:  # noqa: C901 - TorchScript finds a name only where the function is defined
    """Compiled once a process, within some 20 ms."""
    import torch
    from torch.nn.functional import gelu, layer_norm, scaled_dot_product_attention

    def linear(states: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, ordered: bool) -> torch.Tensor:
        states = states.to(bias.dtype)
        if not ordered:
            return torch.nn.functional.linear(states, weight, bias)
        product: torch.Tensor = torch.ops.mkldnn._linear_pointwise(states, weight, bias, "none", [], "")
        return product

    def embedded(ids: torch.Tensor, embeddings: list[torch.Tensor], epsilon: float) -> torch.Tensor:
        words, places, sentence, weight, bias = embeddings
        found = words[ids] + sentence + places[: ids.shape[1]]
        return layer_norm(found, [found.shape[-1]], weight, bias, epsilon)

    def by_head(states: torch.Tensor, layer: list[torch.Tensor], heads: int, ordered: bool) -> torch.Tensor:
        """Query, key and value, shape (3, rows, heads, width, hidden / heads)."""
        rows, width, hidden = states.shape[0], states.shape[1], states.shape[2]
        together = linear(states, layer[0], layer[1], ordered)
        return together.view(rows, width, 3, heads, hidden // heads).permute(2, 0, 3, 1, 4)

    def after_attention(
        states: torch.Tensor, context: torch.Tensor, layer: list[torch.Tensor], epsilon: float, ordered: bool
    ) -> torch.Tensor:
        hidden = states.shape[-1]
        attended = linear(context.transpose(1, 2).reshape(states.shape), layer[2], layer[3], ordered)
        states = layer_norm(states + attended, [hidden], layer[4], layer[5], epsilon)
        wide = gelu(linear(states, layer[6], layer[7], ordered))
        narrow = linear(wide, layer[8], layer[9], ordered)
        return layer_norm(states + narrow, [hidden], layer[10], layer[11], epsilon)

    def states_of(
        ids: torch.Tensor,
        present: torch.Tensor | None,
        embeddings: list[torch.Tensor],
        layers: list[list[torch.Tensor]],
        heads: int,
        epsilon: float,
        ordered: bool,
    ) -> torch.Tensor:
        states = embedded(ids, embeddings, epsilon)
        for layer in layers:
            split = by_head(states, layer, heads, ordered)
            context = scaled_dot_product_attention(split[0], split[1], split[2], attn_mask=present)
            states = after_attention(states, context, layer, epsilon, ordered)
        return states

    def attention_of(
        ids: torch.Tensor,
        present: torch.Tensor,
        embeddings: list[torch.Tensor],
        layers: list[list[torch.Tensor]],
        heads: int,
        epsilon: float,
        ordered: bool,
    ) -> torch.Tensor:
        lower = len(layers) // 2
        states = states_of(ids, present, embeddings, layers[:lower], heads, epsilon, ordered)
        total = torch.zeros([ids.shape[0], ids.shape[1], ids.shape[1]])
        for number, layer in enumerate(layers[lower:], start=lower + 1):
            split = by_head(states, layer, heads, ordered)
            scores = (split[0] / math.sqrt(split.shape[-1])) @ split[1].transpose(-1, -2)
            paid = scores.masked_fill(~present, -math.inf).softmax(-1)
            total = total + paid.sum(1, dtype=torch.float32)
            if number < len(layers):
                states = after_attention(states, paid @ split[2], layer, epsilon, ordered)
        return total / (heads * (len(layers) - lower))

    def outputs_of(
        states: torch.Tensor, mask: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        keep = torch.softmax(torch.nn.functional.linear(states, weight, bias), dim=-1)[:, :, 1]
        counted = mask.unsqueeze(-1).to(torch.float32)
        mean = (states * counted).sum(1) / counted.sum(1)
        return keep, torch.nn.functional.normalize(mean, dim=-1)

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.jit", DeprecationWarning)
        compiled = (torch.jit.script(one) for one in (states_of, attention_of, outputs_of))
        return BertLayers(*compiled)
