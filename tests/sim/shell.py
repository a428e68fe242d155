"""The server of the simulation: the real lobby, desk and connections, without trio.

The desk's two words of trio, `Event` and `current_time`, are those of the heap here. Storing
takes time and may find the disk full; a crash may come in the middle of it, and then a new lobby
is made from what is durable. The `laws` see every step.
"""

from collections.abc import Callable, Collection, Coroutine, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from mexican_train.protocol import (
    AnyServerMessage,
    BadMessage,
    Goodbye,
    Heartbeat,
    HeartbeatAnswer,
    Hello,
    Refused,
    RemoteProtocolError,
    ServerConnection,
    State,
    Update,
    Welcome,
)
from mexican_train.server import desk as desk_module
from mexican_train.server.desk import Desk
from mexican_train.server.effects import (
    CommandAnswered,
    Effect,
    Fact,
    Report,
    TableClosed,
    TableFact,
    TableSetAside,
)
from mexican_train.server.facts import read_answer, read_event, write_answer, write_event
from mexican_train.server.lobby import Admission, Lobby
from mexican_train.server.lobby_settings import LobbySettings, TablePlan
from mexican_train.server.store import MemoryStore, StoreFullError, seated

from .world import Cable, World

OUTBOX_BYTES_MAX = 24 * 1024
BEAT_SECONDS = 20.0


class Watch(Protocol):
    """What looks at every step of the server."""

    def hello_answered(self, lobby: Lobby, hello: Hello, answer: Any) -> None:
        """A hello has been judged."""

    def asked(self, player: int, command: Any) -> None:
        """A command is about to be carried out."""

    def heard_from(self, player: int, generation: int) -> None:
        """The first frame after the welcome of this connection has come."""

    def worked(self, lobby: Lobby, effects: Sequence[Effect]) -> None:
        """The lobby has done something; nothing is stored or told yet."""

    def stored(self, facts: Sequence[Fact]) -> None:
        """Facts are durable."""

    def put_back(
        self, names: Collection[str], numbers: Collection[int], facts: Sequence[Fact]
    ) -> None:
        """Tables and players are to be what is stored of them."""

    def restarted(self, facts: Sequence[Fact]) -> None:
        """A new life begins with these facts."""

    def logged(self, level: str, event: str, values: dict[str, Any]) -> None:
        """A line for the log."""


# --- waiting on the heap ------------------------------------------------------------------


