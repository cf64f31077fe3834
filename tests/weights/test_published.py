"""Folders as they are published: other names, heads, gaps in the config; each computes the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.weights.family import Facts
from glassformer.core.weights.model_folder import FAMILIES, look_into_folder
from glassformer.core.weights.model_folder import load_weights as load
from tests.weights.folders import MAKERS, edit, tensors
from tests.weights.oracle import KINDS, WORDS, transformers

Held = dict[str, Tensor]


@dataclass(frozen=True)
class Published:
    """One of `KINDS` as folders of it look.

    model: another class of the oracle. config: what it is made with. said: what its config.json
    says otherwise; None takes a name away. names: patterns of tensors and what they are called.
    gone: patterns of tensors that are not there. more: tensors that are there, too. heads, no_head:
    what has to be said of it. again: the oracle reads the changed folder, for numbers differ.
    """

    kind: str
    model: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    said: dict[str, Any] = field(default_factory=dict)
    names: tuple[tuple[str, str], ...] = ()
    gone: tuple[str, ...] = ()
    more: Callable[[Held], Held] | None = None
    heads: tuple[str, ...] = ()
    no_head: bool = False
    again: bool = False

    def make(self, folder: Path) -> Any:
        """Writes the folder; returns the oracle."""
        kind = KINDS[self.kind]
        stem = kind.config_class or kind.model.partition("For")[0].partition("LMHead")[0]
        stem = stem.removesuffix("MTModel")
        untied = kind.untied and not self.model
        made = replace(kind, model=self.model or kind.model, config_class=stem, untied=untied)
        oracle = made.make(folder, **self.config)
        tensors(self._change)(folder)
        edit("config.json", **self.said)(folder)
        if not self.again:
            return oracle
        return type(oracle).from_pretrained(folder, attn_implementation="eager").eval()

    def _change(self, held: Held) -> None:
        held |= self.more(held) if self.more else {}
        for name in [*held]:
            tensor, own = held.pop(name), name
            if any(re.search(pattern, name) for pattern in self.gone):
                continue
            for pattern, other in self.names:
                own = re.sub(pattern, other, own)
            held[own] = tensor


def copied(name: str, *others: str, by: float = 0.0) -> Callable[[Held], Held]:
    """A tensor by further names, its numbers moved by so much times noise."""
    draw = torch.Generator().manual_seed(3)
    return lambda held: {
        each: held[name] + by * torch.randn(held[name].shape, generator=draw) for each in others
    }


def triangles(held: Held) -> Held:
    shapes = {name: (1, 1, 256, 256) for name in held if name.endswith("c_attn.weight")}
    names = {name.replace("c_attn.weight", "bias"): shape for name, shape in shapes.items()}
    masked = {name.replace("bias", "masked_bias"): torch.tensor(-1e4) for name in names}
    return {name: torch.ones(shape).tril() for name, shape in names.items()} | masked


def frequencies(held: Held) -> Held:
    made = 10000.0 ** (-torch.arange(0, 4, 2) / 4)
    return {f"model.layers.{n}.self_attn.rotary_emb.inv_freq": made.half() for n in range(3)}


def sines(held: Held) -> Held:
    """A table as the oracle's own module makes it."""
    module = transformers.models.marian.modeling_marian.MarianSinusoidalPositionalEmbedding
    table = module(256, 24)
    table.weight.data.copy_(table.create_weight())
    return {f"model.{side}.embed_positions.weight": table.weight.clone() for side in SIDES}


