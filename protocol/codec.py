"""Messages to payloads and back: msgspec packs and validates, msgpack unpacks within limits.

One shot a frame, never a streaming unpacker. What the unpacker raises for foreign bytes becomes
one error at this border. A server answers a bad message by code and path; a client lives with
events, choices and messages that are newer than itself.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeVar, cast, get_args

import msgpack  # type: ignore[import-untyped]  # it ships no types
import msgspec

from .client_messages import AnyClientMessage, ClientMessage
from .errors import LocalProtocolError, RemoteProtocolError
from .server_messages import AnyServerMessage, ServerMessage, Update
from .values import AnyEvent, Choice, Event, SeatNumber, Tile, TurnClock, UnknownEvent, View

_T = TypeVar("_T")
_Raw = dict[str, Any]

ID_MAX: Final = 2**32 - 1
_NATIVE: Final = (bytes,)
"""Types that come out of msgpack as they are, so that `convert` must not unspell them."""


def _by_tag(union: object) -> dict[str, Any]:
    """The structs of a union by the value of their type field."""
    return {str(struct.__struct_config__.tag): struct for struct in get_args(union)}


CLIENT_TYPES: Final[Mapping[str, type[ClientMessage]]] = _by_tag(AnyClientMessage)
SERVER_TYPES: Final[Mapping[str, type[ServerMessage]]] = _by_tag(AnyServerMessage)
EVENT_TYPES: Final[Mapping[str, type[Event]]] = {
    tag: struct for tag, struct in _by_tag(AnyEvent).items() if struct is not UnknownEvent
}


class UnknownMessage(msgspec.Struct, frozen=True):
    """Stands for a server's message that this version of the client does not know; harmless."""

    raw: dict[str, Any]


# --- out ----------------------------------------------------------------------------------

_encoder: Final = msgspec.msgpack.Encoder()


def encode(message: ClientMessage | ServerMessage) -> bytes:
    """The payload of a message, without the frame.

    Raises:
        LocalProtocolError: msgpack cannot hold a value, such as half of a surrogate pair.
    """
    return _packed(message)


def _packed(fields: object) -> bytes:
    try:
        return _encoder.encode(fields)
    except (ValueError, TypeError, OverflowError) as error:
        raise LocalProtocolError(f"cannot be packed: {type(error).__name__}") from error


def preencoded(value: _T) -> _T:
    """The value, encoded once for any number of messages.

    Put it into a message that goes out where the value would stand: it is bytes, and all else that
    the value could do it cannot.

    Raises:
        LocalProtocolError: as `encode`.
    """
    return cast("_T", msgspec.Raw(_packed(value)))


class SharedUpdate(NamedTuple):
    """What is the same in an update for all viewers, encoded once. For `splice`."""

    fields: bytes
    """The shared fields but the events, as in a msgpack map without its header."""
    events: bytes
    """The field `events` for those who have no private form."""


_UPDATE_HEADER: Final = bytes([0x80 | len(Update.__struct_fields__) + 1])
"""A msgpack map of all fields and the type; up to 15 fit this form (a test compares)."""


def _map_body(fields: _Raw) -> bytes:
    """A msgpack map of at most 15 fields without its one-byte header."""
    return _packed(fields)[1:]


def encode_update_shared(
    *,
    table: str,
    view: View,
    events: Sequence[AnyEvent],
    last_event: int,
    turn: int,
    deadline_ms: int | None,
    unproven: bool,
    clock: TurnClock | None,
) -> SharedUpdate:
    """Encode what all viewers of one update share. `events` are as a watcher may see them."""
    fields = {
        "type": "update",
        "table": table,
        "last_event": last_event,
        "view": view,
        "turn": turn,
        "deadline_ms": deadline_ms,
        "unproven": unproven,
        "clock": clock,
    }
    return SharedUpdate(_map_body(fields), _map_body({"events": events}))


def encode_own(seat: SeatNumber | None, hand: Sequence[Tile]) -> bytes:
    """Encode which viewer it is and what it holds: the same until the hand is another one."""
    return _map_body({"seat": seat, "hand": hand})


_NOTHING_TO_DO: Final = _map_body({"answers": 0, "choices": ()})


