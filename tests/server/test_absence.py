"""Who is away, what the others decide, and what becomes of the host, the pause and the seat."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
import trio
from mexican_train.engine import RuleSet
from mexican_train.protocol import (
    AskSeatCode,
    CreateTable,
    Declined,
    GameEnded,
    Hello,
    JoinTable,
    Knock,
    LeaveTable,
    Mute,
    Nudge,
    Nudged,
    PassHost,
    Pause,
    Ready,
    Refused,
    Rematch,
    Resync,
    Said,
    Say,
    SeatCode,
    TableNews,
    TurnSkipped,
    Update,
    Vote,
)
from mexican_train.server import MemoryStore, StoreFullError
from mexican_train.server.absence import Away
from mexican_train.server.clocks import Terms
from mexican_train.server.effects import (
    AbsenceDecided,
    Fact,
    MoveMade,
    SeatCodeGiven,
    TableFact,
)
from mexican_train.server.facts import read_event, write_event
from mexican_train.server.lobby import Lobby
from trio.testing import MockClock

CLASSIC = RuleSet.preset("classic")
DAY = 86_400.0


def first(update: Update) -> Any:
    """A substitute that takes the first choice."""
    return update.choices[0]


@pytest.fixture
def seated(make_desk: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function that seats Ann, the host and the first to act, Bob and Cid."""

    def start(names: str = "ann bob cid", **settings: Any) -> tuple[Any, list[int]]:
        desk = make_desk(**{"substitute": first, "pace_seconds": 0.0, **settings})
        desk.open(seats=len(names.split()), rules=CLASSIC)
        players = [desk.enter(name) for name in names.split()]
        for player in players:
            desk.send(player, JoinTable, table="t")
        return desk, players

    return start


def come_back(desk: Any, player: int, older: Any = None) -> None:
    """Come back with the newest token, which may be from before a crash."""
    name = desk.lobby._players[player].name
    token = (older or desk).token(player)
    assert desk.hello(name, token=token, last_event=0) == player


def table_to(desk: Any, player: int) -> Any:
    """The table as a player was last told of it."""
    return desk.last(player, TableNews).table


def events_to(desk: Any, player: int, kind: type) -> list[Any]:
    """The events of a kind that a player was sent."""
    updates = [each for each in desk.inbox[player] if isinstance(each, Update)]
    return [event for each in updates for event in each.events if isinstance(event, kind)]


def moves(desk: Any) -> list[MoveMade]:
    """The moves made."""
    return [each for each in desk.saved if isinstance(each, MoveMade)]


class NarrowStore(MemoryStore):
    """A memory that is full when the test says so."""

    is_full = False

    async def save(self, facts: Sequence[Fact]) -> None:
        """Store, if there is room."""
        await trio.lowlevel.checkpoint()
        if self.is_full:
            raise StoreFullError("no room")
        await super().save(facts)


# --- votes by themselves ------------------------------------------------------------------


def test_more_than_half_of_the_voters_decide() -> None:
    away = Away(0.0)
    assert not away.vote(1, "bot", [1, 2, 3], None)
    assert not away.vote(2, "skip", [1, 2, 3], None)
    assert away.vote(3, "bot", [1, 2, 3], None)


def test_a_vote_counts_once_and_may_be_changed() -> None:
    away = Away(0.0)
    assert not away.vote(1, "bot", [1, 2, 3], None)
    assert not away.vote(1, "bot", [1, 2, 3], None)
    assert not away.vote(1, "end", [1, 2, 3], None)
    assert away.vote(2, "end", [1, 2, 3], None)


def test_who_has_gone_has_no_vote_any_more() -> None:
    away = Away(0.0)
    away.vote(1, "bot", [1, 2, 3, 4], None)
    away.vote(2, "bot", [1, 2, 3, 4], None)
    assert not away.vote(3, "bot", [3, 4], None)
    assert away.tally([3, 4])["bot"] == 1


def test_the_host_may_decide_a_tie_and_nobody_else() -> None:
    away = Away(0.0)
    assert not away.vote(1, "bot", [1, 2], 1)
    assert not away.vote(2, "wait", [1, 2], 1)
    assert not away.vote(2, "wait", [1, 2], 1)
    assert away.vote(1, "wait", [1, 2], 1)


