"""A server that is stopped, upgraded or out of room, as the people at it see it."""

import os
import signal
import socket
import sqlite3
import subprocess
from contextlib import closing, suppress
from pathlib import Path

import pytest
from mexican_train.protocol import ClientConnection, ClosingSoon, Goodbye, Hello, Welcome
from mexican_train.server import replay

from tests.system.people import Sitting, sitting
from tests.system.processes import Server, run_program, running_server

pytestmark = pytest.mark.system

DRAIN_SECONDS = 10
TABLE = ("--table=t", "--seats=3", "--bots=2:greedy", "--pace=0", "--between-seconds=0")
SHORT = (*TABLE, "--rule=game.rounds=1")
OLDER = sorted((Path(__file__).parents[1] / "server").glob("schema_*.sql"))
"""A store of each older schema."""


def told_hand(person: Sitting) -> object:
    """The hand that it showed last, its choices being shown after it."""
    return [*person.hands()][-1]


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_in_mid_game_is_told_and_the_game_goes_on(
    tmp_path: Path, sign: signal.Signals
) -> None:
    """Exit code 0 within ten seconds; after the next start it is the same turn and hand."""
    options = (*SHORT, f"--db={tmp_path / 'games.db'}")
    with running_server(*options) as server, sitting(server.address, tmp_path) as ann:
        for _ in range(3):
            ann.until("You can:")
            ann.move()
        ann.until("You can:")
        hand = told_hand(ann)
        server.process.send_signal(sign)
        ann.until(f"The server stops in {DRAIN_SECONDS} s.")
        assert server.process.wait(DRAIN_SECONDS) == 0
        ann.until("The server has stopped. Trying to come back")
        with running_server(*options, f"--port={server.port}") as again:
            ann.until("Back at ")
            ann.until("You can:")
            assert told_hand(ann) == hand
            ann.move()
            assert replay.verify(ann.play_on().read_text()).is_finished
            assert ann.process.wait(DRAIN_SECONDS) == 0
            assert "taken up again" in again.log
            assert "game started" not in again.log


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_the_server_at_once(tmp_path: Path, sign: signal.Signals) -> None:
    """Whoever does not hang up after the goodbye is waited for, but not then; nothing is lost."""
    options = (*SHORT, f"--db={tmp_path / 'games.db'}")
    wire = ClientConnection()
    with (
        running_server(*options) as server,
        socket.create_connection(("127.0.0.1", server.port), DRAIN_SECONDS) as peer,
    ):
        peer.sendall(wire.send(Hello(versions=(1, 1), kind="person", name="Ann")))
        (welcome,) = wire.receive_data(peer.recv(4096))
        assert isinstance(welcome, Welcome)
        server.process.send_signal(sign)
        told: list[object] = []
        while not any(isinstance(each, Goodbye) for each in told):
            told += wire.receive_data(peer.recv(4096))
        assert ClosingSoon(seconds=DRAIN_SECONDS) in told
        server.process.send_signal(sign)
        assert server.wait() == 1
        assert "Traceback" not in server.log
    with running_server(*options) as server:
        assert "taken up again" in server.log


@pytest.mark.parametrize("older", OLDER, ids=lambda path: path.stem)
def test_a_store_of_an_older_schema_is_opened(tmp_path: Path, older: Path) -> None:
    """Its game is taken up, the file is of this schema then, and a copy of the older one stays."""
    path = tmp_path / "games.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(older.read_text())
        version = database.execute("PRAGMA user_version").fetchone()[0]
    with running_server(f"--db={path}") as server:
        assert "recovered  tables=1 games=1" in server.log
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 0
    assert version_of(path) == len(OLDER) + 1
    assert version_of(path.with_name(f"games.db.schema-{version}")) == version


def test_a_store_of_a_newer_schema_is_refused(tmp_path: Path) -> None:
    """One line with both versions, exit code 1, and the file is as before."""
    path = tmp_path / "games.db"
    with running_server(f"--db={path}") as server:
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 0
    known = version_of(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version={known + 40}")
    content = path.read_bytes()
    done = run_program("mt-server", "--host=127.0.0.1", "--port=0", f"--db={path}")
    assert done.returncode == 1
    assert done.stderr == (
        f"mt-server: cannot open {path}: its schema is version {known + 40}, and this program "
        f"knows versions up to {known}: use a newer mt-server\n"
    )
    assert path.read_bytes() == content


def version_of(path: Path) -> int:
    """The schema version of a store."""
    with closing(sqlite3.connect(path)) as database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
    return int(version)


def on_a_small_disk(folder: Path) -> tuple[str, ...]:
    """What starts a command with 16 MiB of its own at `folder`; skips where that needs more."""
    mount = 'mount -t tmpfs -o size=16m tmpfs "$0" && exec "$@"'
    inside = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, str(folder))
    try:
        subprocess.run([*inside, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no file system can be mounted here, not even for oneself")
    return inside


def fill(server: Server, folder: Path) -> Path:
    """Leave no byte free on the disk of the server; the file that has them."""
    # its folder as it sees it: the mount is its own
    filler = Path(f"/proc/{server.process.pid}/root{folder}/filler")
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    assert os.statvfs(filler).f_bavail == 0
    return filler


def test_a_full_disk_and_room_again(tmp_path: Path) -> None:
    """Moves are refused and nobody is cut; with room the game goes on, without a restart."""
    disk = tmp_path / "disk"
    disk.mkdir()
    options = (*SHORT, f"--db={disk / 'games.db'}")
    with (
        running_server(*options, inside=on_a_small_disk(disk)) as server,
        sitting(server.address, tmp_path) as ann,
    ):
        ann.until("You can:")
        ann.move()
        ann.until("You can:")
        hand = told_hand(ann)
        filler = fill(server, disk)
        for _ in range(3):
            ann.move()
            ann.until("The server could not store this; nothing has changed.")
        ann.type("hand")
        ann.until("Your hand")
        filler.unlink()
        ann.move()
        ann.until("You play")
        record = ann.play_on()
        assert ann.process.wait(DRAIN_SECONDS) == 0
        assert hand in [*ann.hands()][2:3], "what was refused has changed nothing"
        assert "lost" not in " ".join(ann.said)
        assert "no room to store anything" in server.log
        assert server.process.poll() is None
    assert replay.verify(record.read_text()).is_finished
