"""A model whose begin token has the id of padding, as Marian's: what is drawn of its masks."""

from dataclasses import replace

import torch

from glassformer.core.interventions.masks import own_mask
from glassformer.core.text.vocabulary import PADDING
from tests.seeded_runs import seeded_run


def test_the_models_own_mask_is_the_recorded_one() -> None:
    trace, _ = seeded_run(pad_id=3)
    pieces = (PADDING, *trace.target_pieces[1:])
    place = "decoder/0/self_attention"
    own = own_mask(replace(trace, target_pieces=pieces), place)
    assert torch.equal(own, trace[f"{place}/mask"][0, 0])
    assert torch.equal(own, torch.ones_like(own).tril())
