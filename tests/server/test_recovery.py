"""A lobby made again from what was stored is the lobby that it was."""

from collections.abc import Sequence
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from mexican_train.engine import RuleSet
from mexican_train.protocol import (
    AnyCommand,
    CreateTable,
    Declined,
    JoinTable,
    LeaveTable,
    ListTables,
    Ok,
    Play,
    Ready,
    Rematch,
    Update,
    Welcome,
)
from mexican_train.server.effects import (
    CommandAnswered,
    Fact,
    MoveMade,
    RoundDealt,
    SeatTaken,
    TableFact,
    TableOpened,
)
from mexican_train.server.facts import read_answer, read_event, write_answer, write_event
from mexican_train.server.lobby import Lobby
from mexican_train.server.store import MemoryStore

COMMANDS = get_args(AnyCommand)
NAMES = ["one", "two", "three"]
GUESTS = ["ann", "bob", "eve", "robot"]
ONE_ROUND = RuleSet.preset("classic").with_options({"game.rounds": 1})


def written(fact: Fact) -> Fact:
    """A fact as it comes back from the disk."""
    if isinstance(fact, CommandAnswered):
        return read_answer(fact.player, fact.command, fact.serial, write_answer(fact))
    if isinstance(fact, TableFact) and type(fact).__name__ not in {"TableClosed", "TableSetAside"}:
        return read_event(write_event(fact), fact.table)
    return fact


async def restarted(desk: Any) -> Any:
    """Another shell, with a lobby made of what this one has stored, as after a crash."""
    store = MemoryStore()
    await store.save([written(fact) for fact in desk.saved])
    stored = await store.load()
    again = type(desk)()
    again.saved = [*desk.saved]
    again.now = desk.now + 50
    again.lobby = Lobby(desk.lobby._settings)
    again.carry_out(again.lobby.recover(stored, again.now, again.now))
    again.carry_out(again.lobby.note_company(again.now))
    return again


def player_state(lobby: Lobby, number: int) -> dict[str, Any]:
    """What must be the same of a player; one who only looked on is in the lobby now."""
    player = lobby._players[number]
    stored = {id_: each for id_, each in player.answers.items() if id_ not in player.unsaved}
    return {
        "name": player.name,
        "kind": player.kind,
        "hashes": (player.confirmed_hash, player.newer_hashes),
        "house": player.is_house,
        "table": player.table if player.table in player.seats else None,
        "seats": player.seats,
        "last_id": max(stored, default=0),
    }


def table_state(lobby: Lobby, name: str) -> dict[str, Any]:
    """What must be the same of a table."""
    table = lobby._tables[name]
    info = msgspec.to_builtins(table.telling.info(0))
    info["watchers"], info["votes"] = 0, []
    for seat in info["seats"]:
        del seat["present"], seat["away_ms"]
    progress = table.progress
    state = {
        "info": info,
        "first_seat": table.charter.first_seat,
        "password": table.charter.password_digest,
        "watchers": table.charter.allows_watchers,
        "standing": table.charter.is_standing,
        "games": table.course.games,
        "absences": {seat: table.course.absences.choice(seat) for seat in range(len(table.seats))},
        "may have the role back": table.seats.heir_of.number if table.seats.heir_of else None,
        "codes": [seat.code_digest for seat in table.seats],
        "strategies": [seat.strategy for seat in table.seats],
    }
    if progress is not None:
        seats = range(len(table.seats))
        state |= {
            "position": str(progress.game.position()),
            "scores": progress.game.scores,
            "turn": progress.turn,
            "last_event": progress.last_event,
            "events": [each.seen_by(0) for each in progress.events_after(0)],
            "debts": progress.debt_events,
            "choices": [progress.choices(seat) for seat in seats],
            "hands": [progress.own(seat) for seat in seats],
            "record": progress.game.record(progress.names).to_text(),
        }
    return state


def give_back_running_turn(
    before: Lobby, name: str, one: dict[str, Any], other: dict[str, Any]
) -> None:
    """Take it that a crash gives back what the turn that runs has taken of a bank.

    That is stored with the next move; more than the turn began with never comes back.
    """
    clocks = before._tables[name].course.clocks
    if clocks.seat is None or clocks.grant is None or not clocks.grant.has_bank:
        return
    mine, theirs = (state["info"]["seats"][clocks.seat] for state in (one, other))
    assert mine["bank_ms"] <= theirs["bank_ms"] <= round(clocks.grant.bank * 1000)
    mine["bank_ms"] = theirs["bank_ms"]


