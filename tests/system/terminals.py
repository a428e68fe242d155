"""A person at a pseudo-terminal: `mt-client` with keys to press and the picture that it shows."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyte

from scripts.children import READY_SECONDS
from tests.system.processes import Server, program


class Terminal:
    """A pseudo-terminal with `mt-client` on it, and the picture that it shows."""

    def __init__(
        self, process: subprocess.Popen[bytes], master: int, size: tuple[int, int]
    ) -> None:
        self.process = process
        self.master = master
        self.raw = b""
        self.is_there = True
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)

    def hang_up(self) -> None:
        """Close the window: from now on nothing is on the other side."""
        with Path(os.devnull).open("r+b") as nothing:
            os.dup2(nothing.fileno(), self.master)
        self.is_there = False

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Another size, told as a terminal tells it: by SIGWINCH."""
        self._screen.resize(rows, columns)
        _set_size(self.master, columns, rows)

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    def see(self, pattern: str) -> str:
        """Read until the picture matches; the picture."""
        give_up = time.monotonic() + READY_SECONDS
        while not re.search(pattern, self.text(), re.MULTILINE):
            assert time.monotonic() < give_up, self.text()
            assert self.read(0.5) or self.process.poll() is None, self.text()
        return self.text()

    def end(self) -> int:
        """Read to the end of the program; its exit code."""
        while self.read(0.5) or self.process.poll() is None:
            pass
        return self.process.wait(READY_SECONDS)

    def is_restored(self) -> bool:
        """Whether the alternate screen was left, the cursor is shown and the mouse is off."""
        modes = {mode: self.raw.rfind(mode) for mode in (b"\x1b[?1049h", b"\x1b[?1049l")}
        cursor = self.raw.rfind(b"\x1b[?25h") > self.raw.rfind(b"\x1b[?25l")
        return 0 <= modes[b"\x1b[?1049h"] < modes[b"\x1b[?1049l"] and cursor

    def read(self, seconds: float) -> bytes:
        """What comes within so many seconds; nothing at the end."""
        if not select.select([self.master], [], [], seconds)[0]:
            return b""
        try:
            read = os.read(self.master, 65536)
        except OSError:  # nobody holds the other side any more
            return b""
        self.raw += read
        self._stream.feed(read)
        return read


def _set_size(descriptor: int, columns: int, rows: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@contextmanager
def client(
    server: Server,
    *options: str,
    size: tuple[int, int] = (80, 24),
    inside: Sequence[str] = (),
    errors: int | None = None,
    **environment: str,
) -> Iterator[Terminal]:
    """`mt-client` at the server's table, in a session of its own on a new terminal."""
    master, slave = pty.openpty()
    _set_size(master, *size)
    before = termios.tcgetattr(slave)
    command = [
        *inside,
        program("mt-client"),
        server.address,
        "--name=Ann",
        "--table=table-1",
        *options,
    ]
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave if errors is None else errors,
        start_new_session=True,
        env=env | {"TERM": "xterm-256color"} | environment,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads here
    )
    with process:
        try:
            terminal = Terminal(process, master, size)
            yield terminal
            # no raw mode left behind
            assert not terminal.is_there or termios.tcgetattr(slave) == before
        finally:
            if process.poll() is None:
                process.kill()
            os.close(slave)
            os.close(master)
