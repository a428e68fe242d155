"""The awkward positions of ordinary turns, rows 11 and 13 to 17 (`docs/rules.md`, section 5).

Each in every preset that it concerns, by the table of presets. Expected values are worked out by
hand. Row 10 stands in `test_setup`.
"""

import pytest
from mexican_train.engine import Move

from tests.engine.tabletop import (
    ALL,
    ANY_PLAY,
    boneyard,
    but,
    choices,
    marked,
    play,
    table,
    trains,
    walk,
)

every_preset = pytest.mark.parametrize("preset", ALL)


# --- row 11 -------------------------------------------------------------------------------


@every_preset
def test_mexican_train_needs_the_engines_number_to_start(preset: str) -> None:
    """Without a 6 in hand it cannot be used (row 11)."""
    game = table(preset, hands=["6-5 5-1 1-0", "6-3 4-2 4-1"], boneyard="4-0")
    walk(game, "0 6-5>p0", "1 6-3>p1")
    assert choices(game) == {"5-1>p0"}
    refused = game.explain(0, Move.parse("5-1>m0"))
    assert refused is not None
    assert (refused.code, refused.params["end"]) == ("does_not_fit", 6)


@every_preset
def test_mexican_train_that_can_never_start_is_no_block(preset: str) -> None:
    """All six 6s lie on personal trains; drawing and playing go on (row 11)."""
    game = table(
        preset,
        hands=["6-1 4-1 6-4 6-0 3-2 3-3", "6-2 5-2 6-5 5-1", "6-3 3-1 2-1 2-0 4-3"],
        boneyard="4-4 5-3 5-0",
    )
    walk(
        game,
        *("0 6-1>p0", "1 6-2>p1", "2 6-3>p2"),
        *("0 4-1>p0", "1 5-2>p1", "2 3-1>p2"),
        *("0 6-4>p0", "1 6-5>p1", "2 2-1>p2"),
        *("0 6-0>p0", "1 draw"),
    )
    assert trains(game) == ["p0", "p1", "p2"]
    assert (game.turn, marked(game), choices(game)) == (2, {1}, {"2-0>p2"})


# --- row 13 -------------------------------------------------------------------------------


@every_preset
def test_marked_seat_may_prefer_another_train(preset: str) -> None:
    """Its marker stays, but comes off in bernie and deluxe by a tile anywhere (row 13).

    Seat 1 has laid 5-4 on the marked train of seat 0, seat 2 has started the Mexican Train.
    """
    game = table(
        preset,
        hands=["6-5 4-1 1-0", "6-3 5-4 4-4 2-1", "6-2 6-1 3-3"],
        boneyard="3-0 2-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "2 6-2>p2", "0 draw", "1 5-4>p0", "2 6-1>m0")
    assert (game.turn, marked(game)) == (0, {0})
    assert choices(game) - {"foul:1", "foul:2"} == {"4-1>p0", "4-1>m0", "1-0>m0"}
    play(game, "0 1-0>m0")
    assert marked(game) == (set() if preset in ANY_PLAY else {0})


# --- row 14 -------------------------------------------------------------------------------


@every_preset
def test_drawn_tile_that_fits_another_open_train_only(preset: str) -> None:
    """It is played and nobody is marked for it; spruce may keep it (row 14)."""
    game = table(preset, hands=["6-5 1-0 2-0", "6-3 4-2 4-1"], boneyard="4-0 5-1 3-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 draw")
    assert (marked(game), choices(game)) == ({0}, {"draw"})
    play(game, "1 draw")
    assert choices(game) == ({"5-1>p0", "pass"} if preset == "spruce" else {"5-1>p0"})
    play(game, "1 5-1>p0")
    assert (game.turn, marked(game)) == (0, {0})


# --- row 15 -------------------------------------------------------------------------------


@every_preset
def test_last_tile_of_the_boneyard_does_not_fit(preset: str) -> None:
    """The seat is marked, and play goes on (row 15)."""
    game = table(preset, hands=["3-1 2-1 1-0", "6-4 5-0 2-2"], boneyard="4-0")
    assert play(game, "0 draw") == ["0 draws 4-0", "0 is marked"]
    assert (game.phase, game.turn, boneyard(game)) == ("play", 1, "")
    assert "6-4>p1" in choices(game)


# --- row 16 -------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", but("bernie"))
def test_new_marker_that_gives_an_earlier_passer_a_play_is_no_block(preset: str) -> None:
    """Both have passed in a row, and seat 0 can lay 2-1 on the newly marked train (row 16).

    Bernie ends at the first of these seats, which would have to draw.
    """
    game = table(preset, hands=["6-5 2-1 1-0", "6-3 3-2 4-3 1-1"], boneyard="4-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 draw", "1 3-2>p1")
    assert play(game, "0 pass") == ["0 passes"]
    assert play(game, "1 pass") == ["1 passes", "1 is marked"]
    assert (game.phase, choices(game)) == ("play", {"2-1>p1"})


def test_first_passer_of_row_16_ends_bernie() -> None:
    """The seat that must draw from an empty boneyard ends the round (row 16)."""
    game = table("bernie", hands=["6-5 2-1 1-0", "6-3 3-2 4-3 1-1"], boneyard="4-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 draw")
    assert "the round is blocked" in play(game, "1 3-2>p1")


# --- row 17 -------------------------------------------------------------------------------


@every_preset
def test_drawing_goes_on_while_nobody_can_play(preset: str) -> None:
    """With tiles in the boneyard there is no block, though all are marked (row 17)."""
    game = table(preset, hands=["3-1 2-1 1-0", "5-4 5-0 2-2"], boneyard="4-0 4-1 3-0 5-1 6-2")
    for seat in (0, 1, 0, 1):
        assert choices(game) == {"draw"}
        play(game, f"{seat} draw")
    assert (game.phase, marked(game)) == ("play", {0, 1})
    play(game, "0 draw")
    assert "6-2>p0" in choices(game)
