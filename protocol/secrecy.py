"""How a message is shown: never with what lets somebody in.

A message may end up in a traceback, a failed test or a debugger's log; passwords, resume tokens and
codes of seats must not come along.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec


class Discreet(msgspec.Struct):
    """A struct that shows of its `secrets` only whether they are there."""

    secrets: ClassVar[frozenset[str]] = frozenset({"password", "token", "seat_code"})

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__rich_repr__())
        return f"{type(self).__name__}({shown})"

    def __rich_repr__(self) -> Iterator[tuple[str, Any]]:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            is_hidden = name in self.secrets and value is not None
            yield name, "(hidden)" if is_hidden else value
