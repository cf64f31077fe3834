"""A researcher's afternoon, as the documents tell it, on folders of other people's kinds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

import glassformer as gf
from tests.tools.small_models import CLEAN, CORRUPT, TARGET
from tests.weights import folders

KINDS = ("translator", "marian", "t5", "gpt2", "bert", "llama 3")


@pytest.fixture(params=KINDS)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "translator":
        return gf.load()
    folders.whole(request.param, tmp_path)
    return gf.load(tmp_path, device="cpu", dtype="float32")


@dataclass(frozen=True)
class Texts:
    """What a model is given: two texts, what is forced on a decoder beside them, two words."""

    clean: Any
    corrupt: Any
    target: Any
    word: Any
    other: Any

    @classmethod
    def of(cls, model: Any) -> Texts:
        if model.name == "translator":
            clean, corrupt = "The animal was too tired", "The animal was too wide"
            return cls(clean, corrupt, "动物太累了", "累", "宽")
        return cls(CLEAN, CORRUPT, TARGET if model.config.has_both else None, 8, 9)


def names_of(model: Any) -> tuple[str, str]:
    """The stack that writes, or the only one, and its attention of interest."""
    own = "decoder" if model.config.decoder_layers else "encoder"
    return own, "cross_attention" if model.config.has_both else "self_attention"


def test_runs_and_their_slopes(model: Any) -> None:
    given, (own, attention) = Texts.of(model), names_of(model)
    run = model.run(given.clean, target=given.target)
    batch = model.run(
        [given.clean, given.corrupt], keep=[f"{own}/*/feed_forward_norm/output"], batch_size=64,
        target=None if given.target is None else [given.target] * 2,
    )  # fmt: skip
    assert len(batch) == 2
    heads = run.sel(f"{own}/1/{attention}/weights", head=0, query=-1)
    assert heads.to_xarray().dims == ("key",)
    assert heads.values.sum() == pytest.approx(1, abs=1e-5)
    metric = gf.logit_diff(given.word, given.other, at=-1)
    slopes = model.run(given.clean, target=given.target, grad=True).gradients(metric)
    assert slopes[f"{own}/0/feed_forward/output"].abs().max() > 0
    assert b"<html" in run.show.heads().page
    tape = gf.Recorder(keep=f"{own}/0/*", grad=True)
    ids = torch.tensor([[5, 6]])
    model.transformer(ids, ids, tape)
    assert tape.tensors


def test_every_tool_has_a_table_and_a_picture(model: Any) -> None:
    given, (own, attention) = Texts.of(model), names_of(model)
    pair, forced = (model, given.clean, given.corrupt), {"target": given.target}
    texts, metric = [given.clean, given.corrupt], gf.logit_diff(given.word, given.other, at=-1)
    run = model.run(given.clean, **forced)
    edges = gf.attribution_patch(*pair, metric, edges=True, **forced)
    found = [
        edges,
        gf.attribute(model, given.clean, metric, method="integrated_gradients", **forced),
        gf.patch(*pair, metric, over=("layer", "head"), site="context", **forced),
        gf.path_patch(
            *pair, metric, senders=f"{own}/0/*/context", receivers=f"{own}/1/{attention}/k",
            **forced,
        ),
        gf.ablate(
            model, texts, site="*/feed_forward/output", how="mean", reference=texts,
            targets=None if given.target is None else [given.target] * 2,
        ),
        gf.direct_logit_attribution(run, given.word, given.other).by_head(),
        gf.logit_lens(run),
        gf.head_scores(model, texts, kinds=("previous", "induction", "duplicate")),
    ]  # fmt: skip
    for each in found:
        assert len(each.table()) and each.show() is not None, each
    assert len(edges.top(10))


def test_it_writes_as_it_is_steered(model: Any) -> None:
    own, _ = names_of(model)
    if own == "encoder":
        pytest.skip("it fills in blanks, and writes nothing")
    edits = [gf.Edit(f"{own}/1/*/summed", lambda x: x + 4.0, each_position=True)]
    text = "The animal was too tired" if model.name == "translator" else "a b"
    written = model.generate(text, max_new_tokens=5, record="steps", edits=edits)
    assert written.trace is not None and b"<html" in written.show.steps().page
    assert "address" in model.run(text).show.trail("output/logits", row=1).table()
