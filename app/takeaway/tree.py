"""A run of the app's script as markup: what it drew, in the places where Streamlit puts it.

The markup has Streamlit's own `data-testid`s and classes, so that the app's style sheets lay it
out as they do the app. Inputs show what they hold; buttons, menus and what only speaks to the
server are left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from io import BytesIO
from typing import Any

import orjson
import pyarrow
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.Block_pb2 import Block
from streamlit.proto.GapSize_pb2 import GapSize
from streamlit.proto.Markdown_pb2 import Markdown

from glassformer.app.takeaway.texts import html_of, line_of, without_markup

GAPS = {"NONE": 0, "XXSMALL": 0.25, "XSMALL": 0.5, "SMALL": 1, "MEDIUM": 2, "LARGE": 4,
        "XLARGE": 6, "XXLARGE": 8, "GAP_UNDEFINED": 1}  # rem  # fmt: skip
SIDES = {1: "flex-start", 2: "flex-end", 3: "center", 4: "space-between"}  # of justify
ALIGN = {1: "flex-start", 2: "flex-end", 3: "center", 4: "stretch"}
MOST_ROWS = 200  # of a table
MAIN, STYLES = 0, 2  # the first numbers of a place: the page, and what takes no room
OUT_OF_PAGE = ("popover", "dialog")
SILENT = ("bridge_",)  # components that draw nothing, by the beginning of their keys
OWN = re.compile(r"\$\$ID-[0-9a-f]+-(.*)", re.DOTALL)


@dataclass
class Node:
    """A block with what lies in it, or an element."""

    proto: Any = None
    children: dict[int, "Node"] = field(default_factory=dict)


@dataclass
class Drawn:
    """What is drawn of a screen: markup with numbered places, what goes there, style sheets."""

    html: str = ""
    parts: list[dict[str, Any]] = field(default_factory=list)
    sheets: list[str] = field(default_factory=list)
    failed: bool = False


def build_tree(messages: Iterable[Any]) -> Node:
    """The tree that the messages of one run build."""
    root = Node()
    for message in messages:
        if not message.HasField("delta"):
            continue
        *way, last = message.metadata.delta_path
        parent = root
        for step in way:
            parent = parent.children.setdefault(step, Node())
        held, delta = parent.children.get(last), message.delta
        if delta.WhichOneof("type") == "add_block":
            parent.children[last] = Node(delta.add_block, held.children if held else {})
        elif delta.WhichOneof("type") == "new_element":
            parent.children[last] = Node(delta.new_element)
    return root


def visible_tree(root: Node, leave_out: Callable[[str], bool], only: str = "") -> Drawn:
    """What a tree shows.

    leave_out: of which keys of containers and components it shows nothing. only: the key of the
    container that alone is shown, "" for the whole page; it fails where there is none.
    """
    found = Drawn()
    writer = _Writer(found, leave_out)
    for node in root.children.get(STYLES, Node()).children.values():
        writer.node(node)
    main = root.children.get(MAIN, Node())
    if only:
        main = Node(children=dict(enumerate(_blocks(main, only))))
        found.failed = not main.children
    page = _stack(writer.inside(main), 1)
    found.html = _div("stApp", _div("stMain", _div("stMainBlockContainer", page)))
    return found


def _blocks(node: Node, key: str) -> Iterator[Node]:
    """The containers of a key in a tree."""
    for each in node.children.values():
        if isinstance(each.proto, Block) and key_of(each.proto.id) == key:
            yield each
        yield from _blocks(each, key)


def key_of(identity: str) -> str:
    """The key that the app gave, "" without one."""
    own = OWN.fullmatch(identity)
    return own[1] if own and own[1] != "None" else ""


class _Writer:
    def __init__(self, found: Drawn, leave_out: Callable[[str], bool]) -> None:
        self.found, self.leave_out = found, leave_out

    def inside(self, node: Node, across: bool = False) -> str:
        return "".join(self.node(each, across) for _, each in sorted(node.children.items()))

    def node(self, node: Node, across: bool = False) -> str:
        if isinstance(node.proto, Block):
            return self.block(node, across)
        return "" if node.proto is None else self.element(node.proto, across)

    def block(self, node: Node, across: bool) -> str:
        proto, key = node.proto, key_of(node.proto.id)
        kind = proto.WhichOneof("type")
        if kind in OUT_OF_PAGE or (key and self.leave_out(key)):
            return ""
        if kind == "column":
            column = proto.column
            share = f"calc({100 * column.weight:.3f}% - {_gap(column.gap_config)}rem)"
            inside = _stack(self.inside(node), _gap(column.gap_config))
            return _div("stColumn", inside, f"--share:{share}")  # sheets of the app may lay it out
        flex = proto.flex_container
        horizontal = flex.direction == Block.FlexContainer.HORIZONTAL
        inside = self.inside(node, horizontal)
        if not inside:
            return ""
        style = f"justify-content:{SIDES.get(flex.justify, 'flex-start')};"
        style += f"flex-wrap:{'wrap' if flex.wrap else 'nowrap'};" if horizontal else ""
        style += f"align-items:{ALIGN.get(flex.align, 'stretch')};" if horizontal else ""
        inner = _stack(inside, _gap(flex.gap_config), horizontal, key, style)
        if kind == "expandable":
            label = line_of(proto.expandable.label)
            inner = f"<details><summary>{label}</summary>{inner}</details>"
        place = _place(proto, across, "stretch")
        return _div("stLayoutWrapper", inner, place)

    def element(self, proto: Any, across: bool) -> str:
        kind = proto.WhichOneof("type")
        write = getattr(self, f"_{kind}", None)
        key = key_of(getattr(getattr(proto, kind), "id", ""))
        if write is None or (key and self.leave_out(key)):
            return ""
        if not (inside := write(getattr(proto, kind))):
            return ""
        return _div("stElementContainer", inside, _place(proto, across, ""), _class(key))

    def _markdown(self, proto: Markdown) -> str:
        if proto.element_type == Markdown.DIVIDER:
            return "<hr>"
        caption = proto.element_type == Markdown.CAPTION
        name = "stCaptionContainer" if caption else "stMarkdownContainer"
        tip = f' title="{escape(without_markup(proto.help))}"' if proto.help else ""
        text = f'<div data-testid="{name}" dir="auto">{html_of(proto.body, proto.allow_html)}</div>'
        return f'<div class="stMarkdown" data-testid="stMarkdown"{tip}>{text}</div>'

    def _heading(self, proto: Any) -> str:
        return f'<{proto.tag} dir="auto">{line_of(proto.body)}</{proto.tag}>'

    def _html(self, proto: Any) -> str:
        body = proto.body
        if sheet := re.fullmatch(r"\s*<style>(.*)</style>\s*", body, re.DOTALL):
            self.found.sheets.append(sheet[1])
            return ""
        return _div("stHtml", body)

    def _alert(self, proto: Any) -> str:
        kind = Alert.Format.Name(proto.format).lower()
        return f'<div class="stAlert {kind}" role="note">{html_of(proto.body)}</div>'

    def _code(self, proto: Any) -> str:
        return f"<pre><code>{escape(proto.code_text)}</code></pre>"

    def _dataframe(self, proto: Any) -> str:
        table = pyarrow.ipc.open_stream(BytesIO(proto.arrow_data.data)).read_pandas()
        shown = table.head(MOST_ROWS).to_html(classes="plain", border=0, escape=True)
        return f'<div class="table">{shown}</div>'

    def _exception(self, _: Any) -> str:
        self.found.failed = True
        return ""

    def _text_input(self, proto: Any) -> str:
        return _given(proto, proto.value if proto.set_value else proto.default)

    _text_area = _text_input

    def _number_input(self, proto: Any) -> str:
        return _given(proto, f"{proto.value if proto.set_value else proto.default:g}")

    def _slider(self, proto: Any) -> str:
        if proto.raw_value:
            return _given(proto, " – ".join(proto.raw_value))
        numbers = proto.value if proto.set_value and proto.value else proto.default
        if proto.options:
            return _given(proto, " – ".join(proto.options[int(at)] for at in numbers))
        return _given(proto, " – ".join(f"{each:g}" for each in numbers))

    def _selectbox(self, proto: Any) -> str:
        value = proto.raw_value if proto.set_value else "".join(proto.options[proto.default :][:1])
        return _given(proto, value)

    def _button_group(self, proto: Any) -> str:
        first = [proto.options[at].content for at in proto.default]
        chosen = proto.raw_values if proto.set_value else first
        names = (line_of(each.content) for each in proto.options if each.content in chosen)
        return _given(proto, markup=" · ".join(names))

    def _checkbox(self, proto: Any) -> str:
        on = proto.value if proto.set_value else proto.default
        return _given(proto, "✓") if on else ""

    def _bidi_component(self, proto: Any) -> str:
        key, name = key_of(proto.id), proto.component_name.removeprefix("glassformer_")
        data = proto.bytes if proto.WhichOneof("data") == "bytes" else proto.json
        number = len(self.found.parts)
        self.found.parts.append({"name": name, "key": key, "data": orjson.loads(data or "null")})
        if key.startswith(SILENT):
            return f'<i hidden data-part="{number}"></i>'
        isolated = " data-isolated" if proto.isolate_styles else ""
        return f'<div class="stBidiComponent" data-part="{number}"{isolated}></div>'


def _stack(inside: str, gap: float, across: bool = False, key: str = "", style: str = "") -> str:
    name = "stHorizontalBlock" if across else "stVerticalBlock"
    return _div(name, inside, f"gap:{gap}rem;{style}", _class(key))


def _div(name: str, inside: str, style: str = "", more: str = "") -> str:
    """An element of Streamlit's."""
    styled = f' style="{style}"' if style else ""
    return f'<div class="{name} {more}" data-testid="{name}"{styled}>{inside}</div>'


