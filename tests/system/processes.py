"""Real programs for tests: each on loopback and port 0, each stopped by its own process id."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

READY_SECONDS = 30
END_SECONDS = 120


def program(name: str) -> str:
    """The console script `name` of this environment."""
    return str(Path(sys.executable).with_name(name))


class Server:
    """A running `mt-server`; `address` is `HOST:PORT`, `stop()` gives its exit code and log."""

    def __init__(self, process: subprocess.Popen[str], log: Path, address: str) -> None:
        self.process = process
        self.address = address
        self._log = log

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.address.rsplit(":", 1)[1])

    @property
    def log(self) -> str:
        """What it wrote so far, standard output and error together."""
        return self._log.read_text()

    def wait(self) -> int:
        """Its exit code, once it has ended by itself."""
        return self.process.wait(END_SECONDS)


@contextmanager
def running_server(*options: str) -> Iterator[Server]:
    """Start `mt-server` with these options; afterwards it is gone, whatever happened."""
    with tempfile.TemporaryDirectory() as folder:
        ready, log = Path(folder, "ready.json"), Path(folder, "log")
        command = [program("mt-server"), "--host=127.0.0.1", "--port=0", f"--ready-file={ready}"]
        with log.open("w") as out:
            process = subprocess.Popen(
                [*command, *options],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                text=True,
            )
        with process:
            try:
                yield Server(process, log, _address(process, ready, log))
            finally:
                if process.poll() is None:
                    process.kill()


def _address(process: subprocess.Popen[str], ready: Path, log: Path) -> str:
    give_up = time.monotonic() + READY_SECONDS
    while not ready.exists():
        assert process.poll() is None, f"the server ended: {log.read_text()}"
        assert time.monotonic() < give_up, "the server was not ready in time"
        time.sleep(0.01)  # another process gets ready: nothing but time tells
    told = json.loads(ready.read_text())
    return f"{told['host']}:{told['port']}"


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
