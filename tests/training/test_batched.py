"""Many sentences decoded at once say what each says alone."""

import pytest

from glassformer.core.corpus import DIRECTIONS, Direction, held_out_pairs, load_grammar
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.training.evaluation.passes import EXTRA_STEPS, translate_greedily


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_batch_is_decoded_as_each_sentence_alone(direction: Direction) -> None:
    translator = load_model("translator@400")  # unripe: the guard against circles speaks
    pairs = [
        pair
        for pair in held_out_pairs(load_grammar(), 60).pairs
        if _plain(pair.sides(direction)[0])
    ]
    longest = max(len(pair.sides(direction)[0]) + 1 for pair in pairs)  # `<eos>` too
    limit = longest + EXTRA_STEPS  # alone, a sentence may circle a little longer
    guarded = 0
    for pair, pieces in zip(pairs, translate_greedily(translator, pairs, direction), strict=True):
        trace = translator.trace(" ".join(pair.sides(direction)[0]), direction=direction)
        if trace.source_pieces[:-1] != pair.sides(direction)[0]:
            continue  # typed, it is split otherwise
        written = tuple(piece for piece in trace.output_pieces if piece != "<eos>")
        assert pieces == written[:limit]
        guarded += any(step.guarded is not None for step in trace.steps)
    assert guarded


def _plain(words: tuple[str, ...]) -> bool:
    return not any(word.startswith("<") for word in words)
