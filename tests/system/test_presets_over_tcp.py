"""Whole games by bots over TCP in every preset."""

from collections.abc import Callable

import pytest
from mexican_train.engine import RuleSet, preset_names, round_count

from tests.system.processes import run_program, running_server

pytestmark = pytest.mark.system


@pytest.mark.parametrize("preset", preset_names())
def test_four_bots_finish_a_game(preset: str, scale: Callable[[int, int], int]) -> None:
    """Four bots that play at random come to a ranking, in the preset's whole game in --full."""
    rounds = scale(1, round_count(RuleSet.preset(preset)))
    options = ("--seats=4", f"--rules={preset}", f"--rule=game.rounds={rounds}")
    with running_server(*options, "--exit-when-done", "--log-format=json") as server:
        done = run_program("mt-bot", server.address, "--strategy=random", "--count=4")
        assert done.returncode == 0, done.stderr
        assert server.wait() == 0
        assert server.log.count('"round over"') == rounds
        assert server.log.count('"game over"') == 1