def test_a_tie_is_one_only_when_all_have_voted() -> None:
    away = Away(0.0)
    away.vote(1, "bot", [1, 2, 3], 1)
    away.vote(2, "wait", [1, 2, 3], 1)
    assert not away.vote(1, "bot", [1, 2, 3], 1)


# --- away ---------------------------------------------------------------------------------


def test_the_others_are_told_for_how_long_somebody_is_away(seated: Any) -> None:
    desk, (ann, bob, _) = seated()
    desk.drop(ann)
    seat = table_to(desk, bob).seats[0]
    assert (seat.present, seat.away_ms) == (False, 1)
    desk.wait(45)
    desk.send(bob, Resync)
    assert table_to(desk, bob).seats[0].away_ms == 45_000
    come_back(desk, ann)
    assert table_to(desk, bob).seats[0].away_ms == 0


def test_nobody_plays_for_an_absent_person_by_itself(seated: Any) -> None:
    desk, (ann, bob, _) = seated()
    hand = desk.update(ann).hand
    desk.drop(ann)
    desk.wait(3600)
    assert moves(desk) == []
    come_back(desk, ann)
    assert desk.update(ann).hand == hand
    assert desk.update(bob).view.to_act == 0


def test_a_vote_opens_when_the_grace_is_over(seated: Any) -> None:
    desk, (ann, bob, _) = seated()
    assert desk.decline(bob, Vote, choice="bot").code == "no_vote"
    desk.drop(ann)
    desk.wait(59.9)
    assert desk.decline(bob, Vote, choice="bot").code == "no_vote"
    desk.wait(0.2)
    (vote,) = table_to(desk, bob).votes
    assert (vote.seat, vote.voters, vote.choice, vote.open) == (0, 2, None, True)
    (vote,) = desk.send(bob, Vote, choice="bot").table.votes
    assert (vote.bot, vote.choice) == (1, None)


def test_a_substitute_plays_until_the_owner_returns(seated: Any) -> None:
    desk, (ann, bob, cid) = seated()
    desk.drop(ann)
    desk.wait(61)
    desk.send(bob, Vote, choice="bot")
    assert not table_to(desk, bob).seats[0].substitute
    desk.send(cid, Vote, choice="bot")
    assert table_to(desk, bob).seats[0].substitute
    desk.wait(0)
    assert moves(desk)
    assert all(each.by_substitute and each.seat == 0 for each in moves(desk))
    assert desk.decline(bob, Vote, choice="wait").code == "no_vote"
    for player in (bob, cid):
        while desk.update(player).view.to_act == desk.update(player).seat:
            desk.act(player, desk.update(player).choices[0])
    come_back(desk, ann)
    assert not table_to(desk, bob).seats[0].substitute
    assert table_to(desk, bob).votes == []
    before = len(moves(desk))
    desk.wait(100)
    assert len(moves(desk)) == before or not moves(desk)[-1].by_substitute
    assert [each.choice for each in desk.saved if isinstance(each, AbsenceDecided)] == ["bot", None]


def test_an_owner_gets_a_hand_back_in_mid_turn(seated: Any) -> None:
    """The substitute's pace leaves time between two moves, and the owner's are good at once."""
    desk, (ann, bob, cid) = seated(pace_seconds=5.0)
    desk.drop(ann)
    desk.wait(61)
    for player in (bob, cid):
        desk.send(player, Vote, choice="bot")
    come_back(desk, ann)
    desk.wait(100)
    assert not [each for each in moves(desk) if each.by_substitute and each.seat == 0][1:]


def test_a_skipped_seat_lays_nothing(seated: Any) -> None:
    desk, (ann, bob, cid) = seated()
    desk.drop(ann)
    desk.wait(61)
    for player in (bob, cid):
        desk.send(player, Vote, choice="skip")
    desk.wait(0)
    assert [each.seat for each in events_to(desk, bob, TurnSkipped)] == [0]
    assert desk.update(bob).view.to_act == 1


