"""Every switch has a readable piece in both languages, counted from 1."""

from typing import get_args, get_type_hints

import pytest

from glassformer.app.panels.address_words import TENSORS, Speaker
from glassformer.app.panels.phrases import PHRASES, experiment_line, phrase
from glassformer.app.session.languages import LANGUAGES
from glassformer.core.config import ModelConfig
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.concepts import (
    ActivationIs,
    Dropout,
    EmbeddingScale,
    NormFormulaIs,
    NormOff,
    NormPlaceIs,
    PositionTable,
    ResidualOff,
    Shuffled,
    SublayerOff,
    Temperature,
    Unscaled,
)
from glassformer.core.interventions.heads import (
    HeadsAlone,
    HeadsFrozen,
    HeadsOff,
    HeadsRedirected,
    HeadsSwapped,
)
from glassformer.core.interventions.masks import Band, Causal, Fill, Lines, PaddingOff, Painted
from glassformer.core.interventions.switch import KINDS, Switch
from glassformer.core.interventions.tensors import TensorNoise, TensorPatch, TensorScale, TensorSet
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.sites import SITES, site_at

ENCODER, CROSS = "encoder/0/self_attention", "decoder/1/cross_attention"
CELL = (("head", (1,)), ("query", (3, 4, 5, 8)))

