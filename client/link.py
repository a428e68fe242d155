"""The client's end of a connection that outlives its streams: `Link`, opened by `open_link`.

One task reads and one writes each stream; heartbeats are answered between the two, so that
whoever uses the link may think as long as it likes. A lost stream is replaced by a new one with
backoff and jitter, the resume token and the commands that still want an answer, under their old
ids. Any error or cancellation closes a stream hard: half a frame must never be followed by more.
"""

import errno
import importlib.metadata
import socket
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from random import Random, SystemRandom
from typing import Literal, TypeVar

import trio
from mexican_train.protocol import (
    GOODBYE_CODES,
    PROTOCOL_VERSIONS,
    REFUSED_CODES,
    AnyCommand,
    AnyServerMessage,
    BadMessage,
    ClientConnection,
    ClientKind,
    ClientMessage,
    Command,
    Goodbye,
    Heartbeat,
    HeartbeatAnswer,
    Hello,
    LocalProtocolError,
    Moved,
    Refused,
    RemoteProtocolError,
    TableLeft,
    TableNews,
    UnknownMessage,
    Update,
    Welcome,
    declined,
)

from .address import Address
from .pins import FilePins
from .texts import coded, language, later, system_reason, text
from .tls import CertificateError, NoTlsError, stream_opener
from .tokens import MemoryTokens, TokenStore

CONNECT_SECONDS = 10.0
"""To get a stream, and again to get an answer to the hello."""
BACKOFF_SECONDS = 0.25
BACKOFF_SECONDS_MAX = 20.0
STEADY_SECONDS = 1.0
"""After so long a connection is taken for sound: when it is lost the backoff starts anew. So is one
over which the game went on. Any other that was welcomed and lost counts as a failed attempt."""
PATIENCE_SECONDS = 900.0
LAST_WORDS_SECONDS = 1.0
"""How long to read on after writing failed: the reason for it may be under way."""
UNANSWERED_MAX = 32
"""The server keeps so many answers to repeat."""
INBOX_MAX = 4096
READ_BYTES = 65536

_Message = TypeVar("_Message", bound=ClientMessage)
StreamOpener = Callable[[Address], Awaitable[trio.abc.Stream]]
"""Makes a stream to an address. Raises `OSError`, `NoTlsError` or `CertificateError`."""