class Event:
    """What one task waits for and something else sets."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._is_set = False
        self._waiting: list[Callable[[], None]] = []

    def set(self) -> None:
        """Let go on whoever waits."""
        self._is_set = True
        for go_on in self._waiting:
            self._world.after(0, go_on)
        self._waiting.clear()

    async def wait(self) -> None:
        """Wait until it is set."""
        if not self._is_set:
            await self

    def __await__(self) -> Generator["Event", None, None]:
        yield self

    def call(self, go_on: Callable[[], None]) -> None:
        """Have this called once it is set."""
        self._waiting.append(go_on)


class Task:
    """A coroutine that runs on the heap until it is dropped."""

    def __init__(self, world: World, coroutine: Coroutine[Event, None, None]) -> None:
        self._coroutine = coroutine
        self._is_dropped = False
        world.after(0, self._step)

    def _step(self) -> None:
        if not self._is_dropped:
            self._coroutine.send(None).call(self._step)

    def drop(self) -> None:
        """It never goes on."""
        self._is_dropped = True
        self._coroutine.close()


class HeapTime:
    """Stands where the desk expects trio."""

    def __init__(self, world: World, now: Callable[[], float]) -> None:
        self._world = world
        self.current_time = now

    def Event(self) -> Event:  # noqa: N802 - trio's name
        """A new event on the heap."""
        return Event(self._world)


@contextmanager
def on_the_heap(shell: "Shell") -> Iterator[None]:
    """Let the desk wait on the heap for the time of the block."""
    before = vars(desk_module)["trio"]
    vars(desk_module)["trio"] = HeapTime(shell.world, lambda: shell.now)
    try:
        yield
    finally:
        vars(desk_module)["trio"] = before


# --- the disk -----------------------------------------------------------------------------


class Disk(MemoryStore):
    """Keeps what the store in memory keeps, but takes time, and may be full.

    Attributes:
        is_full: nothing can be stored.
        writing: what is on its way.
    """

    def __init__(self, world: World, laws: Watch) -> None:
        super().__init__()
        self._world = world
        self._laws = laws
        self.is_full = False
        self.writing: list[Fact] = []

    def everything(self) -> list[Fact]:
        """All that is durable and still counts, as a file would give it back."""
        return [*map(_reread, self._stored(self._tables, self._players))]

    async def save(self, facts: Sequence[Fact]) -> None:
        """Done after a while, all of it or nothing."""
        self.writing = [*facts]
        await self._pause()
        if self.is_full:
            self.writing = []
            raise StoreFullError("full")
        self.commit()

    def commit(self) -> None:
        """What is on its way is durable."""
        facts, self.writing = self.writing, []
        for fact in facts:
            self._keep(fact)
        self._laws.stored(facts)

    async def read(self, tables: Collection[str], players: Collection[int]) -> Sequence[Fact]:
        """As the store in memory, after a while."""
        await self._pause()
        names = [name for name in tables if name in self._tables]
        people = {*players, *seated(fact for name in names for fact in self._tables[name])}
        return [*map(_reread, self._stored(names, people))]

    async def _pause(self) -> None:
        done = Event(self._world)
        self._world.after(self._world.between(0.0001, 0.02), done.set)
        await done.wait()


def _reread(fact: Fact) -> Fact:
    """The fact after it was bytes."""
    if isinstance(fact, CommandAnswered):
        return read_answer(fact.player, fact.command, fact.serial, write_answer(fact))
    if isinstance(fact, TableFact) and not isinstance(fact, TableClosed | TableSetAside):
        return read_event(write_event(fact), fact.table)
    return fact


def watched(lobby_type: type[Lobby], laws: Watch) -> type[Lobby]:
    """This kind of lobby, and the laws look at all that it does."""

    class Watched(lobby_type):  # type: ignore[misc, valid-type]
        def _told(self, effects: Any) -> Any:
            laws.worked(self, effects)
            return effects

        def hello(self, hello: Hello, now: float, origin: str = "") -> Admission | Refused:
            answer = super().hello(hello, now, origin)
            laws.hello_answered(self, hello, answer)
            self._told([] if isinstance(answer, Refused) else answer.effects)
            return answer  # type: ignore[no-any-return]

        def heard_from(self, number: int, generation: int) -> list[Effect]:
            laws.heard_from(number, generation)
            return self._told(super().heard_from(number, generation))  # type: ignore[no-any-return]

        def disconnected(self, number: int, generation: int, now: float) -> list[Effect]:
            return self._told(super().disconnected(number, generation, now))  # type: ignore[no-any-return]

        def handle(self, number: int, command: Any, now: float) -> list[Effect]:
            laws.asked(number, command)
            return self._told(super().handle(number, command, now))  # type: ignore[no-any-return]

        def tick(self, name: str, now: float) -> list[Effect]:
            return self._told(super().tick(name, now))  # type: ignore[no-any-return]

        def open_standing(self, plan: TablePlan, now: float) -> list[Effect]:
            return self._told(super().open_standing(plan, now))  # type: ignore[no-any-return]

        def recover(self, facts: Any, now: float, unix: float) -> list[Effect]:
            return self._told(super().recover(facts, now, unix))  # type: ignore[no-any-return]

        def note_company(self, now: float) -> list[Effect]:
            return self._told(super().note_company(now))  # type: ignore[no-any-return]

        def restore(self, names: Any, numbers: Any, facts: Any, **given: Any) -> list[Effect]:
            laws.put_back(names, numbers, facts)
            return self._told(super().restore(names, numbers, facts, **given))  # type: ignore[no-any-return]

    return Watched


# --- the server ---------------------------------------------------------------------------


class Session:
    """The server's end of one cable."""

    def __init__(self, shell: "Shell", cable: Cable) -> None:
        self.player: int | None = None
        self.generation = 0
        self.is_over = False
        self._shell = shell
        self._desk = shell.desk
        self._cable = cable
        self._connection = ServerConnection()
        self._outbox = bytearray()
        self._is_token_seen = False
        self._beats = 0
        self._beat_at: float | None = None
        cable.up.on_bytes = self._receive
        cable.up.on_end = self.gone
        cable.down.on_room = self._drain

    @property
    def house_player(self) -> None:
        """No house bot."""
        return

    def cut(self) -> None:
        """Cut the cable: the process has gone."""
        self.is_over = True
        self._cable.cut()

    def _receive(self, received: bytes) -> None:
        try:
            for message in self._connection.receive_data(received):
                self._take(message)
        except RemoteProtocolError as error:
            reply = error.reply()
            assert isinstance(reply, Goodbye | Refused), "a fatal error has a last word"
            self.end(reply)

    def _take(self, message: Any) -> None:
        if self.is_over:
            return
        if isinstance(message, Hello):
            self._desk.hello(self, message)
            return
        if not self._is_token_seen:
            self._is_token_seen = True
            self._desk.heard_from(self)
        if isinstance(message, BadMessage):
            self.send(message.declined())
        elif isinstance(message, HeartbeatAnswer):
            self._note_round_trip(message)
        else:
            self._desk.command(self, message)

    def _beat(self) -> None:
        """Measure the connection, at once and then every 20 seconds."""
        if not self.is_over:
            self._beats += 1
            self._beat_at = self._shell.now
            self.send(Heartbeat(n=self._beats))
            self._shell.world.after(BEAT_SECONDS, self._beat)

    def _note_round_trip(self, answer: HeartbeatAnswer) -> None:
        if answer.n == self._beats and self._beat_at is not None and self.player is not None:
            seconds, self._beat_at = self._shell.now - self._beat_at, None
            self._shell.lobby.note_round_trip(self.player, self.generation, seconds)

    def send(self, message: AnyServerMessage) -> None:
        """Send a message, or cut a peer that does not read."""
        if not self.is_over:
            self._post(self._connection.send(message))
        if isinstance(message, Welcome):
            self._beat()

    def send_update(self, payload: bytes) -> None:
        """Send an encoded update, likewise."""
        if not self.is_over:
            self._post(self._connection.send_encoded(payload, Update))

    def _post(self, framed: bytes) -> None:
        self._outbox += framed
        if len(self._outbox) > OUTBOX_BYTES_MAX and not self.is_over:
            # what is under way may end inside a frame, so nothing can be said after it
            self.is_over = True
            self._outbox.clear()
            self._connection.close()
            self._cable.cut()
            return
        self._drain()

    def _drain(self) -> None:
        sent = self._cable.down.write(bytes(self._outbox))
        del self._outbox[:sent]
        if self.is_over and not self._outbox:
            self._cable.down.end()

    def end(self, last_word: Goodbye | Refused) -> None:
        """Say the last word and close."""
        if self.is_over:
            return
        if self._connection.state in {State.AWAIT_HELLO, State.AWAIT_WELCOME, State.OPEN} and not (
            self._connection.state is State.OPEN and isinstance(last_word, Refused)
        ):
            self._outbox += self._connection.send(last_word)
        self.is_over = True
        self._drain()

    def gone(self) -> None:
        """The other end has hung up, or the cable is cut."""
        self.is_over = True
        self._connection.close()
        self._cable.down.is_dead = True
        self._shell.forget(self)
        if self._desk is self._shell.desk:
            self._desk.gone(self)


