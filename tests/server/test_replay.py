"""A record walked through: as everybody saw it, as one seat did, and refused where it is wrong."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mexican_train.engine import Deal, Game, Position, RecordError, RuleSet
from mexican_train.protocol import TileDrawn
from mexican_train.server.replay import steps, verify
from mexican_train.server.replay_cli import main

NAMES = ("Ann", "Bob", "Cid")


@pytest.fixture(scope="module")
def record() -> str:
    """The text of a game of two rounds by three seats, played at random."""
    chance = random.Random(9)
    rules = RuleSet.preset("classic").with_options({"game.rounds": 2})
    game = Game.start(rules, 3)
    while game.phase != "over":
        number = game.round_number + 1
        game.begin_round(Deal.from_seed(rules, 3, chance.randbytes(32), number))
        while game.turn is not None:
            game.apply(game.turn, chance.choice(game.legal_moves(game.turn)))
    return game.record(NAMES).to_text()


@pytest.fixture
def replay(record: str, tmp_path: Path) -> Callable[..., Result]:
    """Run `mt-replay` on that record."""
    file = tmp_path / "game.json"
    file.write_text(record)

    def run(command: str, *options: str) -> Result:
        return CliRunner().invoke(main, [command, str(file), *options])

    return run


def test_verify_finds_what_the_record_holds(record: str) -> None:
    """Rounds, moves, totals and places are counted."""
    found = verify(record)
    assert found.names == NAMES
    assert found.rounds == 2
    assert found.is_finished
    assert min(found.places) == 1
    assert found.moves == list(steps(record))[-1].at


def test_a_seat_sees_its_own_drawn_tiles_only(record: str) -> None:
    """A step as seat 1 shows drawn tiles of seat 1 and nobody's else."""
    for step in steps(record, seat=1):
        assert step.hands is None
        for event in step.update.events:
            if isinstance(event, TileDrawn):
                assert (event.tile is None) == (event.seat != 1)
        assert Position.parse(step.position).is_whole is False


def test_without_a_seat_all_is_seen(record: str) -> None:
    """Drawn tiles and all hands are there, and every position is whole."""
    for step in steps(record):
        assert step.hands is not None
        assert len(step.hands) == 3
        assert Position.parse(step.position).is_whole
        drawn = [event for event in step.update.events if isinstance(event, TileDrawn)]
        assert all(event.tile is not None for event in drawn)


def test_commands_tell_what_they_found(replay: Callable[..., Result]) -> None:
    """`verify`, `show` and `position` end with 0 and say what there is."""
    assert "fits: 2 rounds" in replay("verify").stdout
    shown = replay("show", "--as", "2").stdout
    assert shown.count("begins. The engine is") == 2
    line = replay("position", "--at", "5").stdout.strip()
    assert Position.parse(line).number == 1


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["position", "--at", "9999"], "moves, not 9999"),
        (["show", "--as", "7"], "no seat 7"),
    ],
)
def test_what_is_not_there_is_said(
    command: list[str], says: str, replay: Callable[..., Result]
) -> None:
    """A wish that does not fit ends with 1 and one sentence."""
    done = replay(*command)
    assert done.exit_code == 1
    assert says in done.output


def test_an_edited_record_is_refused_at_its_line(record: str, tmp_path: Path) -> None:
    """One byte changed: the line is named, by the function and by the command."""
    lines = record.split("\n")
    lines[6] = lines[6].replace('"seat":', '"seat": ', 1)
    with pytest.raises(RecordError) as refused:
        verify("\n".join(lines))
    assert refused.value.line == 7
    file = tmp_path / "edited.json"
    file.write_text("\n".join(lines))
    done = CliRunner().invoke(main, ["verify", str(file)])
    assert done.exit_code == 1
    assert "line 7" in done.output
