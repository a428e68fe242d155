"""A person at a pipe: `mt-client --plain` driven by a script that takes the first choice."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, STDOUT
from threading import Timer

from tests.system.processes import END_SECONDS, program

Hand = tuple[tuple[int, int], ...]

DYING = """
import os, signal, sys
call, count = sys.argv[1], int(sys.argv[2])
def note(name, *rest):
    global count
    if name == call:
        count -= 1
        if not count:
            os.kill(os.getpid(), signal.SIGKILL)
sync = os.fsync
os.fsync = lambda descriptor: (note("fsync"), sync(descriptor))
sys.addaudithook(note)
sys.argv[1:3] = []
from mexican_train.client.cli import main
main()
"""
"""The client, which ends by `kill -9` as it begins the call of this name for the nth time."""


class Sitting:
    """One life of a line client: a person at a pipe who always takes the first choice."""

    def __init__(self, command: Sequence[str], home: Path) -> None:
        folders = {f"XDG_{kind}_HOME": str(home / kind) for kind in ("STATE", "DATA")}
        self.process = subprocess.Popen(
            command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=STDOUT,
            text=True,
            env=os.environ | folders,
        )
        self.said: list[str] = []
        self.moves_typed = 0

    def lines(self) -> Iterator[str]:
        """What it says, to its end."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.rstrip("\n"))
            yield line

    def type(self, line: str) -> None:
        """Type a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def move(self) -> None:
        """Take the first choice."""
        self.moves_typed += 1
        self.type("1")

    def until(self, words: str) -> str:
        """Let it say on, without a move, up to a line that begins so; that line."""
        for line in self.lines():
            if line.startswith(words):
                return line
        raise AssertionError(f"it ended before: {self.said[-5:]}")

    def kill(self) -> None:
        """`kill -9`; what it has said until then is kept."""
        self.process.send_signal(signal.SIGKILL)
        for _ in self.lines():
            pass

    def play_until(self, point: str, moves: int) -> None:
        """Play so many moves more, and then get killed at this point."""
        for line in self.lines():
            if line.startswith("You can:"):
                if moves == 0 and point == "turn":
                    break
                self.move()
                if moves == 0 and point == "sent":
                    break
                moves = max(0, moves - 1)
            told = re.match(r"You (play|draw|pass)", line) and self.moves_typed
            if moves == 0 and (point == "welcome" or (point == "told" and told)):
                break
        else:
            raise AssertionError(f"it ended before: {self.said[-5:]}")
        self.kill()

    def play_on(self) -> Path:
        """Play to the end of the game; where the record of it is."""
        record = None
        for line in self.lines():
            if line.startswith("You can:"):
                self.move()
            elif "game is over" in line.lower() and record is None:
                self.type("record")
            elif saved := re.match(r"The record is saved in (.*)", line):
                record = Path(saved[1])
                self.type("quit")
        assert record is not None, self.said[-20:]
        return record

    def hands(self) -> Iterator[Hand]:
        """The hands that it showed."""
        text = "\n".join(self.said)
        for shown in re.findall(r"^Your hand \(.*\):\n((?:  .*\n)+)", text, re.MULTILINE):
            tiles = re.findall(r"(\d+)-(\d+)", shown)
            yield tuple(sorted((int(high), int(low)) for high, low in tiles))


@contextmanager
def sitting(
    server: str, home: Path, dies_at: tuple[str, int] | None = None, *, seconds: float = END_SECONDS
) -> Iterator[Sitting]:
    """Ann at the table `t`, for so long at most; `dies_at`: the call, and which, that kills her."""
    start = [program("mt-client")]
    if dies_at is not None:
        start = [sys.executable, "-c", DYING, dies_at[0], str(dies_at[1])]
    person = Sitting([*start, server, "--plain", "--name=Ann", "--table=t"], home)
    in_time = Timer(seconds, person.process.kill)
    in_time.start()
    with person.process:
        try:
            yield person
        finally:
            in_time.cancel()
            person.process.kill()
