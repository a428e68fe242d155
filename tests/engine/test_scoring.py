"""Scores, winners and places (`docs/rules.md`, option `game.tie`, points on out and block).

Rows 18 and 22 of the awkward positions. Expected values are worked out by hand.
"""

import pytest
from mexican_train.engine import Game, Move, preset_names

from tests.engine.tabletop import deal, play, rules, table, told

SHARED, ZERO_ROUNDS = "game.tie=shared", "game.tie=zero_rounds"


def played(*rows: tuple[int, ...], tie: str) -> Game:
    """A game whose finished rounds have these scores."""
    game = Game.start(rules("classic", tie, "deal.hand_size=3"), len(rows[0]))
    game.scores.extend(rows)
    return game


# --- a round ------------------------------------------------------------------------------


def test_every_seat_scores_the_pips_of_its_own_hand() -> None:
    """The seat that is out scores 0."""
    game = table("classic", hands=["6-5", "6-4 0-0", "5-4 4-3"], boneyard="3-0")
    play(game, "0 6-5>p0")
    assert (game.scores, game.totals, game.winners) == ([(0, 10, 16)], (0, 10, 16), [0])


@pytest.mark.parametrize(
    ("preset", "worth"),
    [(name, 50 if name in ("tournament", "spruce") else 0) for name in preset_names()],
)
def test_double_blank_in_hand_counts_by_preset(preset: str, worth: int) -> None:
    """`score.double_blank`, in every preset (row 18)."""
    game = table(preset, hands=["6-5", "1-0 0-0", "2-0"])
    play(game, "0 6-5>p0")
    if game.phase == "play":  # pagat and spruce finish the first lap
        play(game, "1 skip", "2 skip")
    assert game.scores == [(0, 1 + worth, 2)]


@pytest.mark.parametrize("worth", [0, 25, 50])
def test_double_blank_counts_what_the_option_says(worth: int) -> None:
    """0, 25 or 50, beside the pips of the rest."""
    game = table("classic", f"score.double_blank={worth}", hands=["6-5", "0-0 1-0"], boneyard="3-0")
    play(game, "0 6-5>p0")
    assert game.scores == [(0, worth + 1)]


def test_other_blanks_count_nothing() -> None:
    """A blank side is zero, only the double blank has a value of its own."""
    game = table("classic", "score.double_blank=50", hands=["6-5", "4-0 1-0"], boneyard="3-0")
    play(game, "0 6-5>p0")
    assert game.scores == [(0, 5)]


def test_winner_of_a_blocked_round_is_the_lowest_score() -> None:
    """After a block everybody scores, and the lowest wins."""
    game = table("classic", hands=["3-1 5-4", "4-1 4-2", "2-0 1-0"])
    last = play(game, *("0 pass", "1 pass", "2 pass") * 2)[-1]
    assert last == "round 1 ends, 2 wins, scores 13,11,3"


def test_winner_of_a_blocked_round_with_equal_scores_is_the_lowest_seat() -> None:
    """Equal lowest scores: the lowest seat number."""
    game = table("classic", hands=["3-1 5-4", "4-1 2-0", "5-2 0-0"], first_seat=2)
    last = play(game, *("2 pass", "0 pass", "1 pass") * 2)[-1]
    assert last == "round 1 ends, 1 wins, scores 13,7,7"


def test_winner_is_the_first_seat_to_go_out_not_whoever_scores_zero() -> None:
    """A hand of 0-0 alone scores 0 too, and wins nothing."""
    game = table("classic", hands=["0-0", "6-1", "5-0"], first_seat=1)
    play(game, "1 6-1>p1")
    assert (game.scores, game.winners) == ([(0, 0, 5)], [1])


# --- places -------------------------------------------------------------------------------


@pytest.mark.parametrize("tie", [SHARED, ZERO_ROUNDS])
def test_lowest_total_is_first(tie: str) -> None:
    """Places go up with the totals."""
    game = played((10, 0, 7), (0, 20, 8), tie=tie)
    assert (game.totals, game.places) == ((10, 20, 15), (1, 3, 2))


