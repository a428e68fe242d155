"""The position string: written, read, played on, known to one seat, refused if impossible."""

import random

import pytest
from mexican_train.engine import (
    Deal,
    Game,
    Hidden,
    Move,
    Position,
    PositionError,
    RuleSet,
    preset_names,
)

SMALL = RuleSet.preset("classic").with_options({"set.max_pip": 6, "deal.hand_size": 3})
RULES = SMALL.hash[:12]


def line(**changes: str) -> str:
    """A position of two seats in a double-6 set, worked by hand, with some words changed.

    Seat 0 laid 6-1, seat 1 has its marker up, and the Mexican Train ends in an open 5-5 that
    seat 1 laid; seat 0 must cover it.
    """
    words = {
        "rules": RULES,
        "set": "6",
        "round": "1",
        "engine": "6-6",
        "first": "0",
        "turns": "2",
        "to": "0:cover",
        "p0": "6-1",
        "p1!": "",
        "m0": "6-5,5-5",
        "hands": "4-1,3-2/5-0,4-0",
        "bone": "?20",
        "open": "m0:1",
        "duty": "yes",
    } | changes
    return "mt1 " + " ".join(f"{key}={value}" for key, value in words.items() if value != "-")


def test_reading_the_line_gives_what_it_says() -> None:
    """Each word means what the format says."""
    position = Position.parse(line())
    assert str(position) == line()
    assert position.marked == (1,)
    assert position.to_act == 0
    assert position.boneyard == Hidden(20)
    assert len(position.lines[14]) == 2
    assert position.uncovered[0].train == 14
    assert not position.is_whole


def test_a_position_is_played_on() -> None:
    """The round made from a line knows its duty: seat 0 has no 5 and must draw."""
    position = Position.parse(line())
    whole = position.filled(position.unseen())
    state = whole.to_round(SMALL)
    assert [str(move) for move in state.choices] == ["draw"]
    assert state.awaited == "cover"


@pytest.mark.parametrize("preset", preset_names())
def test_every_moment_of_a_game_round_trips(preset: str) -> None:
    """Text, position and round agree at every move, whole and as each seat knows it."""
    chance = random.Random(preset)
    rules = RuleSet.preset(preset).with_options({"game.rounds": 1})
    game = Game.start(rules, 4)
    game.begin_round(Deal.from_seed(rules, 4, chance.randbytes(32), 1))
    while game.turn is not None:
        position = game.position()
        again = Position.parse(str(position))
        assert again == position
        state = again.to_round(rules)
        assert state.choices == game.round.choices
        assert Position.of(state, rules) == position
        known = game.position(chance.randrange(4))
        assert Position.parse(str(known)) == known
        order = list(known.unseen())
        chance.shuffle(order)
        assert known.filled(order).is_whole
        game.apply(game.turn, chance.choice(game.legal_moves(game.turn)))
    assert Position.parse(str(game.position())) == game.position()


def test_a_seat_knows_its_own_hand_only() -> None:
    """No hidden tile is in the text of what one seat knows."""
    game = Game.start(SMALL, 2)
    game.begin_round(Deal.from_seed(SMALL, 2, bytes(32), 1))
    known = game.position(0)
    assert known.hands[0] == game.round.hand(0)
    assert known.hands[1] == Hidden(3)
    assert known.boneyard == Hidden(21)


def test_playing_on_a_filled_position_is_independent() -> None:
    """Moves on the round of a position change no other round."""
    game = Game.start(SMALL, 2)
    game.begin_round(Deal.from_seed(SMALL, 2, bytes(32), 1))
    before = game.position()
    position = game.position(0)
    one = position.filled(position.unseen()).to_round(SMALL)
    two = one.copy()
    two.choices = ()
    assert one.choices
    assert game.position() == before


