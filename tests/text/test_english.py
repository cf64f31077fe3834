import pytest

from glassformer.core.text.tokenizer import Tokenizer


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("I love cats.", "i love cats ."),
        ("the animal did not CROSS", "the animal didn't cross"),
        ("It\u2019s tired", "it is tired"),
        ("my friend's cat", "my friend 's cat"),
        ("I'm happy", "i am happy"),
        ("I cannot cross", "i can't cross"),
        ("He has an apple", "he has a apple"),
        ("\uff29 love \uff43\uff41\uff54\uff53\uff01", "i love cats !"),  # full-width
        ("I lo\u200bve\u202e cats\u200f", "i love cats"),  # zero-width, right-to-left
        ("  I \t love \n cats  ", "i love cats"),
        ("I love cats!!!", "i love cats !"),
        ("tired,happy", "tired , happy"),
        ("didnt", "didn't"),
        ("I like a rose", "i like a rose"),
        ("She is pretty tired", "she is quite tired"),
        ("She is pretty, too", "she is beautiful , too"),
        ("I live at 2, too", "i live at two , too"),
        ("it is 3 o'clock", "it is three o'clock"),
        ("He is drinking water", "he is drinking water"),
        ("I like a quite short video", "i like a quite short video"),
        ("I live at 3 libraries", "i live at <num1> <noun1>"),
    ],
)
def test_pieces(tokenizer: Tokenizer, text: str, pieces: str) -> None:
    assert tokenizer.encode(text, "en").pieces == (*pieces.split(), "<eos>")


def test_surfaces_are_what_was_typed(tokenizer: Tokenizer) -> None:
    encoded = tokenizer.encode("The Animal did not cross", "en")
    assert encoded.surfaces == ("The", "Animal", "did not", "cross", "<eos>")
    assert len(encoded.pieces) == len(encoded.ids) == len(encoded.surfaces)
    assert encoded.unknown == ()


@pytest.mark.parametrize(
    ("text", "piece", "english", "chinese"),
    [
        ("I love penguins", "<noun1>", "penguin", "企鹅"),
        ("I live in Hong Kong", "<name1>", "Hong Kong", "香港"),
        ("I live with Rose", "<name1>", "Rose", "罗丝"),
        ("I live in Zzyzx", "<name1>", "Zzyzx", "Zzyzx"),
        ("I have 25 cats", "<num1>", "25", "25"),
        ("I love cat food", "<noun1>", "cat food", "猫粮"),
        ("I like a short video", "<noun1>", "short video", "短视频"),
        ("I love my mother-in-law", "<noun1>", "mother-in-law", "岳母"),
        ("I love flurbs", "<noun1>", "flurbs", "flurbs"),
        ("I live in 上海", "<name1>", "Shanghai", "上海"),
        ("I love \U0001f355", "<noun1>", "\U0001f355", "\U0001f355"),
    ],
)
def test_unknown_words_travel_in_slots(
    tokenizer: Tokenizer, text: str, piece: str, english: str, chinese: str
) -> None:
    encoded = tokenizer.encode(text, "en")
    filler = encoded.fillers[piece]
    assert (filler.english, filler.chinese) == (english, chinese)
    assert [encoded.pieces[i] for i in encoded.unknown] == [piece]


def test_the_same_unknown_word_keeps_its_slot(tokenizer: Tokenizer) -> None:
    pieces = tokenizer.encode("flurb with zorp like flurb", "en").pieces
    assert pieces[0] == pieces[-2] != pieces[2]


def test_more_unknown_words_than_slots(tokenizer: Tokenizer) -> None:
    words = [f"word{letter}" for letter in "abcdefghijklmn"]
    encoded = tokenizer.encode(" with ".join(words), "en")
    assert encoded.pieces[-2] == encoded.pieces[-4] == "<unk>"
    assert encoded.surfaces[-2] == words[-1]
    assert encoded.pieces.count("<unk>") == 2 and len(encoded.fillers) == 12
