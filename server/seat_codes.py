"""Seat codes: one-time words that let in a player whose token is lost.

The host reads one out, so it is short, has no letter that looks like another, and may be typed in
any case and spacing. Only its hash is kept.
"""

import hashlib
from collections.abc import Callable
from typing import Final

_RANDOM_BYTES: Final = 12
_LETTERS: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
_CHARS: Final = 10


def new_code(random_bytes: Callable[[int], bytes]) -> str:
    """A code of two groups of five, out of 30 to the 10th that are as likely as one another."""
    number = int.from_bytes(random_bytes(_RANDOM_BYTES), "big")
    letters = ""
    while len(letters) < _CHARS:
        number, letter = divmod(number, len(_LETTERS))
        letters += _LETTERS[letter]
    return f"{letters[:5]}-{letters[5:]}"


def code_digest(code: str) -> bytes:
    """What is kept of a code, however it was written down."""
    plain = "".join(letter for letter in code.upper() if letter in _LETTERS)
    return hashlib.sha256(f"mexican-train seat code\n{plain}".encode()).digest()
