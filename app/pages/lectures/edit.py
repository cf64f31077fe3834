"""A scene of one's own lecture, to be changed: each field is kept as soon as it is left."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from glassformer.app.pages.lectures import start
from glassformer.app.panels import drafts
from glassformer.app.runs.scenes import trace_of
from glassformer.app.session import store
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.ui.layout import side_by_side
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say, texts_of_language
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import KINDS, Lecture, Question, Scene, Truth
from glassformer.core.lectures.read import read_lecture
from glassformer.core.lectures.truth import answer_of
from glassformer.core.lectures.write import link_text, write_lecture

TEXTS = {"title": 200, "text": 1000, "notes": 5000}  # characters
HEIGHTS = {"text": 90, "notes": 130}
NONE = "none"
HERE = "here.here"  # stands for the address of a truth that is being typed
START = Truth(  # of a question that begins: holds in any run
    "encoder/0/self_attention/weights", {"head": 0, "query": 0}, read="argmax", axis="key"
)
NUMBER = Truth(
    "encoder/0/self_attention/weights", {"head": 0, "query": 0, "key": 0}, form="percent"
)

Change = Callable[[Scene], Scene]


def show(lecture: Lecture, at: int) -> None:
    """Draw the fields of a scene, those of the lecture below; what was refused stands on top."""
    refused, store.memory().scene_refused = store.memory().scene_refused, None
    if refused is not None:
        st.error(format_error(refused))
    scene = lecture.scenes[at]
    if scene.asked:
        st.caption(say(f"lectures.asked_{scene.asked}"))
    if scene.asked == "after":
        return
    for name in TEXTS:
        _texts(lecture, at, name)
    with side_by_side("lecture_link", gap="small"):
        _minutes(lecture, at)
        _short(lecture, at)
        _link(lecture, at)
    _question(lecture, at)
    if scene.question is not None and not scene.asked:
        _answer(lecture, scene)
    with st.expander(say("lectures.whole")):
        for name in ("title", "about"):
            _lecture_texts(lecture, name)


def put_scene(lecture: Lecture, at: int, change: Change) -> None:
    """Keep a lecture with one scene changed; what cannot be is told."""
    try:
        scenes = list(lecture.scenes)
        scenes[at] = change(scenes[at])
        drafts.put_draft(lecture.having(*scenes))
    except GlassformerError as error:
        store.memory().scene_refused = error


def _texts(lecture: Lecture, at: int, name: str) -> None:
    """A text in every language of the lecture, side by side."""
    held = getattr(lecture.scenes[at], name)

    def take(language: str, typed: str) -> None:
        def change(scene: Scene) -> Scene:
            held: Any = with_text(getattr(scene, name), lecture, language, typed)
            return replace(scene, **{name: held})

        put_scene(lecture, at, change)

    _side_by_side(lecture, at, name, say(f"lectures.scene_{name}"), held, take, TEXTS[name])


def _side_by_side(
    lecture: Lecture, at: int, name: str, label: str, held: Any, take: Callable[[str, str], None],
    longest: int,
) -> None:  # fmt: skip
    for language, column in zip(lecture.languages, st.columns(len(lecture.languages)), strict=True):
        widget = f"lecture_{lecture.name}_{at}_{name}_{language}"
        given: dict[str, Any] = {"max_chars": longest} if longest else {}
        draw = st.text_input if name not in HEIGHTS else st.text_area
        if name in HEIGHTS:
            given["height"] = HEIGHTS[name]
        with column:
            draw(f"{label} · {language_name(language)}",
                 **store.bind(widget, held.get(language, "")),
                 on_change=partial(_heard, widget, partial(take, language)), **given)  # fmt: skip


def _heard(widget: str, take: Callable[[Any], None]) -> None:
    take(store.widget_value(widget))


def language_name(language: str) -> str:
    """A language as the switch calls it; one that the app does not speak by its code."""
    return say("language.name", language) if language in LANGUAGES else language


def with_text(held: Any, lecture: Lecture, language: str, typed: str) -> dict[str, str]:
    """A text with one language changed: given in one it is given in all, emptied it is gone."""
    typed = typed.strip()
    others = {each: held.get(each) or typed for each in lecture.languages}
    return others | {language: typed} if typed else {}


def _minutes(lecture: Lecture, at: int) -> None:
    widget = f"lecture_{lecture.name}_{at}_minutes"

    def take(minutes: float) -> None:
        put_scene(lecture, at, lambda scene: replace(scene, minutes=minutes))

    st.number_input(
        say("lectures.scene_minutes"), 0.0, 600.0, step=0.5, format="%g", width=130,
        **store.bind(widget, float(lecture.scenes[at].minutes)),
        on_change=partial(_heard, widget, take),
    )  # fmt: skip


def _short(lecture: Lecture, at: int) -> None:
    widget = f"lecture_{lecture.name}_{at}_short"

    def take(short: bool) -> None:
        put_scene(lecture, at, lambda scene: replace(scene, short=short))

    st.checkbox(
        say("lectures.scene_short"), **store.bind(widget, lecture.scenes[at].short),
        help=say("lectures.scene_short_help"), on_change=partial(_heard, widget, take),
    )  # fmt: skip


def _link(lecture: Lecture, at: int) -> None:
    """The screen's link, as copied from the address line; of several only the shown one changes."""
    language = start.language_of(lecture)
    widget = f"lecture_{lecture.name}_{at}_link_{language}"
    scene = lecture.scenes[at]

    def take(typed: str) -> None:
        put_scene(lecture, at, lambda scene: link_scene(lecture, scene, language, typed))

    st.text_input(
        say("lectures.scene_link"), **store.bind(widget, link_text(scene.link(language))),
        help=say("lectures.scene_link_help"), on_change=partial(_heard, widget, take),
    )  # fmt: skip


