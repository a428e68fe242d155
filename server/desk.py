"""The desk: commands go in to the lobby, effects come out to the sessions, table by table.

What a table has to store is durable before anybody is told. Meanwhile further work on that table
waits in its lane, in order; all other tables go on. One task stores whatever has queued up. What
cannot be stored, or has raised in the core, is undone: its table is made from its log again.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

import msgspec
import trio
from mexican_train.protocol import (
    AnyCommand,
    AnyServerMessage,
    Goodbye,
    Hello,
    Refused,
    declined,
    goodbye,
    refused,
)

from . import logs
from .effects import (
    Admit,
    CloseBot,
    CommandAnswered,
    Deliver,
    DeliverUpdate,
    Effect,
    Fact,
    HangUp,
    PlayerForgotten,
    PlayerKnown,
    Report,
    Save,
    SeatBot,
    TableFact,
)
from .lobby import Lobby
from .store import Store, StoreFullError

_GUESSES: Final = frozenset({"bad_password", "too_many_tries"})
"""Refusals that the host wants to hear of, and from where."""


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


class _Job(msgspec.Struct, frozen=True):
    """Work on the lobby: which lane it belongs to, what it does, on whose behalf."""

    lane: Callable[[], str | None]
    work: Callable[[], Sequence[Effect]]
    guest: Guest | None = None
    command: int | None = None
    """The id of the command that this is, if it is one."""


class _Unsaved(msgspec.Struct, frozen=True):
    """Effects that wait until their facts are stored; what is `broken` has none and is undone."""

    lane: str | None
    facts: tuple[Fact, ...]
    effects: Sequence[Effect]
    job: _Job
    watchers: tuple[int, ...]
    broken: bool = False


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
        self._behind: Final[dict[Guest, deque[_Job]]] = {}
        """Of each guest with work in a lane, what it has asked for since: none overtakes itself."""
        self._unsaved: list[_Unsaved] = []
        self._something_unsaved = trio.Event()
        self._saved = trio.Event()
        self._is_saving = False
        self._halted: deque[_Job] | None = None

    # --- what comes in --------------------------------------------------------------------

    def hello(self, guest: Guest, hello: Hello, origin: str = "") -> None:
        """Somebody at the address `origin` introduces itself; it is told `welcome` or `refused`."""
        lobby = self._lobby

        def work() -> Sequence[Effect]:
            now = trio.current_time()
            if guest.is_over:
                return ()
            if guest.house_player is not None:
                answer = lobby.hello_house(guest.house_player, hello, now)
            else:
                answer = lobby.hello(hello, now, origin)
            if isinstance(answer, Refused):
                if hello.password and answer.code in _GUESSES:
                    self._log.info(logs.BAD_PEER, code=answer.code, address=origin)
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

        self._submit(_Job(lambda: self._lobby.lane(player, command), work, guest, command.id))

    def heard_from(self, guest: Guest) -> None:
        """The first frame after a welcome: its token has arrived."""
        player = guest.player
        if player is None or self._guests.get(player) is not guest:
            return

        def work() -> Sequence[Effect]:
            return self._lobby.heard_from(player, guest.generation)

        self._submit(_Job(lambda: None, work, guest))

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
        if self._halted is not None:
            self._halted.append(job)
            return
        if job.guest in self._behind:
            self._behind[job.guest].append(job)
        else:
            self._place(job)

    def _place(self, job: _Job) -> bool:
        """Do the work, or let it wait in its lane; whether it is done."""
        lane = job.lane()
        if lane is not None and lane in self._lanes:
            self._lanes[lane].append(job)
            if job.guest is not None:
                self._behind.setdefault(job.guest, deque())
            return False
        self._do(job, lane)
        return True

    def _place_again(self, job: _Job) -> None:
        """Likewise, with work that has waited in a lane, and with what came behind it."""
        if self._place(job):
            self._follow_up(job.guest)

    def _follow_up(self, guest: Guest | None) -> None:
        """The work of a guest that waited in a lane is over: go on with what came behind it."""
        behind = self._behind.pop(guest, None) if guest is not None else None
        while behind:
            if not self._place(behind.popleft()) and guest is not None:
                self._behind[guest] = behind
                return

    def _do(self, job: _Job, lane: str | None) -> None:
        """Do the work; its effects at once, or after its facts are stored."""
        watchers = self._lobby.watchers(lane)
        try:
            effects = job.work()
        except Exception as error:  # noqa: BLE001 - one net a command: it ends one connection
            self._log.error("command failed", table=lane is not None, **logs.told(error))
            if job.guest is not None:
                job.guest.end(goodbye("internal"))
            self._store_later(_Unsaved(lane, (), (), job, watchers, broken=True))
            return
        facts = tuple(
            fact for effect in effects if isinstance(effect, Save) for fact in effect.facts
        )
        if facts:
            self._store_later(_Unsaved(lane, facts, effects, job, watchers))
        else:
            self._carry_out(effects, job.guest)

    def _store_later(self, unsaved: _Unsaved) -> None:
        if unsaved.lane is not None:
            self._lanes[unsaved.lane] = deque()
        self._unsaved.append(unsaved)
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
            if not batch:
                continue  # what it was set for has been undone meanwhile
            self._is_saving = True
            try:
                await self._store.save([fact for each in batch for fact in each.facts])
            except StoreFullError:
                await self._refuse(batch)
            else:
                await self._tell(batch)
            self._is_saving = False
            self._saved.set()
            self._saved = trio.Event()

    async def _tell(self, batch: Sequence[_Unsaved]) -> None:
        """Carry out what is stored now, and undo what has raised."""
        broken = [each for each in batch if each.broken]
        for each in batch:
            if not each.broken:
                self._carry_out(each.effects, each.job.guest)
                if each.lane is not None:
                    self._release(each.lane)
        if broken:
            lanes = {each.lane: None for each in broken if each.lane is not None}
            waited = await self._undo(broken)
            for lane in lanes:
                self._carry_out(self._lobby.present_state(lane, trio.current_time()), None)
                self._release(lane)
            for job in waited:
                self._submit(job)

    async def _refuse(self, batch: Sequence[_Unsaved]) -> None:
        """There is no room: undo it all, and decline what waits for it. Nobody has seen anything.

        What has been done meanwhile may rest on what is undone, so that is undone too.
        """
        self._log.error(logs.NO_ROOM, undone=len(batch))
        batch = [*batch, *self._unsaved]
        self._unsaved = []
        waited = await self._undo(batch)
        for each in batch:
            for player, command in _commands(each):
                self._decline(self._guests.get(player), command)
            guest = each.job.guest
            if guest is not None and self._guests.get(guest.player or 0) is not guest:
                guest.end(refused("storage_full"))  # its hello
        lanes = {each.lane: None for each in batch if each.lane is not None}
        in_lanes = [job for lane in lanes for job in self._lanes.pop(lane)]
        for job in in_lanes:
            if job.command is None:
                self._place_again(job)
            else:
                self._decline(job.guest, job.command)
                self._follow_up(job.guest)
        for job in waited:
            self._submit(job)

    def _decline(self, guest: Guest | None, command: int) -> None:
        if guest is not None:
            guest.send(declined(command, "storage_full"))

    async def _undo(self, entries: Sequence[_Unsaved]) -> deque[_Job]:
        """Put the tables and players of these back to what is stored; the work that came meanwhile.

        Work in the lanes of `entries` goes on waiting.
        """
        waiting = self._halted = deque[_Job]()
        tables = {each.lane for each in entries if each.lane is not None}
        players = {each.job.guest.player for each in entries if each.job.guest} - {None}
        for fact in (fact for each in entries for fact in each.facts):
            if isinstance(fact, TableFact):
                tables.add(fact.table)
            if isinstance(fact, PlayerKnown | PlayerForgotten | CommandAnswered):
                players.add(fact.player)
        numbers = {each for each in players if each is not None} | self._lobby.people_at(tables)
        stored = await self._store.read(tables, numbers)
        effects = self._lobby.restore(
            tables,
            numbers,
            stored,
            connected={number: guest.generation for number, guest in self._guests.items()},
            watchers={each.lane: each.watchers for each in entries if each.lane is not None},
            now=trio.current_time(),
        )
        self._halted = None
        self._do(_Job(lambda: None, lambda: effects), None)
        return waiting

    async def settle(self) -> None:
        """Wait until everything is stored and told."""
        while self._unsaved or self._is_saving or self._lanes:
            await self._saved.wait()

    def _release(self, lane: str) -> None:
        """Do what has waited for this lane, until something of it has to be stored."""
        waiting = self._lanes.pop(lane)
        while waiting:
            self._place_again(waiting.popleft())
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
                case Save():
                    pass  # it is stored already
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
                case Report(event, values, level):
                    getattr(self._log, level)(event, **dict(values))
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


def _commands(unsaved: _Unsaved) -> Iterator[tuple[int, int]]:
    """The commands whose answers wait for these facts: player and id.

    The older answers of a player, given before, stand in front of each.
    """
    for effect in unsaved.effects:
        if isinstance(effect, Save):
            newest = [fact for fact in effect.facts if isinstance(fact, CommandAnswered)][-1:]
            yield from ((fact.player, fact.command) for fact in newest)
