"""A server at home as a child process: for one person on loopback, or open to others.

The child has a session of its own, so that Ctrl-C reaches it only through the client. That of one
person stops when the pipe on its standard input closes, so that no crash of the client leaves it
running. How this user serves other people (settings file, environment) is nothing to it.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import trio

from .address import Address
from .texts import text

SOLO_TABLE = "solo"
OPEN_TABLE = "table-1"
START_SECONDS = 20.0
POLL_SECONDS = 0.02
STOP_SECONDS = 5.0
SERVER_SAYS = "mt-server: "
"""How the line begins that tells why it does not start."""
SETTINGS = "MT_SERVER_"
BAD_USAGE = 2


class SoloError(Exception):
    """The private server did not start; the text is what it said last.

    `is_usage`: it did not take the options that it was started with.
    """

    def __init__(self, text: str, *, is_usage: bool = False) -> None:
        super().__init__(text)
        self.is_usage = is_usage


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeTable:
    """The table of a game at home, as it is opened."""

    name: str
    seats: int
    bots: int
    strategy: str
    rules: str | None = None
    options: Sequence[str] = ()
    start: str = "full"

    def words(self) -> list[str]:
        """The options of `mt-server` that open it."""
        words = ["--table", self.name, "--seats", str(self.seats), "--start", self.start]
        words += ["--bots", f"{self.bots}:{self.strategy}"] if self.bots else []
        words += ["--rules", self.rules] if self.rules is not None else []
        for option in self.options:
            words += ["--rule", option]
        return words


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """How a server at home is opened to others: where it listens, what it is called.

    `host` None: on every interface. It may outlive its client, and ends when nobody has been there
    for `idle_minutes`.
    """

    port: int
    name: str
    host: str | None = None
    password_file: Path | None = None
    idle_minutes: float = 10

    def words(self) -> list[str]:
        """The options of `mt-server` that open it."""
        words = ["--host", self.host] if self.host is not None else []
        words += ["--port", str(self.port), "--announce-as", self.name]
        words += ["--exit-when-idle", f"{self.idle_minutes:g}"]
        words += ["--password-file", str(self.password_file)] if self.password_file else []
        return words


def server_command(
    ready_file: Path, database: Path | None, table: HomeTable | None, opened: Opened | None = None
) -> list[str]:
    """The command line of a server at home.

    Without `opened` it serves its client alone, over loopback, and ends with it. `database` None:
    in memory. `table` None: what the store holds is gone on with.
    """
    command = [sys.executable, "-m", "mexican_train.server.cli", "--config", os.devnull]
    if opened is not None:
        command += opened.words()
    else:
        command += ["--host", "127.0.0.1", "--port", "0", "--until-stdin-closes"]
    command += ["--ready-file", str(ready_file), "--db", str(database or ":memory:")]
    return command + (table.words() if table is not None else [])


def server_environment() -> dict[str, str]:
    """The environment without what sets options of `mt-server`."""
    return {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}


@asynccontextmanager
async def private_server(
    table: HomeTable | None, *, database: Path | None = None, lock: int | None = None
) -> AsyncIterator[Address]:
    """A private server for the time of the block. Raises `SoloError` if it does not start.

    `lock`: a descriptor that it inherits, so that a lock on it holds until the server has ended.
    """
    with tempfile.TemporaryDirectory(prefix="mexican-train-") as folder:
        ready_file = Path(folder, "ready.json")
        said = Path(folder, "server.log")
        command = server_command(ready_file, database, table)
        process = await _started(command, said, subprocess.PIPE, lock)
        try:
            yield await _address(process, ready_file, said)
        finally:
            await _stop(process)


@dataclass(frozen=True, slots=True)
class OpenServer:
    """A running server that others may come to: where its own client does, and how others do."""

    address: Address
    pid: int
    join_lines: tuple[str, ...]


async def start_open_server(
    table: HomeTable | None, opened: Opened, *, database: Path, log: Path, lock: int | None = None
) -> OpenServer:
    """Start a server that outlives this program. Raises `SoloError` if it does not start.

    What it says goes to `log`, in place of what stands there.
    """
    with tempfile.TemporaryDirectory(prefix="mexican-train-") as folder:
        ready_file = Path(folder, "ready.json")
        command = server_command(ready_file, database, table, opened)
        process = await _started(command, log, subprocess.DEVNULL, lock)
        try:
            address = await _address(process, ready_file, log)
        except BaseException:
            await _stop(process)
            raise
    return OpenServer(address, process.pid, join_lines(log))


def join_lines(log: Path) -> tuple[str, ...]:
    """What others type to come to a server, from what it has said."""
    return tuple(line for line in _lines(log) if line.startswith("mt-client "))


async def _started(command: list[str], said: Path, stdin: int, lock: int | None) -> trio.Process:
    async with await trio.open_file(said, "wb") as output:
        return await trio.lowlevel.open_process(
            command,
            stdin=stdin,
            stdout=output.wrapped,
            stderr=output.wrapped,
            start_new_session=True,
            env=server_environment(),
            pass_fds=() if lock is None or os.name != "posix" else (lock,),
        )


async def _address(process: trio.Process, ready_file: Path, said: Path) -> Address:
    """Where the child listens, once it does."""
    with trio.move_on_after(START_SECONDS):
        while process.poll() is None:
            found = _read(ready_file)
            if found is not None:
                return found
            await trio.sleep(POLL_SECONDS)
    lines = _lines(said)
    said_last = (
        lines[-1].removeprefix(SERVER_SAYS) if lines else text("the private server does not answer")
    )
    raise SoloError(said_last, is_usage=process.returncode == BAD_USAGE)


def _read(ready_file: Path) -> Address | None:
    try:
        ready = json.loads(ready_file.read_text())
        return Address(str(ready["host"]), int(ready["port"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _lines(said: Path) -> list[str]:
    try:
        return said.read_text(errors="replace").strip().splitlines()
    except OSError:
        return []


async def _stop(process: trio.Process) -> None:
    """Tell the child to stop, wait for its end, and make sure of it."""
    with trio.CancelScope(shield=True):
        if process.stdin is not None:
            await trio.aclose_forcefully(process.stdin)
        else:
            process.terminate()
        with trio.move_on_after(STOP_SECONDS):
            await process.wait()
            return
        process.kill()
        await process.wait()
