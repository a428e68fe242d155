"""How a server is announced on a local network: the text record of its DNS-SD service.

Whoever listens there can send anything, so what is read is bounded and may be missing. Nothing in
it is believed: the handshake says what a server is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from .handshake import PROTOCOL_VERSIONS, Versions, common_version

SERVICE_TYPE: Final = "_mexican-train._tcp.local."
ANNOUNCED_NAME_CHARS_MAX: Final = 40
_VALUE_BYTES_MAX: Final = 4 * ANNOUNCED_NAME_CHARS_MAX
_VERSION_MAX: Final = 9999


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a server tells of itself to whoever looks for one.

    Attributes:
        name: what people call it, at most `ANNOUNCED_NAME_CHARS_MAX` characters. As it was sent:
            not fit for a terminal yet.
        versions: lowest and highest version of the protocol that it speaks.
        tls: it speaks TLS only.
        password: it wants a password from everybody who comes in.
    """

    name: str
    versions: Versions = PROTOCOL_VERSIONS
    tls: bool = False
    password: bool = False

    @property
    def is_spoken_here(self) -> bool:
        """Whether this package speaks one of its versions."""
        return common_version(self.versions) is not None

    def to_txt(self) -> dict[str, str]:
        """The text record."""
        lowest, highest = self.versions
        return {
            "txtvers": "1",
            "name": _cut(self.name),
            "protocol": f"{lowest}-{highest}",
            "tls": str(int(self.tls)),
            "password": str(int(self.password)),
        }

    @classmethod
    def from_txt(cls, txt: Mapping[bytes, bytes | None]) -> "Announcement":
        """What a text record says; for what is missing or unreadable the defaults.

        Versions that cannot be read are (0, 0), which nobody speaks.
        """
        return cls(
            name=_cut(_text(txt, b"name")),
            versions=_versions(_text(txt, b"protocol")),
            tls=_text(txt, b"tls") == "1",
            password=_text(txt, b"password") == "1",
        )


def _text(txt: Mapping[bytes, bytes | None], key: bytes) -> str:
    return (txt.get(key) or b"")[:_VALUE_BYTES_MAX].decode("utf-8", "replace")


def _cut(name: str) -> str:
    return name[:ANNOUNCED_NAME_CHARS_MAX]


def _versions(text: str) -> Versions:
    lowest, _, highest = text.partition("-")
    if not all(each.isascii() and each.isdigit() for each in (lowest, highest)):
        return 0, 0
    if max(len(lowest), len(highest)) > len(str(_VERSION_MAX)):
        return 0, 0
    return int(lowest), int(highest)