SAID: list[tuple[Switch, str, str]] = [
    (HeadsOff(ENCODER, (1, 2)), "heads 2, 3 of encoder layer 1 off", "编码器第 1 层第 2、3 头关闭"),
    (HeadsOff(CROSS, (0,), "mean"), "head 1 of decoder layer 2 cross-attention at the mean",
     "解码器第 2 层交叉注意力第 1 头取平均值"),
    (HeadsOff("*"), "all heads off", "所有注意力头关闭"),
    (HeadsOff("encoder/*", (1,)), "head 2 of every encoder attention off",
     "编码器所有注意力第 2 头关闭"),
    (HeadsOff("encoder/0/*"), "all heads of encoder layer 1 off", "编码器第 1 层所有头关闭"),
    (HeadsAlone(CROSS, (3,)), "only head 4 of decoder layer 2 cross-attention",
     "仅保留解码器第 2 层交叉注意力第 4 头"),
    (HeadsAlone(ENCODER, (3,), "mean"), "only head 4 of encoder layer 1, the others at the mean",
     "仅保留编码器第 1 层第 4 头，其余头取平均值"),
    (HeadsSwapped(ENCODER, (0, 3)), "heads 1, 4 of encoder layer 1 swap attention maps",
     "编码器第 1 层第 1、4 头互换注意力图"),
    (HeadsSwapped(ENCODER, (0, 3), "context"), "heads 1, 4 of encoder layer 1 swap outputs",
     "编码器第 1 层第 1、4 头互换输出"),
    (HeadsFrozen("*"), "every attention: even weights", "所有注意力：均匀权重"),
    (HeadsFrozen(ENCODER, (0,), "diagonal"), "head 1 of encoder layer 1: each word at itself",
     "编码器第 1 层第 1 头：只看自己"),
    (HeadsRedirected(ENCODER, (2,), 1, (8,)), "head 3 of encoder layer 1: query 9 to key 2",
     "编码器第 1 层第 3 头：查询 9 只看键 2"),
    (HeadsRedirected(ENCODER, (), 1), "encoder layer 1: every query to key 2",
     "编码器第 1 层：所有查询只看键 2"),
    (PaddingOff(), "source padding visible", "源句填充可见"),
    (PaddingOff("target"), "target padding visible", "目标句填充可见"),
    (Causal(), "causal mask off", "因果掩码关闭"),
    (Causal("encoder/*", True), "causal mask on in every encoder attention",
     "编码器所有注意力：因果掩码开启"),
    (Fill("minus_infinity"), "mask fill −∞", "掩码填 −∞"),
    (Fill("large_negative"), "mask fill −1e9", "掩码填 −1e9"),
    (Fill("additive"), "mask added as −∞", "掩码加 −∞"),
    (Band("encoder/*"), "every encoder attention: only itself", "编码器所有注意力：只看自己"),
    (Band(CROSS, (1,), -1, 1), "head 2 of decoder layer 2 cross-attention: only neighbours",
     "解码器第 2 层交叉注意力第 2 头：只看相邻位置"),
    (Band("*", (), -3, 0), "every attention: only keys −3 to 0 from the query",
     "所有注意力：只看相距 −3 到 0 的键"),
    (Lines(ENCODER, (), (0,), (1, 2)), "encoder layer 1: row 1, columns 2, 3 hidden",
     "编码器第 1 层：隐藏第 1 行、第 2、3 列"),
    (Painted(ENCODER, (), ((0, 1, 3),), ((2, 2, 2),)),
     "encoder layer 1: 3 cells hidden, 1 cell opened", "编码器第 1 层：隐藏 3 格、打开 1 格"),
    (Painted(ENCODER), "encoder layer 1: nothing", "编码器第 1 层：无"),
    (Unscaled(), "no division by √dₖ", "不除以 √dₖ"),
    (Unscaled("decoder/*/self_attention"), "no division by √dₖ in every decoder self-attention",
     "解码器所有自注意力：不除以 √dₖ"),
    (Temperature("*", 0.5), "attention temperature 0.5", "注意力温度 0.5"),
    (SublayerOff("*/feed_forward"), "every feed-forward off", "所有前馈网络关闭"),
    (SublayerOff("encoder/0/feed_forward"), "encoder layer 1 feed-forward off",
     "编码器第 1 层前馈网络关闭"),
    (SublayerOff("decoder/*/cross_attention"), "every decoder cross-attention off",
     "解码器所有交叉注意力关闭"),
    (SublayerOff(ENCODER), "encoder layer 1 self-attention off", "编码器第 1 层自注意力关闭"),
    (SublayerOff("encoder/0/*"), "every sub-layer of encoder layer 1 off",
     "编码器第 1 层所有子层关闭"),
    (SublayerOff("*/1/feed_forward"), "encoder and decoder layer 2 feed-forward off",
     "编码器和解码器第 2 层前馈网络关闭"),
    (SublayerOff("dec*1*"), "“dec*1*” off", "“dec*1*”关闭"),
    (ResidualOff("*"), "residual around every sub-layer cut", "所有子层的残差连接切断"),
    (NormOff("*"), "every layer norm off", "所有层归一化关闭"),
    (NormOff("decoder/0/cross_attention_norm"), "decoder layer 1 cross-attention norm off",
     "解码器第 1 层交叉注意力的层归一化关闭"),
    (NormOff("encoder/norm"), "final encoder norm off", "编码器的最终层归一化关闭"),
    (NormOff("encoder/1/*"), "every layer norm of encoder layer 2 off",
     "编码器第 2 层所有层归一化关闭"),
    (Shuffled(4), "source positions shuffled (seed 4)", "源句位置打乱（种子 4）"),
    (PositionTable(), "no positions", "无位置编码"),
    (EmbeddingScale(), "embeddings without √d_model", "词向量不乘 √d_model"),
    (NormFormulaIs("sample", 0.001), "norm divides by s + ε, ε = 0.001",
     "层归一化除以 s + ε，ε = 0.001"),
    (NormPlaceIs("pre", True), "pre-norm with a final norm",
     "pre-norm，加最终层归一化"),
    (NormPlaceIs("post", False), "post-norm without a final norm",
     "post-norm，无最终层归一化"),
    (ActivationIs(), "activation GELU", "激活函数 GELU"),
    (Dropout(2, 0.1), "dropout 10% (seed 2)", "dropout 10%（种子 2）"),
    (TensorSet(f"{ENCODER}/weights", CELL, -2.5),
     "weights of encoder layer 1 self-attention (head 2; query 4–6, 9) = −2.5",
     "编码器第 1 层自注意力的权重（头 2；查询 4–6、9） = −2.5"),
    (TensorScale("source/positions", (), 2.0), "positions of the source × 2",
     "源句的位置编码 × 2"),
    (TensorNoise("encoder/*/feed_forward_residual/summed", (), 0.5, 1),
     "sum of the residual around every encoder feed-forward + noise 0.5 (seed 1)",
     "编码器所有前馈网络残差连接的和 + 噪声 0.5（种子 1）"),
    (TensorPatch("memory", (("position", (2,)),), "我 爱 <s>"),
     "encoder output (position 3) from “我 爱 <s>”", "编码器输出（位置 3）取自“我 爱 <s>”"),
]  # fmt: skip