def test_a_decision_to_wait_can_be_thought_over(seated: Any) -> None:
    desk, (ann, bob, cid) = seated()
    desk.drop(ann)
    desk.wait(61)
    for choice in ("wait", "skip"):
        for player in (bob, cid):
            desk.send(player, Vote, choice=choice)
    assert table_to(desk, bob).votes[0].choice == "skip"


@pytest.mark.parametrize("seat", [None, 0])
def test_a_vote_to_end_the_game_ends_it(seated: Any, seat: int | None) -> None:
    desk, (ann, bob) = seated("ann bob")
    desk.drop(ann)
    desk.wait(61)
    before = desk.update(bob).last_event
    assert desk.decline(bob, Vote, choice="end", seat=1).code == "no_vote"
    answer = desk.send(bob, Vote, choice="end", seat=seat)
    assert answer.table.state == "over"
    update = desk.update(bob)
    assert (update.view.phase, update.view.to_act, update.choices) == ("over", None, [])
    (ended,) = events_to(desk, bob, GameEnded)
    assert (ended.n, ended.seat, ended.totals) == (before + 1, 0, [0, 0])
    assert desk.lobby.is_done
    assert desk.decline(bob, Knock).code == "wrong_state"
    come_back(desk, ann)
    assert desk.update(ann).view.phase == "over"
    assert isinstance(desk.send(bob, Rematch), TableNews)
    desk.wait(1)
    assert desk.update(bob).view.phase == "play"


@pytest.mark.parametrize("choice", ["skip", "bot", "end"])
def test_a_table_that_does_not_wait_acts_without_a_vote(seated: Any, choice: Any) -> None:
    desk, (ann, bob, _) = seated(terms=Terms(on_absent=choice))
    desk.drop(ann)
    desk.wait(59.9)
    assert moves(desk) == []
    desk.wait(0.2)
    assert bool(moves(desk)) == (choice != "end")
    assert (table_to(desk, bob).state == "over") == (choice == "end")
    assert desk.decline(bob, Vote, choice="wait").code == "no_vote"


def test_who_leaves_a_running_game_is_away_like_anybody(seated: Any) -> None:
    desk, (ann, bob, cid) = seated()
    desk.send(ann, LeaveTable)
    desk.wait(61)
    for player in (bob, cid):
        desk.send(player, Vote, choice="bot")
    desk.wait(0)
    assert moves(desk)[0].by_substitute
    desk.send(ann, JoinTable, table="t")
    assert table_to(desk, bob).votes == []


def test_only_persons_with_a_seat_vote(seated: Any) -> None:
    desk, (ann, _, _) = seated()
    desk.drop(ann)
    desk.wait(61)
    stranger = desk.enter("eve")
    assert desk.decline(stranger, Vote, choice="end").code == "not_at_table"


def test_a_substitute_plays_for_a_bot_that_does_not_choose(make_desk: Callable[..., Any]) -> None:
    desk = make_desk(substitute=first)
    desk.open(seats=2)
    players = [desk.enter("robot", "bot"), desk.enter("other", "bot")]
    for player in players:
        desk.send(player, JoinTable, table="t")
    desk.wait(10)
    assert events_to(desk, players[1], TurnSkipped) == []
    assert [(each.seat, each.by_substitute) for each in moves(desk)] == [(0, True)]


def test_a_substitute_that_chooses_what_it_may_not_is_a_skip(
    make_desk: Callable[..., Any],
) -> None:
    desk = make_desk(substitute=lambda update: type(update.choices[0])(do="knock"))
    desk.open(seats=2)
    players = [desk.enter("robot", "bot"), desk.enter("other", "bot")]
    for player in players:
        desk.send(player, JoinTable, table="t")
    desk.wait(10)
    assert [each.seat for each in events_to(desk, players[1], TurnSkipped)] == [0]


def test_a_substitute_knocks_where_the_rules_want_it(make_desk: Callable[..., Any]) -> None:
    """Games of late bots alone end, and nobody is caught without a knock."""
    desk = make_desk(substitute=first, pace_seconds=0.0)
    rules = RuleSet.preset("bernie").with_options({"game.rounds": 2, "set.max_pip": 6})
    desk.open(seats=2, rules=rules)
    for name in ("robot", "other"):
        desk.send(desk.enter(name, "bot"), JoinTable, table="t")
    desk.wait(20_000)
    assert desk.lobby.is_done
    assert any(each.move == "knock" for each in moves(desk))


