"""A notebook as a page: its words, its lines, and what they said when it was run last."""

import html
import json
import re
from typing import Any

STYLE = re.compile(r"<style scoped>.*?</style>\s*", re.S)


def notebook_page(text: str, name: str) -> str:
    """The Markdown of a notebook; the file itself lies beside the page."""
    cells = json.loads(text)["cells"]
    words = [_cell(cell) for cell in cells]
    return "\n\n".join([*words, f'<a href="{html.escape(name)}">The notebook</a>', ""])


def _cell(cell: dict[str, Any]) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        return source
    return "\n\n".join([f"```python\n{source}\n```", *map(_output, cell["outputs"])])


def _output(output: dict[str, Any]) -> str:
    """What a cell left: a picture, a table or words."""
    data = output.get("data", {})
    for kind in ("image/svg+xml", "text/html"):
        if kind in data:
            return f"<div>{STYLE.sub('', ''.join(data[kind]))}</div>"
    return f"```text\n{''.join(output.get('text') or data['text/plain']).rstrip()}\n```"
