"""What the numbers of the texts stand for, each found out by running, reading or measuring."""

import json
import random
import re
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from glassformer import load_model
from glassformer.app.pages.lab.model.panel import PRESETS as MODELS
from glassformer.app.pages.vectors.positions.tables import shown_pairs
from glassformer.app.plots.heat import bulk_magnitude
from glassformer.core.analysis.neurons import direction, promoted_words
from glassformer.core.config import MaskFill, ModelConfig
from glassformer.core.corpus import draw_pair, load_grammar
from glassformer.core.decoding.beam import length_penalty
from glassformer.core.decoding.cuts import Sampling, cut_of, draw_id
from glassformer.core.explain.steps.steps import steps_of
from glassformer.core.interventions.causal_tracing import Question, Tracing, patched_addresses
from glassformer.core.lab.masks import masks
from glassformer.core.lab.untrained import blueprint, build_model
from glassformer.core.lab.untrained_views import NOTES_IDS, NOTES_WORDS, anatomy
from glassformer.core.lab.worked_examples import compute_example, notes_inputs
from glassformer.core.lectures.read import load_lecture
from glassformer.core.model.layer_norm import LayerNorm
from glassformer.core.model.masks import apply_mask, padding_mask
from glassformer.core.training.queue.lessons import narrow_grammar, pronoun_families
from glassformer.core.training.queue.run_files import PEAK_RATE, peak_of
from tests.architecture.sources import ROOT

EXAMPLES = {
    each["id"]: each
    for each in json.loads((ROOT / "assets/experiments/examples.json").read_text("utf-8"))
}
Numbers = Sequence[float]


def switched(example: str, pattern: str) -> Numbers:
    """The number in the switches of an example of the Switch page."""
    found = re.search(pattern, EXAMPLES[example]["edits"])
    assert found is not None
    return [float(found[1])]


def row_sum() -> Numbers:
    return [float(torch.randn(5).softmax(-1).sum())]


def hidden() -> Numbers:
    """The weight of a forbidden word, however it is forbidden."""
    mask = torch.tensor([True, False, True])
    ways = [apply_mask(torch.randn(1, 1, 1, 3), mask, fill) for fill in get_args(MaskFill)]
    return [max(float(way.softmax(-1)[..., 1]) for way in ways)]


def filled() -> Numbers:
    """What stands in the place of a forbidden score, without its sign."""
    return [-float(apply_mask(torch.zeros(1, 1, 1, 1), torch.tensor(False), "large_negative"))]


def looks() -> Numbers:
    """What a mask holds for a word, and what for padding."""
    return padding_mask(torch.tensor([[5, 0]]), 0).flatten().float().tolist()


def seen(allowed: Tensor) -> Numbers:
    """The first and the last word, from 1, that a row may look at."""
    places = (allowed.nonzero().flatten() + 1).tolist()
    return [places[0], places[-1]]


def broken_ways() -> Numbers:
    """How many ways to mask leave a forbidden word a weight, or a row that is no whole."""
    found = masks([[1.0, 2.0], [0.5, 3.0]], [[1, 0], [1, 1]]).ways.values()
    return [sum(float(abs(each.totals - 1).max()) > 1e-6 or float(each.leaked.max()) > 1e-6
                for each in found)]  # fmt: skip


def _normed(kind: str) -> Tensor:
    config = ModelConfig(vocabulary_size=1, norm_kind=kind, norm_epsilon=0.0)  # type: ignore[arg-type]
    return LayerNorm(config)(3 + 7 * torch.randn(512)).detach().double()


def mean() -> Numbers:
    return [abs(round(float(_normed("layer").mean()), 4))]


def deviation() -> Numbers:
    return [float(_normed("layer").std(correction=0))]


def root_mean_square() -> Numbers:
    return [float(_normed("rms").square().mean().sqrt())]


def variance() -> Numbers:
    """Of q · k / √d_k, where the numbers of q and k are independent, with mean 0 and variance 1."""
    torch.manual_seed(0)
    q, k = torch.randn(2, 10_000, 64)
    return [float((q * k).sum(1).div(8).var())]


def dropped() -> Numbers:
    """What dropout leaves of a number that it drops."""
    torch.manual_seed(0)
    return [float(functional.dropout(torch.ones(64), 0.5).min())]


def sure() -> Numbers:
    """The entropy of what goes to one word alone."""
    shares = torch.tensor([1.0, 0.0])
    return [abs(float(torch.special.xlogy(shares, shares).sum()))]


