"""`skip`, the table's move for a seat that is away, in every preset and every kind of turn.

It draws once if the seat was offered `draw` alone, lays nothing and ends the turn (`docs/rules.md`,
precise points on turns). Expected values are worked out by hand from the table of presets.
"""

import pytest
from mexican_train.engine import Game, Move

from tests.engine.tabletop import (
    ALL,
    DRAW_SELF,
    boneyard,
    but,
    choices,
    hand,
    knocks,
    marked,
    open_doubles,
    play,
    table,
    walk,
)

GO_ON = ("bernie", "pagat", "spruce", "deluxe")
"""Presets in which a first turn may hold a second tile that no double asks for."""


@pytest.fixture(params=ALL)
def preset(request: pytest.FixtureRequest) -> str:
    """Every preset in turn."""
    return str(request.param)


def open_double(preset: str, cover: str, boneyard: str) -> Game:
    """5-5 lies on p0, just laid by seat 0 in lap 2; seat 1 holds `cover`."""
    game = table(preset, hands=["6-5 5-5 1-0 2-0", f"6-3 4-2 4-1 {cover}"], boneyard=boneyard)
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0")
    return game


def test_skip_of_a_seat_with_a_play_lays_nothing_and_marks(preset: str) -> None:
    """In a normal turn with a play nothing is drawn, and the seat is marked as by a pass."""
    game = table(preset, hands=["6-5 1-0 2-0", "6-4 5-4 2-1"], boneyard="3-0 3-1")
    assert play(game, "0 skip") == ["0 is skipped", "0 is marked"]
    assert (game.turn, hand(game, 0), boneyard(game)) == (1, {"6-5", "1-0", "2-0"}, "3-0 3-1")


def test_skip_of_a_seat_that_can_only_draw_draws_once(preset: str) -> None:
    """A drawn tile that fits is not laid; the seat is marked."""
    game = table(preset, hands=["3-1 2-1 1-0", "6-4 5-4 2-2"], boneyard="6-2 6-0")
    assert play(game, "0 skip") == ["0 is skipped", "0 draws 6-2", "0 is marked"]
    assert (game.turn, hand(game, 0)) == (1, {"3-1", "2-1", "1-0", "6-2"})


def test_skip_under_a_duty_that_could_be_met_marks_by_mark_others(preset: str) -> None:
    """A seat that holds the cover lays nothing and draws nothing; every preset marks it."""
    game = open_double(preset, "5-2", "4-0 3-0")
    if preset in DRAW_SELF:
        play(game, "0 draw")
    assert (game.turn, choices(game)) == (1, {"5-2>p0"})
    assert play(game, "1 skip") == ["1 is skipped", "1 is marked"]
    assert open_doubles(game) == ["5-5 on p0"]


def test_skip_under_a_duty_that_cannot_be_met_draws_once(preset: str) -> None:
    """Every preset draws for a cover: the drawn cover is kept, not laid."""
    game = open_double(preset, "2-1", "4-0 5-4 3-0" if preset in DRAW_SELF else "5-4 3-0")
    if preset in DRAW_SELF:
        play(game, "0 draw")
    assert (game.turn, choices(game)) == (1, {"draw"})
    assert play(game, "1 skip") == ["1 is skipped", "1 draws 5-4", "1 is marked"]
    assert (game.turn, open_doubles(game)) == (0, ["5-5 on p0"])


def test_skip_under_a_duty_without_mark_others_does_not_mark() -> None:
    """`mark_others = no`: the skip marks nobody, as the pass would not."""
    game = table(
        "classic",
        "doubles.mark_others=no",
        hands=["6-5 5-5 1-0 2-0", "6-3 4-2 4-1 5-2"],
        boneyard="4-0 3-0",
    )
    walk(game, "0 6-5>p0", "1 6-3>p1", "0 5-5>p0", "0 draw")
    assert play(game, "1 skip") == ["1 is skipped"]


