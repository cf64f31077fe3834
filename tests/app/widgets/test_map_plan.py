"""The drawing of the map: everything in its place, for any config, in every language."""

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any
from unittest.mock import patch

import orjson
import pytest

from glassformer.app.pages.translate.map.grid import CARD, layer_columns, size_of
from glassformer.app.pages.translate.map.plan import plan_map
from glassformer.app.pages.translate.map.shapes import chips_in_rows, share_looks
from glassformer.app.pages.translate.map.stacks import short_percent
from glassformer.app.plots.colours import contrast
from glassformer.app.plots.labels import text_width, widest
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State
from glassformer.app.words import texts_of_language
from glassformer.core.analysis.blocks import blocks_of_model, ratios
from glassformer.core.config import ModelConfig
from tests.traces import OUTPUT, SOURCE, small_trace

LONG = {"source": SOURCE * 6, "output": OUTPUT * 7}
CONFIGS: list[dict[str, Any]] = [
    {},
    {"norm_place": "pre", "final_norm": True},
    {"final_norm": True, "encoder_layers": 1, "decoder_layers": 3},
    {"encoder_layers": 6, "decoder_layers": 6},
    {"encoder_layers": 12, "decoder_layers": 12, "norm_place": "pre"},
    {"positions": "none", "encoder_layers": 1, "decoder_layers": 1},
    LONG,
    {"source": ("I",), "output": ("<s>",)},
]
OPENED = [(0, 0), (1, 1), (11, 4)]
STAGED = 0  # in place of a size: in front of a hall


def drawn(config: dict[str, Any], opened: tuple[int, int] = (0, 0), language: str = "en",
          dark: bool = False, block: str = "", size: int = 100,
          tinted: bool = False) -> dict[str, Any]:  # fmt: skip
    unfolded = {"encoder": opened[0], "decoder": opened[1]}
    with patch("glassformer.app.words.get_state", lambda: State(language=language)):
        look, staged = FigureStyle(dark, size or 100), size == STAGED
        return plan_map(small_trace(**config), look, block, unfolded, tinted, staged)


def parts(items: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for item in items:
        yield item
        yield from parts(item.get("items", []))


def buttons(made: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {item["id"]: item for item in made["items"] if item["kind"] == "button"}


def texts_of(made: dict[str, Any]) -> list[tuple[str, float, float, float, float]]:
    """Every text with its box: left, top, right, bottom; narrower than it may be in any font."""
    found = []
    for item in parts(made["items"]):
        if item["kind"] != "text":
            continue
        whole = item["text"] + ("  " + item["after"] if "after" in item else "")
        width = text_width(whole, item["font-size"]) * 0.86
        left = {"start": 0.0, "middle": 0.5, "end": 1.0}[item["text-anchor"]]
        x, y, size = item["x"] - width * left, item["y"], item["font-size"]
        found.append((whole, x, y - size * 0.72, x + width, y + size * 0.1))
    return found


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] - 0.5 and b[0] < a[2] - 0.5 and a[1] < b[3] - 0.5 and b[1] < a[3] - 0.5


@pytest.mark.parametrize(
    ("block", "size"), [("", 100), ("memory", 100), ("", 150), ("memory", 200), ("", STAGED)]
)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("opened", OPENED)
@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: str(config)[:60])
def test_no_text_lies_on_another_or_leaves_the_drawing(
    config: dict[str, Any], opened: tuple[int, int], language: str, block: str, size: int
) -> None:
    made = drawn(config, opened, language, block=block, size=size)
    found = texts_of(made)
    assert texts_of_language(language)["map.name_linear"] in [words for words, *_ in found]
    for words, *box in found:
        assert box[0] >= -2, words
        assert box[2] <= made["width"] + 2, words
        assert box[1] >= 0, words
        assert box[3] <= made["height"], words
    for (first, *one), (second, *two) in combinations(found, 2):
        assert not overlap(tuple(one), tuple(two)), f"{first!r} lies on {second!r}"


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: str(config)[:60])
def test_shared_looks_are_the_same_drawing_in_fewer_bytes(config: dict[str, Any]) -> None:
    items = drawn(config)["items"]
    looks, shared = share_looks(items)

    def whole(item: dict[str, Any]) -> dict[str, Any]:
        if item.get("kind") == "button":
            inside = {"items": [whole(each) for each in item["items"]], "ring": whole(item["ring"])}
            return item | inside
        return looks[item["look"]] | {name: item[name] for name in item if name != "look"}

    assert [whole(item) for item in shared] == items
    assert len(orjson.dumps((looks, shared))) < 0.75 * len(orjson.dumps(items))


