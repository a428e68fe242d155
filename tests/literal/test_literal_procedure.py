"""The literal procedure by itself: the awkward positions of the rules page, and whole rounds.

Positions are set up by hand and the expected values worked out by hand from the page. Unless a
position says otherwise the engine is 12-12, lap 2 is being played, and nobody may move but the seat
named; hands, trains and boneyards hold only the tiles that matter.
"""

import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .literal_presets import OPTION_VALUES, PRESETS, hand_size, refused_pairs
from .literal_procedure import Double, IllegalMove, LiteralRound, ends, is_double, places

ALL = sorted(PRESETS)
ON_DOUBLE = [name for name in ALL if PRESETS[name]["doubles.extra_tile"] == "on_double"]
ANYWHERE = [name for name in ALL if PRESETS[name]["doubles.extra_tile"] == "anywhere"]
LAP_STUCK = [name for name in ALL if name != "bernie"]


def position(
    preset: str,
    hands: list[list[str]],
    *,
    boneyard: Sequence[str] = (),
    trains: Mapping[str, list[str]] | None = None,
    markers: Sequence[int] = (),
    doubles: Sequence[tuple[str, str]] = (),
    turn: int = 0,
    lap: int = 2,
    first_player: int = 0,
    engine: str = "12-12",
    changes: Mapping[str, object] | None = None,
) -> LiteralRound:
    """A round in mid-play, the turn of `turn` just begun; doubles are already on their trains."""
    options = {**PRESETS[preset], **(changes or {})}
    # The deal is not what these positions are about: the engine lies, and somebody has begun.
    dealt = {**options, "engine.source": "set_aside", "round.first_player": "rotate_left"}
    rnd = LiteralRound(
        dealt,
        seats=len(hands),
        hands=[[f"{ends(engine)[0]}-0"]] * len(hands),
        boneyard=[],
        engine_tile=engine,
        first_seat=first_player,
        round_number=1,
        last_winner=None,
    )
    rnd.options = options
    rnd.hands = [sorted(hand) for hand in hands]
    rnd.boneyard = list(boneyard)
    rnd.trains.update({train: list(tiles) for train, tiles in (trains or {}).items()})
    rnd.markers = set(markers)
    rnd.doubles = [Double(train, tile, exempt=lap == 1) for train, tile in doubles]
    rnd.turns_ended = (lap - 1) * len(hands) + (turn - first_player) % len(hands)
    rnd.begin_turn(turn)
    rnd._settle()
    return rnd


def deal(
    preset: str,
    hands: list[list[str]],
    boneyard: list[str],
    *,
    last_winner: int | None = None,
    first_seat: int = 0,
    round_number: int = 1,
    engine: str = "12-12",
    changes: Mapping[str, object] | None = None,
) -> LiteralRound:
    return LiteralRound(
        {**PRESETS[preset], **(changes or {})},
        seats=len(hands),
        hands=hands,
        boneyard=boneyard,
        engine_tile=engine,
        first_seat=first_seat,
        round_number=round_number,
        last_winner=last_winner,
    )


def play(rnd: LiteralRound, *moves: str) -> None:
    """Each move by the seat to act."""
    for move in moves:
        assert rnd.turn is not None
        rnd.apply(rnd.turn, move)


def turn_moves(rnd: LiteralRound) -> set[str]:
    """Legal moves of the seat to act but for knock and foul."""
    assert rnd.turn is not None
    return {
        move for move in rnd.legal(rnd.turn) if move != "knock" and not move.startswith("foul:")
    }


# ---------------------------------------------------------------------- 1: a double as last tile


@pytest.mark.parametrize("preset", [n for n in ALL if n not in {"tournament", "deluxe"}])
def test_last_tile_double_ends_the_round(preset: str) -> None:
    """A last tile that is a double ends the round where it may stay uncovered."""
    rnd = position(preset, [["5-5"], ["3-2"]], boneyard=["5-1"], trains={"p0": ["12-5"]})
    play(rnd, "5-5>p0")
    assert (rnd.phase, rnd.turn, rnd.winner) == ("round_over", None, 0)
    assert (rnd.scores, rnd.went_out, rnd.blocked) == ([0, 5], [0], False)
    assert rnd.legal(0) == rnd.legal(1) == set()


@pytest.mark.parametrize("preset", ["tournament", "deluxe"])
def test_last_tile_double_leaves_an_empty_hand_that_draws(preset: str) -> None:
    """With `go_out_uncovered = no` the empty hand draws, covers and is out."""
    rnd = position(preset, [["5-5"], ["3-2"]], boneyard=["5-1", "4-4"], trains={"p0": ["12-5"]})
    play(rnd, "5-5>p0")
    assert (rnd.phase, rnd.turn, rnd.hands[0]) == ("play", 0, [])
    assert turn_moves(rnd) == {"draw"}
    play(rnd, "draw")
    assert turn_moves(rnd) == {"5-1>p0"}
    play(rnd, "5-1>p0")
    assert (rnd.phase, rnd.winner, rnd.boneyard) == ("round_over", 0, ["4-4"])


@pytest.mark.parametrize("preset", ["tournament", "deluxe"])
@pytest.mark.parametrize("draw_self", [True, False])
def test_empty_hand_keeps_a_tile_that_does_not_cover(preset: str, draw_self: bool) -> None:
    """The empty hand draws whatever `draw_self` says; it keeps the tile and is marked."""
    rnd = position(
        preset,
        [["5-5"], ["3-2"]],
        boneyard=["4-3", "4-4"],
        trains={"p0": ["12-5"], "p1": ["12-9"]},
        changes={"doubles.draw_self": draw_self},
    )
    play(rnd, "5-5>p0", "draw")
    assert (rnd.phase, rnd.turn) == ("play", 1)
    assert (rnd.hands[0], rnd.markers) == (["4-3"], {0})
    assert rnd.open_doubles == [("p0", "5-5")]
    assert turn_moves(rnd) == {"draw"}


@pytest.mark.parametrize("preset", ["tournament", "deluxe"])
def test_empty_hand_with_empty_boneyard_is_out(preset: str) -> None:
    """With nothing to draw the last double ends the round after all."""
    rnd = position(preset, [["5-5"], ["3-2"]], trains={"p0": ["12-5"]})
    play(rnd, "5-5>p0")
    assert (rnd.phase, rnd.winner, rnd.scores) == ("round_over", 0, [0, 5])


# ---------------------------------------------------------------------- 2: a drawn double


def drawn_double(preset: str) -> LiteralRound:
    rnd = position(
        preset,
        [["2-1", "1-0"], ["9-8"]],
        boneyard=["5-5", "4-3", "6-6"],
        trains={"p0": ["12-5"], "p1": ["12-10"]},
    )
    assert turn_moves(rnd) == {"draw"}
    play(rnd, "draw")
    expected = {"5-5>p0", "pass"} if preset == "spruce" else {"5-5>p0"}
    assert turn_moves(rnd) == expected
    play(rnd, "5-5>p0")
    return rnd


@pytest.mark.parametrize("preset", ["reference", "bernie", "spruce"])
def test_drawn_double_without_a_draw_of_its_own(preset: str) -> None:
    """Where the doubler does not draw, the double stays open and the turn passes, unmarked."""
    rnd = drawn_double(preset)
    assert (rnd.turn, rnd.boneyard, rnd.markers) == (1, ["4-3", "6-6"], set())
    assert rnd.open_doubles == [("p0", "5-5")]


@pytest.mark.parametrize("preset", [n for n in ALL if n not in {"reference", "bernie", "spruce"}])
def test_drawn_double_has_a_draw_of_its_own(preset: str) -> None:
    """A double drawn and laid owes its extra tile with a draw of its own, then the marker."""
    rnd = drawn_double(preset)
    assert (rnd.turn, turn_moves(rnd)) == (0, {"draw"})
    play(rnd, "draw")
    assert (rnd.turn, rnd.boneyard, rnd.markers) == (1, ["6-6"], {0})
    assert rnd.hands[0] == ["1-0", "2-1", "4-3"]