def _class(key: str) -> str:
    return f"st-key-{re.sub(r'[^a-zA-Z0-9_-]', '-', key)}" if key else ""


def _gap(config: Any) -> float:
    return GAPS[GapSize.Name(config.gap_size)]


def _place(proto: Any, across: bool, usual: str) -> str:
    """How wide and high something is in its container, which lies across or down."""
    wide, high = (getattr(proto, f"{side}_config") for side in ("width", "height"))
    found = []
    if (width := wide.WhichOneof("width_spec") or usual) in ("use_stretch", "stretch"):
        found.append("flex:1 1 0%;min-width:0" if across else "width:100%")
    elif width == "use_content":
        found.append("flex:0 0 auto;width:fit-content" if across else "width:fit-content")
    elif width:
        unit = width.partition("_")[0].replace("pixel", "px")
        found.append(f"flex:0 0 auto;width:{getattr(wide, width):g}{unit}")
    if (height := high.WhichOneof("height_spec") or "") in ("pixel_height", "rem_height"):
        unit = height.partition("_")[0].replace("pixel", "px")
        found.append(f"height:{getattr(high, height):g}{unit}")
    elif height == "use_stretch" and not across:
        found.append("flex:1 1 auto")
    return ";".join(found)


def _given(proto: Any, value: str = "", markup: str = "") -> str:
    """What an input holds, with its label where the label is seen."""
    inside = markup or escape(str(value))
    if not inside:
        return ""
    label = f"<small>{line_of(proto.label)}</small> " if not proto.label_visibility.value else ""
    return f'<p class="given" dir="auto">{label}<bdi>{inside}</bdi></p>'