def test_skip_owing_an_extra_tile_that_is_held_marks_by_mark_self(preset: str) -> None:
    """The doubler that holds the tile for its double lays and draws nothing."""
    game = table(preset, hands=["6-5 5-5 5-0 1-0", "6-3 4-2 4-1"], boneyard="4-0 3-0")
    walk(game, "0 6-5>p0", "1 6-3>p1")
    play(game, "0 5-5>p0")
    assert (game.turn, game.round.awaited, choices(game)) == (0, "extra", {"5-0>p0"})
    is_marked = ["0 is marked"] if preset in DRAW_SELF else []
    assert play(game, "0 skip") == ["0 is skipped", *is_marked]
    assert (game.turn, open_doubles(game)) == (1, ["5-5 on p0"])


@pytest.mark.parametrize("preset", DRAW_SELF)
def test_skip_owing_an_extra_tile_that_is_to_be_drawn_draws_once(preset: str) -> None:
    """Where the doubler draws, the skip draws once and marks by `mark_self`."""
    game = open_double(preset, "5-2", "5-4 3-0")
    assert (game.turn, choices(game)) == (0, {"draw"})
    assert play(game, "0 skip") == ["0 is skipped", "0 draws 5-4", "0 is marked"]
    assert (game.turn, choices(game)) == (1, {"5-2>p0"})


@pytest.mark.parametrize("preset", but(*DRAW_SELF))
def test_no_skip_is_needed_where_the_doubler_does_not_draw(preset: str) -> None:
    """Without `draw_self` the turn of a doubler without a tile has ended by itself, unmarked."""
    game = open_double(preset, "5-2", "5-4 3-0")
    assert (game.turn, marked(game)) == (1, set())


@pytest.mark.parametrize("preset", GO_ON)
def test_skip_after_a_tile_with_nothing_owed_is_done(preset: str) -> None:
    """A seat that could go on ends its turn by the skip, without a marker."""
    game = table(preset, hands=["6-1 6-2 1-0 2-0", "6-3 4-2 4-1"], boneyard="4-0 3-0")
    play(game, "0 6-1>p0")
    assert (game.turn, game.round.awaited) == (0, "go_on")
    assert "done" in choices(game)
    assert play(game, "0 skip") == ["0 is skipped"]
    assert (game.turn, marked(game)) == (1, set())


@pytest.mark.parametrize("preset", but(*GO_ON))
def test_no_skip_is_needed_where_a_turn_has_one_tile(preset: str) -> None:
    """In the other presets the turn is over with its tile."""
    game = table(preset, hands=["6-1 6-2 1-0 2-0", "6-3 4-2 4-1"], boneyard="4-0 3-0")
    play(game, "0 6-1>p0")
    assert game.turn == 1


@pytest.mark.parametrize("preset", but("bernie"))
def test_skip_with_an_empty_boneyard_marks_and_then_counts_as_a_pass(preset: str) -> None:
    """Without a draw or a new marker skips block the round like passes."""
    game = table(preset, hands=["3-1 2-1 1-0", "5-4 4-2 2-2"])
    assert choices(game) == {"pass"}
    assert play(game, "0 skip", "1 skip", "0 skip") == [
        *("0 is skipped", "0 is marked", "1 is skipped", "1 is marked"),
        "0 is skipped",
    ]
    assert play(game, "1 skip")[:2] == ["1 is skipped", "the round is blocked"]


def test_round_of_skips_alone_is_blocked(preset: str) -> None:
    """Seats that could play and tiles in the boneyard do not keep a deserted round going."""
    game = table(preset, hands=["6-5 1-0 2-0", "6-4 5-4 2-1"], boneyard="3-0 3-1")
    play(game, "0 skip", "1 skip", "0 skip")
    assert game.phase == "play"
    assert play(game, "1 skip")[:2] == ["1 is skipped", "the round is blocked"]


def test_draw_of_a_skip_starts_the_count_of_passes_again() -> None:
    """A drawn tile is a change, by a skip too."""
    game = table("classic", hands=["3-1 2-1 1-0", "5-4 4-2 2-2"], boneyard="3-0 4-0 5-0")
    assert play(game, "0 skip", "1 skip", "0 skip")[-1] == "0 draws 5-0"
    assert play(game, "1 skip") == ["1 is skipped"]
    assert play(game, "0 skip")[1] == "the round is blocked"


