"""Whole games through the lobby's one door, without a shell."""

from collections.abc import Callable
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from mexican_train.engine import RuleSet
from mexican_train.protocol import (
    AnyCommand,
    AskRecord,
    Draw,
    GameOver,
    JoinTable,
    Knock,
    Pass,
    Play,
    Ready,
    Rematch,
    Resync,
    RoundOver,
    RoundStarted,
    TableNews,
    TurnSkipped,
    Update,
    WatchTable,
)
from mexican_train.server.effects import MoveMade
from mexican_train.server.lobby import Lobby
from mexican_train.server.replay import verify

CLASSIC = RuleSet.preset("classic")
ONE_ROUND = CLASSIC.with_options({"game.rounds": 1})


def events_to(desk: Any, player: int) -> list[Any]:
    """Every event that a player was sent."""
    updates = [each for each in desk.inbox[player] if isinstance(each, Update)]
    return [event for update in updates for event in update.events]


def test_every_command_of_the_protocol_has_a_handler() -> None:
    assert set(Lobby._handlers) == set(get_args(AnyCommand))


def test_a_whole_game_is_played_to_a_ranking(desk: Any) -> None:
    desk.open()
    players = desk.seat_four()
    desk.play_out(players, Random(1))
    update = desk.update(players[0])
    assert update.view.phase == "over"
    assert len(update.view.scores) == update.view.rounds == 13
    assert desk.lobby.is_done
    over = [event for event in events_to(desk, players[2]) if isinstance(event, GameOver)]
    assert [each.totals for each in over] == [update.view.totals]


def test_events_are_numbered_alike_for_all_without_a_gap(desk: Any) -> None:
    desk.open(rules=ONE_ROUND)
    watcher = desk.enter("looker", "watcher")
    desk.send(watcher, WatchTable, table="t")
    players = desk.seat_four()
    desk.play_out(players, Random(2))
    numbers = [[event.n for event in events_to(desk, each)] for each in (*players, watcher)]
    assert numbers[0] == list(range(1, len(numbers[0]) + 1))
    assert all(each == numbers[0] for each in numbers)


@pytest.mark.parametrize(
    "rules",
    [
        CLASSIC,
        CLASSIC.with_options({"draw.limit": "until_playable"}),
        RuleSet.preset("spruce"),
        RuleSet.preset("bernie"),
    ],
    ids=["classic", "until_playable", "spruce", "bernie"],
)
def test_turn_rises_exactly_when_the_guarded_choice_changes(desk: Any, rules: RuleSet) -> None:
    desk.open(rules=rules.with_options({"game.rounds": 2}))
    players = desk.seat_four()
    random = Random(3)
    seen = None
    while (now := desk.update(players[0])).view.phase != "over":
        to_act = now.view.to_act
        if to_act is None:
            desk.wait(1)
            continue
        mine = desk.update(players[to_act])
        guarded = [each for each in mine.choices if each.do not in {"knock", "foul"}]
        assert guarded
        if seen is not None:
            was_turn, was = seen
            assert mine.turn - was_turn == (0 if was == (to_act, guarded) else 1)
        seen = mine.turn, (to_act, guarded)
        if now.view.phase == "play":
            anybody = [(each, choice) for each in players for choice in desk.update(each).choices]
            others = [each for each in anybody if each[1].do in {"knock", "foul"}]
            move = random.choice(others) if others and random.random() < 0.5 else None
            player, choice = move or (players[to_act], random.choice(mine.choices))
            desk.act(player, choice)
            if desk.update(players[0]).view.round != now.view.round:
                seen = None


def test_out_of_turn_there_is_nothing_but_knock_and_foul(desk: Any) -> None:
    desk.open(rules=RuleSet.preset("spruce").with_options({"game.rounds": 1}))
    players = desk.seat_four()
    desk.play_out(players, Random(4))
    updates = [u for p in players for u in desk.inbox[p] if isinstance(u, Update)]
    assert {choice.do for u in updates if u.seat != u.view.to_act for choice in u.choices} <= {
        "knock",
        "foul",
    }
    assert all(u.choices for u in updates if u.seat == u.view.to_act and u.seat is not None)


# --- refusals -----------------------------------------------------------------------------


def test_a_move_of_an_earlier_turn_is_stale_and_changes_nothing(desk: Any) -> None:
    desk.open()
    players = desk.seat_four()
    before = desk.update(players[0])
    answer = desk.decline(players[0], Draw, turn=before.turn - 1)
    assert (answer.code, answer.params) == ("stale", {"turn": before.turn})
    assert desk.update(players[0]) is before


def test_another_seats_turn_is_told_apart_from_a_stale_one(desk: Any) -> None:
    desk.open()
    players = desk.seat_four()
    answer = desk.decline(players[1], Draw, turn=desk.update(players[1]).turn)
    assert (answer.code, answer.retry, answer.params) == ("out_of_turn", True, {"to_act": 0})


