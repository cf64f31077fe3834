"""What a lecture is: scenes, questions, and the places in a run where their numbers are read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

Text = Mapping[str, str]  # by language: {"en": "…", "zh": "…"}
PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")  # in a text: a number of the run, by its name
Link = tuple[str, Mapping[str, str]]  # page ("" is Translate) and query, as State.to_query() has it
Index = int | str  # along an axis: a number from 0, or a word, the first of those that are the same
Reading = Literal[
    "value", "argmax", "max", "min", "mean", "sum", "std", "count_above", "share_above", "size",
]  # fmt: skip
Form = Literal["number", "percent", "whole"]
Kind = Literal["choice", "number", "word"]
READINGS, FORMS, KINDS = get_args(Reading), get_args(Form), get_args(Kind)
PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")  # in a text: a number of the run, by its name


@dataclass(frozen=True)
class Truth:
    """Where something is read in a run; it is computed when it is asked for, never typed.

    at: axis → index, or index by language where the sentences differ. What is not held is read
    together: "value" and "argmax" (along `axis`) want all other axes held, "size" is that of
    `axis`, the rest ("max" … "share_above", of those above `above`) goes over all that is left.
    scene: whose run it is, by name; "" for that of the scene where it stands.
    bounds, words: how it answers a choice. Between bounds lie the options, from small to large;
    or each option has its words, and an option without words takes what no other has.
    """

    address: str
    at: Mapping[str, Index | Mapping[str, Index]] = field(default_factory=dict)
    read: Reading = "value"
    axis: str = ""
    above: float = 0.0
    form: Form = "number"
    scene: str = ""
    bounds: tuple[float, ...] = ()
    words: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Question:
    """What the audience is asked; options only for a choice, a unit only for a number.

    right: of a choice that no run answers the right option, from 0; its truth has no address then.
    """

    kind: Kind
    prompt: Text
    truth: Truth
    options: tuple[Text, ...] = ()
    unit: Text = field(default_factory=dict)
    right: int | None = None
    line: int = field(default=0, compare=False)  # where it stands in its file


@dataclass(frozen=True)
class Scene:
    """One screen with what is said about it.

    page, query: the link; `links` has another one for some languages, whole. Texts name what is
    read in the run in braces: `{key}`, `{truth}` of the question, or one of `facts`.
    key: the number or word that is to be seen on the screen. step: it goes on in the scene before
    it, by a change of that one's link. focus: boxes of the page that fill the stage, () for all of
    the page.
    short: whether the lecture's short path has it.
    asked: "before" or "after" where it is one of the questions that a lecture begins and ends with.
    """

    name: str
    page: str
    query: Mapping[str, str]
    title: Text
    text: Text = field(default_factory=dict)
    notes: Text = field(default_factory=dict)
    minutes: float = 1
    short: bool = True
    question: Question | None = None
    key: Truth | None = None
    facts: Mapping[str, Truth] = field(default_factory=dict)
    links: Mapping[str, Link] = field(default_factory=dict)
    focus: tuple[str, ...] = ()
    step: bool = False
    asked: str = ""
    line: int = field(default=0, compare=False)

    def link(self, language: str) -> Link:
        """Page and query of the screen for an audience of a language.

        Args:
            language: such as "en".

        Returns:
            The language's own link, else the one for all.
        """
        return self.links.get(language, (self.page, self.query))

    @property
    def truths(self) -> dict[str, Truth]:
        """Everything that is read in a run for this scene, by the name that texts use."""
        question = self.question
        asked = {"truth": question.truth} if question and question.right is None else {}
        return {**self.facts, **({"key": self.key} if self.key else {}), **asked}


@dataclass(frozen=True)
class Lecture:
    """Scenes and their steps in order; every text is there in each of the languages.

    gloss: by the language of a sentence what its words mean in the other one.
    """

    name: str
    title: Text
    about: Text
    scenes: tuple[Scene, ...]
    gloss: Mapping[str, Text] = field(default_factory=dict)

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.title)

    @property
    def minutes(self) -> float:
        """How long it takes."""
        return sum(scene.minutes for scene in self.scenes)

    def scene(self, name: str) -> Scene:
        """The scene of a name.

        Args:
            name: of the scene.

        Returns:
            The scene.

        Raises:
            LookupError: there is none.
        """
        found = next((scene for scene in self.scenes if scene.name == name), None)
        if found is None:
            raise LookupError(name)
        return found

    def source(self, scene: Scene, truth: Truth) -> Scene:
        """The scene in whose run something of a scene is read: often the next one's, to guess.

        Args:
            scene: where it stands.
            truth: what is read.

        Returns:
            That scene itself where the truth names no other.

        Raises:
            LookupError: the truth names a scene that is not there.
        """
        return self.scene(truth.scene) if truth.scene else scene

    def place(self, at: int) -> tuple[int, int]:
        """Where in the lecture something is.

        Args:
            at: index in `scenes`.

        Returns:
            The number of its scene, from 1, and of the step in it, 0 for the scene itself.
        """
        first = max(each for each in range(at + 1) if not each or not self.scenes[each].step)
        return sum(not scene.step for scene in self.scenes[1 : at + 1]) + 1, at - first

    def having(self, *scenes: Scene) -> "Lecture":
        """The same with other scenes.

        Args:
            scenes: all of them, in order.

        Returns:
            A new lecture.
        """
        return replace(self, scenes=scenes)
