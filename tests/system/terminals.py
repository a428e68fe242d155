"""A person at a pseudo-terminal: `mt-client` with keys to press and the picture that it shows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from scripts.terminals import Terminal, on_terminal
from tests.system.processes import Server, program

__all__ = ["Terminal", "client"]


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
    command = [
        *inside,
        program("mt-client"),
        server.address,
        "--name=Ann",
        "--table=table-1",
        *options,
    ]
    with on_terminal(command, size=size, errors=errors, environment=environment) as terminal:
        yield terminal
