"""Child processes that announce their port: started, waited for, weighed, ended.

For benchmarks, attacks and tests alike. A child is told where its ready file goes (`--ready-file`)
and serves on loopback; it ends with the block that started it, whatever happened there. What it
weighs is read on Linux only.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

READY_SECONDS = 30.0
END_SECONDS = 20.0
GAME_SERVER = (
    "--host=127.0.0.1 --port=0 --pace=0 --between-seconds=0 --bot-seconds=3600 "
    "--log-level=error --until-stdin-closes"
)
"""Time for a choice without end: a table rests while others are measured."""


class ChildError(Exception):
    """A child did not start as it should; the text says how in one line."""


@dataclass(frozen=True)
class Weight:
    """What a process holds at one moment. Socket buffers are the kernel's and not in it."""

    resident_bytes: int
    descriptors: int
    threads: int
    file_bytes: int


@dataclass(frozen=True)
class Child:
    """A running child that accepts connections at `host` and `port`.

    `files`: those whose size is weighed with it, as a database and its log.
    """

    process: subprocess.Popen[bytes]
    host: str
    port: int
    files: tuple[Path, ...] = ()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    def cpu_seconds(self) -> float:
        """CPU time that it has used so far, in all threads, user and system."""
        # the kernel's number for the clock of another process, as clock_getcpuclockid(3) makes it
        return time.clock_gettime((~self.pid << 3) | 2)

    def weigh(self) -> Weight:
        """What it holds now."""
        proc = Path(f"/proc/{self.pid}")
        pages = int((proc / "statm").read_text().split()[1])
        return Weight(
            resident_bytes=pages * os.sysconf("SC_PAGE_SIZE"),
            descriptors=len(list((proc / "fd").iterdir())),
            threads=len(list((proc / "task").iterdir())),
            file_bytes=sum(file.stat().st_size for file in self.files if file.exists()),
        )


@contextmanager
def running(
    command: Sequence[str], *, out: Path | None = None, err: Path | None = None
) -> Iterator[Child]:
    """A child for the time of the block; then it is killed, unless it has ended by itself.

    What it writes goes to the end of the files `out` and `err`, which may be one, or where nobody
    reads it; what it says to standard error is shown where `err` is left out.

    Raises:
        ChildError: it has ended, or is not ready after `READY_SECONDS`.
    """
    with tempfile.TemporaryDirectory() as folder:
        ready_file = Path(folder, "ready.json")
        with (
            Path(out or os.devnull).open("ab") as output,
            Path(err or os.devnull).open("ab") as errors,
        ):
            process = subprocess.Popen(
                [*command, f"--ready-file={ready_file}"],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=errors if err else None,
            )
        with process:
            try:
                ready = _ready(ready_file, process)
                yield Child(process, str(ready.get("host", "127.0.0.1")), int(str(ready["port"])))
            finally:
                if process.poll() is None:
                    process.kill()


def _ready(ready_file: Path, process: subprocess.Popen[bytes]) -> dict[str, object]:
    give_up = time.monotonic() + READY_SECONDS
    while not ready_file.exists():
        if process.poll() is not None:
            raise ChildError(f"a child ended with code {process.returncode} before it was ready")
        if time.monotonic() > give_up:
            raise ChildError(f"a child was not ready after {READY_SECONDS:.0f} s")
        time.sleep(0.01)  # another process gets ready: nothing but time tells
    told: dict[str, object] = json.loads(ready_file.read_text())
    return told


def end(process: subprocess.Popen[bytes]) -> None:
    """Close its standard input and wait for its end; kill it if that does not help."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


@contextmanager
def ending(command: Sequence[str]) -> Iterator[Child]:
    """A child for the time of the block, which ends when its standard input closes."""
    with running(command) as child:
        try:
            yield child
        finally:
            end(child.process)


@contextmanager
def game_server(
    options: Sequence[str] = (), *, files: Sequence[Path] = (), profile: Path | None = None
) -> Iterator[Child]:
    """`mt-server` without a table; with `profile` under cProfile, which writes there."""
    profiler = ["-m", "cProfile", "-o", str(profile)] if profile else []
    command = [sys.executable, *profiler, "-m", "mexican_train.server.cli"]
    with ending([*command, *GAME_SERVER.split(), *options]) as child:
        yield Child(child.process, child.host, child.port, tuple(files))