@pytest.mark.parametrize("size", [100, 200, STAGED])
@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: str(config)[:60])
def test_every_block_can_be_pointed_at_and_none_lies_on_another(
    config: dict[str, Any], size: int
) -> None:
    made = drawn(config, (1, 0), size=size)
    trace = small_trace(**config)
    found = buttons(made)
    added = {block.id for block in blocks_of_model(trace.config) if block.kind == "add"}
    assert {block.id for block in blocks_of_model(trace.config)} - added <= set(found)
    assert all(item["tip"][0] and item["tip"][1] for item in found.values())
    boxes = {
        name: (r["x"], r["y"], r["x"] + r["width"], r["y"] + r["height"])
        for name, r in ((name, item["ring"]) for name, item in found.items())
    }
    for (a, one), (b, two) in combinations(boxes.items(), 2):
        inside = a.startswith(f"{b}/") or b.startswith(f"{a}/")
        assert inside or not overlap(one, two), f"{a} lies on {b}"


@pytest.mark.parametrize("count", range(1, 13))
def test_layers_stand_in_order_inside_their_side_and_one_is_wide(count: int) -> None:
    config = ModelConfig(vocabulary_size=10, encoder_layers=count, decoder_layers=count)
    sizes = [size_of(config, percent) for percent in (100, 200)]
    halves = [half for size in sizes for half in size.halves]
    for opened in range(count):
        for left, right in halves:
            spans = layer_columns(count, opened, left, right)
            assert [width == CARD for _, width in spans] == [at == opened for at in range(count)]
            assert spans[0][0] >= left - 0.01
            assert spans[-1][0] + spans[-1][1] <= right + 0.01
            for (x, width), (following, _) in pairwise(spans):
                assert x + width < following
            assert all(width >= 10 for _, width in spans)


def test_the_card_stays_in_the_middle_while_the_others_have_room() -> None:
    for count in (1, 2, 3):
        for opened in range(count):
            x, width = layer_columns(count, opened, 0, 450)[opened]
            assert x + width / 2 == 225


def test_shapes_numbers_and_words_are_those_of_the_run() -> None:
    trace = small_trace()
    words = [item for item, *_ in texts_of(drawn({}, tinted=True))]
    vocabulary = len(trace.vocabulary)
    for shape in ("12 × 16  S × D", "10 × 16  T × D", f"10 × {vocabulary}  T × V"):
        assert shape in words
    for token in (*trace.source_tokens, *trace.target_tokens, *trace.output_tokens):
        assert token in words
    assert f"{ratios(trace)['encoder/0/feed_forward']:.0%}" in words


def test_a_tint_grows_with_the_ratio() -> None:
    made, found = buttons(drawn({}, tinted=True)), ratios(small_trace())
    kinds = [name for name in found if name.endswith("_attention")]
    ordered = sorted(kinds, key=found.__getitem__)
    fills = [made[name]["items"][0]["fill"] for name in ordered]
    against_page = [contrast(fill, "#FFFFFF") for fill in fills]
    assert against_page == sorted(against_page)
    assert against_page[-1] > against_page[0]


def test_blocks_of_a_role_are_alike_until_the_measure_is_asked_for() -> None:
    plain, tinted = drawn({}), drawn({}, tinted=True)
    fills = {name: item["items"][0]["fill"] for name, item in buttons(plain).items()}
    parts = ("self_attention", "feed_forward", "feed_forward_norm")
    assert len({fills[f"encoder/0/{part}"] for part in parts}) == 3
    assert fills["encoder/0/self_attention"] == fills["decoder/1/cross_attention"]
    numbers = {f"{ratios(small_trace())[f'encoder/{at}/feed_forward']:.0%}" for at in (0, 1)}
    assert not numbers & {words for words, *_ in texts_of(plain)}
    assert [buttons(each)["tint"]["pressed"] for each in (plain, tinted)] == [False, True]


def test_the_scale_is_the_same_for_every_sentence() -> None:
    made = [drawn(config, tinted=True) for config in ({}, LONG)]
    ends = [[words for words, *_ in texts_of(each) if words.startswith("≥")] for each in made]
    assert ends == [["≥ 100%"] * 4] * 2


