"""The desk: commands go in to the lobby, effects come out to the sessions, table by table.

What a table has to store is durable before anybody is told. Meanwhile further work on that table
waits in its lane, in order; all other tables go on. One task stores whatever has queued up.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import trio
from mexican_train.protocol import (
    AnyCommand,
    AnyServerMessage,
    Goodbye,
    Hello,
    Refused,
    goodbye,
)

from . import logs
from .effects import (
    Admit,
    CloseBot,
    Deliver,
    DeliverUpdate,
    Effect,
    Fact,
    HangUp,
    Report,
    Save,
    SeatBot,
)
from .lobby import Lobby
from .store import Store


class Guest(Protocol):
    """What the desk knows of a session."""

    player: int | None
    generation: int
    is_over: bool

    @property
    def house_player(self) -> int | None:
        """The house bot that the server itself has at the other end, or None."""
        ...

    def send(self, message: AnyServerMessage) -> None:
        """Send a message, or cut the connection if it does not read."""
        ...

    def send_update(self, payload: bytes) -> None:
        """Send an encoded update, likewise."""
        ...

    def end(self, last_word: Goodbye | Refused) -> None:
        """Say the last word and close."""
        ...


class BotKeeper(Protocol):
    """Who starts and stops house bots."""

    def seat(self, effect: SeatBot) -> None:
        """Start one."""
        ...

    def close(self, player: int) -> None:
        """Stop one."""
        ...


@dataclass(frozen=True, slots=True)
class _Job:
    """Work on the lobby: which lane it belongs to, what it does, on whose behalf."""

    lane: Callable[[], str | None]
    work: Callable[[], Sequence[Effect]]
    guest: Guest | None = None


@dataclass(frozen=True, slots=True)
class _Unsaved:
    """Effects that wait until their facts are stored."""

    lane: str | None
    facts: tuple[Fact, ...]
    effects: Sequence[Effect]
    guest: Guest | None


class Desk:
    """Between the sessions and the lobby.

    `run` must run for anything to be stored. `on_report` is called with each report after it is
    logged; `on_deadline` whenever the lobby's next deadline may have come nearer.
    """

    def __init__(
        self,
        lobby: Lobby,
        store: Store,
        *,
        log: logs.Log,
        bots: BotKeeper,
        on_report: Callable[[Report], None],
        on_deadline: Callable[[], None],
    ) -> None:
        self._lobby: Final = lobby
        self._store: Final = store
        self._log: Final = log
        self._bots: Final = bots
        self._on_report: Final = on_report
        self._on_deadline: Final = on_deadline
        self._guests: Final[dict[int, Guest]] = {}
        self._lanes: Final[dict[str, deque[_Job]]] = {}
        self._unsaved: list[_Unsaved] = []
        self._something_unsaved = trio.Event()
        self._saved = trio.Event()
        self._is_saving = False

    # --- what comes in --------------------------------------------------------------------

    def hello(self, guest: Guest, hello: Hello) -> None:
        """Somebody introduces itself; the guest is told `welcome` or `refused`."""
        lobby = self._lobby

        def work() -> Sequence[Effect]:
            now = trio.current_time()
            if guest.is_over:
                return ()
            if guest.house_player is not None:
                answer = lobby.hello_house(guest.house_player, hello, now)
            else:
                answer = lobby.hello(hello, now)
            if isinstance(answer, Refused):
                guest.end(answer)
                return ()
            return answer.effects

        self._submit(_Job(lambda: lobby.lane_of_hello(hello), work, guest))

    def command(self, guest: Guest, command: AnyCommand) -> None:
        """A command of a player. Dropped if the player has another connection by now."""
        player = guest.player
        if player is None:
            return

        def work() -> Sequence[Effect]:
            if self._guests.get(player) is not guest:
                return ()
            return self._lobby.handle(player, command, trio.current_time())

        self._submit(_Job(lambda: self._lobby.lane(player, command), work, guest))

    def heard_from(self, guest: Guest) -> None:
        """The first frame after a welcome: its token has arrived."""
        player = guest.player
        if player is None or self._guests.get(player) is not guest:
            return
        self._submit(_Job(lambda: None, lambda: self._lobby.heard_from(player), guest))

    def gone(self, guest: Guest) -> None:
        """A connection has ended."""
        player = guest.player
        if player is None:
            return
        if self._guests.get(player) is guest:
            del self._guests[player]

        def work() -> Sequence[Effect]:
            return self._lobby.disconnected(player, guest.generation, trio.current_time())

        self._submit(_Job(lambda: self._lobby.lane(player), work))

    def tick(self, table: str) -> None:
        """A table's time has come."""
        self._submit(_Job(lambda: table, lambda: self._lobby.tick(table, trio.current_time())))

    def follow(self, effects: Sequence[Effect]) -> None:
        """Carry out what something other than a command has led to."""
        self._submit(_Job(lambda: None, lambda: effects))

    # --- the lanes ------------------------------------------------------------------------

    def _submit(self, job: _Job) -> None:
        lane = job.lane()
        if lane is not None and lane in self._lanes:
            self._lanes[lane].append(job)
        else:
            self._do(job, lane)

    def _do(self, job: _Job, lane: str | None) -> None:
        """Do the work; its effects at once, or after its facts are stored."""
        try:
            effects = job.work()
        except Exception as error:  # noqa: BLE001 - one net a command: it ends one connection
            self._log.error("command failed", table=lane is not None, **logs.told(error))
            if job.guest is not None:
                job.guest.end(goodbye("internal"))
            return
        facts = tuple(
            fact for effect in effects if isinstance(effect, Save) for fact in effect.facts
        )
        if not facts:
            self._carry_out(effects, job.guest)
            return
        if lane is not None:
            self._lanes[lane] = deque()
        self._unsaved.append(_Unsaved(lane, facts, effects, job.guest))
        self._something_unsaved.set()

    async def run(self) -> None:
        """Store and then tell, for ever. What has queued up meanwhile is stored together.

        Raises:
            StoreError: a save has failed; nobody has been told, and the server must stop.
        """
        while True:
            await self._something_unsaved.wait()
            self._something_unsaved = trio.Event()
            batch, self._unsaved = self._unsaved, []
            self._is_saving = True
            await self._store.save([fact for each in batch for fact in each.facts])
            for each in batch:
                self._carry_out(each.effects, each.guest)
                if each.lane is not None:
                    self._release(each.lane)
            self._is_saving = False
            self._saved.set()
            self._saved = trio.Event()

    async def settle(self) -> None:
        """Wait until everything is stored and told."""
        while self._unsaved or self._is_saving or self._lanes:
            await self._saved.wait()

    def _release(self, lane: str) -> None:
        """Do what has waited for this lane, until something of it has to be stored."""
        waiting = self._lanes.pop(lane)
        while waiting:
            job = waiting.popleft()
            now_in = job.lane()
            if now_in is not None and now_in in self._lanes:
                self._lanes[now_in].append(job)
            else:
                self._do(job, now_in)
            if lane in self._lanes and waiting:
                self._lanes[lane].extend(waiting)
                return

    # --- what goes out --------------------------------------------------------------------

    def _carry_out(self, effects: Sequence[Effect], guest: Guest | None) -> None:
        guests = self._guests
        for effect in effects:
            match effect:
                case DeliverUpdate(player, payload):
                    if (viewer := guests.get(player)) is not None:
                        viewer.send_update(payload)
                case Deliver(player, message):
                    if (reader := guests.get(player)) is not None:
                        reader.send(message)
                case Admit():
                    self._admit(effect, guest)
                case HangUp(player, generation, code):
                    older = guests.get(player)
                    if older is not None and older.generation == generation:
                        del guests[player]
                        older.end(goodbye(code))
                case SeatBot():
                    self._bots.seat(effect)
                case CloseBot(player):
                    self._bots.close(player)
                case Report(event, values):
                    self._log.info(event, **dict(values))
                    self._on_report(effect)
        self._on_deadline()

    def _admit(self, effect: Admit, guest: Guest | None) -> None:
        if guest is None:
            raise ValueError("nobody said this hello")
        guest.player, guest.generation = effect.player, effect.generation
        if guest.is_over:
            # it has gone while its hello was being stored
            self.gone(guest)
            return
        self._guests[effect.player] = guest
        guest.send(effect.message)
