"""The Transformer once more, in plain numpy and float64, straight from the weights: for comparison.

Nothing of the model, the trace's recomputation or the readings is used, only the names under which
the parameters are stored and the conventions of the config.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from glassformer.core.config import ModelConfig

Arrays = dict[str, np.ndarray]


class Found(Arrays):
    """Numbers by address."""

    def __missing__(self, address: str) -> np.ndarray:
        raise KeyError(f"{address}: this file has to compute it, too (tests/explain/steps)")


class PlainRun:
    """One pass; `found` has every number by address, arrangements of it after a colon.

    `kept` are the dropout masks of a run in training mode, by address.
    """

    def __init__(
        self, config: ModelConfig, weights: Mapping[str, Any], source: np.ndarray,
        target: np.ndarray, kept: Arrays | None = None,
    ) -> None:  # fmt: skip
        self.config, self.kept, self.found = config, kept or {}, Found()
        self.weights = {name: each.double().numpy() for name, each in weights.items()}
        length = len(target)
        memory = self.stack("encoder", self.enter("source", source), None, len(source))
        self.found["memory"] = memory
        x = self.stack("decoder", self.enter("target", target), memory, length)
        if self.config.head_transform:
            dense = self.note("output/dense", self.linear("generator.transform.dense", x))
            x = self.note("output/activation", activated(dense, self.config.activation))
            x = self.norm("output/norm", "generator.transform.norm", x)
        if self.config.generator_scale:
            x = self.note("output/scaled", x / math.sqrt(self.config.d_model))
        z = x @ self.weights["generator.weight"].T
        if "generator.bias" in self.weights:
            z = z + self.weights["generator.bias"]
        self.found["output/logits"], self.found["output/probabilities"] = z, softmax(z)

    def note(self, address: str, value: np.ndarray) -> np.ndarray:
        self.found[address] = value
        return value

    def drop(self, address: str, x: np.ndarray) -> np.ndarray:
        if address not in self.kept:
            return x
        self.note(address, self.kept[address].astype(float))
        return self.note(f"{address}:dropped", x * self.kept[address] / (1 - self.config.dropout))

    def enter(self, side: str, ids: np.ndarray) -> np.ndarray:
        table, width = self.weights[f"{side}_embedding.table.weight"], self.config.d_model
        embedding = self.note(f"{side}/embedding", table[ids])
        scaled = embedding * (math.sqrt(width) if self.config.embedding_scale else 1)
        self.note(f"{side}/scaled", scaled)
        places = self.note(f"{side}/positions", self.places(side, len(ids), width))
        if self.config.token_types:
            types = self.weights[f"{side}_embedding.type_table.weight"]
            places = places + self.note(f"{side}/token_type", np.tile(types[0], (len(ids), 1)))
        added = self.note(f"{side}/scaled:added", scaled + places)
        entered = self.note(f"{side}/input", self.drop(f"{side}/kept", added))
        if self.config.embedding_norm:
            return self.norm(f"{side}/norm", f"{side}_embedding.norm", entered)
        return entered

    def places(self, side: str, length: int, width: int) -> np.ndarray:
        kind, table = self.config.positions, np.zeros((length, width))
        first = self.config.position_offset
        if kind == "learned":
            rows = self.weights[f"{side}_embedding.position_table.weight"]
            return rows[first : first + length]
        for row in range(length if kind not in ("none", "rotary", "relative") else 0):
            place, of = row + first, width - 2 if kind == "spread" else width
            for i in range(width // 2):
                slow = 10000 ** ((2 * i + (kind == "notes")) / of)
                halves = kind in ("halves", "spread")
                sine, cosine = (i, width // 2 + i) if halves else (2 * i, 2 * i + 1)
                table[row, sine] = math.sin(place / 10000 ** (2 * i / of))
                table[row, cosine] = math.cos(place / slow)
        return table

    def stack(self, name: str, x: np.ndarray, memory: np.ndarray | None, length: int) -> np.ndarray:
        decoder = memory is not None
        causal = np.tril(np.ones((length, length), bool)) if decoder else None
        count = self.config.decoder_layers if decoder else self.config.encoder_layers
        for layer in range(count):
            where = f"{name}/{layer}"
            x = self.sublayer(
                f"{where}/self_attention", x, lambda w, y: self.attend(w, y, y, causal)
            )
            if decoder:
                x = self.sublayer(
                    f"{where}/cross_attention", x, lambda w, y: self.attend(w, y, memory, None)
                )
            x = self.sublayer(f"{where}/feed_forward", x, self.think)
        return self.norm(f"{name}/norm", f"{name}.norm", x) if self.config.final_norm else x

    def sublayer(self, where: str, x: np.ndarray, inside: Any) -> np.ndarray:
        residual, pre = f"{where}_residual", self.config.norm_place == "pre"
        self.note(f"{residual}/stream", x)
        entry = self.note(f"{residual}/branch_input", x)
        path = named(where) + "_residual.norm"
        if pre:
            entry = self.norm(f"{where}_norm", path, entry)
        branch = self.drop(f"{residual}/kept", inside(where, entry))
        summed = self.note(f"{residual}/summed", x + branch)
        return summed if pre else self.norm(f"{where}_norm", path, summed)

    def norm(self, where: str, path: str, x: np.ndarray) -> np.ndarray:
        small, width = self.config.norm_epsilon, x.shape[-1]
        if self.config.norm_kind == "rms":
            square = self.note(f"{where}/mean_square", (x * x).sum(-1, keepdims=True) / width)
            hat = self.note(f"{where}/normalized", x / np.sqrt(square + small))
            return self.note(f"{where}/output", hat * self.weights[f"{path}.gamma"])
        mean = self.note(f"{where}/mean", x.sum(-1, keepdims=True) / width)
        sample = self.config.norm_formula == "sample"
        variance = ((x - mean) ** 2).sum(-1, keepdims=True) / (width - sample)
        std = self.note(f"{where}/std", np.sqrt(variance))
        hat = (x - mean) / (std + small if sample else np.sqrt(variance + small))
        self.note(f"{where}/normalized", hat)
        gamma, beta = (self.weights[f"{path}.{each}"] for each in ("gamma", "beta"))
        return self.note(f"{where}/output", hat * gamma + beta)

    def linear(self, path: str, x: np.ndarray) -> np.ndarray:
        bias = self.weights.get(f"{path}.bias", 0.0)
        return x @ self.weights[f"{path}.weight"].T + bias

    def attend(self, where: str, x: np.ndarray, memory: Any, causal: Any) -> np.ndarray:
        path, found, config = named(where), [], self.config
        for name, read in (("q", x), ("k", memory), ("v", memory)):
            whole = self.note(f"{where}/{name}:joined", self.linear(f"{path}.w_{name}", read))
            heads = config.n_heads if name == "q" else config.kv_heads or config.n_heads
            if where.startswith("encoder"):
                heads = config.encoder_heads or heads
            apart = np.stack(np.split(whole, heads, axis=1))  # (H, T, K)
            self.note(f"{where}/{name}:apart", apart.swapaxes(0, 1))
            found.append(self.note(f"{where}/{name}", apart))
        q, k, v = found
        within = "self" in where
        if config.qk_norm and within:
            q, k = (self.normed(where, name, each) for name, each in (("q", q), ("k", k)))
        if config.positions == "rotary" and within:
            q, k = (self.turn(where, name, each) for name, each in (("q", q), ("k", k)))
        k, v = (np.repeat(each, len(q) // len(each), axis=0) for each in (k, v))
        scores = self.note(f"{where}/scores", np.einsum("htk,hsk->hts", q, k))
        scale = math.sqrt(q.shape[-1]) if config.score_scale else 1
        scaled = self.note(f"{where}/scaled", scores / scale)
        if config.positions == "relative" and within:
            scaled = self.farther(where, scaled, causal is not None)
        mask = (
            np.ones_like(scaled, bool) if causal is None else np.broadcast_to(causal, scaled.shape)
        )
        self.note(f"{where}/mask", mask.astype(float))
        fill = -1e9 if self.config.mask_fill == "large_negative" else -math.inf
        masked = self.note(f"{where}/masked", np.where(mask, scaled, fill))
        weights = self.note(f"{where}/weights", softmax(masked))
        weights = self.drop(f"{where}/kept", weights)
        context = self.note(f"{where}/context", np.einsum("hts,hsk->htk", weights, v))
        concat = self.note(f"{where}/concat", np.concatenate(list(context), axis=1))
        return self.note(f"{where}/output", self.linear(f"{path}.w_o", concat))

    def normed(self, where: str, name: str, x: np.ndarray) -> np.ndarray:
        root = np.sqrt((x * x).mean(-1, keepdims=True) + self.config.norm_epsilon)
        gamma = self.weights[f"{named(where)}.turned.{name}_norm.gamma"]
        return self.note(f"{where}/{name}_normed", x / root * gamma)

    def turn(self, where: str, name: str, x: np.ndarray) -> np.ndarray:
        """Each pair (i, i + K/2) as a complex number, times one of length 1."""
        config, half = self.config, x.shape[-1] // 2
        theta = config.rotary_base ** (-np.arange(half) / half)
        slow = theta / config.rotary_factor
        if config.rotary_scaling == "linear":
            theta = slow
        if config.rotary_scaling == "llama3":
            waves = config.rotary_length / (2 * math.pi / theta)
            low, high = config.rotary_low, config.rotary_high
            share = np.clip((waves - low) / (high - low), 0, 1)
            theta = share * theta + (1 - share) * slow
        turned = (x[..., :half] + 1j * x[..., half:]) * np.exp(
            1j * np.arange(x.shape[1])[:, None] * theta
        )
        return self.note(f"{where}/{name}_rotated", np.concatenate([turned.real, turned.imag], -1))

    def farther(self, where: str, scaled: np.ndarray, causal: bool) -> np.ndarray:
        table = self.weights[f"{where.split('/')[0]}.relative.table.weight"]
        bias, rows = np.zeros_like(scaled), self.config.relative_buckets // (2 - causal)
        for _, t, s in np.ndindex(scaled.shape):
            away, side = (max(t - s, 0), 0) if causal else (abs(s - t), rows * (s > t))
            near = rows // 2
            if away >= near:
                part = math.log(away / near) / math.log(self.config.relative_distance / near)
                away = min(rows - 1, near + int(part * (rows - near)))
            bias[:, t, s] = table[side + away]
        self.note(f"{where}/position_bias", bias)
        return self.note(f"{where}/biased", scaled + bias)

    def think(self, where: str, x: np.ndarray) -> np.ndarray:
        before = self.note(f"{where}/pre_activation", self.linear(f"{named(where)}.w_1", x))
        after = self.note(f"{where}/activation", activated(before, self.config.activation))
        if self.config.gated:
            up = self.note(f"{where}/up", self.linear(f"{named(where)}.w_3", x))
            after = self.note(f"{where}/gated", after * up)
        after = self.drop(f"{where}/kept", after)
        return self.note(f"{where}/output", self.linear(f"{named(where)}.w_2", after))


def named(where: str) -> str:
    stack, layer, part = where.split("/")
    return f"{stack}.layers.{layer}.{part}"


def softmax(x: np.ndarray) -> np.ndarray:
    power = np.exp(x - x.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


def activated(x: np.ndarray, name: str) -> np.ndarray:
    if name == "relu":
        return np.where(x > 0, x, 0)
    if name == "gelu":
        return x * (1 + np.vectorize(math.erf)(x / 2**0.5)) / 2
    if name == "silu":
        return x / (1 + np.exp(-x))
    assert name == "gelu_tanh", f"{name} is to be computed here, too, in plain numpy"
    return x * (1 + np.tanh((2 / math.pi) ** 0.5 * (x + 0.044715 * x**3))) / 2
