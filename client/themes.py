"""Themes: what the names of styles look like on a terminal.

Only the default foreground and background are used, so that a theme reads on light and on dark;
a hue colours the digits of its number and tells nothing that the digits do not. The hues have a
luminance about half-way, which stands out from black and from white alike.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

PLAIN_STYLES: Mapping[str, str] = {
    "strong": "bold",
    "title": "bold",
    "selected": "reverse bold",
    "turn": "bold",
    "open": "bold",
    "owed": "bold reverse",
    "key": "bold",
    "notice": "bold",
    "alarm": "bold reverse",
    "end": "bold underline",
}
"""Without hues: bold, underlined and reverse."""

_HUES = (
    *("#8a7300", "#d32f2f", "#2e7d32", "#1e6fd0", "#b25500", "#8e44ad", "#00808a"),
    *("#c2185b", "#6a7d00", "#5c5fd0", "#a5562a", "#008060", "#b0399b"),
    *("#4a7d00", "#c0402a", "#2b79a8", "#96661a", "#7d55c0", "#b23a6b"),
)
"""One a number, 0 to 18; neighbours far apart on the wheel."""

_SAFE_HUES = ("#0072b2", "#b25f00", "#a85688", "#00806a")
"""Blue, orange, purple and green that are told apart with any colour vision; they come again
underlined, in italics and both, so that no two numbers look alike."""
_SAFE_MARKS = ("", " underline", " italic", " underline italic", " bold underline italic")


def _pips(hues: tuple[str, ...]) -> dict[str, str]:
    return {f"pip{number}": f"fg:{hue}" for number, hue in enumerate(hues)}


def _safe_pips() -> dict[str, str]:
    return {
        f"pip{number}": f"fg:{_SAFE_HUES[number % 4]}{_SAFE_MARKS[number // 4]}"
        for number in range(19)
    }


@dataclass(frozen=True, slots=True)
class Theme:
    """How styles look, in the words of prompt_toolkit; `has_colour` if any of them is a hue."""

    name: str
    styles: Mapping[str, str]
    has_colour: bool

    def look(self, styles: str) -> str:
        """What a fragment with these styles looks like; a name without a look has none."""
        return " ".join(self.styles[name] for name in styles.split() if name in self.styles)


_CONTRAST: Mapping[str, str] = {
    **PLAIN_STYLES,
    "notice": "bold reverse",
    "open": "bold underline",
    "title": "reverse",
}

THEMES: Mapping[str, Theme] = {
    theme.name: theme
    for theme in (
        Theme("default", {**PLAIN_STYLES, **_pips(_HUES)}, has_colour=True),
        Theme("high-contrast", _CONTRAST, has_colour=False),
        Theme("colour-blind", {**PLAIN_STYLES, **_safe_pips()}, has_colour=True),
        Theme("none", PLAIN_STYLES, has_colour=False),
    )
}


def theme_for(name: str) -> Theme:
    """The theme of that name; without hues where the environment has NO_COLOR."""
    return THEMES["none" if os.environ.get("NO_COLOR") else name]
