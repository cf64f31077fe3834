"""“Save this screen as a scene”: which lecture, what it is called, what is said of it."""

import streamlit as st

from glassformer.app.panels import drafts
from glassformer.app.session import store
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture, Scene
from glassformer.core.lectures.screen_fields import THE_READERS

NEW = ""
OWN = (*THE_READERS, "lecture")  # of a link: whoever looks has their own; the Lectures page's


def show() -> None:
    """Draw the form and keep what it gives."""
    drafts.listen_drafts()
    st.markdown(f"**{say('lectures.save_title')}**", help=say("lectures.save_help"))
    if left_out := _left_out():
        st.caption(left_out)
        return
    names = {NEW: say("lectures.save_new"), **_titles()}
    with st.form("scene", border=False):
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            st.selectbox(
                say("lectures.save_into"),
                tuple(names),
                index=len(names) - 1,
                key="widget_scene_into",
                format_func=names.__getitem__,
            )
            st.text_input(
                say("lectures.scene_title"), key="widget_scene_title", max_chars=200,
                placeholder=say("lectures.scene_title_hint"),
            )  # fmt: skip
        st.text_area(say("lectures.scene_text"), key="widget_scene_text", max_chars=1000, height=68)
        st.form_submit_button(
            say("lectures.save"), key="widget_scene_save", icon=":material/add:", on_click=_save,
            type="primary",
        )  # fmt: skip
    _tell()


def _tell() -> None:
    """What came of it."""
    found = store.memory().scene_saved
    if isinstance(found, GlassformerError):
        st.error(format_error(found))
    elif found is not None:
        named = found.title.get(store.get_state().language, found.name)
        st.success(say("lectures.saved", lecture=literal(named), scenes=len(found.scenes)))
    store.memory().scene_saved = None


def scene_of(title: str, text: str) -> Scene:
    """The screen as a scene; what is typed stands in every language, to be translated."""
    query = store.get_state().to_query()
    name = store.page_on_screen() or "translate"
    return Scene(
        name=name,
        page=store.page_on_screen(),
        query={each: value for each, value in query.items() if each not in OWN},
        title=dict.fromkeys(LANGUAGES, title),
        text=dict.fromkeys(LANGUAGES, text) if text else {},
    )


def _save() -> None:
    into, title, text = (
        (store.widget_value(f"scene_{name}") or "").strip() for name in ("into", "title", "text")
    )
    try:
        scene, lecture = scene_of(title or _page(), text), drafts.find_draft(into)
        if lecture is None:
            named = dict.fromkeys(LANGUAGES, say("lectures.new_title"))
            lecture = Lecture(drafts.free_name("my-lecture"), named, {}, (scene,))
            store.memory().scene_saved = drafts.put_draft(lecture)
        else:
            store.memory().scene_saved = drafts.add_scene(lecture, scene)
    except GlassformerError as error:
        store.memory().scene_saved = error


def _left_out() -> str:
    """Why the screen cannot be a scene: a link does not open it again; "" where it does."""
    if store.memory().file is not None:
        return say("lectures.save_file")
    if store.fields_not_linked():
        names = say("language.comma").join(
            say(f"link.{name}") for name in store.fields_not_linked()
        )
        return say("link.too_large", names=names)
    return ""


def _titles() -> dict[str, str]:
    found = {}
    language = store.get_state().language
    for name in drafts.draft_texts():
        try:
            lecture = drafts.find_draft(name)
        except GlassformerError:
            continue  # the Lectures page says why
        if lecture is not None:
            found[name] = lecture.title.get(language, name)
    return found


def _page() -> str:
    return say(f"frame.{store.page_on_screen() or 'translate'}")