def test_a_game_with_a_persons_seat_sleeps_for_two_weeks(seated: Any) -> None:
    desk, (ann, bob) = seated("ann bob")
    for player in (ann, bob):
        desk.drop(player)
    desk.wait(13.9 * 86_400)
    come_back(desk, ann)
    assert desk.update(ann).view.phase == "play"
    desk.drop(ann)
    desk.wait(14 * 86_400)
    assert "t" not in desk.lobby._tables


# --- the host -----------------------------------------------------------------------------


def test_the_host_role_passes_on_after_30_seconds_and_returns_on_request(seated: Any) -> None:
    desk, (ann, bob, cid) = seated()
    assert table_to(desk, bob).host == "ann"
    desk.drop(ann)
    desk.wait(29.9)
    assert table_to(desk, bob).host == "ann"
    desk.wait(0.2)
    assert table_to(desk, bob).host == "bob"
    desk.drop(bob)
    desk.wait(31)
    assert table_to(desk, cid).host == "cid"
    come_back(desk, bob)
    assert desk.decline(bob, PassHost, name="bob").code == "not_host"
    come_back(desk, ann)
    assert table_to(desk, ann).host == "cid"
    assert desk.decline(ann, PassHost, name="bob").code == "not_host"
    assert desk.send(ann, PassHost, name="ann").table.host == "ann"


def test_an_absent_host_stays_until_there_is_another_person(seated: Any) -> None:
    desk, (ann, bob) = seated("ann bob")
    for player in (ann, bob):
        desk.drop(player)
    desk.wait(1000)
    come_back(desk, bob)
    desk.wait(0)
    assert table_to(desk, bob).host == "bob"


# --- pause --------------------------------------------------------------------------------


def test_a_pause_stops_moves_and_clocks(seated: Any) -> None:
    desk, (ann, bob, _) = seated(terms=Terms(turn_seconds=30))
    desk.wait(20)
    assert desk.decline(bob, Pause).code == "not_host"
    assert desk.send(ann, Pause).table.paused
    assert table_to(desk, bob).paused
    desk.wait(3600)
    assert moves(desk) == []
    turn, choices = desk.update(ann).turn, desk.update(ann).choices
    assert desk.act(ann, choices[0]).code == "paused"
    assert not desk.send(ann, Pause, on=False).table.paused
    assert desk.update(ann).turn == turn
    desk.wait(9.9)
    assert moves(desk) == []
    desk.wait(0.2)
    assert [each.move for each in moves(desk)] == ["skip"]


def test_a_bots_move_waits_for_the_end_of_a_pause(make_desk: Callable[..., Any]) -> None:
    desk = make_desk(pace_seconds=0.0)
    desk.open(seats=2)
    bot, ann = desk.enter("robot", "bot"), desk.enter("ann")
    for player in (bot, ann):
        desk.send(player, JoinTable, table="t")
    desk.send(ann, Pause)
    desk.act(bot, desk.update(bot).choices[0])
    desk.wait(100)
    assert moves(desk) == []
    desk.send(ann, Pause, on=False)
    desk.wait(0)
    assert len(moves(desk)) == 1


def test_a_pause_between_two_rounds_holds_the_next_one(seated: Any) -> None:
    desk, players = seated("ann bob")
    desk.play_out(players, Random(1), rounds=1)
    desk.wait(20)
    desk.send(players[0], Pause)
    for player in players:
        desk.send(player, Ready)
    desk.wait(100)
    assert table_to(desk, players[0]).state == "between"
    desk.send(players[0], Pause, on=False)
    assert table_to(desk, players[0]).state == "playing"


# --- nudge and mute -----------------------------------------------------------------------


