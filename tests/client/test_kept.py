"""The game at home between two evenings: what is kept of it, and who may play it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mexican_train.client.kept import KeptGame, Note, TakenError, note_holder
from mexican_train.protocol import TableLeft

from .peers import table_news, update, view

NEW = Note(began=5.0, name="Ann")
posix_only = pytest.mark.skipif(os.name != "posix", reason="file locks are POSIX")


@pytest.fixture
def kept(tmp_path: Path) -> KeptGame:
    return KeptGame(tmp_path, "solo")


def again(tmp_path: Path) -> KeptGame:
    """The same game, for a program that starts later."""
    return KeptGame(tmp_path, "solo")


def play_into(kept: KeptGame, number: int) -> None:
    """A new game, left in this round."""
    with kept.anew():
        kept.begin(NEW)
        kept.follow(update(on=view(round=number)))


# --- how far it is ------------------------------------------------------------------------


def test_a_game_is_noted_with_its_rounds(tmp_path: Path, kept: KeptGame) -> None:
    """Not before something was dealt."""
    with kept.anew():
        kept.begin(NEW)
        assert again(tmp_path).unfinished() is None
        kept.follow(update(on=view(round=1)))
        assert again(tmp_path).unfinished() == Note(began=5.0, name="Ann", round=1, rounds=13)
        kept.follow(update(on=view(round=2, phase="round_over")))
    left = again(tmp_path).unfinished()
    assert left == Note(began=5.0, name="Ann", round=2, rounds=13)
    assert left.is_begun
    assert kept.is_left_unfinished


@pytest.mark.parametrize(
    "last_word",
    [
        update(on=view(round=13, phase="over")),
        table_news(state="over"),
        TableLeft(table="t", code="closed", text="The table is closed."),
    ],
)
def test_a_game_that_is_over_is_not_offered(
    tmp_path: Path, kept: KeptGame, last_word: object
) -> None:
    """Nor does what is said of it afterwards make it unfinished; another one does."""
    play_into(kept, 12)
    kept.follow(last_word)  # type: ignore[arg-type]
    kept.follow(update(on=view(round=13, phase="over")))
    assert again(tmp_path).unfinished() is None
    assert not kept.is_left_unfinished
    kept.follow(update(on=view(round=1)))
    left = again(tmp_path).unfinished()
    assert left is not None
    assert (left.round, left.began > NEW.began) == (1, True)


def test_an_open_server_is_known_whatever_it_plays(tmp_path: Path, kept: KeptGame) -> None:
    """Where it listens outlives the game at its table."""
    with kept.anew():
        kept.begin(Note(began=5.0, name="Ann", address="127.0.0.1:5000", pid=7))
        kept.follow(update(on=view(round=2)))
        kept.follow(update(on=view(round=2, phase="over")))
    left = again(tmp_path).unfinished()
    assert left is not None
    assert (left.is_begun, left.address, left.pid) == (False, "127.0.0.1:5000", 7)


@pytest.mark.parametrize(
    "written",
    [
        *("", "{", "[]", "{}"),
        '{"began": 1, "name": 2}',
        '{"began": "x", "name": "Ann"}',
        '{"began": 1, "name": "Ann", "round": -1}',
        '{"began": 1, "name": "Ann", "x": 1}',
        '{"began": 1, "name": "Ann", "address": 5}',
        '{"began": 1, "name": "Ann", "pid": "7"}',
    ],
)
def test_a_note_that_cannot_be_read_is_none(tmp_path: Path, kept: KeptGame, written: str) -> None:
    play_into(kept, 1)
    (tmp_path / "solo" / "game.json").write_text(written)
    assert kept.unfinished() is None


def test_a_note_without_its_store_is_none(kept: KeptGame) -> None:
    play_into(kept, 1)
    kept.database.unlink()
    assert kept.unfinished() is None


# --- a new one ----------------------------------------------------------------------------


async def test_a_new_game_begins_from_nothing(tmp_path: Path, kept: KeptGame) -> None:
    """Store and token of the older one go with it."""
    play_into(kept, 3)
    kept.database.write_text("older")
    await kept.tokens.save("127.0.0.1:1", "Ann", b"t" * 32)
    newer = again(tmp_path)
    play_into(newer, 1)
    assert newer.database.read_text() == ""
    assert await newer.tokens.load("127.0.0.1:2", "Ann") is None
    assert os.listdir(tmp_path) == ["solo"]  # noqa: PTH208 - in an async test


async def test_the_token_outlives_the_address(kept: KeptGame) -> None:
    """A server at home is at another port each time."""
    await kept.tokens.save("127.0.0.1:1", "Ann", b"t" * 32)
    assert await kept.tokens.load("127.0.0.1:2", "Ann") == b"t" * 32
    await kept.tokens.forget("127.0.0.1:3", "Ann")
    assert await kept.tokens.load("127.0.0.1:1", "Ann") is None


def test_a_new_game_that_does_not_begin_costs_nothing(tmp_path: Path, kept: KeptGame) -> None:
    """The older one is there again."""
    play_into(kept, 3)
    kept.database.write_text("older")
    newer = again(tmp_path)
    with newer.anew():
        newer.begin(NEW)
        assert kept.unfinished() is None
    assert is_older(kept)


def test_one_that_was_killed_before_it_began_costs_nothing_either(
    tmp_path: Path, kept: KeptGame
) -> None:
    play_into(kept, 3)
    kept.database.write_text("older")
    kept.database.parent.replace(tmp_path / "solo.old")
    kept.database.parent.mkdir()
    kept.database.touch()
    with kept.claimed():
        assert is_older(kept)


def is_older(kept: KeptGame) -> bool:
    left = kept.unfinished()
    return left is not None and (left.round, kept.database.read_text()) == (3, "older")


def test_a_new_game_that_is_over_brings_no_older_one_back(tmp_path: Path, kept: KeptGame) -> None:
    play_into(kept, 3)
    newer = again(tmp_path)
    with newer.anew():
        newer.begin(NEW)
        newer.follow(update(on=view(round=1)))
        newer.follow(update(on=view(round=1, phase="over")))
    assert newer.unfinished() is None


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_nobody_else_may_look_at_it(kept: KeptGame) -> None:
    play_into(kept, 1)
    folder = kept.database.parent
    assert {path.stat().st_mode & 0o077 for path in [folder, *folder.iterdir()]} == {0}


# --- who plays it -------------------------------------------------------------------------


@posix_only
def test_one_at_a_time_plays_it(tmp_path: Path, kept: KeptGame) -> None:
    """Whoever comes second is told by whom it is played."""
    with kept.claimed():
        with pytest.raises(TakenError) as taken, again(tmp_path).claimed():
            pass
        assert taken.value.pid == os.getpid()
        assert not kept.is_free_after(0)
    with again(tmp_path).claimed():
        pass
    assert kept.is_free_after(0)


HEIR = "import sys; sys.stdin.read()"


@posix_only
def test_a_server_holds_it_until_it_has_ended(tmp_path: Path, kept: KeptGame) -> None:
    """Also when the client that started it has gone."""
    with kept.claimed() as lock:
        assert lock is not None
        server = subprocess.Popen(
            [sys.executable, "-c", HEIR], stdin=subprocess.PIPE, pass_fds=[lock]
        )
        note_holder(lock, server.pid)
    with server:
        with pytest.raises(TakenError) as taken, again(tmp_path).claimed():
            pass
        assert taken.value.pid == server.pid
        assert server.stdin is not None
        server.stdin.close()
        assert kept.is_free_after(60)


CLIENT = """
import subprocess, sys, time
from pathlib import Path
from mexican_train.client.kept import KeptGame
with KeptGame(Path(sys.argv[1]), "solo").claimed() as lock:
    subprocess.Popen([sys.executable, "-c", sys.argv[2]], stdin=0, pass_fds=[lock])
    print("claimed", flush=True)
    time.sleep(600)
