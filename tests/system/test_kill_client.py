"""`kill -9` of the clients while they play: whoever starts again has the same seat and hand.

A person's line client is killed at points of its start, of the token's way to the disk, and of
play; `mt-bot` is killed in mid-game. Both are started again by the same command and asked nothing.
"""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from random import Random
from subprocess import PIPE, STDOUT
from threading import Timer

import pytest
from mexican_train import engine
from mexican_train.server import replay

from tests.system.people import Hand, Sitting, sitting
from tests.system.processes import END_SECONDS, program, run_program, running_server

pytestmark = pytest.mark.system

Scale = Callable[[int, int], int]
TABLE = ("--table=t", "--seats=3", "--bots=2:greedy", "--pace=0", "--between-seconds=0")
TAKEN_OVER = "A newer connection has taken this player over.\n"
SHORT = (*TABLE, "--rule=game.rounds=1")

AT_ITS_START = (
    ("socket.connect", 1),  # nobody has heard of it yet
    ("fsync", 1),  # welcome; the new token is written, and not yet in its place
    ("os.rename", 1),  # the same, synced
    ("fsync", 2),  # the token is in its place, and the server does not know
)
IN_PLAY = ("welcome", "sent", "told", "turn")
POINTS: tuple[tuple[str, int] | str, ...] = (*AT_ITS_START, *IN_PLAY)


def token_in(home: Path) -> bytes | None:
    """The token in the only token file, which is whole; None where there is none yet."""
    files = list((home / "STATE").rglob("*.json"))
    if not files:
        return None
    (file,) = files
    token = bytes.fromhex(json.loads(file.read_bytes())["token"])
    assert len(token) == 32
    return token


def assert_back(said: Sequence[str]) -> None:
    """Nothing was asked, and the seat is the one from before."""
    back = ("Connected to ", "Type help ", "You are back at t.", "You sit at t, seat 2.")
    assert len(said) >= 1
    for line, start in zip(said, back, strict=False):
        assert line.startswith(start), said


def assert_told_true(said: Sequence[str], record: engine.Record, seat: int) -> None:
    """Each move that the seat was told to have made is one of the record, in its order."""
    made: Iterator[str] = iter(())
    for line in said:
        if begins := re.match(r"Round (\d+) of \d+ begins", line):
            moves = record.rounds[int(begins[1]) - 1].moves
            made = iter([str(each.move) for each in moves if each.seat == seat])
        elif played := re.match(r"You play (\d+-\d+) on ", line):
            assert any(move.startswith(f"{played[1]}>") for move in made), line
        elif done := re.match(r"You (draw|pass)\b", line):
            assert done[1] in made, line


def assert_shown_in_order(shown: Sequence[Hand], record: str, seat: int) -> None:
    """Each hand that was shown is the one that the seat had, in the order of the game."""
    held = [
        tuple(sorted((high, low) for high, low in map(sorted_tile, step.update.hand)))
        for step in replay.steps(record, seat)
    ]
    at = 0
    for hand in shown:
        assert hand in held[at:], f"{hand} was shown and not held"
        at = held.index(hand, at)


def sorted_tile(tile: Sequence[int]) -> tuple[int, int]:
    """A tile as people write it, the higher end first."""
    return max(tile), min(tile)


