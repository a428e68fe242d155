"""The server as a program: signals, ready file, the lines to type on other machines, exit code."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import trio
from mexican_train.protocol import PROTOCOL_VERSIONS

from .app import Server
from .config import Config
from .declines import Decline
from .listeners import ListenError, is_every_interface, network_addresses
from .store import StoreError
from .tidying import Tidier

_CHUNK_BYTES: Final = 4096


class StartError(Exception):
    """The server cannot start, or cannot go on; the text is one line for people."""


def serve(config: Config) -> int:
    """Run a server until it is told to stop; the exit code.

    Raises:
        StartError: it could not start, or had to stop because of a fault.
    """
    with _plainly():
        return trio.run(_serve, config)


@contextmanager
def _plainly() -> Iterator[None]:
    """Turn the faults that people can mend into a `StartError` of one line."""
    reason = ""
    try:
        yield
    except* ListenError as group:
        reason = str(_first(group))
    except* Decline as group:
        decline = _first(group)
        message = decline.message(0) if isinstance(decline, Decline) else None
        reason = message.text if message else str(decline)
    except* StoreError as group:
        reason = str(_first(group))
    except* OSError as group:
        reason = f"cannot serve: {_first(group)}"
    if reason:
        raise StartError(reason)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error in a group, however deep."""
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


async def _serve(config: Config) -> int:
    server = Server(config)
    is_graceful = True
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:

            async def obey_signals() -> None:
                nonlocal is_graceful
                async for _ in signals:
                    if server.is_stopping:
                        is_graceful = False
                        nursery.cancel_scope.cancel()
                    server.stop()

            async def run() -> None:
                await server.run(started)
                nursery.cancel_scope.cancel()

            started = _Started()
            nursery.start_soon(obey_signals)
            nursery.start_soon(run)
            await started.event.wait()
            nursery.start_soon(_keep_tidy)
            _announce(server, config)
            if config.exits_with_stdin:
                nursery.start_soon(_stop_with_stdin, server)
    return 0 if is_graceful else 1


async def _keep_tidy() -> None:
    """Begin when everything is loaded: code, types and tables of the rules stay."""
    tidier = Tidier()
    try:
        await tidier.run()
    finally:
        tidier.end()


class _Started(trio.TaskStatus[None]):
    """Tells when the server accepts connections."""

    def __init__(self) -> None:
        self.event: Final = trio.Event()

    def started(self, value: None = None) -> None:
        """Called by the server."""
        del value
        self.event.set()


def _announce(server: Server, config: Config) -> None:
    """Print the join lines, then write the ready file: connections are accepted from now on."""
    for line in join_lines(server):
        sys.stdout.write(line + "\n")
    sys.stdout.flush()
    if config.ready_file is not None:
        write_ready_file(server, config.ready_file)


async def _stop_with_stdin(server: Server) -> None:
    """Stop the server when standard input ends: its parent has gone."""
    # os.read takes no lock that a thread left behind could hold at exit
    while await trio.to_thread.run_sync(
        os.read, sys.stdin.fileno(), _CHUNK_BYTES, abandon_on_cancel=True
    ):
        pass
    server.stop()


def join_lines(server: Server) -> list[str]:
    """What to type on other machines, one line a network address or name of the certificate."""
    port = server.addresses[0][1]
    tls = server.config.tls
    if tls is not None and tls.names:
        hosts = [*tls.names]
    elif server.config.host is None:
        hosts = network_addresses() or ["127.0.0.1"]
    else:
        hosts = list(dict.fromkeys(each for host, _ in server.addresses for each in _reached(host)))
    before = "tls://" if tls is not None else ""
    after = f" --fingerprint {tls.fingerprint}" if tls is not None and tls.is_own else ""
    return [f"mt-client {before}{_bracketed(host)}:{port}{after}" for host in hosts]


def _reached(listening: str) -> list[str]:
    """By which addresses others reach a listener at this one, most likely first."""
    if not is_every_interface(listening):
        return [listening]
    alike = [each for each in network_addresses() if (":" in each) == (":" in listening)]
    return alike or [_own(listening)]


def _own(listening: str) -> str:
    """By which address this machine itself reaches a listener at this one."""
    if not is_every_interface(listening):
        return listening
    return "::1" if ":" in listening else "127.0.0.1"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def write_ready_file(server: Server, path: Path) -> None:
    """Tell scripts where the server is: the file is there whole or not at all."""
    host, port = server.addresses[0]
    ready = {
        "host": _own(host) if server.config.host is not None else "127.0.0.1",
        "port": port,
        "pid": os.getpid(),
        "protocol": [*PROTOCOL_VERSIONS],
        "tls": server.config.tls.fingerprint if server.config.tls is not None else None,
    }
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(json.dumps(ready) + "\n", encoding="utf-8")
    unfinished.replace(path)
