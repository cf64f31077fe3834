"""Names beside points: none covers another, the important ones are never left out."""

from app.figures.label_places import Label, label_places


def label(x: float, y: float, must: bool = False) -> Label:
    return Label(x, y, 40, 12, 5, must)


def test_names_far_apart_all_stand_above() -> None:
    assert label_places([label(0, 0), label(100, 0)]) == ["top center"] * 2


def test_the_second_of_two_close_ones_gives_way() -> None:
    assert label_places([label(0, 0), label(10, 0)]) == ["top center", "bottom center"]


def test_a_name_without_a_free_place_is_left_out_unless_it_must_stand() -> None:
    full = [(-200.0, -200.0, 200.0, 200.0)]
    assert label_places([label(0, 0), label(0, 0, must=True)], full) == ["", "top center"]


def test_a_name_keeps_off_the_marks() -> None:
    above = [(-20.0, -17.0, 20.0, -5.0)]
    assert label_places([label(0, 0)], above) == ["bottom center"]
