"""Clocks by themselves, and as a table keeps them."""

from collections.abc import Callable
from typing import Any

import pytest
from mexican_train.engine import RuleSet
from mexican_train.protocol import (
    CreateTable,
    Draw,
    JoinTable,
    TableNews,
    TurnSkipped,
    Update,
)
from mexican_train.server.clocks import Clocks, Terms
from mexican_train.server.effects import MoveMade

CLASSIC = RuleSet.preset("classic")


def test_a_turn_is_spent_first_and_the_bank_after_it() -> None:
    clocks = Clocks(2, 30)
    clocks.start(0, 10, 100.0, has_bank=True)
    assert (clocks.left(100.0), clocks.deadline()) == (40, 140)
    clocks.charge(108.0)
    assert clocks.banks == [30, 30]
    clocks.stop(115.0)
    assert clocks.banks == [25, 30]
    clocks.start(0, 10, 200.0, has_bank=True)
    assert clocks.deadline() == 235


def test_a_bank_is_never_less_than_nothing() -> None:
    clocks = Clocks(1, 5)
    clocks.start(0, 10, 0.0, has_bank=True)
    clocks.stop(100.0)
    assert clocks.banks == [0]
    clocks.start(0, 10, 200.0, has_bank=True)
    assert clocks.left(205.0) == 5


def test_what_is_left_stays_while_a_clock_stands_still() -> None:
    clocks = Clocks(1, 0)
    clocks.start(0, 20, 0.0)
    clocks.hold(5.0)
    assert (clocks.left(500.0), clocks.deadline()) == (15, None)
    clocks.go_on(500.0)
    assert (clocks.left(505.0), clocks.deadline()) == (10, 515)


def test_who_comes_back_has_no_less_than_was_granted() -> None:
    clocks = Clocks(1, 0)
    clocks.start(0, 20, 0.0)
    clocks.hold(18.0)
    clocks.go_on(100.0, at_least=10)
    assert clocks.deadline() == 110
    clocks.go_on(101.0, at_least=5)
    assert clocks.deadline() == 110


def test_a_turn_without_limit_has_no_deadline() -> None:
    clocks = Clocks(1, 0)
    clocks.start(0, None, 0.0)
    clocks.hold(1.0)
    clocks.go_on(2.0, at_least=10)
    assert (clocks.left(50.0), clocks.deadline()) == (None, None)


# --- at a table ---------------------------------------------------------------------------


def first(update: Update) -> Any:
    """A substitute that takes the first choice."""
    return update.choices[0]


@pytest.fixture
def timed(make_desk: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function that seats Ann and Bob at a table with these terms, Ann to act."""

    def start(**terms: Any) -> tuple[Any, list[int]]:
        given = {"turn_seconds": 30, **terms}
        desk = make_desk(terms=Terms(**given), substitute=first, pace_seconds=0.0)
        desk.open(seats=2, rules=CLASSIC)
        players = [desk.enter("ann"), desk.enter("bob")]
        for player in players:
            desk.send(player, JoinTable, table="t")
        return desk, players

    return start


def skipped(desk: Any, player: int) -> list[int]:
    """The seats that the table has skipped."""
    updates = [each for each in desk.inbox[player] if isinstance(each, Update)]
    return [e.seat for each in updates for e in each.events if isinstance(e, TurnSkipped)]


def come_back(desk: Any, player: int) -> None:
    """Come back with the newest token."""
    name = desk.lobby._players[player].name
    assert desk.hello(name, token=desk.token(player), last_event=0) == player


def test_a_persons_turn_ends_when_its_time_and_the_bank_are_spent(timed: Any) -> None:
    desk, (ann, bob) = timed(bank_seconds=60)
    assert desk.update(bob).deadline_ms == 90_000
    desk.wait(89.9)
    assert skipped(desk, bob) == []
    desk.wait(0.2)
    assert skipped(desk, bob) == [0]
    assert desk.update(ann).deadline_ms == 90_000
    seats = desk.lobby._tables["t"].telling.info(desk.now).seats
    assert [seat.bank_ms for seat in seats] == [0, 60_000]


def test_what_a_turn_took_of_the_bank_is_stored_with_its_move(timed: Any) -> None:
    desk, (ann, _) = timed(bank_seconds=60)
    desk.wait(50)
    desk.act(ann, desk.update(ann).choices[0])
    (made,) = [each for each in desk.saved if isinstance(each, MoveMade)]
    assert (made.seat, made.bank_ms) == (0, 40_000)


def test_a_substitute_plays_the_late_turn_where_the_table_says_so(timed: Any) -> None:
    desk, (ann, bob) = timed(on_timeout="bot")
    desk.wait(30)
    made = [each for each in desk.saved if isinstance(each, MoveMade)]
    assert made
    assert all(each.seat == 0 and each.by_substitute for each in made)
    assert skipped(desk, bob) == []
    assert desk.update(ann).view.to_act == 1


def test_drawing_does_not_give_a_turn_its_time_again(timed: Any) -> None:
    desk, (ann, bob) = timed()
    table = desk.lobby._tables["t"]
    while True:
        mover = ann if desk.update(ann).view.to_act == 0 else bob
        choice = desk.update(mover).choices[0]
        if choice.do == "draw":
            desk.wait(20)
            answer = desk.send(mover, Draw, turn=desk.update(mover).turn)
            if answer.view.to_act == answer.seat and not table.progress.is_turn_fresh:
                assert answer.deadline_ms == 10_000
                return
        else:
            desk.act(mover, choice)


def test_a_clock_stands_still_while_its_owner_is_away_for_a_moment(timed: Any) -> None:
    desk, (ann, bob) = timed()
    desk.wait(25)
    desk.drop(ann)
    desk.wait(50)
    assert skipped(desk, bob) == []
    come_back(desk, ann)
    assert desk.update(ann).deadline_ms == 10_000
    desk.wait(9.9)
    assert skipped(desk, bob) == []
    desk.wait(0.2)
    assert skipped(desk, bob) == [0]


def test_a_clock_runs_again_when_the_grace_is_over(timed: Any) -> None:
    desk, (ann, bob) = timed()
    desk.drop(ann)
    desk.wait(60 + 29.9)
    assert skipped(desk, bob) == []
    desk.wait(0.2)
    assert skipped(desk, bob) == [0]


def test_create_sets_the_clocks_of_its_table(desk: Any) -> None:
    ann = desk.enter("ann")
    news = desk.send(
        ann, CreateTable, name="fast", turn_seconds=20, bank_seconds=40, on_timeout="bot"
    )
    assert isinstance(news, TableNews)
    table = news.table
    assert (table.turn_seconds, table.bank_seconds, table.on_timeout) == (20, 40, "bot")
    assert table.on_absent == "wait"


def test_create_may_do_without_the_clock_of_the_server(make_desk: Callable[..., Any]) -> None:
    desk = make_desk(terms=Terms(turn_seconds=20, bank_seconds=40, on_absent="skip"))
    ann = desk.enter("ann")
    table = desk.send(ann, CreateTable, name="slow", turn_seconds=0).table
    assert (table.turn_seconds, table.bank_seconds, table.on_absent) == (None, 0, "skip")
