"""Payloads become the messages that they are, or a fault that tells where and nothing else."""

import json
import random
from collections.abc import Callable
from typing import Any, get_args, get_type_hints

import msgpack  # type: ignore[import-untyped]  # it ships no types
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mexican_train import protocol as p
from mexican_train.protocol import (
    CLIENT_TYPES,
    DECLINED_CODES,
    EVENT_TYPES,
    SERVER_TYPES,
    LocalProtocolError,
    RemoteProtocolError,
    decode_client,
    decode_server,
    encode,
)

PLAY: dict[Any, object] = {"type": "play", "id": 9, "turn": 2, "tile": [6, 5], "train": "p1"}


def packed(message: object) -> bytes:
    payload: bytes = msgpack.packb(message)
    return payload


def fault_of(payload: bytes, *, strict: bool = False) -> RemoteProtocolError:
    with pytest.raises(RemoteProtocolError) as caught:
        decode_client(payload, strict=strict)
    return caught.value


def fault_or_none(decode: Callable[[bytes], object], payload: bytes) -> RemoteProtocolError | None:
    """The fault that a payload is, if it is one; any other exception goes through."""
    try:
        decode(payload)
    except RemoteProtocolError as fault:
        return fault
    return None


def as_json(value: Any) -> Any:
    return json.loads(
        json.dumps(value, default=lambda binary: {"bin": binary.hex()}, ensure_ascii=False)
    )


# --- every message ------------------------------------------------------------------------


def test_a_vector_says_what_its_bytes_say(vector: dict[str, Any]) -> None:
    payload = bytes.fromhex(vector["hex"])[4:]
    assert as_json(msgpack.unpackb(payload)) == vector["message"]


def test_a_vector_is_read_and_written_back_the_same(vector: dict[str, Any]) -> None:
    payload = bytes.fromhex(vector["hex"])[4:]
    message = decode_client(payload) if vector["sender"] == "client" else decode_server(payload)
    assert not isinstance(message, p.UnknownMessage)
    assert encode(message) == payload


def test_every_type_and_every_event_has_a_vector(vectors: dict[str, Any]) -> None:
    found = {(each["sender"], each["message"]["type"]) for each in vectors["messages"]}
    client = {("client", tag) for tag in CLIENT_TYPES}
    assert found == client | {("server", tag) for tag in SERVER_TYPES}
    updates = [each["message"] for each in vectors["messages"] if "events" in each["message"]]
    events = {event["event"] for update in updates for event in update["events"]}
    assert events == set(EVENT_TYPES)


@given(data=st.data())
def test_any_client_message_comes_back_whole(
    data: st.DataObject, client_messages: st.SearchStrategy[p.AnyClientMessage]
) -> None:
    message = data.draw(client_messages)
    assert decode_client(encode(message)) == message
    assert decode_client(encode(message), strict=True) == message


@given(data=st.data())
def test_any_server_message_comes_back_whole(
    data: st.DataObject, server_messages: st.SearchStrategy[p.AnyServerMessage]
) -> None:
    message = data.draw(server_messages)
    assert decode_server(encode(message)) == message


def test_the_largest_messages_of_a_client_fit_its_frames() -> None:
    """So a client that keeps to the fields' bounds with plain text need not count bytes."""
    hello = p.Hello(
        versions=(1, 1),
        kind="person",
        name="n" * 20,
        program="p" * 40,
        program_version="v" * 40,
        token=bytes(32),
        password="x" * 200,
        features=["strict"],
    )
    assert len(encode(hello)) <= p.HELLO_FRAME_BYTES_MAX
    assert len(encode(p.Say(id=1, text="\N{GRINNING FACE}" * 500))) <= p.CLIENT_FRAME_BYTES_MAX


def test_a_message_that_cannot_be_packed_leaves_nothing_behind() -> None:
    """The next message is written as if it had never been tried."""
    for bad in (p.Said(name="Ann", text="half a pair: \ud83d"), p.Pong(answers=2**64)):
        with pytest.raises(LocalProtocolError):
            encode(bad)
        assert decode_server(encode(p.Ok(answers=1))) == p.Ok(answers=1)