# ---------------------------------------------------------------------- 3: no cover


@pytest.mark.parametrize("preset", ALL)
def test_doubler_who_cannot_cover(preset: str) -> None:
    """The doubler who fails is marked in seven presets, not in reference, bernie and spruce."""
    rnd = position(
        preset,
        [["5-5", "2-1"], ["9-8"]],
        boneyard=["4-3", "6-6"],
        trains={"p0": ["12-5"], "p1": ["12-10"]},
    )
    play(rnd, "5-5>p0")
    if preset not in {"reference", "bernie", "spruce"}:
        play(rnd, "draw")
        assert rnd.markers == {0}
    else:
        assert rnd.markers == set()
    assert (rnd.turn, rnd.open_doubles) == (1, [("p0", "5-5")])


# ---------------------------------------------------------------------- 4, 5, 6: covers and markers


@pytest.mark.parametrize("preset", ALL)
def test_cover_on_a_closed_train(preset: str) -> None:
    """Another seat's closed train takes the cover, whatever else fits, and stays closed."""
    rnd = position(
        preset,
        [["9-8", "7-6"], ["9-5", "10-4", "12-1", "2-2"]],
        boneyard=["6-6"],
        trains={"p0": ["12-5", "5-5"], "p1": ["12-10"]},
        doubles=[("p0", "5-5")],
        turn=1,
    )
    assert turn_moves(rnd) == {"9-5>p0"}
    play(rnd, "9-5>p0")
    assert (rnd.open_doubles, rnd.markers) == ([], set())
    assert rnd.trains["p0"] == ["12-5", "5-5", "9-5"]


@pytest.mark.parametrize("preset", ALL)
def test_seat_without_a_train_covers_too(preset: str) -> None:
    """The duty goes before `own_first`."""
    rnd = position(
        preset,
        [["9-8"], ["9-5", "12-1", "2-2"]],
        boneyard=["6-6"],
        trains={"p0": ["12-5", "5-5"]},
        doubles=[("p0", "5-5")],
        turn=1,
    )
    assert turn_moves(rnd) == {"9-5>p0"}


@pytest.mark.parametrize("preset", ALL)
def test_cover_by_another_leaves_the_marker(preset: str) -> None:
    """A cover closes the train of nobody but its owner; `any_play` takes the coverer's marker."""
    rnd = position(
        preset,
        [["9-8"], ["9-5", "2-2", "3-3"]],
        boneyard=["6-6"],
        trains={"p0": ["12-5", "5-5"], "p1": ["12-10"]},
        markers=[0, 1],
        doubles=[("p0", "5-5")],
        turn=1,
    )
    play(rnd, "9-5>p0")
    assert rnd.markers == ({0} if preset in {"bernie", "deluxe"} else {0, 1})


@pytest.mark.parametrize("preset", ALL)
def test_cover_on_the_own_marked_train(preset: str) -> None:
    """The owner's cover takes the marker off."""
    rnd = position(
        preset,
        [["9-5", "2-2", "3-3"], ["9-8"]],
        boneyard=["6-6"],
        trains={"p0": ["12-5", "5-5"], "p1": ["12-10"]},
        markers=[0],
        doubles=[("p0", "5-5")],
    )
    play(rnd, "9-5>p0")
    assert rnd.markers == set()


@pytest.mark.parametrize("preset", ALL)
def test_double_on_the_own_marked_train_without_cover(preset: str) -> None:
    """The double takes the marker off; failing puts it on again where `mark_self`."""
    rnd = position(
        preset,
        [["5-5", "2-1"], ["9-8"]],
        boneyard=["4-3", "6-6"],
        trains={"p0": ["12-5"], "p1": ["12-10"]},
        markers=[0],
    )
    play(rnd, "5-5>p0")
    assert rnd.markers == set()
    if PRESETS[preset]["doubles.mark_self"]:
        play(rnd, "draw")
        assert rnd.markers == {0}
    assert rnd.turn == 1


# ---------------------------------------------------------------------- 7: several open doubles


TWO_OPEN = {"p0": ["12-5", "5-5"], "p1": ["12-7", "7-7"], "p2": ["12-10"]}


@pytest.mark.parametrize("preset", ANYWHERE)
def test_two_open_doubles_oldest_first(preset: str) -> None:
    """A seat that holds only the newer one's number draws and is marked."""
    rnd = position(
        preset,
        [["9-8"], ["9-8"], ["7-1", "10-4"]],
        boneyard=["3-2", "6-6"],
        trains=TWO_OPEN,
        doubles=[("p0", "5-5"), ("p1", "7-7")],
        turn=2,
    )
    assert turn_moves(rnd) == {"draw"}
    play(rnd, "draw")
    assert (rnd.turn, rnd.markers) == (0, {2})
    assert rnd.open_doubles == [("p0", "5-5"), ("p1", "7-7")]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("as_played", {"5-1>p0", "7-5>p0"}),
        ("newest_first", {"7-1>p1", "7-5>p1"}),
        ("any", {"5-1>p0", "7-5>p0", "7-1>p1", "7-5>p1"}),
    ],
)
def test_cover_order(order: str, expected: set[str]) -> None:
    """`cover_order` says which of two open doubles may be covered."""
    rnd = position(
        "reference",
        [["9-8"], ["9-8"], ["7-1", "5-1", "7-5", "10-4"]],
        boneyard=["3-2"],
        trains=TWO_OPEN,
        doubles=[("p0", "5-5"), ("p1", "7-7")],
        turn=2,
        changes={"doubles.cover_order": order},
    )
    assert turn_moves(rnd) == expected


@pytest.mark.parametrize("preset", ANYWHERE)
def test_chain_of_doubles_leaves_them_open_in_the_order_laid(preset: str) -> None:
    """An extra tile may be a double, which settles the debt and owes its own."""
    rnd = position(
        preset,
        [["5-5", "7-7", "7-2", "1-0"], ["9-8"]],
        boneyard=["6-6"],
        trains={"p0": ["12-5"], "p1": ["12-10"], "m0": ["12-7"]},
    )
    play(rnd, "5-5>p0")
    assert turn_moves(rnd) == {"7-7>m0", "7-2>m0"}
    play(rnd, "7-7>m0")
    assert (rnd.turn, turn_moves(rnd)) == (0, {"7-2>m0"})
    assert rnd.open_doubles == [("p0", "5-5"), ("m0", "7-7")]
    play(rnd, "7-2>m0")
    assert (rnd.turn, rnd.markers, rnd.open_doubles) == (1, set(), [("p0", "5-5")])


# ---------------------------------------------------------------------- 8: empty boneyard


def empty_boneyard_and_double(preset: str, hand: list[str]) -> LiteralRound:
    return position(
        preset,
        [["9-8"], hand, ["5-2", "1-1"]],
        trains={"p0": ["12-5", "5-5"], "p1": ["12-10"], "p2": ["12-1"]},
        doubles=[("p0", "5-5")],
        turn=1,
    )


def test_empty_boneyard_lifts_the_duty_in_reference() -> None:
    """Under `boneyard_empty` even a seat that holds a cover is free, and may not use the train."""
    rnd = empty_boneyard_and_double("reference", ["5-3", "10-4"])
    assert (turn_moves(rnd), rnd.open_doubles) == ({"10-4>p1"}, [])


@pytest.mark.parametrize("preset", [n for n in LAP_STUCK if n != "reference"])
def test_empty_boneyard_passes_the_duty_round(preset: str) -> None:
    """Elsewhere the duty goes round to whoever holds a cover; a pass under it marks."""
    rnd = empty_boneyard_and_double(preset, ["10-4", "4-3"])
    assert turn_moves(rnd) == {"pass"}
    play(rnd, "pass")
    assert (rnd.turn, rnd.markers, turn_moves(rnd)) == (2, {1}, {"5-2>p0"})


def test_empty_boneyard_ends_bernie_at_the_first_stuck_seat() -> None:
    """`first_stuck` ends the round without a pass and without a marker."""
    rnd = empty_boneyard_and_double("bernie", ["10-4", "4-3"])
    assert (rnd.phase, rnd.blocked, rnd.markers) == ("round_over", True, set())
    assert (rnd.scores, rnd.winner) == ([17, 21, 9], 2)


