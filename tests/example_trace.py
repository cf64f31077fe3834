"""A trace made by hand: words of all kinds, probabilities and cross-attention that are known."""

import dataclasses
from typing import Any

import torch

from glassformer.core.config import ModelConfig
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder
from glassformer.core.trace.trace import Trace

SOURCE = ("<name1>", "likes", "<s>", ",", "<eos>")
SHOWN = ("Zorblax", "likes", "</s>", ",", "<eos>")
OUTPUT = ("<name1>", "喜欢", "，", "<eos>")
WRITTEN = ("Zorblax", "喜欢", "，", "<eos>")
PIECES = ("<pad>", "<unk>", "<eos>", "<en>", "<zh>", "<name1>", "<name2>", "likes", "<s>", ",")
VOCABULARY = (*PIECES, "喜欢", "，", "爱")
CHANCES = (0.9, 0.4, 0.6, 0.97)
CROSS = "decoder/1/cross_attention/weights"


def example_trace(**changes: Any) -> Trace:
    """Two layers of two heads; row t was chosen with CHANCES[t], the rest is spread evenly, but
    for the second row, where 爱 has 0.3. `changes` replace fields of the trace.
    """
    torch.manual_seed(0)
    model = Transformer(
        ModelConfig(
            vocabulary_size=len(VOCABULARY),
            d_model=8,
            n_heads=2,
            encoder_layers=2,
            decoder_layers=2,
            d_ff=8,
        )
    )
    source = torch.tensor([[VOCABULARY.index(piece) for piece in SOURCE]])
    target = torch.tensor([[VOCABULARY.index(piece) for piece in ("<zh>", *OUTPUT[:-1])]])
    recorder = Recorder()
    with torch.no_grad():
        model(source, target, recorder)
    trace = Trace(
        config=model.config,
        tensors={**recorder.tensors, "output/probabilities": probabilities()},
        source_text="Zorblax likes </s>,",
        output_text="Zorblax喜欢，",
        source_tokens=SHOWN,
        source_pieces=SOURCE,
        target_tokens=("<zh>", *WRITTEN[:-1]),
        target_pieces=("<zh>", *OUTPUT[:-1]),
        output_tokens=WRITTEN,
        output_pieces=OUTPUT,
        vocabulary=VOCABULARY,
        surfaces={"<name1>": "Zorblax"},
        source_unknown=(0, 2),
        direction="en-zh",
        model_name="example",
    )
    return dataclasses.replace(trace, **changes)


def probabilities() -> torch.Tensor:
    """(1, 4, V): each row sums to 1."""
    rows = torch.zeros(1, len(OUTPUT), len(VOCABULARY))
    for row, (piece, chance) in enumerate(zip(OUTPUT, CHANCES, strict=True)):
        known = {VOCABULARY.index(piece): chance}
        if piece == "喜欢":
            known[VOCABULARY.index("爱")] = 0.3
        rows[0, row] = (1 - sum(known.values())) / (len(VOCABULARY) - len(known))
        for index, value in known.items():
            rows[0, row, index] = value
    return rows
