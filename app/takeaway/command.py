"""`glassformer lecture lecture.toml --page out.html --notebook out.ipynb --language en`."""

from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console
from streamlit.logger import set_log_level

from glassformer.app import takeaway
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.takeaway.files import write_file
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture
from glassformer.core.lectures.read import bundled_lectures, load_lecture, read_lecture

console = Console()


def take_home(
    lecture: Annotated[str, typer.Argument(help="A TOML file, or the name of a bundled lecture.")],
    page: Annotated[Path | None, typer.Option(help="The HTML page to write.")] = None,
    notebook: Annotated[Path | None, typer.Option(help="The notebook to write (.ipynb).")] = None,
    language: Annotated[
        str, typer.Option(help=f"Of texts and screens: {', '.join(LANGUAGES)}.")
    ] = LANGUAGES[0],
    notes: Annotated[bool, typer.Option(help="With the speaker's notes, on the page.")] = False,
) -> None:
    """Writes a lecture as a page that opens offline, and as a notebook that runs."""
    if language not in LANGUAGES:
        raise typer.BadParameter(f"{language} is none of {', '.join(LANGUAGES)}")
    torch.set_num_threads(1)
    set_log_level("ERROR")  # Streamlit's: no server runs here
    found = _lecture(lecture)
    if page is not None:
        write_file(page, takeaway.page(found, language, notes))
    if notebook is not None:
        write_file(notebook, takeaway.notebook(found, language))
    for path in filter(None, (page, notebook)):
        console.print(f"{path}  {path.stat().st_size / 1e6:.2f} MB", markup=False)
    if page is None and notebook is None:
        raise typer.BadParameter("say what to write: --page out.html, --notebook out.ipynb")


def _lecture(name: str) -> Lecture:
    if name in bundled_lectures():
        return load_lecture(name)
    try:
        return read_lecture(Path(name).read_bytes())
    except OSError as error:
        raise GlassformerError("takeaway_read", path=name, problem=error.strerror) from error
