"""Two real ends: what may be said when, what is answered to what may not, and how it ends."""

from collections.abc import Callable
from typing import Any, get_args

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mexican_train import protocol as p
from mexican_train.protocol import (
    CLIENT_TYPES,
    DECLINED_CODES,
    GOODBYE_CODES,
    REFUSED_CODES,
    SERVER_TYPES,
    TRANSITIONS,
    BadMessage,
    ClientConnection,
    LocalProtocolError,
    RemoteProtocolError,
    Role,
    ServerConnection,
    State,
    frame,
)

PairIn = Callable[..., Any]
Make = Callable[..., Any]


def samples(vectors: dict[str, Any], role: Role) -> dict[str, bytes]:
    """One whole frame of each type that a role may send."""
    return {
        each["message"]["type"]: bytes.fromhex(each["hex"])
        for each in vectors["messages"]
        if each["sender"] == role.value
    }


def decoded(role: Role, framed: bytes) -> Any:
    decode = p.decode_client if role is Role.CLIENT else p.decode_server
    return decode(framed[4:])


def types_of(role: Role) -> dict[str, type[Any]]:
    return dict(CLIENT_TYPES if role is Role.CLIENT else SERVER_TYPES)


# --- every message, both ways -------------------------------------------------------------


@pytest.mark.parametrize("is_bytewise", [False, True], ids=["whole", "byte by byte"])
def test_every_message_crosses(pair_in: PairIn, vector: dict[str, Any], is_bytewise: bool) -> None:
    """In the first state in which it may, sent by a real end and read by the other."""
    role = Role(vector["sender"])
    message = decoded(role, bytes.fromhex(vector["hex"]))
    state = next(state for who, state, kind in TRANSITIONS if (who, kind) == (role, type(message)))
    pair = pair_in(state, is_bytewise=is_bytewise)
    says = pair.client_says if role is Role.CLIENT else pair.server_says
    assert says(message) == [message]
    assert pair.client.state is pair.server.state is TRANSITIONS[role, state, type(message)]


def test_every_message_is_read_with_a_tail(pair_in: PairIn, vector: dict[str, Any]) -> None:
    """The first bytes of the next frame neither spoil a message nor get lost."""
    role = Role(vector["sender"])
    framed = bytes.fromhex(vector["hex"])
    message = decoded(role, framed)
    state = next(state for who, state, kind in TRANSITIONS if (who, kind) == (role, type(message)))
    pair = pair_in(state)
    to_other = pair.to_server if role is Role.CLIENT else pair.to_client
    other = pair.server if role is Role.CLIENT else pair.client
    assert to_other(framed + framed[:6]) == [message]
    if TRANSITIONS[role, state, type(message)] is state:
        assert other.is_mid_frame
        assert to_other(framed[6:]) == [message]
        assert not other.is_mid_frame


def test_several_messages_in_one_piece_come_out_in_order(pair_in: PairIn) -> None:
    pair = pair_in()
    commands = [p.Ping(id=1), p.Draw(id=2, turn=1), p.Say(id=3, text="hello")]
    assert pair.to_server(b"".join(map(pair.client.send, commands))) == commands


@given(data=st.data())
def test_any_messages_cross_in_any_pieces(
    data: st.DataObject, client_messages: st.SearchStrategy[p.AnyClientMessage]
) -> None:
    messages = data.draw(
        st.lists(client_messages.filter(lambda each: not isinstance(each, p.Hello)), max_size=5)
    )
    stream = b"".join(frame(p.encode(message)) for message in messages)
    server = ServerConnection()
    list(server.receive_data(frame(p.encode(p.Hello(versions=(1, 1), kind="bot", name="B")))))
    server.send(decoded_welcome())
    found: list[Any] = []
    at = 0
    while at < len(stream):
        size = data.draw(st.integers(1, 50))
        found += server.receive_data(stream[at : at + size])
        at += size
    assert found == messages