def splice(
    shared: SharedUpdate,
    own: bytes,
    *,
    answers: int = 0,
    choices: Sequence[Choice] = (),
    events: Sequence[AnyEvent] | None = None,
) -> bytes:
    """The payload of one viewer's update; `own` is from `encode_own`.

    It decodes to the `Update` of the same fields. `events`: in this viewer's form; None if it
    sees what all see. Give it to `Connection.send_encoded`.
    """
    seen = shared.events if events is None else _map_body({"events": events})
    asked = _NOTHING_TO_DO
    if answers or choices:
        asked = _map_body({"answers": answers, "choices": choices})
    return b"".join((_UPDATE_HEADER, shared.fields, seen, own, asked))


# --- in -----------------------------------------------------------------------------------


def _refuse_ext(_code: int, _body: bytes) -> NoReturn:
    raise ValueError("no ext types")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> _Raw:
    unpacked = dict(pairs)
    if len(unpacked) != len(pairs):
        raise ValueError("duplicate key")
    return unpacked


_COMMON_LIMITS: Final = {
    "strict_map_key": True,
    "max_bin_len": 64,
    "max_ext_len": 0,
    "ext_hook": _refuse_ext,
}
# Looking for duplicate keys costs a client's frame half a microsecond; the nested maps of an
# update would pay half of the whole unpacking, and a client trusts its server with its view.
CLIENT_UNPACK_LIMITS: Final = _COMMON_LIMITS | {
    "max_str_len": 2048,
    "max_array_len": 256,
    "max_map_len": 64,
    "object_pairs_hook": _no_duplicates,
}
SERVER_UNPACK_LIMITS: Final = _COMMON_LIMITS | {
    "max_str_len": 16384,
    "max_array_len": 8192,
    "max_map_len": 256,
}
_FAULTS: Final = (
    ValueError,  # most of what is wrong, UnicodeError and msgpack's own among it
    msgpack.UnpackException,
    RecursionError,
    OverflowError,
    TypeError,
    MemoryError,
)


def _unpack(payload: bytes, limits: _Raw) -> _Raw:
    """The map in a payload; raises `not_msgpack` for whatever else it holds."""
    try:
        raw = msgpack.unpackb(payload, **limits)
    except _FAULTS:
        raw = None
    if type(raw) is not dict:
        raise RemoteProtocolError("not_msgpack", payload=payload)
    return raw


def peek(payload: bytes) -> _Raw:
    """The map of a client's frame as it came, for what must be told before it is validated.

    Raises:
        RemoteProtocolError: `not_msgpack`.
    """
    return _unpack(payload, CLIENT_UNPACK_LIMITS)


def decode_client(payload: bytes, *, strict: bool = False) -> AnyClientMessage:
    """A client's message. `strict`: fields that the message does not have are an error too.

    Raises:
        RemoteProtocolError: `not_msgpack` (fatal), or `unknown_type`, `bad_field`,
            `unknown_field` (not fatal; `answers` is the command's id if it has a valid one).
    """
    raw = _unpack(payload, CLIENT_UNPACK_LIMITS)
    struct = CLIENT_TYPES.get(tag) if isinstance(tag := raw.get("type"), str) else None
    if struct is None:
        raise _unknown_type(raw, payload)
    if strict:
        _refuse_unknown_fields(raw, struct, payload)
    message: AnyClientMessage = _convert(raw, struct, payload)
    return message


def decode_server(payload: bytes) -> AnyServerMessage | UnknownMessage:
    """A server's message, as far as this version knows it.

    An unknown type becomes an `UnknownMessage`; in an update, events that are unknown or have
    changed become `UnknownEvent`, and such choices are left out.

    Raises:
        RemoteProtocolError: `not_msgpack` (fatal) or `bad_field` (not fatal).
    """
    raw = _unpack(payload, SERVER_UNPACK_LIMITS)
    tag = raw.get("type")
    if not isinstance(tag, str):
        raise _bad_field(raw, payload, "type", "expected `str`")
    struct = SERVER_TYPES.get(tag)
    if struct is None:
        return UnknownMessage(raw)
    if struct is Update:
        return _convert_update(raw, payload)
    message: AnyServerMessage = _convert(raw, struct, payload)
    return message


def command_id(raw: Mapping[str, Any]) -> int:
    """The id of a command in a map as it came; 0 if there is no valid one."""
    found = raw.get("id")
    return found if type(found) is int and 1 <= found <= ID_MAX else 0