def test_a_nudge_reaches_who_is_awaited_once_in_30_seconds(seated: Any) -> None:
    desk, (ann, bob, _) = seated()
    desk.send(bob, Nudge)
    assert desk.last(ann, Nudged) == Nudged(name="bob", seats=[0])
    desk.wait(20)
    declined = desk.decline(bob, Nudge)
    assert (declined.code, declined.params) == ("slow_down", {"seconds": 10})
    desk.wait(10)
    desk.send(bob, Nudge)
    assert len([each for each in desk.inbox[ann] if isinstance(each, Nudged)]) == 2
    assert desk.decline(ann, Nudge).code == "wrong_state"


def test_nothing_is_heard_of_somebody_muted(seated: Any) -> None:
    desk, (ann, bob, cid) = seated()
    desk.send(ann, Mute, name="Bob")
    desk.send(bob, Say, text="hello")
    desk.send(bob, Nudge)
    assert not [each for each in desk.inbox[ann] if isinstance(each, Said | Nudged)]
    assert desk.last(cid, Said).text == "hello"
    desk.send(ann, Mute, name="bob", on=False)
    desk.send(bob, Say, text="again")
    assert desk.last(ann, Said).text == "again"
    assert desk.decline(ann, Mute, name="nobody").code == "no_such_player"


def test_who_is_forgotten_is_not_muted_for_ever(desk: Any) -> None:
    """No list grows with the guests who come and go."""
    ann = desk.enter("ann")
    for _ in range(5):
        bob = desk.enter("bob")
        desk.send(ann, Mute, name="bob")
        desk.drop(bob)
    assert desk.lobby._players[ann].muted == {bob}


# --- seat codes ---------------------------------------------------------------------------


def hello_by_code(desk: Any, name: str, code: str) -> Any:
    """Say hello with a seat code."""
    hello = Hello(versions=(1, 1), kind="person", name=name, seat_code=code)
    return desk._admit(desk.lobby.hello(hello, desk.now))


def test_a_seat_code_brings_back_who_has_lost_the_token(seated: Any) -> None:
    desk, (ann, bob, cid) = seated()
    hand = desk.update(bob).hand
    assert desk.decline(ann, AskSeatCode, name="bob").code == "not_away"
    old = desk.token(bob)
    desk.drop(bob)
    assert desk.decline(cid, AskSeatCode, name="bob").code == "not_host"
    answer = desk.send(ann, AskSeatCode, name="bob")
    assert isinstance(answer, SeatCode)
    assert answer.name == "bob"
    assert hello_by_code(desk, "cid", answer.code).code == "bad_seat_code"
    assert hello_by_code(desk, "bob", "22222-22222").code == "bad_seat_code"
    written_down = f" {answer.code.lower().replace('-', ' ')}"
    assert hello_by_code(desk, "bob", written_down) == bob
    assert desk.update(bob).hand == hand
    refused = desk.hello("bob", token=old)
    assert isinstance(refused, Refused)
    assert refused.code == "bad_token"
    assert hello_by_code(desk, "bob", answer.code).code == "bad_seat_code"


def test_a_seat_code_is_kept_as_a_hash_and_ends_with_the_owners_return(seated: Any) -> None:
    desk, (ann, bob, _) = seated()
    desk.drop(bob)
    code = desk.send(ann, AskSeatCode, name="bob").code
    (given,) = [each for each in desk.saved if isinstance(each, SeatCodeGiven)]
    assert code.encode() not in (given.digest or b"")
    assert "digest" not in repr(given)
    come_back(desk, bob)
    desk.drop(bob)
    assert hello_by_code(desk, "bob", code).code == "bad_seat_code"


def test_without_a_request_there_is_no_code(seated: Any) -> None:
    desk, (_, bob, _) = seated()
    desk.drop(bob)
    assert hello_by_code(desk, "bob", "").code == "bad_seat_code"


def test_a_new_code_ends_the_older_one(seated: Any) -> None:
    desk, (ann, bob, _) = seated()
    desk.drop(bob)
    older = desk.send(ann, AskSeatCode, name="bob").code
    newer = desk.send(ann, AskSeatCode, name="bob").code
    assert hello_by_code(desk, "bob", older).code == "bad_seat_code"
    assert hello_by_code(desk, "bob", newer) == bob