def link_scene(lecture: Lecture, scene: Scene, language: str, typed: str) -> Scene:
    """A scene with another link. Errors: lecture_link, lectures_page for an unknown page."""
    text = write_lecture(Lecture("x", lecture.title, {}, (Scene("x", "", {}, lecture.title),)))
    held = text.replace('link = "translate"', f"link = {_quoted(typed)}")
    found = read_lecture(held).scenes[0]
    if found.page not in start.PAGES:
        raise GlassformerError("lectures_page", given=found.page)
    if not scene.links:
        return replace(scene, page=found.page, query=found.query)
    links = {**scene.links, language: (found.page, found.query)}
    page, query = links[lecture.languages[0]]
    return replace(scene, page=page, query=query, links=links)


def _quoted(text: str) -> str:
    plain = " ".join(text.split())
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _question(lecture: Lecture, at: int) -> None:
    question = lecture.scenes[at].question
    widget = f"lecture_{lecture.name}_{at}_kind"
    kinds = {kind: say(f"lectures.kind_{kind}") for kind in (NONE, *KINDS)}

    def take(kind: str) -> None:
        put_scene(
            lecture,
            at,
            lambda scene: replace(scene, question=start_question(lecture, scene.question, kind)),
        )

    kind = question.kind if question else NONE
    with side_by_side("lecture_kind", gap="small"):
        st.selectbox(
            say("lectures.question"), tuple(kinds), format_func=kinds.__getitem__, width=260,
            **store.bind(widget, kind, index=list(kinds).index(kind)),
            on_change=partial(_heard, widget, take),
        )  # fmt: skip
    if question is None:
        return
    _side_by_side(lecture, at, "prompt", say("lectures.prompt"), question.prompt,
                  partial(_asks, lecture, at, "prompt"), 500)  # fmt: skip
    if question.kind == "choice":
        lines = {
            each: "\n".join(option[each] for option in question.options)
            for each in lecture.languages
        }
        _side_by_side(lecture, at, "options", say("lectures.options"), lines,
                      partial(_options, lecture, at), 0)  # fmt: skip
    if question.kind == "number":
        _side_by_side(lecture, at, "unit", say("lectures.unit"), question.unit,
                      partial(_asks, lecture, at, "unit"), 20)  # fmt: skip
    if question.right is None:
        _truth_field(lecture, at)


HEIGHTS["options"] = 100


def _truth_field(lecture: Lecture, at: int) -> None:
    widget = f"lecture_{lecture.name}_{at}_truth"
    st.text_input(
        say("lectures.truth"), **store.bind(widget, truth_text(lecture, at)),
        help=say("lectures.truth_help"),
        on_change=partial(_heard, widget, partial(_truth, lecture, at)),
    )  # fmt: skip