@pytest.mark.parametrize("tinted", [False, True])
@pytest.mark.parametrize("dark", [False, True])
def test_names_read_on_their_tint(dark: bool, tinted: bool) -> None:
    for item in buttons(drawn({}, dark=dark, tinted=tinted)).values():
        shape, *rest = item["items"]
        for each in rest:
            if each["kind"] == "text":
                assert contrast(each["fill"], shape["fill"]) >= 4.5, item["id"]


def test_pre_norm_draws_its_sums_and_norms_apart() -> None:
    found = buttons(drawn({"norm_place": "pre", "final_norm": True}))
    norm, block = (found[f"encoder/0/self_attention{end}"]["ring"]["y"] for end in ("_norm", ""))
    added = found["encoder/0/self_attention_residual"]["ring"]["y"]
    assert added < block < norm  # read upwards: norm, sub-layer, sum
    post = buttons(drawn({}))
    norm, block = (post[f"encoder/0/self_attention{end}"]["ring"]["y"] for end in ("_norm", ""))
    assert norm < block
    assert {"encoder/norm", "decoder/norm"} <= set(found)
    assert "encoder/norm" not in post


def test_only_the_open_block_is_pressed() -> None:
    found = buttons(drawn({}, block="memory"))
    assert [name for name, item in found.items() if item["pressed"]] == ["memory"]


def test_many_words_are_counted_in_the_middle() -> None:
    words = [words for words, *_ in texts_of(drawn(LONG))]
    left_out = [int(each.removeprefix("⋯ ")) for each in words if each.startswith("⋯ ")]
    assert len(left_out) == 3  # source, decoder input, output
    trace = small_trace(**LONG)
    assert all(0 < count < len(trace.source_tokens) for count in left_out)


def test_markup_is_passed_on_as_it_was_typed() -> None:
    hostile = ("<b>x</b>", "<s>", "</s>", "$x$", "&lt;", "和", "和", "a" * 60)
    words = [words for words, *_ in texts_of(drawn({"source": hostile, "output": ("<s>",)}))]
    for token in hostile[:7]:
        assert words.count(token) >= hostile.count(token)
    assert "a" * 60 not in words


@pytest.mark.parametrize(
    ("share", "printed"),
    [(0.971, "97%"), (0.0004, "<1%"), (0.999, ">99%"), (1.0, "100%"), (0.0, "0%"),
     (float("nan"), "NaN")],
)  # fmt: skip
def test_a_probability_is_not_rounded_to_certainty(share: float, printed: str) -> None:
    assert short_percent(share) == printed


@pytest.mark.parametrize("size", [100, 150])
def test_an_open_block_moves_nothing(size: int) -> None:
    """The map stays under the cursor: as large as before, each block where it was."""
    alone, beside = drawn({}, size=size), drawn({}, block="memory", size=size)
    assert (beside["width"], beside["height"]) == (alone["width"], alone["height"])
    for name, item in buttons(alone).items():
        one, two = item["ring"], buttons(beside)[name]["ring"]
        assert [one[edge] for edge in "xy"] == [two[edge] for edge in "xy"], name


def test_larger_type_makes_a_narrower_drawing() -> None:
    alone = drawn({})
    for block in ("", "memory"):
        widths = [drawn({}, block=block, size=size)["width"] for size in (100, 125, 150)]
        assert widths[0] > widths[1] >= widths[2]
    assert drawn({}, size=150)["width"] < 0.8 * alone["width"]
    assert drawn({}, size=80)["width"] == alone["width"]


def test_the_map_explains_its_colours_where_the_type_leaves_room() -> None:
    title = texts_of_language("en")["map.legend_role"]
    shown = [
        title in [words for words, *_ in texts_of(drawn({}, block=block, size=size))]
        for block, size in (("", 100), ("memory", 100), ("", 150))
    ]
    assert shown == [True, True, False]


@pytest.mark.parametrize(
    ("text", "pixels"), [("He Guang Tong Ch…", 116), ("WWW", 35), ("和光同尘", 52)]
)
def test_chips_are_wide_enough_for_capitals_and_blanks(text: str, pixels: float) -> None:
    assert widest(text, 13) >= pixels
    (chip,) = chips_in_rows([text], (0, 400), 0, 1, 13)
    assert chip.box.w >= widest(chip.text, 13) + 10


def test_chosen_words_take_a_second_row_before_they_are_left_out() -> None:
    trace = small_trace()
    words = [words for words, *_ in texts_of(drawn({}, block="memory", size=150))]
    assert not any(each.startswith("⋯") for each in words)
    assert all(token in words for token in trace.output_tokens)