def test_last_tile_drawn_under_a_duty_still_covers() -> None:
    """`boneyard_empty` is looked at when a turn begins and when a tile is laid, not at a draw."""
    covers = position(
        "reference",
        [["9-8"], ["10-4"]],
        boneyard=["5-3"],
        trains={"p0": ["12-5", "5-5"], "p1": ["12-10"]},
        doubles=[("p0", "5-5")],
        turn=1,
    )
    play(covers, "draw")
    assert turn_moves(covers) == {"5-3>p0"}
    fails = position(
        "reference",
        [["9-8"], ["10-4"]],
        boneyard=["4-3"],
        trains={"p0": ["12-5", "5-5"], "p1": ["12-10"]},
        doubles=[("p0", "5-5")],
        turn=1,
    )
    play(fails, "draw")
    assert (fails.turn, fails.markers, fails.open_doubles) == (0, {1}, [])


# ---------------------------------------------------------------------- 9: dead numbers


DEAD_FIVES = {
    "p0": ["6-5", "5-0", "1-0", "5-1", "5-2", "3-2", "5-3"],
    "p1": ["6-4", "5-4"],
}


def dead_five(preset: str, hand: list[str], **changes: object) -> LiteralRound:
    rnd = position(
        preset,
        [["5-5", *hand], ["2-2", "3-3"]],
        boneyard=["1-1", "4-4"],
        trains=DEAD_FIVES,
        engine="6-6",
        changes={"set.max_pip": 6, **changes},
    )
    play(rnd, "5-5>p0")
    return rnd


@pytest.mark.parametrize("preset", ON_DOUBLE)
def test_dead_double_on_double_owes_nothing(preset: str) -> None:
    """With all its tiles down a double binds nobody, and its layer neither draws nor is marked."""
    rnd = dead_five(preset, ["3-1", "4-0"])
    assert (rnd.turn, rnd.open_doubles, rnd.markers) == (1, [], set())
    assert rnd.boneyard == ["1-1", "4-4"]


@pytest.mark.parametrize("preset", ANYWHERE)
def test_dead_double_anywhere_still_owes_the_extra_tile(preset: str) -> None:
    """With `anywhere` the extra tile is owed all the same; without one the usual follows."""
    rnd = dead_five(preset, ["6-2", "4-0"])
    assert (rnd.turn, rnd.open_doubles, turn_moves(rnd)) == (0, [], {"6-2>m0"})
    play(rnd, "6-2>m0")
    assert (rnd.turn, rnd.markers) == (1, set())
    rnd = dead_five(preset, ["3-1", "4-0"])
    if preset == "reference":
        assert (rnd.turn, rnd.markers) == (1, set())
    else:
        assert (rnd.turn, turn_moves(rnd)) == (0, {"draw"})
        play(rnd, "draw")
        assert (rnd.turn, rnd.markers) == (1, {0})


def test_dead_double_without_the_option_binds() -> None:
    """Without `dead_number` such a double binds like any other."""
    rnd = dead_five("classic", ["3-1", "4-0"], **{"doubles.lapse": []})
    assert turn_moves(rnd) == {"draw"}
    play(rnd, "draw")
    assert (rnd.turn, rnd.open_doubles, rnd.markers) == (1, [("p0", "5-5")], {0})
    play(rnd, "draw")
    assert (rnd.turn, rnd.markers) == (0, {0, 1})


def test_double_laid_over_an_empty_boneyard() -> None:
    """Under `boneyard_empty` it lapses at once; with `anywhere` the extra tile is still owed."""
    rnd = position(
        "reference",
        [["5-5", "5-1", "12-3", "1-0"], ["9-8"]],
        trains={"p0": ["12-5"], "p1": ["12-10"]},
    )
    play(rnd, "5-5>p0")
    assert (rnd.open_doubles, turn_moves(rnd)) == ([], {"5-1>p0", "12-3>m0"})
    rnd = position(
        "classic",
        [["5-5", "5-1", "12-3", "1-0"], ["9-8"]],
        trains={"p0": ["12-5"], "p1": ["12-10"]},
        changes={"doubles.lapse": ["boneyard_empty"]},
    )
    play(rnd, "5-5>p0")
    assert (rnd.turn, rnd.markers) == (1, set())


# ---------------------------------------------------------------------- 10: nobody has the engine


SMALL_HANDS = [["2-1"], ["3-1"], ["4-1"]]
SEARCHED = ["1-0", "2-0", "3-0", "4-0", "12-12", "5-0", "6-0"]


@pytest.mark.parametrize("preset", ["reference", "pagat", "spruce", "nm", "bernie"])
def test_search_in_turn(preset: str) -> None:
    """One tile each in turn until the engine appears; the drawn tiles are kept."""
    rnd = deal(preset, SMALL_HANDS, SEARCHED)
    assert rnd.hands == [["1-0", "2-1", "4-0"], ["2-0", "3-1"], ["3-0", "4-1"]]
    assert (rnd.turn, rnd.first_player, rnd.boneyard) == (1, 1, ["5-0", "6-0"])
    assert rnd.trains == {"p0": [], "p1": [], "p2": []}


def test_search_all_draw() -> None:
    """With `all_draw` the cycle in which the engine appears is completed."""
    rnd = deal("reference", SMALL_HANDS, SEARCHED, changes={"engine.search": "all_draw"})
    assert rnd.hands == [["1-0", "2-1", "4-0"], ["2-0", "3-1"], ["3-0", "4-1", "5-0"]]
    assert (rnd.turn, rnd.boneyard) == (1, ["6-0"])


def test_search_from_the_last_winner() -> None:
    """`last_winner` begins with that seat, in round 1 with the table's first."""
    rnd = deal("bernie", SMALL_HANDS, SEARCHED, last_winner=2)
    assert rnd.hands == [["2-0", "2-1"], ["3-0", "3-1"], ["1-0", "4-0", "4-1"]]
    assert rnd.first_player == 0
    rnd = deal("bernie", SMALL_HANDS, SEARCHED, first_seat=1)
    assert rnd.first_player == 2


def test_search_with_three_tiles_left() -> None:
    """As far as tiles go: the cycle ends with the boneyard."""
    rnd = deal(
        "reference",
        [["2-1"], ["3-1"], ["4-1"], ["5-1"]],
        ["1-0", "2-0", "12-12"],
        changes={"engine.search": "all_draw"},
    )
    assert rnd.hands == [["1-0", "2-1"], ["2-0", "3-1"], ["4-1"], ["5-1"]]
    assert (rnd.turn, rnd.boneyard) == (2, [])


def test_holder_is_one_short_and_begins() -> None:
    """A dealt engine is laid by its holder, who takes a normal first turn with one tile less."""
    rnd = deal("nm", [["2-1", "3-1"], ["12-12", "12-4"]], ["1-0"])
    assert (rnd.turn, rnd.hands[1]) == (1, ["12-4"])
    assert turn_moves(rnd) == {"12-4>p1", "12-4>m0"}


def test_first_player_rotates_left() -> None:
    """`rotate_left` starts at the table's first seat in round 1."""
    for round_number, first in [(1, 2), (2, 0), (3, 1), (4, 2)]:
        rnd = deal("classic", SMALL_HANDS, ["1-0"], first_seat=2, round_number=round_number)
        assert rnd.turn == first


# ---------------------------------------------------------------------- 11: no Mexican Train


def test_no_mexican_train_without_an_engine_number() -> None:
    """A train that does not exist cannot be used, only started with the engine's number."""
    rnd = position("classic", [["9-5", "4-3"], ["9-8"]], boneyard=["1-1"], trains={"p0": ["12-9"]})
    assert turn_moves(rnd) == {"9-5>p0"}
    rnd = position("classic", [["12-5", "4-3"], ["9-8"]], boneyard=["1-1"], trains={"p0": ["10-9"]})
    assert turn_moves(rnd) == {"12-5>m0"}