def assert_same(before: Lobby, after: Lobby) -> None:
    """Every table and player of one is in the other, in the same state."""
    assert before._tables.keys() == after._tables.keys()
    for name in before._tables:
        one, other = table_state(before, name), table_state(after, name)
        # the events of earlier games at a table are at hand until the server ends, and no longer
        kept = len(other.get("events", ()))
        one["events"] = one.get("events", [])[-kept:] if kept else []
        give_back_running_turn(before, name, one, other)
        assert one == {"events": [], **other}
    stored = {player.number for player in before._players}
    assert {player.number for player in after._players} == stored
    for number in stored:
        assert player_state(before, number) == player_state(after, number)
        known, again = before._players[number], after._players[number].answers
        for command in known.answers.keys() - known.unsaved.keys():
            assert again[command] == known.answers[command]
    assert before._players._last_number == after._players._last_number


def values(random: Random, desk: Any, player: int) -> dict[str, Any]:
    """Values for whatever fields a command may have, right most of the time."""
    last = [each for each in desk.inbox[player] if isinstance(each, Update)]
    choice = random.choice(last[-1].choices) if last and last[-1].choices else None
    return {
        "page": 0,
        "part": 0,
        "name": random.choice([*NAMES, *GUESTS, "greedy-1", "random-1"]),
        "table": random.choice(NAMES),
        "seat": random.choice([0, 1, None]),
        "seats": random.choice([2, 2, 3]),
        "first_seat": random.choice([0, 0, 1]),
        "bots": random.choice([[], ["greedy"]]),
        "start": random.choice(["full", "ready", "manual"]),
        "rules": random.choice(["classic", "spruce", "bernie"]),
        "options": ["game.rounds=2"],
        "strategy": random.choice(["greedy", "random"]),
        "on": random.random() < 0.8,
        "turn": last[-1].turn if last else 1,
        "tile": choice.tile if choice and choice.tile else (12, random.randrange(12)),
        "train": choice.train if choice and choice.train else "p0",
        "event": choice.event if choice and choice.event else 0,
        "text": "hello",
        "watchers": "public",
        "password": random.choice([None, None, "sesame"]),
        "choice": random.choice(["wait", "skip", "bot", "end"]),
        "turn_seconds": random.choice([None, 0, 20]),
        "bank_seconds": random.choice([None, 0, 60]),
        "on_timeout": random.choice([None, "skip", "bot"]),
        "on_absent": random.choice([None, "wait", "skip", "bot", "end"]),
    }


def stir(desk: Any, random: Random, players: Sequence[int], ids: Any, steps: int) -> None:
    """Let everybody do whatever they like; those who can move mostly do."""
    likely = [CreateTable, JoinTable, JoinTable, Ready]
    for _ in range(steps):
        player = random.choice(players)
        update = desk.inbox[player][-1] if desk.inbox[player] else None
        offers = desk.update(player).choices if isinstance(update, Update) else []
        if offers and random.random() < 0.9:
            desk._ids[player] = ids
            desk.act(player, random.choice(offers))
        else:
            kind = random.choice([*COMMANDS, *likely * 4])
            given = values(random, desk, player)
            wanted = {field.name for field in msgspec.structs.fields(kind)} & given.keys()
            command = kind(id=next(ids), **{name: given[name] for name in wanted})
            desk.carry_out(desk.lobby.handle(player, command, desk.now))
            desk.start_bots()
        if random.random() < 0.1:
            desk.wait(random.choice([0.5, 5, 12, 40, 700]))


def come_back(desk: Any, older: Any, player: int) -> int:
    """A player who comes back with the token that it had."""
    name = older.lobby._players[player].name
    number = desk.hello(name, token=older.token(player), last_event=0)
    assert number == player
    return int(number)


@pytest.mark.parametrize("seed", range(6))
async def test_recovery_equals_the_original(make_desk: Any, scale: Any, seed: int) -> None:
    """Random commands and games, a crash at random points, and on with the recovered lobby."""
    random = Random(seed)
    desk = make_desk(pace_seconds=0.0)
    ids = iter(range(1, 10**9))
    players = [desk.enter(name, "bot" if name == "robot" else "person") for name in GUESTS]
    players.append(desk.enter("looker", "watcher"))
    desk.open("standing", seats=2, rules=ONE_ROUND, bots=("greedy", "random"), start="manual")
    for _ in range(scale(6, 40)):
        stir(desk, random, players, ids, random.randrange(1, 120))
        again = await restarted(desk)
        assert_same(desk.lobby, again.lobby)
        again.start_bots()
        for player in players:
            come_back(again, desk, player)
        desk = again
    assert any(isinstance(fact, MoveMade) for fact in desk.saved)


