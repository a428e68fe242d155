"""Facts as bytes: how the durable store writes an event of a table's log, and an answer.

An event is a msgpack list: the name of its kind, then its fields in their order but for the table.
Fields may be added at the end, with a default, and kinds added; nothing else may ever change.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from .effects import (
    AbsenceDecided,
    CommandAnswered,
    GameBrokenOff,
    GamePaused,
    GameSetUp,
    GameStarted,
    HostNamed,
    MoveMade,
    RoundDealt,
    SeatCodeGiven,
    SeatLeft,
    SeatReady,
    SeatTaken,
    TableFact,
    TableOpened,
    TableQuiet,
    TimeRanOut,
)

_KINDS: Final[Mapping[str, type[TableFact]]] = {
    "opened": TableOpened,
    "seat": SeatTaken,
    "left": SeatLeft,
    "ready": SeatReady,
    "host": HostNamed,
    "game": GameStarted,
    "set_up": GameSetUp,
    "deal": RoundDealt,
    "move": MoveMade,
    "absence": AbsenceDecided,
    "pause": GamePaused,
    "broken_off": GameBrokenOff,
    "seat_code": SeatCodeGiven,
    "quiet": TableQuiet,
    "time_up": TimeRanOut,
}
_NAMES: Final = {kind: name for name, kind in _KINDS.items()}
_FIELDS: Final = {
    kind: tuple(name for name in kind.__struct_fields__ if name != "table")
    for kind in _KINDS.values()
}
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(list[Any]).decode
_decode_answer: Final = msgspec.msgpack.Decoder(dict[str, Any]).decode


def write_event(fact: TableFact) -> bytes:
    """The bytes of an event; KeyError if the fact is none of a table's log."""
    kind = type(fact)
    return _encode([_NAMES[kind], *[getattr(fact, name) for name in _FIELDS[kind]]])


def read_event(event: bytes, table: str) -> TableFact:
    """The event of a table that was written so; ValueError if it is none."""
    try:
        name, *values = _decode(event)
        kind = _KINDS[name]
        named = dict(zip(_FIELDS[kind], values, strict=False))
        return msgspec.convert({"table": table, **named}, kind, builtin_types=(bytes,))
    except (msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
        raise ValueError("this is no event") from error


def write_answer(fact: CommandAnswered) -> bytes:
    """The bytes of an answer, without whose it is."""
    answer: dict[str, Any] = {"kind": fact.kind}
    if fact.declined is not None:
        answer["declined"] = fact.declined
    if fact.kind == "update":
        answer["events"] = fact.events
    return _encode(answer)


def read_answer(player: int, command: int, serial: int, answer: bytes) -> CommandAnswered:
    """The answer that was written so; ValueError if it is none."""
    whose = {"player": player, "command": command, "serial": serial}
    try:
        fields_read = {**whose, **_decode_answer(answer)}
        return msgspec.convert(fields_read, CommandAnswered, builtin_types=(bytes,))
    except msgspec.DecodeError as error:
        raise ValueError("this is no answer") from error
