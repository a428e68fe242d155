"""Play a whole game over TCP: three house bots of `mt-server` against a scripted person.

What scripts/play shows where there is no terminal: a server as a child process on a free loopback
port, a person who always takes the first thing offered, each round's scores, the final ranking.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mexican_train.client import Bot, View, run
from mexican_train.protocol import (
    AnyEvent,
    Choice,
    GameOver,
    RoundOver,
    RoundStarted,
    TableInfo,
)

NAME = "Ann"
READY_SECONDS = 30
END_SECONDS = 30
OPTIONS = (
    "--host=127.0.0.1 --port=0 --seats=4 --bots=3:greedy --pace=0 --between-seconds=0 "
    "--exit-when-done --until-stdin-closes"
)


class DemoError(Exception):
    """The game could not be played to its end; the text says why in one line."""


class ScriptedPerson(Bot):
    """Takes the first choice each time, and prints the rounds as a score keeper would."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.engine = ""

    def choose(self, view: View, choices: Sequence[Choice]) -> Choice:
        """Return the first choice."""
        del view
        return choices[0]

    def on_table(self, table: TableInfo, seat: int | None) -> None:
        """Note who sits where."""
        del seat
        self.names = [place.name for place in table.seats]

    def on_event(self, event: AnyEvent) -> None:
        """Note the engine of each round; above the first, print the head of the score sheet."""
        if isinstance(event, RoundStarted):
            self.engine = "{}-{}".format(*event.engine)
            if event.round == 1:
                print_row("round", "engine", self.names)

    def on_round_over(self, event: RoundOver) -> None:
        """Print one row: the round, its engine tile, the score of each seat."""
        print_row(str(event.round), self.engine, event.scores)

    def on_game_over(self, event: GameOver) -> None:
        """Print the totals and the ranking, where equal totals share a place."""
        print_row("total", "", event.totals)
        print()
        for place, total, name in sorted(zip(event.places, event.totals, self.names, strict=True)):
            print(f"{place}. {name}, {total}")


def print_row(first: str, second: str, cells: Sequence[object]) -> None:
    """Print one row of the score sheet."""
    print(f"{first:>5}  {second:<6}", *(f"{cell!s:>10}" for cell in cells), flush=True)


def wait_for_address(ready_file: Path, server: subprocess.Popen[bytes]) -> str:
    """Return `HOST:PORT` of the server as soon as it accepts connections.

    Raises:
        DemoError: It ended, or took longer than READY_SECONDS.
    """
    give_up = time.monotonic() + READY_SECONDS
    while not ready_file.exists():
        if server.poll() is not None:
            raise DemoError(f"the server ended with code {server.returncode} before it was ready")
        if time.monotonic() > give_up:
            raise DemoError(f"the server was not ready after {READY_SECONDS} s")
        time.sleep(0.01)
    ready = json.loads(ready_file.read_text())
    return f"{ready['host']}:{ready['port']}"


@contextmanager
def running_server(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run the server and give it with its address; afterwards it is gone, whatever happened.

    It writes its log into `folder` and ends by itself when this process is gone, since its
    standard input then closes.
    """
    command = [str(Path(sys.executable).with_name("mt-server")), *OPTIONS.split()]
    ready_file = folder / "ready.json"
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, f"--ready-file={ready_file}"],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    with server:
        try:
            yield server, wait_for_address(ready_file, server)
        finally:
            if server.poll() is None:
                server.kill()


def play(folder: Path) -> None:
    """Play the game.

    Raises:
        DemoError: It did not come to its end, or the server did not end well after it.
    """
    with running_server(folder) as (server, address):
        print(f"Three house bots and {NAME}, who plays by a script, over TCP at {address}.\n")
        run(ScriptedPerson(), address, name=NAME, kind="person")
        try:
            code = server.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            raise DemoError("the server did not end after the game") from None
        if code:
            raise DemoError(f"the server ended with code {code}")


def main() -> int:
    """Play the game and return the exit code; a failure shows what the server had to say."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            play(Path(folder))
        except Exception as error:  # noqa: BLE001 - whatever failed, the log tells why
            sys.stderr.write((Path(folder) / "server.log").read_text())
            print(f"scripts/play: {error}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
