"""Where a server is: `HOST`, `HOST:PORT`, `[IPV6]:PORT` as people type it, `tls://` before it."""

from dataclasses import dataclass

from .texts import text

DEFAULT_PORT = 12012
PORT_DIGITS_MAX = 5
TLS_MARK = "tls://"


@dataclass(frozen=True, slots=True)
class Address:
    """A host (name, IPv4 or IPv6 address, without brackets), a TCP port, and whether by TLS."""

    host: str
    port: int = DEFAULT_PORT
    tls: bool = False

    def __str__(self) -> str:
        return f"{TLS_MARK}{self.place}" if self.tls else self.place

    @property
    def place(self) -> str:
        """`HOST:PORT`: the same server with TLS and without."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @classmethod
    def parse(cls, written: str) -> "Address":
        """The address that is written; the port is 12012 where it names none.

        `tls://` in front asks for TLS. A bare IPv6 address needs no brackets when no port
        follows. Raises `ValueError` with a sentence that says what is wrong.
        """
        written = written.strip()
        tls = written.lower().startswith(TLS_MARK)
        written = written[len(TLS_MARK) :] if tls else written
        if written.startswith("["):
            host, bracket, rest = written[1:].partition("]")
            if not bracket or (rest and not rest.startswith(":")):
                raise ValueError(
                    text(
                        "{address}: an IPv6 address is written [ADDRESS]:PORT",
                        address=repr(written),
                    )
                )
            port = rest[1:] if rest else str(DEFAULT_PORT)
        elif written.count(":") > 1:
            host, port = written, str(DEFAULT_PORT)
        else:
            host, colon, port = written.partition(":")
            port = port if colon else str(DEFAULT_PORT)
        if not host or any(char.isspace() for char in host):
            raise ValueError(
                text("{address} names no host; write HOST or HOST:PORT", address=repr(written))
            )
        is_number = port.isascii() and port.isdigit() and len(port) <= PORT_DIGITS_MAX
        if not (is_number and 1 <= int(port) <= 65535):
            raise ValueError(
                text("{port} is no port; a port is a number from 1 to 65535", port=repr(port[:20]))
            )
        return cls(host.lower(), int(port), tls)