def perfect() -> Numbers:
    """The loss of a model that gives the right word all."""
    return [float(functional.cross_entropy(torch.tensor([[99.0, 0.0]]), torch.tensor([0])))]


def smoothed() -> Numbers:
    """What label smoothing leaves of it: 0 would be what the text denies."""
    logits, right = torch.tensor([[9.0, 0.0]], requires_grad=True), torch.tensor([0])
    assert functional.cross_entropy(logits, right, label_smoothing=0.1).item() > 0.1
    return perfect()


def cosines() -> Numbers:
    """Of vectors that are alike, at right angles, opposite; without their sign."""
    x, y = torch.eye(2)
    return [abs(float(functional.cosine_similarity(x, each, dim=0))) for each in (x, y, -x)]


def times(factor: float) -> Numbers:
    """How long what is added is, against what it is added to."""
    x = torch.randn(7)
    return [float((factor * x).norm() / x.norm())]


def coloured() -> Numbers:
    """The share of the numbers other than 0 that lie where the colours do not end."""
    drawn = np.concatenate([np.random.default_rng(0).standard_normal(10_000), np.zeros(5_000)])
    drawn[:20] *= 50
    return [float((abs(drawn[drawn != 0]) < bulk_magnitude(drawn)).mean())]


def scored(score: float) -> float:
    """The percent of a patch with this score; −2 is that of the first sentence, 3 of the other."""
    tokens: dict[Any, Any] = {"encoder": ("a",), "decoder": ("a",)}
    config = ModelConfig(vocabulary_size=1)
    scores = {address: torch.tensor([score]) for address in patched_addresses(config)[:1]}
    grid = Tracing(config, Question(0, 0, 1), tokens, -2.0, 3.0, scores, scores).grid("encoder")
    assert grid is not None
    return 100 * float(grid.restored[0, 0])


def future() -> Numbers:
    """How many steps behind the scores the mask stands."""
    names = [step.id.rpartition(".")[2] for step in steps_of(load_model().config)]
    return [names.index("mask") - names.index("scores")]


def maps(part: str, *left: str) -> Numbers:
    """How many linear maps a part of a layer has, some left out."""
    found = getattr(load_model().transformer.encoder.layers[0], part).named_modules()
    return [sum(isinstance(each, nn.Linear) and name not in left for name, each in found)]


def penalty() -> Numbers:
    """The two numbers of the paper's length penalty, found from two of its values at α = 1."""
    one, two = length_penalty(1, 1.0), length_penalty(2, 1.0)
    return [one / (two - one) - 1, 1 / (two - one)]


def angle() -> Numbers:
    """The place and the feature at which the formula begins: sin 0 and cos 0."""
    first = load_model().trace("I like you")["source/positions"].flatten()[:2]
    assert first.tolist() == [0, 1]
    return [0]


def highest_wave() -> Numbers:
    return [float(load_model().trace("I like you")["source/positions"].abs().max())]


def by_chance() -> Numbers:
    """How many of 20 random directions have no word beyond the dotted line."""
    model, trace = load_model(), load_model().trace("I like you")
    found = promoted_words(trace, model.transformer, "decoder", 0, 0)
    line = found.chance / np.linalg.norm(direction(model.transformer, "decoder", 0, 0))
    words = model.transformer.generator.weight.detach().double().numpy()  # (V, D)
    drawn = np.random.default_rng(1).standard_normal((2000, words.shape[1]))
    largest = np.abs(drawn @ words.T).max(1) / np.linalg.norm(drawn, axis=1)
    return [20 * float((largest <= line).mean()), 20]


def cut(**how: Any) -> Numbers:
    """A value of top-k or top-p that leaves every word, as it must."""
    logits = torch.arange(50.0) / 10
    assert cut_of(logits, Sampling(**how), 0.5).kept == len(logits)
    return [*how.values()]


def greedy() -> Numbers:
    """The temperature at which the best word alone can be drawn."""
    logits = torch.tensor([0.5, 2.0, 1.9])
    assert all(
        draw_id(cut_of(logits, Sampling(temperature=0), lot)) == 1 for lot in (0.0, 0.5, 0.99)
    )
    return [0]


