"""Whole games in Norwegian, as a person at a pipe reads them and another on the full screen."""

import re
import subprocess
from contextlib import ExitStack
from typing import IO

import pytest

from tests.norwegian import english_in
from tests.system.processes import END_SECONDS, program, running_server
from tests.system.terminals import Terminal, client

pytestmark = pytest.mark.system

LOOKS = ("tur", "bord", "hånd", "poeng", "logg", "hjelp", "regler", "regler alle")
WRONG = ("tekk", "12-3 ingen", "0-0 p0", "pass", "ferdig", "dunk", "stem vent", "omkamp", "99")
"""What most often cannot be done: the refusals are sentences too."""


@pytest.mark.parametrize("rules", ["classic", "bernie"])
def test_no_line_has_an_english_word(rules: str) -> None:
    """From the first line to the ranking, with everything that can be looked at or is refused."""
    options = ("--seats=3", "--bots=2:random", "--pace=0", "--between-seconds=0")
    with ExitStack() as stack:
        server = stack.enter_context(
            running_server(*options, f"--rules={rules}", "--rule=game.rounds=2", "--exit-when-done")
        )
        client = subprocess.Popen(
            [
                *(program("mt-client"), server.address, "--plain", "--lang=nb"),
                *("--name=Kari", "--table=table-1"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(client.kill)
        stack.enter_context(client)
        said = played(client.stdin, client.stdout)
        assert client.wait(END_SECONDS) == 0
        assert server.wait() == 0
    assert "Runde 2 av 2 begynner. Motoren er" in said
    assert "Sluttstilling:" in said
    told = re.sub(r"\(sjekksum \w+\)|table-1", "", said)
    assert not english_in(told), english_in(told)


def played(typed: IO[str] | None, printed: IO[str] | None) -> str:
    """Take the first choice until the game is over, and look about first; what was printed."""
    assert typed is not None
    assert printed is not None
    said = []
    asked = [*LOOKS, *WRONG]
    for line in printed:
        said.append(line)
        if line.startswith(("Du kan:", "You can:")):
            line_typed = asked.pop(0) if asked else "1"
            typed.write(f"{line_typed}\n" if line_typed == "1" else f"{line_typed}\ntur\n")
            typed.flush()
        elif "Spillet er slutt" in line or "The game is over" in line:
            typed.write("bord\nslutt\n")
            typed.flush()
    return "".join(said)


PAGES = (
    *("?", "\x1bOP", "s", "L", "v", "o", "o", "o", "m", "m", "q", "c", "99\r", "pass\r", "\t?"),
    *(":hånd\r", ":bord\r", ":tur\r", ":hjelp\r", ":tekk\r", ":hvorfor 0-0\r", ":hvorfor trekk\r"),
    *(":stem vent\r", ":dunk\r", ":regler alle\r"),
)
"""What is pressed once, with Esc after it: everything that can be looked at, and refusals."""


def test_no_picture_has_an_english_word() -> None:
    """Played by the hints, from the first hand to the ranking, and every page is looked at."""
    options = ("--seats=3", "--bots=2:random", "--pace=0", "--between-seconds=1000")
    with ExitStack() as stack:
        rules = ("--rule=game.rounds=2", "--exit-when-done")
        server = stack.enter_context(running_server(*options, *rules))
        screen = stack.enter_context(client(server, "--lang=nb"))
        pictures = seen_playing(screen)
        screen.press("xq")
        assert screen.end() == 0
        assert server.wait() == 0
    seen = "\n".join(pictures)
    for words in (
        "DIN TUR",
        "Hånden din",
        "Hjelp",
        "Logg",
        "Regler",
        "Sluttstilling",
        "Ikke klare",
    ):
        assert words in seen, words
    for picture in pictures:
        told = re.sub(r"\(sjekksum \w+\)|table-1", "", picture)
        assert not english_in(told), (english_in(told), picture)


def seen_playing(screen: Terminal) -> list[str]:
    """Look about, then do as the hints say until the game is over; all the pictures."""
    pictures: list[str] = []
    asked = [*PAGES]
    while True:
        picture = screen.see("DIN TUR|Sluttstilling|Ikke klare")
        pictures.append(picture)
        if "Sluttstilling" in picture:
            return pictures
        if "DIN TUR" not in picture:
            pictures.append(pressed(screen, "\r"))
        elif asked:
            pictures.append(pressed(screen, asked.pop(0)))
            pressed(screen, "\x1b")
        elif "Ingen brikke passer" in picture:
            pictures.append(pressed(screen, "d" if "d trekk" in picture else "p"))
        else:
            pictures.append(pressed(screen, "H"))
            pictures.append(pressed(screen, "\r"))


def pressed(screen: Terminal, keys: str) -> str:
    """The picture after these keys, when nothing more comes."""
    screen.press(keys)
    quiet = 0.5
    while screen.read(quiet):
        quiet = 0.05
    return screen.text()
