"""Clocks by themselves, and as a table keeps them."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from mexican_train.engine import RuleSet
from mexican_train.protocol import (
    CreateTable,
    Draw,
    JoinTable,
    LeaveTable,
    TableNews,
    TimeUp,
    TurnClock,
    TurnSkipped,
    Update,
)
from mexican_train.server import LIMITS, MemoryStore
from mexican_train.server.clocks import Clocks, Grant, Terms
from mexican_train.server.effects import MoveMade, TableFact
from mexican_train.server.facts import read_event, write_event
from mexican_train.server.lobby import Lobby

CLASSIC = RuleSet.preset("classic")


def test_a_turn_is_spent_first_and_the_bank_after_it() -> None:
    clocks = Clocks(2, 30)
    clocks.start(0, Grant(budget=10, has_bank=True), 100.0)
    assert (clocks.left(100.0), clocks.deadline()) == (40, 140)
    clocks.charge(108.0)
    assert clocks.banks == [30, 30]
    clocks.stop(115.0)
    assert clocks.banks == [25, 30]
    clocks.start(0, Grant(budget=10, has_bank=True), 200.0)
    assert clocks.deadline() == 235


def test_a_bank_is_never_less_than_nothing() -> None:
    clocks = Clocks(1, 5)
    clocks.start(0, Grant(budget=10, has_bank=True), 0.0)
    clocks.stop(100.0)
    assert clocks.banks == [0]
    clocks.start(0, Grant(budget=10, has_bank=True), 200.0)
    assert clocks.left(205.0) == 5


def test_what_is_left_stays_while_a_clock_stands_still() -> None:
    clocks = Clocks(1, 0)
    clocks.start(0, Grant(budget=20), 0.0)
    clocks.hold(5.0)
    assert (clocks.left(500.0), clocks.deadline()) == (15, None)
    clocks.go_on(500.0)
    assert (clocks.left(505.0), clocks.deadline()) == (10, 515)


def test_who_comes_back_has_no_less_than_was_granted() -> None:
    clocks = Clocks(1, 0)
    clocks.start(0, Grant(budget=20), 0.0)
    clocks.hold(18.0)
    clocks.go_on(100.0, at_least=10)
    assert clocks.deadline() == 110
    clocks.go_on(101.0, at_least=5)
    assert clocks.deadline() == 110


def test_who_comes_back_again_is_granted_nothing_more() -> None:
    clocks = Clocks(1, 0)
    clocks.start(0, Grant(budget=20), 0.0)
    clocks.hold(18.0)
    clocks.go_on(100.0, at_least=10)
    clocks.hold(109.0)
    clocks.go_on(200.0, at_least=10)
    assert clocks.deadline() == 201
    assert clocks.grant == Grant(budget=28)
    clocks.start(0, Grant(budget=20), 300.0)
    clocks.hold(318.0)
    clocks.go_on(400.0, at_least=10)
    assert clocks.deadline() == 410


def test_a_clock_rests_for_so_long_in_all() -> None:
    """Then it runs though nobody has come back; a hold in between does not count."""
    clocks = Clocks(1, 0)
    clocks.start(0, Grant(budget=20), 0.0)
    clocks.rest(5.0, 60)
    clocks.rest(30.0, 60)
    assert (clocks.left(40.0), clocks.deadline()) == (15, 80)
    clocks.go_on(45.0)
    assert (clocks.left(45.0), clocks.deadline()) == (15, 60)
    clocks.rest(50.0, 60)
    clocks.hold(60.0)
    assert (clocks.left(500.0), clocks.deadline()) == (10, None)
    clocks.rest(1000.0, 60)
    assert clocks.deadline() == 1020
    clocks.go_on(1015.0)
    clocks.rest(1016.0, 60)
    assert (clocks.left(1016.0), clocks.deadline()) == (4, 1020)


@pytest.mark.parametrize(
    ("round_trip", "credit"), [(None, 0), (0.0, 0), (0.25, 0.25), (1.0, 1), (30.0, 1), (-5.0, 0)]
)
def test_a_slow_connection_is_made_good_up_to_a_bound(
    round_trip: float | None, credit: float
) -> None:
    """It is not shown as time left: that of everybody is the same."""
    clocks = Clocks(1, 0)
    clocks.start(0, Grant(budget=20).credited(round_trip, 1.0), 0.0)
    assert (clocks.left(0.0), clocks.deadline()) == (20, 20 + credit)
    assert clocks.left(19.9) == pytest.approx(0.1)
    assert clocks.left(20.5) == 0


def test_who_comes_back_is_not_credited_again() -> None:
    clocks = Clocks(1, 0)
    for seconds in (0.0, 19.0, 20.5, 21.0):
        clocks.start(0, Grant(budget=20).credited(1.0, 1.0), 0.0)
        clocks.hold(seconds)
        clocks.go_on(100.0, at_least=10)
        assert clocks.left(100.0) == max(10, 20 - seconds)
        assert clocks.deadline() == 100 + max(10, 20 - seconds) + min(1, 21 - seconds)


def test_the_credit_is_spent_before_the_bank() -> None:
    clocks = Clocks(1, 30)
    clocks.start(0, Grant(budget=10, has_bank=True).credited(0.5, 1.0), 0.0)
    clocks.charge(10.4)
    assert clocks.banks == [30]
    clocks.charge(12.5)
    assert clocks.banks == [28]


def test_a_turn_without_limit_has_no_deadline() -> None:
    clocks = Clocks(1, 0)
    clocks.start(0, Grant(budget=None), 0.0)
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


# --- slow connections ---------------------------------------------------------------------


def answer_heartbeats(desk: Any, player: int, *seconds: float) -> None:
    """Have answered heartbeats after so long."""
    for each in seconds:
        generation = desk.lobby._players[player].generation
        desk.lobby.note_round_trip(player, generation, each)


def time_ups(desk: Any, player: int) -> list[TimeUp]:
    """What was told of spent time."""
    updates = [each for each in desk.inbox[player] if isinstance(each, Update)]
    return [e for each in updates for e in each.events if isinstance(e, TimeUp)]


def next_turn(desk: Any, ann: int, bob: int) -> TurnClock:
    """Have Ann's and Bob's turns pass; what Ann is given for the next one, when it has begun."""
    desk.wait(desk.update(bob).deadline_ms / 1000 + 1.1)
    while desk.update(bob).view.to_act != 0:
        desk.act(bob, desk.update(bob).choices[0])
    clock = desk.update(bob).clock
    assert isinstance(clock, TurnClock)
    assert desk.update(bob).deadline_ms == clock.budget_ms + clock.bank_ms
    return clock


def test_each_turn_tells_what_was_measured_given_and_credited(timed: Any) -> None:
    desk, (ann, bob) = timed(bank_seconds=5)
    assert desk.update(bob).clock == TurnClock(
        budget_ms=30_000, bank_ms=5000, credit_ms=0, rtt_ms=None
    )
    answer_heartbeats(desk, ann, 0.2)
    assert next_turn(desk, ann, bob) == TurnClock(
        budget_ms=30_000, bank_ms=0, credit_ms=200, rtt_ms=200
    )
    answer_heartbeats(desk, ann, 9.0, 0.3)
    assert next_turn(desk, ann, bob).rtt_ms == 300, "the middle one"
    answer_heartbeats(desk, ann, 40.0, 40.0, 40.0)
    late = next_turn(desk, ann, bob)
    assert (late.rtt_ms, late.credit_ms) == (40_000, LIMITS.lag_credit_ms_max)


def test_a_bots_choice_is_credited_too(make_desk: Callable[..., Any]) -> None:
    desk = make_desk(substitute=first)
    desk.open(seats=2)
    robots = [desk.enter(name, "bot") for name in ("robot", "other")]
    for robot in robots:
        answer_heartbeats(desk, robot, 0.5)
        desk.send(robot, JoinTable, table="t")
    clock = desk.update(robots[0]).clock
    assert clock == TurnClock(budget_ms=10_000, bank_ms=0, credit_ms=500, rtt_ms=500)
    desk.wait(10.4)
    assert time_ups(desk, robots[0]) == []
    desk.wait(0.2)
    assert [each.credit_ms for each in time_ups(desk, robots[0])] == [500]


def test_what_is_measured_is_of_this_connection(timed: Any) -> None:
    desk, (ann, bob) = timed()
    answer_heartbeats(desk, ann, 0.9)
    desk.drop(ann)
    come_back(desk, ann)
    desk.lobby.note_round_trip(ann, 1, 0.7)
    assert next_turn(desk, ann, bob).rtt_ms is None


@pytest.mark.parametrize("on_timeout", ["skip", "bot"])
def test_a_timeout_says_where_the_time_went(timed: Any, on_timeout: str) -> None:
    """Before the table does anything, and to all alike."""
    desk, (ann, bob) = timed(bank_seconds=60, on_timeout=on_timeout)
    desk.act(ann, desk.update(ann).choices[0])
    answer_heartbeats(desk, bob, 2.0)
    while desk.update(bob).clock.rtt_ms is None:
        mover = (ann, bob)[desk.update(ann).view.to_act]
        desk.act(mover, desk.update(mover).choices[0])
    seat = desk.update(ann).view.to_act
    desk.wait(40)
    desk.drop(bob)
    desk.wait(30)
    come_back(desk, bob)
    desk.wait(200)
    (told,) = [each for each in time_ups(desk, ann) if each.rtt_ms is not None][:1]
    assert (seat, told) == (
        1,
        TimeUp(n=told.n, seat=1, budget_ms=30_000, bank_ms=60_000, credit_ms=1000, rtt_ms=2000),
    )
    events = [e for each in desk.inbox[ann] if isinstance(each, Update) for e in each.events]
    after = events[events.index(told) + 1]
    assert isinstance(after, TurnSkipped) == (on_timeout == "skip")
    assert after.n == told.n + 1
    reports = [dict(each.values) for each in desk.reports if each.event == "time is up"]
    assert reports[0]["budget_ms"] == 30_000


class Unsteady:
    """Ann goes and comes back again and again in her turns; Bob, against her, moves at once.

    Attributes:
        longest: the longest of her turns.
    """

    def __init__(self, desk: Any) -> None:
        self.desk = desk
        self.longest = 0.0
        desk.open(seats=2, rules=CLASSIC)
        self.ann, self.bob = (desk.enter(name) for name in ("ann", "bob"))
        answer_heartbeats(desk, self.ann, 20.0)
        for player in (self.ann, self.bob):
            desk.send(player, JoinTable, table="t")
        self._began = desk.now
        self._skipped = 0

    def let_pass(self, seconds: float) -> None:
        """Look at the table every second."""
        while seconds > 0:
            self.desk.wait(min(1.0, seconds))
            seconds -= 1
            self.longest = max(self.longest, self.desk.now - self._began)
            while self.desk.update(self.bob).view.to_act == 1:
                self.desk.act(self.bob, self.desk.update(self.bob).choices[0])
                self._began = self.desk.now

    def lose(self, random: Random, seconds: float) -> None:
        """Go, in one of two ways, and come back."""
        self.let_pass(random.choice((0, 0, 1, seconds)))
        if random.random() < 0.5:
            self.desk.drop(self.ann)
            self.let_pass(seconds)
            come_back(self.desk, self.ann)
        else:
            self.desk.send(self.ann, LeaveTable)
            self.let_pass(seconds)
            self.desk.send(self.ann, JoinTable, table="t")


def test_no_losses_of_a_connection_make_a_turn_much_longer(
    make_desk: Callable[..., Any], scale: Callable[[int, int], int]
) -> None:
    """Its own time, the bank, the credit, one grace and ten seconds, and that is all."""
    longest = 0.0
    for seed in range(scale(60, 2000)):
        random = Random(seed)
        terms = Terms(turn_seconds=30, bank_seconds=20)
        unsteady = Unsteady(make_desk(terms=terms, pace_seconds=0.0))
        most = random.choice((2.0, 20.0, 59.0, 70.0))
        for _ in range(15):
            unsteady.lose(random, random.uniform(0, most))
        longest = max(longest, unsteady.longest)
    assert 100 < longest <= 30 + 20 + 1 + 60 + 10 + 1


def test_whose_time_is_spent_does_not_get_the_hand_back_by_coming_back(timed: Any) -> None:
    """The substitute plays the turn out, but for the ten seconds that are granted once."""
    desk, (ann, _) = timed(on_timeout="bot")
    table = desk.lobby._tables["t"]
    table.course.stands_in_for = 0
    for seconds in (10, 0):
        table.course.clocks._left = 0.0
        table.course.clocks._since = desk.now
        desk.drop(ann)
        come_back(desk, ann)
        assert table.course.clocks.left(desk.now) == seconds
        assert table.course.stands_in_for == (0 if seconds == 0 else None)
        table.course.stands_in_for = 0


async def test_where_the_time_went_is_told_after_a_crash_as_before(timed: Any) -> None:
    desk, (ann, bob) = timed(on_timeout="bot", bank_seconds=10)
    answer_heartbeats(desk, bob, 0.125)
    desk.wait(300)
    store = MemoryStore()
    await store.save(
        [
            read_event(write_event(fact), fact.table) if isinstance(fact, TableFact) else fact
            for fact in desk.saved
        ]
    )
    again = type(desk)()
    again.lobby = Lobby(desk.lobby._settings)
    again.carry_out(again.lobby.recover(await store.load(), again.now, 0.0))
    token = desk.token(ann)
    assert again.hello("ann", token=token, last_event=1) == ann
    events = [e for each in desk.inbox[ann] if isinstance(each, Update) for e in each.events]
    assert [e for e in events if e.n > 1] == again.update(ann).events
    assert len([e for e in events if isinstance(e, TimeUp)]) > 3
