"""A lobby without a shell, and a whole server without sockets.

`Desk` carries out what the core asks as a shell would, time by hand; `Hall` is the real shell, and
`Peer` somebody connected to it. All keep what any viewer was ever sent, and what was logged.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import count
from random import Random
from socket import socketpair
from typing import Any, Literal

import pytest
import structlog
import trio
from mexican_train.engine import RuleSet
from mexican_train.protocol import (
    AnyServerMessage,
    Choice,
    ClientConnection,
    ClientKind,
    Declined,
    Done,
    Draw,
    Foul,
    Heartbeat,
    HeartbeatAnswer,
    Hello,
    JoinTable,
    Knock,
    Pass,
    Play,
    Refused,
    Update,
    Welcome,
    decode_server,
    encode,
)
from mexican_train.server import LIMITS, Config, Server
from mexican_train.server.effects import (
    Admit,
    CloseBot,
    Deliver,
    DeliverUpdate,
    Effect,
    HangUp,
    Report,
    Save,
    SeatBot,
)
from mexican_train.server.house import advise
from mexican_train.server.lobby import Lobby
from mexican_train.server.lobby_settings import LobbySettings, TablePlan
from mexican_train.server.table_settings import TableSettings
from trio.testing import memory_stream_pair


class Desk:
    """Plays the shell's part for a lobby, in one thread and at once."""

    def __init__(self, **table_settings: Any) -> None:
        seeds = Random(4)
        settings = {"random_bytes": seeds.randbytes, "adviser": advise, **table_settings}
        self.lobby = Lobby(
            LobbySettings(
                table=TableSettings(**settings),
                limits=LIMITS,
                rules={},
                strategies=("greedy", "random"),
            )
        )
        self.now = 1000.0
        self.inbox: dict[int, list[AnyServerMessage]] = {}
        self.wire: dict[int, list[bytes]] = {}
        self.reports: list[Report] = []
        self.saved: list[Any] = []
        self.hung_up: list[HangUp] = []
        self.bots: list[SeatBot] = []
        self.closed_bots: list[int] = []
        self._ids: dict[int, Iterator[int]] = {}

    def carry_out(self, effects: list[Effect]) -> None:
        """Do what the core asks, and keep it."""
        for effect in effects:
            match effect:
                case Deliver(player, message) | Admit(player, _, message):
                    self._keep(player, encode(message))
                case DeliverUpdate(player, payload):
                    self._keep(player, payload)
                case Save(facts):
                    self.saved += facts
                case Report():
                    self.reports.append(effect)
                case HangUp():
                    self.hung_up.append(effect)
                case SeatBot():
                    self.bots.append(effect)
                case CloseBot(player):
                    self.closed_bots.append(player)

    def _keep(self, player: int, payload: bytes) -> None:
        message = decode_server(payload)
        self.wire.setdefault(player, []).append(payload)
        self.inbox.setdefault(player, []).append(message)  # type: ignore[arg-type]

    def hello(
        self,
        name: str,
        kind: ClientKind = "person",
        *,
        token: bytes | None = None,
        last_event: int = 0,
    ) -> int | Refused:
        """Let a player in; the number, or the refusal."""
        hello = Hello(versions=(1, 1), kind=kind, name=name, token=token, last_event=last_event)
        return self._admit(self.lobby.hello(hello, self.now))

    def _admit(self, answer: Any) -> int | Refused:
        if isinstance(answer, Refused):
            return answer
        self.carry_out(answer.effects)
        number: int = answer.player
        self._ids.setdefault(number, count(1))
        return number

    def enter(self, name: str, kind: ClientKind = "person") -> int:
        """Let a player in who is welcome."""
        number = self.hello(name, kind)
        assert isinstance(number, int)
        return number

    def start_bots(self) -> None:
        """Say hello for every house bot that was asked for."""
        for bot in self.bots:
            hello = Hello(versions=(1, 1), kind="bot", name=bot.name)
            self._admit(self.lobby.hello_house(bot.player, hello, self.now))
        self.bots.clear()

    def open(self, name: str = "t", **plan: Any) -> None:
        """Open a standing table."""
        rules = plan.pop("rules", RuleSet.preset("classic"))
        self.carry_out(
            self.lobby.open_standing(TablePlan(name=name, rules=rules, **plan), self.now)
        )
        self.start_bots()

    def send(self, player: int, command: type, **fields: Any) -> AnyServerMessage:
        """Send a command under the next id; the message that answers it, or the last one."""
        fields.setdefault("id", next(self._ids[player]))
        before = len(self.inbox[player])
        self.carry_out(self.lobby.handle(player, command(**fields), self.now))
        self.start_bots()
        new = self.inbox[player][before:]
        answers = [each for each in new if getattr(each, "answers", 0) == fields["id"]]
        assert len(answers) <= 1, "a command is answered once"
        return answers[0] if answers else self.inbox[player][-1]

    def decline(self, player: int, command: type, **fields: Any) -> Declined:
        """Send a command that is declined."""
        answer = self.send(player, command, **fields)
        assert isinstance(answer, Declined), answer
        return answer

    def drop(self, player: int) -> None:
        """Cut a player's connection."""
        generation = self.lobby._players[player].generation
        self.carry_out(self.lobby.disconnected(player, generation, self.now))

    def wait(self, seconds: float) -> None:
        """Let time pass, with every deadline on the way."""
        end = self.now + seconds
        while (deadline := self.lobby.next_deadline()) is not None and deadline <= end:
            self.now = max(self.now, deadline)
            for name in self.lobby.due(self.now):
                self.carry_out(self.lobby.tick(name, self.now))
        self.now = end

    def last(self, player: int, kind: type) -> Any:
        """The newest message of this type to a player."""
        return next(each for each in reversed(self.inbox[player]) if isinstance(each, kind))

    def token(self, player: int) -> bytes:
        """The newest token of a player."""
        token: bytes = self.last(player, Welcome).token
        return token

    def update(self, player: int) -> Update:
        """The newest update to a player."""
        update: Update = self.last(player, Update)
        return update

    def seat_four(self, table: str = "t", kind: ClientKind = "bot") -> list[int]:
        """Four players at a table."""
        players = [self.enter(f"guest {letter}", kind) for letter in "abcd"]
        for player in players:
            self.send(player, JoinTable, table=table)
        return players

    def act(self, player: int, choice: Choice) -> AnyServerMessage:
        """Do what a choice says."""
        turn = self.update(player).turn
        match choice.do:
            case "play":
                fields = {"tile": choice.tile, "train": choice.train, "turn": turn}
                return self.send(player, Play, **fields)
            case "knock":
                return self.send(player, Knock)
            case "foul":
                return self.send(player, Foul, seat=choice.seat, event=choice.event)
        command = {"draw": Draw, "pass": Pass, "done": Done}[choice.do]
        return self.send(player, command, turn=turn)

    def play_out(self, players: list[int], random: Random, *, rounds: int = 99) -> None:
        """Play by random choices until so many rounds are over, or the game."""
        first = self.update(players[0])
        target = len(first.view.scores) + rounds
        for _ in range(20_000):
            update = self.update(players[0])
            if update.view.phase == "over" or len(update.view.scores) >= target:
                return
            to_act = update.view.to_act
            if to_act is None:
                self.wait(1)
                continue
            player = next(each for each in players if self.update(each).seat == to_act)
            self.act(player, random.choice(self.update(player).choices))
            if self.update(players[0]) is update:
                self.wait(1)  # a bot's move that came before its time
        raise AssertionError("the game does not end")


