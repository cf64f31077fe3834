"""Every concept of the switch page, driven through its row, on the numbers of the run."""

import math
from collections.abc import Callable

import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import Tensor
from torch.nn import functional

from glassformer import load_model
from glassformer.app.pages.switch.concepts.panel import concept_rows
from glassformer.app.session.languages import LANGUAGES
from glassformer.core.interventions.concepts import Unscaled
from glassformer.core.trace.trace import Trace
from tests.opened_app import drawn, opened, state_of
from tests.sent import data_of, send

TEXT = "I like you"


def open_concepts(**query: str) -> AppTest:
    return opened("switch", switches="concepts", text=TEXT, **query)


def trace_of(app: AppTest) -> Trace:
    trace: Trace = drawn(app)
    return trace


def put(app: AppTest, name: str, /, on: bool = True, **values: str) -> Trace:
    send(app, "switch_rows", "set", {"id": name, "on": on, "values": values})
    return trace_of(app)


def row_of(app: AppTest, name: str) -> dict[str, object]:
    groups = data_of(app, "switch_rows")["groups"]
    found: dict[str, object] = next(e for g in groups for e in g["rows"] if e["id"] == name)
    return found


def ends(trace: Trace, ending: str) -> list[str]:
    return [address for address in trace if address.endswith(ending)]


def of_encoder(address: str) -> bool:
    return address.startswith("encoder/")


@pytest.fixture(scope="module")
def shared() -> AppTest:
    return open_concepts()


@pytest.fixture
def app(shared: AppTest) -> AppTest:
    """The page with nothing switched."""
    for group in data_of(shared, "switch_rows")["groups"]:
        for row in group["rows"]:
            if row["on"]:
                put(shared, row["id"], on=False)
    assert state_of(shared).edits == ""
    return shared


def test_unscaled_everywhere_and_in_the_encoder(app: AppTest) -> None:
    trace = put(app, "unscaled", where="*")
    for address in ends(trace, "attention/scaled"):
        scores = trace[address.replace("/scaled", "/scores")]
        assert torch.allclose(trace[address], scores, rtol=1e-6)
    assert row_of(app, "unscaled")["on"]
    trace = put(app, "unscaled", where="encoder/*")
    for address in ends(trace, "attention/scaled"):
        scores = trace[address.replace("/scaled", "/scores")]
        root = 1.0 if of_encoder(address) else math.sqrt(trace.config.d_k)
        assert torch.allclose(trace[address], scores / root, rtol=1e-5)
    assert state_of(app).edits == Unscaled("encoder/*").text  # the choice before gave way
    trace = put(app, "unscaled", where="decoder/1")
    assert state_of(app).edits == Unscaled("decoder/1/*").text
    assert put(app, "unscaled", on=False).edits == ()
    assert not row_of(app, "unscaled")["on"]


def attended(trace: Trace, where: str, scale: float) -> Tensor:
    q, k, v, mask = (trace[f"{where}/{name}"] for name in ("q", "k", "v", "mask"))
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)


def test_the_temperature(app: AppTest) -> None:
    trace = put(app, "temperature", by="0.5", where="decoder/*")
    for address in ends(trace, "attention/context"):
        where, by = address.removesuffix("/context"), 1.0 if of_encoder(address) else 0.5
        expected = attended(trace, where, 1 / math.sqrt(trace.config.d_k) / by)
        assert torch.allclose(trace[address], expected, atol=1e-5)
    assert put(app, "temperature", by="1.0", where="decoder/*").edits == ()  # 1 is off
    assert put(app, "temperature", by="1.0", where="*").edits[0] == "temperature:*,2.0"


@pytest.mark.parametrize("part", ["self_attention", "cross_attention", "feed_forward"])
def test_a_sublayer_off_adds_nothing(app: AppTest, part: str) -> None:
    name = f"no_{part}"
    trace = put(app, name, where="*")
    for address in ends(trace, "_residual/summed"):
        stream = trace[address.replace("summed", "stream")]
        assert torch.equal(trace[address], stream) == (f"/{part}_residual" in address)
    trace = put(app, name, where="decoder/0")
    off = f"decoder/0/{part}_residual/summed"
    for address in ends(trace, "_residual/summed"):
        stream = trace[address.replace("summed", "stream")]
        assert torch.equal(trace[address], stream) == (address == off)


@pytest.mark.parametrize(
    ("where", "part", "cut"),
    [
        ("*", "*", lambda address: True),
        ("encoder/*", "*", of_encoder),
        ("*", "feed_forward", lambda address: "feed_forward_residual" in address),
        ("encoder/1", "self_attention", lambda a: a.startswith("encoder/1/self_attention")),
    ],
)
def test_a_residual_off_leaves_the_sublayer_alone(
    app: AppTest, where: str, part: str, cut: Callable[[str], bool]
) -> None:
    trace = put(app, "no_residual", where=where, part=part)
    for address in ends(trace, "_residual/summed"):
        output = trace[address.replace("_residual/summed", "/output")]
        assert torch.equal(trace[address], output) == cut(address)


def test_a_norm_off_passes_everything_on(app: AppTest) -> None:
    trace = put(app, "no_norm", where="decoder/*", part="cross_attention_norm")
    for address in ends(trace, "_norm/output"):
        summed = trace[address.replace("_norm/output", "_residual/summed")]
        assert torch.equal(trace[address], summed) == ("cross_attention_norm" in address)
    trace = put(app, "no_norm", where="*", part="*")
    for address in ends(trace, "_norm/output"):
        summed = trace[address.replace("_norm/output", "_residual/summed")]
        assert torch.equal(trace[address], summed)


