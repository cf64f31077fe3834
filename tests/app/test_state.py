"""A link brings back the same screen, and nothing in a link can break it."""

import base64
import random
import time
import zlib
from dataclasses import fields, replace
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as some

from glassformer.app.session.codecs import LONG_TEXT, sections_text
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import DIRECTIONS, KINDS, STAGES, THEMES, State, clamp
from glassformer.app.words import texts_of_language
from glassformer.core.lectures.links import (
    INFLATED,
    LONGEST,
    PACKED,
    PLAIN,
    pack_query,
    unpack_query,
)
from tests.traces import small_trace

index = some.integers(0, 500)
inner = some.text(max_size=9) | some.integers(-99, 99) | some.floats(-1e9, 1e9) | some.booleans()
values = some.recursive(
    inner, lambda each: some.lists(each, min_size=1, max_size=3).map(tuple), max_leaves=9
)
names = some.text("abcdef_-", min_size=1, max_size=9)
sections = some.dictionaries(
    names, some.dictionaries(some.text(max_size=9), values, min_size=1, max_size=4), max_size=4
).map(sections_text)
cells = some.tuples(
    some.sampled_from(("memory", "encoder/0/input")),
    some.lists(index, min_size=1, max_size=3).map(tuple),
)
states = some.builds(
    State,
    text=some.text(max_size=200),
    direction=some.sampled_from(DIRECTIONS),
    model=some.text(max_size=20),
    language=some.sampled_from(LANGUAGES),
    kind=some.sampled_from(KINDS),
    layer=index,
    head=some.none() | index,
    stage=some.sampled_from(STAGES),
    query=some.none() | index,
    key=some.none() | index,
    token=some.none() | some.tuples(some.sampled_from(("source", "target")), index),
    view=some.sampled_from(("matrix", "lines")),
    precision=some.integers(1, 7),
    size=some.integers(80, 200),
    theme=some.sampled_from(("", *THEMES)),
    unfolded=some.dictionaries(some.sampled_from(("encoder", "decoder")), index).map(
        lambda layers: tuple(sorted(layers.items()))
    ),
    trail=some.none() | cells,
    way=some.lists(cells, max_size=4).map(tuple),
    words=some.integers(0, 9).map(range).flatmap(some.permutations).map(tuple),
    inputs=sections,
    recipe=sections,
    draft=sections,
    pairs=some.text(max_size=3000),
    watched=some.none() | some.tuples(index, index),
    edits=some.text(max_size=3000),
)
RUN = small_trace(tuple("abcdef"), tuple("wxyz"), decoder_layers=3, max_length=9)


@given(states)
def test_round_trip(now: State) -> None:
    assert State.from_query(now.to_query()) == (now, ())
    query = pack_query(now.to_query())
    assert len(urlencode(query)) <= LONGEST
    assert pack_query(unpack_query(query)) == query
    if query.keys() == {PACKED}:
        assert State.from_query(unpack_query(query)) == (now, ())


def test_only_what_differs_is_in_the_link() -> None:
    assert State().to_query() == {}
    now = State(text="我 爱 机器 学习", layer=1, head=2, token=("target", 0))
    expected = {"text": "我 爱 机器 学习", "layer": "2", "head": "3", "token": "target:1"}
    assert now.to_query() == expected


def test_a_long_link_is_packed_and_a_short_one_stays_plain() -> None:
    short, long = {"text": "我 爱"}, {"pairs": "I like you\t我 喜欢 你\n" * 200, "head": "2"}
    assert pack_query(short) == unpack_query(short) == short
    query = pack_query(long)
    assert query.keys() == {PACKED}
    assert len(urlencode(query)) < PLAIN
    assert unpack_query(query) == long
    assert unpack_query({**query, "head": "3"}) == {**long, "head": "3"}  # beside it goes before


def test_what_is_too_large_even_packed_stays_out() -> None:
    rng = random.Random(1)
    noise = "".join(chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(LONG_TEXT))
    query = pack_query({"pairs": noise, "head": "2"})
    assert query == {"head": "2"}
    assert len(urlencode(pack_query({"pairs": "a" * 10 * INFLATED, "head": "2"}))) < PLAIN


def _z(data: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=",
        "%%%",
        "x" * 7001,
        "ÿ",
        _z(b"head=2")[:-4],
        _z(b"head=" + b"\xff" * 9),
        _z(b"&".join(b"a=1" for _ in range(501))),
        _z(b"text=" + b"a" * 5_000_000),
    ],
)
def test_what_is_no_packed_link_is_told_and_costs_nothing(text: str) -> None:
    start = time.process_time()
    assert unpack_query({PACKED: text, "layer": "2"}) == {PACKED: text, "layer": "2"}
    assert time.process_time() - start < 0.05