@pytest.mark.parametrize(
    ("totals", "places"),
    [
        ((5, 5, 9), (1, 1, 3)),
        ((5, 9, 9), (1, 2, 2)),
        ((5, 5, 5), (1, 1, 1)),
        ((9, 5, 9, 5), (3, 1, 3, 1)),
    ],
)
def test_equal_totals_share_the_place_and_the_next_is_skipped(
    totals: tuple[int, ...], places: tuple[int, ...]
) -> None:
    """`shared`: 1, 1, 3 (row 22)."""
    assert played(totals, tie=SHARED).places == places


def test_shared_does_not_look_at_single_rounds() -> None:
    """`shared`: rounds with zero decide nothing (row 22)."""
    game = played((10, 0), (0, 3), (0, 7), tie=SHARED)
    assert (game.totals, game.places) == ((10, 10), (1, 1))


def test_more_rounds_with_zero_are_ahead() -> None:
    """`zero_rounds`: two zeros before one, with equal totals (row 22)."""
    game = played((10, 0), (0, 3), (0, 7), tie=ZERO_ROUNDS)
    assert (game.totals, game.places) == ((10, 10), (1, 2))


def test_smaller_lowest_other_round_is_ahead() -> None:
    """`zero_rounds`: with as many zeros, the smaller of the lowest rounds above 0 (row 22)."""
    game = played((0, 4), (2, 0), (8, 6), tie=ZERO_ROUNDS)
    assert (game.totals, game.places) == ((10, 10), (1, 2))


def test_equal_in_both_respects_share_the_place() -> None:
    """`zero_rounds`: then shared (row 22)."""
    game = played((0, 4, 1), (4, 0, 1), (6, 6, 1), tie=ZERO_ROUNDS)
    assert (game.totals, game.places) == ((10, 10, 3), (2, 2, 1))


def test_zero_rounds_part_only_equal_totals() -> None:
    """`zero_rounds`: a lower total is ahead of any number of zeros (row 22)."""
    game = played((11, 3), (0, 3), (0, 4), tie=ZERO_ROUNDS)
    assert (game.totals, game.places) == ((11, 10), (2, 1))


def test_all_zero_share_the_place() -> None:
    """`zero_rounds`: nobody has a round above 0."""
    assert played((0, 0), (0, 0), tie=ZERO_ROUNDS).places == (1, 1)


# --- the end of a game --------------------------------------------------------------------


@pytest.mark.parametrize(("tie", "places"), [(SHARED, "1,1"), (ZERO_ROUNDS, "2,1")])
def test_game_ends_with_totals_and_places(tie: str, places: str) -> None:
    """The last event of the last round (row 22); a zero counts however reached.

    Round 1: seat 1 is out, seat 0 scores 7. Round 2: seat 0 is out, seat 1 holds 0-0 and scores 0
    too. Round 3 is blocked with 3 and 10. So seat 1 has two zeros, seat 0 one.
    """
    game = table("classic", tie, "game.rounds=3", hands=["5-2", "6-1"], first_seat=1)
    play(game, "1 6-1>p1")
    game.begin_round(deal(["5-1", "0-0"], engine="5-5"))
    play(game, "0 5-1>p0")
    game.begin_round(deal(["2-1", "5-2 3-0"], engine="4-4"))
    last = play(game, "1 pass", "0 pass", "1 pass", "0 pass")
    assert game.scores == [(7, 0), (0, 0), (3, 10)]
    assert last[-1] == f"the game ends, totals 10,10, places {places}"
    assert game.phase == "over"


def test_blank_engine_ends_a_game_of_all_rounds() -> None:
    """In the last round the double blank is the engine (row 18)."""
    game = table("classic", "game.first_engine=1", hands=["6-1", "5-0 2-0"], engine="1-1")
    play(game, "0 6-1>p0")
    said = told(game.begin_round(deal(["4-2", "5-0 2-0"], engine="0-0")))
    assert said[-1] == "engine 0-0 set aside, 1 first"
    assert game.legal_moves(1) == tuple(map(Move.parse, ("2-0>p1", "5-0>p1", "2-0>m0", "5-0>m0")))
