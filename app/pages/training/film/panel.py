"""One head as a film strip: a map a step."""

from typing import Any, cast

from glassformer.app.pages.training.curves import Training
from glassformer.app.pages.training.steps import draw_steps
from glassformer.app.panels.attention.heads import head_role_sentence, role_word, show_title
from glassformer.app.plots.colours import sequential
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.ui.component import go_to_place, pack_numbers
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import Kind, attention_sides
from glassformer.core.analysis.training_views import Frame, head_frames


def show(training: Training) -> None:
    """Draw a map a step under a line that says which head it is."""
    now, kind = training.now, cast(Kind, training.now.kind)
    show_title(kind, now.layer, now.head)
    legend = "training_film.legend" if kind == "encoder" else "training_film.legend_forced"
    frames = head_frames(
        training.replay, kind, now.layer, now.head, attention_sides(training.end, kind)
    )
    data = {
        "label": say("training_film.name"),
        "legend": say(legend),
        **_words_along(training, kind, frames),
        "shots": [_shot(frame, kind) for frame in frames],
        "now": training.place,
        "scale": sequential("weights", training.look.dark),
    }
    draw_steps("film_strip", data, height="stretch", go=go_to_place(len(frames), training.go))


def _words_along(training: Training, kind: Kind, frames: tuple[Frame, ...]) -> dict[str, Any]:
    """The words along the sides of all maps, none where they differ from map to map."""
    both = attention_sides(training.end, kind)
    shape = tuple(len(side.tokens) for side in both)
    # Pooled, or of other words: then a cell has no pair of words.
    same = all(frame.levels.shape == shape for frame in frames)
    words = ([visible(word) for word in side.labels] if same else [] for side in both)
    return dict(zip(("rows", "columns"), words, strict=True))


def _shot(frame: Frame, kind: Kind) -> dict[str, Any]:
    """One map: its levels, a byte a cell; the note below it; a title for screen readers."""
    step = str(frame.step)
    title, note, head = say("training.step_only", step=step), "", frame.does
    if head is not None:
        title, note, role = (
            f"{title}: {head_role_sentence(kind, head)}",
            say("training_film.no_habit"),
            head.clearest,
        )
        if role != "mixed":
            word = say(f"training_film.short_{role_word(kind, role)}")
            note = f"{word} {format_percent(head.shares[role])}"
    size, levels = frame.levels.shape, pack_numbers(frame.levels)
    return {"step": step, "levels": levels, "note": note, "title": title, "size": size}
