"""Errors split by whose fault they are: ours (`Local`) or the other side's (`Remote`).

A remote error is safe to log: it holds a stable code, our own sentence, the path of a field
that the protocol knows, and at most 32 bytes of the frame in hexadecimal. Text from a peer
never gets in.
"""

from collections.abc import Mapping
from typing import Literal

from .codes import DECLINED_CODES, GOODBYE_CODES, REFUSED_CODES, declined, goodbye, refused
from .server_messages import Declined, Goodbye, Refused
from .values import Parameter

Answer = Literal["declined", "refused", "goodbye"]

_CODES = {"declined": DECLINED_CODES, "refused": REFUSED_CODES, "goodbye": GOODBYE_CODES}
_HEX_BYTES_MAX = 32


class ProtocolError(Exception):
    """What the two errors have in common; catch the one whose fault it is."""


class LocalProtocolError(ProtocolError):
    """This side tried what the protocol does not allow; nothing was sent, nothing changed."""


class RemoteProtocolError(ProtocolError):
    """The other side broke the protocol.

    Args:
        code: A code of the table that `answer` names.
        text: A sentence for people; the table's when left out.
        params: What programs may want to know, such as the `path` of a bad field.
        answers: The id of the command at fault; 0 if it has no valid one.
        answer: How a server replies. `declined` keeps the connection, the others end it.
        payload: The frame at fault, of which `length` and the first 32 bytes, as `hex`, are kept.
    """

    def __init__(
        self,
        code: str,
        text: str | None = None,
        *,
        params: Mapping[str, Parameter] | None = None,
        answers: int = 0,
        answer: Answer = "goodbye",
        payload: bytes = b"",
    ) -> None:
        self.code = code
        self.text = _CODES[answer][code].sentence if text is None else text
        self.params: dict[str, Parameter] = dict(params or {})
        self.answers = answers
        self.answer: Answer = answer
        self.length = len(payload)
        self.hex = payload[:_HEX_BYTES_MAX].hex()
        super().__init__(f"{code}: {self.text}")

    @property
    def fatal(self) -> bool:
        """Whether the connection cannot go on."""
        return self.answer != "declined"

    @property
    def path(self) -> str | None:
        """The field at fault as in `tile[0]`; None if the fault is not in a field."""
        path = self.params.get("path")
        return path if isinstance(path, str) else None

    def reply(self) -> Declined | Refused | Goodbye:
        """What a server sends back: `declined`, or the last message of the connection."""
        if self.answer == "declined":
            return declined(self.answers, self.code, text=self.text, params=self.params)
        say_no = refused if self.answer == "refused" else goodbye
        return say_no(self.code, text=self.text, params=self.params)
