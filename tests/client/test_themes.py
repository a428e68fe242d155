"""Themes: what they may use, and that every style has a look."""

import re
from pathlib import Path

import pytest
from mexican_train.client.themes import THEMES, theme_for
from mexican_train.client.wish import THEME_NAMES

HUE = re.compile(r"fg:(#[0-9a-f]{6})")


def luminance(colour: str) -> float:
    """Relative luminance, 0 to 1, of `#rrggbb` (WCAG 2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def hues(name: str) -> list[str]:
    return [match[1] for look in THEMES[name].styles.values() if (match := HUE.search(look))]


def test_the_command_line_names_each_theme() -> None:
    assert set(THEME_NAMES) == set(THEMES)


@pytest.mark.parametrize("name", THEMES)
def test_hues_read_on_light_and_on_dark(name: str) -> None:
    """Against white and against black the contrast is at least 3.4 to 1."""
    for hue in hues(name):
        assert 1.05 / (luminance(hue) + 0.05) >= 3.4, hue
        assert (luminance(hue) + 0.05) / 0.05 >= 3.4, hue


@pytest.mark.parametrize("name", THEMES)
def test_only_the_foreground_of_numbers_is_coloured(name: str) -> None:
    """No background, and no hue for anything but the digits of a number."""
    theme = THEMES[name]
    for style, look in theme.styles.items():
        assert "bg:" not in look
        assert ("fg:" in look) == (style.startswith("pip") and theme.has_colour)


@pytest.mark.parametrize("name", ["default", "colour-blind"])
def test_each_number_has_a_look_of_its_own(name: str) -> None:
    looks = [THEMES[name].styles[f"pip{number}"] for number in range(19)]
    assert len(set(looks)) == 19


def test_every_style_that_is_painted_has_a_look() -> None:
    """In the sources of the panes: no name is misspelt."""
    folder = Path(__file__).parents[2] / "client"
    known = set(THEMES["default"].styles)
    painted = {
        "title",
        "strong",
        "selected",
        "turn",
        "open",
        "owed",
        "key",
        "notice",
        "alarm",
        "end",
    }
    assert painted <= known
    for module in ("panes", "pages", "layout", "keys"):
        source = (folder / f"{module}.py").read_text()
        for styles in re.findall(r'Fragment\([^()]*, "([a-z ]+)"[,)]', source):
            assert set(styles.split()) <= known, styles


def test_no_colour_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR takes the hues of any theme away; empty it says nothing."""
    monkeypatch.setenv("NO_COLOR", "1")
    assert theme_for("default").name == "none"
    monkeypatch.setenv("NO_COLOR", "")
    assert theme_for("colour-blind").name == "colour-blind"