@pytest.mark.parametrize(("switch", "english", "chinese"), SAID, ids=lambda each: str(each)[:40])
def test_a_switch_is_said_in_words(switch: Switch, english: str, chinese: str) -> None:
    assert phrase(switch, "en") == english
    assert phrase(switch, "zh") == chinese


WORDS = {"source": ("the", "cat\u200b", "<b>"), "target": ("<zh>", "猫")}
NAMED = [
    (HeadsRedirected(CROSS, (), 1, (1,)),
     "decoder layer 2 cross-attention: query 2 “猫” to key 2 “cat�”"),
    (HeadsRedirected(CROSS, (), 7, (0, 1)), "decoder layer 2 cross-attention: query 1, 2 to key 8"),
    (HeadsRedirected("decoder/0/self_attention", (), 1),
     "decoder layer 1 self-attention: every query to key 2 “猫”"),
    (Lines(ENCODER, (), (0,), (2,)), "encoder layer 1: row 1 “the”, column 3 “<b>” hidden"),
    (Lines("*", (), (0,), ()), "every attention: row 1 hidden"),  # of which words is not said
]  # fmt: skip


@pytest.mark.parametrize(("switch", "said"), NAMED, ids=lambda each: str(each)[:40])
def test_a_single_position_has_its_word(switch: Switch, said: str) -> None:
    assert phrase(switch, "en", WORDS) == said


def test_no_kind_is_without_a_phrase() -> None:
    kinds = {
        kind
        for kind in KINDS.values()
        if kind.__module__.startswith("glassformer.core.interventions.")
    }
    assert kinds == set(PHRASES)
    assert {type(switch) for switch, *_ in SAID} == kinds


def test_every_value_that_a_field_can_choose_has_words() -> None:
    for language in LANGUAGES:
        for field, kind in (
            ("variant", PositionTable), ("formula", NormFormulaIs), ("place", NormPlaceIs),
            ("name", ActivationIs), ("fill", Fill),
        ):  # fmt: skip
            choices = get_args(get_type_hints(kind)[field])
            said = {phrase(kind(each), language) for each in choices}
            assert len(said) == len(choices)


@pytest.mark.parametrize("place", ["pre", "post"])
def test_every_recorded_tensor_can_be_named(place: str) -> None:
    config = ModelConfig(vocabulary_size=9, norm_place=place, final_norm=True)  # type: ignore[arg-type]
    who = Speaker("en")
    assert set(TENSORS) == {site.name for site in SITES}
    names = {who.tensor(address): address for address in addresses(config, dropout=True)}
    assert len(names) == len(tuple(addresses(config, dropout=True)))
    for name, address in names.items():
        assert "“" not in name, address
        assert site_at(address)


def test_a_line_joins_the_pieces() -> None:
    experiment = Experiment((HeadsOff(ENCODER, (1, 2)), Causal()))
    assert experiment_line(experiment) == "heads 2, 3 of encoder layer 1 off · causal mask off"
    assert experiment_line(experiment, "zh") == "编码器第 1 层第 2、3 头关闭 · 因果掩码关闭"
    assert experiment_line(Experiment()) == ""


def test_long_lists_and_sentences_are_cut() -> None:
    off = HeadsOff(ENCODER, tuple(range(0, 40, 2)))
    assert phrase(off, "en") == "heads 1, 3, 5, 7, 9, … of encoder layer 1 off"
    patch = TensorPatch("memory", (), "word " * 600)
    assert len(phrase(patch, "en")) < 70


def test_what_a_link_brought_is_shown_as_it_is() -> None:
    odd = TensorSet("nobody/here", (("smell", (1,)),), 1.0)
    assert phrase(odd, "en") == "“nobody/here” (smell 2) = 1"
