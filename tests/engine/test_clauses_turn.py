"""The precise points on turns and moves, one test a sentence (`docs/rules.md`, section 3).

`skip` has a file of its own, `test_skip`. Expected values are worked out by hand.
"""

import pytest

from tests.engine.tabletop import (
    boneyard,
    choices,
    hand,
    marked,
    play,
    table,
    walk,
    why_not,
)

MAY = "draw.play_drawn=may"
FREE = "turn.must_play=no"
UNTIL = "draw.limit=until_playable"
OWN_STUCK = "marker.on=own_stuck"


# --- turns and laps -----------------------------------------------------------------------


def test_turn_passes_to_the_next_higher_seat_and_wraps() -> None:
    """Left is the next higher number, and after the last seat comes seat 0."""
    game = table("classic", hands=["6-1 5-0", "6-2 5-1", "6-3 5-2"], boneyard="4-0", first_seat=1)
    turns = []
    for move in ("1 6-2>p1", "2 6-3>p2", "0 6-1>p0"):
        turns.append(game.turn)
        play(game, move)
    assert [*turns, game.turn] == [1, 2, 0, 1]


def test_lap_is_one_turn_of_every_seat_from_the_first_player_on() -> None:
    """Lap 1 ends when the last seat's first turn ends."""
    game = table("classic", hands=["6-1 5-0", "6-2 5-1", "6-3 5-2"], boneyard="4-0", first_seat=1)
    laps = []
    for move in ("1 6-2>p1", "2 6-3>p2", "0 6-1>p0"):
        laps.append(game.round.lap)
        play(game, move)
    assert [*laps, game.round.lap] == [1, 1, 1, 2]


def test_extra_tiles_and_covers_do_not_count_as_turns() -> None:
    """A double, its cover and the draws between are one turn of the lap."""
    game = table("classic", hands=["3-0 2-1 1-0", "5-4 4-1 3-2"], boneyard="6-5 5-0", engine="5-5")
    play(game, "0 draw", "0 6-5>p0")
    assert (game.round.lap, game.turn) == (1, 1)
    play(game, "1 5-4>p1")
    assert (game.round.lap, game.turn) == (2, 0)


def test_several_tiles_in_a_turn_do_not_count_as_turns() -> None:
    """Two tiles of one seat in lap 1 leave the other its first turn."""
    game = table("bernie", hands=["6-1 6-2 5-0", "6-3 5-2 4-1"], boneyard="4-0")
    play(game, "0 6-1>p0", "0 6-2>m0")
    assert (game.round.lap, game.turn) == (1, 1)


# --- the end of a turn, pass and draw -----------------------------------------------------


def test_turn_ends_by_itself_after_its_tile() -> None:
    """With one tile a turn nothing is left to decide after it."""
    game = table("classic", hands=["6-1 6-2 5-0", "6-3 5-2 4-1"], boneyard="4-0")
    play(game, "0 6-1>p0")
    assert game.turn == 1


