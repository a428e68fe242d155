"""Remote text made safe for a terminal, and text measured in columns.

Everything that another machine has written goes through `clean` before it is drawn: names, chat,
sentences of the server. Nothing that moves the cursor, turns the writing direction or hides
survives it.
"""

import unicodedata

from wcwidth import wcswidth, wcwidth

COMBINING_MAX = 2
"""Marks kept on one character; a higher pile would run into the lines above."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_SPACES = frozenset("\t\n\r\v\f\x85\u2028\u2029")


def clean(text: str) -> str:
    """`text` in one line, without control, format (bidi, invisible) and unassigned characters.

    Line ends and tabs become a space; more than `COMBINING_MAX` combining marks in a row are cut.
    """
    kept: list[str] = []
    pile = 0
    for char in text:
        if char in _SPACES:
            kept.append(" ")
            pile = 0
        elif unicodedata.category(char) in _HIDDEN:
            continue
        elif wcwidth(char) == 0:
            pile += 1
            if kept and pile <= COMBINING_MAX:
                kept.append(char)
        else:
            pile = 0
            kept.append(char)
    return "".join(kept)


def width(text: str) -> int:
    """The columns that a cleaned `text` takes on a terminal."""
    columns = wcswidth(text)
    return columns if columns >= 0 else len(text)


def padded(text: str, columns: int) -> str:
    """`text` cut or filled with spaces to exactly `columns`."""
    if width(text) > columns:
        while text and width(text) > columns - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (columns - width(text))


def wrapped(text: str, columns: int = 80, indent: str = "") -> list[str]:
    """`text` in lines of at most `columns`, broken at spaces; later lines begin with `indent`.

    Spaces at the start are kept. A word longer than a line is broken where the line is full.
    """
    words = text.lstrip(" ")
    line = text[: len(text) - len(words)]
    lines: list[str] = []
    is_fresh = True
    for word in words.split(" "):
        rest = word
        while width(candidate := line + rest if is_fresh else f"{line} {rest}") > columns:
            if not is_fresh:
                lines.append(line)
                line, is_fresh = indent, True
                continue
            fitting = len(rest) - 1
            while fitting > 1 and width(line + rest[:fitting]) > columns:
                fitting -= 1
            lines.append(line + rest[:fitting])
            line, rest = indent, rest[fitting:]
        if rest or not (is_fresh and lines):  # no blank is carried to the start of a later line
            line, is_fresh = candidate, False
    return [*lines, line]