SIDES = ("encoder", "decoder")
OLD_NORMS = ((r"LayerNorm\.weight$", "LayerNorm.gamma"), (r"LayerNorm\.bias$", "LayerNorm.beta"))
SHARED_T5 = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight")
PUBLISHED: dict[str, Published] = {
    "bert-base-uncased": Published(
        "bert", "BertForPreTraining", names=OLD_NORMS, gone=(r"predictions\.decoder",),
        more=lambda held: {"bert.embeddings.position_ids": torch.arange(256)[None]},
        said={"tie_word_embeddings": None, "position_embedding_type": "absolute"},
        heads=("pooler", "next_sentence"),
    ),
    "bert, every name of a pickle": Published("bert", more=lambda held: {
        "cls.predictions.decoder.weight": held["bert.embeddings.word_embeddings.weight"].clone(),
        "cls.predictions.decoder.bias": held["cls.predictions.bias"].clone(),
    }),
    "bert, a head of its own where it says it is tied": Published("bert", more=copied(
        "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight", by=0.3
    ), again=True),
    "bert, two biases where it says they are tied": Published("bert", more=copied(
        "cls.predictions.bias", "cls.predictions.decoder.bias", by=0.3
    ), again=True),
    "bert, headless, without prefix": Published(
        "bert", names=((r"^bert\.", ""),), gone=(r"^cls\.",)
    ),
    "bert, classifier": Published(
        "bert", "BertForSequenceClassification", heads=("pooler", "classification")
    ),
    "bert, tagger": Published("bert", "BertForTokenClassification", heads=("tagging",)),
    "bert, answers": Published("bert", "BertForQuestionAnswering", heads=("answers",)),
    "bert, choice": Published("bert", "BertForMultipleChoice", heads=("pooler", "choice")),
    "bert, next sentence": Published(
        "bert", "BertForNextSentencePrediction", heads=("pooler", "next_sentence")
    ),
    "distilbert, sentiment": Published(
        "distilbert", "DistilBertForSequenceClassification", heads=("classification",)
    ),
    "distilbert, answers": Published(
        "distilbert", "DistilBertForQuestionAnswering", heads=("answers",)
    ),
    "gpt2, as published": Published(
        "gpt2", names=((r"^transformer\.", ""),), more=triangles,
        said={"tie_word_embeddings": None, "activation_function": None, "n_inner": None},
    ),
    "gpt2, its table under the head's name": Published(
        "gpt2", more=copied("transformer.wte.weight", "lm_head.weight"), gone=(r"wte\.weight",)
    ),
    "gpt2, a head of its own where it says it is tied": Published(
        "gpt2", more=copied("transformer.wte.weight", "lm_head.weight", by=0.3), again=True
    ),
    "gpt2, classifier": Published(
        "gpt2", "GPT2ForSequenceClassification", heads=("classification",)
    ),
    "gpt2, two heads": Published("gpt2", "GPT2DoubleHeadsModel", heads=("choice",)),
    "llama of 2023": Published("llama", more=frequencies, said={
        "rope_parameters": None, "rope_theta": 10000.0, "rope_scaling": None, "head_dim": None,
        "pretraining_tp": 1, "rms_norm_eps": None, "hidden_act": None,
    }),
    "llama, headless": Published(
        "llama", "LlamaModel", {"tie_word_embeddings": False}, no_head=True
    ),
    "llama, reward": Published(
        "llama", "LlamaForSequenceClassification", {"tie_word_embeddings": False},
        heads=("classification",), no_head=True,
    ),
    "llama, answers": Published(
        "llama", "LlamaForQuestionAnswering", {"tie_word_embeddings": False},
        heads=("answers",), no_head=True,
    ),
    "llama, trained on several devices": Published("llama", names=((r"^", "module."),)),
    "llama, compiled": Published("llama", names=((r"^", "_orig_mod."),)),
    "llama, both": Published("llama", names=((r"^", "module._orig_mod."),)),
    "llama, in a trainer's module": Published("llama", names=((r"^", "model."),)),
    "llama, with a merged adapter": Published("llama", names=((r"^", "base_model.model."),)),
    "gpt2, in a trainer's module": Published("gpt2", names=((r"^", "model."),)),
    "gpt2, with a merged adapter": Published("gpt2", names=((r"^", "base_model.model."),)),
    "gpt2, trained in parts": Published("gpt2", names=((r"^", "_forward_module."),)),
    "bert, in a trainer's module": Published("bert", names=((r"^", "model."),)),
    "llama, compiled inside": Published("llama", names=((r"^model\.", "model._orig_mod."),)),
    "qwen2, a window for no layer": Published(
        "qwen2", said={"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 3,
                       "layer_types": None},
    ),
    "qwen2, a window that is switched off": Published(
        "qwen2", said={"use_sliding_window": False, "sliding_window": 16, "layer_types": None},
    ),
    "qwen2, a window as wide as its positions": Published(
        "qwen2", said={"use_sliding_window": True, "sliding_window": 256, "max_window_layers": 0,
                       "layer_types": None},
    ),
    "mistral, no word of its heads of keys": Published(
        "mistral", config={"num_key_value_heads": 6}, said={"head_dim": 4},
    ),
    "bart, with its version": Published(
        "bart", more=lambda held: {f"model.{side}.version": torch.tensor([3.0]) for side in SIDES}
    ),
    "bart, every name of a pickle": Published("bart", more=copied(
        "model.shared.weight", "model.encoder.embed_tokens.weight",
        "model.decoder.embed_tokens.weight", "lm_head.weight",
    )),
    "bart, its table under the head's name": Published(
        "bart", more=copied("model.shared.weight", "lm_head.weight"), gone=(r"shared",)
    ),
    "bart, three tables where it says one": Published("bart", more=copied(
        "model.shared.weight", "model.encoder.embed_tokens.weight",
        "model.decoder.embed_tokens.weight", by=0.3,
    ), again=True),
    "bart-mnli": Published("bart", "BartForSequenceClassification", heads=("classification",)),
    "bart, headless": Published("bart", "BartModel"),
    "marian, with its waves": Published("marian", more=sines),
    "m2m100, no word of its scale": Published(
        "m2m100", config={"scale_embedding": True}, said={"scale_embedding": None}
    ),
    "t5, its table under any name": Published(
        "t5", names=((r"^shared", "decoder.embed_tokens"),), gone=(r"^(encoder|lm_head)\.embed",)
    ),
    "t5, every name of a pickle": Published("t5", more=copied("shared.weight", *SHARED_T5)),
    "t5, a head of its own where it says it is tied": Published(
        "t5", more=copied("shared.weight", "lm_head.weight", by=0.3), again=True
    ),
    "t5, thirty buckets": Published("t5", config={"relative_attention_num_buckets": 30}),
    "t5, two buckets a side": Published("t5", config={"relative_attention_num_buckets": 6}),
    "t5 1.1, classifier": Published(
        "t5 1.1", "T5ForSequenceClassification", said={"tie_word_embeddings": False},
        heads=("classification",), no_head=True,
    ),
}  # fmt: skip


