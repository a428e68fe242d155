"""Write the screenshots of the README, or with `--check` fail if one is stale.

They come from `mt-server` and `mt-client` themselves, on a terminal of 80 by 24. The deal follows
from a fixed seed and the bots wait for nobody, so that the same keys give the same pictures.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.children import game_server
from scripts.terminals import Terminal, on_terminal

README = Path(__file__).resolve().parents[2] / "README.md"
GAME = ("--seats=4", "--bots=3:planner", "--seed=0b", "--rule=game.rounds=3")
TURNS_BEFORE = 5
TRIES = 2
"""A machine that stands still for a moment may show half of a picture."""
NEXT_TILE, QUIT = "\t", "qq"


@contextmanager
def game(*, pace: str, size: tuple[int, int] = (80, 24)) -> Iterator[Terminal]:
    """Ann on a terminal, in the game from the fixed seed; `pace` is for the server."""
    with tempfile.TemporaryDirectory() as home, game_server([*GAME, f"--pace={pace}"]) as server:
        command = [str(Path(sys.executable).with_name("mt-client")), f"{server.host}:{server.port}"]
        folders = {f"XDG_{kind}_HOME": home for kind in ("CONFIG", "DATA", "STATE")}
        options = ["--name=Ann", "--table=table-1", "--lang=en"]
        with on_terminal([*command, *options], size=size, environment=folders) as terminal:
            yield terminal
            terminal.press(QUIT)
            terminal.end()


def picture() -> str:
    """What a player sees in the middle of a round, a tile selected."""
    with game(pace="0") as terminal:
        for _ in range(TURNS_BEFORE):
            take_turn(terminal)
        terminal.see("YOUR TURN")
        terminal.press(NEXT_TILE)
        return terminal.rest()


def take_turn(terminal: Terminal) -> None:
    """Do the first thing that is offered, and wait until it has been done and it is Ann again."""
    shown = terminal.see("YOUR TURN(.|\n)*^Your hand: .*$")
    (hand,) = re.findall("^Your hand: (.*?), own order", shown, re.MULTILINE)
    terminal.press(":1\r")
    terminal.see(f"YOUR TURN(.|\n)*^Your hand: (?!{re.escape(hand)})")


def written(readme: str, shown: str) -> str:
    """The README with the picture between its marks."""
    block = f"<!-- screenshot: scripts/docs/screenshots.py -->\n```text\n{shown}\n```\n<!-- end -->"
    return re.sub(
        r"<!-- screenshot: .*?<!-- end -->", lambda _: block, readme, count=1, flags=re.DOTALL
    )


def main() -> None:
    """Write the picture, or hold it against the one that stands there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if stale")
    asked = parser.parse_args()
    readme = README.read_text(encoding="utf-8")
    for _ in range(TRIES):
        renewed = written(readme, picture())
        if renewed == readme:
            return
    if asked.check:
        sys.exit("README.md shows another screen than the program: run scripts/docs/screenshots.py")
    README.write_text(renewed, encoding="utf-8")
    print("README.md written")


if __name__ == "__main__":
    main()