# --- bad input of a client ----------------------------------------------------------------

NOT_MSGPACK = {
    "nothing": b"",
    "cut": packed(PLAY)[:-1],
    "a byte more": packed(PLAY) + b"\xc0",
    "a reserved byte": b"\xc1",
    "a list": packed([1]),
    "a string": packed("play"),
    "a number": b"\x05",
    "a number as key": packed({1: 2}),
    "nil as key": packed({None: 2}),
    "a list as key": b"\x81\x91\x01\x01",
    "a duplicate key": b"\x82\xa1a\x01\xa1a\x02",
    "no UTF-8": b"\x81\xa1\xff\x01",
    "a string too long": packed({"type": "say", "id": 1, "text": "x" * 2049}),
    "binary too long": packed({"type": bytes(65)}),
    "an array too long": packed({"type": [0] * 257}),
    "an array that lies about its length": b"\x81\xa1a\xdd\xff\xff\xff\xff",
    "a map that lies about its length": b"\xdf\xff\xff\xff\xff",
    "a map too long": packed({str(n): n for n in range(65)}),
    "an ext type": packed({"a": msgpack.ExtType(5, b"abc")}),
    "an ext type of no bytes": b"\x81\xa1a\xc7\x00\x05",
    "a timestamp": packed({"a": msgpack.Timestamp(1)}),
    "a deep nest": b"\x81\xa1a" + b"\x91" * 4000,
    "a deep nest of maps": b"\x81\xa1a" * 1000,
}


@pytest.mark.parametrize("payload", NOT_MSGPACK.values(), ids=NOT_MSGPACK.keys())
def test_what_is_no_map_within_the_limits_is_not_msgpack(payload: bytes) -> None:
    fault = fault_of(payload)
    assert (fault.code, fault.fatal, fault.answer) == ("not_msgpack", True, "goodbye")
    assert fault.hex == payload[:32].hex()
    assert fault.length == len(payload)


BAD_FIELDS: dict[str, tuple[dict[Any, object], str]] = {
    "missing": ({"type": "draw", "id": 9}, "turn"),
    "of another type": (PLAY | {"turn": "2"}, "turn"),
    "a float": (PLAY | {"turn": 2.0}, "turn"),
    "a boolean for a number": (PLAY | {"turn": True}, "turn"),
    "too small": (PLAY | {"turn": -1}, "turn"),
    "too large": (PLAY | {"turn": 2**32}, "turn"),
    "as large as msgpack goes": (PLAY | {"turn": 2**64 - 1}, "turn"),
    "nil": (PLAY | {"tile": None}, "tile"),
    "a tile of one number": (PLAY | {"tile": [6]}, "tile"),
    "a tile of three": (PLAY | {"tile": [6, 5, 4]}, "tile"),
    "pips that no set has": (PLAY | {"tile": [6, 19]}, "tile[1]"),
    "no train": (PLAY | {"train": "q1"}, "train"),
    "a train and a line end": (PLAY | {"train": "p1\n"}, "train"),
    "a string for binary": (
        {"type": "hello", "versions": [1, 1], "kind": "bot", "name": "B", "token": "AAAA"},
        "token",
    ),
    "binary for a string": ({"type": "say", "id": 9, "text": b"hello"}, "text"),
    "an empty name": ({"type": "join", "id": 9, "table": ""}, "table"),
    "a strategy in capitals": (
        {"type": "create", "id": 9, "name": "t", "bots": ["random", "GREEDY"]},
        "bots[1]",
    ),
    "none of the words": ({"type": "create", "id": 9, "name": "t", "start": "soon"}, "start"),
    "a binary key": (PLAY | {b"turn": 3}, ""),
    "no type": ({"id": 9}, "type"),
    "a type that is no string": ({"type": 7, "id": 9}, "type"),
    "a type that is a list": ({"type": ["play"], "id": 9}, "type"),
}


