"""What the bundled lectures say of runs beyond the numbers in braces, and how each is found out."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from glassformer.app.runs.models import get_model
from glassformer.app.runs.scenes import trace_of
from glassformer.app.runs.traces import get_ablated_heads, get_batch, get_run, get_trace
from glassformer.app.session.state import State
from glassformer.core.decoding.beam import beam
from glassformer.core.decoding.cuts import Sampling
from glassformer.core.decoding.sampling import draw_samples
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.experiment import NOTHING
from glassformer.core.lab.mask_steps import target_steps
from glassformer.core.lectures.lecture import Index, Truth
from glassformer.core.lectures.read import load_lecture
from glassformer.core.lectures.truth import find_truth
from glassformer.core.text_models.checkpoints import CHECKPOINTS
from glassformer.core.text_models.decodings import task_of
from glassformer.core.trace.trace import Trace

TIRED = "The animal didn't cross the street because it was too tired"
WIDE = TIRED.replace("tired", "wide")
ANIMAL, STREET = "动物没有穿过马路，因为动物太累了", "动物没有穿过马路，因为马路太累了"
BEASTS = set("猫 鸟 猪 大象 鸡 狼 狗 老鼠 马 牛 羊 狐狸 老虎 兔子 鱼 猴子 熊".split())
ENCODER, CROSS = "encoder/1/self_attention", "decoder/1/cross_attention"


def number(trace: Trace, address: str, read: str = "value", **at: Index) -> float:
    answer = find_truth(Truth(address, at, read), trace, "en")  # type: ignore[arg-type]
    assert isinstance(answer.value, float)
    return answer.value


def word(trace: Trace, address: str, axis: str, **at: Index) -> str:
    return str(find_truth(Truth(address, at, "argmax", axis), trace, "en").value)


def run(lecture: str, scene: str, language: str = "en") -> Trace:
    return trace_of(load_lecture(lecture).scene(scene), language)


def with_edits(edits: str, text: str = TIRED, model: str = "") -> str:
    return get_run(Experiment.from_text(edits), text, model=model).output_text


@cache
def measured(model: str = "translator") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CHECKPOINTS / model / "metrics.json").read_text("utf-8"))
    return found


def pronouns(without: str, way: str = "zeroed") -> float:
    """The share of sentences whose pronoun is right in both readings, by the model card."""
    return float(measured()["knock_out"][without][way]["coreference"])


@dataclass(frozen=True)
class Claim:
    """One statement of a scene; `holds` computes whether it is true, in a language."""

    lecture: str
    scene: str
    words: str
    holds: Callable[[str], bool]


def rows(scene: str, language: str) -> torch.Tensor:
    """The weights (H, keys) of the pronoun in encoder layer 2."""
    trace = run("attention", scene, language)
    return trace[f"{ENCODER}/weights"][0, :, trace.source_tokens.index(PRONOUN[language])]


PRONOUN = {"en": "it", "zh": "它"}
NOUN, OTHER = {"en": "animal", "zh": "动物"}, {"en": "street", "zh": "马路"}


def _values_are_the_nouns(language: str) -> bool:
    trace = run("attention", "value", language)
    at = trace.source_tokens.index
    context = trace[f"{ENCODER}/context"][0, 0, at(PRONOUN[language])]
    value = trace[f"{ENCODER}/v"][0, 0, at(NOUN[language])]
    return float(torch.cosine_similarity(context, value, dim=0)) > 0.99


def _adjective_is_mixed_in(language: str) -> bool:
    trace = run("attention", "wide", language)
    looked = word(trace, "encoder/0/self_attention/weights", "key", head=1, query=PRONOUN[language])
    return looked == {"en": "wide", "zh": "宽"}[language]


def _follows_the_translation(language: str) -> bool:
    pairs = {
        "en": {
            "动物": "animal",
            "没有": "didn't",
            "穿过": "cross",
            "马路": "street",
            "累": "tired",
        },
        "zh": {"animal": "动物", "cross": "穿过", "street": "马路", "tired": "累"},
    }[language]
    trace = run("attention", "cross", language)
    looked = trace[f"{CROSS}/weights"][0, 0].argmax(-1).tolist()
    return all(
        trace.source_tokens[looked[trace.output_tokens.index(each)]] == pairs[each]
        for each in pairs
    )


def _twice_the_noun(language: str) -> bool:
    tokens = run("attention", "pronoun", language).output_tokens
    return tokens.count("动物") == 2 if language == "en" else "it" in tokens


def _fits_best(language: str) -> bool:
    trace = run("attention", "score", language)
    scores = trace[f"{ENCODER}/scores"][0, 0, trace.source_tokens.index(PRONOUN[language])]
    best = trace.source_tokens[int(scores.argmax())]
    return best == NOUN[language] and bool((scores < 0).any())


ATTENTION = (
    Claim("attention", "pronoun", "names the noun again", _twice_the_noun),
    Claim("attention", "look", "adds up to 1; nearly all of it lies in one cell", lambda one: (
        abs(float((row := rows("look", one)[0]).sum()) - 1) < 1e-5 and float(row.max()) > 0.9)),
    Claim("attention", "wide", "because layer 1 has mixed it in", _adjective_is_mixed_in),
    Claim("attention", "wide", "the look turns", lambda one: (
        float(rows("wide", one)[0].max()) > 0.8)),
    Claim("attention", "score", "fits best; a score can be negative", _fits_best),
    Claim("attention", "value", "now carries what “animal” had to give", _values_are_the_nouns),
    Claim("attention", "heads", "only one of them looks at one word", lambda one: (
        (rows("heads", one).amax(-1) > 0.9).tolist() == [True, False, False, False]
        and float(rows("heads", one)[1:].max()) < 0.3)),
    Claim("attention", "heads", "they fill the width of the model", lambda one: (
        (config := run("attention", "heads", one).config).n_heads * config.d_k == config.d_model)),
    Claim("attention", "cross", "nearly a diagonal", _follows_the_translation),
    Claim("attention", "cause", "the street was too tired", lambda one: (
        run("attention", "cause", one).output_text == STREET
        and get_trace(TIRED).output_text == ANIMAL)),
)  # fmt: skip


def _most_weights_are_here(language: str) -> bool:
    parts = dict(get_model().transformer.named_parameters())
    layer = {name: each.numel() for name, each in parts.items() if "encoder.layers.1." in name}
    here = sum(size for name, size in layer.items() if "feed_forward." in name)
    return 0.62 < here / sum(layer.values()) < 0.7


def _noun_is_wanted(language: str) -> bool:
    best = [each.piece for each in run("transformer", "logits").candidates(6, 9)]
    return best[0] == "动物" and len(BEASTS & set(best[1:])) >= 5


def _open_cells_are_a_triangle(language: str) -> bool:
    trace = run("transformer", "mask")
    weights = trace["decoder/1/self_attention/weights"][0]
    return bool((weights.triu(1) == 0).all()) and trace.target_tokens[0] == "<zh>"


T = "transformer"
TRANSFORMER = (
    Claim(T, "figure", "two layers in each stack", lambda _: (
        (config := run(T, "figure").config).encoder_layers == config.decoder_layers == 2)),
    Claim(T, "ids", "“the” and “The” have the same number", lambda _: (
        number(run(T, "ids"), "source/ids", position="The")
        == number(run(T, "ids"), "source/ids", position="the"))),
    Claim(T, "positions", "waves stay between −1 and 1", lambda _: (
        float(run(T, "positions")["source/positions"].abs().max()) <= 1)),
    Claim(T, "scores", "the table is not symmetric", lambda _: not torch.allclose(
        (scores := run(T, "scores")[f"{ENCODER}/scores"][0, 0]), scores.T, atol=1)),
    Claim(T, "values", "its first product holds nearly all", lambda _: (
        number(run(T, "values"), f"{ENCODER}/weights", head=0, query="it", key="animal") > 0.95)),
    Claim(T, "norm", "after the addition", lambda _: run(T, "norm").config.norm_place == "post"),
    Claim(T, "feed-forward", "two thirds of the weights of a layer", _most_weights_are_here),
    Claim(T, "memory", "the shape that came in", lambda _: (
        run(T, "memory")["memory"].shape == run(T, "memory")["source/input"].shape)),
    Claim(T, "mask", "hatched cells get weight 0", _open_cells_are_a_triangle),
    Claim(T, "cross", "follow the translation", lambda _: _follows_the_translation("en")),
    Claim(T, "logits", "the table of the beginning, used backwards", lambda _: (
        (config := run(T, "logits").config).share_embeddings and config.tie_generator)),
    Claim(T, "logits", "the runners-up are nouns, most of them animals", _noun_is_wanted),
    Claim(T, "training", "the same machine writes nonsense", lambda _: (
        run(T, "training").config == run(T, "loop").config
        and len(set(run(T, "training").output_tokens) & set(run(T, "loop").output_tokens)) <= 1)),
)  # fmt: skip
D, FRIENDS, PROGRAM = "decoding", "我真羡慕你有这么好的朋友。", "他写的程序有很多错误。"
ALL = 1_000_000  # top-k: nothing is cut


def _passes_agree(language: str) -> bool:
    trace = run(D, "steps")
    steps = target_steps(get_model().transformer, trace["source/ids"], trace["target/ids"])
    ids = torch.tensor(trace.output_ids)[:, None]
    chances = [each.gather(1, ids)[:, 0] for each in (steps.masked, steps.unmasked)]
    return float(steps.apart.max()) < 1e-3 and bool((chances[1][:3] < chances[0][:3]).all())


def _rows_are_whole(language: str) -> bool:
    weights = run(D, "masked")["decoder/0/self_attention/weights"][0]
    whole = torch.allclose(weights.sum(-1), torch.ones(()), atol=1e-5)
    return whole and bool((weights.triu(1) == 0).all())


def _padding_changes_nothing(language: str) -> bool:
    short, long = (get_trace(text) for text in ("I like you", TIRED))
    found = get_batch(NOTHING, (short, long))[0]
    return found.largest < 1e-4 and found.most_to_padding == 0


def _beam_of(size: int) -> str:
    model, trace = get_model(), get_trace(PROGRAM)
    tree = beam(model.transformer, task_of(model, trace), size=size)
    return model.reading(trace, tree.words(tree.hypotheses[0])).text


@cache
def _drawn(seed: int, temperature: float = 1, top_k: int = 2) -> str:
    model, trace = get_model(), get_trace(FRIENDS)
    how = Sampling(temperature, top_k, seed=seed)
    steps = draw_samples(model.transformer, task_of(model, trace), (how,))[0]
    return model.reading(trace, [each.step.chosen for each in steps]).text


def _drawn_at(scene: str, top_k: int) -> str:
    """What a row of the strategies writes at a step of the scene, by the link of that step."""
    now = State.from_query(load_lecture(D).scene(scene).query)[0]
    assert now.text == FRIENDS
    return _drawn(now.seed, now.temperature, top_k)


def _words_as_in_greedy(scene: str, top_k: int) -> int:
    greedy = run(D, "sampling").output_text
    return len({*greedy.split()} & {*_drawn_at(scene, top_k).split()})


DECODING = (
    Claim(D, "unsure", "the lowest bar; both would do", lambda _: (
        min((chance, each) for chance, each in zip(
            run(D, "unsure")["output/probabilities"][0].amax(-1).tolist(),
            run(D, "unsure").output_tokens, strict=True))[1] == "good")),
    Claim(D, "steps", "both passes agree; without the mask it does worse", _passes_agree),
    Claim(D, "masked", "their share is exactly 0, every row adds up to 1", _rows_are_whole),
    Claim(D, "unmasked", "又黑 is missing", lambda _: (
        get_trace("Her hair is long and black").output_text == "她的头发又长又黑"
        and run(D, "unmasked").output_text == "她的头发又长")),
    Claim(D, "padding", "as if it were alone; 0 % on <pad>", _padding_changes_nothing),
    Claim(D, "sampling", "drawn among “good” and “nice” only", lambda _: (
        "nice" in _drawn(4)
        and all(("good" in _drawn(seed)) != ("nice" in _drawn(seed)) for seed in range(8)))),
    Claim(D, "sampling-3", "Temperature draws from all words, and writes nonsense", lambda _: (
        _words_as_in_greedy("sampling-3", ALL) <= 2)),
    Claim(D, "sampling-3", "beside it top-k, as hot, stays readable", lambda _: (
        _words_as_in_greedy("sampling-3", 2) >= 4)),
    Claim(D, "sampling-4", "sense again", lambda _: (
        _drawn_at("sampling-4", ALL).replace("nice", "good") == run(D, "sampling").output_text)),
    Claim(D, "trap", "wins by a few points, and “… is many mistakes” comes of it", lambda _: (
        "is many mistakes" in run(D, "trap").output_text
        and 0 < (candidates := run(D, "trap").candidates(5, 3))[0].probability
        - next(each.probability for each in candidates if each.token == "has") < 0.1)),
    Claim(D, "beam", "the winner ends in “has many mistakes”; one beam is greedy", lambda _: (
        "has many mistakes" in _beam_of(4) and "is many mistakes" in _beam_of(1))),
)  # fmt: skip
H = "heads"
OFF_LATE, OFF_EARLY = f"heads_off:{ENCODER},(0)", "heads_off:encoder/0/self_attention,(1)"
CUT = "lines:encoder/*/self_attention,(),(1,5),(10)"


def _taught_is_not_needed(language: str) -> bool:
    with_it = float(measured()["knock_out"]["nothing"]["unchanged"]["coreference"])
    without = (pronouns("encoder self-attention layer 2 head 1", way) for way in ("zeroed", "mean"))
    return all(with_it - each < 0.01 for each in without)


def _untaught_heads_do_not_look(language: str) -> bool:
    trace = run(H, "plain")
    cells = [
        number(trace, f"encoder/{at}/self_attention/weights", "max", query="it", key="animal")
        for at in range(trace.config.encoder_layers)
    ]
    return max(cells) <= 0.1 and trace.output_text == ANIMAL


def _census(language: str) -> bool:
    order = [(each.where, each.head) for each in get_ablated_heads(NOTHING, TIRED)]
    return order[0] == ("encoder/0/self_attention", 1) and order.index((ENCODER, 0)) > 5


def _turns_nearly_every_noun(language: str) -> bool:
    name = "decoder layer 2, all heads"
    rates = [measured(model)["redirect"]["flipped"][name]["rate"]
             for model in ("translator", "translator-plain")]  # fmt: skip
    alone = measured()["redirect"]["flipped"]["decoder layer 1 head 3"]["rate"]
    return min(rates) > 0.85 and float(alone) > 0.9


HEADS = (
    Claim(H, "picture", "change “tired” to “wide” and it looks at “street”", lambda _: (
        word(get_trace(WIDE), f"{ENCODER}/weights", "key", head=0, query="it") == "street")),
    Claim(H, "off", "before and after are the same sentence", lambda _: (
        run(H, "off").output_text == ANIMAL and with_edits(OFF_LATE, WIDE).endswith("马路太宽了"))),
    Claim(H, "off", "not one point worse without this head", _taught_is_not_needed),
    Claim(H, "plain", "none looks at “animal” with more than a tenth; as well",
          _untaught_heads_do_not_look),
    Claim(H, "census", "on top is a head of layer 1; the taught one is not", _census),
    Claim(H, "cause", "with “wide” the same cut changes nothing", lambda _: (
        run(H, "cause").output_text == STREET
        and with_edits(OFF_EARLY, WIDE) == get_trace(WIDE).output_text)),
    Claim(H, "cause", "the taught head now looks from “it” at “street”", lambda _: (
        word(run(H, "cause"), f"{ENCODER}/weights", "key", head=0, query="it") == "street")),
    Claim(H, "cause", "most pronouns suffer, not all", lambda _: (
        0 < pronouns("encoder self-attention layer 1 head 2") < 0.5)),
    Claim(H, "turned", "the translation has not moved", lambda _: (
        run(H, "turned").output_text == ANIMAL
        and number(run(H, "turned"), f"{ENCODER}/weights", head=0, query="it", key="street") == 1)),
    Claim(H, "decoder", "one word of the translation changes", lambda _: (
        run(H, "decoder").output_text == STREET)),
    Claim(H, "decoder", "nearly every noun flips, untaught, too", _turns_nearly_every_noun),
    Claim(H, "decoder", "layer 1 head 3 alone", lambda _: (
        with_edits("heads_redirected:decoder/0/cross_attention,(2),5,(6)") == STREET)),
    Claim(H, "routes", "with “tired” the same cut changes nothing", lambda _: (
        run(H, "routes").output_text == "动物没有穿过马路，因为动物太宽了"
        and with_edits(CUT) == ANIMAL)),
)  # fmt: skip
A, BOOK, MASKED = "average", "我昨天在北京买了一本书", "decoder/1/self_attention"


def _rows_are_averages(language: str) -> bool:
    weights = run(A, "average")[f"{MASKED}/weights"][0, 0]
    plain = torch.ones_like(weights).tril()
    even = torch.allclose(weights, plain / plain.sum(-1, keepdim=True), atol=5e-3)
    return even and run(A, "average").output_text == get_trace(BOOK).output_text


def _hidden_word_scores_more(language: str) -> bool:
    trace = run(A, "softmax")
    row = {"head": 0, "query": "book"}
    later, chosen = (
        number(trace, f"{MASKED}/scores", key=each, **row) for each in ("in", "bought")
    )
    return later > chosen and number(trace, f"{MASKED}/weights", key="in", **row) == 0


def _heads_look_elsewhere(language: str) -> bool:
    weights = run(A, "heads")[f"{MASKED}/weights"][0]
    place = run(A, "heads").target_tokens.index("book")
    return len({int(each[place].argmax()) for each in weights}) > 1


AVERAGE = (
    Claim(A, "task", "I bought a book in Beijing yesterday, step 5", lambda _: (
        run(A, "task").output_text == "I bought a book in Beijing yesterday"
        and run(A, "task").target_tokens[4] == "book")),
    Claim(A, "average", "the same share for all; the sentence is the same", _rows_are_averages),
    Claim(A, "blurred", "“Beijing” and “yesterday” are gone, a book is left", lambda _: (
        not {"Beijing", "yesterday"} & {*run(A, "blurred").output_tokens}
        and "book" in run(A, "blurred").output_tokens)),
    Claim(A, "blurred", "the decoder alone could do with averages", lambda _: (
        with_edits("temperature:decoder/*/self_attention,1000", BOOK)
        == get_trace(BOOK).output_text
        != with_edits("temperature:decoder/*/cross_attention,1000", BOOK))),
    Claim(A, "weighted", "adds up to 1, not the same for all", lambda _: (
        word(run(A, "weighted"), f"{MASKED}/weights", "key", head=0, query="book") == "bought")),
    Claim(A, "softmax", "“in” has a larger score and no share", _hidden_word_scores_more),
    Claim(A, "heads", "they look at different words", _heads_look_elsewhere),
    Claim(A, "cut", "no word is where it was but an “a”", lambda _: (
        {each for each, other in zip(
            run(A, "cut").output_tokens, get_trace(BOOK).output_tokens, strict=False)
         if each == other} == {"a"})),
)  # fmt: skip
CLAIMS = (*ATTENTION, *TRANSFORMER, *DECODING, *HEADS, *AVERAGE)