def test_positions(app: AppTest) -> None:
    plain = load_model().trace(TEXT)
    trace = put(app, "positions", variant="none", draw="1")
    assert torch.equal(trace["source/input"], trace["source/scaled"])
    assert torch.equal(trace["target/input"], trace["target/scaled"])
    trace = put(app, "positions", variant="halves", draw="1")
    halves, width = trace["source/positions"][2], trace.config.d_model // 2
    rate = 10_000 ** -(torch.arange(width).double() / width)
    waves = torch.cat([torch.sin(2 * rate), torch.cos(2 * rate)]).float()
    assert torch.allclose(halves, waves, atol=1e-6)
    trace = put(app, "positions", variant="shuffled", draw="5")
    order = torch.randperm(4, generator=torch.Generator().manual_seed(5))
    assert torch.equal(trace["source/positions"], plain["source/positions"][order])
    assert len(trace.edits) == 1  # one of them at a time


def test_what_the_weights_do_not_allow_is_said_in_its_row(app: AppTest) -> None:
    put(app, "no_residual", where="encoder/*", part="cross_attention")
    assert "only the decoder has cross-attention" in str(row_of(app, "no_residual")["problem"])
    put(app, "unscaled", where="*")
    assert row_of(app, "no_residual")["problem"] == ""


def test_what_nobody_learned_is_not_offered() -> None:
    offered = next(each for each in concept_rows(load_model().config)["words"])
    assert "learned" not in offered.choices["variant"]


def test_the_embedding_scale(app: AppTest) -> None:
    trace = put(app, "no_embedding_scale")
    assert torch.equal(trace["source/scaled"], trace["source/embedding"])
    plain = put(app, "no_embedding_scale", on=False)
    width = plain.config.d_model
    assert torch.equal(plain["source/scaled"], plain["source/embedding"] * math.sqrt(width))


@pytest.mark.parametrize(
    ("name", "function"),
    [("gelu", functional.gelu), ("gelu_tanh", lambda x: functional.gelu(x, approximate="tanh"))],
)
def test_the_activation(app: AppTest, name: str, function: Callable[[Tensor], Tensor]) -> None:
    trace = put(app, "activation", name=name)
    for address in ends(trace, "feed_forward/activation"):
        hidden = trace[address.replace("activation", "pre_activation")]
        assert torch.allclose(trace[address], function(hidden), atol=1e-6)


def test_pre_norm_with_and_without_a_final_norm(app: AppTest) -> None:
    trace = put(app, "pre_norm", final="off")
    for address in ends(trace, "_norm/mean"):
        stream = trace[address.replace("_norm/mean", "_residual/stream")]
        mean = stream.mean(dim=-1, keepdim=True)
        assert torch.allclose(trace[address], mean, atol=1e-5)  # the norm reads the stream itself
    assert "encoder/norm/output" not in trace
    trace = put(app, "pre_norm", final="on")
    assert "encoder/norm/output" in trace and row_of(app, "pre_norm")["on"]


def test_the_other_norm_formula(app: AppTest) -> None:
    trace = put(app, "norm_sample")
    for address in ends(trace, "_norm/normalized"):
        x = trace[address.replace("_norm/normalized", "_residual/summed")]
        s = x.std(dim=-1, keepdim=True)
        expected = (x - x.mean(dim=-1, keepdim=True)) / (s + trace.config.norm_epsilon)
        assert torch.allclose(trace[address], expected, atol=1e-5)


def test_dropout_drops_a_share_and_the_same_for_a_draw(app: AppTest) -> None:
    first = put(app, "dropout", rate="0.5", draw="3")
    kept = torch.cat([first[address].flatten() for address in ends(first, "/kept")])
    assert 0.4 < float((kept != 0).float().mean()) < 0.6
    other = put(app, "dropout", rate="0.5", draw="4")
    assert not torch.equal(first["output/logits"], other["output/logits"])
    again = put(app, "dropout", rate="0.5", draw="3")
    assert torch.equal(first["output/logits"], again["output/logits"])


def test_concepts_hold_together_and_end_alone(app: AppTest) -> None:
    put(app, "unscaled", where="*")
    trace = put(app, "no_feed_forward", where="encoder/*")
    assert set(trace.edits) == {"unscaled", "sublayer_off:encoder/*/feed_forward"}
    trace = put(app, "unscaled", on=False)
    assert set(trace.edits) == {"sublayer_off:encoder/*/feed_forward"}


def test_a_link_lights_the_rows_and_their_choices() -> None:
    app = open_concepts(
        edits="residual_off:encoder/0/feed_forward;temperature:*,0.37;dropout:7,0.3"
    )
    values = {
        name: {choice["name"]: choice["value"] for choice in row_of(app, name)["choices"]}  # type: ignore[attr-defined]
        for name in ("no_residual", "temperature", "dropout", "unscaled")
    }
    assert values["no_residual"] == {"where": "encoder/0", "part": "feed_forward"}
    assert values["temperature"] == {"by": "0.37", "where": "*"}
    assert values["dropout"] == {"rate": "0.3", "draw": "7"}
    assert not row_of(app, "unscaled")["on"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_row_says_what_the_paper_says(language: str) -> None:
    for group in data_of(open_concepts(language=language), "switch_rows")["groups"]:
        for row in group["rows"]:
            key = f"switch_concepts.about_{row['id']}"
            assert row["about"].startswith("§"), f"{key} begins with the paper's section: §3.1"
            assert "{" not in row["about"], key