def untied() -> Numbers:
    """How many tables of embeddings, and matrices, a model has where none is shared."""
    off = {"share_embeddings": "off", "tie_attention": "off"}
    model = build_model(blueprint(NOTES_WORDS, **{**MODELS["small"], **off}))
    attention = model.encoder.layers[0].self_attention
    tables = {id(each.table.weight) for each in (model.source_embedding, model.target_embedding)}
    assert len(tables) == len({id(attention.w_q.weight), id(attention.w_k.weight)})
    return [len(tables)]


def rates() -> Numbers:
    """Width, warm-up and highest rate of × 1: the paper's schedule."""
    assert peak_of(64, 400) == PEAK_RATE
    return [PEAK_RATE, 64, 400]


def shown() -> int:
    """How many waves are drawn."""
    focus: Any = type("Focus", (), {"width": 112, "pair": 5})
    return len(shown_pairs(focus))


def pace() -> Numbers:
    """Seconds that a step stays while the Walkthrough plays."""
    found = re.search(
        r"PACE = (\d+);", (ROOT / "app/pages/walkthrough/strip.js").read_text("utf-8")
    )
    assert found is not None
    return [int(found[1]) / 1000]


def notes_encoder() -> Numbers:
    """The largest number that the notes' model has at the end of its encoder."""
    model = build_model(blueprint(NOTES_WORDS, **MODELS["notes"]))
    reaches = anatomy(model, NOTES_IDS, NOTES_IDS).reaches
    return [max(map(abs, [each for each in reaches if each.stack == "encoder"][-1].ends))]


def size_of(key: str, name: str) -> Numbers:
    """How large an input of a worked example is, along each axis."""
    return np.shape(notes_inputs(key)[name])


def axes_of(key: str, quantity: str) -> Numbers:
    return [compute_example(key).quantity(quantity).value.ndim]


def exact(key: str, quantity: str) -> Tensor:
    """A quantity of a worked example, computed."""
    return compute_example(key).quantity(quantity).value


def columns_summed() -> Numbers:
    """Which columns of X the product with W_Q adds up for each feature, from 1."""
    w = torch.tensor(notes_inputs("self-attention-3x4")["W_Q"])
    return [int(place) + 1 for column in w.mT for place in column.nonzero().flatten()]


def slip() -> Numbers:
    """The number that the notes print in a product of theirs, and what the product has there."""
    weights, told = (
        compute_example("four-dim-attention").quantity(name).printed
        for name in ("weights", "context")
    )
    assert weights is not None and told is not None
    product = (
        weights @ torch.tensor(notes_inputs("four-dim-attention")["query_sample0_head0"]).double()
    )
    (at,) = ((product - told).abs() > 0.05).nonzero().tolist()
    return [float(told[*at]), float(product[*at])]


def with_pronouns() -> Numbers:
    """Of three sentences of the families with pronouns, how many have one."""
    grammar, rng = load_grammar(), random.Random(0)
    narrow = narrow_grammar(grammar, pronoun_families(grammar))
    return [3 * sum(bool(draw_pair(narrow, rng).antecedents) for _ in range(1000)) / 1000, 3]


def minutes(name: str, until: str = "") -> Numbers:
    """Of a lecture, or of its scenes up to one."""
    scenes = load_lecture(name).scenes
    last = [each.name for each in scenes].index(until) + 1 if until else len(scenes)
    return [sum(each.minutes for each in scenes[:last])]


def bounds() -> Numbers:
    """Between the options of the first question of the lecture on the Transformer."""
    question = load_lecture("transformer").scenes[0].question
    assert question is not None
    return question.truth.bounds


def thirds() -> Numbers:
    """How many thirds of the weights of a layer of the encoder its feed-forward network has."""
    layer = load_model().transformer.encoder.layers[1]
    sizes = {name: each.numel() for name, each in layer.named_parameters()}
    here = sum(size for name, size in sizes.items() if name.startswith("feed_forward."))
    return [3 * here / sum(sizes.values())]


def looks_at_most() -> Numbers:
    """The largest weight of "it" on "animal" in the encoder of the plain model, a tenth at most."""
    trace = load_model("translator-plain").trace(EXAMPLES["taught"]["text"])
    it, animal = map(trace.source_tokens.index, ("it", "animal"))
    weights = [trace[f"encoder/{layer}/self_attention/weights"] for layer in (0, 1)]
    return [max(0.1, *(float(each[0, :, it, animal].max()) for each in weights))]


def sentences_to_write() -> int:
    notes = load_lecture("heads").scene("claims").notes["en"]
    return len(re.findall(r"\b(?:A look|One \w+) is not ", notes))
