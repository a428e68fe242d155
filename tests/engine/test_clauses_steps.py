"""The eleven steps of a round, one test a sentence (`docs/rules.md`, section 3, steps 1 to 8).

Mostly by `classic`; a step that only another option shows names that option. Every expected value
is worked out by hand from the sentence.
"""

import pytest

from tests.engine.tabletop import (
    BLANKS,
    LAY_BLANKS,
    boneyard,
    choices,
    hand,
    line,
    marked,
    open_doubles,
    play,
    table,
    trains,
    walk,
    why_not,
)

# 5-5 lies uncovered on the train of seat 0, which is closed: this seat neither drew nor was marked.
QUIET = ("doubles.draw_self=no", "doubles.mark_self=no")


# --- 1. deal ------------------------------------------------------------------------------


def test_engine_is_no_double_to_cover() -> None:
    """The engine lies in the middle and binds nobody (step 1)."""
    game = table("classic", hands=["6-5 1-0 2-0", "5-4 1-1 2-1"])
    assert open_doubles(game) == []
    assert choices(game) == {"6-5>p0", "6-5>m0"}


def test_holder_lays_the_engine_and_takes_a_normal_first_turn() -> None:
    """Who holds the engine is one tile short and then plays one tile like anybody (step 1)."""
    game = table("reference", hands=["5-4 1-1 2-1", "6-6 6-5 1-0"])
    assert game.turn == 1
    assert game.round.hand_counts == (3, 2)
    assert choices(game) == {"6-5>p1", "6-5>m0"}
    play(game, "1 6-5>p1")
    assert game.turn == 0


# --- 2. duty ------------------------------------------------------------------------------


