"""The awkward positions with doubles, rows 1 to 9, 18 and 19 (`docs/rules.md`, section 5).

Each in every preset that it concerns, by the table of presets. Most have seat 0 lay 5-5 on its own
train in lap 2 of a double-6 game, the trains being 6-5 and 6-3. Expected values are worked out by
hand.
"""

import pytest
from mexican_train.engine import Game

from tests.engine.tabletop import (
    ALL,
    ANYWHERE,
    BLANKS,
    DRAW_SELF,
    LAY_BLANKS,
    MUST_COVER_LAST,
    but,
    choices,
    hand,
    line,
    marked,
    open_doubles,
    play,
    table,
    walk,
)

every_preset = pytest.mark.parametrize("preset", ALL)


def fail_for_the_double(game: Game, preset: str) -> None:
    """The doubler has no tile for its double: where it draws, it draws one that does not fit."""
    if preset in DRAW_SELF:
        assert choices(game) == {"draw"}
        play(game, "0 draw")
    assert game.turn == 1


# --- row 1 --------------------------------------------------------------------------------


@every_preset
def test_last_tile_is_a_double(preset: str) -> None:
    """Out at once, but in tournament and deluxe the empty hand draws (row 1)."""
    game = table(preset, hands=["6-5 5-5", "6-3 4-2 4-1"], boneyard="4-0 3-0")
    walk(game, "0 6-5>p0", "1 6-3>p1")
    said = play(game, "0 5-5>p0")
    if preset in MUST_COVER_LAST:
        assert (game.turn, choices(game)) == (0, {"draw"})
        play(game, "0 draw")
        assert (game.turn, hand(game, 0), marked(game)) == (1, {"4-0"}, {0})
    else:
        assert said[-2:] == ["0 is out", "round 1 ends, 0 wins, scores 0,11"]


@pytest.mark.parametrize("preset", MUST_COVER_LAST)
def test_last_double_is_covered_by_a_drawn_tile(preset: str) -> None:
    """The drawn tile covers, and the seat is out (row 1)."""
    game = table(preset, hands=["6-5 5-5", "6-3 4-2 4-1"], boneyard="5-4 3-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0", "0 draw")
    assert choices(game) == {"5-4>p0"}
    assert "0 is out" in play(game, "0 5-4>p0")


@pytest.mark.parametrize("preset", MUST_COVER_LAST)
def test_last_double_with_an_empty_boneyard_is_out(preset: str) -> None:
    """Nothing can be drawn, so the seat is out (row 1)."""
    game = table(preset, hands=["6-5 5-5", "6-3 4-2 4-1"])
    walk(game, "0 6-5>p0", "1 6-3>p1")
    assert "0 is out" in play(game, "0 5-5>p0")


# --- rows 2 and 3 -------------------------------------------------------------------------


@every_preset
def test_drawn_double_without_a_cover(preset: str) -> None:
    """Reference, bernie and spruce do not draw and the double stays open; the rest draw (row 2)."""
    game = table(preset, hands=["6-5 1-0 2-0", "6-3 4-2 4-1"], boneyard="5-5 5-4 3-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 draw")
    assert choices(game) == ({"5-5>p0", "pass"} if preset == "spruce" else {"5-5>p0"})
    play(game, "0 5-5>p0")
    if preset in DRAW_SELF:
        assert (game.turn, choices(game)) == (0, {"draw"})
        play(game, "0 draw")
        assert choices(game) == {"5-4>p0"}
    else:
        assert (game.turn, open_doubles(game)) == (1, ["5-5 on p0"])


