"""A translator of ours as a Marian model, for whoever opens it elsewhere.

The two differ in the order of the features alone: the paper's waves stand side by side, Marian's in
halves. So every axis of d_model is put in another order, and the rest is names.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.text.vocabulary import END, PADDING, UNKNOWN
from glassformer.core.text_models.translator import Translator
from glassformer.core.weights.families.marian import FAMILY
from glassformer.core.weights.read import WEIGHTS
from glassformer.core.weights.tokenizers.ours import as_json, read_otherwise

# What Marian computes, too; anything else of a config has no name there.
ALIKE: dict[str, Any] = {
    "norm_place": "post", "norm_formula": "population", "norm_epsilon": 1e-5, "final_norm": False,
    "attention_bias": True, "generator_bias": True, "share_embeddings": True,
    "tie_generator": True, "tie_attention": False,
}  # fmt: skip
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "gelu_tanh": "gelu_new", "silu": "silu"}
# Parameters whose rows are the stream's features, and those whose columns are.
ROWS = ("w_o.weight", "w_o.bias", "w_2.weight", "w_2.bias", "gamma", "beta")
COLUMNS = ("w_q.weight", "w_k.weight", "w_v.weight", "w_1.weight", "table.weight")


LANGUAGES = {"en": "English", "zh": "Chinese"}
CARD = """# {name}, as a Marian model

For `transformers`: `MarianMTModel` and `PreTrainedTokenizerFast`, each by `from_pretrained`.

The weights compute what they compute in the app. The tokenizer is nearly the app's: a vocabulary of
whole words, Chinese cut into the longest of them. It has no copy slots, so that names and numbers
outside of the vocabulary become `<unk>`; Chinese words that the app reads as others of the same
meaning do, too; and what the app decides by the words around is decided without them.

{counted}
"""


def save_marian(
    model: Translator, folder: str | Path, language: str = "zh", texts: Sequence[str] = ()
) -> Path:
    """Writes config.json, weights, tokenizer and a README.md that says what that lacks.

    `MarianMTModel.from_pretrained(folder)` opens it.

    Args:
        model: a translator of ours that computes what Marian does (`ALIKE`).
        folder: where it is written; made where it is not there.
        language: the one that it writes unless told otherwise, "en" or "zh": its begin token.
        texts: on which is counted what the written tokenizer reads otherwise; () counts nothing.

    Returns:
        The folder.

    Raises:
        GlassformerError: `config` for a model that computes something that Marian has not.
    """
    config, folder = model.config, Path(folder)
    _check(config)
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        f"{FAMILY.prefixes[0]}{name}" if name != "final_logits_bias" else name: each
        for name, each in _weights(model).items()
    }
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})
    ids = {piece: model.tokenizer.vocabulary.id(piece) for piece in (END, f"<{language}>", UNKNOWN)}
    about = _about(config, *ids.values())
    (folder / "config.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    made = as_json(model.tokenizer)
    made.save(str(folder / "tokenizer.json"))
    counts = read_otherwise(model.tokenizer, made, texts)
    (folder / "README.md").write_text(_card(model.name, counts), encoding="utf-8")
    kept = {"unk_token": UNKNOWN, "pad_token": PADDING, "eos_token": END}
    told = json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", **kept}, indent=2)
    (folder / "tokenizer_config.json").write_text(told + "\n", encoding="utf-8")
    return folder


def _card(name: str, counts: Mapping[str, tuple[int, int]]) -> str:
    """What the folder holds, and what its tokenizer does not do."""
    counted = [
        f"- {LANGUAGES[language]}: {wrong} of {every} sample texts are read otherwise."
        for language, (wrong, every) in counts.items()
        if every
    ]
    return CARD.format(name=name, counted="\n".join(counted) or "- Not counted.")


def _check(config: ModelConfig) -> None:
    wrong = [name for name, value in ALIKE.items() if getattr(config, name) != value]
    if config.positions not in ("paper", "halves"):
        wrong.append("positions")
    if wrong:
        problem = f"Marian has no other {', '.join(wrong)}"
        raise GlassformerError("config", problem=problem)


def _weights(model: Translator) -> dict[str, Tensor]:
    """Ours by Marian's names, the features in its order."""
    order = _order(model.config)
    found = dict[str, Tensor]()
    for name, parameter in model.transformer.named_parameters():
        each = parameter.detach().to("cpu", torch.float32)
        if name.endswith(COLUMNS):
            each = each[:, order]
        elif name.endswith(ROWS):
            each = each[order]
        found[FAMILY.theirs(name)[-1].name] = each.clone().contiguous()
    found["final_logits_bias"] = found["final_logits_bias"][None]  # (1, V)
    return found


def _order(config: ModelConfig) -> Tensor:
    """Which of our features stands at each place of Marian's: sines first, then cosines."""
    features = torch.arange(config.d_model)
    return features if config.positions == "halves" else torch.cat([features[::2], features[1::2]])


def _about(config: ModelConfig, end: int, begin: int, unknown: int) -> dict[str, Any]:
    sides = ("encoder", "decoder")
    return {
        "model_type": "marian", "architectures": ["MarianMTModel"], "dtype": "float32",
        "vocab_size": config.vocabulary_size, "decoder_vocab_size": config.vocabulary_size,
        "d_model": config.d_model, "max_position_embeddings": config.max_length,
        **{f"{side}_layers": getattr(config, f"{side}_layers") for side in sides},
        **{f"{side}_attention_heads": config.of(side).n_heads for side in sides},
        **{f"{side}_ffn_dim": config.of(side).d_ff for side in sides},
        "activation_function": ACTIVATIONS[config.activation], "dropout": config.dropout,
        "scale_embedding": config.embedding_scale, "pad_token_id": config.pad_id,
        "eos_token_id": end, "decoder_start_token_id": begin, "bos_token_id": None,
        "forced_eos_token_id": None, "unk_token_id": unknown,
        "share_encoder_decoder_embeddings": True, "tie_word_embeddings": True,
        "static_position_embeddings": True, "is_encoder_decoder": True,
    }  # fmt: skip