@pytest.mark.parametrize(("message", "path"), BAD_FIELDS.values(), ids=BAD_FIELDS.keys())
def test_a_bad_field_is_named_by_its_path(message: dict[object, object], path: str) -> None:
    fault = fault_of(packed(message))
    assert (fault.code, fault.path, fault.fatal) == ("bad_field", path, False)
    assert fault.answers == message.get("id", 0)
    reply = fault.reply()
    assert isinstance(reply, p.Declined)
    assert not reply.retry
    assert reply.params == {"path": path}


@pytest.mark.parametrize("bad_id", [0, -1, 2**32, "9", 9.0, True, None, [9]])
def test_a_command_without_a_valid_id_is_answered_by_zero(bad_id: object) -> None:
    fault = fault_of(packed(PLAY | {"id": bad_id}))
    assert (fault.answers, fault.path) == (0, "id")


def test_an_unknown_type_is_told_the_nearest() -> None:
    fault = fault_of(packed(PLAY | {"type": "plya"}))
    assert (fault.code, fault.answers) == ("unknown_type", 9)
    assert fault.params == {"nearest": "play"}
    assert "`play`" in fault.text
    assert fault_of(packed({"type": "x" * 2000, "id": 9})).params == {"nearest": None}


def test_a_message_of_the_server_is_unknown_from_a_client() -> None:
    assert fault_of(packed({"type": "update", "id": 3})).code == "unknown_type"


def test_unknown_fields_are_ignored() -> None:
    assert decode_client(packed(PLAY | {"mood": {"deep": [1, {"er": None}]}})) == p.Play(
        id=9, turn=2, tile=(6, 5), train="p1"
    )


def test_strict_names_the_nearest_known_field() -> None:
    misspelt = {"type": "join", "id": 9, "table": "t", "passwrod": "x"}
    assert isinstance(decode_client(packed(misspelt)), p.JoinTable)
    fault = fault_of(packed(misspelt), strict=True)
    assert (fault.code, fault.answers, fault.fatal) == ("unknown_field", 9, False)
    assert fault.params == {"nearest": "password"}
    assert fault.code in DECLINED_CODES


def test_no_client_message_nests_a_struct() -> None:
    """`strict` looks at the outermost map only, so there must be no other."""
    for struct in get_args(p.AnyClientMessage):
        for hint in get_type_hints(struct).values():
            inner = {hint, *get_args(hint)}
            assert not any(
                isinstance(each, type) and issubclass(each, msgspec.Struct) for each in inner
            )


# --- foreign text -------------------------------------------------------------------------

MARK = "\N{SNOWMAN}"
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=20).map(lambda text: MARK + text)
    | st.binary(max_size=20).map(lambda binary: MARK.encode() + binary)
)
KEYS = st.sampled_from(
    sorted({name for s in CLIENT_TYPES.values() for name in s.__struct_fields__})
)
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            KEYS | st.text(max_size=9).map(lambda text: MARK + text), inner, max_size=6
        )
    ),
    max_leaves=12,
)
TYPES = st.sampled_from(sorted(CLIENT_TYPES) + sorted(SERVER_TYPES))


@given(
    fields=st.dictionaries(KEYS, TREES, max_size=8),
    tag=TYPES | TREES,
    strict=st.booleans(),
)
def test_a_fault_never_repeats_what_the_peer_wrote(
    fields: dict[str, Any], tag: Any, strict: bool
) -> None:
    """Every string of the peer carries a mark; no error, nor what caused it, shows it."""
    payload = packed(fields | {"type": tag})
    fault = fault_or_none(lambda foreign: decode_client(foreign, strict=strict), payload)
    if fault is not None:
        shown = f"{fault} {fault!r} {fault.text} {fault.params} {fault.code} {fault.reply()}"
        assert MARK not in shown
        assert fault.__cause__ is None
        assert fault.__context__ is None
        assert len(fault.hex) <= 64


