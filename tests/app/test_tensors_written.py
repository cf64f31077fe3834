"""How the tensors page writes addresses, sizes, code, tables; what the controls do to the state."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from glassformer.app.pages.tensors import controls, facts, picture
from glassformer.app.panels import address_words as written
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.codecs import AXES, PART, PINS
from glassformer.app.session.state import State
from glassformer.core.analysis.measure import measure, measure_addresses
from glassformer.core.analysis.tensor_slice import Lines, Sheet, cut_sheet, plan_sheet
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.sites import SITES, Axis
from glassformer.core.trace.trace import Trace
from tests.hand_made import hand_made

WEIGHTS = "encoder/0/self_attention/weights"
FEATURES = Axis("feature", "D", 3)
PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@pytest.fixture
def run() -> Trace:
    mask = torch.ones(1, 2, 4, 4, dtype=torch.bool).tril()
    masked = torch.arange(32.0).reshape(1, 2, 4, 4).masked_fill(~mask, -1e9)
    return hand_made(
        {
            "source/ids": torch.tensor([[5, 1, 5, 2]]),
            "encoder/0/self_attention/mask": mask,
            "encoder/0/self_attention/masked": masked,
            WEIGHTS: masked.softmax(-1),
        }
    )


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (2304, "2.3 kB"), (999_700, "1 MB"),
     (1_310_000, "1.31 MB"), (2_500_000_000, "2.5 GB")],
)  # fmt: skip
def test_bytes(size: int, text: str) -> None:
    assert written.format_bytes(size) == text


def test_places_are_said_for_every_address_of_a_model(run: Trace) -> None:
    everything = list(addresses(run.config, dropout=True))
    named = written.branch_names(everything)
    assert named["encoder"] == "Encoder"
    assert named["encoder/0"] == "Layer 1"
    assert named["decoder/1/cross_attention_norm"] == "Norm of cross-attention"
    assert written.place("decoder/1/feed_forward/output") == "Decoder › Layer 2 › Feed-forward"
    assert written.place("memory") == ""


def test_snippet_gives_the_numbers_on_screen(run: Trace) -> None:
    for names in (None, ("key", "query"), ("head", "key"), ("key", "head")):
        chosen = plan_sheet(run, WEIGHTS, names, {"head": 1, "query": 2})
        code = written.snippet(run, WEIGHTS, chosen, written.run_lines(run, State()))
        shown: torch.Tensor = eval(code.splitlines()[-1], {"trace": run})
        assert np.array_equal(shown.numpy(), cut_sheet(run, WEIGHTS, chosen).values)
    assert "model = load_model()\ntrace = model.trace('the <b>x</b> the')" in code
    told = written.run_lines(run, State(model="big", step="400", direction="en-zh"))
    assert "model = load_model('big@400')" in told
    assert "model = load_model('translator')" in written.run_lines(
        run, State(model="translator-taught")
    )
    assert told[-1] == "trace = model.trace('the <b>x</b> the', direction='en-zh')"


def test_snippet_quotes_any_text(run: Trace) -> None:
    trace = hand_made(dict(run.tensors))
    object.__setattr__(trace, "source_text", 'it\'s "odd"\n')
    compile(written.run_lines(trace, State())[-1], "snippet", "exec")


def test_a_line_of_the_tree_is_json_and_in_the_order_of_its_script(run: Trace) -> None:
    ids = next(entry for entry in measure_addresses(run) if entry.address == "source/ids")
    line = controls.tree_line(replace(ids, spark="0f", shared=True), 3)
    assert json.loads(json.dumps(line)) == line
    assert line[0] == "source/ids"
    assert line[2].replace(" ", "") == "1×4"
    assert line[4:] == ["32 B", "0f", ids.site.role, True]


def test_table_names_are_unique_and_literal(run: Trace) -> None:
    chosen = plan_sheet(run, WEIGHTS)
    named = picture.sheet_table(cut_sheet(run, WEIGHTS, chosen))
    assert list(named.columns) == ["1 the", "2 <b>x</b>", "3 the", "4 <eos>"]
    assert named.index.name == "Query"
    assert np.array_equal(np.nan_to_num(named.to_numpy()), run[WEIGHTS][0, 0].numpy())


def test_a_table_stays_within_what_is_sent() -> None:
    wide = torch.zeros(1, 4, 6000)
    run = hand_made({"encoder/0/feed_forward/activation": wide})
    sheet = cut_sheet(run, "encoder/0/feed_forward/activation", plan_sheet(run, next(iter(run))))
    shown = picture.table_part(sheet)
    assert len(shown.columns) == picture.TABLE_CELLS // 4
    assert len(picture.table_notes(sheet, shown)) == 2
    assert len(picture.table_notes(shown, shown)) == 1


def sheet_of(values: list[list[float]], fill: float | None = None) -> Sheet:
    cells = np.array(values, np.float32)
    rows, columns = (Lines(FEATURES, np.arange(count)) for count in cells.shape)
    return Sheet(cells, None if fill is None else cells != np.float32(fill), rows, columns)


def cells_of(sheet: Sheet, digits: int | None, whole: bool = False) -> list[list[str]]:
    empty = picture.sheet_table(sheet)
    styled = picture.written_table(empty, picture.texts_of(empty, digits, whole))
    body = styled._translate(False, False)["body"]
    return [[cell["display_value"] for cell in row if cell["type"] == "td"] for row in body]


def test_numbers_of_a_table_are_written_as_everywhere() -> None:
    sheet = sheet_of([[-6.7, -13, 0.1], [1e-7, 0, np.inf]])
    assert cells_of(sheet, 3) == [["−6.70", "−13.0", "0.100"], ["1.00×10⁻⁷", "0", "∞"]]
    assert cells_of(sheet, None) == [["−6.7", "−13", "0.1"], ["1×10⁻⁷", "0", "∞"]]
    assert cells_of(sheet_of([[1234, 0, 1]]), 3, whole=True) == [["1234", "0", "1"]]


@pytest.mark.parametrize(("fill", "exact"), [(-1e9, "▨ −1000000000"), (-np.inf, "▨ −∞")])
def test_a_masked_cell_has_a_sign_and_no_number(fill: float, exact: str) -> None:
    sheet = sheet_of([[1, fill]], fill)
    assert np.isnan(picture.sheet_table(sheet).to_numpy()[0, 1])
    assert picture.missing_sign(sheet, 3) == "▨"
    assert picture.missing_sign(sheet, None) == exact
    assert "▨" in picture.table_notes(sheet, sheet)[0]
    sheet.values[0, 0] = np.nan
    assert picture.missing_sign(sheet, 3) == "NaN"
    assert picture.sheet_table(sheet).to_numpy()[0, 1] == np.float32(fill)


@pytest.mark.parametrize("value", [1 / 3, -1e9, 1e-12, 3.4e38, -0.0, 16777217, 1.5e10])
def test_exact_numbers_give_back_the_same_float32(value: float) -> None:
    text = picture.exact_number(value).replace("−", "-").translate(PLAIN).replace("×10", "e")
    assert np.float32(text) == np.float32(value)


def test_a_part_of_a_long_axis_in_a_link() -> None:
    now = State(part=(("vocabulary", 256), ("hidden", -1)))
    assert now.to_query()["part"] == "vocabulary:257,hidden:all"
    assert State.from_query(now.to_query()) == (now, ())


@pytest.mark.parametrize("text", ["", "hidden", "nose:all", "hidden:0", "hidden:-1", "hidden:all,"])
def test_wrong_parts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        PART.read(text)


def test_notes_count_what_is_left_out(run: Trace) -> None:
    masked = "encoder/0/self_attention/masked"
    sheet = cut_sheet(run, masked, plan_sheet(run, masked))
    notes = " ".join(picture.picture_notes(sheet, measure(sheet.values, sheet.allowed)))
    assert "(6 cells)" in notes
    assert "✕" not in notes
    sheet.values[3, 0] = np.nan
    notes = " ".join(picture.picture_notes(sheet, measure(sheet.values, sheet.allowed)))
    assert "✕: not a finite number (1)" in notes


def test_ids_are_named_by_the_vocabulary(run: Trace) -> None:
    assert picture.pieces_of(run, cut_sheet(run, "source/ids", plan_sheet(run, "source/ids"))) == [
        "猫", "<unk>", "猫", "<eos>",
    ]  # fmt: skip


def test_statistics_table_is_escaped_and_exact() -> None:
    whole = measure(np.array([1 / 3, np.nan], np.float32))
    table = facts.statistics_table(whole, whole, 3)
    assert "<td title='0.333333343'>0.333</td>" in table
    assert "NaN" in table
    assert "masked" not in table
    nothing = measure(np.array([np.nan], np.float32))
    assert "–" in facts.statistics_table(nothing, nothing, 3)


def test_symbol_is_math_in_the_colour_of_its_role() -> None:
    for site in SITES:
        symbol = facts.coloured_symbol(site, site.equation, FigureStyle(dark=True))
        assert symbol == "" or symbol.count("$") == 2


@pytest.mark.parametrize(
    ("count", "by_value", "expected"),
    [
        (512, False, [-1, 0, 256]),
        (2150, True, [-2, -1, *range(0, 2150, 256)]),
        (30, True, [-2, -1]),
    ],
)
def test_parts_of_a_long_axis(count: int, by_value: bool, expected: list[int]) -> None:
    assert controls.axis_parts(count, by_value) == expected


def test_part_labels_count_from_one() -> None:
    assert controls.part_label(256, 300) == "257–300"
    assert controls.part_label(controls.ALL, 300) == "all 300"
    assert str(controls.LARGEST) in controls.part_label(controls.BY_VALUE, 300)


def test_axes_and_pins_in_a_link() -> None:
    now = State(axes=("head", "key"), pins=(("query", 4), ("hidden", 0)), form="exact")
    query = now.to_query()
    assert query["axes"] == "head,key"
    assert query["pins"] == "query:5,hidden:1"
    assert State.from_query(query) == (now, ())


@pytest.mark.parametrize("text", ["", "head", "head,head", "head,key,query", "<b>,key", "a,b"])
def test_wrong_axes_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        AXES.read(text)


@pytest.mark.parametrize("text", ["", "head", "head:0", "head:x", "nose:2", "head:1,,"])
def test_wrong_pins_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        PINS.read(text)
