"""The awkward positions of knocks and first laps, rows 20 and 21 (`docs/rules.md`, section 5).

Bernie, spruce and nm knock; pagat and spruce build trains in the first lap and finish it. Expected
values are worked out by hand. Row 22 stands in `test_scoring`.
"""

import pytest
from mexican_train.engine import Game

from tests.engine.tabletop import (
    BUILDERS,
    KNOCKERS,
    boneyard,
    choices,
    hand,
    knocks,
    line,
    open_doubles,
    play,
    table,
    walk,
    why_not,
)

PENALTY = {"bernie": "3-0 3-1", "spruce": "3-0 3-1", "nm": "3-0"}
"""What is drawn for a foul from a boneyard that begins with 3-0 3-1."""

every_knocker = pytest.mark.parametrize("preset", KNOCKERS)
every_builder = pytest.mark.parametrize("preset", BUILDERS)


def one_left(preset: str, boneyard: str = "3-0 3-1 2-0 1-0") -> Game:
    """Seat 0 of three has laid 6-5, holds 1-1 and has not knocked; seat 1 is to act."""
    game = table(preset, hands=["6-5 1-1", "6-4 3-2 2-1", "6-3 5-1 4-2"], boneyard=boneyard)
    walk(game, "0 6-5>p0")
    return game


# --- row 20 -------------------------------------------------------------------------------


@every_knocker
def test_foul_before_the_window_is_refused(preset: str) -> None:
    """No penalty, for nobody (row 20)."""
    game = one_left(preset)
    assert knocks(game) == {0: False}
    assert why_not(game, 2, "foul:0").code == "no_foul"
    assert boneyard(game) == "3-0 3-1 2-0 1-0"


@every_knocker
def test_foul_inside_the_window_costs_the_penalty(preset: str) -> None:
    """Two tiles, in nm one (row 20)."""
    game = one_left(preset)
    walk(game, "1 6-4>p1")
    assert knocks(game) == {0: True}
    assert play(game, "2 foul:0") == [f"2 calls 0: {PENALTY[preset]}"]
    assert hand(game, 0) == {"1-1", *PENALTY[preset].split()}


@every_knocker
def test_foul_after_the_window_is_refused(preset: str) -> None:
    """The first move of the offender's next turn has closed it (row 20)."""
    game = one_left(preset)
    walk(game, "1 6-4>p1", "2 6-3>p2")
    assert "foul:0" in choices(game, 1)
    play(game, "0 draw")
    assert why_not(game, 1, "foul:0").code == "no_foul"


