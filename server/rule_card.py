"""The card of a rule set in plain words, for a terminal: one sentence an option."""

import textwrap
from collections.abc import Iterator
from typing import Final

from mexican_train.engine import RuleSet

COLUMNS: Final = 96


def card_lines(rules: RuleSet) -> Iterator[str]:
    """The whole card: name, hash, and every option as a sentence."""
    yield from _heading(rules)
    yield ""
    for line in rules.card():
        yield from _wrapped(line.text, "")


def difference_lines(rules: RuleSet, other: RuleSet) -> Iterator[str]:
    """What differs between two rule sets, each option with both sentences."""
    yield from _heading(rules)
    yield from _heading(other)
    differing = rules.differences(other)
    ours = {line.option: line.text for line in rules.card()}
    theirs = {line.option: line.text for line in other.card()}
    for option in differing:
        yield ""
        yield option
        yield from _wrapped(ours[option], f"  {rules.name}: ")
        yield from _wrapped(theirs[option], f"  {other.name}: ")
    if not differing:
        yield ""
        yield "They are the same."


def _heading(rules: RuleSet) -> Iterator[str]:
    yield f"Rules {rules.name}, hash {rules.hash}"


def _wrapped(text: str, first: str) -> list[str]:
    return textwrap.wrap(text, COLUMNS, initial_indent=first, subsequent_indent=" " * 4)
