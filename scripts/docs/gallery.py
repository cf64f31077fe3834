"""The gallery: the lines of docs/gallery.md are run, and what each block ends with is shown."""

import ast
import re
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.M | re.S)
HEIGHT = 720  # pixels of a picture


def blocks(text: str) -> list[str]:
    """The lines of Python of a page, block by block."""
    return BLOCK.findall(text)


def run_gallery(pages: Path) -> None:
    """Runs each block by itself and lays its picture or its words below it."""
    page = pages / "gallery.md"
    folder = page.parent / "pictures"
    folder.mkdir(exist_ok=True)
    counted = iter(range(1, 1000))

    def with_picture(block: re.Match[str]) -> str:
        return block[0] + "\n" + _shown(run_block(block[1]), folder, next(counted)) + "\n"

    page.write_text(BLOCK.sub(with_picture, page.read_text("utf-8")), "utf-8")


def run_block(lines: str, names: dict[str, Any] | None = None) -> Any:
    """What the last line of a block is worth, None where it is no expression; names: of before."""
    body, known = ast.parse(lines).body, {} if names is None else names
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<block>", "exec"), known)
    return eval(compile(ast.Expression(last.value), "<block>", "eval"), known) if last else None


def _shown(value: Any, folder: Path, number: int) -> str:
    """A picture in a frame, a table as HTML, or whatever else as text."""
    if hasattr(value, "picture"):  # a result of a tool
        return f"<div>{value.picture().html}</div>"
    if hasattr(value, "page"):
        value.save(folder / f"{number}.html")
        how = f'style="width: 100%; height: {HEIGHT}px; border: 0" loading="lazy"'
        return f'<iframe src="pictures/{number}.html" title="{value.name}" {how}></iframe>'
    if hasattr(value, "to_html"):
        return f"<div>{value.to_html(border=0)}</div>"
    return f"```text\n{value}\n```"