def test_turn_ends_by_itself_after_a_draw_that_fits_nothing() -> None:
    """No pass is asked for after the draw."""
    game = table("classic", hands=["5-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="4-0 3-0")
    assert play(game, "0 draw") == ["0 draws 4-0", "0 is marked"]
    assert game.turn == 1


def test_turn_ends_by_itself_after_a_double_without_a_tile_for_it() -> None:
    """A double that can neither be covered nor drawn for ends the turn, without a pass."""
    game = table(
        "classic",
        "doubles.draw_self=no",
        hands=["6-5 5-5 1-0", "6-3 3-2 4-1"],
        boneyard="5-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1")
    assert play(game, "0 5-5>p0") == [
        "0 lays 5-5 on p0, end 5",
        "5-5 on p0 is open",
        "0 is marked",
    ]
    assert game.turn == 1


def test_pass_is_offered_where_a_turn_begins_with_neither_play_nor_draw() -> None:
    """First case of `pass`: an empty boneyard, or a duty without a draw."""
    game = table("classic", hands=["5-1 4-2 5-0", "6-3 5-2 4-1"])
    assert choices(game) == {"pass"}
    undrawn = table(
        "classic",
        "doubles.draw_others=no",
        "doubles.draw_self=no",
        hands=["6-5 5-5 1-0", "6-3 3-2 4-1"],
        boneyard="5-0",
    )
    walk(undrawn, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert (undrawn.turn, choices(undrawn)) == (1, {"pass"})


def test_pass_is_offered_beside_a_drawn_tile_that_may_be_kept() -> None:
    """Second case of `pass`: `play_drawn = may` and the drawn tile fits."""
    game = table("classic", MAY, hands=["5-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="6-0")
    play(game, "0 draw")
    assert choices(game) == {"6-0>p0", "6-0>m0", "pass"}


def test_pass_is_not_offered_when_the_drawn_tile_fits_nothing() -> None:
    """`play_drawn = may` with a tile that does not fit ends the turn by itself."""
    game = table("classic", MAY, hands=["5-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="4-0 3-0")
    assert play(game, "0 draw") == ["0 draws 4-0", "0 is marked"]


def test_pass_is_offered_where_nobody_must_play() -> None:
    """Third case of `pass`: `must_play = no`, where no draw is possible."""
    game = table("classic", FREE, hands=["6-1 4-2 5-0", "6-3 5-2 4-1"])
    assert choices(game) == {"6-1>p0", "6-1>m0", "pass"}


def test_seat_with_no_play_is_offered_draw_alone() -> None:
    """While the boneyard has a tile a seat without a play can only draw, `must_play = no` too."""
    for options in ((), (FREE,)):
        game = table("classic", *options, hands=["5-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="4-0")
        assert choices(game) == {"draw"}
        assert why_not(game, 0, "pass").code == "must_draw"


def test_seat_with_no_play_is_offered_pass_alone_when_the_boneyard_is_empty() -> None:
    """With an empty boneyard a seat without a play can only pass."""
    game = table("classic", hands=["5-1 4-2 5-0", "6-3 5-2 4-1"])
    assert choices(game) == {"pass"}
    assert why_not(game, 0, "draw").code == "boneyard_empty"


def test_pass_marks_whatever_marker_on_says() -> None:
    """A pass marks under `own_stuck` too, though the seat held a tile for its own train."""
    game = table("classic", FREE, OWN_STUCK, hands=["6-1 4-2 5-0", "6-3 5-2 4-1"])
    play(game, "0 pass")
    assert marked(game) == {0}


def test_pass_marks_a_seat_that_declined_a_tile_that_fits() -> None:
    """Who keeps a drawn tile that fits is marked."""
    game = table("classic", MAY, hands=["5-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="6-0")
    assert play(game, "0 draw", "0 pass")[-2:] == ["0 passes", "0 is marked"]
    assert hand(game, 0) == {"5-1", "4-2", "5-0", "6-0"}


def test_seat_that_fails_while_marked_stays_marked() -> None:
    """A second failure sets no new marker, so it counts towards a block."""
    game = table("classic", hands=["5-1 4-2 5-0", "5-3 5-2 4-1"])
    assert play(game, "0 pass", "1 pass", "0 pass") == [
        *("0 passes", "0 is marked", "1 passes", "1 is marked"),
        "0 passes",
    ]
    assert marked(game) == {0, 1}
    assert play(game, "1 pass")[1] == "the round is blocked"


# --- the drawn tile -----------------------------------------------------------------------


def test_keeping_a_drawn_tile_does_not_reach_covers() -> None:
    """`play_drawn = may`: a drawn tile that covers is laid."""
    game = table(
        "classic",
        MAY,
        "doubles.draw_self=no",
        hands=["6-5 5-5 1-0", "6-3 3-2 4-1"],
        boneyard="5-0 2-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0", "1 draw")
    assert (game.turn, choices(game)) == (1, {"5-0>p0"})


def test_keeping_a_drawn_tile_does_not_reach_extra_tiles() -> None:
    """`play_drawn = may`: a drawn tile that serves as the owed extra tile is laid."""
    game = table("classic", MAY, hands=["6-5 5-5 1-0", "6-3 3-2 4-1"], boneyard="5-0 2-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0", "0 draw")
    assert (game.turn, choices(game)) == (0, {"5-0>p0"})


def test_drawn_tile_that_fits_is_the_only_one_that_may_be_laid() -> None:
    """With `must` a seat that drew although it could play may lay the drawn tile only."""
    game = table("classic", FREE, hands=["6-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="6-0")
    play(game, "0 draw")
    assert choices(game) == {"6-0>p0", "6-0>m0", "pass"}
    refused = why_not(game, 0, "6-1>p0")
    assert (refused.code, refused.option) == ("drawn_only", "draw.play_drawn")


def test_any_tile_may_be_laid_after_a_drawn_one_that_fits_nothing() -> None:
    """With `must` and a drawn tile that fits nowhere the others are free again."""
    game = table("classic", FREE, hands=["6-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="4-0")
    play(game, "0 draw")
    assert choices(game) == {"6-1>p0", "6-1>m0", "pass"}


def test_any_tile_may_be_laid_beside_a_drawn_one_that_may_be_kept() -> None:
    """With `may` the drawn tile is a tile like the others."""
    game = table("classic", FREE, MAY, hands=["6-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="6-0")
    play(game, "0 draw")
    assert choices(game) == {"6-0>p0", "6-0>m0", "6-1>p0", "6-1>m0", "pass"}


# --- must_play = no -----------------------------------------------------------------------


def test_seat_that_need_not_play_may_draw_instead() -> None:
    """`must_play = no`: draw beside the plays, and no pass while a draw is possible."""
    game = table("classic", FREE, hands=["6-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="4-0")
    assert choices(game) == {"6-1>p0", "6-1>m0", "draw"}
    assert why_not(game, 0, "pass").code == "must_draw"


def test_seat_that_need_not_play_may_pass_after_its_draw_and_is_marked() -> None:
    """`must_play = no`: after the draw play or pass; passing marks."""
    game = table("classic", FREE, hands=["6-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="4-0")
    play(game, "0 draw", "0 pass")
    assert (game.turn, marked(game)) == (1, {0})


def test_seat_that_need_not_play_need_not_cover_either() -> None:
    """`must_play = no` under a duty: draw beside the covers."""
    game = table(
        "classic",
        FREE,
        "doubles.draw_self=no",
        hands=["6-5 5-5 1-0", "6-3 5-2 4-1"],
        boneyard="4-0 3-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert choices(game) == {"5-2>p0", "draw"}
    play(game, "1 draw", "1 pass")
    assert marked(game) == {0, 1}


def test_extra_tile_stays_compulsory_where_nobody_must_play() -> None:
    """`must_play = no` does not reach the tile after a double."""
    game = table("classic", FREE, hands=["6-5 5-5 5-0", "6-3 5-2 4-1"], boneyard="4-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert choices(game) == {"5-0>p0"}


# --- until_playable -----------------------------------------------------------------------


def test_drawing_until_playable_is_offered_again_until_a_tile_fits() -> None:
    """`draw` takes one tile and is offered again."""
    game = table("classic", UNTIL, hands=["5-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="4-0 3-0 6-0")
    for drawn in ("4-0", "3-0"):
        assert choices(game) == {"draw"}
        assert play(game, "0 draw") == [f"0 draws {drawn}"]
    play(game, "0 draw")
    assert choices(game) == {"6-0>p0", "6-0>m0"}


def test_drawing_until_playable_ends_with_the_boneyard() -> None:
    """When the boneyard is empty the turn ends with a marker."""
    game = table("classic", UNTIL, hands=["5-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="4-0 3-0")
    play(game, "0 draw", "0 draw")
    assert (game.turn, marked(game), boneyard(game)) == (1, {0}, "")


def test_drawing_until_playable_holds_for_covers() -> None:
    """Under a duty a seat draws until a tile covers."""
    game = table(
        "classic",
        UNTIL,
        "doubles.draw_self=no",
        hands=["6-5 5-5 1-0", "6-3 3-2 4-1"],
        boneyard="4-0 6-0 5-0 2-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0", "1 draw", "1 draw")
    assert (game.turn, choices(game)) == (1, {"draw"})
    play(game, "1 draw")
    assert choices(game) == {"5-0>p0"}


def test_drawing_until_playable_holds_for_extra_tiles() -> None:
    """After a double a seat draws until a tile serves."""
    game = table("classic", UNTIL, hands=["6-5 5-5 1-0", "6-3 3-2 4-1"], boneyard="4-0 6-0 5-0 2-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0", "0 draw", "0 draw")
    assert (game.turn, choices(game)) == (0, {"draw"})
    play(game, "0 draw")
    assert choices(game) == {"5-0>p0"}


# --- own_stuck ----------------------------------------------------------------------------


def test_own_stuck_marks_a_seat_that_played_elsewhere_only() -> None:
    """With no tile for the own train the marker goes on at the end of the turn."""
    game = table(
        "classic",
        OWN_STUCK,
        hands=["6-1 6-2 5-0", "6-3 5-2 4-1"],
        boneyard="4-0 3-0",
    )
    walk(game, "0 6-1>p0", "1 6-3>p1")
    assert play(game, "0 6-2>m0") == ["0 lays 6-2 on m0, end 2", "0 is marked"]


def test_own_stuck_does_not_mark_a_seat_that_held_a_tile_for_its_train() -> None:
    """Who could have played on the own train and played elsewhere is not marked."""
    game = table("classic", OWN_STUCK, hands=["6-1 6-2 5-0", "6-3 5-2 4-1"], boneyard="4-0 3-0")
    play(game, "0 6-1>m0")
    assert marked(game) == set()


def test_own_stuck_looks_again_after_each_draw() -> None:
    """A drawn tile for the own train saves the seat from the marker, even laid elsewhere."""
    game = table("classic", OWN_STUCK, hands=["5-1 4-2 5-0", "6-3 5-2 4-1"], boneyard="6-0 3-0")
    play(game, "0 draw", "0 6-0>m0")
    assert (game.turn, marked(game)) == (1, set())


def test_own_stuck_does_not_mark_after_a_turn_that_began_under_a_duty() -> None:
    """Who covers is not marked, though it holds nothing for its own train."""
    game = table(
        "classic",
        OWN_STUCK,
        "doubles.draw_self=no",
        hands=["6-5 5-5 1-0", "6-3 5-2 4-1"],
        boneyard="4-0 3-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert marked(game) == {0}
    play(game, "1 5-2>p0")
    assert (game.turn, marked(game)) == (0, {0})


def test_own_stuck_does_not_draw_where_the_seat_can_play_elsewhere() -> None:
    """A play elsewhere forbids the draw."""
    game = table("classic", OWN_STUCK, hands=["6-1 6-2 5-0", "6-3 5-2 4-1"], boneyard="4-0 3-0")
    walk(game, "0 6-1>p0", "1 6-3>p1")
    assert choices(game) == {"6-2>m0"}
    assert why_not(game, 0, "draw").code == "must_play"


def test_own_stuck_does_not_mark_a_seat_that_goes_out() -> None:
    """The last tile, laid elsewhere, leaves no marker."""
    game = table("classic", OWN_STUCK, hands=["6-1 6-2", "6-3 5-2"], boneyard="4-0 3-0")
    walk(game, "0 6-1>p0", "1 6-3>p1")
    assert play(game, "0 6-2>m0")[:2] == ["0 lays 6-2 on m0, end 2", "0 is out"]
    assert marked(game) == set()


@pytest.mark.parametrize(("penalty", "says"), [("5-3", set()), ("4-3", {0})])
def test_own_stuck_looks_again_after_a_penalty(penalty: str, says: set[int]) -> None:
    """A tile drawn for a foul is a tile held at a moment of the turn."""
    game = table(
        "classic",
        OWN_STUCK,
        *("announce.mode=knock", "announce.penalty_tiles=1"),
        hands=["6-5 1-0", "6-1 4-2 2-0"],
        boneyard=f"{penalty} 3-0",
    )
    play(game, "0 6-5>p0", "1 6-1>m0", "1 foul:0", "0 1-0>m0")
    assert (game.turn, marked(game)) == (1, says)


def test_own_stuck_does_not_look_at_a_penalty_of_another_seat() -> None:
    """What seat 0 draws in the turn of seat 2 does not save seat 2 from its marker."""
    game = table(
        "classic",
        OWN_STUCK,
        *("announce.mode=knock", "announce.penalty_tiles=1"),
        hands=["6-1 5-1 3-0", "6-2 2-1 4-4", "6-4 6-3 0-0"],
        boneyard="5-2 2-0",
    )
    play(game, "0 6-1>p0", "1 6-2>p1", "2 6-4>p2", "0 5-1>p0", "1 2-1>p1")
    play(game, "1 foul:0", "2 6-3>m0")
    assert marked(game) == {2}
