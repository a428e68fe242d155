"""Recall: a table as its log tells, and one that takes the place of what it was before.

Pure. What a fact did when it happened is done again, but nobody is told.
"""

from collections.abc import Sequence

from mexican_train import engine

from .clocks import Calendar
from .condensing import condensed
from .course import SKIP
from .effects import (
    AbsenceDecided,
    GameBrokenOff,
    GamePaused,
    GameSetUp,
    GameStarted,
    HostNamed,
    MoveMade,
    RoundDealt,
    SeatCodeGiven,
    SeatLeft,
    SeatReady,
    SeatTaken,
    TableFact,
    TableOpened,
    TableQuiet,
    TimeRanOut,
)
from .players import Player, Players
from .table import Table
from .table_settings import Charter, TableSettings


def recalled(
    log: Sequence[TableFact],
    players: Players,
    settings: TableSettings,
    now: float,
    calendar: Calendar,
) -> Table:
    """A table as its log tells, owners of seats included.

    Times begin anew, but for that after which a game closes to which nobody comes back.

    Raises:
        ValueError: the log cannot be played again.
    """
    log = condensed(log)
    opened = log[0]
    if not isinstance(opened, TableOpened):
        raise ValueError("the log does not begin with its table")  # noqa: TRY004 - a bad value
    table = Table(Charter.recalled(opened), settings, now, calendar, is_recalled=True)
    for fact in log:
        _recall(table, fact, now)
    _call_back(table, log, players)
    _wake(table, now)
    table.seats.quiet_since = _quiet_since(table, log, settings, now, calendar)
    return table


def _quiet_since(
    table: Table, log: Sequence[TableFact], settings: TableSettings, now: float, calendar: Calendar
) -> float | None:
    """Since when nobody is at a game; None: not known, as the last person went with the server.

    As long as for a table without a game is left in any case, so that somebody may come back.
    """
    words = [fact.since for fact in log if isinstance(fact, TableQuiet)]
    if not table.is_in_play or not words or words[-1] is None:
        return None
    least = settings.idle_seconds - settings.sleep_seconds
    return min(now, max(calendar.clock_time(words[-1]), now + least))


def _call_back(table: Table, log: Sequence[TableFact], players: Players) -> None:
    """Give the seats to their owners, who are at the table unless they have gone elsewhere."""
    owners: dict[int, SeatTaken] = {}
    away: set[int] = set()
    host: int | None = None
    heir_of: int | None = None
    for fact in log:
        match fact:
            case SeatTaken(_, number):
                owners[number] = fact
                away.discard(number)
            case SeatLeft(_, number):
                away.add(number)
            case HostNamed(_, host, heir_of):
                pass
    for number, taken in owners.items():
        if taken.player is not None:
            owner = players[taken.player]
            table.seats[number].player, table.seats[number].strategy = owner, taken.strategy
            owner.seats.add(table.name)
            owner.table = owner.table if number in away else table.name
    table.seats.host = players[host] if host is not None else None
    table.seats.heir_of = players.get(heir_of) if heir_of is not None else None


def _recall(table: Table, fact: TableFact, now: float) -> None:
    """Take in one fact of the log, but for who has the seats."""
    match fact:
        case MoveMade(_, number, move, at_ms, _, bank_ms):
            _recall_move(table, number, move, at_ms)
            table.course.game_began_at = now - at_ms / 1000
            if bank_ms is not None:
                table.course.clocks.banks[number] = bank_ms / 1000
        case TimeRanOut():
            table.course.game_on().note_time_up(fact)
        case RoundDealt():
            table.course.lay_out(fact)
        case GameStarted():
            table.course.begin(fact, now)
        case GameSetUp():
            table.course.await_game()
        case SeatTaken(_, number):
            table.seats[number].is_ready, table.seats[number].code_digest = False, None
            table.course.absences.note(number, None)
        case SeatLeft(_, number):
            table.seats[number].is_ready = False
        case SeatCodeGiven(_, number, digest):
            table.seats[number].code_digest = digest
        case AbsenceDecided(_, number, choice):
            table.course.absences.decide(number, choice, now)
        case GamePaused(_, is_on):
            table.course.note_pause(is_on, now)
        case GameBrokenOff(_, number):
            table.course.game_on().break_off(number)
            table.course.finish(now)
        case SeatReady(_, number, is_ready):
            table.seats[number].is_ready = is_ready


def _recall_move(table: Table, seat: int, move: str, at_ms: int) -> None:
    progress = table.course.game_on()
    if move == SKIP:
        if progress.game.turn != seat:
            raise ValueError(f"it is not the turn of seat {seat}")
        progress.skip(at_ms)
    else:
        progress.apply(seat, engine.Move.parse(move), at_ms)
    phase = progress.game.phase
    if phase != "play":
        table.course.state = "between"
    if phase == "over":
        table.course.finish(table.course.game_began_at)


def _wake(table: Table, now: float) -> None:
    """Set all clocks: what was under way is given its whole time again."""
    table.course.moved_at = table.course.round_ended_at = now
    for number, seat in enumerate(table.seats):
        if table.seats.is_waited_for(seat):
            table.course.absences.note(number, now)
    if table.course.state == "playing":
        table.course.start_clock(now, is_anew=True)


def carry_over(table: Table, before: Table | None, watchers: Sequence[Player], now: float) -> None:
    """Let a table take the place of the one it was `before`, whose last deeds were not stored.

    Those present stay; bots' moves that wait for their time go on waiting; for a moment time
    demands nothing.
    """
    seats, course = table.seats, table.course
    for watcher in watchers:
        if watcher.is_connected and watcher.table is None:
            seats.watchers.append(watcher)
            watcher.table = table.name
    if before is not None:
        table.playing.carry_over(before.playing)
    for number, seat in enumerate(seats):
        course.absences.note(number, now if seats.is_waited_for(seat) else None)
    if before is not None:
        course.absences.carry_over(before.course.absences)
    course.hold_clock(now)
    table.retry_later(now)
    seats.note_company(now)
