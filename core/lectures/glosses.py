"""What the words of a sentence mean in the other language, for who reads only that one."""

from glassformer.core.lectures.lecture import Lecture
from glassformer.core.trace.trace import Trace


def gloss_words(lecture: Lecture, trace: Trace) -> list[tuple[str, str]]:
    """The words of the sentence that was read, each with what it means.

    Args:
        lecture: its own glosses come first, a word as it stands or in small letters.
        trace: the run of the sentence; of a word without a gloss it says which word of the
            translation looked there most, if that one looked nowhere else more.

    Returns:
        Word and gloss, "" where nobody knows it; a text that is continued has only the lecture's.
    """
    told = lecture.gloss.get(trace.direction.partition("-")[0], {})
    words = trace.source_tokens or trace.target_tokens
    found = _aligned(trace) if trace.task == "translate" else {}
    return [
        (word, told.get(word) or told.get(word.lower()) or found.get(at, ""))
        for at, word in enumerate(words)
    ]


def _aligned(trace: Trace) -> dict[int, str]:
    """By position of the source the word that was written while it was looked at."""
    last = trace.config.decoder_layers - 1
    weights = trace[f"decoder/{last}/cross_attention/weights"][0].mean(dim=0)  # (T, S)
    looked = weights.argmax(dim=1).tolist()
    most = weights.argmax(dim=0).tolist()
    found = {at: trace.output_tokens[row] for at, row in enumerate(most) if looked[row] == at}
    return {at: word for at, word in found.items() if word != trace.source_tokens[at]}
