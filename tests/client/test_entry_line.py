"""The entry line under its keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mexican_train.client.entry_line import HISTORY_MAX, TYPED_CHARS_MAX, EntryLine


@pytest.mark.parametrize(
    ("keys", "text", "cursor"),
    [
        ("a b c", "abc", 3),
        ("a left b", "ba", 1),
        ("a b left left left right c", "acb", 2),
        ("a b home c end d", "cabd", 4),
        ("a b c-a c c-e d", "cabd", 4),
        ("a b backspace", "a", 1),
        ("a b left delete", "a", 1),
        ("a b left c-u", "b", 0),
        ("a b left c-k", "a", 1),
        ("backspace delete left right", "", 0),
        ("c-b c-f a", "a", 1),
    ],
)
def test_keys_edit(keys: str, text: str, cursor: int) -> None:
    line = EntryLine()
    for key in keys.split():
        assert line.press(key)
    assert (line.text, line.cursor) == (text, cursor)


def test_a_word_goes_at_once() -> None:
    line = EntryLine("say good bye", 12)
    line.press("c-w")
    assert line.text == "say good "
    line.press("c-w")
    assert line.text == "say "


def test_what_was_typed_before_comes_back() -> None:
    """Up goes back in time, down returns to the line that was begun; the history is bounded."""
    line = EntryLine()
    for number in range(HISTORY_MAX + 5):
        line.start(f"line {number}")
        assert line.finish() == f"line {number}"
    line.start("half")
    line.press("up")
    line.press("up")
    assert line.text == f"line {HISTORY_MAX + 3}"
    line.press("down")
    line.press("down")
    line.press("down")
    assert (line.text, line.cursor) == ("half", 4)
    assert len(line.history) == HISTORY_MAX


def test_other_keys_do_nothing() -> None:
    assert not EntryLine().press("f1")


@given(st.text(max_size=50))
def test_one_line_that_can_be_printed(pasted: str) -> None:
    """Whatever is pasted: one line, without control characters, of a bounded length."""
    line = EntryLine()
    line.insert(pasted)
    assert line.text.isprintable()
    assert line.cursor == len(line.text)
    line.insert("x" * 5000)
    assert len(line.text) <= TYPED_CHARS_MAX
