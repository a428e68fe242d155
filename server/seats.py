"""Seats: who has which, who is here, who looks on, and who is the host.

Pure, and knows nothing of the game.
"""

import hmac
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from mexican_train.protocol import SeatKind

from .clocks import Calendar
from .declines import Decline
from .effects import Effect, HostNamed, Save, SeatBot, SeatCodeGiven, SeatTaken, TableQuiet
from .players import Player
from .seat_codes import code_digest, new_code


@dataclass(eq=False, slots=True)
class Seat:
    """A place at a table; `strategy` is that of a house bot.

    `code_digest` is what is kept of the code that lets its owner in once.
    """

    player: Player | None = None
    is_ready: bool = False
    strategy: str = ""
    code_digest: bytes | None = field(default=None, repr=False)

    @property
    def kind(self) -> SeatKind:
        """`empty`, `person` or `bot`."""
        if self.player is None:
            return "empty"
        return "person" if self.player.kind == "person" else "bot"


class Seats:
    """The seats of one table, and those who look on.

    Attributes:
        watchers: who looks on.
        host: who may start, kick and so on; None until somebody is.
        heir_of: who was host, was away for too long, and may have the role back.
        quiet_since: when the last person went; None while one is here.
    """

    def __init__(self, table: str, count: int, now: float, calendar: Calendar) -> None:
        self.watchers: Final[list[Player]] = []
        self.host: Player | None = None
        self.heir_of: Player | None = None
        self.quiet_since: float | None = now
        self._table: Final = table
        self._calendar: Final = calendar
        self._seats: Final = tuple(Seat() for _ in range(count))

    def __len__(self) -> int:
        return len(self._seats)

    def __iter__(self) -> Iterator[Seat]:
        return iter(self._seats)

    def __getitem__(self, number: int) -> Seat:
        return self._seats[number]

    # --- who is here ----------------------------------------------------------------------

    def seat_of(self, player: Player) -> int | None:
        """The seat kept for a player, or None."""
        for number, seat in enumerate(self):
            if seat.player is player:
                return number
        return None

    def is_present(self, player: Player) -> bool:
        """Whether the player is connected and at this table."""
        return player.is_connected and player.table == self._table

    def viewers(self) -> Iterator[tuple[Player, int | None]]:
        """Everybody present, with the seat; None for watchers."""
        for number, seat in enumerate(self):
            if seat.player is not None and self.is_present(seat.player):
                yield seat.player, number
        for watcher in self.watchers:
            yield watcher, None

    def empty_seats(self) -> list[int]:
        """The numbers of the seats that nobody has."""
        return [number for number, seat in enumerate(self) if seat.player is None]

    def named(self, name: str) -> tuple[Player, int | None]:
        """The one of that name at the table, and the seat.

        Raises:
            Decline: `no_such_player`.
        """
        everybody: list[tuple[Player, int | None]] = [
            (seat.player, number) for number, seat in enumerate(self) if seat.player
        ]
        everybody += [(watcher, None) for watcher in self.watchers]
        for player, number in everybody:
            if player.name.casefold() == name.casefold():
                return player, number
        raise Decline("no_such_player")

    def persons(self) -> list[Seat]:
        """The seats that persons have."""
        return [seat for seat in self if seat.kind == "person"]

    def has_company(self) -> bool:
        """Whether a person is present, in a seat or watching."""
        return any(player.kind != "bot" for player, _ in self.viewers())

    def voters(self) -> list[Player]:
        """The persons with a seat who are here."""
        return [
            seat.player for seat in self.persons() if seat.player and self.is_present(seat.player)
        ]

    def is_waited_for(self, seat: Seat) -> bool:
        """Whether the seat has an owner, no house bot, who is not here."""
        player = seat.player
        return player is not None and not seat.strategy and not self.is_present(player)

    def absent(self) -> list[Player]:
        """Owners of seats, not house bots, whose connection is gone."""
        return [
            seat.player
            for seat in self
            if seat.player is not None
            and not seat.strategy
            and seat.player.table == self._table
            and not seat.player.is_connected
        ]

    def note_company(self, now: float, *, is_anew: bool = False) -> list[Effect]:
        """Note since when no person is here; `is_anew`: as of now, even if it was so before."""
        before = self.quiet_since
        if self.has_company():
            self.quiet_since = None
        elif before is None or is_anew:
            self.quiet_since = now
        if self.quiet_since == before:
            return []
        since = None if self.quiet_since is None else self._calendar.day_time(now)
        return [Save((TableQuiet(self._table, since),))]

    # --- who sits where -------------------------------------------------------------------

    def give(self, number: int, player: Player) -> Effect:
        """Give a seat to a player, or back; the player is at the table then."""
        self[number].player = player
        self[number].is_ready = False
        player.table = self._table
        player.seats.add(self._table)
        return Save((SeatTaken(self._table, number, player.number),))

    def empty_seat(self, number: int | None) -> int:
        """The number of an empty seat: this one, or with None the first.

        Raises:
            Decline: `no_such_seat`, `seat_taken`, `table_full`.
        """
        empty = self.empty_seats()
        if number is not None and number >= len(self):
            raise Decline("no_such_seat", params={"seats": len(self)})
        if not empty:
            raise Decline("table_full")
        if number is not None and number not in empty:
            raise Decline("seat_taken", params={"seat": number})
        return empty[0] if number is None else number

    def sit_bot(self, bot: Player, strategy: str) -> int:
        """Give a house bot the first empty seat; its number. ValueError if there is none."""
        number = self.empty_seats()[0]
        self[number].player = bot
        self[number].strategy = strategy
        bot.table = self._table
        bot.seats.add(self._table)
        return number

    def vacate(self, number: int) -> Effect:
        """Let nobody have the seat."""
        seat = self[number]
        if seat.player is not None:
            seat.player.seats.discard(self._table)
            if seat.player.table == self._table:
                seat.player.table = None
        seat.player, seat.strategy, seat.is_ready, seat.code_digest = None, "", False, None
        return Save((SeatTaken(self._table, number, None),))

    def name_host(self, player: Player | None, heir_of: Player | None = None) -> list[Effect]:
        """Make somebody the host, or nobody; `heir_of` may have the role back."""
        self.host, self.heir_of = player, heir_of
        before = heir_of.number if heir_of else None
        return [Save((HostNamed(self._table, player.number if player else None, before),))]

    def next_host(self) -> Player | None:
        """A person who could be the host now, or None."""
        for seat in self.persons():
            if seat.player is not None and self.is_present(seat.player):
                return seat.player
        return None

    def seat_bot(self, number: int, fixed_seed: bytes | None) -> SeatBot:
        """The house bot of a seat, as the shell is to start it; ValueError if there is none."""
        seat = self[number]
        if seat.player is None or not seat.strategy:
            raise ValueError(f"seat {number} is no house bot's")
        seed = int.from_bytes(fixed_seed[:4], "big") + number if fixed_seed is not None else None
        name = seat.player.name
        return SeatBot(seat.player.number, name, seat.strategy, self._table, number, seed)

    def house_bots(self, fixed_seed: bytes | None) -> list[SeatBot]:
        """All house bots at this table, likewise."""
        return [
            self.seat_bot(number, fixed_seed) for number, seat in enumerate(self) if seat.strategy
        ]

    # --- seat codes -----------------------------------------------------------------------

    def give_code(
        self, name: str, random_bytes: Callable[[int], bytes]
    ) -> tuple[Player, str, list[Effect]]:
        """A new code for the owner of that name, who has lost the token; the older one ends.

        Raises:
            Decline: `no_such_player`, `not_away`.
        """
        player, number = self.named(name)
        if number is None or player.is_house:
            raise Decline("no_such_player")
        if player.is_connected:
            raise Decline("not_away")
        code = new_code(random_bytes)
        self[number].code_digest = code_digest(code)
        return player, code, [Save((SeatCodeGiven(self._table, number, code_digest(code)),))]

    def is_code_of(self, player: Player, code: str) -> bool:
        """Whether this code lets the player in."""
        number = self.seat_of(player)
        digest = self[number].code_digest if number is not None else None
        return hmac.compare_digest(code_digest(code), digest or b"")

    def end_code(self, player: Player) -> list[Effect]:
        """No code lets the player in any more."""
        number = self.seat_of(player)
        if number is None or self[number].code_digest is None:
            return []
        self[number].code_digest = None
        return [Save((SeatCodeGiven(self._table, number, None),))]