async def test_a_resumed_seat_has_its_hand_its_events_and_its_answers(make_desk: Any) -> None:
    """After a crash a token brings back the hand, what was missed, and a repeated answer."""
    desk = make_desk()
    desk.open(seats=2)
    ann, bob = desk.enter("ann"), desk.enter("bob")
    for player in (ann, bob):
        desk.send(player, JoinTable, table="t")
    before = desk.update(ann)
    desk.send(ann, Play, id=40, turn=before.turn, tile=(9, 9), train="p9")
    desk._ids[ann] = iter(range(50, 60))
    answer = desk.act(ann, before.choices[0])
    again = await restarted(desk)
    come_back(again, desk, bob)
    hello = again.hello("ann", token=desk.token(ann), last_event=before.last_event)
    assert hello == ann
    welcome = again.last(ann, Welcome)
    assert (welcome.table, welcome.last_id) == ("t", 50)
    resumed = again.update(ann)
    assert (resumed.hand, resumed.seat, resumed.turn) == (answer.hand, 0, answer.turn)
    assert [event.n for event in resumed.events] == [event.n for event in answer.events]
    moves = len([fact for fact in again.saved if isinstance(fact, MoveMade)])
    again._ids[ann] = iter([50, *range(200, 300)])
    repeated = again.act(ann, before.choices[0])
    assert repeated == msgspec.structs.replace(answer, answers=50)
    assert len([fact for fact in again.saved if isinstance(fact, MoveMade)]) == moves
    declined = again.send(ann, Play, id=40, turn=before.turn, tile=(9, 9), train="p9")
    assert isinstance(declined, Declined)
    assert declined == next(each for each in desk.inbox[ann] if isinstance(each, Declined))
    assert again.decline(ann, ListTables, id=2).code == "too_old"


async def test_a_move_that_was_held_back_can_be_given_again(make_desk: Any) -> None:
    """A bot's move that waited for its time when the server died is made when it is repeated."""
    desk = make_desk(pace_seconds=5.0)
    desk.open(seats=2)
    robots = [desk.enter(name, "bot") for name in ("robot 1", "robot 2")]
    for robot in robots:
        desk.send(robot, JoinTable, table="t")
    first = robots[0]
    desk._ids[first] = iter([7, *range(200, 300)])
    choice = desk.update(first).choices[0]
    desk.act(first, choice)
    desk.send(first, LeaveTable, id=8)
    desk.send(first, JoinTable, id=9, table="t")
    again = await restarted(desk)
    come_back(again, desk, first)
    again.wait(6)
    again._ids[first] = iter([7, *range(300, 400)])
    made = again.act(first, choice)
    assert isinstance(made, Update)
    assert made.answers == 7


async def test_a_rematch_begins_where_the_counters_were(make_desk: Any) -> None:
    """Only the last game of a table is played again, with the numbers that go on."""
    desk = make_desk()
    desk.open(seats=2, rules=ONE_ROUND, start="manual")
    ann, bob = desk.enter("ann"), desk.enter("bob")
    for player in (ann, bob):
        desk.send(player, JoinTable, table="t")
    for _ in range(2):
        table = desk.lobby._tables["t"]
        desk.carry_out(table.playing.start(desk.now))
        desk.play_out([ann, bob], Random(1))
        if table.course.games == 1:
            assert not isinstance(desk.send(ann, Rematch), Declined)
    again = await restarted(desk)
    assert_same(desk.lobby, again.lobby)
    assert again.lobby._tables["t"].progress.turn > 40


async def test_one_who_went_to_another_table_is_found_there(make_desk: Any) -> None:
    """A kept seat does not call its owner back from where they are now."""
    desk = make_desk()
    ann, bob = desk.enter("ann"), desk.enter("bob")
    desk.send(ann, CreateTable, name="one", seats=2, start="full", bots=["greedy"])
    desk.send(ann, LeaveTable)
    desk.wait(10)
    desk.send(ann, CreateTable, name="a later one", seats=3)
    desk.send(bob, JoinTable, table="a later one")
    again = await restarted(desk)
    assert_same(desk.lobby, again.lobby)
    assert again.lobby._players[ann].table == "a later one"
    assert again.lobby._players[ann].seats == {"one", "a later one"}


async def test_house_bots_sit_again_and_their_game_goes_on(make_desk: Any) -> None:
    """A recovered game of bots alone is asked for at the shell with its bots."""
    desk = make_desk()
    desk.open(seats=2, bots=("greedy", "random"), rules=ONE_ROUND)
    again = await restarted(desk)
    assert [(bot.strategy, bot.seat, bot.table) for bot in again.bots] == [
        ("greedy", 0, "t"),
        ("random", 1, "t"),
    ]
    bots = [bot.player for bot in again.bots]
    again.start_bots()
    again.play_out(bots, Random(3))
    assert again.lobby._tables["t"].state == "over"


