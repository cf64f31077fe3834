"""Small models of `transformers` with random weights: what ours are held against."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

os.environ.setdefault("HF_HUB_OFFLINE", "1")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()

WORDS = 50
_SEQ2SEQ = {
    "vocab_size": WORDS, "d_model": 24, "encoder_layers": 2, "decoder_layers": 3,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 40, "max_position_embeddings": 256, "pad_token_id": 1, "bos_token_id": 0,
    "eos_token_id": 2, "decoder_start_token_id": 2, "forced_eos_token_id": None,
}  # fmt: skip
_T5 = {
    "vocab_size": WORDS, "d_model": 24, "d_kv": 10, "d_ff": 40, "num_layers": 2,
    "num_decoder_layers": 3, "num_heads": 4, "pad_token_id": 0, "eos_token_id": 1,
    "decoder_start_token_id": 0,
}  # fmt: skip
_LLAMA = {
    "vocab_size": WORDS, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 6,
    "num_key_value_heads": 2, "intermediate_size": 40, "max_position_embeddings": 256,
    "pad_token_id": None, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
_LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0,
    "high_freq_factor": 4.0, "original_max_position_embeddings": 64,
}  # fmt: skip
_BERT = {
    "vocab_size": WORDS, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4,
    "intermediate_size": 40, "max_position_embeddings": 256,
}  # fmt: skip
_GPT2 = {
    "vocab_size": WORDS, "n_embd": 24, "n_layer": 3, "n_head": 4, "n_positions": 256,
    "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A model of the oracle: its class there, its config, and what else it is made with."""

    model: str
    config: dict[str, Any]
    config_class: str = ""
    untied: bool = False
    noise: float = 0.15  # beside what the oracle starts with

    def make(self, folder: Path, seed: int = 0, **changes: Any) -> Any:
        """Writes it into a folder, all weights random; returns it."""
        stem = self.config_class or self.model.split("For")[0].removesuffix("MTModel")
        stem = stem.removesuffix("LMHeadModel").removesuffix("Model")
        config = getattr(transformers, f"{stem.removesuffix('Config')}Config")(
            **{**self.config, **changes}, attn_implementation="eager"
        )
        torch.manual_seed(seed)
        model = getattr(transformers, self.model)(config).eval()
        if self.untied:
            head = model.get_output_embeddings()
            head.weight = torch.nn.Parameter(torch.randn_like(head.weight))
        with torch.no_grad():
            for name, each in model.named_parameters():
                if "embed_positions" not in name or "Bart" in self.model:
                    each += self.noise * torch.randn_like(each)
            if hasattr(model, "final_logits_bias"):
                model.final_logits_bias.normal_()
        model.save_pretrained(folder)
        return model


KINDS: dict[str, Kind] = {
    "marian": Kind("MarianMTModel", {
        **_SEQ2SEQ, "activation_function": "swish", "scale_embedding": True, "pad_token_id": 49,
        "eos_token_id": 0, "decoder_start_token_id": 49,
    }),
    "marian, two vocabularies": Kind("MarianMTModel", {
        **_SEQ2SEQ, "activation_function": "relu", "scale_embedding": True,
        "share_encoder_decoder_embeddings": False, "vocab_size": 60, "decoder_vocab_size": WORDS,
        "pad_token_id": 49, "decoder_start_token_id": 49,
    }),
    "marian, untied": Kind(
        "MarianMTModel", {**_SEQ2SEQ, "tie_word_embeddings": False}, untied=True
    ),
    "bart": Kind("BartForConditionalGeneration", {
        **_SEQ2SEQ, "encoder_attention_heads": 6, "encoder_ffn_dim": 56,
    }),
    "mbart": Kind("MBartForConditionalGeneration", {
        **_SEQ2SEQ, "scale_embedding": True, "activation_function": "relu", "decoder_layers": 1,
    }),
    "m2m100": Kind("M2M100ForConditionalGeneration", _SEQ2SEQ),
    "t5": Kind("T5ForConditionalGeneration", _T5, noise=0.03),
    "t5 1.1": Kind("T5ForConditionalGeneration", {
        **_T5, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False,
    }, untied=True, noise=0.03),
    "mt5": Kind("MT5ForConditionalGeneration", {
        **_T5, "relative_attention_num_buckets": 8, "relative_attention_max_distance": 20,
    }, untied=True, noise=0.03),
    "gpt2": Kind("GPT2LMHeadModel", _GPT2),
    "gpt2, untied": Kind(
        "GPT2LMHeadModel", {**_GPT2, "n_inner": 50, "tie_word_embeddings": False}, untied=True
    ),
    "bert": Kind("BertForMaskedLM", _BERT),
    "bert, untied": Kind("BertForMaskedLM", {**_BERT, "tie_word_embeddings": False}, untied=True),
    "distilbert": Kind("DistilBertForMaskedLM", {
        "vocab_size": WORDS, "dim": 24, "n_layers": 3, "n_heads": 4, "hidden_dim": 40,
        "max_position_embeddings": 256,
    }, config_class="DistilBert"),
    "llama": Kind("LlamaForCausalLM", {**_LLAMA, "tie_word_embeddings": True}),
    "llama 3": Kind("LlamaForCausalLM", {
        **_LLAMA, "rope_parameters": _LLAMA3, "attention_bias": True, "mlp_bias": True,
        "head_dim": 8,
    }),
    "llama, slower": Kind("LlamaForCausalLM", {
        **_LLAMA, "rope_parameters": {"rope_type": "linear", "factor": 3.0, "rope_theta": 5e3},
    }),
    "qwen2": Kind("Qwen2ForCausalLM", _LLAMA),
    "qwen3": Kind("Qwen3ForCausalLM", {**_LLAMA, "head_dim": 10}),
    "mistral": Kind("MistralForCausalLM", {**_LLAMA, "sliding_window": None, "head_dim": 4}),
}  # fmt: skip


@dataclass
class Answer:
    """What a model said: logits (B, T, V), and the attention weights by our addresses."""

    logits: Tensor
    weights: dict[str, Tensor] = field(default_factory=dict)


@torch.no_grad()
def ask(model: Any, source: Tensor, target: Tensor, pad: int) -> Answer:
    """One pass of the oracle: two stacks, or one of them alone."""
    kept = (source != pad).long()
    if model.config.is_encoder_decoder:
        hides = (target != pad).long()
        hides[:, 0] = 1  # the begin token, whatever its id
        out = model(
            input_ids=source, attention_mask=kept, decoder_input_ids=target,
            decoder_attention_mask=hides, output_attentions=True,
        )  # fmt: skip
        maps = {
            "encoder/{}/self_attention": out.encoder_attentions,
            "decoder/{}/self_attention": out.decoder_attentions,
            "decoder/{}/cross_attention": out.cross_attentions,
        }
    else:
        encoder = "Masked" in type(model).__name__
        ids = source if encoder else target
        mask = kept if encoder else torch.ones_like(target)
        out = model(input_ids=ids, attention_mask=mask, output_attentions=True)
        stack = "encoder" if encoder else "decoder"
        maps = {f"{stack}/{{}}/self_attention": out.attentions}
    found = {
        f"{place.format(layer)}/weights": each
        for place, layers in maps.items()
        for layer, each in enumerate(layers)
    }
    return Answer(out.logits, found)