def asked(oracle: Any, source: Tensor, target: Tensor) -> tuple[Tensor, Tensor | None]:
    """The oracle's last vectors, and what it scores words with them, where it does."""
    base = oracle.base_model
    given = {"input_ids": source}
    if oracle.config.is_encoder_decoder:
        given |= {"decoder_input_ids": target}
    elif base.config.model_type not in ("bert", "distilbert"):
        given = {"input_ids": target}
    told = base(**given, output_hidden_states=True)
    vectors = told.get("last_hidden_state")
    vectors = told.decoder_hidden_states[-1] if vectors is None else vectors
    if oracle.get_output_embeddings() is None:
        return vectors, None
    out = oracle(**given)
    return vectors, out.get("logits", out.get("prediction_logits"))


@torch.no_grad()
@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_folder_computes_what_the_oracle_computes(name: str, tmp_path: Path) -> None:
    published = PUBLISHED[name]
    oracle = published.make(tmp_path)
    found = look_into_folder(tmp_path)
    assert set(found.left_aside.heads) == set(published.heads)
    assert found.left_aside.no_head == published.no_head
    model = load(found)
    draw = torch.Generator().manual_seed(1)
    source, target = (torch.randint(3, WORDS - 2, (2, n), generator=draw) for n in (40, 30))
    vectors, logits = asked(oracle, source, target)
    ours = model.decode(source, target)
    assert (ours - vectors).abs().max() <= 1e-4 * vectors.abs().max()
    if logits is not None and model.config.has_generator:
        scored = model(source, target)
        assert (scored - logits).abs().max() <= 1e-4 * logits.abs().max()


@torch.no_grad()
def test_t5_reads_more_words_than_its_tokenizer_was_cut_to(tmp_path: Path) -> None:
    oracle = KINDS["t5"].make(tmp_path, n_positions=512)
    model = load(look_into_folder(tmp_path))
    source, target = torch.arange(3, 703)[None] % (WORDS - 4) + 3, torch.tensor([[0, 7, 9]])
    logits = oracle(input_ids=source, decoder_input_ids=target).logits
    assert (model(source, target) - logits).abs().max() <= 1e-4 * logits.abs().max()
    assert model.config.max_length >= source.size(1)


