"""The record of a game: written, read, replayed, and refused where it was changed."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from mexican_train.engine import (
    Deal,
    Event,
    Game,
    Record,
    RecordError,
    RuleSet,
    preset_names,
)


def played(
    preset: str, seed: int, *, rounds: int = 2, seats: int = 4
) -> tuple[Game, tuple[tuple[Event, ...], ...]]:
    """A game of random moves, with skips and calls out of turn, and its events by round."""
    chance = random.Random(seed)
    rules = RuleSet.preset(preset).with_options({"game.rounds": rounds})
    game = Game.start(rules, seats, first_seat=1)
    told = []
    while game.phase != "over":
        events = list(
            game.begin_round(
                Deal.from_seed(rules, seats, chance.randbytes(32), game.round_number + 1)
            )
        )
        while game.turn is not None:
            events += _anything(game, chance)
        told.append(tuple(events))
    return game, tuple(told)


def _anything(game: Game, chance: random.Random) -> tuple[Event, ...]:
    others = [seat for seat in range(game.seats) if seat != game.turn and game.legal_moves(seat)]
    seat = game.turn
    if others and chance.random() < 0.5:
        seat = chance.choice(others)
    assert seat is not None
    at_ms = chance.randrange(10_000)
    if seat == game.turn and chance.random() < 0.05:
        return game.skip(seat, at_ms=at_ms)
    return game.apply(seat, chance.choice(game.legal_moves(seat)), at_ms=at_ms)


@pytest.mark.parametrize("preset", preset_names())
def test_replay_gives_the_same_events_and_scores(preset: str) -> None:
    """A replay tells what the game told, skips and fouls included."""
    game, told = played(preset, 7, rounds=1)
    replay = Game.replay(Record.parse(game.record().to_text()))
    assert replay.events == told
    assert replay.game.scores == game.scores
    assert replay.game.places == game.places


def test_text_and_record_are_a_pair() -> None:
    """What is written is read back, names and times included, and written again alike."""
    game, _ = played("bernie", 3)
    record = game.record(["Ann", "Bob", "Çelik", "Dā"])
    text = record.to_text()
    assert Record.parse(text) == record
    assert Record.parse(text).to_text() == text
    assert text.isascii()


def test_game_in_play_has_a_record() -> None:
    """A last round without scores is one in play; its replay stands at the same move."""
    game, _ = played("classic", 5, rounds=2)
    whole = game.record()
    last = whole.rounds[-1]
    half = type(last)(last.deal, last.moves[:9], None)
    replay = Game.replay(
        Record.parse(
            Record(whole.rules, whole.names, 1, (whole.rounds[0], half)).to_text(),
        )
    )
    assert replay.game.phase == "play"
    assert replay.game.record().rounds[-1].moves == last.moves[:9]


def changed_bytes(text: str, chance: random.Random, count: int) -> Iterator[tuple[int, str]]:
    """The line of a byte, and the text with that byte changed."""
    for _ in range(count):
        place = chance.randrange(len(text))
        old = text[place]
        new = chance.choice([each for each in map(chr, range(10, 127)) if each != old])
        yield text.count("\n", 0, place) + 1, text[:place] + new + text[place + 1 :]


def test_one_changed_byte_is_refused_at_its_line(scale: Callable[[int, int], int]) -> None:
    """The first line that does not fit is the one that was changed, or its new half."""
    text = played("spruce", 11)[0].record().to_text()
    for line, edited in changed_bytes(text, random.Random(2), scale(200, 3000)):
        with pytest.raises(RecordError) as refused:
            Game.replay(Record.parse(edited))
        # a line feed that is gone joins two lines: the first of them is named
        assert refused.value.line in (line, line + 1) or edited.count("\n") != text.count("\n")


def test_lines_cut_off_or_doubled_are_refused() -> None:
    """A record without its last line, or with a line twice, does not fit."""
    lines = played("classic", 1)[0].record().to_text().split("\n")
    for edited in (lines[:-2], [*lines[:5], lines[4], *lines[5:]], [*lines[:7], *lines[8:]]):
        with pytest.raises(RecordError):
            Game.replay(Record.parse("\n".join(edited)))


def test_a_move_that_the_rules_refuse_is_named_by_its_line() -> None:
    """A record with right checksums is still held against the rules, move by move."""
    game, _ = played("classic", 21, rounds=1)
    whole = game.record()
    one = whole.rounds[0]
    swapped = (*one.moves[:3], one.moves[4], one.moves[3], *one.moves[5:])
    forged = Record(whole.rules, whole.names, 1, (type(one)(one.deal, swapped, one.scores),))
    with pytest.raises(RecordError) as refused:
        Game.replay(Record.parse(forged.to_text()))
    # lines 1 to 3 are the opening, the game and the deal; the fourth move stands on line 7
    assert refused.value.line == 7


def test_wrong_scores_are_named_by_their_line() -> None:
    """The scores must be those of the hands."""
    whole = played("classic", 22, rounds=1)[0].record()
    one = whole.rounds[0]
    assert one.scores is not None
    forged = Record(
        whole.rules,
        whole.names,
        1,
        (type(one)(one.deal, one.moves, (one.scores[0] + 1, *one.scores[1:])),),
    )
    with pytest.raises(RecordError, match="scores") as refused:
        Game.replay(forged)
    assert refused.value.line == 4 + len(one.moves)


def test_deal_of_half_a_set_is_refused() -> None:
    """A recorded deal has every tile of the set."""
    whole = played("classic", 23, rounds=1)[0].record()
    one = whole.rounds[0]
    short = Deal(one.deal.hands, one.deal.boneyard[1:], one.deal.engine_tile)
    forged = Record(whole.rules, whole.names, 1, (type(one)(short, one.moves, one.scores),))
    with pytest.raises(RecordError, match="whole set") as refused:
        Game.replay(forged)
    assert refused.value.line == 3


def test_deal_with_the_engine_of_another_round_is_refused() -> None:
    """Round 1 of a double-12 game has the engine 12-12."""
    rules = RuleSet.preset("classic")
    game = Game.start(rules, 4)
    game.begin_round(Deal.from_seed(rules, 4, bytes(32), 2))
    with pytest.raises(RecordError, match="engine of round 1") as refused:
        Game.replay(game.record())
    assert refused.value.line == 3


def test_names_must_be_one_a_seat() -> None:
    """A record names every seat."""
    game, _ = played("classic", 24, rounds=1)
    with pytest.raises(ValueError, match="3 names for 4 seats"):
        game.record(["a", "b", "c"])


def forged(**changes: object) -> str:
    """A record of a game that was never played, with right checksums."""
    whole = played("classic", 31, rounds=1)[0].record()
    return replace(whole, **changes).to_text()  # type: ignore[arg-type]


def test_hands_of_another_size_are_refused() -> None:
    """Whoever writes new checksums cannot give one seat a single tile."""
    whole = played("classic", 31, rounds=1)[0].record()
    deal = whole.rounds[0].deal
    tiles = [tile for tile in range(91) if tile != deal.engine_tile]
    unfair = Deal.fixed([tiles[:1], tiles[1:30], tiles[30:45], tiles[45:60]], tiles[60:], 90)
    record = replace(whole, rounds=(replace(whole.rounds[0], deal=unfair),))
    with pytest.raises(RecordError, match="every hand is dealt 15 tiles") as refused:
        Game.replay(Record.parse(record.to_text()))
    assert refused.value.line == 3


@pytest.mark.parametrize("name", ["B\nclassic", "\x1b]0;x\x07", "\ud800", "x" * 1000, ""])
def test_names_that_a_terminal_would_obey_are_refused(name: str) -> None:
    """Records are passed from hand to hand: names are short and printable."""
    with pytest.raises(RecordError, match="printable") as refused:
        Record.parse(forged(names=(name, "b", "c", "d")))
    assert refused.value.line == 2


def test_rules_under_a_false_name_are_refused() -> None:
    """A record cannot call other options by a preset's name."""
    rules = RuleSet(RuleSet.preset("bernie").options() | {"game.rounds": 1}, name="bernie")
    with pytest.raises(RecordError, match="not the rules called bernie"):
        Record.parse(forged(rules=rules))


def test_many_tiles_are_refused_at_once() -> None:
    """A line of a hundred thousand tiles is answered without comparing each with each."""
    with pytest.raises(ValueError, match="dealt twice"):
        Deal.fixed([[1] * 200_000], [], 0)
