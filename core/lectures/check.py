"""What reading a lecture cannot know: whether its links, places and answers hold in the app."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture, Scene
from glassformer.core.lectures.truth import TraceOf, find_truth, truth

LinkIsGood = Callable[[str, Mapping[str, str]], tuple[str, ...]]  # what of a link makes no sense


@dataclass(frozen=True)
class Problem:
    """What is wrong with a scene, in one of its languages; line: of its file, 0 without one."""

    scene: str
    language: str
    line: int
    error: GlassformerError


def check_lecture(
    lecture: Lecture, link_is_good: LinkIsGood, trace_of: TraceOf
) -> tuple[Problem, ...]:
    """Everything of a lecture that does not hold in the app, in the order of the scenes.

    Args:
        lecture: as it was read.
        link_is_good: what of a page and its query makes no sense, by name; () for a good link.
        trace_of: the run that a scene shows in a language; raises GlassformerError where there is
            none.

    Returns:
        A problem a scene, language and place; () for a lecture to be given.
    """
    return tuple(
        Problem(scene.name, language, line, error)
        for scene in lecture.scenes
        for language in lecture.languages
        for line, error in _wrong(lecture, scene, language, link_is_good, trace_of)
    )


def _wrong(
    lecture: Lecture, scene: Scene, language: str, link_is_good: LinkIsGood, trace_of: TraceOf
) -> Iterator[tuple[int, GlassformerError]]:
    if dropped := link_is_good(*scene.link(language)):
        given = ", ".join(dropped)[:200]
        yield scene.line, GlassformerError("lecture_parameters", line=scene.line, given=given)
        return
    try:
        trace_of(scene, language)
    except GlassformerError as error:
        yield scene.line, error
        return
    for name, each in scene.truths.items():
        asked = scene.question if name == "truth" else None
        try:
            trace = trace_of(lecture.source(scene, each), language)
            _ = truth(asked, trace, language) if asked else find_truth(each, trace, language)
        except GlassformerError as error:
            yield (asked.line if asked else scene.line), error