def test_open_double_is_covered_before_anything_else() -> None:
    """A seat under a duty may only cover, on a closed train of another seat too (step 2)."""
    game = table(
        "classic", *QUIET, hands=["6-5 5-5 1-0 2-0", "6-4 5-4 5-3 4-1"], boneyard="3-1 3-2"
    )
    play(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0")
    assert (game.turn, marked(game), open_doubles(game)) == (1, set(), ["5-5 on p0"])
    assert choices(game) == {"5-4>p0", "5-3>p0"}


def test_cover_on_a_closed_train_does_not_open_it() -> None:
    """After the cover the train of the other seat is as closed as before (step 2)."""
    game = table("classic", *QUIET, hands=["6-5 5-5 1-0 2-0", "6-4 5-4 5-3 4-1"], boneyard="3-1")
    play(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0", "1 5-4>p0")
    assert (game.turn, marked(game), open_doubles(game)) == (0, set(), [])
    assert game.round.awaited == "play"
    play(game, "0 draw")
    assert marked(game) == {0}
    assert why_not(game, 1, "5-3>p0").code == "does_not_fit"


def test_duty_binds_a_seat_whose_own_train_has_not_started() -> None:
    """Covering comes before the own first tile (step 2)."""
    game = table(
        "classic", *QUIET, hands=["6-5 5-5 1-0 2-0", "6-4 6-3 5-3 4-1"], boneyard="3-1 3-2"
    )
    play(game, "0 6-5>p0", "1 6-4>m0", "0 5-5>p0")
    assert line(game, "p1") == ""
    assert choices(game) == {"5-3>p0"}


# --- 3. where a seat may play -------------------------------------------------------------


def test_seat_may_play_on_own_mexican_and_marked_trains() -> None:
    """Own train, a Mexican Train to start or to extend, and marked trains of others (step 3).

    A marked train that has not been started takes its first tile at the marker.
    """
    game = table("classic", hands=["3-1 2-1 1-0", "6-5 2-0 1-1", "5-4 6-3 3-2"], boneyard="3-0 4-0")
    play(game, "0 draw")
    assert (game.turn, marked(game), trains(game)) == (1, {0}, ["p0", "p1", "p2"])
    assert choices(game) == {"6-5>p1", "6-5>p0", "6-5>m0"}
    play(game, "1 6-5>m0")
    assert choices(game) == {"6-3>p2", "6-3>p0", "5-4>m0"}


def test_closed_train_of_another_is_not_open() -> None:
    """Without its marker a train is its owner's alone (step 3)."""
    game = table("classic", hands=["6-5 1-0 2-0", "6-4 5-4 2-1"], boneyard="3-0")
    play(game, "0 6-5>p0")
    assert choices(game) == {"6-4>p1", "6-4>m0"}
    refused = why_not(game, 1, "5-4>p0")
    assert (refused.code, refused.params) == ("not_open", {"train": "p0"})


# --- 4. nothing fits ----------------------------------------------------------------------


def test_drawn_tile_that_fits_is_played() -> None:
    """Nothing fits: one tile is drawn, and played if it fits (step 4)."""
    game = table("classic", hands=["3-1 2-1 1-0", "6-5 2-0 1-1"], boneyard="6-2 4-0")
    assert choices(game) == {"draw"}
    play(game, "0 draw")
    assert choices(game) == {"6-2>p0", "6-2>m0"}
    assert play(game, "0 6-2>p0") == ["0 lays 6-2 on p0, end 2"]
    assert (game.turn, marked(game)) == (1, set())


def test_draw_that_fits_nothing_ends_the_turn_with_a_marker() -> None:
    """Still nothing: marker on, turn over (step 4)."""
    game = table("classic", hands=["3-1 2-1 1-0", "6-5 2-0 1-1"], boneyard="4-0 6-2")
    assert play(game, "0 draw") == ["0 draws 4-0", "0 is marked"]
    assert (game.turn, boneyard(game)) == (1, "6-2")
    assert hand(game, 0) == {"3-1", "2-1", "1-0", "4-0"}


def test_empty_boneyard_leaves_a_pass_with_a_marker() -> None:
    """With an empty boneyard: marker on, turn over (step 4)."""
    game = table("classic", hands=["3-1 2-1 1-0", "6-5 2-0 1-1"])
    assert choices(game) == {"pass"}
    assert play(game, "0 pass") == ["0 passes", "0 is marked"]
    assert game.turn == 1


@pytest.mark.parametrize("move", ["draw", "pass"])
def test_seat_that_can_play_may_neither_draw_nor_pass(move: str) -> None:
    """A seat that can play must (step 4)."""
    game = table("classic", hands=["6-1 2-1 1-0", "6-5 2-0 1-1"], boneyard="4-0")
    refused = why_not(game, 0, move)
    assert (refused.code, refused.option) == ("must_play", "turn.must_play")


# --- 5. a double laid ---------------------------------------------------------------------


def test_tile_after_a_double_goes_on_the_double_at_once() -> None:
    """The layer owes a tile on the double, though other tiles fit elsewhere (step 5)."""
    game = table("classic", hands=["6-5 5-5 5-1 6-3 2-0", "6-4 5-4 4-1 3-2"], boneyard="3-1 3-0")
    play(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0")
    assert (game.turn, game.round.awaited, choices(game)) == (0, "extra", {"5-1>p0"})
    assert play(game, "0 5-1>p0") == ["0 lays 5-1 on p0, end 1", "5-5 on p0 is covered"]
    assert game.turn == 1


def test_with_anywhere_the_tile_may_go_on_any_train_and_the_double_binds_the_next_seat() -> None:
    """`anywhere`: the double stays open and the next seat must cover it (step 5)."""
    game = table("official", hands=["6-5 5-5 5-1 6-3 2-0", "6-4 5-4 4-1 3-2"], boneyard="3-1 3-0")
    play(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0")
    assert choices(game) == {"5-1>p0", "6-3>m0"}
    play(game, "0 6-3>m0")
    assert (game.turn, open_doubles(game), choices(game)) == (1, ["5-5 on p0"], {"5-4>p0"})


def test_tile_drawn_for_a_double_is_laid_if_it_fits() -> None:
    """A tile drawn for the extra tile that fits is laid (step 5)."""
    game = table("classic", hands=["6-5 5-5 1-0 2-0", "6-4 4-1 3-2"], boneyard="5-3 3-0")
    play(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0")
    assert choices(game) == {"draw"}
    play(game, "0 draw")
    assert choices(game) == {"5-3>p0"}
    play(game, "0 5-3>p0")
    assert (game.turn, marked(game)) == (1, set())


def test_double_drawn_and_laid_owes_its_tile_with_a_draw_of_its_own() -> None:
    """The draw for the turn and the draw for the double are two (step 5)."""
    game = table("classic", hands=["6-5 1-0 2-0", "6-4 4-1 3-2"], boneyard="5-5 5-3 3-0")
    play(game, "0 6-5>p0", "1 6-4>p1", "0 draw")
    assert choices(game) == {"5-5>p0"}
    play(game, "0 5-5>p0")
    assert choices(game) == {"draw"}
    play(game, "0 draw")
    assert choices(game) == {"5-3>p0"}


# --- 6. out -------------------------------------------------------------------------------


def test_last_tile_ends_the_round_at_once() -> None:
    """Nobody plays after the last tile of a hand (step 6)."""
    game = table("classic", hands=["6-5", "6-4 4-1", "5-4 4-3"], boneyard="3-0")
    assert play(game, "0 6-5>p0") == [
        "0 lays 6-5 on p0, end 5",
        "0 is out",
        "round 1 ends, 0 wins, scores 0,15,16",
    ]
    assert (game.phase, game.turn, choices(game)) == ("round_over", None, set())


def test_last_tile_may_be_a_double() -> None:
    """With `go_out_uncovered` a double as the last tile ends the round (step 6)."""
    game = table("classic", hands=["6-5 5-5", "6-4 4-1"], boneyard="5-3")
    walk(game, "0 6-5>p0", "1 6-4>p1")
    assert play(game, "0 5-5>p0")[-2:] == ["0 is out", "round 1 ends, 0 wins, scores 0,5"]


def test_last_double_that_must_be_covered_draws_and_is_out_by_its_cover() -> None:
    """`go_out_uncovered = no`: the empty hand draws; with a cover it is out (step 6)."""
    game = table("tournament", hands=["6-5 5-5", "6-4 4-1"], boneyard="5-3 3-0")
    walk(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0")
    assert (game.turn, choices(game)) == (0, {"draw"})
    play(game, "0 draw")
    assert choices(game) == {"5-3>p0"}
    assert play(game, "0 5-3>p0")[-1] == "round 1 ends, 0 wins, scores 0,5"


def test_last_double_that_is_not_covered_keeps_the_drawn_tile() -> None:
    """`go_out_uncovered = no`: a drawn tile that does not cover is kept (step 6)."""
    game = table("tournament", hands=["6-5 5-5", "6-4 4-1"], boneyard="3-0 3-1")
    walk(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0", "0 draw")
    assert (game.turn, hand(game, 0), marked(game)) == (1, {"3-0"}, {0})
    assert open_doubles(game) == ["5-5 on p0"]


def test_last_double_is_out_when_the_boneyard_is_empty() -> None:
    """`go_out_uncovered = no`: with an empty boneyard the seat is out (step 6)."""
    game = table("tournament", hands=["6-5 5-5", "6-4 4-1"])
    walk(game, "0 6-5>p0", "1 6-4>p1")
    assert play(game, "0 5-5>p0")[-2:] == ["0 is out", "round 1 ends, 0 wins, scores 0,5"]


# --- 7. blocked ---------------------------------------------------------------------------


def test_round_is_blocked_when_a_lap_of_passes_changed_nothing() -> None:
    """New markers start the count again; everybody scores the own hand (step 7)."""
    game = table("classic", hands=["3-1 2-1 1-0", "4-1 4-2 5-4"])
    play(game, "0 pass", "1 pass", "0 pass")
    assert (game.phase, marked(game)) == ("play", {0, 1})
    assert play(game, "1 pass") == [
        "1 passes",
        "the round is blocked",
        "round 1 ends, 0 wins, scores 8,20",
    ]
    assert game.round.blocked


def test_first_stuck_ends_the_round_when_a_seat_must_draw_from_an_empty_boneyard() -> None:
    """`first_stuck`: without pass or marker (step 7)."""
    game = table("classic", "round.blocked=first_stuck", hands=["6-5 2-1 1-0", "4-1 4-2 5-4"])
    assert play(game, "0 6-5>p0") == [
        "0 lays 6-5 on p0, end 5",
        "the round is blocked",
        "round 1 ends, 0 wins, scores 4,20",
    ]
    assert marked(game) == set()


# --- 8. dead number -----------------------------------------------------------------------


def test_double_whose_number_all_lies_on_the_table_binds_nobody() -> None:
    """`dead_number`: no tile is owed and the next seat plays freely (step 8)."""
    game = table(
        "classic", hands=[BLANKS[0] + " 3-1", BLANKS[1] + " 6-1"], boneyard="3-2", first_seat=1
    )
    walk(game, *LAY_BLANKS)
    assert play(game, "0 0-0>p0") == [
        "0 lays 0-0 on p0, end 0",
        "0-0 on p0 is open",
        "0-0 on p0 lapses: dead_number",
    ]
    assert (game.turn, marked(game), choices(game)) == (1, set(), {"6-1>m0"})


def test_tiles_in_hands_and_boneyard_do_not_make_a_number_dead() -> None:
    """What lies is what counts: with 4-0 in a hand the double binds (step 8)."""
    game = table(
        "classic", hands=[BLANKS[0] + " 3-1", BLANKS[1] + " 6-1"], boneyard="3-2", first_seat=1
    )
    walk(game, *LAY_BLANKS[:-1], "1 6-1>m0", "0 0-0>p0", "0 draw")
    assert (game.turn, open_doubles(game), marked(game)) == (1, ["0-0 on p0"], {0})
    assert choices(game) == {"4-0>p0"}


def test_boneyard_empty_ends_every_duty() -> None:
    """`boneyard_empty`: with the boneyard empty a double binds nobody (step 8)."""
    lapse = "doubles.lapse=boneyard_empty"
    game = table("classic", lapse, hands=["6-5 5-5 1-0", "6-4 5-4 4-1"], boneyard="3-1")
    walk(game, "0 6-5>p0", "1 6-4>p1", "0 5-5>p0", "0 draw")
    assert (game.turn, marked(game), open_doubles(game)) == (1, {0}, [])
    assert choices(game) == {"5-4>p0", "5-4>p1", "4-1>p1"}
