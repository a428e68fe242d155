"""`mt-replay`: look at the record of a game, and hold it against the rules.

Only click is loaded before the options are read.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from mexican_train.client import ExampleGroup, Failure

if TYPE_CHECKING:
    from .replay import Step

PROGRAM: Final = "mt-replay"
KEYS: Final = "n next, b back, r N round, j N jump to move N, q quit"
FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
SEAT = click.option(
    "--as", "seat", type=click.IntRange(0, 13), metavar="SEAT", help="Only what that seat saw."
)


@click.group(
    PROGRAM,
    cls=ExampleGroup,
    examples=(f"{PROGRAM} show game.json", f"{PROGRAM} verify game.json"),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="mexican-train", prog_name=PROGRAM)
def main() -> None:
    """Walk through the record of a game, verify it, or print a position of it."""


@main.command()
@FILE
def verify(file: Path) -> None:
    """Check every line of a record and every move in it against the rules."""
    from mexican_train.engine import RecordError  # noqa: PLC0415 - not for --help

    from .replay import verify as verify_text  # noqa: PLC0415 - not for --help

    try:
        found = verify_text(_read(file))
    except RecordError as error:
        raise Failure(f"{file.name}, {error}") from error
    end = "finished" if found.is_finished else "not finished"
    click.echo(f"{file.name} fits: {found.rounds} rounds, {found.moves} moves, {end}.")
    click.echo(f"Rules {found.rules}, {found.rules_hash}.")
    for place, total, name in sorted(zip(found.places, found.totals, found.names, strict=True)):
        click.echo(f"{place}. {name}, {total}")


@main.command()
@FILE
@SEAT
def show(file: Path, seat: int | None) -> None:
    """Walk through a game; without a terminal, print all of it."""
    walk = _steps(file, seat)
    if sys.stdin.isatty() and sys.stdout.isatty():
        _walk(walk)
    else:
        for line in (line for step in walk for line in _told(step)):
            click.echo(line)


@main.command()
@FILE
@click.option("--at", required=True, type=click.IntRange(0), metavar="N", help="After N moves.")
@SEAT
def position(file: Path, at: int, seat: int | None) -> None:
    """Print the position string after N moves, over all rounds."""
    walk = _steps(file, seat)
    if at > walk[-1].at:
        raise Failure(f"{file.name} has {walk[-1].at} moves, not {at}")
    click.echo(next(step for step in walk if step.at == at).position)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"{file.name} cannot be read: {error}") from error


def _steps(file: Path, seat: int | None) -> "Sequence[Step]":
    from .replay import steps  # noqa: PLC0415 - not for --help

    try:
        walk = list(steps(_read(file), seat))
    except ValueError as error:
        raise Failure(f"{file.name}, {error}") from error
    if not walk:
        raise Failure(f"{file.name} has no round in it")
    return walk


def _told(step: "Step") -> list[str]:
    """What happened in a step, one sentence an event."""
    from mexican_train.client import Model, events_lines  # noqa: PLC0415 - not for --help

    model = Model()
    model.take(step.update)
    return events_lines(step.update.events, model)


def _whole(step: "Step") -> list[str]:
    """The table after a step, with the hands that may be seen."""
    from mexican_train.client import Model, hand_lines, position_lines  # noqa: PLC0415 - not for --help

    model = Model()
    model.take(step.update)
    lines = position_lines(model)
    if step.hands is None:
        return [*lines, *hand_lines(model)]
    for name, hand in zip(step.update.view.names, step.hands, strict=True):
        tiles = "  ".join("{}-{}".format(*tile) for tile in hand)
        lines.append(f"  {name}: {tiles or 'no tile'}")
    return lines


def _walk(walk: "Sequence[Step]") -> None:
    """Next, back, round, jump: one key and Enter each."""
    index = 0
    while True:
        step = walk[index]
        click.echo(f"\n--- round {step.round}, after {step.at} of {walk[-1].at} moves")
        click.echo("\n".join([*_told(step), "", *_whole(step)]))
        try:
            typed = click.prompt(KEYS, prompt_suffix="\n> ", default="n", show_default=False)
        except click.exceptions.Abort:
            return
        word, _, number = typed.strip().partition(" ")
        if word == "q":
            return
        index = _chosen(walk, index, word, number)


def _chosen(walk: "Sequence[Step]", index: int, word: str, number: str) -> int:
    """The step that a key leads to; the same one if it leads nowhere."""
    if word == "n":
        return min(index + 1, len(walk) - 1)
    if word == "b":
        return max(index - 1, 0)
    wanted = int(number) if number.isascii() and number.isdigit() else -1
    for found, step in enumerate(walk):
        if (word == "r" and step.round == wanted) or (word == "j" and step.at == wanted):
            return found
    click.echo(f"There is no such place. {KEYS}")
    return index
