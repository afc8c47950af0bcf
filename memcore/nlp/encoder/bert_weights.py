"""The weights of a BERT-like encoder, from a file or from a loaded Hugging Face module.

Read from safetensors they need neither transformers nor its registry of models, whose import alone takes
longer than embedding a question. Knows no precision and computes nothing but embeddings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

Transform = Callable[["Tensor"], "Tensor"]
Linear = tuple["Tensor", "Tensor"]
"""Weight, shape (out, in), and bias, shape (out,)."""
Norm = tuple["Tensor", "Tensor", float]
"""Weight and bias of a layer norm, both of shape (hidden,), and its epsilon."""


@dataclass(frozen=True, slots=True)
class LayerWeights:
    """One layer: the products of its attention and of its feed-forward part, each with the norm after it."""

    query: Linear
    key: Linear
    value: Linear
    attended: Linear
    attended_norm: Norm
    up: Linear
    activation: Transform
    down: Linear
    norm: Norm


@dataclass(frozen=True, slots=True)
class BertWeights:
    """`embed` turns ids, shape (rows, width), into the states that the first of the `layers` reads, shape
    (rows, width, hidden); `heads` is how many heads attention has."""

    embed: Transform
    layers: tuple[LayerWeights, ...]
    heads: int


def of_module(body: Any) -> BertWeights:
    """Those of a BertModel or XLMRobertaModel, shared with it."""
    layers = []
    for layer in body.encoder.layer:
        own = layer.attention.self
        layers.append(
            LayerWeights(
                query=_linear(own.query),
                key=_linear(own.key),
                value=_linear(own.value),
                attended=_linear(layer.attention.output.dense),
                attended_norm=_norm(layer.attention.output.LayerNorm),
                up=_linear(layer.intermediate.dense),
                activation=layer.intermediate.intermediate_act_fn,
                down=_linear(layer.output.dense),
                norm=_norm(layer.output.LayerNorm),
            )
        )

    def embed(ids: Tensor) -> Tensor:
        states: Tensor = body.embeddings(input_ids=ids)
        return states

    return BertWeights(embed, tuple(layers), body.config.num_attention_heads)


def of_tensors(tensors: Mapping[str, Tensor], *, heads: int, epsilon: float) -> BertWeights:
    """Those of a BertModel saved as `tensors`, by the names transformers gives them. `epsilon` is that of its
    layer norms. The activation is BERT's: gelu."""
    import torch

    def linear(name: str) -> Linear:
        return tensors[f"{name}.weight"], tensors[f"{name}.bias"]

    def norm(name: str) -> Norm:
        return *linear(name), epsilon

    def layer(name: str) -> LayerWeights:
        return LayerWeights(
            query=linear(f"{name}.attention.self.query"),
            key=linear(f"{name}.attention.self.key"),
            value=linear(f"{name}.attention.self.value"),
            attended=linear(f"{name}.attention.output.dense"),
            attended_norm=norm(f"{name}.attention.output.LayerNorm"),
            up=linear(f"{name}.intermediate.dense"),
            activation=torch.nn.functional.gelu,
            down=linear(f"{name}.output.dense"),
            norm=norm(f"{name}.output.LayerNorm"),
        )

    words = tensors["embeddings.word_embeddings.weight"]
    places = tensors["embeddings.position_embeddings.weight"]
    first_sentence = tensors["embeddings.token_type_embeddings.weight"][0]
    embedded_norm = norm("embeddings.LayerNorm")

    def embed(ids: Tensor) -> Tensor:
        return normalised(words[ids] + first_sentence + places[: ids.shape[1]], embedded_norm)

    count = 1 + max(int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer."))
    layers = tuple(layer(f"encoder.layer.{number}") for number in range(count))
    return BertWeights(embed, layers, heads)


def _linear(module: Any) -> Linear:
    return module.weight.detach(), module.bias.detach()


def _norm(module: Any) -> Norm:
    return *_linear(module), float(module.eps)


def normalised(states: Tensor, norm: Norm) -> Tensor:
    """The layer norm of `states`, shape (..., hidden)."""
    from torch.nn.functional import layer_norm

    weight, bias, epsilon = norm
    return layer_norm(states, (states.shape[-1],), weight, bias, epsilon)
