"""What the simulations share: the real shell without sockets, as the server's tests have it."""

from tests.server.conftest import open_hall, transport

__all__ = ["open_hall", "transport"]