def test_mexican_train_that_can_never_start_is_no_block() -> None:
    """With all engine numbers laid drawing simply goes on."""
    rnd = position(
        "classic",
        [["3-1"], ["3-2"]],
        boneyard=["1-0", "2-0"],
        trains={
            "p0": ["6-5", "5-4"],
            "p1": ["6-0", "4-0", "6-4", "6-1", "2-1", "6-2", "6-3", "5-3"],
        },
        engine="6-6",
        changes={"set.max_pip": 6},
    )
    assert turn_moves(rnd) == {"draw"}
    play(rnd, "draw", "draw")
    assert (rnd.phase, rnd.markers) == ("play", {0, 1})


@pytest.mark.parametrize(
    ("start", "lap", "turn", "expected"),
    [
        ("any_turn", 1, 1, True),
        ("after_first_lap", 1, 0, False),
        ("after_first_lap", 2, 1, True),
        ("starter_first_lap", 1, 0, True),
        ("starter_first_lap", 1, 1, False),
        ("starter_first_lap", 2, 1, True),
        ("after_all_trains", 2, 1, False),
    ],
)
def test_who_may_start_a_mexican_train(start: str, lap: int, turn: int, expected: bool) -> None:
    rnd = position(
        "classic",
        [["12-1", "12-2", "9-9"], ["12-3", "12-4", "8-8"]],
        boneyard=["0-0"],
        lap=lap,
        turn=turn,
        changes={"mexican_train.start": start},
    )
    assert any(move.endswith(">m0") for move in turn_moves(rnd)) is expected


# ---------------------------------------------------------------------- 12: bernie


def test_bernie_starter_chooses_own_or_mexican() -> None:
    """With one engine number it goes on either; two tiles never go on one train."""
    rnd = position("bernie", [["12-5", "5-1"], ["9-8"]], boneyard=["0-0"], lap=1)
    assert turn_moves(rnd) == {"12-5>p0", "12-5>m0"}
    play(rnd, "12-5>p0")
    assert (rnd.turn, rnd.trains["p0"], rnd.hands[0]) == (1, ["12-5"], ["5-1"])
    rnd = position("bernie", [["12-5", "12-1", "5-3"], ["9-8"]], boneyard=["0-0"], lap=1)
    play(rnd, "12-5>p0")
    assert turn_moves(rnd) == {"12-1>m0", "done"}
    with pytest.raises(IllegalMove):
        rnd.apply(0, "5-3>p0")
    play(rnd, "12-1>m0")
    assert rnd.turn == 1


def test_bernie_starter_may_begin_with_the_mexican_train() -> None:
    """The first player is free of `own_first` in its first turn, and may then go on at home."""
    rnd = position("bernie", [["12-5", "12-1", "5-3"], ["9-8"]], boneyard=["0-0"], lap=1)
    play(rnd, "12-5>m0")
    assert turn_moves(rnd) == {"12-1>p0", "done"}
    play(rnd, "done")
    assert (rnd.turn, rnd.markers) == (1, set())


def test_bernie_second_player_opens_then_rides() -> None:
    """Own train first, then the Mexican Train in the same turn; starting one waits for lap 2."""
    rnd = position(
        "bernie",
        [["9-8"], ["12-7", "5-4", "12-1", "8-3"]],
        boneyard=["0-0"],
        trains={"p0": ["12-9"], "m0": ["12-5"]},
        turn=1,
        lap=1,
    )
    assert turn_moves(rnd) == {"12-7>p1", "12-1>p1"}
    play(rnd, "12-7>p1")
    assert turn_moves(rnd) == {"5-4>m0", "done"}


def test_bernie_marked_seat_without_a_train() -> None:
    """A marked seat on whose train nobody has played may use only its own."""
    hands = [["9-8", "12-0"], ["12-7", "5-4", "2-1"]]
    trains = {"p0": ["12-9"], "m0": ["12-5"]}
    rnd = position("bernie", hands, boneyard=["0-0"], trains=trains, turn=1, markers=[1])
    assert turn_moves(rnd) == {"12-7>p1"}
    trains["p1"] = ["12-3"]
    rnd = position("bernie", hands, boneyard=["0-0"], trains=trains, turn=1, markers=[1])
    assert turn_moves(rnd) == {"5-4>m0", "12-7>m1"}
    play(rnd, "5-4>m0")
    assert rnd.markers == set()


def test_bernie_several_mexican_trains() -> None:
    """Any number of them, one new one a turn, none twice a turn."""
    trains = {"p0": ["12-9"], "p1": ["12-8"], "m0": ["12-5"], "m1": ["12-6"]}
    rnd = position(
        "bernie", [["12-1", "12-2", "6-5", "1-0", "6-6"], ["4-3"]], boneyard=["0-0"], trains=trains
    )
    assert turn_moves(rnd) == {"12-1>m2", "12-2>m2", "6-5>m0", "6-5>m1", "6-6>m1"}
    play(rnd, "12-1>m2")
    assert turn_moves(rnd) == {"6-5>m0", "6-5>m1", "6-6>m1", "done"}
    play(rnd, "6-5>m0")
    assert turn_moves(rnd) == {"6-6>m1", "done"}
    play(rnd, "6-6>m1")
    # Owed on the double, no 6 in hand, no draw, no marker.
    assert (rnd.turn, rnd.markers, rnd.open_doubles) == (1, set(), [("m1", "6-6")])


def test_bernie_covers_its_double_and_goes_on() -> None:
    """A double is covered next on its train, which is then used up; others follow."""
    trains = {"p0": ["12-5"], "p1": ["12-8"], "m0": ["12-3"]}
    rnd = position(
        "bernie", [["5-5", "5-3", "3-3", "9-0"], ["8-1"]], boneyard=["0-0"], trains=trains
    )
    play(rnd, "5-5>p0")
    assert turn_moves(rnd) == {"5-3>p0"}
    play(rnd, "5-3>p0")
    assert turn_moves(rnd) == {"3-3>m0", "done"}


def test_bernie_cover_of_another_seats_double_counts_for_that_train() -> None:
    """The cover is the turn's tile on that train, other trains follow."""
    rnd = position(
        "bernie",
        [["8-1"], ["5-3", "8-3", "9-3", "9-4"]],
        boneyard=["0-0"],
        trains={"p0": ["12-5", "5-5"], "p1": ["12-8"], "m0": ["12-9"]},
        doubles=[("p0", "5-5")],
        markers=[0],
        turn=1,
    )
    play(rnd, "5-3>p0")
    assert turn_moves(rnd) == {"8-3>p1", "9-3>m0", "9-4>m0", "done"}


# ---------------------------------------------------------------------- 13, 14: markers


@pytest.mark.parametrize("preset", ALL)
def test_marked_seat_that_prefers_another_train(preset: str) -> None:
    """It may; the marker stays with `own_play` and comes off with `any_play`."""
    rnd = position(
        preset,
        [["9-5", "9-1", "4-3"], ["8-1"]],
        boneyard=["0-0"],
        trains={"p0": ["12-9"], "p1": ["12-8"], "m0": ["12-5"]},
        markers=[0],
    )
    assert turn_moves(rnd) == {"9-5>p0", "9-1>p0", "9-5>m0"}
    play(rnd, "9-5>m0")
    assert rnd.markers == (set() if preset in {"bernie", "deluxe"} else {0})


def only_fits_elsewhere(preset: str, **changes: object) -> LiteralRound:
    rnd = position(
        preset,
        [["4-3"], ["9-1"]],
        boneyard=["8-2", "0-0"],
        trains={"p0": ["12-9"], "p1": ["12-8"]},
        markers=[1],
        changes=changes,
    )
    play(rnd, "draw")
    return rnd


@pytest.mark.parametrize("preset", ALL)
def test_drawn_tile_that_fits_only_another_open_train(preset: str) -> None:
    """It is played, and nobody is newly marked."""
    rnd = only_fits_elsewhere(preset)
    assert turn_moves(rnd) == ({"8-2>p1", "pass"} if preset == "spruce" else {"8-2>p1"})
    play(rnd, "8-2>p1")
    assert (rnd.turn, rnd.markers) == (1, {1})


