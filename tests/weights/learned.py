"""Decoders that were really learned, with all that a Llama has, written as a Llama's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import glassllm
import torch
from safetensors.torch import save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

LANGUAGES = ("en", "pt")
TEXTS = {
    "en": ("She looked at the", "It was a cold night and he"),
    "pt": ("O homem", "Ela disse que"),
}
_NAMES = {
    "norm1.gamma": "input_layernorm", "norm2.gamma": "post_attention_layernorm",
    "attn.W_Q": "self_attn.q_proj", "attn.W_K": "self_attn.k_proj", "attn.W_V": "self_attn.v_proj",
    "attn.W_O": "self_attn.o_proj", "ffn.W1": "mlp.gate_proj", "ffn.W3": "mlp.up_proj",
    "ffn.W2": "mlp.down_proj",
}  # fmt: skip
_ENDS = {"E": "embed_tokens", "norm_f.gamma": "norm"}


def llama(folder: Path, language: str) -> tuple[Any, Any]:
    """Writes the folder; returns the package's own model, (T,) ids -> logits, and tokenizer."""
    model, pieces = glassllm.load_pretrained(language)
    config, held = model.cfg, dict[str, torch.Tensor]()
    for name, each in model.named_parameters().items():
        part, _, own = name.removeprefix("blocks.").partition(".")
        tensor = torch.from_numpy(each.data)
        if own in ("attn.W_Q", "attn.W_K"):
            # It turns neighbours, Llama the two halves of a head: even columns come first.
            heads = tensor.view(len(tensor), -1, config.d_model // config.n_heads // 2, 2)
            tensor = heads.mT.reshape(tensor.shape)
        theirs = f"layers.{part}.{_NAMES[own]}" if own in _NAMES else _ENDS[name]
        turned = tensor.T if ".W" in name else tensor
        held[f"model.{theirs}.weight"] = turned.contiguous()
    save_file(
        {name: each.contiguous() for name, each in held.items()}, folder / "model.safetensors"
    )
    about = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_act": "silu",
        "vocab_size": config.vocab_size, "hidden_size": config.d_model,
        "num_hidden_layers": config.n_layers, "num_attention_heads": config.n_heads,
        "num_key_value_heads": config.n_kv_heads, "rms_norm_eps": config.eps,
        "intermediate_size": len(held["model.layers.0.mlp.gate_proj.weight"]),
        "max_position_embeddings": config.max_len, "rope_theta": config.rope_base,
        "tie_word_embeddings": True, "bos_token_id": None, "eos_token_id": 3,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(about), encoding="utf-8")
    _tokenizer(pieces).save(str(folder / "tokenizer.json"))
    return model, pieces


def _tokenizer(pieces: Any) -> Tokenizer:
    made = Tokenizer(models.BPE(pieces.token_to_id, pieces.merges, unk_token="<unk>"))
    made.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(" ", "▁")])
    made.pre_tokenizer = pre_tokenizers.Split(Regex(r"\n|▁*[^▁\n]+|▁+"), "isolated")
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.Fuse()])
    made.add_special_tokens(["<pad>", "<unk>", "<bos>", "<eos>"])
    return made
