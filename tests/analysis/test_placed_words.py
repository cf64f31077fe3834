"""Words at positions, against the embedding table and the formula of the positions."""

import math
from typing import Any

import numpy as np
import pytest

from glassformer.core.analysis.placed_words import measure_shares, repeated_words, two_places
from glassformer.core.analysis.positions import position_table
from glassformer.core.errors import GlassformerError
from tests.seeded_runs import RUN_NAMES, SENTENCES, all_runs, bundled_run, seeded_run


def parts(run: Any, stack: Any) -> tuple[np.ndarray, np.ndarray]:
    """√D E_w from the weights, and the positions (recorded; test_positions checks them)."""
    trace, model = run
    embedding = model.source_embedding if stack == "encoder" else model.target_embedding
    pieces = trace.source_pieces if stack == "encoder" else trace.target_pieces
    ids = [trace.vocabulary.index(piece) for piece in pieces]
    scale = math.sqrt(trace.config.d_model) if trace.config.embedding_scale else 1.0
    side = "source" if stack == "encoder" else "target"
    return embedding.table.weight.numpy()[ids] * scale, trace[f"{side}/positions"].numpy()


def test_the_two_he() -> None:
    run = seeded_run()
    trace = run[0]
    (word,) = repeated_words(trace, "encoder")
    assert (word.token, word.positions) == ("和", (1, 5))
    found = two_places(trace, "encoder", *word.positions)
    words, _ = parts(run, "encoder")
    paper = position_table(8, 18)
    assert found.same and found.tokens == ("和", "和")
    assert found.scaled == pytest.approx(words[[1, 5]], abs=1e-5)
    assert np.array_equal(found.scaled[0], found.scaled[1])
    assert found.encoding == pytest.approx(paper[[1, 5]])
    assert found.input == pytest.approx((words + paper)[[1, 5]], abs=1e-5)
    assert found.cosines["scaled"] == pytest.approx(1)
    angle = paper[1] @ paper[5] / 9  # each has length √(D / 2)
    assert found.cosines["encoding"] == pytest.approx(float(angle), abs=1e-6)
    assert -1 < found.cosines["input"] < 1
    assert found.distances["input"] == pytest.approx(math.dist(paper[1], paper[5]), rel=1e-5)
    assert found.distances["scaled"] == 0


def test_the_same_sentence_with_another_table() -> None:
    trace, _ = seeded_run()
    notes = position_table(8, 18, "notes")
    found = two_places(trace, "encoder", 1, 5, notes)
    own = two_places(trace, "encoder", 1, 5)
    assert np.array_equal(found.encoding, notes[[1, 5]].astype(np.float64))
    assert np.array_equal(found.scaled, own.scaled)
    assert found.cosines["input"] != pytest.approx(own.cosines["input"])
    with pytest.raises(GlassformerError, match="0 to 4"):
        two_places(trace, "encoder", 1, 5, notes[:5])


def test_without_positions_both_places_are_one() -> None:
    trace, _ = seeded_run(positions="none")
    found = two_places(trace, "encoder", 1, 5)
    assert found.distances["input"] == 0
    assert math.isnan(found.cosines["encoding"])
    part = measure_shares(trace, "encoder")
    assert not part.position_share.any() and part.word_share == pytest.approx(1)


@pytest.mark.parametrize("run", all_runs(), ids=RUN_NAMES)
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_shares(run: Any, stack: Any) -> None:
    words, positions = parts(run(), stack)
    found = measure_shares(run()[0], stack)
    whole = words + positions
    for t in range(len(found.tokens)):
        length = np.linalg.norm(whole[t])
        assert found.word[t] == pytest.approx(np.linalg.norm(words[t]), rel=1e-5)
        assert found.position[t] == pytest.approx(np.linalg.norm(positions[t]), rel=1e-5)
        assert found.sum[t] == pytest.approx(length, rel=1e-5)
        share = positions[t] @ whole[t] / length**2
        assert found.position_share[t] == pytest.approx(share, abs=1e-5)
    assert found.position_share + found.word_share == pytest.approx(1)


def test_bundled_sentences() -> None:
    trace, _ = bundled_run(SENTENCES[0])
    assert found_positions(trace, "encoder", "The", "the")
    trace, _ = bundled_run(SENTENCES[1])
    assert found_positions(trace, "encoder", "和", "和")
    trace, _ = bundled_run(SENTENCES[2])
    assert repeated_words(trace, "encoder") == ()
    with pytest.raises(GlassformerError):
        two_places(trace, "encoder", 0, len(trace.source_tokens))


def found_positions(trace: Any, stack: Any, *words: str) -> bool:
    ids = trace["source/ids"][0].tolist()
    twice = {index for index in ids if ids.count(index) > 1}
    found = repeated_words(trace, stack)
    assert {trace.vocabulary.index(each.piece) for each in found} == twice
    for each in found:
        assert len({ids[position] for position in each.positions}) == 1
    return any(each.token in words for each in found)
