"""A whole game in Norwegian, as a person at a pipe reads it."""

import re
import subprocess
from contextlib import ExitStack
from typing import IO

import pytest

from tests.norwegian import english_in
from tests.system.processes import END_SECONDS, program, running_server

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