def start_question(lecture: Lecture, before: Question | None, kind: str) -> Question | None:
    """A question of another kind, with what of the one before fits, else with a beginning."""
    if kind == NONE:
        return None
    prompt = before.prompt if before else _in_all(lecture, "lectures.prompt_start")
    if kind == "word":
        return Question("word", prompt, START)
    if kind == "number":
        return Question("number", prompt, NUMBER)
    options = tuple(
        _in_all(lecture, key) for key in ("lectures.option_less", "lectures.option_more")
    )
    return Question("choice", prompt, replace(NUMBER, bounds=(50.0,)), options)


def _in_all(lecture: Lecture, key: str) -> dict[str, str]:
    spoken = {each: each if each in LANGUAGES else LANGUAGES[0] for each in lecture.languages}
    return {each: texts_of_language(speaker)[key] for each, speaker in spoken.items()}


def _asks(lecture: Lecture, at: int, name: str, language: str, typed: str) -> None:
    def change(scene: Scene) -> Scene:
        held: Any = with_text(getattr(scene.question, name), lecture, language, typed)
        return replace(scene, question=replace(scene.question, **{name: held}))  # type: ignore[type-var]

    put_scene(lecture, at, change)


def _options(lecture: Lecture, at: int, language: str, typed: str) -> None:
    """Options, one a line: as many as lines are given; new ones stand in every language."""

    def change(scene: Scene) -> Scene:
        assert scene.question is not None
        before = scene.question.options
        lines = [line.strip() for line in typed.split("\n") if line.strip()]
        options = tuple(
            {**(before[place] if place < len(before) else dict.fromkeys(lecture.languages, line)),
             language: line}
            for place, line in enumerate(lines)
        )  # fmt: skip
        truth = scene.question.truth
        if not truth.words and len(truth.bounds) != len(options) - 1:  # one bound between two
            low = truth.bounds[0] if truth.bounds else 0.0
            truth = replace(truth, bounds=tuple(low + step for step in range(len(options) - 1)))
        return replace(scene, question=replace(scene.question, options=options, truth=truth))

    put_scene(lecture, at, change)


def truth_text(lecture: Lecture, at: int) -> str:
    """The truth of a scene's question as it stands in the file."""
    only = lecture.having(lecture.scenes[at])
    lines = write_lecture(only).split("\n")
    return next(each for each in lines if each.startswith("truth = ")).removeprefix("truth = ")


def _truth(lecture: Lecture, at: int, typed: str) -> None:
    try:
        drafts.put_draft(with_truth(lecture, at, typed))
    except GlassformerError as error:
        store.memory().scene_refused = error


def with_truth(lecture: Lecture, at: int, typed: str) -> Lecture:
    """The lecture with the truth of a question as it was typed. Errors: those of `read_lecture`."""
    scenes = list(lecture.scenes)
    question = scenes[at].question
    assert question is not None
    scenes[at] = replace(scenes[at], question=replace(question, truth=Truth(HERE)))
    held, line = write_lecture(lecture.having(*scenes)), " ".join(typed.split())
    return read_lecture(held.replace(f'truth = {{ address = "{HERE}" }}', f"truth = {line}"))


def _answer(lecture: Lecture, scene: Scene) -> None:
    """What the run answers now, or why it does not."""
    try:
        answer = answer_of(lecture, scene, start.language_of(lecture), trace_of)
    except GlassformerError as error:
        st.warning(say("lectures.no_answer", why=format_error(error)))
        return
    if answer is not None:
        st.caption(say("lectures.answer", answer=literal(answer.text), address=answer.address))


def _lecture_texts(lecture: Lecture, name: str) -> None:
    def take(language: str, typed: str) -> None:
        try:
            held: Any = with_text(getattr(lecture, name), lecture, language, typed)
            if name == "title" and not held:
                return
            drafts.put_draft(replace(lecture, **{name: held}))
        except GlassformerError as error:
            store.memory().scene_refused = error

    _side_by_side(lecture, -1, name, say(f"lectures.whole_{name}"), getattr(lecture, name), take,
                  200 if name == "title" else 1000)  # fmt: skip