class LinkError(Exception):
    """A link could not be opened, or has ended. `code` for programs, the text for people."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class UnreachableError(LinkError):
    """Nobody, or nobody who speaks the protocol, answers at the address."""


class UntrustedError(LinkError):
    """Who answers may be somebody else than the server that is meant; nothing was told to it.

    `fingerprint` is that of its certificate; `is_new`: none was known for this server.
    """

    def __init__(self, error: CertificateError) -> None:
        super().__init__("untrusted", _sentence(str(error)))
        self.fingerprint = error.fingerprint
        self.is_new = error.is_new


class RefusedError(LinkError):
    """The server does not let this player in; `code` is that of the message `refused`."""


class EndedError(LinkError):
    """The link is over and will not come back; `code` is that of the `goodbye`, or `lost`."""


@dataclass(frozen=True, slots=True)
class LinkNotice:
    """Something that happened to the link itself, told in order among the messages."""

    kind: Literal["lost", "back", "moved", "unsaved"]
    """`unsaved`: the resume token could not be stored, a new start would not find the seat."""
    text: str


Arrival = AnyServerMessage | LinkNotice
"""What `Link.receive` gives."""


@dataclass(slots=True)
class _Wire:
    """One stream of a link, after the welcome."""

    stream: trio.abc.Stream
    connection: ClientConnection
    welcome: Welcome
    early: deque[AnyServerMessage] = field(default_factory=deque)
    """Messages that came in one piece with the welcome."""
    began_after: int | None = None
    """The last event that its first update told."""
    has_gone_on: bool = False
    """Whether events came in over it beside those that it began with."""

    def note(self, update: Update) -> None:
        """See an update that came over it."""
        if self.began_after is None:
            self.began_after = update.last_event
        self.has_gone_on |= update.last_event > self.began_after


@dataclass(frozen=True, slots=True)
class _Loss:
    """Why a stream is gone, and whether to go to another address at once."""

    text: str
    moved: bool = False


class _OverError(Exception):
    """Ends the running of a link; carries what `receive` will raise."""

    def __init__(self, reason: LinkError) -> None:
        super().__init__(reason.text)
        self.reason = reason


class Link:
    """An open link. Made by `open_link`; one task at a time uses `receive` and `ask`."""

    def __init__(
        self,
        address: Address,
        hello: Hello,
        *,
        open_stream: StreamOpener,
        tokens: TokenStore,
        rng: Random,
        patience_seconds: float,
        on_message: Callable[[AnyServerMessage], None] | None = None,
    ) -> None:
        self._address = address
        self._hello = hello
        self._open_stream = open_stream
        self._tokens = tokens
        self._rng = rng
        self._patience_seconds = patience_seconds
        self._on_message = on_message
        self._token = hello.token
        self._table: str | None = None
        self._last_event = 0
        self._last_id = 0
        self._unanswered: dict[int, AnyCommand] = {}
        self._unsent: set[int] = set()
        self._outbox: trio.MemorySendChannel[AnyCommand | HeartbeatAnswer] | None = None
        self._inbox, self._arrivals = trio.open_memory_channel[Arrival](INBOX_MAX)
        self._aside: deque[Arrival] = deque()
        self._end: LinkError | None = None
        self._welcome: Welcome | None = None

    @property
    def address(self) -> Address:
        """Where the link leads now; `moved` changes it."""
        return self._address

    @property
    def hello(self) -> Hello:
        """Who this link came as."""
        return self._hello

    @property
    def welcome(self) -> Welcome:
        """The newest welcome."""
        if self._welcome is None:
            raise RuntimeError("the link is not open yet")
        return self._welcome

    @property
    def unanswered(self) -> tuple[int, ...]:
        """The ids of commands that still want their answer, oldest first."""
        return tuple(self._unanswered)

    def send(self, command: AnyCommand) -> int:
        """Send `command` under the next id, whatever id it carries; return that id.

        While the stream is lost the command waits for the next one. It is repeated under the
        same id after each loss until it is answered. Raises the reason if the link has ended,
        and `LinkError` `busy` while 32 commands are unanswered.
        """
        if self._end is not None:
            raise self._end
        if len(self._unanswered) >= UNANSWERED_MAX:
            raise LinkError("busy", text("The server has not answered the last commands yet."))
        self._last_id += 1
        command = _changed(command, id=self._last_id)
        self._unanswered[self._last_id] = command
        if self._outbox is None:
            self._unsent.add(self._last_id)
        self._write_later(command)
        return self._last_id

    def take_back(self, number: int) -> bool:
        """Forget the command with this id if it still waits for a stream; whether it did."""
        if number not in self._unsent:
            return False
        self._unsent.discard(number)
        del self._unanswered[number]
        return True

    async def receive(self) -> Arrival:
        """The next message or notice. Raises the reason when the link has ended."""
        if self._aside:
            await trio.lowlevel.checkpoint()
            return self._aside.popleft()
        return await self._next()

    async def ask(self, command: AnyCommand) -> AnyServerMessage:
        """Send `command` and return its answer, which may be `Declined`.

        What arrives in between is kept, in order, for `receive`. Raises as `send` and `receive`.
        """
        number = self.send(command)
        while True:
            arrival = await self._next()
            if not isinstance(arrival, LinkNotice) and _answers(arrival) == number:
                return arrival
            self._aside.append(arrival)

    async def _next(self) -> Arrival:
        try:
            return await self._arrivals.receive()
        except trio.EndOfChannel:
            if self._end is None:
                raise
            raise self._end from None

    # --- one stream -----------------------------------------------------------------------

    async def _shake_hands(self) -> _Wire:
        """A stream with a welcome, its token stored. Raises `LinkError`, all closed."""
        stream = await self._stream()
        try:
            with trio.fail_after(CONNECT_SECONDS):
                return await self._say_hello(stream)
        except BaseException as error:
            await trio.aclose_forcefully(stream)
            if isinstance(error, trio.TooSlowError):
                raise self._no_server(text("no answer to the hello")) from None
            raise

    async def _stream(self) -> trio.abc.Stream:
        try:
            with trio.fail_after(CONNECT_SECONDS):
                return await self._open_stream(self._address)
        except trio.TooSlowError:
            raise UnreachableError("unreachable", self._nobody(text("no answer"))) from None
        except OSError as error:
            raise UnreachableError("unreachable", self._nobody(_reason(error))) from error
        except NoTlsError as error:
            raise UnreachableError("no_tls", str(error)) from error
        except CertificateError as error:
            raise UntrustedError(error) from error

    async def _say_hello(self, stream: trio.abc.Stream) -> _Wire:
        connection = ClientConnection()
        last_event = self._last_event if self._token else 0
        hello = _changed(self._hello, token=self._token, last_event=last_event)
        try:
            await stream.send_all(connection.send(hello))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise self._no_server(text("the connection broke off")) from None
        wire: _Wire | None = None
        while wire is None:
            for message in await self._read_first(stream, connection):
                if wire is not None:
                    wire.early.append(message)
                elif isinstance(message, Welcome):
                    wire = _Wire(stream, connection, message)
                elif isinstance(message, Refused):
                    raise RefusedError(message.code, _sentence_of(message))
                elif isinstance(message, Goodbye):
                    raise UnreachableError(message.code, _sentence_of(message))
        await self._admit(wire.welcome)
        return wire

    async def _read_first(
        self, stream: trio.abc.Stream, connection: ClientConnection
    ) -> list[AnyServerMessage]:
        try:
            received = await stream.receive_some(READ_BYTES)
            if not received:
                raise self._no_server(text("it hung up without a word"))
            return list(_messages(connection, received))
        except trio.BrokenResourceError:
            raise self._no_server(text("the connection broke off")) from None
        except RemoteProtocolError:
            raise self._no_server(text("what answers speaks another language")) from None

    async def _admit(self, welcome: Welcome) -> None:
        """Take a welcome in; its token is durable before anything else is sent."""
        self._token = welcome.token
        try:
            place, tls = self._address.place, self._address.tls
            await self._tokens.save(place, self._hello.name, welcome.token, tls=tls)
        except OSError as error:
            unsaved = text(
                "The resume token could not be stored: {reason}.", reason=system_reason(error)
            )
            self._deliver(LinkNotice("unsaved", unsaved))
        if self._welcome is None:
            self._last_id = welcome.last_id
        if welcome.table != self._table:
            self._table, self._last_event = welcome.table, 0
        self._welcome = welcome

    async def _serve(self, wire: _Wire) -> _Loss:
        """Run one stream until it is lost; then it is closed. Raises `_OverError`."""
        outbox, outgoing = trio.open_memory_channel[AnyCommand | HeartbeatAnswer](float("inf"))
        for command in self._unanswered.values():
            outbox.send_nowait(command)
        self._unsent.clear()
        self._outbox = outbox
        loss = _Loss(text("the connection is lost"))
        over: _OverError | None = None
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write, wire, outgoing, nursery.cancel_scope)
                try:
                    loss = await self._read(wire)
                except _OverError as error:  # carried past the nursery, which would wrap it
                    over = error
                nursery.cancel_scope.cancel()
        finally:
            self._outbox = None
            await trio.aclose_forcefully(wire.stream)
        if over is not None:
            raise over
        return loss

    async def _write(
        self,
        wire: _Wire,
        outgoing: trio.MemoryReceiveChannel[AnyCommand | HeartbeatAnswer],
        scope: trio.CancelScope,
    ) -> None:
        try:
            async for message in outgoing:
                try:
                    framed = wire.connection.send(message)
                except LocalProtocolError:
                    self._decline(message)
                    continue
                await wire.stream.send_all(framed)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            scope.deadline = min(scope.deadline, trio.current_time() + LAST_WORDS_SECONDS)

    async def _read(self, wire: _Wire) -> _Loss:
        while wire.early:
            if (loss := self._handle(wire, wire.early.popleft())) is not None:
                return loss
        silence_seconds = max(1, wire.welcome.limits.silence_seconds)
        while True:
            try:
                with trio.fail_after(silence_seconds):
                    received = await wire.stream.receive_some(READ_BYTES)
                if not received:
                    return _Loss(text("the server has closed the connection"))
                for message in _messages(wire.connection, received):
                    if (loss := self._handle(wire, message)) is not None:
                        return loss
            except trio.TooSlowError:
                return _Loss(
                    text("the server has been silent for {seconds} s", seconds=silence_seconds)
                )
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return _Loss(text("the connection broke off"))
            except RemoteProtocolError as error:
                return _Loss(
                    text("the server sent something that cannot be read ({code})", code=error.code)
                )

    def _decline(self, message: AnyCommand | HeartbeatAnswer) -> None:
        """Answer a command that cannot be sent, as the server would."""
        if isinstance(message, Command):
            del self._unanswered[message.id]
            too_long = text("This is too long for the server.")
            self._deliver(declined(message.id, "too_long", text=too_long))

    # --- one message ----------------------------------------------------------------------

    def _handle(self, wire: _Wire, message: AnyServerMessage) -> _Loss | None:
        """Do what the link itself does with `message`, and hand it on. A loss ends the stream."""
        if isinstance(message, Heartbeat):
            self._write_later(HeartbeatAnswer(n=message.n))
            return None
        if isinstance(message, Moved):
            return self._follow(message)
        if isinstance(message, Goodbye):
            if _may_retry(message):
                stopped = text("the server has stopped")  # its own sentence looks ahead
                return _Loss(stopped if message.code == "shutdown" else _sentence_of(message))
            raise _OverError(EndedError(message.code, _sentence_of(message)))
        self._unanswered.pop(_answers(message), None)
        if isinstance(message, Update):
            wire.note(message)
        self._remember_place(message)
        if self._on_message is not None:
            self._on_message(message)
        self._deliver(message)
        return None

    def _follow(self, moved: Moved) -> _Loss:
        try:
            there = Address.parse(moved.address)
        except ValueError:
            return _Loss(text("the server named an address that cannot be read"))
        # nobody may lead a link out of TLS
        self._address = replace(there, tls=there.tls or self._address.tls)
        return _Loss(text("the game has moved to {address}", address=self._address), moved=True)

    def _remember_place(self, message: AnyServerMessage) -> None:
        """Keep the table and the last event that a resume would name."""
        if isinstance(message, Update):
            self._table, self._last_event = message.table, message.last_event
        elif isinstance(message, TableNews):
            if message.table.name != self._table:
                self._table, self._last_event = message.table.name, 0
        elif isinstance(message, TableLeft):
            self._table, self._last_event = None, 0

    def _write_later(self, message: AnyCommand | HeartbeatAnswer) -> None:
        if self._outbox is not None:
            self._outbox.send_nowait(message)

    def _deliver(self, arrival: Arrival) -> None:
        try:
            self._inbox.send_nowait(arrival)
        except trio.WouldBlock:
            unread = text("{number} messages came in and none was read.", number=INBOX_MAX)
            raise _OverError(EndedError("unread", unread)) from None

    # --- all streams ----------------------------------------------------------------------

    async def _open(self) -> _Wire:
        """The first stream; without a stored token that the server does not take.

        That token stays in the store until a new one is welcomed in its place: what refuses it
        may be another server at the same address.
        """
        stored = self._token is None
        async with self._hold() as (address, name):
            if stored:
                self._token = await self._tokens.load(address, name)
            try:
                return await self._shake_hands()
            except RefusedError as error:
                if error.code != "bad_token" or not stored or self._token is None:
                    raise
            self._token = None
            return await self._shake_hands()

    @asynccontextmanager
    async def _hold(self) -> AsyncIterator[tuple[str, str]]:
        """The token's address and name, while no other program may exchange it."""
        address, name = self._address.place, self._hello.name
        async with self._tokens.hold(address, name):
            yield address, name

    async def _run(self, wire: _Wire) -> None:
        """Keep the link up until it ends for good; then `receive` raises the reason."""
        failures = 0
        try:
            while True:
                began = trio.current_time()
                loss = await self._serve(wire)
                is_sound = wire.has_gone_on or trio.current_time() - began >= STEADY_SECONDS
                failures = 0 if is_sound else failures + 1
                self._deliver(LinkNotice("moved" if loss.moved else "lost", _sentence(loss.text)))
                wire = await self._resume(loss, failures)
                self._deliver(LinkNotice("back", text("Back at {address}.", address=self._address)))
        except _OverError as error:
            self._end = error.reason
        finally:
            self._inbox.close()

    async def _resume(self, loss: _Loss, failures: int) -> _Wire:
        """A new stream after `loss`. Raises `_OverError` when it is time to give up."""
        give_up_at = trio.current_time() + self._patience_seconds
        wait = not (loss.moved and failures <= 1)
        reason = loss.text
        while True:
            if wait:
                seconds = _backoff_seconds(failures, self._rng)
                if trio.current_time() + seconds > give_up_at:
                    raise _OverError(EndedError("lost", _sentence(reason)))
                await trio.sleep(seconds)
            try:
                async with self._hold():
                    return await self._shake_hands()
            except RefusedError as error:
                known = REFUSED_CODES.get(error.code)
                if known is None or not known.retry:
                    raise _OverError(error) from error
                reason = error.text
            except UntrustedError as error:
                raise _OverError(error) from error
            except UnreachableError as error:
                reason = error.text
            wait = True
            failures += 1

    def _nobody(self, reason: str) -> str:
        return text(
            "nobody answers at {address} ({reason}). Is mt-server running there?",
            address=self._address,
            reason=reason,
        )

    def _no_server(self, reason: str) -> UnreachableError:
        sentence = text(
            "there is no mt-server at {address} ({reason}).", address=self._address, reason=reason
        )
        return UnreachableError("no_server", sentence)