# --- newer servers ------------------------------------------------------------------------


def test_a_client_reads_what_is_newer_than_itself(newer: dict[str, Any]) -> None:
    message = decode_server(bytes.fromhex(newer["hex"])[4:])
    assert isinstance(message, p.Update | p.UnknownMessage)


def update_with(vectors: dict[str, Any], **fields: Any) -> p.Update:
    vector = next(each for each in vectors["messages"] if each["name"] == "update")
    message = decode_server(packed(vector["message"] | fields))
    assert isinstance(message, p.Update)
    return message


def test_an_unknown_event_stands_beside_the_known_ones(vectors: dict[str, Any]) -> None:
    unknown = {"event": "tile_admired", "n": 4, "by": 1}
    known = {"event": "passed", "n": 3, "seat": 0}
    changed = {"event": "double_lapsed", "n": 5, "train": "p0", "tile": [1, 1], "reason": "new"}
    odd = {"event": ["?"], "n": -1}
    update = update_with(vectors, events=[known, unknown, changed, odd, 7])
    assert update.events == [
        p.Passed(n=3, seat=0),
        p.UnknownEvent(n=4, raw=unknown),
        p.UnknownEvent(n=5, raw=changed),
        p.UnknownEvent(n=0, raw=odd),
        p.UnknownEvent(n=0, raw={}),
    ]


def test_an_unknown_choice_is_left_out(vectors: dict[str, Any]) -> None:
    update = update_with(vectors, choices=[{"do": "admire"}, {"do": "draw"}, None])
    assert update.choices == [p.Choice(do="draw")]


def test_an_unknown_message_keeps_what_came() -> None:
    raw = {"type": "fireworks", "colours": ["red"]}
    assert decode_server(packed(raw)) == p.UnknownMessage(raw)


@pytest.mark.parametrize(
    ("fields", "path"),
    [({"view": {}}, "view.round"), ({"events": 3}, "events"), ({"choices": {}}, "choices")],
)
def test_an_update_that_is_no_update_is_a_bad_field(
    vectors: dict[str, Any], fields: dict[str, Any], path: str
) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        update_with(vectors, **fields)
    assert (caught.value.code, caught.value.path) == ("bad_field", path)


def test_a_server_message_without_a_type_is_a_bad_field() -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode_server(packed({"answers": 1}))
    assert caught.value.path == "type"


# --- fuzz ---------------------------------------------------------------------------------

DECODERS: list[Callable[[bytes], object]] = [
    decode_client,
    lambda payload: decode_client(payload, strict=True),
    decode_server,
]
DOCUMENTED = {None, "not_msgpack", "bad_field", "unknown_type", "unknown_field"}


def code_of(decode: Callable[[bytes], object], payload: bytes) -> str | None:
    fault = fault_or_none(decode, payload)
    return None if fault is None else fault.code


@given(payload=st.binary(max_size=200), decode=st.sampled_from(DECODERS))
def test_arbitrary_bytes_give_a_message_or_a_documented_fault(
    payload: bytes, decode: Callable[[bytes], object]
) -> None:
    assert code_of(decode, payload) in DOCUMENTED


@pytest.mark.parametrize("decode", DECODERS)
def test_a_damaged_message_gives_a_message_or_a_documented_fault(
    vectors: dict[str, Any], scale: Callable[[int, int], int], decode: Callable[[bytes], object]
) -> None:
    chance = random.Random(12)
    payloads = [bytes.fromhex(each["hex"])[4:] for each in vectors["messages"]]
    for _ in range(scale(2_000, 200_000)):
        payload = bytearray(chance.choice(payloads))
        for _ in range(chance.randint(1, 3)):
            payload[chance.randrange(len(payload))] = chance.randrange(256)
        assert code_of(decode, bytes(payload)) in DOCUMENTED, payload.hex()