def decoded_welcome() -> p.Welcome:
    told = dict.fromkeys(p.Limits.__struct_fields__, 10)
    return p.Welcome(
        version=1,
        features=[],
        limits=p.Limits(**told),
        token=bytes(32),
        last_id=0,
        server="",
        server_version="",
        name="B",
        table=None,
    )


# --- the table of states ------------------------------------------------------------------


def test_every_message_has_a_place_in_the_table() -> None:
    in_table = {(role, kind) for role, _, kind in TRANSITIONS}
    assert in_table == {(role, kind) for role in Role for kind in types_of(role).values()}


def test_the_table_ends_in_closed() -> None:
    assert State.CLOSED not in {state for _, state, _ in TRANSITIONS}
    assert set(TRANSITIONS.values()) == {State.AWAIT_WELCOME, State.OPEN, State.CLOSED}


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("role", Role)
def test_what_is_not_in_the_table_is_not_sent(
    pair_in: PairIn, vectors: dict[str, Any], role: Role, state: State
) -> None:
    for tag, framed in samples(vectors, role).items():
        if (role, state, types_of(role)[tag]) in TRANSITIONS:
            continue
        pair = pair_in(state)
        end = pair.client if role is Role.CLIENT else pair.server
        message = decoded(role, framed)
        with pytest.raises(LocalProtocolError):
            end.send(message)
        with pytest.raises(LocalProtocolError):
            end.send_encoded(framed[4:], type(message))
        assert end.state is state


@pytest.mark.parametrize("state", [State.AWAIT_HELLO, State.AWAIT_WELCOME, State.OPEN])
@pytest.mark.parametrize("role", Role)
def test_what_is_not_in_the_table_is_an_error_of_who_sent_it(
    pair_in: PairIn, vectors: dict[str, Any], role: Role, state: State
) -> None:
    codes = {State.AWAIT_HELLO: "before_hello", State.AWAIT_WELCOME: "before_welcome"}
    for tag, framed in samples(vectors, role).items():
        if (role, state, types_of(role)[tag]) in TRANSITIONS:
            continue
        pair = pair_in(state)
        is_client = role is Role.CLIENT
        with pytest.raises(RemoteProtocolError) as caught:
            (pair.to_server if is_client else pair.to_client)(framed)
        expected = codes.get(state, "protocol") if is_client else "protocol"
        assert caught.value.code == expected
        assert caught.value.fatal


# --- bad input, as the docs tell it -------------------------------------------------------


def test_each_fault_of_the_docs_is_answered_as_they_say(
    pair_in: PairIn, fault: dict[str, Any]
) -> None:
    pair = pair_in(State.AWAIT_HELLO if fault["when"] == "first" else State.OPEN)
    framed = bytes.fromhex(fault["hex"])
    if fault["reply"] == "declined":
        (bad,) = pair.to_server(framed)
        assert isinstance(bad, BadMessage)
        reply: Any = bad.declined()
        assert reply.answers == fault["answers"]
    else:
        with pytest.raises(RemoteProtocolError) as caught:
            pair.to_server(framed)
        reply = caught.value.reply()
    assert reply.__struct_config__.tag == fault["reply"]
    assert reply.code == fault["code"]
    assert pair.server_says(reply) == [reply]
    is_over = fault["reply"] != "declined"
    assert pair.client.state is pair.server.state is (State.CLOSED if is_over else State.OPEN)


def test_a_connection_lives_on_after_a_bad_message(pair_in: PairIn) -> None:
    pair = pair_in()
    bad = frame(msgpack.packb({"type": "draw", "id": 4, "turn": -1}))
    good = pair.client.send(p.Ping(id=5))
    first, second = pair.to_server(bad + good)
    assert (first.answers, first.code, first.params) == (4, "bad_field", {"path": "turn"})
    assert second == p.Ping(id=5)


