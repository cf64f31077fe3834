"""Imports go one way: pages → panels → {ui, plots} → runs → session → core; no page, another."""

import ast
import re

import pytest

from tests.architecture.sources import ROOT, imports, module_name, parse, python_files

# The rooms of the app and those below each: pages → panels → {ui, plots} → runs → session → core.
BELOW = ("runs", "session", "words")
ROOMS = {
    "pages": ("panels", "ui", "plots", "hall", "takeaway", *BELOW),
    "takeaway": ("panels", "ui", "plots", *BELOW),
    "frame": ("panels", "ui", "plots", *BELOW),
    "panels": ("ui", "plots", *BELOW),
    "ui": ("plots", "session", "words"),
    "plots": (),
    "hall": ("server", "stores", *BELOW),
    "server": ("runs", "session", "stores", "words"),
    "runs": ("session", "stores", "words"),
    "session": (),
    "stores": (),
}
SHARED = ("panels", "plots", "ui")  # what lies here has two users
# Who may import what of the project. The longest name that fits a module decides.
ALLOWED = {
    "core.errors": (),
    "core.config": ("core.errors",),
    "core.settings": ("core.errors",),
    "core.interruption": ("core.errors",),
    "core.untrusted": (),
    "core.lectures": (
        "core.errors",
        "core.lectures",
        "core.model.device",
        "core.text.number_format",
        "core.trace",
    ),
    "core.trace.tape": ("core.errors", "core.interruption", "core.trace.sites"),
    "core.trace.address": (),
    "core.trace.sites": ("core.config", "core.trace.address"),
    "core.trace.graph": ("core.config", "core.trace.address", "core.trace.sites"),
    "core.decoding": (
        "core.config",
        "core.decoding",
        "core.errors",
        "core.interruption",
        "core.model",
        "core.trace.address",
        "core.trace.graph",
        "core.trace.shapes",
        "core.trace.sites",
        "core.trace.tape",
    ),
    "core.lab": (
        "core.config",
        "core.errors",
        "core.interruption",
        "core.lab",
        "core.model",
        "core.trace.address",
        "core.trace.graph",
        "core.trace.tape",
    ),
    "core.model": ("core.errors", "core.config", "core.model", "core.settings", "core.trace.tape"),
    "core.text": ("core.errors", "core.untrusted", "core.text"),
    "core.corpus": ("core.errors", "core.text", "core.corpus"),
    "core.weights": (
        "core.config",
        "core.decoding",
        "core.errors",
        "core.model",
        "core.settings",
        "core.text",
        "core.text_models",
        "core.trace",
        "core.untrusted",
        "core.weights",
    ),
    "core.explain": (
        "core.analysis",
        "core.config",
        "core.decoding.step",
        "core.errors",
        "core.explain",
        "core.model",
        "core.trace",
    ),
    "core.explain.source": (
        "core.config",
        "core.decoding",
        "core.errors",
        "core.explain",
        "core.model",
        "core.trace",
    ),
    "core.text_models": (
        "core.analysis",
        "core.config",
        "core.decoding",
        "core.errors",
        "core.interruption",
        "core.model",
        "core.text",
        "core.text_models",
        "core.trace",
        "core.untrusted",
    ),
    "core.interventions": (
        "core.config",
        "core.decoding",
        "core.errors",
        "core.interruption",
        "core.interventions",
        "core.model",
        "core.text",
        "core.text_models",
        "core.trace",
        "core.untrusted",
    ),
    "core.analysis": (
        "core.analysis",
        "core.config",
        "core.corpus.lexicon",
        "core.decoding.no_repeat",
        "core.errors",
        "core.model",
        "core.text",
        "core.trace",
    ),
    "core.training": (
        "core.analysis",
        "core.config",
        "core.corpus",
        "core.decoding",
        "core.errors",
        "core.model",
        "core.settings",
        "core.text",
        "core.text_models",
        "core.trace",
        "core.training",
        "core.untrusted",
    ),
    "core.training.decoder_alone": (
        "core.config",
        "core.corpus",
        "core.errors",
        "core.model",
        "core.settings",
        "core.text",
        "core.text_models",
        "core.trace",
        "core.training",
        "core.untrusted",
        "core.weights",
    ),
    "core.training.queue": (
        "core.corpus",
        "core.errors",
        "core.interruption",
        "core.settings",
        "core.text",
        "core.text_models",
        "core.training",
        "core.training.queue",
        "core.untrusted",
    ),
    "core": ("core",),
    **{
        f"app.{room}": (f"app.{room}", *(f"app.{below}" for below in lower), "core")
        for room, lower in ROOMS.items()
    },
    # Whoever says something in the reader's language asks for it.
    "app.words": ("app.words", "app.session.store"),
    "app.py": ("app",),
    "serve.py": (
        "app.frame.first_words",
        "app.frame.opening_page",
        "app.hall",
        "app.pages",
        "app.server",
        "app.stores",
        "app.runs.uploads",
        "app.ui.scripts",
        "core",
    ),
    "app": (),
}
# What must stay out for good.
BANNED = {
    "core": ("streamlit", "plotly", "app"),
    "app.session.state": ("streamlit", "torch", "plotly"),
    "app.plots": ("streamlit", "torch"),
    "app.words": ("torch", "plotly"),
}
FILES = python_files("core", "app", "app.py", "serve.py")