"""


@posix_only
def test_the_server_of_a_dead_client_is_waited_for(tmp_path: Path, kept: KeptGame) -> None:
    """It ends by itself, and then the game is free: nobody is told of somebody who is gone."""
    heir, pipe = os.pipe()
    command = [sys.executable, "-c", CLIENT, str(tmp_path), "import sys; sys.stdin.read(1)"]
    with subprocess.Popen(command, stdin=heir, stdout=subprocess.PIPE, text=True) as client:
        os.close(heir)
        assert client.stdout is not None
        assert client.stdout.readline() == "claimed\n"
        with pytest.raises(TakenError) as taken, kept.claimed():
            pass
        assert taken.value.pid == client.pid
        client.send_signal(signal.SIGKILL)
    assert not kept.is_free_after(0)
    os.write(pipe, b".")
    with kept.claimed():
        pass
    os.close(pipe)


def test_where_nothing_can_be_written_nothing_is_claimed(tmp_path: Path) -> None:
    """The game goes on without; that it cannot be kept is said elsewhere."""
    (tmp_path / "file").write_text("")
    kept = KeptGame(tmp_path / "file", "solo")
    with kept.claimed() as lock:
        assert lock is None
        with pytest.raises(OSError, match="Not a directory"), kept.anew():
            pass
    kept.begin(NEW)
    kept.follow(update())
    assert kept.unfinished() is None