@every_knocker
def test_one_tile_reached_by_a_double(preset: str) -> None:
    """Bernie and spruce do not draw and owe the knock; nm draws and holds two again (row 20)."""
    game = table(preset, hands=["6-5 5-5 1-0", "6-3 4-2 4-1"], boneyard="4-0 3-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert knocks(game) == {0: False}
    if preset == "nm":
        play(game, "0 draw")
        assert (hand(game, 0), knocks(game)) == ({"1-0", "4-0"}, {})
    else:
        assert (game.turn, choices(game, 0)) == (1, {"knock"})


@every_knocker
@pytest.mark.parametrize(("left", "drawn"), [("3-0", "3-0"), ("", "no tile")])
def test_penalty_with_one_or_no_tile_left(preset: str, left: str, drawn: str) -> None:
    """As far as the boneyard goes; the window is closed (row 20)."""
    game = one_left(preset, left)
    walk(game, "1 6-4>p1")
    assert play(game, "2 foul:0") == [f"2 calls 0: {drawn}"]
    assert knocks(game) == {}
    assert why_not(game, 1, "foul:0").code == "no_foul"


@every_knocker
def test_knock_before_foul_in_one_tick(preset: str) -> None:
    """Both come to the table at once and the knock is first: no penalty (row 20)."""
    game = one_left(preset)
    walk(game, "1 6-4>p1")
    play(game, "0 knock")
    assert why_not(game, 2, "foul:0").code == "no_foul"
    assert game.round.hand_counts[0] == 1


@every_knocker
def test_foul_before_knock_in_one_tick(preset: str) -> None:
    """Both come to the table at once and the call is first: the knock is too late (row 20)."""
    game = one_left(preset)
    walk(game, "1 6-4>p1")
    play(game, "2 foul:0")
    assert why_not(game, 0, "knock").code == "no_knock"


# --- row 21 -------------------------------------------------------------------------------


@every_builder
def test_long_first_train_may_end_in_a_double(preset: str) -> None:
    """The double owes nothing in lap 1 and binds afterwards (row 21)."""
    game = table(
        preset, hands=["6-5 5-1 2-1 2-2 4-0 4-4", "6-3 3-2 4-1", "6-4 4-3 0-0"], boneyard="3-0 1-0"
    )
    play(game, "0 6-5>p0", "0 5-1>p0", "0 2-1>p0", "0 2-2>p0")
    assert (line(game, "p0"), game.turn) == ("6-5 5-1 1-2 2-2", 1)
    assert choices(game) == {"6-3>p1"}
    play(game, "1 6-3>p1")
    assert choices(game) == {"3-2>p1", "done"}
    walk(game, "1 done", "2 6-4>p2")
    assert (game.round.lap, game.turn, open_doubles(game)) == (2, 0, ["2-2 on p0"])
    assert choices(game) == {"draw"}
    play(game, "0 draw")
    assert choices(game) == {"3-2>p0"}


@every_builder
def test_long_first_train_may_go_on_over_a_double(preset: str) -> None:
    """A tile after the double covers it (row 21)."""
    game = table(preset, hands=["6-5 5-5 5-1 1-1 4-0", "6-3 3-2 4-1"], boneyard="3-0 1-0")
    play(game, "0 6-5>p0", "0 5-5>p0", "0 5-1>p0", "0 1-1>p0")
    assert (line(game, "p0"), open_doubles(game)) == ("6-5 5-5 5-1 1-1", ["1-1 on p0"])
    assert game.turn == 1


@every_builder
def test_seat_out_in_lap_one_waits_for_the_others(preset: str) -> None:
    """The lap is finished; the seat that is out has no turn and scores 0 (row 21)."""
    game = table(preset, hands=["6-5 5-1", "6-3 3-2 4-1", "6-4 4-3 0-0"], boneyard="3-0 1-0")
    assert play(game, "0 6-5>p0", "0 5-1>p0")[-1] == "0 is out"
    walk(game, "1 6-3>p1")
    assert (game.turn, choices(game, 0)) == (2, set())
    blank = 50 if preset == "spruce" else 0
    play(game, "2 6-4>p2")
    assert play(game, "2 done") == [f"round 1 ends, 0 wins, scores 0,10,{7 + blank}"]


@every_builder
def test_seat_out_by_a_double_in_lap_one(preset: str) -> None:
    """An exempt double may be the last tile, and binds none of the others (row 21)."""
    game = table(preset, hands=["6-5 5-5", "6-3 3-2 4-1"], boneyard="3-0 1-0")
    assert play(game, "0 6-5>p0", "0 5-5>p0")[-1] == "0 is out"
    assert (game.turn, choices(game)) == (1, {"6-3>p1"})


@every_builder
def test_several_out_in_one_lap(preset: str) -> None:
    """Both score 0, and the first of them has won (row 21)."""
    game = table(preset, hands=["6-5 5-1", "6-3 3-2", "6-4 4-3 2-0"], boneyard="3-0 1-0")
    walk(game, "0 6-5>p0", "0 5-1>p0", "1 6-3>p1", "1 3-2>p1")
    play(game, "2 6-4>p2")
    assert play(game, "2 4-3>p2") == [
        "2 lays 4-3 on p2, end 3",
        "round 1 ends, 0 wins, scores 0,0,2",
    ]