def below(name: str, tops: tuple[str, ...]) -> bool:
    return any(name == top or name.startswith(f"{top}.") for top in tops)


def rule(module: str) -> str:
    return max((top for top in ALLOWED if below(module, (top,))), key=len)


def test_imports_follow_the_arrows() -> None:
    wrong = [
        f"{module} imports {name}; it may import {allowed}"
        for module, imported, allowed in (
            (module_name(path), imports(path), ALLOWED[rule(module_name(path))]) for path in FILES
        )
        for name in sorted(imported)
        if below(name, ("app", "core")) and not below(name, allowed)
    ]
    assert not wrong, "\n".join(wrong)


def test_what_must_stay_out() -> None:
    wrong = [
        f"{module_name(path)} imports {name}"
        for path in FILES
        for top, banned in BANNED.items()
        if below(module_name(path), (top,)) and module_name(path) != "app.py"
        for name in sorted(imports(path))
        if below(name, banned)
    ]
    assert not wrong, "\n".join(wrong)


def unit(module: str) -> str:
    """What is looked at as one: a page, a panel, a component, a module of plots."""
    parts = module.split(".")
    return ".".join(parts[: 4 if parts[1:3] == ["ui", "components"] else 3])


def page(module: str) -> str:
    """The page that a module belongs to, "" for none."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["app", "pages"] and len(parts) > 2 else ""


def test_no_page_imports_a_page() -> None:
    pages = ((page(module_name(path)), path) for path in python_files("app"))
    wrong = {
        str(path.relative_to(ROOT)): others
        for own, path in pages
        if own and (others := {page(name) for name in imports(path)} - {"", own})
    }
    assert not wrong


def test_what_is_shared_has_two_users() -> None:
    users: dict[str, set[str]] = {}
    for path in FILES:
        for name in imports(path):
            if unit(name) != unit(module_name(path)):
                users.setdefault(unit(name), set()).add(unit(module_name(path)))
    shared = {unit(module_name(path)) for path in FILES}
    shared = {name for name in shared if name.split(".")[1:2] and name.split(".")[1] in SHARED}
    lonely = sorted(
        name
        for name in shared
        if name.count(".") > 1 and len(users.get(name, ())) < 2
        if name != "app.ui.components"
    )
    assert not lonely, f"{lonely} belong to the one room that uses them"


ROOM = re.compile(r"(?:Of the other rooms it imports|It imports no other) ([^.;]+)[.;]")


@pytest.mark.parametrize("room", [name for name in ALLOWED if name.count(".") == 1])
def test_a_room_says_what_it_imports(room: str) -> None:
    """The docstring is the newcomer's map: it names the rooms that the table of this file names."""
    folder = ROOT.joinpath(*room.split("."))
    if not folder.is_dir():
        return  # a module, no room
    tops = {".".join(name.split(".")[:2]) for name in ALLOWED[room]} - {room}
    rooms = {name.split(".")[-1] for name in tops if ROOT.joinpath(*name.split(".")).is_dir()}
    said = ROOM.search(ast.get_docstring(parse(folder / "__init__.py")) or "")
    assert said, f"{room} does not say what it imports"
    assert set(re.findall(r"\w+", said[1])) - {"and", "room"} == rooms


def test_there_is_something_to_check() -> None:
    assert len(FILES) > 20
    assert rule("core.model.attention") == "core.model"
    assert rule("app.ui.chart") == "app.ui"
    assert unit("app.pages.lab.depth.figures") == "app.pages.lab"
    assert rule("app.py") == "app.py"