def test_after_a_fatal_error_nothing_more_comes_out(pair_in: PairIn) -> None:
    pair = pair_in()
    ping = pair.client.send(p.Ping(id=5))
    received = pair.server.receive_data(ping + frame(b"\xc1") + ping)
    assert next(received) == p.Ping(id=5)
    with pytest.raises(RemoteProtocolError):
        next(received)
    assert list(received) == []
    assert pair.to_server(ping) == []
    assert not pair.server.is_mid_frame


# --- the handshake ------------------------------------------------------------------------


def test_a_hello_of_another_version_is_told_both_ranges_whatever_else_it_holds(
    pair_in: PairIn,
) -> None:
    strange = {"type": "hello", "versions": [2, 3], "kind": "spirit", "aura": 5}
    with pytest.raises(RemoteProtocolError) as caught:
        pair_in(State.AWAIT_HELLO).to_server(frame(msgpack.packb(strange)))
    assert caught.value.code == "version"
    assert caught.value.params == {"client": [2, 3], "server": [1, 1], "behind": "server"}
    assert "the server is behind" in caught.value.text


def test_a_client_too_old_is_told_so(pair_in: PairIn, make_hello: Make) -> None:
    with pytest.raises(RemoteProtocolError, match="the client is behind"):
        pair_in(State.AWAIT_HELLO).client_says(make_hello(versions=(0, 0)))


def test_a_range_upside_down_is_a_bad_field(pair_in: PairIn, make_hello: Make) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        pair_in(State.AWAIT_HELLO).client_says(make_hello(versions=(3, 1)))
    assert (caught.value.code, caught.value.path) == ("bad_field", "versions")


@pytest.mark.parametrize(
    ("theirs", "common"),
    [((1, 1), 1), ((1, 9), 1), ((0, 1), 1), ((0, 0), None), ((2, 9), None)],
)
def test_the_common_version_is_the_highest_in_both_ranges(
    theirs: tuple[int, int], common: int | None
) -> None:
    assert p.common_version(theirs, (1, 1)) == common
    assert p.common_version((1, 4), (2, 3)) == 3


def test_a_wished_feature_may_be_unknown_a_needed_one_not(
    pair_in: PairIn, make_hello: Make
) -> None:
    hello = make_hello(features=["telepathy", "+strict"])
    assert pair_in(State.AWAIT_HELLO).client_says(hello) == [hello]
    with pytest.raises(RemoteProtocolError) as caught:
        pair_in(State.AWAIT_HELLO).client_says(make_hello(features=["+telepathy"]))
    assert (caught.value.code, caught.value.answer) == ("unsupported", "refused")


def test_strict_holds_from_the_hello_on(pair_in: PairIn, make_welcome: Make) -> None:
    hello = {
        "type": "hello",
        "versions": [1, 1],
        "kind": "bot",
        "name": "B",
        "features": ["strict"],
    }
    with pytest.raises(RemoteProtocolError) as caught:
        pair_in(State.AWAIT_HELLO).to_server(frame(msgpack.packb(hello | {"nmae": "B"})))
    assert (caught.value.code, caught.value.params) == ("unknown_field", {"nearest": "name"})
    assert caught.value.code in REFUSED_CODES

    pair = pair_in(State.AWAIT_HELLO)
    pair.to_server(frame(msgpack.packb(hello)))
    pair.server.send(make_welcome())
    (bad,) = pair.to_server(frame(msgpack.packb({"type": "ping", "id": 1, "turn": 2})))
    assert (bad.code, bad.answers) == ("unknown_field", 1)


def test_a_client_takes_no_version_that_it_did_not_offer(
    pair_in: PairIn, make_welcome: Make
) -> None:
    pair = pair_in(State.AWAIT_WELCOME)
    welcome = p.decode_server(p.encode(make_welcome()).replace(b"version\x01", b"version\x02"))
    assert isinstance(welcome, p.Welcome)
    with pytest.raises(RemoteProtocolError):
        pair.server_says(welcome)