def test_own_stuck_marks_whoever_could_not_extend_the_own_train() -> None:
    """Under `own_stuck` the same seat is marked at the end of its turn."""
    rnd = only_fits_elsewhere("reference", **{"marker.on": "own_stuck"})
    play(rnd, "8-2>p1")
    assert rnd.markers == {0, 1}
    rnd = position(
        "reference",
        [["9-5", "4-3"], ["8-1"]],
        boneyard=["0-0"],
        trains={"p0": ["12-9"], "p1": ["12-8"], "m0": ["12-5"]},
        changes={"marker.on": "own_stuck"},
    )
    play(rnd, "9-5>m0")
    assert rnd.markers == set()


# ---------------------------------------------------------------------- 15, 16, 17: blocks


@pytest.mark.parametrize("preset", ALL)
def test_last_tile_of_the_boneyard_does_not_fit(preset: str) -> None:
    """Its drawer's turn ends; play goes on."""
    rnd = position(
        preset,
        [["4-3"], ["9-8", "2-1"]],
        boneyard=["0-0"],
        trains={"p0": ["12-9"], "p1": ["12-8"]},
    )
    play(rnd, "draw")
    assert (rnd.phase, rnd.turn, rnd.boneyard, rnd.markers) == ("play", 1, [], {0})
    assert turn_moves(rnd) == {"9-8>p0", "9-8>p1"}


def test_last_tile_with_until_playable_and_first_stuck_ends_the_round() -> None:
    """The seat must go on drawing, and cannot."""
    rnd = position(
        "bernie",
        [["4-3"], ["9-8", "2-1"]],
        boneyard=["0-0"],
        trains={"p0": ["12-9"], "p1": ["12-8"]},
        changes={"draw.limit": "until_playable"},
    )
    play(rnd, "draw")
    assert (rnd.phase, rnd.blocked, rnd.markers, rnd.winner) == ("round_over", True, set(), 0)


@pytest.mark.parametrize("preset", LAP_STUCK)
def test_a_new_marker_that_gives_a_play_is_no_block(preset: str) -> None:
    """Counting passes alone is wrong: the last passer's new marker lets the first one play."""
    rnd = position(
        preset,
        [["8-2", "4-4"], ["4-3", "2-2"], ["3-1", "1-1"]],
        trains={"p0": ["12-9"], "p1": ["12-7"], "p2": ["12-8"]},
        markers=[0, 1],
    )
    play(rnd, "pass", "pass", "pass")
    assert (rnd.phase, rnd.turn, rnd.markers) == ("play", 0, {0, 1, 2})
    assert turn_moves(rnd) == {"8-2>p2"}


@pytest.mark.parametrize("preset", LAP_STUCK)
def test_passes_all_round_without_a_change_block(preset: str) -> None:
    """As many passes in a row that changed nothing as there are seats block the round."""
    rnd = position(
        preset,
        [["4-4"], ["4-3"], ["1-0"]],
        trains={"p0": ["12-9"], "p1": ["12-7"], "p2": ["12-8"]},
        markers=[0, 1],
    )
    play(rnd, "pass", "pass", "pass", "pass", "pass")
    assert rnd.phase == "play"
    play(rnd, "pass")
    assert (rnd.phase, rnd.blocked, rnd.scores, rnd.winner) == ("round_over", True, [8, 7, 1], 2)
    assert rnd.went_out == []


@pytest.mark.parametrize("preset", ALL)
def test_nobody_can_play_but_the_boneyard_has_tiles(preset: str) -> None:
    """Drawing goes on, marked or not."""
    rnd = position(
        preset,
        [["4-4"], ["4-3"], ["1-0"]],
        boneyard=["2-0", "2-1", "2-2", "3-0", "3-1", "3-2", "3-3", "5-0"],
        trains={"p0": ["12-9"], "p1": ["12-7"], "p2": ["12-8"]},
    )
    for _ in range(7):
        assert turn_moves(rnd) == {"draw"}
        play(rnd, "draw")
    assert (rnd.phase, rnd.markers, rnd.boneyard) == ("play", {0, 1, 2}, ["5-0"])


def test_draw_others_no_blocks_by_passes_with_tiles_left() -> None:
    """With `draw_others = no` the pass count blocks, under `first_stuck` too."""
    for preset in ["classic", "bernie"]:
        rnd = position(
            preset,
            [["4-4"], ["4-3"]],
            boneyard=["5-0"],
            trains={"p0": ["12-5", "5-5"], "p1": ["12-7"]},
            doubles=[("p0", "5-5")],
            changes={"doubles.draw_others": False},
        )
        play(rnd, "pass", "pass", "pass")
        assert (rnd.phase, rnd.markers) == ("play", {0, 1})
        play(rnd, "pass")
        assert (rnd.phase, rnd.blocked, rnd.boneyard) == ("round_over", True, ["5-0"])


# ---------------------------------------------------------------------- 18: the double blank


@pytest.mark.parametrize("preset", ALL)
def test_only_a_blank_covers_the_double_blank(preset: str) -> None:
    rnd = position(
        preset,
        [["9-8"], ["8-0", "9-1", "10-4"]],
        boneyard=["6-6"],
        trains={"p0": ["12-0", "0-0"], "p1": ["12-10"]},
        doubles=[("p0", "0-0")],
        turn=1,
    )
    assert turn_moves(rnd) == {"8-0>p0"}


@pytest.mark.parametrize("preset", ALL)
def test_double_blank_in_hand(preset: str) -> None:
    """It counts what `score.double_blank` says."""
    rnd = position(preset, [["9-8"], ["0-0", "1-0"]], boneyard=["6-6"], trains={"p0": ["12-9"]})
    play(rnd, "9-8>p0")
    assert rnd.scores == [0, 51 if preset in {"tournament", "spruce"} else 1]


@pytest.mark.parametrize("preset", ["classic", "boxcar", "official", "tournament", "deluxe"])
def test_double_blank_is_the_engine_of_the_last_round(preset: str) -> None:
    """In the last round trains begin with a blank."""
    rnd = deal(preset, [["9-0", "9-9"], ["8-1"]], ["7-7"], engine="0-0")
    assert "9-0>p0" in turn_moves(rnd)
    assert "9-9>p0" not in turn_moves(rnd)


# ---------------------------------------------------------------------- 19: two players


@pytest.mark.parametrize("preset", ALL)
def test_duty_returns_to_the_doubler(preset: str) -> None:
    """After the other failed the doubler is a later seat like any other, and is marked as one."""
    rnd = position(
        preset,
        [["5-5", "2-1", "9-4"], ["9-8"]],
        boneyard=["4-3", "6-6", "3-3", "5-4", "1-1"],
        trains={"p0": ["12-5"], "p1": ["12-10"]},
        changes={"doubles.draw_self": False},
    )
    play(rnd, "5-5>p0", "draw")
    assert (rnd.turn, 1 in rnd.markers, turn_moves(rnd)) == (0, True, {"draw"})
    play(rnd, "draw")
    assert (rnd.turn, rnd.markers) == (1, {0, 1})
    play(rnd, "draw")
    assert (rnd.turn, rnd.open_doubles) == (0, [("p0", "5-5")])
    play(rnd, "draw")
    assert turn_moves(rnd) == {"5-4>p0"}


# ---------------------------------------------------------------------- 20: knock and foul


KNOCK_TRAINS = {"p0": ["12-9"], "p1": ["12-8"], "p2": ["12-7"]}
KNOCK_HANDS = [["9-5", "4-3"], ["8-2", "2-2", "8-1"], ["7-2", "6-6", "1-0"]]


def one_tile_left(preset: str, boneyard: Sequence[str] = ("0-0", "1-1", "3-3")) -> LiteralRound:
    rnd = position(preset, KNOCK_HANDS, boneyard=boneyard, trains=KNOCK_TRAINS)
    play(rnd, "9-5>p0")
    assert (rnd.turn, rnd.knock_owed) == (1, {0: False})
    return rnd


