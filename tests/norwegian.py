"""What the catalogue of Norwegian has, and whether a line that was printed is Norwegian."""

import re
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

PO = Path(__file__).parents[1] / "client/locale/nb/LC_MESSAGES/mexican_train.po"
NAMES = frozenset({"planner", "random", "greedy", "classic", "bernie", "solo", "mt", "server"})
"""Words that stay as they are: of strategies, rules, programs."""
_OPTION = re.compile(r"\b[a-z_]+\.[a-z_]+( = [\w,+-]+)?")


@cache
def catalogue() -> Catalog:
    """The source of the catalogue."""
    with PO.open("rb") as file:
        return read_po(file, locale="nb")


def words(text: str) -> set[str]:
    """The words of a text, without parts in braces."""
    return set(re.findall(r"[^\W\d_]+", re.sub(r"\{\w*\}", " ", text).lower()))


@cache
def english_words() -> frozenset[str]:
    """Words of the English sentences that no Norwegian one has."""
    english: set[str] = set()
    norwegian: set[str] = set()
    for message in catalogue():
        if message.id and message.context != "typed":
            told = " ".join(message.auto_comments) if message.context else str(message.id)
            english |= words(told)
            norwegian |= words(str(message.string))
    return frozenset(english - norwegian - NAMES)


def english_in(text: str) -> set[str]:
    """The English words in what was printed; the names of options are none."""
    return words(_OPTION.sub(" ", " ".join(text.split()))) & english_words()