def test_nobody_gets_a_code_for_a_house_bot(desk: Any) -> None:
    ann = desk.enter("ann")
    desk.send(ann, CreateTable, name="one", seats=3, bots=["greedy"])
    assert desk.decline(ann, AskSeatCode, name="greedy-1").code == "no_such_player"


# --- after a crash ------------------------------------------------------------------------


async def restarted(desk: Any, *, days: float = 0.0, clock: float | None = None) -> Any:
    """Another shell, with a lobby made of what this one has stored, so much later.

    `desk.now` is the time of day here; `clock` is what the new server's own clock says then.
    """
    store = MemoryStore()
    written = [
        read_event(write_event(fact), fact.table) if isinstance(fact, TableFact) else fact
        for fact in desk.saved
    ]
    await store.save(written)
    again = type(desk)()
    unix = desk.now + 50 + days * DAY
    again.now = unix if clock is None else clock
    again.saved = [*desk.saved]
    again.lobby = Lobby(desk.lobby._settings)
    again.carry_out(again.lobby.recover(await store.load(), again.now, unix))
    again.carry_out(again.lobby.note_company(again.now))
    return again


async def test_banks_decisions_pause_and_codes_outlive_a_crash(seated: Any) -> None:
    desk, (ann, bob, cid) = seated(terms=Terms(turn_seconds=30, bank_seconds=60))
    desk.wait(50)
    desk.act(ann, desk.update(ann).choices[0])
    desk.drop(cid)
    desk.wait(61)
    for player in (ann, bob):
        desk.send(player, Vote, choice="wait")
    code = desk.send(ann, AskSeatCode, name="cid").code
    desk.send(ann, Pause)
    again = await restarted(desk)
    table = again.lobby._tables["t"]
    assert table.charter.terms == Terms(turn_seconds=30, bank_seconds=60)
    assert table.course.clocks.banks[0] == 40
    assert table.course.is_paused
    assert [table.course.absences.choice(seat) for seat in range(3)] == [None, None, "wait"]
    assert hello_by_code(again, "cid", code) == cid
    assert table.course.absences.choice(2) is None


async def test_a_seat_at_a_waiting_table_is_kept_for_a_grace_after_a_start(desk: Any) -> None:
    ann = desk.enter("ann")
    desk.send(ann, CreateTable, name="one", seats=3)
    again = await restarted(desk)
    again.wait(59)
    assert again.lobby._tables["one"].seats[0].player is not None
    again.wait(2)
    assert again.lobby._tables["one"].seats[0].player is None


@pytest.mark.parametrize("is_left_by_all", [True, False])
async def test_two_weeks_go_on_over_restarts_of_the_server(
    seated: Any, is_left_by_all: bool
) -> None:
    """They begin when the last person goes, or where that was not stored with the next start."""
    desk, players = seated("ann bob")
    if is_left_by_all:
        for player in players:
            desk.drop(player)
    desk = await restarted(desk)
    for _ in range(13):
        desk.wait(0.5 * DAY)
        desk = await restarted(desk, days=0.5)
    assert desk.lobby._tables["t"].is_in_play
    desk.wait(0.9 * DAY)
    assert "t" in desk.lobby._tables
    desk.wait(0.2 * DAY)
    assert "t" not in desk.lobby._tables


async def test_a_game_that_has_slept_too_long_can_be_woken_after_a_start(seated: Any) -> None:
    """Nobody could come back while the server was not there: ten minutes are left."""
    desk, (ann, bob) = seated("ann bob")
    for player in (ann, bob):
        desk.drop(player)
    again = await restarted(desk, days=40, clock=5.0)
    again.wait(590)
    assert "t" in again.lobby._tables
    come_back(again, ann, desk)
    again.wait(13 * DAY)
    again.drop(ann)
    again.wait(13 * DAY)
    assert "t" in again.lobby._tables


async def test_a_clock_that_was_set_back_makes_no_game_older_or_younger(seated: Any) -> None:
    desk, (ann, bob) = seated("ann bob")
    for player in (ann, bob):
        desk.drop(player)
    again = await restarted(desk, days=-100, clock=5.0)
    again.wait(13.9 * DAY)
    assert "t" in again.lobby._tables
    again.wait(0.2 * DAY)
    assert "t" not in again.lobby._tables


