"""Sparse autoencoders: features of a recorded tensor, as tape sites of their own.

Bricken et al. 2023: f = σ((x − b_dec) W_enc + b_enc), x ≈ f W_dec + b_dec, most of f 0. Read are
folders in the form of SAELens (cfg.json, sae_weights.safetensors); nothing is trained here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.trace.tape import Edit, Tape
from glassformer.core.untrusted import UNREADABLE, problem_of, read_json_file

CONFIG, WEIGHTS = "cfg.json", "sae_weights.safetensors"
ARCHITECTURES = ("standard", "topk", "jumprelu")
NORMALIZATIONS = ("none", "layer_norm", "constant_norm_rescale")
LN_EPSILON = 1e-5  # of SAELens' own layer norm
Ends = Callable[[Tensor], Tensor]


def _unused(value: Tensor) -> Tensor:
    return value


@dataclass(frozen=True, repr=False, eq=False)
class SAE(Edit):
    """A sparse autoencoder at one address, to be given to a run among its edits.

    `model.run(text, edits=[sae])` records `<address>/features` (B, T, F) and `<address>/error`
    (B, T, D), what the features do not reconstruct. Edits of these addresses reach the run, the
    error is carried along: without any the run stays as it is, bit for bit. In gradients the
    features get those of what they write; what flows on to x is as without the autoencoder.
    `address` may be a hook's name of TransformerLens, as SAELens stores it.

    Features are one dictionary of many that would do: that a feature is active for a concept does
    not say that the model uses it. Edit it, and look at what the run does.
    """

    change: Callable[[Tensor], Tensor] = _unused
    each_position: bool = True  # features of a word are read off its vector alone
    architecture: str = "standard"
    weights: Mapping[str, Tensor] = field(default_factory=dict)
    k: int = 0  # features that may be active at a place, of topk
    normalization: str = "none"
    shifts_input: bool = True  # whether b_dec is taken off x first
    _there: dict[Any, dict[str, Tensor]] = field(default_factory=dict, init=False)

    @staticmethod
    def load(folder: str | Path) -> SAE:
        """Opens a folder that SAELens saved.

        Args:
            folder: with cfg.json and sae_weights.safetensors (W_enc (D, F), b_enc (F), W_dec
                (F, D), b_dec (D), of jumprelu threshold (F)).

        Returns:
            The autoencoder, its numbers in float32 on the CPU; runs bring them to their device.

        Raises:
            GlassformerError: `sae_missing` for a folder without these files, `sae_damaged` for
                files that cannot be read or do not fit together, `sae_kind` for what is not
                computed here.
        """
        folder = Path(folder)
        if not ((folder / CONFIG).is_file() and (folder / WEIGHTS).is_file()):
            raise GlassformerError("sae_missing", path=folder.name)
        try:
            about = read_json_file(folder / CONFIG)
            weights = load_file(folder / WEIGHTS)
            settings = _settings_of(about, folder.name)
        except UNREADABLE as error:
            if isinstance(error, GlassformerError):
                raise
            problem = problem_of(error)
            raise GlassformerError("sae_damaged", path=folder.name, problem=problem) from error
        settings["weights"] = _checked(weights, settings["architecture"], folder.name)
        return SAE(name=f"sparse autoencoder {folder.name}", **settings)

    @property
    def records(self) -> tuple[str, ...]:
        """The sites below its address."""
        return ("features", "error")

    @property
    def features(self) -> int:
        """F, how many features there are."""
        return self.weights["W_dec"].size(0)

    def encode(self, x: Tensor) -> Tensor:
        """The features of vectors: (…, D) -> (…, F), most of them 0."""
        w = self._on(x)
        x, _ = self._normalized(x)
        if self.shifts_input:
            x = x - w["b_dec"]
        before = x @ w["W_enc"] + w["b_enc"]  # (…, F)
        if self.architecture == "jumprelu":
            return before.relu() * (before > w["threshold"])
        if self.architecture == "topk":
            best = before.topk(self.k, dim=-1)
            return torch.zeros_like(before).scatter(-1, best.indices, best.values.relu())
        return before.relu()

    def decode(self, features: Tensor, x: Tensor) -> Tensor:
        """What features write: (…, F) -> (…, D). x: the vectors, whose scale comes back."""
        w = self._on(features)
        return self._normalized(x)[1](features @ w["W_dec"] + w["b_dec"])

    def applied(self, value: Tensor, tape: Tape) -> Tensor:
        """Records features and error below the address; gives `value` back, with their edits."""
        if not (tape.wants("features") or tape.wants("error")):
            return value
        x = value.transpose(1, 2).flatten(-2) if value.dim() == 4 else value  # heads side by side
        x = x.to(torch.promote_types(x.dtype, torch.float32))
        if x.size(-1) != (wide := self.weights["W_enc"].size(0)):
            raise GlassformerError("sae_width", address=self.address, given=x.size(-1), needed=wide)
        features = self.encode(x)
        written = self.decode(features, x)
        error = x - written
        given = features, error
        if tracked := torch.is_grad_enabled() and value.requires_grad:
            given = features.view_as(features), error.view_as(error)  # nodes of their own
        features_now, error_now = tape("features", given[0]), tape("error", given[1])
        if features_now is given[0] and error_now is given[1] and not tracked:
            return value
        more = (self.decode(features_now, x) - written) + (error_now - error)  # 0 without an edit
        if value.dim() == 4:
            more = more.view(*more.shape[:2], value.size(1), -1).transpose(1, 2)
        return value + more.to(value.dtype)

    def __repr__(self) -> str:
        wide, features = self.weights["W_enc"].shape
        return f"SAE({self.architecture} at {self.address}: {wide} → {features} features)"

    def _on(self, x: Tensor) -> dict[str, Tensor]:
        """The weights where the vectors are; brought there once."""
        key = (x.device, x.dtype)
        if key not in self._there:
            self._there[key] = {name: each.to(x) for name, each in self.weights.items()}
        return self._there[key]

    def _normalized(self, x: Tensor) -> tuple[Tensor, Ends]:
        """The vectors as the encoder takes them, and the way back."""
        if self.normalization == "layer_norm":
            mean = x.mean(dim=-1, keepdim=True)
            spread = (x - mean).std(dim=-1, keepdim=True)
            return (x - mean) / (spread + LN_EPSILON), lambda y: y * spread + mean
        if self.normalization == "constant_norm_rescale":
            scale = x.size(-1) ** 0.5 / x.norm(dim=-1, keepdim=True)
            return x * scale, lambda y: y / scale
        return x, _unused


def _settings_of(about: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """The fields of an `SAE` but its weights, from cfg.json of SAELens' versions 3 to 6."""
    more = about.get("metadata") or about.get("meta") or {}
    architecture = about.get("architecture", "standard")
    activation = about.get("activation_fn") or about.get("activation_fn_str") or "relu"
    k = about.get("k") or (about.get("activation_fn_kwargs") or {}).get("k", 0)
    if architecture == "standard" and activation == "topk":
        architecture = "topk"
    normalization = about.get("normalize_activations", "none")
    hook = about.get("hook_name") or more.get("hook_name") or about.get("hook_point")
    head = about.get("hook_head_index", more.get("hook_head_index"))
    unlike = (
        (architecture not in ARCHITECTURES, f"architecture {architecture}"),
        (activation not in ("relu", "topk"), f"activation_fn {activation}"),
        (normalization not in NORMALIZATIONS, f"normalize_activations {normalization}"),
        (head is not None, f"hook_head_index {head}"),
        (bool(about.get("rescale_acts_by_decoder_norm")), "rescale_acts_by_decoder_norm"),
        (bool(about.get("finetuning_scaling_factor")), "finetuning_scaling_factor"),
    )
    for is_unlike, what in unlike:
        if is_unlike:
            raise GlassformerError("sae_kind", path=folder, what=what)
    if not isinstance(hook, str):
        raise ValueError("it names no hook")
    if architecture == "topk" and not (isinstance(k, int) and k > 0):
        raise ValueError(f"k is {k}")
    return {
        "address": hook, "architecture": architecture, "k": k, "normalization": normalization,
        "shifts_input": bool(about.get("apply_b_dec_to_input", True)),
    }  # fmt: skip


def _checked(weights: Mapping[str, Tensor], architecture: str, folder: str) -> dict[str, Tensor]:
    """The tensors in float32, with shapes that fit together."""
    encoder = weights.get("W_enc")
    wide, features = encoder.shape if encoder is not None and encoder.dim() == 2 else (0, 0)
    shapes = {"W_enc": (wide, features), "b_enc": (features,), "W_dec": (features, wide),
              "b_dec": (wide,)}  # fmt: skip
    if architecture == "jumprelu":
        shapes["threshold"] = (features,)
    for name, shape in shapes.items():
        found = tuple(weights[name].shape) if name in weights else "missing"
        if found != shape or not wide:
            raise GlassformerError(
                "sae_damaged", path=folder, problem=f"{name} is {found}, expected {shape}"
            )
    return {name: weights[name].float() for name in shapes}