@pytest.mark.parametrize("preset", ["bernie", "spruce", "nm"])
def test_foul_before_the_window_is_refused(preset: str) -> None:
    """A foul called before the window opens changes nothing."""
    rnd = one_tile_left(preset)
    assert rnd.legal(2) == set()
    with pytest.raises(IllegalMove):
        rnd.apply(2, "foul:0")
    assert (rnd.hands[0], rnd.knock_owed) == (["4-3"], {0: False})


@pytest.mark.parametrize("preset", ["bernie", "spruce", "nm"])
def test_knock_ends_the_debt(preset: str) -> None:
    """It may be said out of turn, once."""
    rnd = one_tile_left(preset)
    assert rnd.legal(0) == {"knock"}
    rnd.apply(0, "knock")
    assert (rnd.knock_owed, rnd.legal(0)) == ({}, set())


@pytest.mark.parametrize(("preset", "penalty"), [("bernie", 2), ("spruce", 2), ("nm", 1)])
def test_foul_inside_the_window(preset: str, penalty: int) -> None:
    """When the next seat has played (and its turn has ended) any other seat may call, once."""
    rnd = one_tile_left(preset)
    play(rnd, "8-2>p1")
    if rnd.turn == 1:  # bernie: one tile on each open train
        play(rnd, "done")
    assert rnd.knock_owed == {0: True}
    assert "foul:0" in rnd.legal(1)
    assert "foul:0" in rnd.legal(2)
    assert rnd.legal(0) == {"knock"}
    rnd.apply(1, "foul:0")
    assert rnd.hands[0] == sorted(["4-3", "0-0", "1-1"][: 1 + penalty])
    assert (rnd.knock_owed, rnd.markers) == ({}, set())
    assert "foul:0" not in rnd.legal(2)


def test_next_turn_end_opens_without_a_tile() -> None:
    """`next_turn_end` opens the window when the next turn ends, `next_tile` waits for a tile."""
    hands = [["9-5", "4-3"], ["1-1", "2-2"], ["7-2", "6-6", "1-0"]]
    for preset, window in [("nm", True), ("bernie", False)]:
        rnd = position(preset, hands, boneyard=["0-0", "3-3", "4-4"], trains=KNOCK_TRAINS)
        play(rnd, "9-5>p0", "draw")
        assert (rnd.turn, rnd.knock_owed) == (2, {0: window})


@pytest.mark.parametrize("preset", ["bernie", "spruce", "nm"])
def test_first_move_of_the_next_turn_ends_the_debt(preset: str) -> None:
    """After the window the foul is refused again; keeping the one tile makes no new debt."""
    rnd = position(preset, KNOCK_HANDS, boneyard=["0-0", "1-1", "3-3"], trains=KNOCK_TRAINS)
    play(rnd, "9-5>p0", "8-2>p1")
    while rnd.turn != 0:
        play(rnd, min(turn_moves(rnd) - {"done"}))
    assert "foul:0" in rnd.legal(1)
    play(rnd, "draw")
    assert rnd.knock_owed == {}
    assert "foul:0" not in rnd.legal(1)


def test_one_tile_reached_by_a_double() -> None:
    """The debt arises in mid-turn and ends unpunished when the last tile follows."""
    rnd = position("nm", [["5-5", "5-1"], ["9-8"]], boneyard=["0-0"], trains={"p0": ["12-5"]})
    play(rnd, "5-5>p0")
    assert (rnd.knock_owed, rnd.legal(0)) == ({0: False}, {"5-1>p0", "knock"})
    play(rnd, "5-1>p0")
    assert (rnd.phase, rnd.winner, rnd.knock_owed) == ("round_over", 0, {})
    rnd = position("nm", [["5-5", "4-1"], ["9-8"]], boneyard=["0-0"], trains={"p0": ["12-5"]})
    play(rnd, "5-5>p0", "draw")
    assert (rnd.turn, rnd.knock_owed) == (1, {})


@pytest.mark.parametrize("left", [1, 0])
def test_penalty_as_far_as_the_boneyard_goes(left: int) -> None:
    """The call closes the window also when the boneyard gives fewer tiles or none."""
    rnd = one_tile_left("spruce", boneyard=["0-0"][:left])
    play(rnd, "8-2>p1")
    rnd.apply(1, "foul:0")
    assert rnd.hands[0] == sorted(["4-3", "0-0"][: 1 + left])
    assert (rnd.boneyard, rnd.knock_owed) == ([], {})


def test_knock_and_foul_at_once_go_by_their_order() -> None:
    """Whichever of the two comes first makes the other illegal."""
    first_knock, first_foul = one_tile_left("nm"), one_tile_left("nm")
    for rnd, moves in [
        (first_knock, [(0, "knock"), (2, "foul:0")]),
        (first_foul, [(2, "foul:0"), (0, "knock")]),
    ]:
        play(rnd, "8-2>p1")
        rnd.apply(*moves[0])
        with pytest.raises(IllegalMove):
            rnd.apply(*moves[1])
    assert len(first_knock.hands[0]) == 1
    assert len(first_foul.hands[0]) == 2


@pytest.mark.parametrize("preset", [n for n in ALL if PRESETS[n]["announce.mode"] != "knock"])
def test_other_modes_know_no_knock(preset: str) -> None:
    rnd = position(preset, KNOCK_HANDS, boneyard=["0-0"], trains=KNOCK_TRAINS)
    play(rnd, "9-5>p0")
    assert (rnd.knock_owed, rnd.legal(0), rnd.legal(2)) == ({}, set(), set())


def test_penalty_that_empties_the_boneyard_ends_first_stuck() -> None:
    """A seat that had only `draw` is stuck when a penalty takes the last tiles."""
    rnd = position(
        "bernie",
        [["9-5", "4-3"], ["8-2", "2-2", "1-1"], ["6-6", "1-0"]],
        boneyard=["0-0", "3-3"],
        trains=KNOCK_TRAINS,
    )
    play(rnd, "9-5>p0", "8-2>p1")
    assert (rnd.turn, turn_moves(rnd)) == (2, {"draw"})
    rnd.apply(1, "foul:0")
    assert (rnd.phase, rnd.blocked, rnd.scores) == ("round_over", True, [13, 6, 13])
    assert rnd.winner == 1


def test_penalty_that_empties_the_boneyard_lets_an_empty_hand_out() -> None:
    """An empty hand that must draw is out when a penalty takes the last tile."""
    rnd = position(
        "tournament",
        [["9-5", "4-3"], ["8-8"], ["6-6", "1-0"]],
        boneyard=["1-1"],
        trains=KNOCK_TRAINS,
        changes={"announce.mode": "knock", "announce.penalty_tiles": 1},
    )
    play(rnd, "9-5>p0", "8-8>p1")
    assert (rnd.turn, turn_moves(rnd), rnd.knock_owed) == (1, {"draw"}, {0: True})
    rnd.apply(2, "foul:0")
    assert (rnd.phase, rnd.winner, rnd.scores) == ("round_over", 1, [9, 0, 13])


# ---------------------------------------------------------------------- 21: long first trains


def test_long_first_trains() -> None:
    """In lap 1 a seat builds its own train end to end, doubles owing nothing, `done` offered."""
    for preset in ["pagat", "spruce"]:
        rnd = position(
            preset, [["12-5", "5-5", "5-2", "9-9"], ["12-1"]], boneyard=["0-0", "3-3"], lap=1
        )
        assert turn_moves(rnd) == {"12-5>p0"}
        play(rnd, "12-5>p0")
        assert turn_moves(rnd) == {"5-5>p0", "5-2>p0", "done"}
        play(rnd, "5-5>p0")
        assert turn_moves(rnd) == {"5-2>p0", "done"}
        assert rnd.open_doubles == [("p0", "5-5")]
        play(rnd, "done")
        assert (rnd.turn, rnd.markers, turn_moves(rnd)) == (1, set(), {"12-1>p1"})