@pytest.fixture
def make_desk() -> Callable[..., Desk]:
    """Give the class, for tests with settings of their own."""
    return Desk


@pytest.fixture
def plan() -> Callable[..., TablePlan]:
    """Give a function that plans the table `t`, `classic` unless other rules are given."""
    rules = RuleSet.preset("classic")
    return lambda **fields: TablePlan(**{"name": "t", "rules": rules, **fields})


@pytest.fixture
def desk() -> Desk:
    """Give a lobby with the usual settings."""
    return Desk()


# --- with the shell -----------------------------------------------------------------------


class Peer:
    """A client's end of one connection, without any cleverness."""

    def __init__(self, stream: trio.abc.HalfCloseableStream) -> None:
        self.stream = stream
        self.connection = ClientConnection()
        self.inbox: list[Any] = []
        self._ids = count(1)
        self._waiting: list[Any] = []

    async def send(self, message: Any) -> None:
        """Send a message as the protocol says."""
        await self.stream.send_all(self.connection.send(message))

    async def send_bytes(self, raw: bytes) -> None:
        """Send whatever it is."""
        await self.stream.send_all(raw)

    async def ask(self, command: type, **fields: Any) -> Any:
        """Send a command under the next id; what answers it."""
        number = next(self._ids)
        await self.send(command(id=number, **fields))
        return await self.until(lambda message: getattr(message, "answers", 0) == number)

    async def receive(self) -> Any:
        """The next message; None at the end of the stream."""
        while not self._waiting:
            received = await self.stream.receive_some()
            if not received:
                return None
            self._waiting += self.connection.receive_data(bytes(received))
        message = self._waiting.pop(0)
        self.inbox.append(message)
        return message

    async def until(self, wanted: Callable[[Any], bool] | type) -> Any:
        """The next message of this type, or that this is true of."""
        while (message := await self.receive()) is not None:
            if isinstance(message, wanted) if isinstance(wanted, type) else wanted(message):
                return message
        raise AssertionError(f"the stream has ended: {self.inbox[-3:]}")

    async def rest(self) -> list[Any]:
        """Everything up to the end of the stream."""
        messages = []
        while (message := await self.receive()) is not None:
            messages.append(message)
        return messages

    async def answer_heartbeats(self) -> None:
        """Read for ever, like a client that is alive."""
        while (message := await self.receive()) is not None:
            if isinstance(message, Heartbeat):
                await self.send(HeartbeatAnswer(n=message.n))


