"""What a link to the screen carries: one frozen dataclass, and what the trace on screen allows.

`State` counts from 0 like the addresses; the URL counts from 1 like the screen. Only values that
differ from their default are in the URL, and what the URL gets wrong is dropped and reported.
A new field is one line in `State`: its default and the codec that reads and writes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from glassformer.app.session.codecs import (
    AXES,
    CELL,
    COUNT,
    FORCED,
    KEPT,
    LAYERS,
    MAP,
    ORDER,
    PART,
    PINNED_TOKEN,
    PINS,
    SECTIONS,
    STEP,
    TEXT,
    TOKEN,
    TYPED,
    WAY,
    Codec,
    number_codec,
    one_of,
    whole_number_codec,
)
from glassformer.app.session.languages import LANGUAGES
from glassformer.core.analysis.attention_views import kinds_of
from glassformer.core.analysis.blocks import block_at
from glassformer.core.analysis.head_roles import ROLES
from glassformer.core.config import ModelConfig
from glassformer.core.decoding.step import most_words
from glassformer.core.text.tokenizer import split_sentences
from glassformer.core.trace.trace import Trace, in_line

KINDS = ("encoder", "decoder", "cross")
STAGES = ("scores", "scaled", "biased", "masked", "weights")  # biased: where distances add
# heads: lines, each head in its own hue; motion: the numbers of one row, moving
VIEWS = ("matrix", "lines", "heads", "motion")
MOTION = (
    "joined", "split", "meet", "products", "sum", "scores", "scaled", "masked", "weights",
    "values", "weighted", "context", "heads", "concat", "output")  # fmt: skip
DIRECTIONS = ("auto", "en-zh", "zh-en")
REPLAYS = ("translation", "attention", "film", "positions", "words", "lengths")
VECTORS = ("positions", "stream", "lens", "attribution", "which_word", "neurons")
AGAINST = ("none", "second")  # attribution: a logit by itself, or less the runner-up's
LAB = (
    "scaling", "normalisers", "labels", "dictionary", "weighted_values", "pull", "similarity",
    "masks", "mask_building", "mask_steps", "layer_norm", "batch_norm", "norm_axes", "depth",
    "split", "memory", "one_matrix", "skips", "clones", "order", "added", "why", "seq2seq", "rnn",
    "ngrams", "nearest_words", "model", "examples",
)  # fmt: skip
RUNS = ("", "first", "second", "both")  # "": the switched run; of two sentences, both
SWITCHES = ("examples", "masks", "heads", "concepts", "tensors", "patching", "batch", "texts")
OVER_TEXTS = ("texts", "heads")  # many texts: which table
RESULTS = ("words", "by_layer")
DECODING = ("timeline", "from_words", "strategies", "beam", "forcing", "cache")
STRATEGIES = ("greedy", "beam", "temperature", "top_k", "top_p")
BRUSHES = ("cell", "row", "column", "band")
STROKES = ("hide", "show", "clear")
POSITIONS = ("map", "waves", "dots", "rotation", "same", "variants")
FORMULAS = ("paper", "notes", "halves")
SPANS = ("sentence", "64", "256")
THEMES = ("light", "dark")
_HEAD = {"kind", "layer", "head"}
_RUN = ("text", "text_pair", "direction", "model", "chat")
RELEASES = {  # what goes back to its default where one of these changes
    (*_RUN, "kind"): ("query", "key"),
    ("model",): ("chat",),
    _RUN: ("token", "words", "sentence"),
    ("sentence",): (
        "query",
        "key",
        "token",
        "words",
        "trail",
        "way",
        "moment",
        "forced",
        "node",
        "watch",
        "word",
    ),
    (*_RUN, "step"): ("trail", "way", "moment", "forced", "node"),
    (*_RUN, "step", "second"): ("watch",),
    (*_RUN, "step", "token"): ("word",),
    (*_RUN, "sentence", "step", "second", "edits"): ("file",),
    ("batch",): ("row",),
    ("forced", "beams", "rule", "edits", "second", "run"): ("node",),
}
CHAT = "chat"  # in the place of a step: a model whose texts go through its chat template
FIRST_SENTENCE = "The animal didn't cross the street because it was too tired"


@dataclass(frozen=True)
class Setup:
    """All that decides which run is on screen, as the state has it."""

    text: str
    text_pair: str
    direction: str
    model: str
    chat: str
    step: str
    second: str
    edits: str

    @property
    def line(self) -> str:
        """The text, or both of a pair, in one line."""
        return in_line(self.text, self.text_pair)

    @property
    def plain(self) -> "Setup":
        """The same with nothing switched."""
        return replace(self, edits="")

    @property
    def version(self) -> str:
        """Of the model: a step of its training, or CHAT where its chat template wraps texts."""
        return self.step or ("" if self.chat == "off" else CHAT)


def _kept(default: Any, codec: Codec) -> Any:
    return field(default=default, metadata={"codec": codec})


@dataclass(frozen=True)
class State:
    """Everything that a link to the screen must carry, by page."""

    # The run on screen
    text: str = _kept(FIRST_SENTENCE, TYPED)
    text_pair: str = _kept("", TYPED)  # read together with the text, as its segment B; "": none
    sentence: int = _kept(0, COUNT)  # of a text of several, the one on screen
    direction: str = _kept("auto", one_of(*DIRECTIONS))
    model: str = _kept("", TEXT)  # "": the bundled one
    chat: str = _kept("off", one_of("off", "on"))  # on: the text in the model's chat template
    step: str = _kept("", STEP)  # of the model's training; "": its end
    second: str = _kept("", TYPED)  # another sentence beside the first; "": none
    edits: str = _kept("", TYPED)  # the experiment, as `Experiment.text`; "": nothing is switched
    run: str = _kept("", one_of(*RUNS))  # which of two runs is on screen
    file: str = _kept("", KEPT)  # an opened run that is shown for all this; "": it is computed

    # The place in focus, on any page
    kind: str = _kept("encoder", one_of(*KINDS))
    layer: int = _kept(0, COUNT)
    head: int | None = _kept(None, COUNT)  # None: the mean of all heads
    opens: str = _kept("own", one_of("own", "picked"))  # Attention: on the page's own head, or not
    query: int | None = _kept(None, COUNT)
    key: int | None = _kept(None, COUNT)
    token: tuple[str, int] | None = _kept(None, PINNED_TOKEN)  # ("source" | "target", index)
    feature: int | None = _kept(None, COUNT)  # the one in focus, of d_model or of d_k
    trail: tuple[str, tuple[int, ...]] | None = _kept(None, CELL)  # the number that is unfolded
    way: tuple[tuple[str, tuple[int, ...]], ...] = _kept((), WAY)  # the numbers before that one

    # The reader
    mine: str = _kept("", TOKEN)  # names this reader's own trainings, and opens nothing
    language: str = _kept(LANGUAGES[0], one_of(*LANGUAGES))
    theme: str = _kept("", one_of(*THEMES))  # "": that of the reader's system
    precision: int = _kept(3, whole_number_codec(1, 7))
    size: int = _kept(100, whole_number_codec(80, 200))  # type size in percent, for projectors

    # Translate
    links: str = _kept("lines", one_of("lines", "matrix"))  # source and output joined
    block: str = _kept("", TEXT)  # "": no block of the map is open
    tint: str = _kept("role", one_of("role", "change"))  # the map: what a block is, or does
    unfolded: tuple[tuple[str, int], ...] = _kept((), LAYERS)  # a stack's layer in full

    # Walkthrough
    walk: str = _kept("", TEXT)  # id of the step; "": the first

    # Attention
    stage: str = _kept("weights", one_of(*STAGES))
    view: str = _kept("matrix", one_of(*VIEWS))
    order: str = _kept("place", one_of("place", *ROLES))  # what the heads are sorted by
    motion: str = _kept("joined", one_of(*MOTION))  # motion: the station that is shown
    sinks: str = _kept("counted", one_of("counted", "apart"))  # apart: not in the colour scale
    terms: str = _kept("largest", one_of("largest", "dimension", "writers"))  # how q · k is split

    # Translate
    heat: float = _kept(1.0, number_codec(0.1, 3))  # the temperature that candidates are shown at

    # Vectors
    vectors: str = _kept("positions", one_of(*VECTORS))  # which question
    stack: str = _kept("encoder", one_of("encoder", "decoder"))  # whose stream
    positions: str = _kept("map", one_of(*POSITIONS))  # positions: what is asked of them
    formula: str = _kept("", one_of(*FORMULAS))  # of the positions; "": the model's own
    against: str = _kept("none", one_of(*AGAINST))  # attribution: what is asked
    span: str = _kept("", one_of(*SPANS))  # how many positions; "": what suits the picture
    offset: int = _kept(3, whole_number_codec(1, 64))  # how far the rotation carries a position

    # Decoding
    decoding: str = _kept("timeline", one_of(*DECODING))  # what is asked
    moment: int | None = _kept(None, COUNT)  # the step in focus; None: the least sure
    forced: tuple[tuple[int, int], ...] = _kept((), FORCED)  # (step, id) given by hand
    beams: int = _kept(4, whole_number_codec(1, 16))  # size of the beam
    alpha: float = _kept(0.6, number_codec(0, 5))  # strength of the length penalty
    rule: str = _kept("paper", one_of("paper", "transformers"))  # when the beam ends
    node: int | None = _kept(None, COUNT)  # the node of the tree in focus
    branches: str = _kept("few", one_of("few", "all"))  # whether the pruned ones show
    strategy: str = _kept("temperature", one_of(*STRATEGIES))  # the one in focus
    temperature: float = _kept(1.5, number_codec(0, 10))  # of sampling; 1: the model's own
    top_k: int = _kept(5, whole_number_codec(0, 50_000))  # 0: all words
    top_p: float = _kept(0.9, number_codec(0, 1))  # 1: all words
    seed: int = _kept(0, whole_number_codec(0, 999_999))  # of sampling

    # Tensors
    address: str = _kept("", TEXT)  # "": the page's own first choice
    axes: tuple[str, str] | None = _kept(None, AXES)  # rows and columns of the picture
    pins: tuple[tuple[str, int], ...] = _kept((), PINS)  # where its other axes are held
    part: tuple[tuple[str, int], ...] = _kept((), PART)  # the line a long axis starts at; -1: all
    form: str = _kept("picture", one_of("picture", "table", "exact"))  # how a tensor is shown

    # Training
    training: str = _kept("replay", one_of("replay", "workshop"))  # which half
    replay: str = _kept("translation", one_of(*REPLAYS))  # what is seen of a step
    course: str = _kept("start", one_of("start", "end"))  # where the page stands without a step
    curves: str = _kept("few", one_of("few", "all"))  # over the steps
    recipe: str = _kept("", SECTIONS)  # workshop: the form, where it is not the usual one
    pairs: str = _kept("", TYPED)  # workshop: own pairs as typed
    watched: tuple[int, int] | None = _kept(None, MAP)  # workshop: layer and head in view

    # Lab
    lab: str = _kept("", one_of("", "tiles", *LAB))  # which bench, or all; "": as a link needs
    example: str = _kept("", TEXT)  # which worked example; "": the first
    inputs: str = _kept("", SECTIONS)  # what is typed, by bench, where it is no original
    norms: str = _kept("formulas", one_of("formulas", "stretched"))  # layer norm: what is seen
    words: tuple[int, ...] = _kept((), ORDER)  # order: the words as moved; (): reversed

    # Lectures
    lecture: str = _kept("", TEXT)  # the one that is open; "": all of them
    sheet: int = _kept(0, whole_number_codec(0, 999_999))  # of exercises, its seed; 0: none

    # Switch
    switches: str = _kept("examples", one_of(*SWITCHES))  # what is at hand
    heads_by: str = _kept("place", one_of("place", "harm"))  # how the heads are sorted
    off: str = _kept("zero", one_of("zero", "mean"))  # what a head that is off says
    swap: str = _kept("weights", one_of("weights", "context"))  # what two heads exchange
    draft: str = _kept("", SECTIONS)  # tensors: the form
    result: str = _kept("words", one_of(*RESULTS))  # what is shown of the effect
    word: int | None = _kept(None, COUNT)  # the plain run's row; None: the most changed
    brush: str = _kept("cell", one_of(*BRUSHES))  # masks: what a stroke covers
    stroke: str = _kept("hide", one_of(*STROKES))  # masks: what a stroke does
    ones: str = _kept("look", one_of("look", "hidden"))  # masks: what a 1 in a cell means
    batch: str = _kept("", TEXT)  # sentences padded to one length, one a line
    texts: str = _kept("", TYPED)  # many texts, one a line; "": those of the page
    over: str = _kept("texts", one_of(*OVER_TEXTS))  # many texts: what is shown of them
    row: int = _kept(0, COUNT)  # batch: the sentence in focus
    watch: int | None = _kept(None, COUNT)  # patching: the decoder's row; None: the first

    def __post_init__(self) -> None:
        if (self.kind, self.layer, self.head) != ("encoder", 0, None):
            object.__setattr__(self, "opens", "picked")

    def to_query(self) -> dict[str, str]:
        """The query parameters of a link to this screen: only what differs from the defaults.

        A text too long for a link stays out.
        """
        found = {}
        for each in fields(self):
            codec, value = each.metadata["codec"], getattr(self, each.name)
            if value != each.default and len(text := codec.write(value)) <= codec.longest:
                found[each.name] = text
        if _HEAD & found.keys():
            found.pop("opens", None)  # a head in a link is one that was picked
        return found

    @property
    def own_text(self) -> str:
        """What is run, in one line, as `Setup.line`."""
        return self.setup.line

    @property
    def own_second(self) -> str:
        """What is run beside it, read together with the same text; "" without."""
        return self.second and in_line(self.second, self.text_pair)

    @property
    def setup(self) -> Setup:
        """What decides which run is on screen.

        Of a text of several sentences the one on screen; the first brings all.
        """
        here = {each.name: getattr(self, each.name) for each in fields(Setup)}
        found = split_sentences(self.text) if self.sentence else ()
        text = found[self.sentence] if self.sentence < len(found) else self.text
        return Setup(**here | {"text": text})

    @property
    def version(self) -> str:
        """As `Setup.version`."""
        return self.step or ("" if self.chat == "off" else CHAT)

    @property
    def given(self) -> frozenset[str]:
        """The fields that are not at their default."""
        return frozenset(e.name for e in fields(self) if getattr(self, e.name) != e.default)

    @staticmethod
    def from_query(query: Mapping[str, str]) -> "tuple[State, tuple[str, ...]]":
        """The state in a link, and the "name=value" of every parameter that made no sense."""
        found: dict[str, Any] = {}
        dropped: list[str] = []
        for each in fields(State):
            if each.name not in query:
                continue
            codec: Codec = each.metadata["codec"]
            try:
                if len(query[each.name]) > codec.longest:
                    raise ValueError(each.name)
                found[each.name] = codec.read(query[each.name])
            except ValueError:
                dropped.append(f"{each.name}={query[each.name]}")
        return State(**found), tuple(dropped)

    def changed(self, **changes: Any) -> "State":
        """A copy with the changes, and without the pins that they make meaningless.

        A value that its field cannot hold changes nothing: a widget whose labels have changed may
        hand back the label before.
        """
        now = {name: getattr(self, name) for name in changes}
        kept = {name: new for name, new in changes.items() if new == now[name] or _fits(name, new)}
        moved = {name for name, new in kept.items() if new != now[name]}
        pins: dict[str, Any] = {"opens": "picked"} if _HEAD & changes.keys() else {}
        for causes, released in RELEASES.items():
            if moved & set(causes):
                pins |= {name: getattr(State, name) for name in released}
        if "second" in moved and bool(kept["second"]) != bool(now["second"]):
            pins |= {"run": ""}  # the first and the second run are others
        # Another step of the training translates into other words.
        if "step" in moved and self.kind != "encoder":
            pins |= {"query": None, "key": None}
        if "step" in moved and self.token and self.token[0] == "target":
            pins |= {"token": None}
        return replace(self, **pins | kept)


def _fits(name: str, value: Any) -> bool:
    place = next(each for each in fields(State) if each.name == name)
    codec: Codec = place.metadata["codec"]
    return bool(value == place.default or codec.takes(value))


def clamp(state: State, trace: Trace) -> tuple[State, tuple[str, ...]]:
    """The state without what the trace does not have, and the "name=value" of what went."""
    state = _with_what_is_there(state, trace.config)
    config, sources, targets = trace.config, len(trace.source_tokens), len(trace.target_tokens)
    layers = dict.fromkeys(KINDS, config.decoder_layers) | {"encoder": config.encoder_layers}
    side, place = state.token or ("source", None)
    given = max((step for step, _ in state.forced), default=-1)
    longest = most_words(sources, config.max_length)  # that any decoding of it may write
    if trace.task == "continue":  # of which no source says how long it may become
        longest = config.max_length
    own = not 0 <= given < longest and state.decoding != "strategies"
    limits = (
        ("layer", state.layer, layers[state.kind]),
        ("head", state.head, config.of(state.kind).n_heads),
        ("query", state.query, sources if state.kind == "encoder" else targets),
        ("key", state.key, targets if state.kind == "decoder" else sources),
        ("token", place, sources if side == "source" else targets),
        ("forced", given, longest),
        ("moment", state.moment, targets if own else longest),
    )
    gone = {name for name, value, size in limits if value is not None and value >= size}
    if state.trail and state.trail[0] not in trace:
        gone.add("trail")
    if state.address and state.address not in trace:
        gone.add("address")
    if state.block and block_at(config, state.block) is None:
        gone.add("block")
    if any(layer >= layers[stack] for stack, layer in state.unfolded):
        gone.add("unfolded")
    query = state.to_query()
    kept: dict[str, Any] = {each.name: each.default for each in fields(State) if each.name in gone}
    if gone & {"layer", "head"}:
        kept["opens"] = "own"
    if "trail" in gone:
        kept["way"] = ()
    return replace(state, **kept), tuple(f"{name}={query[name]}" for name in sorted(gone))


def _with_what_is_there(state: State, config: ModelConfig) -> State:
    """The attention and the stack that a model of one stack has, in place of one that it has not.

    The reader asked for another model, not for another place: nothing is said of it.
    """
    kinds = kinds_of(config)
    if state.kind not in kinds:
        state = replace(state, kind=kinds[0])
    stack = kinds[0] if not config.has_both else state.stack
    return state if stack == state.stack else replace(state, stack=stack)
