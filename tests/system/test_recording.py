"""Recordings and screenshots for the documents come from the programs themselves."""

import json

import pyte
import pytest

from scripts.docs.screenshots import game, take_turn
from scripts.record import COLUMNS, ROWS, cast

pytestmark = pytest.mark.system


def test_a_recording_plays_back_to_the_picture_that_was_seen() -> None:
    """It is asciicast version 2: a head, then pieces with the seconds at which they came."""
    with game(pace="0", size=(COLUMNS, ROWS)) as terminal:
        take_turn(terminal)
        terminal.see("YOUR TURN")
        seen = terminal.rest()
        head, *pieces = map(json.loads, cast(terminal).splitlines())
    assert (head["version"], head["width"], head["height"]) == (2, COLUMNS, ROWS)
    assert [at for at, _, _ in pieces] == sorted(at for at, _, _ in pieces)
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    for _, _, piece in pieces:
        stream.feed(piece)
    assert "\n".join(line.rstrip() for line in screen.display) == seen
