"""One folder and one line are a language: a made-up one, on every page, in the hall, at home."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.checkout import copy_checkout, run_in

LINE = re.compile(r"^(LANGUAGES = \([^)]*)\)", re.MULTILINE)
LECTURE = """
name = "short"
title.xx = "Short"
[[scene]]
name = "one"
title.xx = "One"
link.xx = "attention?text=I+like+cats"
"""
# What a visitor, a phone and a reader at home see of it, in a process of that checkout. English
# that is asked for is marked, but for the names of languages and the glossary's second names.
SEEN = """
import re
from functools import cache
from pathlib import Path
from glassformer.app import words
plain = words.texts_of_language
BOTH = re.compile(r"language\\.(name|tag)|glossary\\..*name")

@cache
def asked(language):
    return {key: text if language == "xx" or BOTH.fullmatch(key) else f"⟪{text}⟫"
            for key, text in plain(language).items()}

words.texts_of_language = asked
from streamlit import config
from glassformer.app.frame.guide import guide_words
from glassformer.app.hall.pages import entrance_page, page_response
from glassformer.app.session.languages import language_of
from glassformer.app.words import FOLDER
from tests.browser.test_link import SCREENS
from tests.opened_app import opened, texts_of
assert FOLDER.parents[1] == Path.cwd()
config.set_option("client.showErrorDetails", "full")

OWN = re.compile("⟦[^⟦⟧]*⟧")
several_words = re.compile("[^{]*[a-z] [^{]*[a-z] [^{]*")
english = {text for text in plain("en").values() if several_words.fullmatch(text)}
looked_at = set()  # many texts are on every screen
for name, (page, query) in SCREENS.items():
    app = opened(page or "translate", **(query | {"language": "xx"}))
    assert "language" in app.query_params and app.session_state["state"].language == "xx", name
    every = [text for text in texts_of(app) if not text.startswith("<style>")]
    assert any("⟦" in text for text in every), name
    new = set(every) - looked_at
    looked_at |= new
    for text in new:
        assert "⟪" not in text, (name, text)
        while text != (text := OWN.sub("", text)):
            pass
        left = [each for each in english if each in text]
        assert not left, (name, left)

assert language_of("xx-YY,en;q=0.8") == "xx"
for name in ("enter", "audience", "notes", "present"):
    sent = page_response(name, None).body.decode()
    assert '"xx":{' in sent and "⟦" in sent and '"language_tag":"xx"' in sent, name
term = guide_words("xx")["terms"][0]
assert term["name"].startswith("⟦") and term["other"] and not term["other"].startswith("⟦")
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this one with a third language: the English texts in brackets."""
    home = tmp_path_factory.mktemp("checkout")
    copy_checkout(home)
    english, other = home / "app" / "words" / "en", home / "app" / "words" / "xx"
    other.mkdir()
    texts = {path.stem: path for path in english.glob("*.toml")}
    own = (home / "app" / "pages").glob("*/*/en.toml")  # panels of two pages may have one name
    texts |= {"_".join(path.parts[-3:-1]): path for path in own}
    for name, path in texts.items():
        (other / f"{name}.toml").write_text(marked(tomllib.loads(path.read_text("utf-8"))), "utf-8")
    (other / "language.toml").write_text(
        '[language]\nname = "XX"\ntag = "xx"\ngap = " "\ncomma = ", "\n', "utf-8"
    )
    state = home / "app" / "session" / "languages.py"
    source = state.read_text("utf-8")
    with_another, times = LINE.subn(r'\1, "xx")', source)
    assert times == 1
    state.write_text(with_another, "utf-8")
    return home


def marked(table: dict[str, object], place: tuple[str, ...] = ()) -> str:
    """The texts of a file in brackets, as TOML."""
    texts = {name: each for name, each in table.items() if isinstance(each, str)}
    lines = [f"[{'.'.join(map(quoted, place))}]"] if place else []
    lines += [f"{quoted(name)} = {quoted(f'⟦{text}⟧')}" for name, text in texts.items()]
    inner = {name: each for name, each in table.items() if isinstance(each, dict)}
    return "\n".join([*lines, *(marked(each, (*place, name)) for name, each in inner.items())])


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


@pytest.mark.slow
def test_every_page_and_the_hall_speak_it(checkout: Path) -> None:
    run_in(checkout, "-c", SEEN)


@pytest.mark.slow
def test_a_lecture_is_taken_home_in_it(checkout: Path) -> None:
    (checkout / "short.toml").write_text(LECTURE, "utf-8")
    command = ["-m", "glassformer", "lecture", "short.toml", "--language", "xx"]
    run_in(checkout, *command, "--page", "out.html", "--notebook", "out.ipynb")
    page = (checkout / "out.html").read_text("utf-8")
    assert '<html lang="xx">' in page
    assert "⟦" in page
    assert "⟦" in (checkout / "out.ipynb").read_text("utf-8")