def test_skip_after_a_draw_that_fits_neither_lays_nor_draws_again(preset: str) -> None:
    """A seat that leaves between its draw and its tile keeps the tile and is marked."""
    game = table(preset, hands=["3-1 2-1 1-0", "6-4 5-4 2-2"], boneyard="6-2 6-0")
    play(game, "0 draw")
    assert play(game, "0 skip") == ["0 is skipped", "0 is marked"]
    assert "6-2" in hand(game, 0)


def test_skip_draws_once_where_seats_draw_until_they_can_play() -> None:
    """`until_playable`: one tile only, though `draw` would be offered again."""
    game = table(
        "classic",
        "draw.limit=until_playable",
        hands=["3-1 2-1 1-0", "6-4 5-4 2-2"],
        boneyard="3-0 4-0 6-0",
    )
    assert play(game, "0 skip") == ["0 is skipped", "0 draws 3-0", "0 is marked"]
    assert game.turn == 1


def test_skip_does_not_draw_where_the_seat_could_also_play() -> None:
    """`must_play = no`: draw beside plays is not `draw` alone."""
    game = table(
        "classic", "turn.must_play=no", hands=["6-5 1-0 2-0", "6-4 5-4 2-1"], boneyard="3-0"
    )
    assert "draw" in choices(game)
    assert play(game, "0 skip") == ["0 is skipped", "0 is marked"]


def test_seat_that_would_draw_from_an_empty_boneyard_is_not_skipped() -> None:
    """`first_stuck`: the round has ended before the seat could be skipped."""
    game = table("bernie", hands=["6-1 2-1 1-0", "5-4 4-2 2-2"])
    assert play(game, "0 skip")[:3] == ["0 is skipped", "0 is marked", "the round is blocked"]
    with pytest.raises(ValueError, match="not the turn"):
        game.skip(1)


def test_skip_that_draws_the_last_tile_only_ends_the_turn() -> None:
    """`first_stuck` waits for the next seat that must draw, with `until_playable` too."""
    for limit in ("one", "until_playable"):
        game = table(
            "bernie",
            f"draw.limit={limit}",
            hands=["3-1 2-1 1-0", "6-4 4-2 2-2"],
            boneyard="3-0",
        )
        assert play(game, "0 skip") == ["0 is skipped", "0 draws 3-0", "0 is marked"]
        assert game.turn == 1


def test_skip_ends_an_older_knock_debt() -> None:
    """A skip is the first move of the offender's next turn: the debt and the window end."""
    game = table("bernie", hands=["6-1 2-0", "6-3 6-4 4-2"], boneyard="5-0 4-0 2-2")
    play(game, "0 6-1>p0", "1 6-3>p1")
    assert knocks(game) == {0: True}
    play(game, "0 skip")
    assert knocks(game) == {}


def test_skip_keeps_a_knock_debt_of_the_same_turn() -> None:
    """A seat that is skipped after its last tile but one still owes the knock."""
    game = table("bernie", hands=["6-1 6-2", "6-3 6-4 4-2"], boneyard="5-0 4-0 2-2")
    play(game, "0 6-1>p0")
    assert (game.turn, knocks(game)) == (0, {0: False})
    play(game, "0 skip")
    assert knocks(game) == {0: False}


def test_skip_is_never_offered(preset: str) -> None:
    """No seat can ask for it: it is no move."""
    game = table(preset, hands=["6-5 1-0 2-0", "6-4 5-4 2-1"], boneyard="3-0 3-1")
    assert "skip" not in choices(game)
    with pytest.raises(ValueError, match="no move"):
        Move.parse("skip")


def test_skip_out_of_turn_is_refused() -> None:
    """Only the seat to act can be skipped."""
    game = table("classic", hands=["6-5 1-0 2-0", "6-4 5-4 2-1"], boneyard="3-0 3-1")
    with pytest.raises(ValueError, match="seat 1"):
        game.skip(1)
    assert game.turn == 0