@pytest.mark.parametrize("preset", ["pagat", "spruce"])
def test_doubles_of_lap_1_bind_from_lap_2_in_the_order_laid(preset: str) -> None:
    """First trains that end in doubles bind everybody once lap 1 is over."""
    rnd = position(
        preset,
        [["12-5", "5-5", "7-4", "9-9"], ["12-7", "7-7", "8-8"]],
        boneyard=["5-3", "3-3"],
        lap=1,
    )
    play(rnd, "12-5>p0", "5-5>p0")
    assert rnd.turn == 1
    play(rnd, "12-7>p1", "7-7>p1")
    assert (rnd.lap, rnd.turn) == (2, 0)
    assert rnd.open_doubles == [("p0", "5-5"), ("p1", "7-7")]
    assert turn_moves(rnd) == {"draw"}  # 7-4 serves only the newer one
    play(rnd, "draw")
    assert turn_moves(rnd) == {"5-3>p0"}  # a cover, so no `pass` with spruce's `may` either
    play(rnd, "5-3>p0")
    assert (rnd.turn, rnd.open_doubles) == (1, [("p1", "7-7")])


@pytest.mark.parametrize("preset", ["pagat", "spruce"])
def test_several_out_in_lap_1(preset: str) -> None:
    """The lap is finished, those out score 0, and the first of them has won."""
    rnd = position(
        preset,
        [["12-9", "9-4", "6-6"], ["12-5", "5-5"], ["12-1", "1-0"], ["12-2", "8-8"]],
        boneyard=["0-0"],
        lap=1,
        turn=1,
        first_player=1,
    )
    play(rnd, "12-5>p1", "5-5>p1")
    assert (rnd.phase, rnd.turn, rnd.went_out) == ("play", 2, [1])
    play(rnd, "12-1>p2", "1-0>p2")
    assert (rnd.turn, rnd.went_out) == (3, [1, 2])
    play(rnd, "12-2>p3")
    assert rnd.turn == 0
    play(rnd, "12-9>p0", "done")
    assert (rnd.phase, rnd.winner, rnd.blocked) == ("round_over", 1, False)
    assert rnd.scores == [25, 0, 0, 16]


@pytest.mark.parametrize("preset", ["pagat", "spruce"])
def test_own_only_in_lap_1(preset: str) -> None:
    """Nothing but the own train, not even a marked one; who fits nothing draws and is marked."""
    rnd = position(
        preset,
        [["9-8"], ["4-3", "12-12"], ["12-6"]],
        engine="11-11",
        boneyard=["11-9", "0-0"],
        trains={"p0": []},
        markers=[0],
        lap=1,
        turn=1,
    )
    assert turn_moves(rnd) == {"draw"}
    play(rnd, "draw")
    assert turn_moves(rnd) == ({"11-9>p1", "pass"} if preset == "spruce" else {"11-9>p1"})
    play(rnd, "11-9>p1")
    assert (rnd.turn, turn_moves(rnd)) == (2, {"draw"})
    play(rnd, "draw")
    assert rnd.markers == {0, 2}


# ---------------------------------------------------------------------- 22: ties


def test_ties_after_the_last_round() -> None:
    """`shared` shares; `zero_rounds` counts rounds with 0, then the lowest other round."""
    rounds = [[0, 10, 5, 30], [20, 10, 15, 0], [20, 20, 20, 5]]  # totals 40, 40, 40, 35
    assert places("shared", rounds) == [2, 2, 2, 1]
    assert places("zero_rounds", rounds) == [2, 4, 3, 1]
    assert places("zero_rounds", [[0, 0, 9], [7, 7, 9]]) == [1, 1, 3]
    assert places("shared", [[0, 0, 9], [7, 7, 9]]) == [1, 1, 3]


# ---------------------------------------------------------------------- further options


def test_starter_extra() -> None:
    """The first player's first turn may have a second tile, elsewhere or anywhere."""
    hands = [["12-5", "5-1", "12-3", "9-9"], ["8-1"]]
    trains = {"m0": ["12-9"]}
    rnd = position("classic", hands, boneyard=["0-0"], lap=1, trains=trains)
    play(rnd, "12-5>p0")
    assert rnd.turn == 1
    for value, expected in [
        ("any_train", {"5-1>p0", "9-9>m0", "done"}),
        ("other_train", {"9-9>m0", "done"}),
    ]:
        rnd = position(
            "classic",
            hands,
            boneyard=["0-0"],
            lap=1,
            trains=trains,
            changes={"first_turn.starter_extra": value},
        )
        play(rnd, "12-5>p0")
        assert turn_moves(rnd) == expected
        play(rnd, "done")
        assert rnd.turn == 1


def test_own_first_opponents() -> None:
    """In deluxe a seat without a train may ride the Mexican Train, not a marked opponent's."""
    hands = [["9-8"], ["12-7", "5-4", "9-3"]]
    trains = {"p0": ["12-9"], "m0": ["12-5"]}
    rnd = position("deluxe", hands, boneyard=["0-0"], trains=trains, markers=[0], turn=1)
    assert turn_moves(rnd) == {"12-7>p1", "5-4>m0"}
    trains["p1"] = ["12-1"]
    rnd = position("deluxe", hands, boneyard=["0-0"], trains=trains, markers=[0], turn=1)
    assert turn_moves(rnd) == {"5-4>m0", "9-3>p0"}


def test_first_train_with_doubles_that_bind() -> None:
    """A double of a first train that is not exempt is covered before going on, or the turn ends."""
    changes = {"doubles.first_turn_exempt": False}
    hands = [["12-5", "5-5", "5-2", "2-1", "9-9"], ["12-1"]]
    rnd = position("spruce", hands, boneyard=["0-0"], lap=1, changes=changes)
    play(rnd, "12-5>p0", "5-5>p0")
    assert turn_moves(rnd) == {"5-2>p0"}
    play(rnd, "5-2>p0")
    assert turn_moves(rnd) == {"2-1>p0", "done"}
    hands = [["12-5", "5-5", "9-9"], ["12-1"]]
    rnd = position("spruce", hands, boneyard=["0-0"], lap=1, changes=changes)
    play(rnd, "12-5>p0", "5-5>p0")
    assert (rnd.turn, rnd.open_doubles, rnd.markers) == (1, [("p0", "5-5")], set())


def test_must_play_no() -> None:
    """A seat that can play may draw, and then play or pass; the pass marks."""
    rnd = position(
        "classic",
        [["9-5", "4-3"], ["8-1"]],
        boneyard=["0-0", "1-1"],
        trains={"p0": ["12-9"]},
        changes={"turn.must_play": False},
    )
    assert turn_moves(rnd) == {"9-5>p0", "draw"}
    play(rnd, "draw")
    assert turn_moves(rnd) == {"9-5>p0", "pass"}
    play(rnd, "pass")
    assert (rnd.turn, rnd.markers) == (1, {0})


def test_until_playable() -> None:
    """Draw is offered again until a tile fits."""
    rnd = position(
        "classic",
        [["4-3"], ["8-1"]],
        boneyard=["0-0", "1-1", "9-2", "9-1"],
        trains={"p0": ["12-9"], "p1": ["12-8"]},
        changes={"draw.limit": "until_playable"},
    )
    play(rnd, "draw", "draw", "draw")
    assert (rnd.turn, turn_moves(rnd), rnd.boneyard) == (0, {"9-2>p0"}, ["9-1"])


def test_must_cover_no() -> None:
    """A double is an ordinary tile."""
    rnd = position(
        "classic",
        [["5-5", "4-3"], ["8-1"]],
        boneyard=["0-0"],
        trains={"p0": ["12-5"], "p1": ["12-8"]},
        changes={"doubles.must_cover": False},
    )
    play(rnd, "5-5>p0")
    assert (rnd.turn, rnd.open_doubles, turn_moves(rnd)) == (1, [], {"8-1>p1"})


