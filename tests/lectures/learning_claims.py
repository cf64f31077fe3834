"""What the lectures on learning and on the decoder alone say of their models' runs."""

import json
import math
from functools import cache

import numpy as np
import torch

from glassformer.app.runs.models import get_taught
from glassformer.app.runs.traces import get_replay, get_trace
from glassformer.core.lab.labels import LOGITS, labels
from glassformer.core.text_models.checkpoints import CHECKPOINTS
from glassformer.core.trace.trace import Trace
from tests.lectures.claims import ANIMAL, BEASTS, CROSS, TIRED, WIDE, Claim, number, run

L = "learning"


def at_step(step: str, text: str = TIRED) -> Trace:
    return get_trace(text, "auto", "", step)


@cache
def _history() -> dict[int, dict[str, float]]:
    found = json.loads((CHECKPOINTS / "translator" / "history.json").read_text("utf-8"))
    return {each["step"]: each["metrics"] for each in found["snapshots"]}


def _worse_than_guessing(language: str) -> bool:
    words = run(L, "loss")["output/logits"].size(-1)
    history = _history()
    early = [step for step in history if history[step]["exact_en_zh"] == 0]
    return history[0]["loss"] > math.log(words) and history[max(early)]["loss"] < 4


def _one_step_helps(language: str) -> bool:
    before, after = (labels((score, *LOGITS[1:]), ((1, 0, 0, 0),)).softmax for score in (2, 3))
    less = after.gradients.abs() < before.gradients.abs()
    wanted = before.probabilities - torch.tensor([1.0, 0, 0, 0], dtype=torch.float64)
    agrees = torch.allclose(before.gradients, wanted)
    return agrees and after.loss < before.loss and bool(less.all())


def _clue_is_seen(language: str) -> bool:
    cells = [
        number(at_step(step), "encoder/0/self_attention/weights", head=1, query="it", key="tired")
        for step in ("0", "50", "400", "1000")
    ]
    untaught = "encoder/0" not in json.dumps(get_taught())
    return max(cells[:2]) < 0.25 and min(cells[2:]) > 0.7 and untaught


def _source_is_found(language: str) -> bool:
    pairs = {"没有": "didn't", "穿过": "cross", "马路": "street", "累": "tired"}
    found = {}
    for step in ("200", "400"):
        trace = at_step(step)
        looked = trace[f"{CROSS}/weights"][0, 0].argmax(-1).tolist()
        told = dict(zip(trace.output_tokens, looked, strict=True))
        found[step] = sum(trace.source_tokens[told[a]] == b for a, b in pairs.items() if a in told)
    history = _history()
    starts = history[200]["exact_en_zh"] == 0 < history[400]["exact_en_zh"]
    return found["400"] == len(pairs) and found["200"] < 2 and starts


def _words_lie_close(language: str) -> bool:
    """In the plane that one sees: of the sentence's Chinese words the nearest to each."""
    replay = get_replay(TIRED)
    assert replay is not None
    moment = next(each for each in replay.moments if each.step == 7000)
    spoken = [(each.piece, place) for each, place in zip(
        replay.words, replay.plane.of(moment.vectors), strict=True) if each.spoken]  # fmt: skip
    chinese = {text: place for text, place in spoken if not text.isascii()}
    places = dict(spoken)

    def nearest(text: str) -> str:
        return min(chinese, key=lambda each: float(np.linalg.norm(chinese[each] - places[text])))

    return (nearest("tired"), nearest("cross")) == ("累", "穿过")


G, SMALL = "decoder", "Blarvik is a doctor. Blar"


def _copy_needs_two_heads(language: str) -> bool:
    trace = run(G, "induction")
    above, below = (trace[f"decoder/{at}/self_attention/weights"][0, 3] for at in (3, 2))
    follows = [int(above[at].argmax()) == at - 9 for at in (13, 14)]  # behind its first place
    previous = float(below.diagonal(-1).mean()) > 0.35 and int(below[4].argmax()) == 3
    return all(follows) and previous and trace.output_tokens[13:15] == ("i", "k")


def _old_rows_never_change(language: str) -> bool:
    short, long = (get_trace(text, "auto", "small-gpt") for text in (SMALL, f"{SMALL}vik"))
    keys = [each["decoder/3/self_attention/k"][0, :, :12] for each in (short, long)]
    return torch.allclose(*keys, atol=1e-4)


DECODER = (
    Claim(G, "model", "no encoder, no cross-attention", lambda _: (
        not run(G, "model").source_tokens
        and not any("cross_attention" in each or "encoder/0" in each.split("decoder")[0]
                    for each in run(G, "model").tensors))),
    Claim(G, "pieces", "“Blarvik” is several pieces, “doctor” is one", lambda _: (
        run(G, "pieces").target_tokens[:6] == ("B", "l", "ar", "v", "i", "k")
        and run(G, "pieces").target_tokens[8].endswith("doctor"))),
    Claim(G, "induction", "the second v looks behind the first", _copy_needs_two_heads),
    Claim(G, "cache", "old rows never change", _old_rows_never_change),
)  # fmt: skip
LEARNING = (
    Claim(L, "random", "as many blocks as in the finished model", lambda _: (
        run(L, "random").config == get_trace(TIRED).config)),
    Claim(L, "loss", "worse than guessing; right sentences come later", _worse_than_guessing),
    Claim(L, "gradient", "probability less 1; loss falls, gradients shrink", _one_step_helps),
    Claim(L, "frequent", "at 50 nothing is written, at 100 only little words", lambda _: (
        at_step("50").output_text == ""
        and {*run(L, "frequent").output_tokens} <= {"我", "的", "一", "了", "<eos>"})),
    Claim(L, "nouns", "an animal, the wrong one; “cross” is there", lambda _: (
        run(L, "nouns").output_tokens[0] in BEASTS and "穿过" in run(L, "nouns").output_tokens)),
    Claim(L, "sentence", "right to the last word", lambda _: (
        run(L, "sentence").output_text == ANIMAL == get_trace(TIRED).output_text)),
    Claim(L, "twin", "the first noun; then the street, and back once more", lambda _: (
        [("马路太宽" in at_step(step, WIDE).output_text)
         for step in ("400", "1000", "1500", "2500", "4000", "7000", "")]
        == [False, True, True, False, True, True, True])),
    Claim(L, "clue", "dark from step 400 on, nobody taught it", _clue_is_seen),
    Claim(L, "align", "a blur at 200, each word its own at 400", _source_is_found),
    Claim(L, "words", "“tired” and 累, “cross” and 穿过", _words_lie_close),
)  # fmt: skip