IMPOSSIBLE = {
    "tile twice": ({"hands": "4-1,6-1/5-0,4-0"}, "6-1 is there twice"),
    "tile of another set": ({"hands": "4-1,7-2/5-0,4-0"}, "no 7-2"),
    "too few tiles": ({"bone": "?19"}, "27 tiles of 28"),
    "train that does not match": ({"p0": "6-1,4-2", "bone": "?19"}, "4-2 on p0 does not fit 1"),
    "two markers": ({"p1!": "-", "p1!!": ""}, "so many markers"),
    "marker on a Mexican Train": ({"m0": "-", "m0!": "6-5,5-5"}, "so many markers"),
    "train missing": ({"p0": "-", "bone": "?21"}, "one personal train a seat"),
    "gap in the Mexican Trains": ({"m0": "-", "m1": "6-5,5-5", "open": "m1:1"}, "from m0 on"),
    "open double that is none": ({"open": "p0:0"}, "p0 does not end in a double"),
    "seat that is not there": ({"to": "2:play"}, "no seat 2"),
    "awaited that is nothing": ({"to": "0:sing"}, "not awaited"),
    "nothing to cover": ({"open": "-"}, "nothing is there to cover"),
    "extra tile for no double": ({"to": "0:extra"}, "extra= must say"),
    "engine that is no double": ({"engine": "6-4"}, "no double"),
    "foul without a debt": ({"foul": "1"}, "owes a knock"),
    "drawn tile not in hand": ({"drew": "3-3", "to": "0:cover"}, "not in that hand"),
    "unknown word": ({"colour": "red"}, "colour is unknown"),
    "word missing": ({"bone": "-"}, "bone is missing"),
    "no number": ({"turns": "two"}, "'two' is no number"),
    "no tile": ({"hands": "41/5-0,4-0"}, "'41' is no tile"),
    "turn that is another's": ({"turns": "3"}, "it is not seat 0's"),
    "flag that is no yes": ({"duty": "no"}, "'no' is not yes"),
    "knock owed with two tiles": ({"owed": "1"}, "owes a knock with 2 tiles"),
    "out with tiles": ({"out": "1"}, "is out with 2 tiles"),
    "more passes than seats": ({"passes": "9"}, "passes 9 times"),
    "more tiles laid than lie": ({"laid": "9"}, "9 tiles cannot have been laid"),
    "extra tile after no double": ({"to": "0:extra", "extra": "p0"}, "p0 does not end in a double"),
    "one seat": ({"hands": "4-1,3-2", "p1!": "-", "open": "m0:0", "bone": "?22"}, "two seats"),
    "set that is none": ({"set": "5"}, "no double-5 set"),
    "mexican train not started": ({"m1": ""}, "m1 has not been started"),
}


@pytest.mark.parametrize(("changes", "says"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_cannot_exist_is_refused_with_the_reason(changes: dict[str, str], says: str) -> None:
    """The reason names what is wrong."""
    with pytest.raises(PositionError, match=says):
        Position.parse(line(**changes))


@pytest.mark.parametrize("text", ["", "mt2 set=6", "mt1", "mt1 " + "x" * 5000, "mt1 set=6 set=6"])
def test_what_is_no_position_is_refused(text: str) -> None:
    """Any text is answered by PositionError."""
    with pytest.raises(PositionError):
        Position.parse(text)


def test_position_of_other_rules_is_refused() -> None:
    """A position is played on in its own rules only."""
    position = Position.parse(line())
    with pytest.raises(PositionError, match="belongs to rules"):
        position.filled(position.unseen()).to_round(RuleSet.preset("boxcar"))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"to": "0:play"}, "must be covered first"),
        ({"round": "2"}, "the engine of round 2 is 5-5"),
        ({"round": "9"}, "no round 9"),
        ({"to": "0:go_on"}, "no turn has several tiles"),
        ({"m1": "6-3", "bone": "?19"}, "1 Mexican Trains at most"),
    ],
)
def test_what_the_rules_forbid_is_refused(changes: dict[str, str], says: str) -> None:
    """Some of it only the rules can tell: engine, trains, duty, turns of several tiles."""
    position = Position.parse(line(**changes))
    with pytest.raises(PositionError, match=says):
        position.filled(position.unseen()).to_round(SMALL)


def test_hidden_tiles_cannot_be_played_on() -> None:
    """A seat's knowledge must be filled in before it is a round."""
    with pytest.raises(PositionError, match="hidden"):
        Position.parse(line()).to_round(SMALL)
    with pytest.raises(PositionError, match="unseen"):
        Position.parse(line()).filled([0, 1])


def test_lines_are_read_byte_by_byte_without_surprise() -> None:
    """A changed character gives another position or PositionError, never anything else."""
    text, chance = line(), random.Random(3)
    for _ in range(500):
        place = chance.randrange(len(text))
        edited = text[:place] + chr(chance.randrange(32, 127)) + text[place + 1 :]
        try:
            Position.parse(edited)
        except PositionError:
            continue


def test_moves_are_the_same_objects_after_parsing() -> None:
    """A move written and read is the move itself."""
    assert Move.parse("5-4>m0") is Move.play(Move.parse("5-4>p1").tile, 14)