def test_losses_of_a_connection_leave_no_timers_behind(seated: Any) -> None:
    """A game that nobody is at closes in two weeks: that timer is overtaken again and again."""
    desk, (ann, bob) = seated("ann bob")
    desk.drop(bob)
    desk.wait(100)
    for _ in range(500):
        desk.drop(ann)
        desk.wait(61)
        come_back(desk, ann)
    assert len(desk.lobby._tables._timers) < 200


async def test_a_game_that_was_broken_off_is_over_after_a_crash(seated: Any) -> None:
    desk, (ann, bob) = seated("ann bob")
    desk.drop(ann)
    desk.wait(61)
    desk.send(bob, Vote, choice="end")
    again = await restarted(desk)
    assert again.hello("bob", token=desk.token(bob)) == bob
    resumed, before = again.update(bob), desk.update(bob)
    assert (resumed.view, resumed.turn) == (before.view, before.turn)
    assert resumed.last_event == before.last_event
    assert table_to(again, bob).state == "over"


async def test_a_crash_gives_everybody_the_grace_again(seated: Any) -> None:
    desk, (ann, bob, _) = seated(terms=Terms(on_absent="skip"))
    again = await restarted(desk)
    again.wait(59.9)
    assert moves(again) == []
    assert again.hello("ann", token=desk.token(ann)) == ann
    assert again.hello("bob", token=desk.token(bob)) == bob
    again.wait(10)
    assert moves(again) == []
    assert again.update(bob).view.to_act == 0


async def test_a_host_who_was_away_may_have_the_role_back_after_a_crash(seated: Any) -> None:
    desk, (ann, _, _) = seated()
    desk.drop(ann)
    desk.wait(31)
    again = await restarted(desk)
    assert again.hello("ann", token=desk.token(ann)) == ann
    assert table_to(again, ann).host == "bob"
    again._ids[ann] = iter(range(100, 200))
    assert again.send(ann, PassHost, name="ann").table.host == "ann"


# --- with the shell -----------------------------------------------------------------------


async def test_the_planner_plays_for_the_absent_at_a_server(
    autojump_clock: MockClock, open_hall: Callable[..., Any], plan: Any
) -> None:
    rules = CLASSIC.with_options({"game.rounds": 1, "set.max_pip": 6})
    table = plan(seats=2, rules=rules, bots=("planner",), start="full")
    hall = await open_hall(tables=(table,), terms=Terms(on_absent="bot"), exits_when_done=True)
    ann = await hall.enter("ann")
    await ann.ask(JoinTable, table="t")
    await ann.stream.aclose()
    await hall.server._done.wait()
    moved = hall.logged("substitute moved")
    assert moved
    assert {line["seat"] for line in moved} == {1}
    assert not hall.logged("absent skipped")


@pytest.mark.parametrize("after", ["vote", "return"])
async def test_what_is_undone_for_want_of_room_is_decided_again(
    autojump_clock: MockClock, open_hall: Callable[..., Any], plan: Any, after: str
) -> None:
    """Neither a vote nor a return is half done; who is away stays so, and can be voted on."""
    store = NarrowStore()
    hall = await open_hall(tables=(plan(seats=2),), store=store, grace_seconds=5.0)
    ann, bob = await hall.enter("ann"), await hall.enter("bob")
    welcome = ann.inbox[0]
    for peer in (ann, bob):
        await peer.ask(JoinTable, table="t")
    await ann.stream.aclose()
    await trio.sleep(6)
    store.is_full = after == "vote"
    answer = await bob.ask(Vote, choice="wait")
    assert isinstance(answer, Declined if after == "vote" else TableNews)
    if after == "return":
        store.is_full = True
        again = hall.connect()
        await again.send(Hello(versions=(1, 1), kind="person", name="ann", token=welcome.token))
        assert (await again.receive()).code == "storage_full"
    store.is_full = False
    await trio.sleep(6)
    news = await bob.ask(Vote, choice="wait")
    (vote,) = news.table.votes
    assert (vote.seat, vote.choice) == (0, "wait")
    assert news.table.seats[0].away_ms > 5_000
