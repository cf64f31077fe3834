"""The written pages of the site: docs/, README and a few more, their links turned to the site's.

GitHub's Markdown is written here, Python's Markdown is built: what stands in a list is moved in
by four columns.
"""

import os
import re
import shutil
from pathlib import Path

from scripts.docs.notebooks import notebook_page

ROOT = Path(__file__).resolve().parents[2]
# What lies outside docs/, and the page it becomes; of a folder, the page that stands for it.
ELSEWHERE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "deploy/README.md": "deploy.md",
    "assets/checkpoints/translator/CARD.md": "cards/translator.md",
    "assets/checkpoints/translator-plain/CARD.md": "cards/translator-plain.md",
    "assets/checkpoints/small-gpt/README.md": "cards/small-gpt.md",
    "docs/recipes": "contributing.md",
    "docs/notebooks": "notebooks/index.md",
    "docs/screens": "app.md",
}
LINK = re.compile(r"(?<=\]\()(?P<to>[^)#:\s]+)(?P<at>#[^)]*)?(?=\))")
ITEM = re.compile(r"(?:[-*+]|\d+\.) ")


def lay_pages(pages: Path) -> None:
    """Every written page, picture and notebook at its place in the site."""
    for source in sorted((ROOT / "docs").rglob("*")):
        if source.suffix in (".md", ".ipynb"):
            lay_page(source, pages)
        elif source.is_file() and source.suffix != ".toml":
            _copy(source, pages / source.relative_to(ROOT / "docs"))
    for name in ELSEWHERE:
        if (ROOT / name).is_file():
            lay_page(ROOT / name, pages)


def place_of(source: Path) -> str:
    """Where in the site a file or a folder of the checkout lies."""
    name = source.relative_to(ROOT).as_posix()
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    name = name.removeprefix("docs/") if name.startswith("docs/") else f"files/{name}"
    return re.sub(r"\.ipynb$", ".md", name)


def lay_page(source: Path, pages: Path) -> None:
    """One page, with the files outside docs/ that it leads to."""
    text = source.read_text("utf-8")
    if source.suffix == ".ipynb":
        text = notebook_page(text, source.name)
        _copy(source, pages / source.relative_to(ROOT / "docs"))
    own = place_of(source)

    def turned(link: re.Match[str]) -> str:
        target = (source.parent / link["to"]).resolve()
        if not target.exists():
            return link[0]  # of a page that is generated; zensical says whether there is one
        there = place_of(target)
        if target.is_file() and there.startswith("files/"):
            _copy(target, pages / there)
        return os.path.relpath(there, Path(own).parent) + (link["at"] or "")

    place = pages / own
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(_outside_code(as_python_markdown(text), LINK, turned), "utf-8")


def as_python_markdown(text: str) -> str:
    """GitHub's Markdown as Python's reads it: what belongs to an item of a list is in by four."""
    lines: list[str] = []
    inside, fenced = 0, False  # where the text of the open item begins; within ```
    for line in text.splitlines():
        if line.startswith("```"):
            inside, fenced = 0, not fenced
        elif not fenced and (item := ITEM.match(line)):
            inside = item.end()
        elif line[:1].strip():
            inside = 0
        elif inside and line.strip():
            line = "    " + line[min(inside, len(line) - len(line.lstrip())) :]
        lines.append(line)
    return "\n".join(lines) + "\n"


def _outside_code(text: str, pattern: re.Pattern[str], turned: object) -> str:
    """A replacement everywhere but between fences."""
    parts = re.split(r"(^\s*```.*?^\s*```[ \t]*$)", text, flags=re.M | re.S)
    return "".join(
        part if at % 2 else pattern.sub(turned, part)  # type: ignore[call-overload]
        for at, part in enumerate(parts)
    )


def _copy(source: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)
