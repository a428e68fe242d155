"""The protocol's state without I/O: bytes in, messages out, and the other way round.

Both ends hold one `Connection`. What may be sent when stands in one table, keyed by the sender's
role, the state and the type of the message; a missing key is the error, of whoever sends.
"""

import enum
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, Generic, TypeVar, get_args

import msgspec

from .client_messages import AnyClientMessage, AnyCommand, ClientMessage, HeartbeatAnswer, Hello
from .codec import UnknownMessage, decode_client, decode_server, encode
from .codes import declined
from .errors import LocalProtocolError, RemoteProtocolError
from .framing import (
    CLIENT_FRAME_BYTES_MAX,
    HELLO_FRAME_BYTES_MAX,
    SERVER_FRAME_BYTES_MAX,
    FrameDecoder,
    frame,
)
from .handshake import (
    PROTOCOL_VERSIONS,
    check_hello,
    common_version,
    is_asked_for,
    refuse_bad_hello,
)
from .server_messages import (
    AnyServerMessage,
    Declined,
    Goodbye,
    Refused,
    ServerMessage,
    Welcome,
)
from .values import Parameter


class Role(enum.Enum):
    """Which end sends."""

    CLIENT = "client"
    SERVER = "server"

    __hash__ = object.__hash__  # the table is asked for every frame; an enum's own is slow


class State(enum.Enum):
    """Where a connection stands; the same at both ends, but for what is under way."""

    AWAIT_HELLO = "await_hello"
    AWAIT_WELCOME = "await_welcome"
    OPEN = "open"
    CLOSED = "closed"

    __hash__ = object.__hash__


_LAST_WORDS: Final = (Refused, Goodbye)


def _transitions() -> dict[tuple[Role, State, type[Any]], State]:
    client, server = Role.CLIENT, Role.SERVER
    hello, welcome, is_open, closed = State
    table: dict[tuple[Role, State, type[Any]], State] = {
        (client, hello, Hello): welcome,
        (server, hello, Refused): closed,
        (server, hello, Goodbye): closed,
        (server, welcome, Welcome): is_open,
        (server, welcome, Refused): closed,
        (server, welcome, Goodbye): closed,
        (server, is_open, Goodbye): closed,
        (client, is_open, HeartbeatAnswer): is_open,
    }
    for command in get_args(AnyCommand):
        table[client, is_open, command] = is_open
    for message in get_args(AnyServerMessage):
        if message not in (Welcome, *_LAST_WORDS):
            table[server, is_open, message] = is_open
    return table


TRANSITIONS: Final[Mapping[tuple[Role, State, type[Any]], State]] = MappingProxyType(_transitions())
"""(role of the sender, state, type of the message) to the state after it."""


class BadMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A received message that is no use, on a connection that goes on."""

    answers: int
    """The id of the command; 0 if it had no valid one."""
    code: str
    text: str
    params: dict[str, Parameter]

    def declined(self) -> Declined:
        """What a server answers."""
        return declined(self.answers, self.code, text=self.text, params=self.params)


_Sent = TypeVar("_Sent", bound=ClientMessage | ServerMessage)
_Received = TypeVar("_Received")


class Connection(Generic[_Sent, _Received]):
    """One end of a connection: use `ClientConnection` or `ServerConnection`.

    `receive_data` turns bytes into messages, `send` a message into bytes. An end that has said or
    heard the last words (`refused`, `goodbye`) is `CLOSED`: what still comes in is ignored, and
    sending is a `LocalProtocolError`.
    """

    role: ClassVar[Role]
    _peer: ClassVar[Role]

    def __init__(self, *, receive_limit: int, send_limit: int) -> None:
        self._state = State.AWAIT_HELLO
        self._frames = FrameDecoder(receive_limit)
        self._send_limit = send_limit
        self._is_deaf = False

    @property
    def state(self) -> State:
        """Where this connection stands, as this end sees it."""
        return self._state

    @property
    def is_mid_frame(self) -> bool:
        """Whether the first part of a frame is here and the rest is not (for a deadline)."""
        return self._frames.is_mid_frame

    @property
    def receive_limit(self) -> int:
        """The longest payload in bytes that may come now."""
        return self._frames.limit

    def receive_data(self, received: bytes | bytearray) -> Iterator[_Received | BadMessage]:
        """Take bytes in; iterate the messages that are whole, in order.

        The bytes are taken at once; messages are decoded while iterating, each in the state that
        the answers to those before it have made. Iterate to the end. A `BadMessage` is to be
        answered `declined` (client: to be ignored). After a fatal error, or once closed, nothing
        more comes out.

        Raises:
            RemoteProtocolError: while iterating, always fatal; a server sends its `reply()` and
                closes the stream, a client closes it.
        """
        if self._is_deaf or self._state is State.CLOSED:
            return iter(())
        return self._messages(self._frames.feed(received))

    def receive_eof(self) -> None:
        """The other side has ended its stream; the connection is `CLOSED`.

        Raises:
            RemoteProtocolError: `cut`, if it ended inside a frame.
        """
        was_listening = not self._is_deaf and self._state is not State.CLOSED
        self._state = State.CLOSED
        if was_listening:
            self._frames.eof()

    def send(self, message: _Sent) -> bytes:
        """The bytes to write for this message, frame included.

        Raises:
            LocalProtocolError: the message may not be sent now, or is too long.
        """
        after = self._after_sending(type(message))
        framed = frame(encode(message), self._send_limit)
        self._state = after
        self._on_sent(message)
        return framed

    def send_encoded(self, payload: bytes, message_type: type[_Sent]) -> bytes:
        """Like `send`, for a payload that is encoded already (as by `splice`).

        Not for the handshake, whose fields this connection must see.
        """
        after = self._after_sending(message_type)
        if after is not self._state:
            raise LocalProtocolError(f"{message_type.__name__} must go through send()")
        return frame(payload, self._send_limit)

    def close(self) -> None:
        """This end is done, without a last word."""
        self._state = State.CLOSED

    # what the two ends do differently

    def _decode(self, payload: bytes) -> _Received:
        """The message in a payload."""
        raise NotImplementedError

    def _misplaced(self, payload: bytes) -> RemoteProtocolError:
        """The error that a message is which may not come in this state."""
        return RemoteProtocolError("protocol", payload=payload)

    def _hopeless(self, error: RemoteProtocolError, payload: bytes) -> RemoteProtocolError | None:
        """The fatal error that a bad message is in this state; None where it is none."""
        raise NotImplementedError

    def _on_received(self, message: _Received, payload: bytes) -> None:
        """See a message that has come, before the state changes."""

    def _on_sent(self, message: _Sent) -> None:
        """See a message that goes out, after the state has changed."""

    # what they share

    def _after_sending(self, message_type: type[Any]) -> State:
        after = TRANSITIONS.get((self.role, self._state, message_type))
        if after is None:
            raise LocalProtocolError(
                f"a {self.role.value} may not send {message_type.__name__} in {self._state.name}"
            )
        return after

    def _messages(self, payloads: Iterator[bytes]) -> Iterator[_Received | BadMessage]:
        try:
            for payload in payloads:
                yield self._read(payload)
                if self._is_deaf or self._state is State.CLOSED:
                    return
        except RemoteProtocolError:
            self._is_deaf = True
            self._frames.clear()
            raise

    def _read(self, payload: bytes) -> _Received | BadMessage:
        try:
            message = self._decode(payload)
        except RemoteProtocolError as error:
            if error.fatal:
                raise
            if fatal := self._hopeless(error, payload):
                raise fatal from None
            return BadMessage(
                answers=error.answers, code=error.code, text=error.text, params=error.params
            )
        if not isinstance(message, UnknownMessage):
            after = TRANSITIONS.get((self._peer, self._state, type(message)))
            if after is None:
                raise self._misplaced(payload)
            self._on_received(message, payload)
            self._state = after
        return message


class ServerConnection(Connection[AnyServerMessage, AnyClientMessage]):
    """The server's end. It settles what of a hello needs no knowledge of players.

    That is: no common version, a feature that the client cannot do without and nobody offers,
    and bad fields. All are a fatal error whose `reply()` is `refused`. A hello with the feature
    `strict` switches `strict` on.
    """

    role = Role.SERVER
    _peer = Role.CLIENT

    def __init__(
        self,
        *,
        hello_bytes_max: int = HELLO_FRAME_BYTES_MAX,
        frame_bytes_max: int = CLIENT_FRAME_BYTES_MAX,
    ) -> None:
        super().__init__(receive_limit=hello_bytes_max, send_limit=SERVER_FRAME_BYTES_MAX)
        self._frame_bytes_max = frame_bytes_max
        self.strict = False

    def _decode(self, payload: bytes) -> AnyClientMessage:
        return decode_client(payload, strict=self.strict)

    def _misplaced(self, payload: bytes) -> RemoteProtocolError:
        if self._state is State.OPEN:
            return super()._misplaced(payload)
        is_early = self._state is State.AWAIT_HELLO
        return RemoteProtocolError(
            "before_hello" if is_early else "before_welcome", payload=payload
        )

    def _hopeless(self, error: RemoteProtocolError, payload: bytes) -> RemoteProtocolError | None:
        if self._state is State.OPEN:
            return None
        if self._state is State.AWAIT_HELLO:
            return refuse_bad_hello(error, payload)
        return self._misplaced(payload)

    def _on_received(self, message: AnyClientMessage, payload: bytes) -> None:
        if isinstance(message, Hello):
            check_hello(message, payload)
            self.strict = is_asked_for("strict", message.features)

    def _on_sent(self, message: AnyServerMessage) -> None:
        if isinstance(message, Welcome):
            self._frames.limit = self._frame_bytes_max


class ClientConnection(Connection[AnyClientMessage, AnyServerMessage | UnknownMessage]):
    """The client's end. What is newer than this version comes out as `UnknownMessage`.

    After the welcome it holds itself to the server's limits.
    """

    role = Role.CLIENT
    _peer = Role.SERVER

    def __init__(self) -> None:
        super().__init__(receive_limit=SERVER_FRAME_BYTES_MAX, send_limit=HELLO_FRAME_BYTES_MAX)
        self._versions = PROTOCOL_VERSIONS

    def _decode(self, payload: bytes) -> AnyServerMessage | UnknownMessage:
        return decode_server(payload)

    def _hopeless(self, error: RemoteProtocolError, payload: bytes) -> RemoteProtocolError | None:
        if self._state is State.OPEN:
            return None
        return RemoteProtocolError("protocol", error.text, params=error.params, payload=payload)

    def _on_received(self, message: AnyServerMessage | UnknownMessage, payload: bytes) -> None:
        if isinstance(message, Welcome):
            if common_version((message.version, message.version), self._versions) is None:
                raise self._misplaced(payload)
            self._send_limit = message.limits.frame_bytes_max

    def _on_sent(self, message: AnyClientMessage) -> None:
        if isinstance(message, Hello):
            self._versions = message.versions
