"""The languages of the screens. Apart from the state: a server knows them before it has torch."""

LANGUAGES = ("en", "zh")  # a folder of app/words each; the first where no other is asked for


def language_of(accepted: str) -> str:
    """The language of a browser, given its Accept-Language header or a tag such as "zh-CN"."""
    wanted = accepted.strip().lower()
    return next((each for each in LANGUAGES if wanted.startswith(each)), LANGUAGES[0])
