"""Moves and trains: their text forms in pairs, and that a move is one shared value."""

import copy
import pickle

import pytest
from mexican_train.engine import (
    DONE,
    DRAW,
    KNOCK,
    MEXICAN,
    PASS,
    SEATS_MAX,
    Deed,
    Move,
    parse_tile,
    parse_train,
    tile_text,
    train_text,
)

TRAINS = [*range(SEATS_MAX), *range(MEXICAN, MEXICAN + 18)]


@pytest.mark.parametrize("train", TRAINS)
def test_train_comes_back_from_its_text(train: int) -> None:
    """`p3` is the train of seat 3, `m0` the first Mexican Train; `parse_train` undoes it."""
    owned = train < SEATS_MAX
    assert train_text(train) == (f"p{train}" if owned else f"m{train - MEXICAN}")
    assert parse_train(train_text(train)) == train


@pytest.mark.parametrize(
    "text", ["", "p", "m", "p14", "m18", "p-1", "p03", "P1", "q1", "1", " p1", "p1 ", "p\u0661"]
)
def test_text_that_is_no_train_is_refused(text: str) -> None:
    """Trains are p0 to p13 and m0 to m17."""
    with pytest.raises(ValueError, match="train"):
        parse_train(text)


@pytest.mark.parametrize("train", TRAINS)
def test_every_play_comes_back_from_its_text(train: int) -> None:
    """A play is written tile, arrow, train."""
    for tile in range(190):
        move = Move.play(tile, train)
        assert str(move) == f"{tile_text(tile)}>{train_text(train)}"
        assert Move.parse(str(move)) is move
        assert (move.deed, move.tile, move.train) == (Deed.PLAY, tile, train)


@pytest.mark.parametrize(
    ("move", "text"), [(DRAW, "draw"), (PASS, "pass"), (DONE, "done"), (KNOCK, "knock")]
)
def test_plain_moves_come_back_from_their_text(move: Move, text: str) -> None:
    """A move without a tile is its word."""
    assert str(move) == text
    assert Move.parse(text) is move


@pytest.mark.parametrize("seat", range(SEATS_MAX))
def test_foul_names_the_offender(seat: int) -> None:
    """`foul:3` calls seat 3."""
    move = Move.foul(seat)
    assert (str(move), move.deed, move.seat) == (f"foul:{seat}", Deed.FOUL, seat)
    assert Move.parse(str(move)) is move


@pytest.mark.parametrize("move", [DRAW, Move.foul(3), Move.play(parse_tile("12-7"), 2)])
def test_copied_move_is_the_same_object(move: Move) -> None:
    """Moves are shared values: a copy and an unpickled one are the move itself."""
    assert copy.deepcopy(move) is move
    assert pickle.loads(pickle.dumps(move)) is move  # noqa: S301 - its own bytes


def test_tile_of_a_play_may_be_written_in_either_order() -> None:
    """People write 7-12 too."""
    assert Move.parse("7-12>p2") is Move.parse("12-7>p2")


@pytest.mark.parametrize(
    "text",
    [
        *("", "play", "skip", "DRAW", "draw ", " pass", "done>p0", "12-7", "12-7>", ">p1"),
        *("12-7>p14", "19-0>p1", "12-7>x1", "12-7>p1>p2", "12-7 > p1"),
        *("foul", "foul:", "foul:14", "foul:-1", "foul:a", "foul: 3", "foul:\u0663", "foul:3:4"),
        *("foul:03", "foul:" + "0" * 5000 + "1"),
    ],
)
def test_text_that_is_no_move_is_refused(text: str) -> None:
    """ValueError, whatever a person or a stranger's program sends."""
    with pytest.raises(ValueError, match=r"move|tile|train|set has"):
        Move.parse(text)


@pytest.mark.parametrize(("tile", "train"), [(190, 0), (0, 32), (-1, 0), (0, -1)])
def test_no_move_plays_a_tile_or_train_that_there_is_not(tile: int, train: int) -> None:
    """IndexError, below 0 too."""
    with pytest.raises(IndexError):
        Move.play(tile, train)
