"""Commands: one function each, and the table of all of them.

Pure. Each returns its effects and how the command was answered, or raises `Decline` before
anything has changed.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from mexican_train.protocol import (
    AddBot,
    AskHint,
    AskRecord,
    AskRules,
    AskSeatCode,
    Card,
    CreateTable,
    Done,
    Draw,
    Foul,
    JoinTable,
    Kick,
    Knock,
    LeaveTable,
    ListTables,
    Mute,
    Nudge,
    Ok,
    Pass,
    PassHost,
    Pause,
    Ping,
    Play,
    Pong,
    Ready,
    Reasons,
    RecordPart,
    Rematch,
    RemoveBot,
    Resync,
    Said,
    Say,
    SeatCode,
    StartTable,
    Vote,
    WatchTable,
    Why,
)
from mexican_train.protocol import (
    Tables as TableList,
)

from . import views
from .clocks import Terms
from .declines import Decline
from .effects import Deliver, Effect
from .lobby_settings import TablePlan
from .players import AGAIN, OK, PENDING, TABLE, Answer, Player, clean_text
from .playing import GuardedMove
from .table import Table
from .tables import Tables

TABLES_A_PAGE: Final = 16
"""A page of the largest tables, 14 owners away at each and all names of the longest in UTF-8, fits
a frame: one that did not would shut everybody out of the lobby."""
NUDGE_SECONDS: Final = 30
"""Between two nudges of one player."""

Handled = tuple[list[Effect], Answer]
Handler = Callable[[Tables, Player, Any, float], Handled]


def _list(tables: Tables, player: Player, command: ListTables, now: float) -> Handled:
    names = sorted(tables)
    first = command.page * TABLES_A_PAGE
    page = [tables[name].telling.info(now) for name in names[first : first + TABLES_A_PAGE]]
    message = TableList(
        answers=command.id,
        tables=page,
        page=command.page,
        pages=max(1, -(-len(names) // TABLES_A_PAGE)),
    )
    return [Deliver(player.number, message)], AGAIN


def _create(tables: Tables, player: Player, command: CreateTable, now: float) -> Handled:
    _check_free(tables, player)
    if player.kind == "watcher":
        raise Decline("not_seated", "A watcher takes no seat.")
    pause = tables.settings.limits.create_seconds
    if player.created_at is not None and now < player.created_at + pause:
        raise Decline("slow_down", params={"seconds": pause})
    plan = TablePlan(
        name=command.name,
        rules=tables.rules(command.rules, command.options),
        seats=command.seats,
        first_seat=command.first_seat,
        bots=tuple(command.bots),
        start=command.start,
        allows_watchers=command.watchers == "public",
        password=command.password,
        terms=_terms(tables, command),
        hints=command.hints,
    )
    if len(plan.bots) >= plan.seats:
        raise Decline("table_full")
    table, effects = tables.open(plan, now)
    player.created_at = now
    effects += table.sit(player, None, now)
    if table.host is None:
        effects += table.seats.name_host(player)
    effects += tables.seat_bots(table, plan.bots)
    effects += table.telling.news(now, player, command.id)
    return [*effects, *tables.go_on(table, now)], TABLE


def _terms(tables: Tables, command: CreateTable) -> Terms:
    """What a new table does about time and absence; what is not said, as on this server."""
    own = tables.settings.table.terms
    seconds, bank = command.turn_seconds, command.bank_seconds
    turn_seconds = own.turn_seconds if seconds is None else seconds or None
    return Terms(
        turn_seconds=turn_seconds,
        bank_seconds=(own.bank_seconds if bank is None else bank) if turn_seconds else 0,
        on_timeout=command.on_timeout or own.on_timeout,
        on_absent=command.on_absent or own.on_absent,
    )


def _check_free(tables: Tables, player: Player, table: Table | None = None) -> None:
    """Raise `already_at_table` unless the player is nowhere, or at this table."""
    here = tables.table_of(player)
    if here is not None and here is not table:
        raise Decline("already_at_table", params={"table": here.name})


def _join(tables: Tables, player: Player, command: JoinTable, now: float) -> Handled:
    if player.kind == "watcher":
        raise Decline("not_seated", "A watcher takes no seat.")
    table = tables.named(command.table)
    _check_free(tables, player, table)
    seat = table.seat_of(player)
    if seat is None:
        table.charter.check_password(command.password)
    is_watching = player in table.seats.watchers
    effects: list[Effect] = []
    if seat is None or player.table != table.name:
        effects += table.sit(player, command.seat, now)
        if is_watching:
            table.seats.watchers.remove(player)
    effects += table.telling.news(now, player, command.id)
    effects += table.telling.update_for(player, now)
    return [*effects, *tables.go_on(table, now)], TABLE


def _watch(tables: Tables, player: Player, command: WatchTable, now: float) -> Handled:
    table = tables.named(command.table)
    _check_free(tables, player, table)
    if table.seat_of(player) is not None:
        raise Decline("already_at_table", params={"table": table.name})
    table.charter.check_password(command.password)
    noted = table.watch(player, now) if player not in table.seats.watchers else []
    return [
        *noted,
        *table.telling.news(now, player, command.id),
        *table.telling.update_for(player, now),
    ], TABLE


def _leave(tables: Tables, player: Player, command: LeaveTable, now: float) -> Handled:
    table = tables.at_table(player)
    effects = table.leave(player, now)
    tables.schedule(table)
    return [*effects, Deliver(player.number, Ok(answers=command.id))], OK


def _ready(tables: Tables, player: Player, command: Ready, now: float) -> Handled:
    table = tables.at_table(player)
    effects = table.set_ready(player, command.on)
    effects += table.telling.news(now, player, command.id)
    return [*effects, *tables.go_on(table, now)], TABLE


def _start(tables: Tables, player: Player, command: StartTable, now: float) -> Handled:
    table = tables.hosted(player)
    if table.state != "waiting":
        raise Decline("already_started")
    fill = next(iter(tables.settings.strategies), None)
    empty = table.seats.empty_seats()
    if empty and fill is None:
        raise Decline("no_such_strategy")
    effects = tables.seat_bots(table, [fill] * len(empty) if fill is not None else [])
    effects += table.telling.news(now, player, command.id)
    return [*effects, *table.playing.start(now)], TABLE


def _add_bot(tables: Tables, player: Player, command: AddBot, now: float) -> Handled:
    table = tables.hosted(player)
    if table.is_in_play:
        raise Decline("already_started")
    tables.check_strategy(command.strategy)
    if not table.seats.empty_seats():
        raise Decline("table_full")
    effects = [
        *tables.seat_bot(table, command.strategy),
        *table.telling.news(now, player, command.id),
    ]
    return [*effects, *tables.go_on(table, now)], TABLE


def _remove_bot(tables: Tables, player: Player, command: RemoveBot, now: float) -> Handled:
    table = tables.hosted(player)
    bot, _ = table.seats.named(command.name)
    if not bot.is_house:
        raise Decline("no_such_player")
    effects = [*table.send_away(bot, now), *tables.dismiss(bot)]
    return [*effects, table.telling.news_for(player, now, command.id)], TABLE


def _kick(tables: Tables, player: Player, command: Kick, now: float) -> Handled:
    table = tables.hosted(player)
    guest, _ = table.seats.named(command.name)
    if guest is player:
        raise Decline("no_such_player")
    effects = table.send_away(guest, now)
    if guest.is_house:
        effects += tables.dismiss(guest)
    return [*effects, table.telling.news_for(player, now, command.id)], TABLE


def _pass_host(tables: Tables, player: Player, command: PassHost, now: float) -> Handled:
    table = tables.at_table(player)
    if table.host is not player and table.seats.heir_of is not player:
        raise Decline("not_host")
    heir, seat = table.seats.named(command.name)
    if table.host is not player and heir is not player:
        raise Decline("not_host")
    if seat is None or heir.kind != "person" or not table.seats.is_present(heir):
        raise Decline("no_such_player")
    return [*table.seats.name_host(heir), *table.telling.news(now, player, command.id)], TABLE


def _ask_seat_code(tables: Tables, player: Player, command: AskSeatCode, _now: float) -> Handled:
    owner, code, effects = tables.hosted(player).seats.give_code(
        command.name, tables.settings.table.random_bytes
    )
    message = SeatCode(answers=command.id, name=owner.name, code=code)
    return [*effects, Deliver(player.number, message)], OK


def _rematch(tables: Tables, player: Player, command: Rematch, now: float) -> Handled:
    table = tables.hosted(player)
    effects = table.set_up_again(now)
    effects += table.telling.news(now, player, command.id)
    return [*effects, *tables.go_on(table, now)], TABLE


def _ask_rules(tables: Tables, player: Player, command: AskRules, _now: float) -> Handled:
    if command.name is not None:
        rules = tables.rules(command.name)
    elif command.table is not None:
        rules = tables.named(command.table).rules
    else:
        rules = tables.at_table(player).rules
    which, lines = views.rule_card(rules)
    return [Deliver(player.number, Card(answers=command.id, rules=which, lines=lines))], AGAIN


def _move(tables: Tables, player: Player, command: GuardedMove, now: float) -> Handled:
    effects, answer = tables.at_table(player).playing.move(player, command, now)
    return effects, answer or PENDING


def _knock(tables: Tables, player: Player, command: Knock, now: float) -> Handled:
    return tables.at_table(player).playing.knock(player, command, now)


def _foul(tables: Tables, player: Player, command: Foul, now: float) -> Handled:
    return tables.at_table(player).playing.foul(player, command, now)


def _vote(tables: Tables, player: Player, command: Vote, now: float) -> Handled:
    table = tables.at_table(player)
    effects = table.attendance.vote(player, command, now)
    return [*effects, *table.telling.news(now, player, command.id)], TABLE


def _pause(tables: Tables, player: Player, command: Pause, now: float) -> Handled:
    table = tables.hosted(player)
    effects = table.course.set_paused(command.on, now)
    effects += table.telling.news(now, player, command.id)
    return [*effects, *tables.go_on(table, now)], TABLE


def _why(tables: Tables, player: Player, command: Why, _now: float) -> Handled:
    reasons = tables.at_table(player).advice.reasons(player, command)
    return [Deliver(player.number, Reasons(answers=command.id, reasons=reasons))], AGAIN


def _ask_hint(tables: Tables, player: Player, command: AskHint, now: float) -> Handled:
    hint = tables.at_table(player).advice.hint(player, command.id, now)
    return [Deliver(player.number, hint)], AGAIN


def _nudge(tables: Tables, player: Player, command: Nudge, now: float) -> Handled:
    table = tables.at_table(player)
    nudged = table.attendance.nudge(player)
    if player.nudged_at is not None and now < player.nudged_at + NUDGE_SECONDS:
        seconds = round(player.nudged_at + NUDGE_SECONDS - now + 0.5)
        raise Decline("slow_down", params={"seconds": seconds})
    player.nudged_at = now
    effects: list[Effect] = [
        Deliver(number, nudged) for number in _listeners(tables, player) if number != player.number
    ]
    return [*effects, Deliver(player.number, Ok(answers=command.id))], OK


def _mute(tables: Tables, player: Player, command: Mute, _now: float) -> Handled:
    other = tables.players.named(command.name)
    if other is None or other is player:
        raise Decline("no_such_player")
    if command.on:
        known = {number for number in player.muted if number in tables.players}
        player.muted = known | {other.number}
    else:
        player.muted.discard(other.number)
    return [Deliver(player.number, Ok(answers=command.id))], OK


def _say(tables: Tables, player: Player, command: Say, now: float) -> Handled:
    text = clean_text(command.text)[: tables.settings.limits.chat_chars_max]
    _check_chat(tables, player, now)
    effects: list[Effect] = []
    if text:
        said = Said(name=player.name, text=text)
        effects += [Deliver(number, said) for number in _listeners(tables, player)]
    return [*effects, Deliver(player.number, Ok(answers=command.id))], OK


def _check_chat(tables: Tables, player: Player, now: float) -> None:
    limits, said_at = tables.settings.limits, player.said_at
    while said_at and said_at[0] <= now - limits.chat_seconds:
        said_at.popleft()
    if len(said_at) >= limits.chat_messages:
        raise Decline("chat_limit", params={"seconds": limits.chat_seconds})
    said_at.append(now)


def _listeners(tables: Tables, player: Player) -> list[int]:
    """Who hears a player: the same table, or those who are in the lobby too, unless muted."""
    table = tables.table_of(player)
    if table is not None:
        near = [viewer for viewer, _ in table.seats.viewers()]
    else:
        near = [each for each in tables.players if each.is_connected and each.table is None]
    return [each.number for each in near if player.number not in each.muted]


def _ask_record(tables: Tables, player: Player, command: AskRecord, _now: float) -> Handled:
    table = tables.named(command.table)
    if player.table != table.name and table.seat_of(player) is None:
        raise Decline("not_at_table")
    parts, text = table.course.record_part(command.part)
    message = RecordPart(
        answers=command.id, table=table.name, part=command.part, parts=parts, text=text
    )
    return [Deliver(player.number, message)], AGAIN


def _ping(_tables: Tables, player: Player, command: Ping, _now: float) -> Handled:
    return [Deliver(player.number, Pong(answers=command.id))], AGAIN


def _resync(tables: Tables, player: Player, command: Resync, now: float) -> Handled:
    table = tables.table_of(player)
    if table is None:
        return [Deliver(player.number, Ok(answers=command.id))], AGAIN
    news = table.telling.news_for(player, now, command.id)
    return [news, *table.telling.update_for(player, now)], AGAIN


HANDLERS: Final[Mapping[type[Any], Handler]] = {
    ListTables: _list,
    CreateTable: _create,
    JoinTable: _join,
    WatchTable: _watch,
    LeaveTable: _leave,
    Ready: _ready,
    StartTable: _start,
    AddBot: _add_bot,
    RemoveBot: _remove_bot,
    Kick: _kick,
    PassHost: _pass_host,
    Rematch: _rematch,
    AskSeatCode: _ask_seat_code,
    AskRules: _ask_rules,
    Play: _move,
    Draw: _move,
    Pass: _move,
    Done: _move,
    Knock: _knock,
    Foul: _foul,
    Vote: _vote,
    Pause: _pause,
    Why: _why,
    AskHint: _ask_hint,
    AskRecord: _ask_record,
    Say: _say,
    Nudge: _nudge,
    Mute: _mute,
    Ping: _ping,
    Resync: _resync,
}
"""Every command and who carries it out; a test compares it with the protocol's list."""
