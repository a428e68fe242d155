"""A private game: a server of one's own as a child process, on loopback, ended with the client.

The child has a session of its own, so that Ctrl-C reaches it only through the client, and stops
when the pipe on its standard input closes, so that no crash of the client leaves it running. How
this user serves other people (settings file, environment) is nothing to it.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from .address import Address
from .texts import text

SOLO_TABLE = "solo"
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


def server_command(
    *,
    ready_file: Path,
    bots: int,
    strategy: str,
    rules: str | None = None,
    options: Sequence[str] = (),
) -> list[str]:
    """The command line of the private server for one person and `bots` bots."""
    command = [sys.executable, "-m", "mexican_train.server.cli"]
    command += [
        "--config",
        os.devnull,
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--ready-file",
        str(ready_file),
    ]
    command += ["--until-stdin-closes", "--table", SOLO_TABLE, "--seats", str(bots + 1)]
    command += ["--bots", f"{bots}:{strategy}"]
    command += ["--rules", rules] if rules is not None else []
    for option in options:
        command += ["--rule", option]
    return command


def server_environment() -> dict[str, str]:
    """The environment without what sets options of `mt-server`."""
    return {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}


@asynccontextmanager
async def private_server(
    *, bots: int, strategy: str, rules: str | None = None, options: Sequence[str] = ()
) -> AsyncIterator[Address]:
    """A private server for the time of the block. Raises `SoloError` if it does not start."""
    with tempfile.TemporaryDirectory(prefix="mexican-train-") as folder:
        ready_file = Path(folder, "ready.json")
        said = Path(folder, "server.log")
        command = server_command(
            ready_file=ready_file, bots=bots, strategy=strategy, rules=rules, options=options
        )
        async with await trio.open_file(said, "wb") as output:
            process = await trio.lowlevel.open_process(
                command,
                stdin=subprocess.PIPE,
                stdout=output.wrapped,
                stderr=output.wrapped,
                start_new_session=True,
                env=server_environment(),
            )
        try:
            yield await _address(process, ready_file, said)
        finally:
            await _stop(process)


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
    return said.read_text(errors="replace").strip().splitlines()


async def _stop(process: trio.Process) -> None:
    """Close the child's standard input, wait for its end, and make sure of it."""
    with trio.CancelScope(shield=True):
        if process.stdin is not None:
            await trio.aclose_forcefully(process.stdin)
        with trio.move_on_after(STOP_SECONDS):
            await process.wait()
            return
        process.kill()
        await process.wait()
