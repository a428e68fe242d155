"""Real programs for tests: each on loopback and port 0, each stopped by its own process id."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from scripts.children import Child, ChildError, running

END_SECONDS = 120


def program(name: str) -> str:
    """The console script `name` of this environment."""
    return str(Path(sys.executable).with_name(name))


class Server:
    """A running `mt-server`; `address` is `HOST:PORT`."""

    def __init__(self, child: Child, log: Path) -> None:
        self.process = child.process
        self.port = child.port
        self.address = f"{child.host}:{child.port}"
        self._log = log

    @property
    def log(self) -> str:
        """What it wrote so far, standard output and error together."""
        return self._log.read_text()

    def wait(self) -> int:
        """Its exit code, once it has ended by itself."""
        return self.process.wait(END_SECONDS)


@contextmanager
def running_server(*options: str, inside: Sequence[str] = ()) -> Iterator[Server]:
    """Start `mt-server` with these options; afterwards it is gone, whatever happened.

    `inside`: a command in front of it, which becomes it.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        command = [*inside, program("mt-server"), "--host=127.0.0.1", "--port=0", *options]
        try:
            with running(command, out=log, err=log) as child:
                yield Server(child, log)
        except ChildError as error:
            pytest.fail(f"{error}: {log.read_text()}")


def run_program(name: str, *options: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program to its end, with `typed` on its standard input."""
    return subprocess.run(
        [program(name), *options],
        input=typed,
        capture_output=True,
        text=True,
        timeout=END_SECONDS,
        check=False,
    )
