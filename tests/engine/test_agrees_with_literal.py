"""The engine against the literal procedure, a second one written from the rules page alone.

Whole games side by side: before every move the two must have the same table and offer the same
moves to every seat, knocks and fouls too; skips come between. In every preset, and in mixtures of
all options.
"""

from collections.abc import Iterable
from random import Random

import pytest
from mexican_train.engine import Deal, Game, Move, preset_names, tile_text, train_text

from tests.conftest import Scale
from tests.engine.mixtures import Setting, random_setting, random_step, take
from tests.literal.literal_procedure import LiteralRound

Step = tuple[int, Move | None]


def literal(game: Game, deal: Deal) -> LiteralRound:
    """The literal round of a deal that the game has just begun."""
    rules = game.rules.options()
    return LiteralRound(
        {name: list(value) if isinstance(value, tuple) else value for name, value in rules.items()},
        seats=game.seats,
        hands=[_texts(t for t in range(mask.bit_length()) if mask >> t & 1) for mask in deal.hands],
        boneyard=_texts(deal.boneyard),
        engine_tile=tile_text(deal.engine_tile),
        first_seat=game.first_seat,
        round_number=game.round_number,
        last_winner=game.winners[game.round_number - 2] if game.round_number > 1 else None,
    )


def play_beside(setting: Setting, rounds: int, skips: float) -> int:
    """Play up to so many rounds of one game with both; returns how many were played."""
    game = Game.start(setting.rules, setting.seats, first_seat=setting.first_seat)
    random = Random(setting.walk_seed)
    for number in range(1, min(rounds, game.rounds) + 1):
        deal = Deal.from_seed(setting.rules, setting.seats, setting.deal_seed, number)
        game.begin_round(deal)
        other = literal(game, deal)
        trace: list[str] = []
        while game.phase == "play":
            assert_same_table(game, other, trace)
            step = random_step(game, random, skips=skips)
            trace.append(_written(step))
            take(game, step)
            seat, move = step
            other.skip(seat) if move is None else other.apply(seat, str(move))
        assert_same_end(game, other, trace)
    return min(rounds, game.rounds)


def assert_same_table(game: Game, other: LiteralRound, trace: list[str]) -> None:
    """Both have the same tiles, markers, duties and debts, and offer the same moves."""
    state, last = game.round, trace[-10:]
    assert other.phase == "play", last
    assert game.turn == other.turn, last
    for seat in range(game.seats):
        assert {str(move) for move in game.legal_moves(seat)} == other.legal(seat), (seat, last)
        assert sorted(_texts(state.hand(seat))) == sorted(other.hands[seat]), last
    assert _texts(state.boneyard_left) == other.boneyard, last
    assert {train.train for train in state.trains if train.marked} == other.markers, last
    lines = {train_text(train.train): _tiles_of(train.line) for train in state.trains}
    assert lines == other.trains, last
    doubles = [(train_text(each.train), tile_text(each.tile)) for each in state.open_doubles]
    assert doubles == other.open_doubles, last
    assert {debt.seat: debt.foul for debt in state.knocks} == other.knock_owed, last


def assert_same_end(game: Game, other: LiteralRound, trace: list[str]) -> None:
    """Both ended the round with the same move, scores and winner."""
    last = trace[-10:]
    assert other.phase == "round_over", last
    assert list(game.scores[-1]) == other.scores, last
    assert game.winners[-1] == other.winner, last
    assert game.round.blocked == other.blocked, last


def _texts(tiles: Iterable[int]) -> list[str]:
    return [tile_text(tile) for tile in tiles]


def _tiles_of(line: tuple[tuple[int, int], ...]) -> list[str]:
    return [f"{max(ends)}-{min(ends)}" for ends in line]


def _written(step: Step) -> str:
    seat, move = step
    return f"{seat} {move or 'skip'}"


@pytest.mark.parametrize("preset", preset_names())
def test_engine_agrees_in_every_preset(preset: str, scale: Scale) -> None:
    """Move set by move set, on random rounds in every set and size that the preset allows."""
    random = Random(f"rounds of {preset}")
    left = scale(8, 500)
    while left > 0:
        skips = random.choice((0, 0, 0.1, 0.5))
        left -= play_beside(random_setting(random, preset), random.randint(1, 3), skips)


def test_engine_agrees_in_mixtures_of_all_options(scale: Scale) -> None:
    """Move set by move set, where every option has any of its values."""
    random = Random("mixtures of all options")
    left = scale(60, 3000)
    while left > 0:
        skips = random.choice((0, 0, 0.1))
        left -= play_beside(random_setting(random), random.randint(1, 3), skips)
