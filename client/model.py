"""What a client knows, built from the messages of the server and nothing else.

`Model.take` is the one way in. Both forms of the terminal, and the reading of typed lines, look
at the same model; it does no I/O and knows no clock and no rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from mexican_train.protocol import (
    AnyEvent,
    AnyServerMessage,
    Awaited,
    Card,
    Choice,
    GameEnded,
    GameOver,
    Passed,
    Said,
    TableInfo,
    TableLeft,
    TableNews,
    Tables,
    Tile,
    TileDrawn,
    TileLaid,
    TurnSkipped,
    Update,
    View,
    Welcome,
)

from .bots.strategies import high_low, train_rank
from .texts import text

LOG_MAX = 2000
"""Events and lines of chat that are kept; the oldest go first."""

_AFTER_TILES = {"draw": 1, "pass": 2, "done": 3, "knock": 4, "foul": 5}
MoveMade = TileLaid | TileDrawn | Passed | TurnSkipped
"""What a seat does in its turn."""


@dataclass(slots=True)
class Model:
    """The knowledge of one player or watcher. Read its fields; change it by `take` alone."""

    name: str = ""
    """This player, as the server writes it."""
    server: str = ""
    tables: list[TableInfo] = field(default_factory=list)
    """The newest list of the lobby."""
    table: TableInfo | None = None
    """Where this player sits or looks on; None in the lobby."""
    seat: int | None = None
    update: Update | None = None
    """The newest update of the game at the table."""
    card: Card | None = None
    log: list[AnyEvent | Said] = field(default_factory=list)
    """What happened and was said at this table, oldest first."""
    met: set[str] = field(default_factory=set)
    """Who was present at this table before the newest news of it."""
    _knock_rules: dict[str, bool] = field(default_factory=dict)
    """By the hash of a rule set: whether it has knocks, as far as that was told."""

    # --- what comes in --------------------------------------------------------------------

    def take(self, message: AnyServerMessage) -> None:
        """Learn from `message`. An update older than the one known changes nothing."""
        if isinstance(message, Welcome):
            self.name, self.server = message.name, message.server
            if message.table is None:
                self.leave()
        elif isinstance(message, Update):
            self._take_update(message)
        elif isinstance(message, TableNews):
            self._take_table(message)
        elif isinstance(message, TableLeft):
            self.leave()
        elif isinstance(message, Tables):
            self._take_tables(message)
        elif isinstance(message, Card):
            self._take_card(message)
        elif isinstance(message, Said):
            self._note(message)

    def leave(self) -> None:
        """Forget the table: this player is in the lobby."""
        self.table = self.seat = self.update = None
        self.log = []
        self.met = set()

    def _take_update(self, update: Update) -> None:
        if self.is_stale(update):
            return
        for event in self.new_events(update):
            self._note(event)
        self.update = update
        self.seat = update.seat
        offers_it = any(choice.do in ("knock", "foul") for choice in update.choices)
        if self.table is not None and (offers_it or update.view.knocks):
            self._knock_rules[self.table.rules.hash] = True

    def _take_table(self, news: TableNews) -> None:
        if self.table is not None and self.table.name != news.table.name:
            self.leave()
        if self.table is not None:
            self.met |= {seat.name for seat in self.table.seats if seat.present}
        if news.table.state == "waiting":
            self.update = None
        self.table, self.seat = news.table, news.seat

    def _take_tables(self, listed: Tables) -> None:
        if listed.page == 0:
            self.tables = []
        self.tables = [*self.tables, *listed.tables]

    def _take_card(self, card: Card) -> None:
        self.card = card
        for line in card.lines:
            if line.option == "announce.mode":
                self._knock_rules[card.rules.hash] = line.value == "knock"

    def _note(self, entry: AnyEvent | Said) -> None:
        self.log.append(entry)
        del self.log[:-LOG_MAX]

    # --- what is known --------------------------------------------------------------------

    def is_stale(self, update: Update) -> bool:
        """Whether `update` is the repeated answer to a command from before a newer update."""
        known = self.update
        return (
            known is not None
            and known.table == update.table
            and update.last_event < known.last_event
        )

    def new_events(self, update: Update) -> list[AnyEvent]:
        """Those events of `update` that are not known yet."""
        known = self.update
        if known is None or known.table != update.table:
            return list(update.events)
        return [event for event in update.events if event.n > known.last_event]

    @property
    def view(self) -> View | None:
        """The table as it stands; None before the first deal and in the lobby."""
        return self.update.view if self.update is not None else None

    @property
    def is_playing(self) -> bool:
        """Whether a round is being played."""
        return self.view is not None and self.view.phase == "play"

    @property
    def has_knocks(self) -> bool:
        """Whether the rules of the table are known to have knocks, from their card or from play."""
        return self.table is not None and self._knock_rules.get(self.table.rules.hash, False)

    @property
    def has_hints(self) -> bool:
        """Whether the table gives hints."""
        return self.table is not None and self.table.hints

    @property
    def is_watching(self) -> bool:
        """Whether this player is at a table without a seat."""
        return self.table is not None and self.seat is None

    @property
    def is_my_turn(self) -> bool:
        """Whether this seat is the one to act."""
        return self.is_playing and self.seat is not None and self.to_act == self.seat

    @property
    def to_act(self) -> int | None:
        """The seat whose turn it is."""
        return self.view.to_act if self.view is not None else None

    @property
    def awaited(self) -> Awaited:
        """What the seat to act has to do, if it is anything special."""
        return self.view.awaited if self.view is not None else ""

    @property
    def names(self) -> Sequence[str]:
        """The players by seat, as far as they are known."""
        if self.view is not None:
            return self.view.names
        return [seat.name for seat in self.table.seats] if self.table is not None else []

    def seat_name(self, seat: int) -> str:
        """The player in `seat`; "seat 3" where no name is known."""
        if 0 <= seat < len(self.names) and self.names[seat]:
            return self.names[seat]
        return text("seat {seat}", seat=seat)

    @property
    def hand(self) -> list[Tile]:
        """This seat's tiles, in the order of the server."""
        return list(self.update.hand) if self.update is not None else []

    @property
    def offers(self) -> list[Choice]:
        """The choices of this seat in the order in which they are numbered for a person.

        Tiles first, by their place in the hand, each on the own train, the Mexican Trains and
        the others; then to draw, pass, end the turn, knock, call a foul.
        """
        if self.update is None:
            return []
        return sorted(self.update.choices, key=self._offer_rank)

    def _offer_rank(self, choice: Choice) -> tuple[int, int, tuple[int, int]]:
        if choice.tile is None or choice.train is None:
            return (_AFTER_TILES.get(choice.do, 9), choice.seat or 0, (0, 0))
        tile = high_low(choice.tile)
        hand = [high_low(held) for held in self.hand]
        place = hand.index(tile) if tile in hand else len(hand)
        return (0, place, train_rank(choice.train, self.seat))

    @property
    def playable(self) -> set[Tile]:
        """The tiles of the hand that can be played now, higher end first."""
        return {high_low(choice.tile) for choice in self.offers if choice.tile is not None}

    @property
    def recap(self) -> list[AnyEvent]:
        """What has happened since this seat last laid, drew, passed or was skipped."""
        events = [entry for entry in self.log if not isinstance(entry, Said)]
        for index in range(len(events) - 1, -1, -1):
            event = events[index]
            if isinstance(event, MoveMade) and event.seat == self.seat:
                return events[index + 1 :]
        return events

    @property
    def result(self) -> GameOver | None:
        """How the game ended, if it has."""
        for entry in reversed(self.log):
            if isinstance(entry, GameOver):
                return entry
        return None

    @property
    def is_broken_off(self) -> bool:
        """Whether the last game here ended before its time."""
        ends = [entry for entry in self.log if isinstance(entry, GameOver | GameEnded)]
        return bool(ends) and isinstance(ends[-1], GameEnded)

    @property
    def may_vote(self) -> bool:
        """Whether there is a vote on somebody who is away."""
        is_open = self.table is not None and any(vote.open for vote in self.table.votes)
        return is_open and self.seat is not None

    @property
    def is_host(self) -> bool:
        """Whether this player is the host of the table."""
        return self.table is not None and self.table.host == self.name
