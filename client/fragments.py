"""Styled text in lines: what painting makes, before any terminal is thought of. Pure.

A `Fragment` is text with the names of its styles and, where it can be clicked, what a click
touches. Text in it is clean; its width is counted in columns of a terminal.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .clean import width, wrapped


class Fragment(NamedTuple):
    """A piece of a line. `styles` are names of a theme, with spaces between."""

    text: str
    styles: str = ""
    touch: str = ""
    """What a click here means: `tile:12-7`, `train:p2`, `row:3`, `key:d`; empty for nothing."""


Line = Sequence[Fragment]
BLANK: Line = ()


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The few characters that are not in every font."""

    ellipsis: str
    rule: str
    bar: str
    dot: str


UNICODE = Glyphs(ellipsis="…", rule="─", bar="│", dot="·")
ASCII = Glyphs(ellipsis="..", rule="-", bar="|", dot="-")
_NARROW = "…│·─ "
"""One column each; a blank at the end, so that what is left after the last is looked at."""


def line_width(line: Line) -> int:
    """The columns that a line takes."""
    return text_width("".join([fragment.text for fragment in line]))


def text_width(text: str) -> int:
    """The columns that a text takes; quick for ASCII and our own few characters beyond it."""
    rest = text
    for char in _NARROW:
        if rest.isascii():
            return len(text)
        rest = rest.replace(char, "")
    return width(text)


def plain_text(line: Line) -> str:
    """A line without its styles."""
    return "".join(fragment.text for fragment in line)


def cut(text: str, columns: int, ellipsis: str = "…") -> str:
    """`text` in at most `columns`, its end cut off where it is too wide."""
    if text_width(text) <= columns:
        return text
    room = columns - len(ellipsis)
    while text and text_width(text) > room:
        text = text[:-1]
    return (text + ellipsis)[: max(0, columns)]


def shortened(name: str, columns: int, ellipsis: str = "…") -> str:
    """A name in at most `columns`, its last two characters kept, by which names of bots differ."""
    if text_width(name) <= columns:
        return name
    end = name[-2:]
    room = columns - text_width(end) - len(ellipsis)
    if room < 2:
        return cut(name, columns, ellipsis)
    return cut(name, room, "") + ellipsis + end


def filled(text: str, columns: int, ellipsis: str = "…") -> str:
    """`text` cut or filled with spaces to exactly `columns`."""
    text = cut(text, columns, ellipsis)
    return text + " " * (columns - text_width(text))


def clipped(line: Line, columns: int) -> Line:
    """`line` without what is beyond `columns`; half a wide character goes too."""
    if line_width(line) <= columns:
        return line
    kept: list[Fragment] = []
    left = columns
    for fragment in line:
        wide = text_width(fragment.text)
        if wide > left:
            kept.append(fragment._replace(text=cut(fragment.text, left, "")))
            break
        kept.append(fragment)
        left -= wide
    return kept


def padded_line(line: Line, columns: int) -> Line:
    """`line` in exactly `columns`."""
    line = clipped(line, columns)
    rest = columns - line_width(line)
    return [*line, Fragment(" " * rest)] if rest else line


def folded(text: str, columns: int, indent: str = "") -> list[str]:
    """`text` in lines of at most `columns`; later ones are indented by no more than half of it."""
    return wrapped(text, columns, indent[: columns // 2])


def plain_lines(texts: Iterable[str], styles: str = "") -> list[Line]:
    """A line for each text."""
    return [(Fragment(text, styles),) for text in texts]


def flowed(cells: Iterable[Line], columns: int, between: str = "  ") -> list[Line]:
    """The cells in lines of at most `columns`, each whole unless it is wider than a line."""
    lines: list[list[Fragment]] = []
    room = 0
    for cell in cells:
        wide = line_width(cell)
        if lines and wide + len(between) <= room:
            lines[-1] += [Fragment(between), *cell]
            room -= wide + len(between)
        else:
            lines.append(list(clipped(cell, columns)))
            room = columns - wide
    return list(lines)