class Log:
    """The log of the desk: the laws read it."""

    def __init__(self, laws: Watch) -> None:
        self._laws = laws

    def info(self, event: str, **values: Any) -> None:
        """A line."""
        self._laws.logged("info", event, values)

    def warning(self, event: str, **values: Any) -> None:
        """A line of some weight."""
        self._laws.logged("warning", event, values)

    def error(self, event: str, **values: Any) -> None:
        """A line about a mistake."""
        self._laws.logged("error", event, values)


class NoBots:
    """Nobody asks for house bots here."""

    def seat(self, effect: Any) -> None:
        """Start none."""

    def close(self, player: int) -> None:
        """Stop none."""


class Shell:
    """The server through all its lives.

    Attributes:
        disk: what outlives them.
        restarts: how many crashes there were.
    """

    disk_type: type[Disk] = Disk

    def __init__(
        self,
        world: World,
        laws: Watch,
        lobby_type: type[Lobby],
        settings: Callable[[], LobbySettings],
        plan: TablePlan,
    ) -> None:
        self.world = world
        self.restarts = 0
        self.refusals = 0
        self.disk = self.disk_type(world, laws)
        self.lobby: Lobby
        self.desk: Desk
        self._laws = laws
        self._lobby_type = lobby_type
        self._settings = settings
        self._plan = plan
        self._all: dict[Session, None] = {}
        self._task: Task | None = None
        self._armed: float | None = None
        self._shift = 0.0

    @property
    def now(self) -> float:
        """The clock of this life: no life knows that of another."""
        return self.world.now + self._shift

    def start(self) -> None:
        """Begin a life: know again what is durable, then serve."""
        self._shift = self.world.between(0, 1000)
        self._armed = None
        self.lobby = watched(self._lobby_type, self._laws)(self._settings())
        log: Any = Log(self._laws)
        self.desk = Desk(
            self.lobby,
            self.disk,
            log=log,
            bots=NoBots(),
            on_report=self._on_report,
            on_deadline=self._arm,
        )
        facts = self.disk.everything()
        self._laws.restarted(facts)
        self.desk.follow(self.lobby.recover(facts, self.now, self.world.now))
        self.desk.follow(self.lobby.open_standing(self._plan, self.now))
        self.desk.follow(self.lobby.note_company(self.now))
        self._task = Task(self.world, self.desk.run())

    def crash(self) -> None:
        """End without a word, perhaps in the middle of storing, and start again."""
        self.restarts += 1
        self.world.note("crash")
        if self._task is not None:
            self._task.drop()
        if self.world.chance(0.5):
            self.disk.commit()
        self.disk.writing = []
        ended, self._all = self._all, {}
        for session in ended:
            session.cut()
        self.start()

    def fill_disk(self, seconds: float) -> None:
        """Have no room for so long."""
        self.disk.is_full = True
        self.world.after(seconds, self._make_room)

    def _make_room(self) -> None:
        self.disk.is_full = False

    def connect(self, cable: Cable) -> None:
        """Take a new connection."""
        self._all[Session(self, cable)] = None

    def forget(self, session: Session) -> None:
        """A connection has ended."""
        self._all.pop(session, None)

    def _on_report(self, report: Report) -> None:
        """Nothing follows from it here."""

    def _arm(self) -> None:
        deadline = self.lobby.next_deadline()
        if deadline is not None and (self._armed is None or deadline < self._armed):
            self._armed = deadline
            wait = max(0.0, deadline - self.now)
            self.world.after(wait, self._wake, deadline, self.restarts)

    def _wake(self, deadline: float, run: int) -> None:
        if run != self.restarts or self._armed != deadline:
            return
        self._armed = None
        for table in self.lobby.due(max(self.now, deadline)):
            self.desk.tick(table)
        self._arm()