async def test_a_table_named_again_is_taken_up_and_counts(make_desk: Any, plan: Any) -> None:
    """It is not opened twice, finished or not, unless the server has stopped in good order."""
    desk = make_desk()
    desk.open(seats=2, bots=("greedy", "random"), rules=ONE_ROUND)
    again = await restarted(desk)
    again.carry_out(again.lobby.open_standing(plan(seats=2, rules=ONE_ROUND), again.now))
    assert not again.lobby.is_done
    bots = [bot.player for bot in again.bots]
    again.start_bots()
    again.play_out(bots, Random(3))
    assert again.lobby.is_done
    third = await restarted(again)
    assert not third.lobby.is_done
    third.carry_out(third.lobby.open_standing(plan(seats=2, rules=ONE_ROUND), third.now))
    assert third.lobby._tables["t"].state == "over"
    assert third.lobby.is_done
    told = len(third.reports)
    third.carry_out(third.lobby.put_away_finished())
    assert len(third.reports) == told
    fourth = await restarted(third)
    fourth.carry_out(fourth.lobby.open_standing(plan(seats=2, rules=ONE_ROUND), fourth.now))
    assert fourth.lobby._tables["t"].state == "waiting"
    assert not fourth.lobby.is_done


async def test_who_comes_back_after_a_crash_sees_how_the_game_ended(
    make_desk: Any, plan: Any
) -> None:
    """A game that was over then is taken up as it is, can be played again, or closes when idle."""
    desk = make_desk()
    desk.open(seats=2, rules=ONE_ROUND)
    ann, bob = desk.enter("ann"), desk.enter("bob")
    for player in (ann, bob):
        desk.send(player, JoinTable, table="t")
    desk.play_out([ann, bob], Random(1))
    last = desk.update(ann)
    again = await restarted(desk)
    again.carry_out(again.lobby.open_standing(plan(seats=2, rules=ONE_ROUND), again.now))
    assert again.lobby.is_awaited
    come_back(again, desk, ann)
    seen = again.update(ann)
    assert (seen.view, seen.last_event) == (last.view, last.last_event)
    come_back(again, desk, bob)
    assert not again.lobby.is_awaited
    again._ids[ann] = iter(range(900, 999))
    assert not isinstance(again.send(ann, Rematch), Declined)
    assert again.lobby._tables["t"].state == "playing"
    third = await restarted(desk)
    third.carry_out(third.lobby.open_standing(plan(seats=2, rules=ONE_ROUND), third.now))
    third.wait(601)
    assert "t" not in third.lobby._tables


@pytest.mark.parametrize("harm", ["rules", "move", "seat", "order"])
async def test_a_log_that_does_not_fit_is_set_aside_and_the_others_go_on(
    make_desk: Any, harm: str
) -> None:
    """One bad table costs itself only: its seats and bots are free, and the log says so."""
    desk = make_desk()
    ann, bob = desk.enter("ann"), desk.enter("bob")
    desk.send(ann, CreateTable, name="good", seats=2, start="full", bots=["greedy"])
    desk.send(bob, CreateTable, name="bad", seats=2, start="full", bots=["greedy"])
    desk.act(bob, desk.update(bob).choices[0])
    for number, fact in enumerate(desk.saved):
        if getattr(fact, "table", None) != "bad":
            continue
        match harm, fact:
            case "rules", TableOpened():
                changed = {**fact.options, "set.max_pip": 9}
                desk.saved[number] = _replaced(fact, options=changed)
            case "move", MoveMade():
                desk.saved[number] = _replaced(fact, move="12-12>m9")
            case "seat", SeatTaken():
                desk.saved[number] = _replaced(fact, seat=5)
    if harm == "order":
        desk.saved = [
            fact
            for fact in desk.saved
            if not (isinstance(fact, RoundDealt) and fact.table == "bad")
        ]
    again = await restarted(desk)
    assert [*again.lobby._tables] == ["good"]
    assert again.lobby._players[bob].seats == set()
    assert again.lobby._players[ann].seats == {"good"}
    (line,) = [each for each in again.reports if each.event == "table set aside"]
    assert line.level == "error"
    assert len(again.bots) == 1
    come_back(again, desk, bob)
    assert again.decline(bob, JoinTable, id=100, table="bad").code == "gone"
    assert not isinstance(again.send(bob, CreateTable, id=101, name="bad"), Declined | Ok)


def _replaced(fact: Any, **changed: Any) -> Any:
    names = [name for name in fact.__struct_fields__ if name not in changed]
    return type(fact)(**{name: getattr(fact, name) for name in names}, **changed)
