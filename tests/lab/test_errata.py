"""The errata at a glance: counted and quoted from the worked examples."""

from core.lab.errata import errata, errata_of, tally
from core.lab.worked_examples import examples, work


def test_every_wrong_quantity_has_its_reason_in_the_list() -> None:
    for key in examples():
        wrong = {each.erratum for each in work(key).quantities if each.key in work(key).wrong}
        assert {each.reason for each in errata_of(key)} == wrong


def test_the_numbers_quoted_are_those_furthest_off() -> None:
    found = {(each.example, each.reason): each for each in errata()}
    exponent = found["pe-matrix", "exponent_halved"]
    assert (exponent.quantity, exponent.cell, exponent.printed) == ("div_term", (1,), 0.1)
    assert abs(exponent.true - 0.01) < 1e-6
    assert (exponent.wrong, exponent.shown) == (3, 6)
    last = found["softmax-alternatives", "last_digit"]
    assert (last.cell, last.printed, last.wrong, last.shown) == ((1,), 0.31, 1, 2)
    for each in errata():
        quantity = work(each.example).quantity(each.quantity)
        assert quantity.differs is not None
        assert quantity.differs[each.cell]
        assert quantity.value[each.cell].item() == each.true


def test_the_tally() -> None:
    counted = tally(errata())
    wrong = [
        int(each.differs.sum())
        for key in examples()
        for each in work(key).quantities
        if each.differs is not None
    ]
    assert counted.wrong == sum(wrong) == 72
    assert counted.shown == 92
    assert counted.reasons == 10
    assert tally(()) == (0, 0, 0)