def test_a_bad_welcome_is_fatal(pair_in: PairIn) -> None:
    pair = pair_in(State.AWAIT_WELCOME)
    with pytest.raises(RemoteProtocolError) as caught:
        pair.to_client(frame(msgpack.packb({"type": "welcome"})))
    assert caught.value.code == "protocol"


def test_a_message_of_a_newer_server_is_harmless_at_any_time(pair_in: PairIn) -> None:
    raw = {"type": "weather"}
    for state in (State.AWAIT_WELCOME, State.OPEN):
        assert pair_in(state).to_client(frame(msgpack.packb(raw))) == [p.UnknownMessage(raw)]


def test_a_bad_message_of_the_server_is_no_end(pair_in: PairIn) -> None:
    (bad,) = pair_in().to_client(frame(msgpack.packb({"type": "ok"})))
    assert isinstance(bad, BadMessage)
    assert (bad.code, bad.params) == ("bad_field", {"path": "answers"})


def test_messages_are_read_in_the_state_that_the_answers_before_them_made(
    pair_in: PairIn, make_welcome: Make, make_hello: Make
) -> None:
    """A command right behind the hello is in time if the welcome left while iterating."""
    pair = pair_in(State.AWAIT_HELLO)
    received = pair.server.receive_data(
        pair.client.send(make_hello()) + frame(p.encode(p.Ping(id=1)))
    )
    assert isinstance(next(received), p.Hello)
    pair.server.send(make_welcome())
    assert next(received) == p.Ping(id=1)


@pytest.mark.parametrize("versions", [None, [1], [1, "1"], ["1", 1], [True, 1], {"a": 1}])
def test_a_hello_without_a_version_range_is_a_bad_field(pair_in: PairIn, versions: object) -> None:
    hello = {"type": "hello", "versions": versions, "kind": "bot", "name": "B"}
    with pytest.raises(RemoteProtocolError) as caught:
        pair_in(State.AWAIT_HELLO).to_server(frame(msgpack.packb(hello)))
    assert (caught.value.code, caught.value.answer) == ("bad_field", "refused")


@pytest.mark.parametrize("raw", [{}, {"type": "helo"}, {"type": ["hello"]}, {"type": "draw"}])
def test_what_is_no_hello_at_all_is_before_the_hello(
    pair_in: PairIn, raw: dict[str, object]
) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        pair_in(State.AWAIT_HELLO).to_server(frame(msgpack.packb(raw)))
    assert (caught.value.code, caught.value.answer) == ("before_hello", "goodbye")


@pytest.mark.parametrize("raw", [{"type": "helo"}, {"type": "draw", "id": 1}])
def test_a_bad_message_before_the_welcome_is_fatal_too(
    pair_in: PairIn, raw: dict[str, object]
) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        pair_in(State.AWAIT_WELCOME).to_server(frame(msgpack.packb(raw)))
    assert caught.value.code == "before_welcome"


# --- limits and ends ----------------------------------------------------------------------


def test_the_limit_of_a_client_frame_rises_with_the_welcome(
    pair_in: PairIn, make_hello: Make
) -> None:
    pair = pair_in(State.AWAIT_WELCOME)
    assert pair.server.receive_limit == p.HELLO_FRAME_BYTES_MAX
    assert pair_in(State.OPEN).server.receive_limit == p.CLIENT_FRAME_BYTES_MAX
    assert ServerConnection(frame_bytes_max=2000).receive_limit == p.HELLO_FRAME_BYTES_MAX
    assert pair.client.receive_limit == p.SERVER_FRAME_BYTES_MAX


