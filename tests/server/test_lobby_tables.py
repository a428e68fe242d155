"""Players, names, tokens, tables: who may do what in the lobby, and when a table goes."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from mexican_train.engine import RuleSet
from mexican_train.protocol import (
    AddBot,
    AskRules,
    Card,
    CreateTable,
    Hello,
    JoinTable,
    Kick,
    LeaveTable,
    ListTables,
    Ok,
    PassHost,
    Ping,
    Pong,
    Ready,
    Refused,
    Rematch,
    RemoveBot,
    RulesInfo,
    Said,
    Say,
    StartTable,
    TableLeft,
    TableNews,
    Tables,
    Update,
    WatchTable,
    Welcome,
)
from mexican_train.server import LIMITS
from mexican_train.server.declines import Decline
from mexican_train.server.effects import Deliver
from mexican_train.server.lobby import Admission, Lobby
from mexican_train.server.lobby_settings import LobbySettings
from mexican_train.server.table_settings import TableSettings

SESAME = "s\N{LATIN SMALL LETTER E WITH ACUTE}same"


def refusal(answer: Any) -> str:
    """The code of a refused hello."""
    assert isinstance(answer, Refused)
    return answer.code


# --- players ------------------------------------------------------------------------------


def test_a_name_is_taken_while_its_player_is_connected_or_seated(desk: Any) -> None:
    ann = desk.enter("Ann")
    assert refusal(desk.hello("ANN")) == "name_taken"
    assert refusal(desk.hello("\N{CYRILLIC CAPITAL LETTER A}nn")) == "name_taken"
    desk.open()
    desk.send(ann, JoinTable, table="t")
    desk.drop(ann)
    assert refusal(desk.hello("ann")) == "name_taken"


def test_a_name_that_nobody_holds_any_more_is_free(desk: Any) -> None:
    ann = desk.enter("ann")
    token = desk.token(ann)
    desk.drop(ann)
    assert desk.enter("ann") != ann
    assert refusal(desk.hello("ann", token=token)) == "bad_token"


def test_a_token_brings_the_player_back_with_what_was_missed(desk: Any) -> None:
    desk.open(seats=2)
    ann, robot = desk.enter("ann"), desk.enter("robot", "bot")
    for player in (ann, robot):
        desk.send(player, JoinTable, table="t")
    last = desk.update(ann).last_event
    desk.drop(ann)
    assert not desk.last(robot, TableNews).table.seats[0].present
    desk.act(ann, desk.update(ann).choices[0])
    assert desk.hello("ann", token=desk.token(ann), last_event=last) == ann
    welcome, table, update = desk.inbox[ann][-3:]
    assert isinstance(welcome, Welcome)
    assert welcome.table == "t"
    assert isinstance(table, TableNews)
    assert isinstance(update, Update)
    assert [event.n for event in update.events] == list(range(last + 1, update.last_event + 1))
    assert update.events
    assert desk.last(robot, TableNews).table.seats[0].present


def test_a_wrong_token_touches_nothing(desk: Any) -> None:
    ann = desk.enter("ann")
    before = desk.lobby._players[ann].known()
    assert refusal(desk.hello("ann", token=bytes(32))) == "bad_token"
    assert refusal(desk.hello("bob", token=desk.token(ann))) == "bad_token"
    assert desk.lobby._players[ann].known() == before
    assert not desk.hung_up


def test_the_newest_connection_replaces_the_older(desk: Any) -> None:
    ann = desk.enter("ann")
    desk.hello("ann", token=desk.token(ann))
    assert [(each.player, each.generation, each.code) for each in desk.hung_up] == [
        (ann, 1, "replaced")
    ]
    desk.carry_out(desk.lobby.disconnected(ann, 1, desk.now))
    assert desk.lobby._players[ann].is_connected


def test_the_previous_token_lives_until_the_new_one_is_seen_in_use(desk: Any) -> None:
    ann = desk.enter("ann")
    first = desk.token(ann)
    desk.hello("ann", token=first)
    assert desk.hello("ann", token=first) == ann
    desk.carry_out(desk.lobby.heard_from(ann, 3))
    assert refusal(desk.hello("ann", token=first)) == "bad_token"


def test_a_late_frame_of_an_older_connection_ends_no_token(desk: Any) -> None:
    """The welcome of the newer one may be lost: then the player holds what it has shown."""
    ann = desk.enter("ann")
    first = desk.token(ann)
    desk.hello("ann", token=first)
    desk.carry_out(desk.lobby.heard_from(ann, 1))
    assert desk.hello("ann", token=first) == ann


def test_a_hello_that_comes_late_locks_nobody_out(desk: Any) -> None:
    """It shows a token that was never seen in use; the one issued after it counts on."""
    ann = desk.enter("ann")
    desk.carry_out(desk.lobby.heard_from(ann, 1))
    desk.hello("ann", token=desk.token(ann))
    older = desk.token(ann)
    desk.hello("ann", token=older)
    held = desk.token(ann)
    assert desk.hello("ann", token=older) == ann
    assert desk.hello("ann", token=held) == ann
    assert desk.hello("ann", token=desk.token(ann)) == ann


def test_nobody_says_hello_as_a_house_bot(desk: Any) -> None:
    desk.open(bots=("greedy",))
    assert refusal(desk.hello("greedy-1", "bot")) == "name_taken"
    assert refusal(desk.hello("greedy-1", "bot", token=bytes(32))) == "bad_token"


# --- the lobby ----------------------------------------------------------------------------


def test_tables_are_listed_by_pages(make_desk: Callable[..., Any]) -> None:
    desk = make_desk()
    for number in range(45):
        desk.open(f"t{number:02}")
    ann = desk.enter("ann")
    pages = [desk.send(ann, ListTables, page=page) for page in range(4)]
    assert all(isinstance(page, Tables) and page.pages == 3 for page in pages)
    assert [len(page.tables) for page in pages] == [16, 16, 13, 0]
    assert desk.send(desk.enter("bob"), Ping).__class__ is Pong


def test_whoever_creates_a_table_sits_there_and_is_its_host(desk: Any) -> None:
    ann = desk.enter("ann")
    news = desk.send(ann, CreateTable, name="mine", options=["game.rounds=3"], bots=["random"])
    assert isinstance(news, TableNews)
    assert (news.table.host, news.seat, news.table.rounds) == ("ann", 0, 3)
    assert [seat.kind for seat in news.table.seats] == ["person", "bot", "empty", "empty"]
    assert news.table.rules.changed == 1


def test_a_table_for_which_no_rules_are_named_plays_those_of_the_server() -> None:
    """What else is asked for is over them; a preset can still be named."""
    random = Random(1)
    settings = LobbySettings(
        table=TableSettings(random_bytes=random.randbytes),
        limits=LIMITS,
        rules={},
        strategies=(),
        own_rules=RuleSet.preset("bernie"),
    )
    lobby = Lobby(settings)

    def rules_of_new(number: int, **fields: Any) -> RulesInfo:
        hello = Hello(versions=(1, 1), kind="person", name=f"ann {number}")
        admission = lobby.hello(hello, 0.0)
        assert isinstance(admission, Admission)
        command = CreateTable(id=1, name=f"table {number}", **fields)
        effects = lobby.handle(admission.player, command, 0.0)
        (news,) = [effect.message for effect in effects if isinstance(effect, Deliver)]
        assert isinstance(news, TableNews)
        return news.table.rules

    bernie = RuleSet.preset("bernie")
    assert rules_of_new(1).hash == bernie.hash
    shorter = bernie.with_options({"game.rounds": 3})
    assert rules_of_new(2, options=["game.rounds=3"]).hash == shorter.hash
    assert rules_of_new(3, rules="classic").hash == RuleSet.preset("classic").hash


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"name": "t"}, "name_in_use"),
        ({"name": "T"}, "name_in_use"),
        ({"name": "11"}, "bad_name"),
        ({"name": "a\N{RIGHT-TO-LEFT OVERRIDE}b"}, "bad_name"),
        ({"name": "x", "rules": "clasic"}, "bad_rules"),
        ({"name": "x", "options": ["game.rounds=99"]}, "bad_rules"),
        ({"name": "x", "options": ["game.round=9"]}, "bad_rules"),
        ({"name": "x", "options": ["nothing"]}, "bad_rules"),
        ({"name": "x", "seats": 14}, "bad_seats"),
        ({"name": "x", "seats": 2, "first_seat": 2}, "no_such_seat"),
        ({"name": "x", "bots": ["clever"]}, "no_such_strategy"),
        ({"name": "x", "seats": 2, "bots": ["random", "random"]}, "table_full"),
    ],
)
def test_a_table_that_cannot_be_is_refused_by_code(
    desk: Any, fields: dict[str, Any], code: str
) -> None:
    desk.open("t")
    ann = desk.enter("ann")
    answer = desk.decline(ann, CreateTable, **fields)
    assert answer.code == code
    assert answer.text
    assert len(desk.send(ann, ListTables).tables) == 1


def test_one_table_in_five_seconds(desk: Any) -> None:
    ann = desk.enter("ann")
    desk.send(ann, CreateTable, name="one")
    desk.send(ann, LeaveTable)
    answer = desk.decline(ann, CreateTable, name="two")
    assert (answer.code, answer.retry) == ("slow_down", True)
    desk.wait(5)
    assert isinstance(desk.send(ann, CreateTable, name="two"), TableNews)


def test_so_many_tables_and_no_more(desk: Any) -> None:
    for number in range(500):
        desk.open(f"t{number}")
    with pytest.raises(Decline, match="server_full"):
        desk.open("one more")


def test_joining_names_what_is_wrong(desk: Any) -> None:
    desk.open(seats=2)
    ann, bob, eve = desk.enter("ann"), desk.enter("bob"), desk.enter("eve")
    assert desk.decline(ann, JoinTable, table="nowhere").code == "no_such_table"
    assert desk.decline(ann, JoinTable, table="t", seat=2).code == "no_such_seat"
    desk.send(ann, JoinTable, table="t", seat=1)
    assert desk.decline(bob, JoinTable, table="t", seat=1).code == "seat_taken"
    desk.send(bob, JoinTable, table="t")
    assert desk.decline(eve, JoinTable, table="t").code == "already_started"
    desk.open("other")
    assert desk.decline(ann, JoinTable, table="other").code == "already_at_table"
    assert desk.decline(eve, StartTable).code == "not_at_table"


def test_a_locked_table_wants_its_password(desk: Any) -> None:
    ann, bob = desk.enter("ann"), desk.enter("bob")
    desk.send(ann, CreateTable, name="mine", password=SESAME)
    assert desk.decline(bob, JoinTable, table="mine").code == "bad_password"
    assert desk.decline(bob, WatchTable, table="mine", password=SESAME[1:]).code == "bad_password"
    joined = desk.send(bob, JoinTable, table="mine", password=SESAME)
    assert isinstance(joined, TableNews)
    assert joined.table.locked


def test_a_watcher_sees_no_hand_and_takes_no_seat(desk: Any) -> None:
    desk.open()
    watcher = desk.enter("looker", "watcher")
    assert desk.decline(watcher, JoinTable, table="t").code == "not_seated"
    assert desk.send(watcher, WatchTable, table="t").table.watchers == 1
    desk.seat_four()
    update = desk.update(watcher)
    assert (update.seat, update.hand, update.choices) == (None, [], [])
    desk.drop(watcher)
    assert desk.lobby._tables["t"].seats.watchers == []


def test_a_table_may_want_no_watchers(desk: Any) -> None:
    ann, bob = desk.enter("ann"), desk.enter("bob")
    desk.send(ann, CreateTable, name="mine", watchers="none")
    assert desk.decline(bob, WatchTable, table="mine").code == "no_watchers"


def test_rules_are_told_before_sitting_down(desk: Any) -> None:
    desk.open(rules=RuleSet.preset("bernie"))
    ann = desk.enter("ann")
    card = desk.send(ann, AskRules, table="t")
    assert isinstance(card, Card)
    assert card.rules.name == "bernie"
    assert sum(line.differs for line in card.lines) == card.rules.changed > 0
    assert desk.send(ann, AskRules, name="classic").rules.changed == 0
    assert desk.decline(ann, AskRules, name="clasic").code == "bad_rules"
    assert desk.decline(ann, AskRules).code == "not_at_table"


# --- before the start ---------------------------------------------------------------------


def test_full_starts_when_the_last_seat_is_taken(desk: Any) -> None:
    desk.open(seats=3, bots=("random", "random"))
    ann = desk.enter("ann")
    news = desk.send(ann, JoinTable, table="t")
    assert isinstance(news, TableNews)
    assert desk.update(ann).view.phase == "play"
    assert desk.last(ann, TableNews).table.state == "playing"


def test_ready_waits_for_every_person(desk: Any) -> None:
    ann, bob = desk.enter("ann"), desk.enter("bob")
    desk.send(ann, CreateTable, name="mine", seats=3, bots=["random"], start="ready")
    desk.send(bob, JoinTable, table="mine")
    desk.send(ann, Ready)
    desk.send(ann, Ready, on=False)
    desk.send(bob, Ready)
    assert desk.last(bob, TableNews).table.state == "waiting"
    desk.send(ann, Ready)
    assert desk.update(bob).view.round == 1


def test_the_host_starts_and_the_house_fills_up(desk: Any) -> None:
    ann, bob = desk.enter("ann"), desk.enter("bob")
    desk.send(ann, CreateTable, name="mine", start="manual")
    desk.send(bob, JoinTable, table="mine")
    assert desk.decline(bob, StartTable).code == "not_host"
    assert isinstance(desk.send(ann, StartTable), TableNews)
    assert desk.update(ann).view.names == ["ann", "bob", "greedy-1", "greedy-2"]
    assert desk.decline(ann, StartTable).code == "already_started"


def test_only_the_host_seats_and_sends_away(desk: Any) -> None:
    ann, bob = desk.enter("ann"), desk.enter("bob")
    desk.send(ann, CreateTable, name="mine")
    desk.send(bob, JoinTable, table="mine")
    assert desk.decline(bob, AddBot, strategy="random").code == "not_host"
    assert desk.decline(bob, Kick, name="ann").code == "not_host"
    assert desk.decline(ann, AddBot, strategy="clever").code == "no_such_strategy"
    desk.send(ann, AddBot, strategy="random")
    assert desk.decline(ann, RemoveBot, name="bob").code == "no_such_player"
    news = desk.send(ann, RemoveBot, name="random-1")
    assert [seat.kind for seat in news.table.seats] == ["person", "person", "empty", "empty"]
    assert len(desk.closed_bots) == 1
    news = desk.send(ann, Kick, name="BOB")
    assert [seat.kind for seat in news.table.seats][1] == "empty"
    assert desk.last(bob, TableLeft).code == "kicked"
    assert isinstance(desk.send(bob, JoinTable, table="mine"), TableNews)


def test_the_host_role_passes_on(desk: Any) -> None:
    ann, bob = desk.enter("ann"), desk.enter("bob")
    robot = desk.enter("robot", "bot")
    desk.send(ann, CreateTable, name="mine")
    for player in (robot, bob):
        desk.send(player, JoinTable, table="mine")
    assert desk.decline(ann, PassHost, name="robot").code == "no_such_player"
    assert desk.send(ann, PassHost, name="bob").table.host == "bob"
    desk.send(bob, LeaveTable)
    assert desk.last(ann, TableNews).table.host == "ann"
    assert isinstance(desk.send(ann, LeaveTable), Ok)
    assert desk.last(robot, TableNews).table.host == ""


# --- leaving and closing ------------------------------------------------------------------


def test_a_seat_in_a_game_is_kept_for_who_leaves(desk: Any) -> None:
    desk.open(seats=2)
    ann, bob = desk.enter("ann"), desk.enter("bob")
    for player in (ann, bob):
        desk.send(player, JoinTable, table="t")
    hand = desk.update(ann).hand
    desk.send(ann, LeaveTable)
    assert not desk.last(bob, TableNews).table.seats[0].present
    desk.send(ann, JoinTable, table="t")
    assert (desk.update(ann).seat, desk.update(ann).hand) == (0, hand)


def test_a_table_without_persons_closes_after_ten_minutes(desk: Any) -> None:
    ann = desk.enter("ann")
    robot = desk.enter("robot", "bot")
    desk.send(ann, CreateTable, name="mine", bots=["random"])
    desk.send(robot, JoinTable, table="mine")
    desk.wait(3600)
    assert len(desk.send(ann, ListTables).tables) == 1
    desk.send(ann, LeaveTable)
    desk.wait(599)
    assert len(desk.send(ann, ListTables).tables) == 1
    desk.wait(2)
    assert desk.send(ann, ListTables).tables == []
    assert desk.last(robot, TableLeft).code == "closed"
    assert len(desk.closed_bots) == 1
    assert desk.decline(ann, JoinTable, table="mine").code == "gone"


def test_a_finished_table_closes_too(desk: Any) -> None:
    desk.open(rules=RuleSet.preset("classic").with_options({"game.rounds": 1}))
    players = desk.seat_four()
    desk.play_out(players, Random(9))
    assert desk.lobby.is_done
    desk.wait(601)
    assert desk.lobby.is_done
    assert all(desk.last(player, TableLeft).code == "closed" for player in players)


def test_a_running_game_is_never_closed_for_idleness(desk: Any) -> None:
    desk.open(seats=2)
    ann, robot = desk.enter("ann"), desk.enter("robot", "bot")
    for player in (ann, robot):
        desk.send(player, JoinTable, table="t")
    desk.drop(ann)
    desk.wait(7 * 86_400)
    assert desk.last(robot, TableNews).table.state == "playing"


def test_before_the_start_a_seat_is_kept_a_minute_for_who_is_gone(desk: Any) -> None:
    desk.open()
    ann, bob = desk.enter("ann"), desk.enter("bob")
    for player in (ann, bob):
        desk.send(player, JoinTable, table="t")
    desk.drop(ann)
    desk.wait(59)
    assert desk.last(bob, TableNews).table.seats[0].name == "ann"
    desk.wait(2)
    news = desk.last(bob, TableNews).table
    assert (news.seats[0].kind, news.host) == ("empty", "bob")


# --- chat ---------------------------------------------------------------------------------


def test_chat_reaches_the_table_and_is_cleaned(desk: Any) -> None:
    desk.open()
    ann, bob, eve = desk.enter("ann"), desk.enter("bob"), desk.enter("eve")
    for player in (ann, bob):
        desk.send(player, JoinTable, table="t")
    said = "hi\x1b[2J \N{RIGHT-TO-LEFT OVERRIDE}there" + "o\u0301\u0301\u0301\u0301"
    assert isinstance(desk.send(ann, Say, text=said), Ok)
    assert desk.last(bob, Said).text == "hi[2J there\u00f3\u0301\u0301"
    assert not any(isinstance(each, Said) for each in desk.inbox[eve])


def test_eight_lines_in_ten_seconds(desk: Any) -> None:
    ann = desk.enter("ann")
    for _ in range(8):
        assert isinstance(desk.send(ann, Say, text="x"), Ok)
    answer = desk.decline(ann, Say, text="x")
    assert (answer.code, answer.retry) == ("chat_limit", True)
    desk.wait(10)
    assert isinstance(desk.send(ann, Say, text="x"), Ok)


def test_who_comes_back_after_the_game_sees_how_it_ended(make_desk: Any) -> None:
    """A finished game keeps the seats of those who are away; the next one frees them."""
    desk = make_desk()
    rules = RuleSet.preset("classic").with_options({"set.max_pip": 6, "game.rounds": 1})
    desk.open(seats=2, rules=rules)
    ann, bob = desk.enter("ann"), desk.enter("bob")
    for player in (ann, bob):
        desk.send(player, JoinTable, table="t")
    desk.play_out([ann, bob], Random(3))
    token = desk.token(bob)
    desk.drop(bob)
    desk.wait(300)
    assert desk.hello("bob", token=token) == bob
    assert desk.update(bob).view.phase == "over"
    assert desk.last(bob, TableNews).seat == 1
    desk.drop(bob)
    desk.wait(300)
    desk.send(ann, Rematch)
    desk.wait(1)
    assert desk.last(ann, TableNews).table.seats[1].kind == "empty"
