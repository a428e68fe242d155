"""A round made up for each seed text, worked by hand from that text alone.

The files in `golden/` have each event beside the sentence that it follows from. Here they are
played: every event must come as it stands there, and none besides.
"""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from mexican_train.engine import Deal, Event, Game, Move, RuleSet, parse_tile

from tests.engine.tabletop import tell

GOLDEN = Path(__file__).with_name("golden")
SEEDED = ("reference", "classic", "bernie", "boxcar")
"""The presets that have a seed text, 000 to 003."""


@dataclass
class Golden:
    """One golden file: the deal, and the moves with the events that each of them brings."""

    preset: str = ""
    hands: list[list[int]] = field(default_factory=list)
    boneyard: list[int] = field(default_factory=list)
    engine: int = -1
    moves: list[str] = field(default_factory=list)
    events: list[list[str]] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)


def read(path: Path) -> Golden:
    """Read a golden file; ValueError for a line of no known form."""
    golden = Golden()
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if line.startswith("#") or not line:
            continue
        if word == ">":
            golden.moves.append(rest)
            golden.events.append([])
        elif golden.moves:
            event, bar, sentence = line.partition(" | ")
            if not bar:
                raise ValueError(f"{path.name}: no sentence beside {line!r}")
            golden.events[-1].append(event)
            golden.sentences.append(sentence)
        elif word == "rules":
            golden.preset = rest
        elif word == "hand":
            golden.hands.append([parse_tile(each) for each in rest.split()])
        elif word == "boneyard":
            golden.boneyard = [parse_tile(each) for each in rest.split()]
        elif word == "engine":
            golden.engine = parse_tile(rest)
        else:
            raise ValueError(f"{path.name}: {line!r}")
    return golden


def make(game: Game, move: str, deal: Deal) -> tuple[Event, ...]:
    """Make one move of a golden file; `deal` begins the round."""
    if move == "deal":
        return game.begin_round(deal)
    seat, _, written = move.partition(" ")
    return game.apply(int(seat), Move.parse(written))


@pytest.mark.parametrize("name", SEEDED)
def test_golden_round_comes_event_by_event(name: str) -> None:
    """Every move is legal and brings the events that stand below it, and the round ends."""
    golden = read(GOLDEN / f"{name}.txt")
    deal = Deal.fixed(golden.hands, golden.boneyard, golden.engine)
    game = Game.start(RuleSet.preset(golden.preset), len(golden.hands))
    for move, events in zip(golden.moves, golden.events, strict=True):
        assert [tell(event) for event in make(game, move, deal)] == events, move
    assert game.phase == "round_over"
    last = golden.events[-1][-1]
    assert last.endswith("scores " + ",".join(map(str, game.scores[0])))


@pytest.mark.parametrize("name", SEEDED)
def test_every_event_has_its_sentence(name: str) -> None:
    """No event stands without the sentence of the text that it follows from."""
    golden = read(GOLDEN / f"{name}.txt")
    assert golden.preset == name
    assert all(len(sentence) > 15 for sentence in golden.sentences)
    assert len(golden.sentences) == sum(map(len, golden.events))


def test_every_seed_text_has_a_golden_round() -> None:
    """And there is no golden file that is not played."""
    assert sorted(path.stem for path in GOLDEN.iterdir()) == sorted(SEEDED)
