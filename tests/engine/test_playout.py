"""A playout: a round played to its end at random, for searches."""

import random

import pytest
from mexican_train.engine import Deal, Game, RuleSet, play_out, preset_names


@pytest.mark.parametrize("preset", preset_names())
def test_a_playout_ends_the_round_and_nothing_else(preset: str) -> None:
    """The copy is over with all tiles accounted for; the round it came from stands as before."""
    rules = RuleSet.preset(preset)
    game = Game.start(rules, 4)
    game.begin_round(Deal.from_seed(rules, 4, bytes(32), 1))
    before = game.position()
    for seed in range(20):
        state = game.round.copy()
        play_out(state, random.Random(seed).random)
        assert state.is_over
        assert state.out or state.blocked
        held = sum(state.hand_counts) + state.boneyard_count
        assert held + sum(len(train.line) for train in state.trains) + 1 == 91
    assert game.position() == before