@asynccontextmanager
async def open_link(
    address: Address,
    hello: Hello,
    *,
    open_stream: StreamOpener | None = None,
    tokens: TokenStore | None = None,
    rng: Random | None = None,
    patience_seconds: float = PATIENCE_SECONDS,
    on_message: Callable[[AnyServerMessage], None] | None = None,
) -> AsyncIterator[Link]:
    """A welcomed link for the time of the block; then its stream is closed hard.

    Args:
        address: The server.
        hello: Who comes (see `hello_for`); its token, if any, goes before a stored one.
        open_stream: Makes each stream; if left out TCP, or TLS as the address says, with a
            certificate that the system vouches for or whose fingerprint the user has kept.
        tokens: Where resume tokens are kept; in memory if left out.
        rng: Spreads the waits between attempts to reconnect.
        patience_seconds: How long to try to come back; 0 ends the link with its first stream.
        on_message: Called with each message that the link hands on, before it does.

    Raises `UnreachableError`, `UntrustedError` or `RefusedError` on entry. What the block raises
    comes out bare.
    """
    link = Link(
        address,
        hello,
        open_stream=open_stream or stream_opener(pins=FilePins.of_user()),
        tokens=tokens if tokens is not None else MemoryTokens(),
        rng=rng if rng is not None else SystemRandom(),
        patience_seconds=patience_seconds,
        on_message=on_message,
    )
    wire = await link._open()  # noqa: SLF001 - the two are one thing in two parts
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(link._run, wire)  # noqa: SLF001 - likewise
        try:
            yield link
        except Exception as error:  # noqa: BLE001 - raised again below, outside of the nursery
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure


def hello_for(
    name: str,
    *,
    kind: ClientKind = "person",
    program: str = "mt-client",
    token: bytes | None = None,
    password: str | None = None,
    seat_code: str | None = None,
) -> Hello:
    """The hello of a client of this package. A token goes before a seat code."""
    return Hello(
        versions=PROTOCOL_VERSIONS,
        kind=kind,
        name=name,
        program=program,
        program_version=_program_version(),
        token=token,
        password=password,
        seat_code=seat_code,
        lang=language(),
    )


def _program_version() -> str:
    """The installed version; empty where the package is not installed."""
    try:
        return importlib.metadata.version("mexican-train")[:40]
    except importlib.metadata.PackageNotFoundError:
        return ""


def _messages(
    connection: ClientConnection, received: bytes | bytearray
) -> Iterator[AnyServerMessage]:
    """What came, without what this version does not know."""
    for message in connection.receive_data(bytes(received)):
        if not isinstance(message, BadMessage | UnknownMessage):
            yield message


def _answers(message: AnyServerMessage) -> int:
    """The id of the command that `message` answers; 0 if it answers none."""
    number: int = getattr(message, "answers", 0)
    return number


def _changed(message: _Message, **fields: object) -> _Message:
    """`message` with some fields changed."""
    kept = {name: getattr(message, name) for name in message.__struct_fields__}
    return type(message)(**(kept | fields))