@pytest.mark.parametrize(
    "name, value",
    [
        ("inputs", "scaling:d_k"),
        ("inputs", "scaling:(1),2"),
        ("inputs", "x:" + "(" * 500),
        ("draft", "a:b,(1"),
        ("words", "1,1"),
        ("words", "2,3"),
        ("unfolded", "memory:1"),
        ("way", "memory@1;x"),
        ("watched", "1"),
        ("theme", "pink"),
        ("layer", "0"),
        ("layer", "-1"),
        ("layer", "1.5"),
        ("layer", "٣"),
        ("layer", "9" * 30),
        ("head", ""),
        ("language", "fr"),
        ("kind", "<b>x</b>"),
        ("token", "source"),
        ("token", "middle:3"),
        ("precision", "99"),
        ("text", "x" * (LONG_TEXT + 1)),
    ],
)
def test_nonsense_is_dropped_and_reported(name: str, value: str) -> None:
    assert State.from_query({name: value, "stage": "scaled"}) == (
        State(stage="scaled"),
        (f"{name}={value}",),
    )


@given(some.dictionaries(some.sampled_from([f.name for f in fields(State)]), some.text()))
def test_any_link_gives_a_state(query: dict[str, str]) -> None:
    now, dropped = State.from_query(query)
    assert State.from_query(now.to_query()) == (now, ())
    assert {name.partition("=")[0] for name in dropped} <= query.keys()


@given(states)
def test_clamped_states_fit_and_stay(now: State) -> None:
    fitting, gone = clamp(now, RUN)
    rows, columns = 7 if fitting.kind == "encoder" else 5, 5 if fitting.kind == "decoder" else 7
    assert fitting.layer < (2 if fitting.kind == "encoder" else 3)
    assert fitting.head is None or fitting.head < 4
    assert fitting.query is None or fitting.query < rows
    assert fitting.key is None or fitting.key < columns
    assert clamp(fitting, RUN) == (fitting, ())
    assert (fitting == now) == (not gone)


def test_clamp_names_what_went_as_the_link_had_it() -> None:
    far = State(layer=98, query=399, key=2, address="encoder/9/nothing", block="output")
    fitting, gone = clamp(far, RUN)
    assert fitting == State(key=2)
    assert gone == ("address=encoder/9/nothing", "block=output", "layer=99", "query=400")
    assert clamp(State(block="encoder/0"), RUN) == (State(block="encoder/0"), ())


def test_new_sentence_releases_the_pins() -> None:
    pinned = State(layer=1, query=2, key=3, token=("source", 1))
    assert pinned.changed(text="I like you") == State(text="I like you", layer=1)
    assert pinned.changed(layer=0) == replace(pinned, layer=0)
    assert pinned.changed(kind="cross", query=4).query == 4
    assert pinned.changed(text=pinned.text) == pinned
    with pytest.raises((TypeError, AttributeError)):
        pinned.changed(colour="red")


def test_other_runs_release_what_belonged_to_those_before() -> None:
    plain = State(edits="causal:!0", run="first", node=7)
    assert plain.changed(run="second") == replace(plain, run="second", node=None)
    assert plain.changed(second="I like you").run == ""
    assert plain.changed(second="I like you", run="both").run == "both"
    two = State(second="I like you", run="second", node=7)
    assert two.changed(second="") == State()
    assert two.changed(second="I like tea") == replace(two, second="I like tea", node=None)


def test_a_value_that_a_field_cannot_hold_changes_nothing() -> None:
    now = State(direction="zh-en", query=2, key=3, kind="cross")
    assert now.changed(direction="auto: en → zh") == now
    assert now.changed(language=None, layer=None, axes=1, size=300) == now
    assert now.changed(kind="encoder", query=2) == replace(now, kind="encoder", key=None)
    long = "x" * (LONG_TEXT + 1)  # for the translator to refuse, which says why
    assert now.changed(text=long).text == long


def test_steps_beyond_the_sentence_go_and_are_named() -> None:
    assert clamp(State(moment=4), RUN) == (State(moment=4), ())
    assert clamp(State(moment=5), RUN) == (State(), ("moment=6",))
    # With a word given the sentence may grow, up to what any decoding of it may write.
    longer = State(moment=8, forced=((2, 77),))
    assert clamp(longer, RUN) == (longer, ())
    fitting, gone = clamp(State(moment=8, forced=((2, 77), (9, 5))), RUN)
    assert fitting == State()
    assert gone == ("forced=3:77,10:5", "moment=9")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_field_has_its_name_on_screen(language: str) -> None:
    named = texts_of_language(language)
    assert [each.name for each in fields(State) if f"link.{each.name}" not in named] == []


def test_a_page_opens_on_its_own_head_until_one_is_picked() -> None:
    assert State().opens == "own" and State(head=1).opens == "picked"
    assert State().changed(text="I have a cat").opens == "own"
    mean = State().changed(kind="encoder", layer=0, head=None)
    assert mean.opens == "picked" and mean.to_query() == {"opens": "picked"}
    assert State.from_query(mean.to_query()) == (mean, ())
    assert State(layer=1).to_query() == {"layer": "2"}
    assert clamp(State(head=7), RUN)[0].opens == "own"