def test_no_end_sends_more_than_the_other_takes(
    pair_in: PairIn, make_hello: Make, make_welcome: Make
) -> None:
    pair = pair_in(State.AWAIT_HELLO)
    with pytest.raises(LocalProtocolError, match="limit is 1024"):
        pair.client.send(make_hello(features=["f" * 40] * 32))
    pair = pair_in(State.AWAIT_WELCOME)
    pair.server_says(make_welcome(frame_bytes_max=300))
    with pytest.raises(LocalProtocolError, match="limit is 300"):
        pair.client.send(p.Say(id=1, text="x" * 300))
    with pytest.raises(LocalProtocolError, match="limit is 65536"):
        pair.server.send(p.Said(name="", text="x" * 65536))
    with pytest.raises(LocalProtocolError, match="limit is 65536"):
        pair.server.send_encoded(bytes(65537), p.Update)


def test_a_failed_send_changes_no_state(pair_in: PairIn, make_hello: Make) -> None:
    pair = pair_in(State.AWAIT_HELLO)
    with pytest.raises(LocalProtocolError):
        pair.client.send(make_hello(features=["f" * 40] * 32))
    assert pair.client.state is State.AWAIT_HELLO


def test_the_handshake_is_not_sent_encoded(pair_in: PairIn, make_welcome: Make) -> None:
    pair = pair_in(State.AWAIT_WELCOME)
    with pytest.raises(LocalProtocolError, match="through send"):
        pair.server.send_encoded(p.encode(make_welcome()), p.Welcome)


def test_a_goodbye_closes_both_ends_and_silences_them(pair_in: PairIn) -> None:
    pair = pair_in()
    late = pair.client.send(p.Ping(id=1))
    said = pair.server.send(p.goodbye("shutdown"))
    assert pair.to_client(said + said) == [p.goodbye("shutdown")]
    assert pair.to_server(late) == []
    with pytest.raises(LocalProtocolError):
        pair.client.send(p.Ping(id=2))
    pair.client.receive_eof()
    pair.server.receive_eof()


def test_a_server_may_refuse_before_it_has_heard_a_hello(pair_in: PairIn) -> None:
    pair = pair_in(State.AWAIT_HELLO)
    assert pair.server_says(p.refused("server_full")) == [p.refused("server_full")]
    assert pair.client.state is State.CLOSED


@pytest.mark.parametrize("end", [ClientConnection, ServerConnection])
def test_an_end_between_frames_is_no_error_and_inside_one_is_a_cut(
    end: type[ClientConnection] | type[ServerConnection],
) -> None:
    whole = end()
    whole.receive_eof()
    assert whole.state is State.CLOSED
    cut = end()
    assert list(cut.receive_data(b"\x00\x00")) == []
    with pytest.raises(RemoteProtocolError) as caught:
        cut.receive_eof()
    assert (caught.value.code, cut.state) == ("cut", State.CLOSED)


# --- codes --------------------------------------------------------------------------------


def test_a_code_has_one_sentence_and_its_own_key() -> None:
    for table in (REFUSED_CODES, GOODBYE_CODES, DECLINED_CODES):
        for code, entry in table.items():
            assert entry.code == code
            assert entry.sentence[0].isupper()
            assert entry.sentence.endswith((".", "`)."))


def test_an_answer_takes_sentence_and_retry_from_the_table() -> None:
    answer = p.declined(4, "table_full", params={"table": "kitchen"})
    assert answer == p.Declined(
        answers=4,
        code="table_full",
        option=None,
        params={"table": "kitchen"},
        retry=True,
        text=DECLINED_CODES["table_full"].sentence,
    )


def test_a_code_of_the_rules_passes_through_with_its_own_text() -> None:
    answer = p.declined(4, "moon_is_full", text="Not tonight.", option="moon.phase")
    assert (answer.code, answer.text, answer.retry) == ("moon_is_full", "Not tonight.", False)
    with pytest.raises(KeyError):
        p.declined(4, "moon_is_full")
    with pytest.raises(KeyError):
        p.refused("moon_is_full")
    with pytest.raises(KeyError):
        p.goodbye("moon_is_full")


def test_every_command_says_what_answers_it() -> None:
    for command in get_args(p.AnyCommand):
        assert "Answered" in (command.__doc__ or "")