def _may_retry(goodbye: Goodbye) -> bool:
    known = GOODBYE_CODES.get(goodbye.code)
    return known is not None and known.retry


def _backoff_seconds(failures: int, rng: Random) -> float:
    """Doubles with each failure up to a bound; half of it is random, so that clients spread."""
    full = min(BACKOFF_SECONDS_MAX, BACKOFF_SECONDS * 2.0 ** min(failures, 16))
    return full / 2 + rng.uniform(0, full / 2)


def _sentence(words: str) -> str:
    """The words of a reason as a sentence of its own."""
    words = words[:1].upper() + words[1:]
    return words if words.endswith((".", "?", "!")) else f"{words}."


def _sentence_of(message: Refused | Goodbye) -> str:
    """Why the server lets nobody in, or ends the connection."""
    context = "refused" if isinstance(message, Refused) else "goodbye"
    return coded(context, message.code, message.text)


_REASONS = {
    errno.ECONNREFUSED: later("connection refused"),
    errno.ETIMEDOUT: later("no answer"),
    errno.EHOSTUNREACH: later("no way to that machine"),
    errno.ENETUNREACH: later("no way to that network"),
    errno.ECONNRESET: later("connection reset"),
}


def _reason(error: OSError) -> str:
    """In a few words why a connection could not be made."""
    for cause in _leaves(error):
        if isinstance(cause, socket.gaierror):
            return text("no machine of that name is known")
        if isinstance(cause, OSError) and cause.errno in _REASONS:
            return text(_REASONS[cause.errno])
    return system_reason(error)


def _leaves(error: BaseException | None) -> Iterator[BaseException]:
    """`error` and what is behind it, through causes and groups."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                yield from _leaves(inner)
        error = error.__cause__