def test_not_in_hand_and_no_such_tile_answer_alike(desk: Any) -> None:
    desk.open()
    players = desk.seat_four()
    update = desk.update(players[0])
    known = {tuple(sorted(tile)) for tile in update.hand} | {(12, 12)}
    foreign = next(
        (high, low) for high in range(13) for low in range(high) if (low, high) not in known
    )
    answers = [
        desk.decline(players[0], Play, turn=update.turn, tile=tile, train="p0")
        for tile in (foreign, (18, 17))
    ]
    assert {answer.code for answer in answers} == {"not_held"}
    texts = [
        answer.text.replace(f"{max(tile)}-{min(tile)}", "X")
        for answer, tile in zip(answers, (foreign, (18, 17)), strict=True)
    ]
    assert texts[0] == texts[1]
    assert answers[0].params.keys() == answers[1].params.keys()


def test_a_refused_move_names_rule_and_values(desk: Any) -> None:
    desk.open()
    players = desk.seat_four()
    answer = desk.decline(players[0], Pass, turn=desk.update(players[0]).turn)
    assert answer.code in {"must_play", "must_draw"}
    assert answer.text


def test_a_knock_that_nobody_owes_is_declined(desk: Any) -> None:
    desk.open()
    players = desk.seat_four()
    assert desk.decline(players[2], Knock).code == "no_knock"


# --- repeated commands --------------------------------------------------------------------


def test_a_repeated_move_gets_its_answer_and_happens_once(desk: Any) -> None:
    desk.open()
    players = desk.seat_four()
    update = desk.update(players[0])
    first = desk.act(players[0], update.choices[0])
    made = [fact for fact in desk.saved if isinstance(fact, MoveMade)]
    fields = {"turn": update.turn, "id": first.answers}
    choice = update.choices[0]
    if choice.do == "play":
        again = desk.send(players[0], Play, tile=choice.tile, train=choice.train, **fields)
    else:
        again = desk.send(players[0], Draw, **fields)
    assert isinstance(again, Update)
    assert (again.answers, again.events) == (first.answers, first.events)
    assert made == [fact for fact in desk.saved if isinstance(fact, MoveMade)]


def test_a_repeated_refusal_is_the_same_message(desk: Any) -> None:
    desk.open()
    players = desk.seat_four()
    first = desk.decline(players[1], Draw, turn=0)
    assert desk.decline(players[1], Draw, turn=0, id=first.answers) == first


def test_the_answers_to_the_last_32_commands_are_kept(desk: Any) -> None:
    desk.open()
    players = desk.seat_four()
    for number in range(100, 133):
        desk.decline(players[1], Draw, turn=0, id=number)
    assert desk.decline(players[1], Draw, turn=0, id=101).code == "stale"
    assert desk.decline(players[1], Draw, turn=0, id=100).code == "too_old"


# --- rounds and games ---------------------------------------------------------------------


def test_the_next_round_waits_until_every_person_present_is_ready(desk: Any) -> None:
    desk.open(seats=3, rules=CLASSIC.with_options({"game.rounds": 2}))
    people = [desk.enter("ann"), desk.enter("bob")]
    bot = desk.enter("robot", "bot")
    for player in (*people, bot):
        desk.send(player, JoinTable, table="t")
    desk.play_out([*people, bot], Random(5), rounds=1)
    assert desk.last(bot, TableNews).table.state == "between"
    desk.send(people[0], Ready)
    assert desk.update(bot).view.phase == "round_over"
    desk.send(people[1], Ready)
    assert desk.update(bot).view.round == 2
    assert desk.last(bot, TableNews).table.state == "playing"


def test_a_person_who_is_not_ready_holds_the_round_up_30_seconds(desk: Any) -> None:
    desk.open(seats=2, rules=CLASSIC.with_options({"game.rounds": 2}))
    players = [desk.enter("ann"), desk.enter("robot", "bot")]
    for player in players:
        desk.send(player, JoinTable, table="t")
    desk.play_out(players, Random(6), rounds=1)
    desk.wait(29.9)
    assert desk.update(players[0]).view.round == 1
    desk.wait(0.2)
    assert desk.update(players[0]).view.round == 2


def test_bots_alone_go_from_round_to_round_at_once(desk: Any) -> None:
    desk.open(rules=CLASSIC.with_options({"game.rounds": 2}))
    players = desk.seat_four()
    desk.play_out(players, Random(7))
    kinds = [type(event) for event in events_to(desk, players[0])]
    over = kinds.index(RoundOver)
    assert kinds[over + 1] is RoundStarted


