"""Writing a drawn sentence: the words of both sides, their alignment, what pronouns stand for."""

from __future__ import annotations

from collections import defaultdict

from core.corpus import morphology
from core.corpus.derive import Draw, Leaf, Node, Tree, agreement, head
from core.corpus.grammar import Part
from core.corpus.pair import DIRECTIONS, Pair

# An auxiliary by the subject's agreement: I am, he is, they are.
AUXILIARIES = {
    "be": {"first": "am", "third": "is", "other": "are"},
    "was": {"first": "was", "third": "was", "other": "were"},
    "do": {"first": "do", "third": "does", "other": "do"},
    "have": {"first": "have", "third": "has", "other": "have"},
    "isn't": {"first": "am not", "third": "isn't", "other": "aren't"},
    "wasn't": {"first": "wasn't", "third": "wasn't", "other": "weren't"},
    "don't": {"first": "don't", "third": "doesn't", "other": "don't"},
    "haven't": {"first": "haven't", "third": "hasn't", "other": "haven't"},
}

ASPECTS = {"le": "了", "guo": "过", "zhe": "着"}  # what a Chinese verb form adds to the verb

Tag = tuple[int, str] | None  # words of the two sides with the same tag are aligned
Word = tuple[str, Tag, Tag]  # the word, its tag, and (of a pronoun) the tag of its noun


def pair_of(tree: Node, draw: Draw) -> Pair:
    """The finished pair of a drawn sentence."""
    english, chinese = _english(tree, ""), _chinese(tree, "")
    by_tag: dict[Tag, list[int]] = defaultdict(list)
    for position, (_, tag, _) in enumerate(chinese):
        by_tag[tag].append(position)
    alignment = [
        (i, j) for i, (_, tag, _) in enumerate(english) if tag for j in by_tag.get(tag, ())
    ]
    last_of = {tag: position for position, (_, tag, _) in enumerate(english)}
    antecedents = [
        (i, last_of[noun]) for i, (_, _, noun) in enumerate(english) if noun in last_of and noun
    ]
    return Pair(
        english=tuple(word for word, _, _ in english),
        chinese=tuple(word for word, _, _ in chinese),
        alignment=tuple(alignment),
        antecedents=tuple(antecedents),
        template=tree.rule.name,
        key=_key(tree),
        directions=tuple(d for d in DIRECTIONS if not draw.only or draw.only == {d}),
    )


def _key(tree: Node) -> str:
    """What is held out together; "" for a sentence with nothing to vary.

    Where one phrase alone varies, its head and what goes with the head are the combination:
    of "please wear a hat" wear and hat, not every sentence with wear.
    """
    held = [tree.children[slot] for slot in tree.rule.hold]
    if len(held) == 1 and isinstance(held[0], Node):
        held = list(held[0].children.values())
    names = [_name(child) for child in held]
    return "|".join((tree.rule.name, *names)) if names else ""


def _name(tree: Tree) -> str:
    leaf = head(tree)
    return leaf.entry.key if leaf else " ".join(word for word, _, _ in _english(tree, ""))


def _english(tree: Tree, form: str) -> list[Word]:
    if isinstance(tree, Leaf):
        if form.startswith("container"):
            return [(word, (tree.tag, "c"), None) for word in tree.entry.words(form)]
        return _tagged(tree.entry.words(form), tree)
    written: list[Word] = []
    for part in tree.rule.english:
        if part.slot:
            words = _english(tree.children[part.slot], _form(part, tree, form))
            written.extend(_marked(words, part, tree))
        else:
            written.extend(_literal(part, tree))
    return written


def _chinese(tree: Tree, form: str) -> list[Word]:
    if form in ("head", "c"):
        tree = head(tree) or tree
    if isinstance(tree, Leaf):
        if form == "c":
            return [(tree.entry.classifier, (tree.tag, "c"), None)]
        words = _tagged(tree.entry.chinese, tree)
        return [*words, (ASPECTS[form], None, None)] if form in ASPECTS else words
    written: list[Word] = []
    for part in tree.rule.chinese:
        if part.slot:
            own = part.form or (form if part.slot == tree.rule.head else "")
            written.extend(_marked(_chinese(tree.children[part.slot], own), part, tree))
        else:
            written.extend(_literal(part, tree))
    return written


def _tagged(words: tuple[str, ...], leaf: Leaf) -> list[Word]:
    """As many words in both languages: the first goes with the first; else all go with all."""
    last = _last(leaf)
    return [(word, (leaf.tag, str(min(k, last))), None) for k, word in enumerate(words)]


def _last(leaf: Leaf) -> int:
    """Index of the last word that has a partner of its own; 0 where all go together."""
    count = len(leaf.entry.english[""])
    return count - 1 if count == len(leaf.entry.chinese) else 0


def _marked(words: list[Word], part: Part, tree: Node) -> list[Word]:
    """A slot with a mark is aligned by the mark, not as what fills it."""
    return [(word, (tree.tag, part.mark), None) for word, _, _ in words] if part.mark else words


def _form(part: Part, tree: Node, asked: str) -> str:
    if part.agree:
        return "third" if agreement(tree.children[part.agree]) == "third" else ""
    return part.form or (asked if part.slot == tree.rule.head else "")


def _literal(part: Part, tree: Node) -> list[Word]:
    text = part.word
    if part.agree:
        number = agreement(tree.children[part.agree])
        third = morphology.third_person(text) if number == "third" else text
        text = AUXILIARIES[text][number] if text in AUXILIARIES else third
    tag: Tag = (tree.tag, part.mark) if part.mark else None
    noun: Tag = None
    if part.refers:
        leaf = head(tree.children[part.refers])
        noun = (leaf.tag, str(_last(leaf))) if leaf else None
    return [(word, tag, noun) for word in text.split(" ")]
