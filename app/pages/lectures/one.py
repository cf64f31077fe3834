"""One lecture: its scenes in their order, the chosen one in full, what can be done with it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import streamlit as st

from glassformer.app.pages.lectures import alone, article, edit, start
from glassformer.app.pages.lectures.cards import text_of
from glassformer.app.panels import drafts
from glassformer.app.session import store
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.pick import segments
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say, say_each
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture, Scene
from glassformer.core.lectures.write import link_text, write_lecture

SIGNS = {
    "open": "lectures.sign_open",
    "up": "lectures.sign_up",
    "down": "lectures.sign_down",
    "remove": "lectures.sign_remove",
    "question": "lectures.sign_question",
}
WIDTHS = (36, 64)
TAKEAWAY = "glassformer.app.takeaway"  # what makes files of a lecture, where it is there
TAKEN = {"page": ("html", "text/html"), "notebook": ("ipynb", "application/x-ipynb+json")}

_scenes = component(__file__, "scenes")


def show(lecture: Lecture, own: bool) -> None:
    """Draw it, as an article or by its scenes; own: it can be changed."""
    language = store.get_state().language
    reads = store.memory().article.get(lecture.name, not own)
    with side_by_side("lecture_head", gap="small"):
        _way_back()
        st.markdown(f"### {literal(text_of(lecture.title, language))}", width="content")
        st.caption(say("lectures.minutes", count=f"{lecture.minutes:g}"), width="content")
        ways = {True: say("lectures.read"), False: say("lectures.edit" if own else "lectures.give")}
        segments("lecture_way", say("lectures.way"), ways, reads, partial(_turn, lecture.name))
        st.space("stretch")
        start.show(lecture)
    if reads:
        article.show(lecture, start.language_of(lecture))
        return
    _by_scenes(lecture, own)


def _turn(name: str, reads: bool) -> None:
    store.memory().article[name] = reads


def _by_scenes(lecture: Lecture, own: bool) -> None:
    """For whoever gives it: the scenes in their order, one in full with its notes, the files."""
    language, at = store.get_state().language, scene_in_view(lecture)
    if not own:
        st.caption(literal(text_of(lecture.about, language)))
    with side_by_side("lecture_files", "dense", gap="xsmall"):
        _files(lecture, own)
    left, right = st.columns(WIDTHS, gap="medium")
    with left, box("fill", "lecture_scenes", gap=None):
        data = {
            "scenes": [_row(scene, language) for scene in lecture.scenes],
            "chosen": at,
            "own": own,
            "texts": say_each(SIGNS),
        }
        _scenes("lecture_scenes_all", data, act=partial(apply_scene_action, lecture, own))
    with right, box("fill scroll", "lecture_scene", gap="xsmall"):
        if own:
            edit.show(lecture, at)
        else:
            _read(lecture, lecture.scenes[at], start.language_of(lecture))


def show_damaged(name: str, error: GlassformerError) -> None:
    """Draw what is wrong with a lecture that the browser kept, and the way to be rid of it."""
    _way_back()
    st.error(format_error(error))
    text = drafts.draft_texts().get(name, "")
    icon = ":material/download:"
    st.download_button(say("lectures.export"), text, f"{name}.toml", icon=icon, on_click="ignore")
    st.button(say("lectures.remove"), on_click=partial(_remove, name), key="widget_lecture_remove")


def scene_in_view(lecture: Lecture) -> int:
    """The scene in view."""
    return min(store.memory().scene_chosen.get(lecture.name, 0), len(lecture.scenes) - 1)


def apply_scene_action(lecture: Lecture, own: bool, sent: Mapping[str, Any]) -> None:
    """What was pressed in the list: {"choose" | "open" | "up" | "down" | "remove": place}."""
    (name, at), *_ = sent.items()
    if not isinstance(at, int) or not 0 <= at < len(lecture.scenes):
        return
    places = store.memory().scene_chosen
    if name == "choose":
        places[lecture.name] = at
    elif name == "open":
        store.memory().scene_opened = lecture.scenes[at].link(start.language_of(lecture))
    elif own:
        places[lecture.name] = rearrange_scene(lecture, name, at)


def rearrange_scene(lecture: Lecture, name: str, at: int) -> int:
    """Move a scene up or down, or remove it; where the view is after it."""
    scenes = list(lecture.scenes)
    if name == "remove":
        scenes = [each for each in scenes if _pair(each) != _pair(scenes[at])]
        if all(each.asked for each in scenes):
            _remove(lecture.name)
            return 0
        to = min(at, len(scenes) - 1)
    else:
        to = at + (1 if name == "down" else -1)
        if not 0 <= to < len(scenes) or scenes[at].asked or scenes[to].asked:
            return at
        scenes[at], scenes[to] = scenes[to], scenes[at]
    try:
        drafts.put_draft(lecture.having(*scenes))
    except GlassformerError as error:  # another scene's question is read in this one's run
        store.memory().scene_refused = error
        return at
    return to


def _pair(scene: Scene) -> str:
    """The name of a scene without the time at which it is asked: before and after go together."""
    return scene.name.removeprefix(f"{scene.asked}-") + "?" * bool(scene.asked)


def _row(scene: Scene, language: str) -> dict[str, Any]:
    page = say(f"frame.{scene.page or 'translate'}") if scene.page in start.PAGES else scene.page
    facts = f"{page} · {say('lectures.minutes', count=f'{scene.minutes:g}')}"
    title = text_of(scene.title, language)
    return {"title": title, "facts": facts, "asks": scene.question is not None}


def _way_back() -> None:
    icon = ":material/grid_view:"
    st.button(say("lectures.all"), key="widget_lectures_all", icon=icon, on_click=store.update,
              kwargs={"lecture": ""})  # fmt: skip


def _files(lecture: Lecture, own: bool) -> None:
    down = ":material/download:"
    st.download_button(
        say("lectures.export"), partial(write_lecture, lecture), f"{lecture.name}.toml",
        "text/plain", key="widget_lecture_export", icon=down, on_click="ignore",
        help=say("lectures.export_help"),
    )  # fmt: skip
    if find_spec(TAKEAWAY) is not None:
        _take_away(lecture)
    copy, icon = partial(_copy, lecture), ":material/content_copy:"
    label = say("lectures.copy" if own else "lectures.copy_bundled")
    st.button(label, key="widget_lecture_copy", icon=icon, on_click=copy)
    if own:
        gone = partial(_remove, lecture.name)
        st.button(say("lectures.remove"), key="widget_lecture_remove", icon=":material/delete:",
                  on_click=gone)  # fmt: skip
    if drafts.can_undo():
        st.button(say("lectures.undo"), key="widget_lectures_undo", icon=":material/undo:",
                  on_click=drafts.undo_draft)  # fmt: skip


def _take_away(lecture: Lecture) -> None:
    takeaway = import_module(TAKEAWAY)
    language = start.language_of(lecture)
    for name, (ending, kind) in TAKEN.items():
        st.download_button(
            say(f"lectures.take_{name}"), partial(getattr(takeaway, name), lecture, language),
            f"{lecture.name}-{language}.{ending}", kind, key=f"widget_lecture_{name}",
            icon=":material/download:", on_click="ignore", help=say(f"lectures.take_{name}_help"),
        )  # fmt: skip


def _copy(lecture: Lecture) -> None:
    try:
        kept = drafts.put_draft(replace(lecture, name=drafts.free_name(lecture.name)))
    except GlassformerError as error:
        store.memory().scene_refused = error
        return
    store.update(lecture=kept.name)


def _remove(name: str) -> None:
    drafts.remove_draft(name)
    store.update(lecture="")


def _read(lecture: Lecture, scene: Scene, language: str) -> None:
    """A scene of a bundled lecture, to be read, with the numbers of its run."""
    texts = alone.filled_texts(lecture, scene, language)
    st.markdown(f"#### {literal(text_of(texts['title'], language))}")
    for name in ("text", "notes"):
        if said := text_of(texts[name], language):
            st.caption(say(f"lectures.scene_{name}"))
            st.text(said)
    if scene.question is not None:
        st.caption(say("lectures.question"))
        st.text(text_of(scene.question.prompt, language))
        for option in scene.question.options:
            st.text(f"· {text_of(option, language)}")
    st.code(link_text(scene.link(language)), language=None, wrap_lines=True)
