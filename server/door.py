"""The door: the server's password, and how often one address may try it.

Only the digest is kept, and compared in constant time. What is tried too often is refused without
being looked at, right or wrong: an answer to it would be the next guess. Nobody is shut out for
good, and whoever holds a seat comes back by token and needs no password.
"""

import hashlib
import hmac
import unicodedata
from typing import Final

TRIES_MAX: Final = 10
"""Wrong passwords that an address may send at once."""
TRY_SECONDS: Final = 6.0
"""After so long one of them is forgiven."""
ORIGINS_MAX: Final = 10_000
"""Addresses remembered; past it the one that was wrong the longest ago is forgotten."""


def digest_of(password: str) -> bytes:
    """What is kept of the server's password, in whatever form of Unicode it is typed."""
    plain = unicodedata.normalize("NFC", password)
    return hashlib.sha256(f"mexican-train server password\n{plain}".encode()).digest()


class Door:
    """Says who must stay outside. Without a digest it stands open."""

    def __init__(self, password_digest: bytes | None) -> None:
        self._digest: Final = password_digest
        self._wrong: Final[dict[str, tuple[float, float]]] = {}
        """By address: wrong passwords not yet forgiven, and as of when; the latest last."""

    def refusal(self, password: str | None, origin: str, now: float) -> str | None:
        """The code to refuse a hello with, or None where it may come in.

        No password at all is `bad_password` and no try. After `TRIES_MAX` wrong ones from
        `origin` it is `too_many_tries` for a while, whatever the password.
        """
        if self._digest is None:
            return None
        if not password:
            return "bad_password"
        wrong = self._wrong_by_now(origin, now)
        if wrong > TRIES_MAX - 1:
            return "too_many_tries"
        if hmac.compare_digest(digest_of(password), self._digest):
            return None
        self._wrong.pop(origin, None)
        self._wrong[origin] = wrong + 1, now
        if len(self._wrong) > ORIGINS_MAX:
            del self._wrong[next(iter(self._wrong))]
        return "bad_password"

    def _wrong_by_now(self, origin: str, now: float) -> float:
        wrong, since = self._wrong.get(origin, (0.0, now))
        return max(0.0, wrong - (now - since) / TRY_SECONDS)
