"""Fingerprints of servers' certificates that a person has said yes to: one for each `HOST:PORT`."""

import contextlib
import json
import re
import string
from pathlib import Path

from .texts import text
from .tokens import write_durably

FINGERPRINT_DIGITS = 64


def read_fingerprint(written: str) -> str:
    """A SHA-256 fingerprint as this package writes it: 64 small hexadecimal digits.

    Colons and spaces between the digits do no harm. Raises `ValueError`.
    """
    digits = written.strip().replace(":", "").replace(" ", "").lower()
    if len(digits) != FINGERPRINT_DIGITS or not set(digits) <= set(string.hexdigits):
        raise ValueError(
            text("a SHA-256 fingerprint has {number} hexadecimal digits", number=FINGERPRINT_DIGITS)
        )
    return digits


_ENTRY = re.compile(r"""("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*")""")
"""One entry as JSON writes it."""


class FilePins:
    """Fingerprints in one JSON file, which people may edit.

    Whatever is wrong with the file, the entries that can be read count: were one comma too many to
    forget them all, another server would be taken for a new one.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def of_user(cls) -> "FilePins":
        """Those in the platform's state folder."""
        import platformdirs  # noqa: PLC0415 - only needed where TLS is

        folder = platformdirs.user_state_path("mexican-train", appauthor=False)
        return cls(folder / "fingerprints.json")

    def load(self, place: str) -> str | None:
        """The fingerprint kept for the server at `place` (`HOST:PORT`), or None."""
        return self._all().get(place)

    def save(self, place: str, fingerprint: str) -> None:
        """Keep `fingerprint` for this server, in place of an older one. Raises `OSError`."""
        kept = self._all()
        if kept.get(place) != fingerprint:
            content = json.dumps(kept | {place: fingerprint}, indent=1, sort_keys=True)
            write_durably(self._path, content.encode() + b"\n")

    def _all(self) -> dict[str, str]:
        kept = {}
        try:
            content = self._path.read_bytes().decode("utf-8", "replace")
        except OSError:
            return {}
        for place, fingerprint in _ENTRY.findall(content):
            with contextlib.suppress(ValueError):
                kept[str(json.loads(place))] = read_fingerprint(json.loads(fingerprint))
        return kept
