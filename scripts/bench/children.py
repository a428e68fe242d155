"""Child processes of the server benchmark: start, address, CPU time, memory, end.

Each child announces its port, serves on loopback, and ends when its standard input closes, so
that none outlives the benchmark. Linux only: clocks and pages of another process are read.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

READY_SECONDS = 30.0
END_SECONDS = 15.0
SERVER_OPTIONS = (
    "--host=127.0.0.1 --port=0 --pace=0 --between-seconds=0 --bot-seconds=3600 "
    "--log-level=error --until-stdin-closes"
)
"""Time for a choice without end: a table rests while the other side is measured."""


class ChildError(Exception):
    """A child did not start or end as it should; the text says how in one line."""


@dataclass(frozen=True)
class Child:
    """A running child that accepts connections at 127.0.0.1 and `port`."""

    pid: int
    port: int

    def cpu_seconds(self) -> float:
        """CPU time that the process has used so far, in all threads, user and system."""
        # the kernel's number for the clock of another process, as clock_getcpuclockid(3) makes it
        return time.clock_gettime((~self.pid << 3) | 2)

    def resident_bytes(self) -> int:
        """Memory of the process that is in RAM. Socket buffers are the kernel's and not in it."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def game_server(folder: Path | None = None, profile: Path | None = None) -> Iterator[Child]:
    """`mt-server` without a table; with `folder` it stores what happens in a new file there.

    With `profile` it runs under cProfile, which writes there.
    """
    profiler = ["-m", "cProfile", "-o", str(profile)] if profile else []
    command = [sys.executable, *profiler, "-m", "mexican_train.server.cli"]
    with ExitStack() as stack:
        stored = []
        if folder is not None:
            files = stack.enter_context(tempfile.TemporaryDirectory(dir=folder))
            stored = [f"--db={Path(files) / 'games.db'}"]
        child = stack.enter_context(_running([*command, *SERVER_OPTIONS.split(), *stored]))
        yield child


@contextmanager
def peer(name: str) -> Iterator[Child]:
    """A server of `peers.py`: `echo` or `broadcast`."""
    with _running([sys.executable, str(Path(__file__).with_name("peers.py")), name]) as child:
        yield child


@contextmanager
def _running(command: list[str]) -> Iterator[Child]:
    with tempfile.TemporaryDirectory() as folder:
        ready_file = Path(folder) / "ready.json"
        with subprocess.Popen(
            [*command, f"--ready-file={ready_file}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        ) as process:
            try:
                yield Child(process.pid, _port(ready_file, process))
            finally:
                _end(process)


def _port(ready_file: Path, process: subprocess.Popen[bytes]) -> int:
    give_up = time.monotonic() + READY_SECONDS
    while not ready_file.exists():
        if process.poll() is not None:
            raise ChildError(f"a child ended with code {process.returncode} before it was ready")
        if time.monotonic() > give_up:
            raise ChildError(f"a child was not ready after {READY_SECONDS:.0f} s")
        time.sleep(0.01)
    return int(json.loads(ready_file.read_text())["port"])


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close its standard input, and kill it if that does not help."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
