"""A lecture with everything in it that a page or a notebook must stand."""

from glassformer.core.interventions import Experiment, masks
from glassformer.core.lectures.lecture import Lecture, Question, Scene, Truth

HOSTILE = "</script><!--<script>alert(1)</script>\u2028 \u202eright to left\u202c <b>bold</b> $x$"
WEIGHTS = "encoder/1/self_attention/weights"
PLACE = {"head": 0, "query": "it", "key": "animal"}
SENTENCE = "The animal didn't cross the street because it was too tired"
ASKED = Question(
    "number",
    {"en": f"How much does it look at animal? {HOSTILE}", "zh": "it 有多少看向 animal？"},
    Truth(WEIGHTS, PLACE, form="percent"),
)


def scene(name: str, page: str, question: Question | None = None, **query: str) -> Scene:
    title = {"en": f"{name} {HOSTILE}", "zh": f"一幕 {name}"}
    text = {"en": f"First.\n\nSecond {HOSTILE}", "zh": "第一段。\n\n第二段。"}
    return Scene(name, page, {"text": SENTENCE, **query}, title, text, question=question)


SCENES = (
    scene("weights", "attention", ASKED, layer="2", head="1"),
    scene("words", "", text="</script> <!-- I love &lt;b&gt; machine learning"),
    scene("walk", "walkthrough", walk="encoder.0.self_attention.scores"),
    scene("switched", "attention", edits=Experiment((masks.Causal(),)).text),
    scene("nowhere", "nosuch"),
)
LECTURE = Lecture(
    "hostile", {"en": HOSTILE, "zh": "一个讲座"}, {"en": HOSTILE, "zh": "关于"}, SCENES
)
