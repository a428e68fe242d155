"""What holds in every round by any rules: mixtures of all options, 2 to 14 seats, every set.

Each example plays whole rounds by random moves, skips, knocks and fouls among them.
"""

from random import Random

import pytest
from hypothesis import given
from mexican_train.engine import (
    DONE,
    DRAW,
    KNOCK,
    MEXICAN,
    PASS,
    Deal,
    Game,
    IllegalMove,
    Move,
    RoundStarted,
)

from tests.engine.fold import Folded
from tests.engine.mixtures import TILES, Setting, random_step, settings_of_rounds, take
from tests.engine.tabletop import marked, snapshot, snapshot_of_round, twin


@given(settings_of_rounds())
def test_rounds_end(setting: Setting) -> None:
    """Every round ends after a bounded number of moves, with a score for every seat."""
    game, _, _ = setting.begin()
    random = Random(setting.walk_seed)
    for _ in range(setting.moves_max):
        if game.phase != "play":
            break
        take(game, random_step(game, random))
    assert game.phase in ("round_over", "over")
    assert len(game.scores[0]) == setting.seats
    assert game.round.blocked == (not game.round.out)


@given(settings_of_rounds())
def test_seat_to_act_always_has_a_choice(setting: Setting) -> None:
    """While a round is played its seat to act has a move that is neither knock nor foul."""
    game, _, _ = setting.begin()
    random = Random(setting.walk_seed)
    while game.turn is not None:
        own = set(game.legal_moves(game.turn)) - {KNOCK} - {*map(Move.foul, range(setting.seats))}
        assert own
        assert len(set(game.legal_moves(game.turn))) == len(game.legal_moves(game.turn))
        take(game, random_step(game, random))
    assert all(game.legal_moves(seat) == () for seat in range(setting.seats))


@given(settings_of_rounds())
def test_tiles_are_conserved_after_every_event(setting: Setting) -> None:
    """Each tile of the set is in one hand, in the boneyard or on the table, once."""
    game, deal, events = setting.begin()
    whole = set(range(TILES[setting.rules.number("set.max_pip")]))
    aside = {deal.engine_tile} if setting.rules["engine.source"] == "set_aside" else set()
    folded, random = Folded(deal), Random(setting.walk_seed)
    while True:
        for event in events:
            folded.take(event)
            assert folded.tiles() == sorted(whole - aside if folded.engine is None else whole)
        if game.phase != "play":
            break
        events = take(game, random_step(game, random))
    assert folded.engine == deal.engine_tile


@given(settings_of_rounds())
def test_events_fold_back_to_the_state(setting: Setting) -> None:
    """The deal and the events tell everything that lies on the table after each move."""
    game, deal, events = setting.begin()
    folded, random = Folded(deal), Random(setting.walk_seed)
    while True:
        for event in events:
            folded.take(event)
        folded.assert_is(game.round)
        if game.phase != "play":
            break
        events = take(game, random_step(game, random))
    assert folded.scores == game.scores[0]


@given(settings_of_rounds())
def test_each_listed_move_applies(setting: Setting) -> None:
    """Every move that any seat is offered can be made, and changes the game."""
    game, _, _ = setting.begin()
    random = Random(setting.walk_seed)
    while game.phase == "play":
        before = snapshot_of_round(game.round)
        for seat in range(setting.seats):
            for move in game.legal_moves(seat):
                assert game.explain(seat, move) is None
                other = twin(game)
                other.apply(seat, move)
                assert snapshot_of_round(other.round) != before
        take(game, random_step(game, random))


@given(settings_of_rounds())
def test_unlisted_move_is_refused_and_changes_nothing(setting: Setting) -> None:
    """A move that is not offered raises IllegalMove with its reason and leaves all as it was."""
    game, _, _ = setting.begin()
    random = Random(setting.walk_seed)
    while game.phase == "play":
        before = snapshot(game)
        for _ in range(5):
            seat, move = random.randrange(setting.seats), some_move(game, random)
            if move not in game.legal_moves(seat):
                assert_refused(game, seat, move)
        assert snapshot(game) == before
        take(game, random_step(game, random))
    before = snapshot(game)
    for seat in range(setting.seats):
        assert_refused(game, seat, some_move(game, random))
    assert snapshot(game) == before


def assert_refused(game: Game, seat: int, move: Move) -> None:
    """The move raises, with the reason that `explain` gives."""
    with pytest.raises(IllegalMove) as refused:
        game.apply(seat, move)
    assert game.explain(seat, move) == refused.value.reason


def some_move(game: Game, random: Random) -> Move:
    """A move of any kind, with a tile of the set and a train of the table or one past it."""
    held = [tile for seat in range(game.seats) for tile in game.round.hand(seat)]
    tiles = range(TILES[game.rules.number("set.max_pip")])
    trains = [*range(min(game.seats + 1, MEXICAN))]
    trains += range(MEXICAN, MEXICAN + game.round.mexican_count + 2)
    if random.random() < 0.3:
        return random.choice((DRAW, PASS, DONE, KNOCK, Move.foul(random.randrange(game.seats))))
    tile = random.choice(held if held and random.random() < 0.8 else tiles)
    return Move.play(tile, random.choice(trains))


@given(settings_of_rounds())
def test_copy_of_a_round_equals_it_and_goes_its_own_way(setting: Setting) -> None:
    """A copy has the same state and choices; moves on one do not reach the other."""
    game, _, _ = setting.begin()
    random = Random(setting.walk_seed)
    while game.phase == "play":
        other = twin(game)
        assert snapshot_of_round(other.round) == snapshot_of_round(game.round)
        before = snapshot(other)
        step = random_step(game, random)
        events = take(game, step)
        assert snapshot(other) == before
        assert take(other, step) == events
        assert snapshot(other) == snapshot(game)


@given(settings_of_rounds())
def test_markers_are_down_when_a_round_starts(setting: Setting) -> None:
    """A round starts without markers, trains and open doubles, whatever lay before."""
    game, _, _ = setting.begin()
    random = Random(setting.walk_seed)
    while game.phase == "play":
        take(game, random_step(game, random))
    if game.phase == "over":
        return
    deal = Deal.from_seed(setting.rules, setting.seats, setting.deal_seed, 2)
    assert isinstance(game.begin_round(deal)[0], RoundStarted)
    assert marked(game) == set()
    assert all(not train.line for train in game.round.trains)
    assert game.round.open_doubles == ()
    assert game.round.knocks == ()