@pytest.mark.parametrize("preset", ALL)
def test_skip_lays_nothing_and_marks(preset: str) -> None:
    """It draws where `draw` alone was offered, and marks as a pass does."""
    rnd = position(
        preset,
        [["4-3"], ["8-1", "2-2"]],
        boneyard=["9-0", "1-1"],
        trains={"p0": ["12-9"], "p1": ["12-8"]},
    )
    rnd.skip(0)
    assert (rnd.turn, rnd.hands[0], rnd.markers) == (1, ["4-3", "9-0"], {0})
    rnd.skip(1)
    assert (rnd.turn, rnd.hands[1], rnd.markers) == (0, ["2-2", "8-1"], {0, 1})
    with pytest.raises(IllegalMove):
        rnd.skip(1)


def test_skip_after_a_tile() -> None:
    """With nothing owed it is `done`; with an extra tile owed it marks by `mark_self`."""
    rnd = position("bernie", [["12-5", "12-1", "0-0"], ["9-8"]], boneyard=["1-1"], lap=1)
    play(rnd, "12-5>p0")
    rnd.skip(0)
    assert (rnd.turn, rnd.markers) == (1, set())
    for preset, markers in [("classic", {0}), ("spruce", set[int]())]:
        rnd = position(
            preset,
            [["5-5", "5-1", "0-0"], ["9-8"]],
            boneyard=["1-1"],
            trains={"p0": ["12-5"]},
        )
        play(rnd, "5-5>p0")
        rnd.skip(0)
        assert (rnd.turn, rnd.markers, rnd.boneyard) == (1, markers, ["1-1"])


def test_skips_without_change_count_as_passes() -> None:
    """Under `lap_stuck` a skip that neither drew nor newly marked counts."""
    rnd = position(
        "classic",
        [["9-3"], ["8-1"]],
        boneyard=["1-1"],
        trains={"p0": ["12-9"], "p1": ["12-8"]},
    )
    for seat in [0, 1, 0]:
        rnd.skip(seat)
        assert rnd.phase == "play"
    rnd.skip(1)
    assert (rnd.phase, rnd.blocked) == ("round_over", True)


# ---------------------------------------------------------------------- hand sizes and presets


@pytest.mark.parametrize(
    ("table", "max_pip", "players", "expected"),
    [
        ("common", 12, 2, 15),
        ("common", 12, 11, 7),
        ("parsons", 12, 9, 9),
        ("parsons", 12, 5, 14),
        ("fundex", 12, 6, 11),
        ("cardinal", 12, 8, 11),
        ("nm", 12, 2, 11),
        ("spruce", 12, 4, 12),
        ("common", 6, 5, 4),
        ("parsons", 6, 6, 3),
        ("nm", 9, 8, 6),
        ("common", 15, 12, 11),
        ("common", 15, 13, 9),
        ("common", 18, 14, 11),
    ],
)
def test_hand_sizes(table: str, max_pip: int, players: int, expected: int) -> None:
    options = {**PRESETS["classic"], "deal.table": table, "set.max_pip": max_pip}
    assert hand_size(options, players) == expected


@pytest.mark.parametrize(
    ("changes", "players", "largest"),
    [
        ({"set.max_pip": 6}, 7, "is 3"),
        ({"deal.table": "spruce"}, 2, "is 45"),
        ({"deal.hand_size": 46}, 2, "is 45"),
        ({"deal.hand_size": 2}, 2, "is 45"),
        ({"set.max_pip": 6}, 14, "no hand"),
    ],
)
def test_refused_hand_sizes(changes: Mapping[str, object], players: int, largest: str) -> None:
    """A refusal names the largest hand that would work."""
    with pytest.raises(ValueError, match=largest):
        hand_size({**PRESETS["classic"], **changes}, players)


def test_sixteen_for_two() -> None:
    """`deal.hand_size` goes before the table."""
    assert hand_size({**PRESETS["reference"], "deal.hand_size": 16}, 2) == 16


def test_presets_are_complete_and_sound() -> None:
    """Every preset has the same options, and none mixes what section 2 refuses."""
    for name, options in PRESETS.items():
        assert list(options) == list(PRESETS["classic"]), name
        assert refused_pairs(options) == []
        for option, values in OPTION_VALUES.items():
            value = options[option]
            if option == "doubles.lapse":
                assert isinstance(value, list)
                value = [cause for cause in ["dead_number", "boneyard_empty"] if cause in value]
            assert value in values, (name, option)


# ---------------------------------------------------------------------- whole rounds


def mixture(rng: random.Random) -> dict[str, object]:
    """A preset, or any mixture that section 2 does not refuse."""
    options = dict(PRESETS[rng.choice(ALL)])
    for _ in range(rng.choice([0, 2, 6, 40])):
        option = rng.choice(sorted(OPTION_VALUES))
        changed = {**options, option: rng.choice(OPTION_VALUES[option])}
        if not refused_pairs(changed):
            options = changed
    return options


def fresh_round(rng: random.Random) -> LiteralRound:
    options = mixture(rng)
    max_pip = options["set.max_pip"]
    assert isinstance(max_pip, int)
    tiles = [f"{high}-{low}" for high in range(max_pip + 1) for low in range(high + 1)]
    dealt_most = len(tiles) - 1
    seats = rng.randint(2, min(14, dealt_most // 3))
    engine = rng.randint(0, max_pip)
    engine_tile = f"{engine}-{engine}"
    if options["engine.source"] == "set_aside":
        tiles.remove(engine_tile)
    rng.shuffle(tiles)
    size = rng.randint(3, min(16, dealt_most // seats))
    return LiteralRound(
        options,
        seats=seats,
        hands=[tiles[seat * size : (seat + 1) * size] for seat in range(seats)],
        boneyard=tiles[seats * size :],
        engine_tile=engine_tile,
        first_seat=rng.randrange(seats),
        round_number=rng.randint(1, 13),
        last_winner=rng.choice([None, rng.randrange(seats)]),
    )


def assert_sound(rnd: LiteralRound) -> None:
    """Every tile in one place, every train matched end to end, every open double uncovered."""
    max_pip = rnd.options["set.max_pip"]
    assert isinstance(max_pip, int)
    seen = [rnd.engine_tile, *rnd.boneyard]
    for tiles in [*rnd.hands, *rnd.trains.values()]:
        seen += tiles
    assert len(seen) == len(set(seen)) == (max_pip + 1) * (max_pip + 2) // 2
    for train in rnd.trains.values():
        number = ends(rnd.engine_tile)[0]
        for tile in train:
            high, low = ends(tile)
            assert number in (high, low)
            number = low if number == high else high
    for name, tile in rnd.open_doubles:
        assert is_double(tile)
        assert rnd.trains[name][-1] == tile
    for seat, hand in enumerate(rnd.hands):
        assert hand == sorted(hand)
        if seat in rnd.went_out:
            assert hand == []
    assert all(len(rnd.hands[seat]) == 1 for seat in rnd.knock_owed)


@settings(max_examples=60, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_rounds_end_and_keep_their_tiles(seed: int) -> None:
    """A random round of any mixture ends; there is always a move, and no tile is lost."""
    rng = random.Random(seed)
    rnd = fresh_round(rng)
    for _ in range(20_000):
        if rnd.phase == "round_over":
            break
        assert_sound(rnd)
        assert rnd.turn is not None
        moves = {seat: rnd.legal(seat) for seat in range(rnd.seats)}
        assert turn_moves(rnd)
        with pytest.raises(IllegalMove):
            rnd.apply(rnd.turn, "skip")
        others = [
            (seat, move)
            for seat in moves
            for move in sorted(moves[seat])
            if move == "knock" or move.startswith("foul:")
        ]
        if others and rng.random() < 0.3:
            rnd.apply(*rng.choice(others))
        elif rng.random() < 0.02:
            rnd.skip(rnd.turn)
        else:
            rnd.apply(rnd.turn, rng.choice(sorted(turn_moves(rnd))))
    assert rnd.phase == "round_over"
    assert_sound(rnd)
    assert rnd.turn is None
    assert len(rnd.scores) == rnd.seats
    assert rnd.winner is not None
    assert rnd.blocked or rnd.went_out
    assert all(rnd.legal(seat) == set() for seat in range(rnd.seats))