def test_a_killed_line_client_comes_back_to_its_seat(scale: Scale, tmp_path: Path) -> None:
    """By its token alone: no move that was told is lost, none is made twice, the hand is equal."""
    kills, rounds = scale(9, 50), scale(3, 13)
    random = Random(kills)
    lives: list[Sitting] = []
    with running_server(*TABLE, f"--rule=game.rounds={rounds}") as server:
        # the first time there is no seat yet to come back to
        with sitting(server.address, tmp_path) as ann:
            ann.play_until("turn", 0)
        lives.append(ann)
        for point in islice(cycle(POINTS), kills - 1):
            token = token_in(tmp_path)
            at_its_start = None if isinstance(point, str) else point
            with sitting(server.address, tmp_path, at_its_start) as ann:
                if isinstance(point, str):
                    ann.play_until(point, random.randrange(3))
                    assert_back(ann.said)
                else:
                    assert list(ann.lines()) == []
                assert ann.process.wait(END_SECONDS) == -signal.SIGKILL
            lives.append(ann)
            assert (token_in(tmp_path) == token) == (point in AT_ITS_START[:3]), point
        with sitting(server.address, tmp_path) as ann:
            record = ann.play_on()
            assert ann.process.wait(END_SECONDS) == 0, ann.said[-20:]
        lives.append(ann)
        assert "failed" not in server.log
    verified = run_program("mt-replay", "verify", str(record))
    assert (verified.returncode, verified.stderr) == (0, "")
    text = record.read_text()
    parsed = engine.Record.parse(text)
    assert len(parsed.rounds) == rounds
    assert replay.verify(text).is_finished
    assert_shown_in_order([hand for life in lives for hand in life.hands()], text, 2)
    for life in lives:
        assert_told_true(life.said, parsed, 2)
    made = sum(each.seat == 2 for held in parsed.rounds for each in held.moves)
    typed = sum(life.moves_typed for life in lives)
    # what was typed just before a kill may not have been sent, and nothing is made twice
    assert typed - kills <= made <= typed


def test_a_second_client_in_a_seat_takes_it_over(tmp_path: Path) -> None:
    """The older one ends with one line and exit code 1, and does not come back."""
    with running_server(*SHORT) as server, sitting(server.address, tmp_path) as older:
        older.until("You can:")
        with sitting(server.address, tmp_path) as newer:
            newer.until("You can:")
            assert_back(newer.said)
            assert [*older.lines()][-1] == TAKEN_OVER
            assert older.process.wait(END_SECONDS) == 1
            newer.move()
            newer.play_on()
            assert newer.process.wait(END_SECONDS) == 0


def test_two_clients_at_once_leave_one_in_the_seat(scale: Scale, tmp_path: Path) -> None:
    """Started together by one person, one of them plays and the other ends with one line."""
    with running_server(*SHORT) as server:
        with sitting(server.address, tmp_path) as ann:
            ann.until("You can:")
            ann.kill()
        for _ in range(scale(2, 30)):
            with sitting(server.address, tmp_path) as one, sitting(server.address, tmp_path) as two:
                while (codes := (one.process.poll(), two.process.poll())) == (None, None):
                    time.sleep(0.01)  # other processes: nothing but time tells
                loser, winner = (one, two) if codes[1] is None else (two, one)
                assert loser.process.returncode == 1
                winner.play_until("turn", 0)
                words = [*loser.lines()][-1]
                assert words == TAKEN_OVER or "is taken there" in words, words
        with sitting(server.address, tmp_path) as ann:
            ann.play_on()
            assert_back(ann.said)


def test_killed_bots_come_back_to_their_seats(scale: Scale, tmp_path: Path) -> None:
    """Two of one `mt-bot`, killed together; the third player sees the game to its end."""
    own = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state")}
    random = Random(1)
    rounds = scale(2, 9)
    options = ("--table=t", "--seats=3", "--bots=1:random", "--pace=0.01", "--between-seconds=0")
    with running_server(*options, f"--rule=game.rounds={rounds}", "--exit-when-done") as server:
        command = [program("mt-bot"), server.address, "--strategy=greedy", "--count=2"]
        for is_last in [False] * scale(3, 25) + [True]:
            with subprocess.Popen(command, stdout=PIPE, stderr=STDOUT, text=True, env=own) as bots:
                in_time = Timer(END_SECONDS, bots.kill)
                in_time.start()
                assert bots.stdout is not None
                seated = [*islice((line for line in bots.stdout if "seated" in line), 2)]
                assert seated == [
                    "greedy: seated at t, seat 1\n",
                    "greedy-2: seated at t, seat 2\n",
                ]
                if not is_last:
                    with suppress(subprocess.TimeoutExpired):
                        bots.wait(random.uniform(0, 0.2))
                    bots.kill()
                said = bots.stdout.read()
                in_time.cancel()
        assert bots.wait(END_SECONDS) == 0
        assert len(re.findall("place [123] of 3", said)) == 2
        assert server.wait() == 0
        assert "failed" not in server.log
    assert not list((tmp_path / "state").rglob("*.json")), "there is nothing to come back to"
