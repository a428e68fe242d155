"""Programs on pseudo-terminals: keys to press, the picture shown, and what was written when.

For tests, screenshots and recordings alike. A program has a session of its own, and ends with the
block that started it, whatever happened there.
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyte

SEE_SECONDS = 30.0
"""How long a picture is waited for, and an end."""
READ_SECONDS = 0.5


class TerminalError(Exception):
    """What was waited for did not come; the text is the picture that was there instead."""


class Terminal:
    """A pseudo-terminal with a program on it, and the picture that it shows.

    Attributes:
        process: the program.
        raw: all that it has written.
        written: the same in pieces, each with the seconds since the start.
        is_there: false once `hang_up` has closed the window.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], master: int, size: tuple[int, int]
    ) -> None:
        self.process = process
        self.raw = b""
        self.written: list[tuple[float, bytes]] = []
        self.is_there = True
        self._master = master
        self._start = time.monotonic()
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)

    def hang_up(self) -> None:
        """Close the window: from now on nothing is on the other side."""
        with Path(os.devnull).open("r+b") as nothing:
            os.dup2(nothing.fileno(), self._master)
        self.is_there = False

    def press(self, keys: str) -> None:
        """Type these keys."""
        os.write(self._master, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Another size, told as a terminal tells it: by SIGWINCH."""
        self._screen.resize(rows, columns)
        _set_size(self._master, columns, rows)

    def text(self) -> str:
        """The picture, without the blanks at the right."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def see(self, pattern: str) -> str:
        """Read until the picture matches; the picture. Raises `TerminalError`."""
        give_up = time.monotonic() + SEE_SECONDS
        while not re.search(pattern, self.text(), re.MULTILINE):
            if time.monotonic() > give_up:
                raise TerminalError(self.text())
            if not self.read(READ_SECONDS) and self.process.poll() is not None:
                raise TerminalError(self.text())
        return self.text()

    def rest(self) -> str:
        """Read until nothing comes any more; the picture."""
        while self.read(READ_SECONDS):
            pass
        return self.text()

    def end(self) -> int:
        """Read to the end of the program; its exit code."""
        while self.read(READ_SECONDS) or self.process.poll() is None:
            pass
        return self.process.wait(SEE_SECONDS)

    def is_restored(self) -> bool:
        """Whether the alternate screen was left and the cursor is shown."""
        modes = {mode: self.raw.rfind(mode) for mode in (b"\x1b[?1049h", b"\x1b[?1049l")}
        cursor = self.raw.rfind(b"\x1b[?25h") > self.raw.rfind(b"\x1b[?25l")
        return 0 <= modes[b"\x1b[?1049h"] < modes[b"\x1b[?1049l"] and cursor

    def read(self, seconds: float) -> bytes:
        """What comes within so many seconds; nothing at the end."""
        if not select.select([self._master], [], [], seconds)[0]:
            return b""
        try:
            read = os.read(self._master, 65536)
        except OSError:  # nobody holds the other side any more
            return b""
        self.raw += read
        self.written.append((time.monotonic() - self._start, read))
        self._stream.feed(read)
        return read


@contextmanager
def on_terminal(
    command: Sequence[str],
    *,
    size: tuple[int, int] = (80, 24),
    errors: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Terminal]:
    """A program on a new terminal of `size` columns and rows.

    `errors` takes its standard error. `environment` goes over this one, which is taken without
    NO_COLOR. Raises `TerminalError` if it leaves a raw mode behind.
    """
    master, slave = pty.openpty()
    _set_size(master, *size)
    before = termios.tcgetattr(slave)
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave if errors is None else errors,
        start_new_session=True,
        env=env | {"TERM": "xterm-256color"} | dict(environment or {}),
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads here
    )
    with process:
        try:
            terminal = Terminal(process, master, size)
            yield terminal
            if terminal.is_there and termios.tcgetattr(slave) != before:
                raise TerminalError("a raw mode is left behind")
        finally:
            if process.poll() is None:
                process.kill()
            os.close(slave)
            os.close(master)


def _set_size(descriptor: int, columns: int, rows: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
