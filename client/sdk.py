"""Bots in ten lines: a class with one method, `choose`, and `run(bot, "host:port")`.

Everything else is done here: the connection and its heartbeats, a seat, knocking, choices with
one answer, stale turns. Authors' `choose` runs in a thread of its own, so that it may think for
a minute while the link stays alive; stock strategies are quick and run in place.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from random import Random, SystemRandom
from typing import TypeVar

import trio
from mexican_train.protocol import (
    AnyEvent,
    AnyServerMessage,
    Choice,
    ClientKind,
    Declined,
    FoulCalled,
    GameOver,
    JoinTable,
    Knock,
    ListTables,
    Ready,
    Resync,
    RoundOver,
    RoundStarted,
    Said,
    TableInfo,
    TableLeft,
    TableNews,
    Tables,
    Update,
)

from .address import Address
from .bots import StrategyInfo, strategy
from .bots.view import SeatView, seat_view
from .choices import choice_text, command_for
from .link import (
    EndedError,
    Link,
    LinkNotice,
    RefusedError,
    StreamOpener,
    hello_for,
    open_link,
)
from .pins import read_fingerprint
from .tls import stream_opener
from .tokens import TokenStore

POLL_SECONDS = 2.0
"""Between two looks at the list of tables while none has a free seat."""
RETRY_SECONDS = 1.0
NAMES_TRIED_MAX = 50

_Result = TypeVar("_Result")


class BotError(Exception):
    """A bot cannot go on; the text says why."""


class JoinDeclinedError(BotError):
    """The server gave this bot no seat; `code` is that of the message `declined`."""

    def __init__(self, declined: Declined) -> None:
        super().__init__(declined.text)
        self.code = declined.code


class MoveDeclinedError(BotError):
    """The server declined a move, and not because it came too late."""

    def __init__(self, choice: Choice, declined: Declined) -> None:
        super().__init__(f"{choice_text(choice)}: {declined.text} ({declined.code})")
        self.choice = choice
        self.code = declined.code
        self.params = declined.params


class TableGoneError(BotError):
    """The bot was sent away, or its table was closed, before the game was over."""

    def __init__(self, left: TableLeft) -> None:
        super().__init__(left.text)
        self.code = left.code


class Bot:
    """A player in one method: override `choose`. The hooks do nothing unless overridden.

    `quick`: True promises that `choose` takes under 5 ms, and runs it without a thread.
    `auto_knock`: False asks `knocks` where a knock is due, instead of knocking at once.
    """

    quick = False
    auto_knock = True

    def choose(self, view: SeatView, choices: Sequence[Choice]) -> Choice:
        """One of `choices` (at least two: to play, draw, pass or end the turn)."""
        raise NotImplementedError(f"{type(self).__name__} has no method choose(view, choices)")

    def knocks(self, view: SeatView) -> bool:
        """Whether to knock now; asked with each update while it is due, if not `auto_knock`."""
        del view
        return True

    def calls_foul(self, view: SeatView, choice: Choice) -> bool:
        """Whether to call `choice.seat` for not knocking. By default never: people forget."""
        del view, choice
        return False

    def on_event(self, event: AnyEvent) -> None:
        """Called with every event, before the more special hooks."""

    def on_round_over(self, event: RoundOver) -> None:
        """A round has ended: hands and scores by seat."""

    def on_game_over(self, event: GameOver) -> None:
        """The game has ended: totals and places by seat."""

    def on_foul(self, event: FoulCalled) -> None:
        """Somebody was called for not knocking."""

    def on_chat(self, name: str, text: str) -> None:
        """Somebody said something; an empty name is the server."""

    def on_table(self, table: TableInfo, seat: int | None) -> None:
        """The table has changed: who sits where, who is present, whether it plays."""

    def on_link(self, notice: LinkNotice) -> None:
        """The connection was lost or is back; nothing needs to be done."""

    def on_declined(self, declined: Declined) -> None:
        """The server declined a command of this bot, for whatever reason."""


class StrategyBot(Bot):
    """A bot that plays a stock strategy with its own random source."""

    def __init__(self, info: StrategyInfo, seed: int | None = None) -> None:
        self.info = info
        self.quick = info.quick
        self._rng: Random = SystemRandom() if seed is None else Random(seed)  # noqa: S311 - a game

    def choose(self, view: SeatView, choices: Sequence[Choice]) -> Choice:
        """What the strategy chooses."""
        return self.info.choose(view, choices, self._rng)


def run(
    bot: Bot,
    server: str,
    *,
    name: str | None = None,
    table: str | None = None,
    kind: ClientKind = "bot",
    tokens: TokenStore | None = None,
    password: str | None = None,
    fingerprint: str | None = None,
) -> GameOver:
    """Play one game with `bot` on the server at `HOST:PORT` and return how it ended. Blocks.

    Args:
        bot: The player.
        server: `HOST` or `HOST:PORT`, with `tls://` in front if it speaks TLS.
        name: The player's name; by default that of the class, with a number if it is taken.
        table: The table to sit down at; by default the first with a free seat, waiting for one.
        kind: What the bot says it is.
        tokens: Where the resume token is kept; in memory by default.
        password: The server's, if it wants one.
        fingerprint: The SHA-256 of the one certificate to take, in hexadecimal; implies TLS. By
            default one that the system vouches for, or that mt-client or mt-bot have kept.

    Raises `ValueError` for a bad address or fingerprint, `LinkError` where the server cannot be
    reached or ends the connection, `BotError` where the game cannot be played, and whatever
    `choose` raises.
    """
    address = Address.parse(server)
    opener = None
    if fingerprint is not None:
        address = replace(address, tls=True)
        opener = stream_opener(read_fingerprint(fingerprint))

    async def main() -> GameOver:
        async def game(link: Link) -> GameOver:
            return await play(bot, link, table=table)

        return await with_free_name(
            address,
            [name] if name else numbered(type(bot).__name__),
            game,
            kind=kind,
            tokens=tokens,
            password=password,
            open_stream=opener,
        )

    return trio.run(main)


async def play(bot: Bot, link: Link, *, table: str | None = None) -> GameOver:
    """Sit down, play until the game is over, and return how it ended.

    A player who sits at a table already (after a resume) stays there. Raises as `run`.
    """
    player = Player(bot, link)
    await player.sit_down(table)
    return await player.play_game()


async def with_free_name(
    address: Address,
    names: Sequence[str],
    then: Callable[[Link], Awaitable[_Result]],
    *,
    kind: ClientKind = "bot",
    program: str = "mt-bot",
    tokens: TokenStore | None = None,
    password: str | None = None,
    open_stream: StreamOpener | None = None,
) -> _Result:
    """Open a link under the first of `names` that nobody uses, and return what `then` returns.

    Raises `RefusedError` `name_taken` when all are in use, and what `open_link` and `then` raise.
    """
    for name in names:
        try:
            async with open_link(
                address,
                hello_for(name, kind=kind, program=program, password=password),
                tokens=tokens,
                open_stream=open_stream,
            ) as link:
                return await then(link)
        except RefusedError as error:
            if error.code != "name_taken" or name == names[-1]:
                raise
    raise ValueError("there is no name to try")


def numbered(name: str) -> list[str]:
    """`name`, `name-2`, `name-3`, …: what to try, each at most 20 characters."""
    return [name[:20], *(f"{name[:16]}-{number}" for number in range(2, NAMES_TRIED_MAX + 1))]


async def seat_bot(
    strategy_name: str,
    stream: trio.abc.Stream,
    *,
    name: str,
    table: str,
    seat: int | None = None,
    seed: int | None = None,
) -> None:
    """Play a stock strategy over a ready-made stream for as long as the table wants it.

    It joins `table` (unless the welcome says that it sits there), plays every game of it, and
    returns when it is sent away, the table closes, or the stream ends; it never reconnects.

    Args:
        strategy_name: A name that `strategy` knows; otherwise `UnknownStrategyError`.
        stream: The client's end; closed hard at the end.
        name: The player's name.
        table: The table.
        seat: The seat to ask for; None takes the first free one.
        seed: For the bot's own randomness; None takes the system's.

    Raises `RefusedError` or `BotError` where the server does not want it, and `EndedError` after a
    mistake of the server; all of them are faults.
    """
    bot = StrategyBot(strategy(strategy_name), seed)
    async with open_link(
        Address("house", 0),
        hello_for(name, kind="bot", program="house"),
        open_stream=_only(stream),
        patience_seconds=0,
    ) as link:
        player = Player(bot, link)
        try:
            await player.sit_down(table, seat)
            while True:
                await player.play_game()
        except TableGoneError:
            return
        except EndedError as end:
            if end.code == "internal":
                raise


def _only(stream: trio.abc.Stream) -> StreamOpener:
    """Gives `stream` once and fails from then on."""
    left = [stream]

    async def opener(address: Address) -> trio.abc.Stream:
        await trio.lowlevel.checkpoint()
        if not left:
            raise ConnectionResetError(f"there is one stream to {address} only")
        return left.pop()

    return opener


class Player:
    """A bot at a link: what it sent and what it still has to do."""

    def __init__(self, bot: Bot, link: Link) -> None:
        self._bot = bot
        self._link = link
        self._latest: Update | None = None
        self._moves: dict[int, Choice] = {}
        self._acted_turn: int | None = None
        self._is_over = False
        self._knocked: set[int] = set()
        self._offered_fouls: set[int] = set()

    # --- a seat ---------------------------------------------------------------------------

    async def sit_down(self, table: str | None, seat: int | None = None) -> None:
        """Take a seat. Returns at once where the player has one already."""
        seated_at = self._link.welcome.table
        if seated_at is not None:
            if table not in (None, seated_at):
                raise BotError(f"This player sits at {seated_at} already.")
            return
        if table is not None:
            await self._join(table, seat)
            return
        has_seat = await self._join_any()
        while not has_seat:
            await trio.sleep(POLL_SECONDS)
            has_seat = await self._join_any()

    async def _join_any(self) -> bool:
        """Try each table with a free seat; False if none took this player."""
        page, pages = 0, 1
        while page < pages:
            listed = await self._link.ask(ListTables(id=0, page=page))
            if not isinstance(listed, Tables):
                return False
            for info in listed.tables:
                if _has_room(info):
                    try:
                        await self._join(info.name, None)
                    except JoinDeclinedError:
                        continue
                    return True
            page, pages = page + 1, listed.pages
        return False

    async def _join(self, table: str, seat: int | None) -> None:
        answer = await self._link.ask(JoinTable(id=0, table=table, seat=seat))
        if isinstance(answer, Declined):
            if answer.code == "slow_down":
                await trio.sleep(RETRY_SECONDS)
                await self._join(table, seat)
                return
            raise JoinDeclinedError(answer)
        await self._take(answer)

    # --- a game ---------------------------------------------------------------------------

    async def play_game(self) -> GameOver:
        """Do what is asked until the next `game_over`."""
        while True:
            ended = await self._take(await self._link.receive())
            if ended is not None:
                return ended

    async def _take(self, arrival: AnyServerMessage | LinkNotice) -> GameOver | None:
        """Do what one arrival asks for. Returns the end of the game when it has come."""
        if isinstance(arrival, Update):
            return await self._take_update(arrival)
        if isinstance(arrival, TableNews):
            self._bot.on_table(arrival.table, arrival.seat)
            self._get_ready(arrival)
        elif isinstance(arrival, Declined):
            await self._take_declined(arrival)
        elif isinstance(arrival, Said):
            self._bot.on_chat(arrival.name, arrival.text)
        elif isinstance(arrival, LinkNotice):
            self._bot.on_link(arrival)
        elif isinstance(arrival, TableLeft):
            raise TableGoneError(arrival)
        return None

    def _get_ready(self, news: TableNews) -> None:
        """Say `ready` where a person is waited for; bots hold nothing up."""
        if self._link.hello.kind != "person" or news.seat is None:
            return
        mine = news.table.seats[news.seat]
        if news.table.state in ("waiting", "between") and not mine.ready:
            self._link.send(Ready(id=0))

    async def _take_update(self, update: Update) -> GameOver | None:
        """Tell the hooks what happened, then answer what is asked."""
        latest = self._latest
        if latest is not None and latest.table == update.table:
            if update.last_event < latest.last_event:
                return None  # the repeated answer to a command that a cut had hidden
            seen = latest.last_event
        else:
            seen = 0
        self._latest = update
        ended = self._tell_events([event for event in update.events if event.n > seen])
        if ended is None and update.view.phase == "over" and not self._is_over:
            ended = _end_of(update)
        self._is_over = update.view.phase == "over"
        view = seat_view(update)
        if view is not None and ended is None:
            self._announce(view, update.choices)
            await self._act(view, update)
        return ended

    def _tell_events(self, events: Sequence[AnyEvent]) -> GameOver | None:
        ended = None
        for event in events:
            self._bot.on_event(event)
            if isinstance(event, RoundOver):
                self._bot.on_round_over(event)
            elif isinstance(event, FoulCalled):
                self._bot.on_foul(event)
            elif isinstance(event, GameOver):
                self._bot.on_game_over(event)
                ended = event
            elif isinstance(event, RoundStarted):
                self._acted_turn = None
        return ended

    def _announce(self, view: SeatView, choices: Sequence[Choice]) -> None:
        """Knock and call fouls, each once for the event it is about."""
        for choice in choices:
            if choice.do == "knock":
                debt = next((owed.event for owed in view.knocks if owed.seat == view.seat), 0)
                wanted = self._bot.auto_knock or self._bot.knocks(view)
                if debt not in self._knocked and wanted:
                    self._knocked.add(debt)
                    self._link.send(Knock(id=0))
            elif choice.do == "foul" and choice.event not in self._offered_fouls:
                self._offered_fouls.add(choice.event or 0)
                if self._bot.calls_foul(view, choice):
                    self._link.send(command_for(choice, view.turn))

    async def _act(self, view: SeatView, update: Update) -> None:
        """Answer the turn, if this update asks for a choice."""
        choices = tuple(each for each in update.choices if each.do not in ("knock", "foul"))
        if not choices or not view.is_my_turn or view.turn == self._acted_turn:
            return
        choice = choices[0] if len(choices) == 1 else await self._choice(view, choices)
        number = self._link.send(command_for(choice, view.turn))
        self._moves = {number: choice}
        self._acted_turn = view.turn

    async def _choice(self, view: SeatView, choices: Sequence[Choice]) -> Choice:
        if self._bot.quick:
            chosen = self._bot.choose(view, choices)
        else:
            chosen = await trio.to_thread.run_sync(
                self._bot.choose, view, choices, abandon_on_cancel=True
            )
        if chosen not in choices:
            listed = ", ".join(choice_text(choice) for choice in choices)
            raise BotError(
                f"{type(self._bot).__name__}.choose ({_place(self._bot)}) returned "
                f"{_told(chosen)}, which is not among its choices: {listed}"
            )
        return chosen

    async def _take_declined(self, declined: Declined) -> None:
        """A late move is dropped, a busy server asked again; the rest is a fault."""
        self._bot.on_declined(declined)
        choice = self._moves.pop(declined.answers, None)
        if choice is None or declined.code == "stale":
            return
        self._acted_turn = None
        if not declined.retry:
            raise MoveDeclinedError(choice, declined)
        await trio.sleep(RETRY_SECONDS)
        self._link.send(Resync(id=0))


def _told(chosen: object) -> str:
    """What an author's method returned, whatever it is."""
    return choice_text(chosen) if isinstance(chosen, Choice) else repr(chosen)


def _place(bot: Bot) -> str:
    """Where the author's method stands."""
    code = type(bot).choose.__code__
    return f"{code.co_filename}, line {code.co_firstlineno}"


def _has_room(info: TableInfo) -> bool:
    """Whether a stranger may sit down there now."""
    is_free = any(seat.kind == "empty" for seat in info.seats)
    return info.state == "waiting" and is_free and not info.locked


def _end_of(update: Update) -> GameOver:
    """The end of a game that was over before this link came to it."""
    totals = update.view.totals
    places = [1 + sum(other < total for other in totals) for total in totals]
    return GameOver(n=update.last_event, totals=totals, places=places)


__all__ = [
    "Bot",
    "BotError",
    "JoinDeclinedError",
    "MoveDeclinedError",
    "StrategyBot",
    "TableGoneError",
    "play",
    "run",
    "seat_bot",
]