Transport = Literal["memory", "hub", "socket"]
"""How a hall's peers are connected: through memory, or by a socket that the hub reads, or not."""


class Hall:
    """A running server that does not listen, and the lines of its log."""

    def __init__(
        self, nursery: trio.Nursery, transport: Transport = "memory", **options: Any
    ) -> None:
        self.lines: list[Any] = []
        self._transport = transport
        self._sockets: list[trio.socket.SocketType] = []
        self._nursery = nursery
        store = options.pop("store", None)
        log = structlog.wrap_logger(
            structlog.PrintLogger(),
            processors=[structlog.processors.add_log_level, self._keep],
            wrapper_class=structlog.make_filtering_bound_logger(0),
        )
        self.server = Server(Config(**options), store=store, log=log, listens=False)

    def _keep(self, _log: Any, _method: str, line: Any) -> Any:
        self.lines.append(dict(line))
        raise structlog.DropEvent

    def logged(self, event: str) -> list[Any]:
        """The log's lines about this."""
        return [line for line in self.lines if line["event"] == event]

    def connect(self) -> Peer:
        """Open a connection."""
        if self._transport == "memory":
            near, far = memory_stream_pair()
            self._nursery.start_soon(self.server.serve_stream, far)
            return Peer(near)
        ours, theirs = socketpair()
        self._nursery.start_soon(self.server._serve_socket, theirs, "127.0.0.1")
        self._sockets.append(trio.socket.from_stdlib_socket(ours))
        return Peer(trio.SocketStream(self._sockets[-1]))

    def hang_up(self) -> None:
        """Close the peers' ends of all sockets."""
        for each in self._sockets:
            each.close()

    async def enter(self, name: str, kind: ClientKind = "person", **fields: Any) -> Peer:
        """Open a connection, and be welcome."""
        peer = self.connect()
        await peer.send(Hello(versions=(1, 1), kind=kind, name=name, **fields))
        welcome = await peer.receive()
        assert isinstance(welcome, Welcome), welcome
        return peer


@pytest.fixture
def transport() -> Transport:
    """How peers are connected; a module that wants every way has a fixture of its own."""
    return "memory"


@pytest.fixture
async def open_hall(
    nursery: trio.Nursery, transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Callable[..., Awaitable[Hall]]]:
    """Give a function that starts a server.

    A test that uses it asks for `autojump_clock` itself, or time would be real.
    """
    if transport == "socket":
        monkeypatch.setattr("mexican_train.server.app.open_hub", lambda: None)

    halls: list[Hall] = []

    async def start(within: trio.Nursery = nursery, **options: Any) -> Hall:
        hall = Hall(within, transport, **options)
        halls.append(hall)
        await within.start(hall.server.run)
        return hall

    yield start
    for hall in halls:
        hall.hang_up()


@pytest.fixture
async def hall(open_hall: Callable[..., Awaitable[Hall]]) -> Hall:
    """Start a server with the usual settings."""
    return await open_hall()