@every_preset
def test_doubler_that_cannot_cover(preset: str) -> None:
    """Marked where it drew, not in reference, bernie and spruce (row 3)."""
    game = table(preset, hands=["6-5 5-5 1-0 2-0", "6-3 4-2 4-1"], boneyard="4-0 3-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    fail_for_the_double(game, preset)
    assert marked(game) == ({0} if preset in DRAW_SELF else set())
    assert open_doubles(game) == ["5-5 on p0"]


# --- row 4 --------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["reference", "bernie", "spruce", "official", "pagat"])
def test_double_on_a_closed_train_of_another(preset: str) -> None:
    """Its number must be laid there, and the train is closed after it (row 4).

    Seat 0 is not marked for its double, or has laid the extra tile elsewhere.
    """
    elsewhere = preset in ("official", "pagat")
    game = table(
        preset,
        hands=[f"6-5 5-5 {'6-2' if elsewhere else '1-0'} 2-0", "6-3 5-4 3-1 4-1"],
        boneyard="4-0 3-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0", *(["0 6-2>m0"] if elsewhere else []))
    assert (game.turn, marked(game), choices(game)) == (1, set(), {"5-4>p0"})
    play(game, "1 5-4>p0")
    assert (line(game, "p0"), marked(game)) == ("6-5 5-5 5-4", set())
    assert "4-1>p0" not in choices(game, 1)


# --- row 5 --------------------------------------------------------------------------------


def double_on_a_marked_train(preset: str, cover: str, drawn: str) -> Game:
    """Seat 0 is marked; seat 1 has laid 5-5 on its train and failed. Seat 2 is to act."""
    extra = "2-0 " if preset in DRAW_SELF else ""
    game = table(
        preset,
        hands=["6-5 1-0 1-1 0-0", "6-3 5-5 4-1 2-1", f"6-2 4-3 3-1 {cover}"],
        boneyard=f"4-0 {extra}{drawn}",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "2 6-2>p2", "0 draw", "1 5-5>p0")
    if extra:
        play(game, "1 draw")
    assert game.turn == 2
    assert 0 in marked(game)
    return game


@every_preset
def test_cover_on_the_marked_train_of_another_leaves_its_marker(preset: str) -> None:
    """Seat 2 covers on the train of seat 0, which stays marked (row 5)."""
    game = double_on_a_marked_train(preset, "5-4", "3-0")
    assert choices(game) == {"5-4>p0"}
    play(game, "2 5-4>p0")
    assert 0 in marked(game)


@every_preset
def test_cover_on_the_own_marked_train_takes_the_marker_off(preset: str) -> None:
    """Seat 0 draws a cover for its own train (row 5)."""
    game = double_on_a_marked_train(preset, "4-4", "3-0 5-1")
    play(game, "2 draw")
    assert (game.turn, 2 in marked(game)) == (0, True)
    play(game, "0 draw")
    assert choices(game) == {"5-1>p0"}
    assert "0 is unmarked" in play(game, "0 5-1>p0")
    assert 0 not in marked(game)


# --- row 6 --------------------------------------------------------------------------------


@every_preset
def test_uncovered_double_on_the_own_marked_train(preset: str) -> None:
    """The marker comes off by the double, and goes on again where `mark_self` (row 6)."""
    game = table(preset, hands=["6-5 1-0 2-0", "6-3 3-1 4-2 4-1"], boneyard="4-0 5-5 3-0 3-2")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 draw")
    assert marked(game) == {0}
    walk(game, "1 3-1>p1", "0 draw")
    said = play(game, "0 5-5>p0")
    assert said[:2] == ["0 lays 5-5 on p0, end 5", "0 is unmarked"]
    if preset in DRAW_SELF:
        assert play(game, "0 draw")[-1] == "0 is marked"
    assert (game.turn, marked(game)) == (1, {0} if preset in DRAW_SELF else set())


# --- row 7 --------------------------------------------------------------------------------


def two_open_doubles(preset: str, cover: str) -> Game:
    """5-5 on p0 and, newer, 1-1 on m0 lie open; seat 1 is to act."""
    game = table(
        preset,
        hands=["6-5 5-5 6-1 1-1 6-0 0-0", f"6-3 4-3 2-1 {cover}"],
        boneyard="4-0 3-0 3-2",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 6-1>m0", "1 4-3>p1", "0 5-5>p0", "0 1-1>m0")
    fail_for_the_double(game, preset)
    assert open_doubles(game) == ["5-5 on p0", "1-1 on m0"]
    return game


@pytest.mark.parametrize("preset", ANYWHERE)
def test_oldest_of_two_doubles_is_covered_first(preset: str) -> None:
    """A seat that holds both numbers covers the older (row 7)."""
    game = two_open_doubles(preset, "5-2")
    assert choices(game) == {"5-2>p0"}
    play(game, "1 5-2>p0")
    assert open_doubles(game) == ["1-1 on m0"]


@pytest.mark.parametrize("preset", ANYWHERE)
def test_seat_with_the_newer_number_only_draws_and_is_marked(preset: str) -> None:
    """Its 2-1 would cover 1-1, whose turn has not come (row 7)."""
    game = two_open_doubles(preset, "4-2")
    assert choices(game) == {"draw"}
    assert play(game, "1 draw")[-1] == "1 is marked"
    assert open_doubles(game) == ["5-5 on p0", "1-1 on m0"]


# --- row 8 --------------------------------------------------------------------------------


def test_empty_boneyard_lifts_the_duty_in_reference() -> None:
    """At once, and for a seat that holds a cover too (row 8)."""
    game = table("reference", hands=["6-5 5-5 1-0 2-0", "6-3 5-4 3-1 4-1"])
    walk(game, "0 6-5>p0", "1 6-3>p1")
    assert play(game, "0 5-5>p0")[-1] == "5-5 on p0 lapses: boneyard_empty"
    assert (game.turn, game.round.awaited, choices(game)) == (1, "play", {"3-1>p1"})


def test_boneyard_that_empties_later_lifts_the_duty_in_reference() -> None:
    """A seat draws the last tile for a cover and fails; the next one is free (row 8)."""
    game = table("reference", hands=["6-5 5-5 1-0 2-0", "6-3 3-1 4-1"], boneyard="4-0")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    assert play(game, "1 draw")[-1] == "5-5 on p0 lapses: boneyard_empty"
    assert (game.turn, game.round.awaited) == (0, "play")


@pytest.mark.parametrize("preset", but("reference", "bernie"))
def test_empty_boneyard_passes_the_duty_round(preset: str) -> None:
    """To whoever holds a cover: seat 1 passes and is marked, seat 2 must cover (row 8)."""
    game = table(preset, hands=["6-5 5-5 1-0 2-0", "6-3 3-1 4-1", "6-2 5-4 2-1"])
    walk(game, "0 6-5>p0", "1 6-3>p1", "2 6-2>p2", "0 5-5>p0")
    assert (game.turn, choices(game)) == (1, {"pass"})
    assert play(game, "1 pass") == ["1 passes", "1 is marked"]
    assert choices(game) == {"5-4>p0"}


def test_empty_boneyard_ends_bernie_at_the_first_stuck_seat() -> None:
    """Seat 1 would have to draw: no pass, no marker, the round is over (row 8)."""
    game = table("bernie", hands=["6-5 5-5 1-0 2-0", "6-3 3-1 4-1", "6-2 5-4 2-1"])
    walk(game, "0 6-5>p0", "1 6-3>p1", "2 6-2>p2")
    assert play(game, "0 5-5>p0") == [
        "0 lays 5-5 on p0, end 5",
        "5-5 on p0 is open",
        "the round is blocked",
        "round 1 ends, 0 wins, scores 3,9,12",
    ]


# --- row 9 --------------------------------------------------------------------------------


@every_preset
def test_double_of_a_number_that_is_all_down(preset: str) -> None:
    """Nobody is bound; with `anywhere` the extra tile is still owed (row 9).

    All other blanks lie on the two trains. Bernie may go on as after a covered double.
    """
    game = table(
        preset,
        hands=[f"{BLANKS[0]} 6-1 3-1", f"{BLANKS[1]} 6-2 2-2"],
        boneyard="3-2 4-3",
        first_seat=1,
    )
    walk(game, *LAY_BLANKS)
    assert play(game, "0 0-0>p0")[-1] == "0-0 on p0 lapses: dead_number"
    assert (open_doubles(game), marked(game)) == ([], set())
    if preset in ANYWHERE:
        assert (game.round.awaited, choices(game)) == ("extra", {"6-1>m0"})
        play(game, "0 6-1>m0")
    elif preset == "bernie":
        assert choices(game) == {"6-1>m0", "done"}
        play(game, "0 done")
    assert (game.turn, game.round.awaited) == (1, "play")


# --- row 18 -------------------------------------------------------------------------------


@every_preset
def test_only_a_blank_covers_the_double_blank(preset: str) -> None:
    """The doubler and the next seat can cover 0-0 with a blank only (row 18)."""
    game = table(preset, hands=["6-0 0-0 2-1 4-1", "6-3 3-0 4-3"], boneyard="5-4 3-2")
    walk(game, "0 6-0>p0", "1 6-3>p1", "0 0-0>p0")
    fail_for_the_double(game, preset)
    assert choices(game) == {"3-0>p0"}


@every_preset
def test_doubler_covers_the_double_blank_with_a_blank(preset: str) -> None:
    """Or lays the extra tile elsewhere, where that is allowed (row 18)."""
    game = table(preset, hands=["6-0 0-0 1-0 6-1", "6-3 3-0 4-3"], boneyard="5-4 3-2")
    walk(game, "0 6-0>p0", "1 6-3>p1")
    play(game, "0 0-0>p0")
    assert choices(game) == ({"1-0>p0", "6-1>m0"} if preset in ANYWHERE else {"1-0>p0"})


@every_preset
def test_double_blank_is_the_engine_of_the_last_round(preset: str) -> None:
    """Every train starts with a blank, and 0-0 is no double to cover (row 18)."""
    game = table(
        preset,
        *("game.rounds=1", "game.first_engine=0"),
        hands=["6-0 5-4 2-1", "3-0 6-3 4-3"],
        boneyard="5-0",
        engine="0-0",
    )
    assert open_doubles(game) == []
    assert "6-0>p0" in choices(game)
    walk(game, "0 6-0>p0")
    assert choices(game) >= {"3-0>p1"}


# --- row 19 -------------------------------------------------------------------------------


@every_preset
def test_duty_returns_to_the_doubler(preset: str) -> None:
    """Two players: after the other failed, the doubler must cover or draw (row 19)."""
    game = table(preset, hands=["6-5 5-5 1-0 2-0", "6-3 4-2 4-1"], boneyard="4-0 3-0 3-2 2-2")
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    fail_for_the_double(game, preset)
    assert play(game, "1 draw")[-1] == "1 is marked"
    assert (game.turn, game.round.awaited, choices(game)) == (0, "cover", {"draw"})
    play(game, "0 draw")
    assert marked(game) == {0, 1}