def _convert(raw: _Raw, struct: Any, payload: bytes) -> Any:
    try:
        return msgspec.convert(raw, struct, builtin_types=_NATIVE)
    except msgspec.ValidationError as error:
        path, reason = _told(error)
    raise _bad_field(raw, payload, path, reason)


def _convert_update(raw: _Raw, payload: bytes) -> Update:
    """The whole update at once if all of it is known, otherwise piece by piece."""
    try:
        return msgspec.convert(raw, Update, builtin_types=_NATIVE)
    except msgspec.ValidationError:
        events, choices = raw.get("events"), raw.get("choices")
    if not isinstance(events, list) or not isinstance(choices, list):
        path = "events" if not isinstance(events, list) else "choices"
        raise _bad_field(raw, payload, path, "expected `array`")
    update: Update = _convert(raw | {"events": [], "choices": []}, Update, payload)
    known = (_attempt(choice, Choice) for choice in choices)
    return msgspec.structs.replace(
        update,
        events=[_event(event) for event in events],
        choices=[choice for choice in known if choice is not None],
    )


def _event(raw: Any) -> Event:
    if not isinstance(raw, dict):
        return UnknownEvent(n=0, raw={})
    tag, number = raw.get("event"), raw.get("n")
    struct = EVENT_TYPES.get(tag) if isinstance(tag, str) else None
    event = _attempt(raw, struct) if struct is not None else None
    if event is not None:
        return event
    if type(number) is not int or not 0 <= number <= ID_MAX:
        number = 0
    return UnknownEvent(n=number, raw=raw)


def _attempt(raw: Any, struct: type[_T]) -> _T | None:
    try:
        return msgspec.convert(raw, struct, builtin_types=_NATIVE)
    except msgspec.ValidationError:
        return None


# --- what is said about a fault: our own words and names only --------------------------------

_PATH = re.compile(r" - at `\$\.?([a-z_.\[\]0-9]{0,80})`\Z")
_MISSING = re.compile(r"Object missing required field `([a-z_]{1,40})`")


def _told(error: msgspec.ValidationError) -> tuple[str, str]:
    """Path and reason of a fault without a word of the peer's.

    msgspec repeats a value only where it is none of a list of allowed ones.
    """
    words = str(error)
    at = _PATH.search(words)
    path = at[1] if at else ""
    if missing := _MISSING.match(words):
        return f"{path}.{missing[1]}".lstrip("."), "it is missing"
    reason = words[: at.start()] if at else words
    if not reason.startswith("Expected "):
        return path, "it is none of the allowed values"
    return path, "e" + reason[1:]


def _bad_field(raw: _Raw, payload: bytes, path: str, reason: str) -> RemoteProtocolError:
    return RemoteProtocolError(
        "bad_field",
        f"The field `{path}` is wrong: {reason}." if path else f"The map is wrong: {reason}.",
        params={"path": path},
        answers=command_id(raw),
        answer="declined",
        payload=payload,
    )


def _unknown_type(raw: _Raw, payload: bytes) -> RemoteProtocolError:
    tag = raw.get("type")
    if not isinstance(tag, str):
        return _bad_field(raw, payload, "type", "expected `str`")
    nearest = _nearest(tag, CLIENT_TYPES)
    return RemoteProtocolError(
        "unknown_type",
        f"There is no message of this type; the nearest is `{nearest}`." if nearest else None,
        params={"nearest": nearest},
        answers=command_id(raw),
        answer="declined",
        payload=payload,
    )


def _refuse_unknown_fields(raw: _Raw, struct: type[ClientMessage], payload: bytes) -> None:
    known = (*struct.__struct_fields__, "type")
    unknown = next((name for name in raw if name not in known), None)
    if unknown is None:
        return
    nearest = _nearest(unknown, known)
    raise RemoteProtocolError(
        "unknown_field",
        f"`{struct.__struct_config__.tag}` has no such field"
        + (f"; the nearest is `{nearest}`." if nearest else "."),
        params={"nearest": nearest},
        answers=command_id(raw),
        answer="declined",
        payload=payload,
    )


def _nearest(word: Any, known: Sequence[str] | Mapping[str, Any]) -> str | None:
    """The known name that a misspelt one probably meant."""
    if not isinstance(word, str) or len(word) > 40:
        return None
    return next(iter(difflib.get_close_matches(word, list(known), 1)), None)
