"""The server under attack: an `mt-server` child on a free loopback port, and what it weighs.

It ends when its standard input closes, so that none outlives the script. Linux only: clocks,
pages and descriptors of another process are read.
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

ATTACKERS = Path(__file__).with_name("attackers.py")
READY_SECONDS = 30.0
END_SECONDS = 20.0
WARM_SECONDS = 1.0
OPTIONS = (
    "--host=127.0.0.1 --port=0 --pace=0 --between-seconds=0 --bot-seconds=3600 "
    "--log-level=error --until-stdin-closes"
)


class VictimError(Exception):
    """The server did not start or end as it should; the text says how in one line."""


@dataclass(frozen=True)
class Weight:
    """What a process holds at one moment."""

    resident_bytes: int
    descriptors: int
    threads: int
    file_bytes: int


@dataclass(frozen=True)
class Victim:
    """A running server. `files`: those whose size is watched, as a database and its log."""

    process: subprocess.Popen[bytes]
    port: int
    files: tuple[Path, ...] = ()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    def cpu_seconds(self) -> float:
        """CPU time that it has used so far."""
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
def serving(
    options: Sequence[str] = (), *, files: Sequence[Path] = (), log: Path | None = None
) -> Iterator[Victim]:
    """A server for the time of the block; its log goes to `log`, or where this script's does."""
    command = [sys.executable, "-m", "mexican_train.server.cli", *OPTIONS.split(), *options]
    with tempfile.TemporaryDirectory() as folder:
        ready_file = Path(folder) / "ready.json"
        with (
            Path(log or os.devnull).open("ab") as errors,
            subprocess.Popen(
                [*command, f"--ready-file={ready_file}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors if log else None,
            ) as process,
        ):
            try:
                yield Victim(process, _port(ready_file, process), tuple(files))
            finally:
                _end(process)


def _port(ready_file: Path, process: subprocess.Popen[bytes]) -> int:
    give_up = time.monotonic() + READY_SECONDS
    while not ready_file.exists():
        if process.poll() is not None:
            raise VictimError(f"the server ended with code {process.returncode} at its start")
        if time.monotonic() > give_up:
            raise VictimError(f"the server was not ready after {READY_SECONDS:.0f} s")
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


@contextmanager
def attacked(
    port: int, seconds: float, *, share: int = 1, seed: int = 1, only: str = ""
) -> Iterator[None]:
    """Attackers for the time of the block: a fraction of them, or one kind only."""
    command = [sys.executable, str(ATTACKERS), str(port), f"--seconds={seconds + 20}"]
    command += [f"--seed={seed}", f"--share={share}", f"--only={only}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        time.sleep(WARM_SECONDS)
        try:
            yield
        finally:
            if process.stdin is not None:
                process.stdin.close()
            process.wait(END_SECONDS)