def test_a_rematch_goes_on_counting_events_and_turns(desk: Any) -> None:
    desk.open(seats=2, rules=ONE_ROUND)
    players = [desk.enter("ann"), desk.enter("bob")]
    for player in players:
        desk.send(player, JoinTable, table="t")
    desk.play_out(players, Random(8))
    before = desk.update(players[0])
    assert desk.decline(players[1], Rematch).code == "not_host"
    desk.send(players[0], Rematch)
    after = desk.update(players[0])
    assert after.view.phase == "play"
    assert after.events[0].n == before.last_event + 1
    assert after.turn > before.turn


# --- time ---------------------------------------------------------------------------------


def test_bots_keep_the_pace_while_a_person_is_seated(make_desk: Callable[..., Any]) -> None:
    desk = make_desk(pace_seconds=None)
    desk.open(seats=2)
    bot, person = desk.enter("robot", "bot"), desk.enter("ann")
    for player in (bot, person):
        desk.send(player, JoinTable, table="t")
    update = desk.update(bot)
    desk.act(bot, update.choices[0])
    repeated = desk.lobby._players[bot].last_id
    desk.decline(bot, Draw, turn=update.turn)  # one may be under way, not two
    assert desk.lobby.handle(bot, Draw(id=repeated, turn=update.turn), desk.now) == []
    assert desk.update(person).last_event == update.last_event
    desk.wait(0.9)
    assert desk.update(person).last_event == update.last_event
    desk.wait(0.2)
    assert desk.update(person).last_event > update.last_event
    assert desk.update(bot).answers == repeated


def test_a_bot_that_does_not_choose_is_skipped_after_ten_seconds(desk: Any) -> None:
    desk.open(seats=2)
    players = [desk.enter("robot", "bot"), desk.enter("other", "bot")]
    for player in players:
        desk.send(player, JoinTable, table="t")
    assert desk.update(players[1]).deadline_ms == 10_000
    desk.wait(9.9)
    assert not any(isinstance(each, TurnSkipped) for each in events_to(desk, players[1]))
    desk.wait(0.2)
    skipped = [each for each in events_to(desk, players[1]) if isinstance(each, TurnSkipped)]
    assert [each.seat for each in skipped] == [0]


def test_a_person_has_no_limit(desk: Any) -> None:
    desk.open(seats=2)
    players = [desk.enter("ann"), desk.enter("bob")]
    for player in players:
        desk.send(player, JoinTable, table="t")
    before = desk.update(players[0])
    assert before.deadline_ms is None
    desk.wait(3600)
    assert desk.update(players[0]) is before


def test_a_game_of_absent_bots_runs_to_its_end(desk: Any) -> None:
    desk.open(rules=ONE_ROUND)
    players = desk.seat_four()
    for player in players:
        desk.drop(player)
    desk.wait(10_000)
    assert desk.lobby.is_done


def test_a_fixed_seed_deals_alike_and_says_so(make_desk: Callable[..., Any]) -> None:
    hands = []
    for _ in range(2):
        desk = make_desk(fixed_seed=bytes(32))
        desk.open()
        players = desk.seat_four()
        update = desk.update(players[0])
        assert update.unproven
        hands.append(update.hand)
    assert hands[0] == hands[1]


def test_resync_tells_everything_again(desk: Any) -> None:
    desk.open()
    players = desk.seat_four()
    before = desk.update(players[1])
    assert isinstance(desk.send(players[1], Resync), TableNews)
    after = desk.update(players[1])
    assert after is not before
    assert (after.view, after.hand, after.turn) == (before.view, before.hand, before.turn)


# --- the record ---------------------------------------------------------------------------


def test_the_record_of_a_finished_game_comes_in_parts(desk: Any) -> None:
    """Everybody at the table can have it, all parts are the file, and it fits."""
    desk.open(rules=ONE_ROUND)
    watcher = desk.enter("looker", "watcher")
    desk.send(watcher, WatchTable, table="t")
    players = desk.seat_four()
    stranger = desk.enter("eve")
    assert desk.decline(players[0], AskRecord, table="t").code == "not_over"
    desk.play_out(players, Random(4))
    for asker in (players[0], watcher):
        first = desk.send(asker, AskRecord, table="t")
        parts = [desk.send(asker, AskRecord, table="t", part=n) for n in range(first.parts)]
        assert first == msgspec.structs.replace(parts[0], answers=first.answers)
        assert all(len(part.text.encode()) <= 12_288 for part in parts)
        text = "".join(part.text for part in parts)
        found = verify(text)
        assert found.names == ("guest a", "guest b", "guest c", "guest d")
        assert list(found.totals) == desk.update(players[0]).view.totals
    assert first.parts > 0
    assert desk.decline(players[0], AskRecord, table="t", part=first.parts).code == "no_such_part"
    assert desk.decline(stranger, AskRecord, table="t").code == "not_at_table"
    assert desk.decline(stranger, AskRecord, table="nowhere").code == "no_such_table"