KINDS_OF_CONFIG = {
    "bert": "Bert", "distilbert": "DistilBert", "gpt2": "GPT2", "t5": "T5", "mt5": "MT5",
    "bart": "Bart", "mbart": "MBart", "m2m_100": "M2M100", "marian": "Marian", "llama": "Llama",
    "qwen2": "Qwen2", "qwen3": "Qwen3",
}  # fmt: skip


def test_every_family_is_tried_in_every_way() -> None:
    wanting = set(FAMILIES) - set(KINDS_OF_CONFIG) - {"mistral"}  # which has a test of its own
    assert not wanting, f"KINDS_OF_CONFIG of this file has no row of {wanting}"
    read = {KINDS[each].config_class or KINDS[each].model for each in MAKERS}
    wanting = {each.config_class or each.model for each in KINDS.values()} - read
    assert not wanting, f"MAKERS (tests/weights/folders.py) says no tokenizer of {wanting}"
    tried = {getattr(transformers, each.model).config_class.model_type for each in KINDS.values()}
    wanting = set(FAMILIES) - tried
    assert not wanting, f"KINDS (tests/weights/oracle.py) has no small model of {wanting}"


@pytest.mark.parametrize("kind", KINDS_OF_CONFIG)
def test_what_a_config_leaves_out_is_as_the_oracle_has_it(kind: str) -> None:
    whole = getattr(transformers, f"{KINDS_OF_CONFIG[kind]}Config")().to_dict()
    family, names = FAMILIES[kind], ("lm_head.weight", "cls.predictions.transform.dense.weight")
    said, short = (family.config(Facts(each, "", names)) for each in (whole, {"model_type": kind}))
    assert replace(short, head_width=short.d_k) == replace(said, head_width=said.d_k)
    for name, each in family.ids.get(kind, {}).items():
        assert whole.get(name, each) == each


HEAD, NO_WINDOW = ("lm_head.weight",), {"model_type": "mistral", "sliding_window": None}


def test_mistral_looks_back_through_a_window_unless_it_says_none() -> None:
    whole = transformers.MistralConfig().to_dict()
    tables = ({**whole, "sliding_window": None, "head_dim": None}, {**NO_WINDOW})
    told, short = (FAMILIES["mistral"].config(Facts(each, "", HEAD)) for each in tables)
    assert told == short
    for table in (whole, {"model_type": "mistral"}):
        with pytest.raises(GlassformerError, match="a sliding window of 4,096 words"):
            FAMILIES["mistral"].config(Facts(table, ""))


# Tensors that are computed here anyway, and hold something else.
SPOILED: dict[str, tuple[str, Callable[[Held], Held]]] = {
    "waves": ("marian", lambda held: {k: each + 0.5 for k, each in sines(held).items()}),
    "positions": (
        "bert", lambda held: {"bert.embeddings.position_ids": torch.arange(256).flip(0)[None]}
    ),
    "mask": ("gpt2", lambda held: {"transformer.h.0.attn.bias": torch.ones(1, 1, 256, 256)}),
    "waves of another width": (
        "marian", lambda held: {"model.encoder.embed_positions.weight": torch.ones(256, 20)}
    ),
    "a mask in one row": ("gpt2", lambda held: {"transformer.h.0.attn.bias": torch.ones(256)}),
    "turns": ("llama", lambda held: {k: each / 2 for k, each in frequencies(held).items()}),
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILED)
def test_a_tensor_that_differs_from_what_is_computed_is_refused(name: str, tmp_path: Path) -> None:
    kind, spoil = SPOILED[name]
    Published(kind, more=spoil).make(tmp_path)
    with pytest.raises(GlassformerError, match="has other numbers at") as refused:
        load(look_into_folder(tmp_path))
    assert refused.value.key == "weights_spare"


def test_a_spare_tensor_without_numbers_costs_nothing(tmp_path: Path) -> None:
    empty = torch.empty(0, 10**12, dtype=torch.uint8)
    Published("bert", more=lambda held: {"bert.embeddings.position_ids": empty}).make(tmp_path)
    assert load(look_into_folder(tmp_path))
