"""How a message is shown: never with what lets somebody in.

A message may end up in a traceback, a failed test or a debugger's log; passwords, resume tokens and
codes of seats must not come along.
"""

from typing import Any

import msgspec


def shown_fields(message: msgspec.Struct, secrets: frozenset[str]) -> list[tuple[str, Any]]:
    """Names and values as they may be shown: of `secrets` only whether they are there."""
    fields = [(name, getattr(message, name)) for name in message.__struct_fields__]
    return [
        (name, "(hidden)" if name in secrets and value is not None else value)
        for name, value in fields
    ]


def shown(message: msgspec.Struct, secrets: frozenset[str]) -> str:
    """The `repr` of a message, likewise."""
    fields = ", ".join(f"{name}={value!r}" for name, value in shown_fields(message, secrets))
    return f"{type(message).__name__}({fields})"
