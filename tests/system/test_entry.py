"""Who may come in, with real programs: the password, TLS with a kept fingerprint, questions."""

import os
import pty
import re
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mexican_train.client import RefusedError, run
from mexican_train.protocol import GameOver

from tests.system.processes import END_SECONDS, Server, program, run_program, running_server
from tests.system.test_whole_games import First

pytestmark = pytest.mark.system

SESAME = "open sesame"
QUICK = ("--seats=4", "--pace=0", "--between-seconds=0", "--rule=game.rounds=1")


@pytest.fixture
def password_file(tmp_path: Path) -> Path:
    path = tmp_path / "password"
    path.touch(mode=0o600)
    path.write_text(f"{SESAME}\n")
    return path


@pytest.fixture
def _tls() -> None:
    pytest.importorskip("cryptography", reason="the extra tls is not installed")


def fingerprint_of(server: Server) -> str:
    """What the join line tells."""
    found = re.search(r"mt-client (tls://\S+) --fingerprint ([0-9a-f]{64})\n", server.log)
    assert found is not None, server.log
    assert found[1] == f"tls://{server.address}"
    return found[2]


def told_in_one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1, done.stdout
    assert re.fullmatch(r"mt-\w+: [^\n]+\n", done.stderr), done.stderr
    return done.stderr


ON_TERMINAL = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes standard input the terminal of the session, so that its keys send signals, and starts.

Ctrl-C counts there as at any terminal, also where the tests were started in the background.
"""


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, *command: str) -> None:
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", ON_TERMINAL, program(command[0]), *command[1:]],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""
        self._at = 0

    def type(self, line: str) -> None:
        self.press(line.encode() + b"\n")

    def press(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def until(self, words: str) -> None:
        """Read on until these words have come, after those of the call before."""
        give_up = time.monotonic() + END_SECONDS
        while (found := self.shown.find(words, self._at)) < 0:
            assert time.monotonic() < give_up, self.shown
            if select.select([self._ours], [], [], 1)[0]:
                self.shown += self._read()
        self._at = found + len(words)

    def _read(self) -> str:
        try:
            return os.read(self._ours, 4096).decode("utf-8", "replace")
        except OSError:
            raise AssertionError(f"it ended: {self.shown}") from None

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


@contextmanager
def terminal(*command: str) -> Iterator[Terminal]:
    """A program at a terminal for the time of the block."""
    found = Terminal(*command)
    try:
        yield found
    finally:
        found.close()


def test_a_password_from_start_to_end(password_file: Path, tmp_path: Path) -> None:
    """Programs bring it in a file, a bot of the SDK by itself; nobody else comes in."""
    wrong = tmp_path / "wrong"
    wrong.touch(mode=0o600)
    wrong.write_text("barley\n")
    with running_server(*QUICK, f"--password-file={password_file}", "--exit-when-done") as server:
        done = run_program("mt-client", server.address, "--name=Eve", typed="quit\n")
        assert "wants a password" in told_in_one_line(done)
        done = run_program("mt-client", server.address, "--name=Eve", f"--password-file={wrong}")
        assert "another password" in told_in_one_line(done)
        bot = ("--strategy=random", "--count=2")
        done = run_program("mt-bot", server.address, *bot)
        assert "wants a password: --password-file" in told_in_one_line(done)
        done = run_program("mt-bot", server.address, *bot, f"--password-file={wrong}")
        assert "another password" in told_in_one_line(done)
        with pytest.raises(RefusedError, match="another password"):
            run(First(), server.address)
        over: list[GameOver] = []

        def play(name: str) -> None:
            over.append(run(First(), server.address, name=name, password=SESAME))

        players = [threading.Thread(target=play, args=(name,)) for name in ("Ann", "Bob")]
        for player in players:
            player.start()
        done = run_program("mt-bot", server.address, *bot, f"--password-file={password_file}")
        assert done.returncode == 0, done.stderr
        for player in players:
            player.join(END_SECONDS)
        assert len(over) == 2
        assert server.wait() == 0
        assert "bad_password" in server.log
        assert SESAME not in server.log
        assert "barley" not in server.log


def test_a_terminal_asks_for_the_password(password_file: Path) -> None:
    """What is typed is not shown; a wrong one is asked for again."""
    with (
        running_server(f"--password-file={password_file}") as server,
        terminal("mt-client", server.address, "--name=Ann") as ann,
    ):
        ann.until("Password of")
        ann.type("barley")
        ann.until("That is not the password.")
        ann.until("Password of")
        ann.type(SESAME)
        ann.until("Connected to")
        ann.type("quit")
        assert ann.process.wait(END_SECONDS) == 0
        assert "barley" not in ann.shown
        assert SESAME not in ann.shown


def test_guessing_is_slowed_down(password_file: Path, tmp_path: Path) -> None:
    """From loopback too; then not even the right one is looked at."""
    wrong = tmp_path / "wrong"
    wrong.write_text("barley")
    with running_server(f"--password-file={password_file}") as server:
        codes = []
        for _ in range(12):
            with pytest.raises(RefusedError) as refused:
                run(First(), server.address, name="Eve", password="barley")  # noqa: S106 - wrong
            codes.append(refused.value.code)
    assert codes == ["bad_password"] * 10 + ["too_many_tries"] * 2


@pytest.mark.usefixtures("_tls")
def test_tls_with_a_kept_fingerprint(tmp_path: Path) -> None:
    """Given once, it lets in for ever; another certificate at the same address does not."""
    options = (*QUICK, "--bots=2:random", "--tls=self-signed", f"--db={tmp_path}/games.db")
    with running_server(*options) as server:
        port, pin = server.port, fingerprint_of(server)
        address = f"tls://{server.address}"
        plain = run_program("mt-client", server.address, "--name=Ann", typed="quit\n")
        assert "TLS only" in told_in_one_line(plain)
        new = run_program("mt-client", address, "--name=Ann", typed="quit\n")
        assert f"--fingerprint {pin} once" in told_in_one_line(new)
        bot = ("--strategy=random", "--name=Bob")
        assert pin in told_in_one_line(run_program("mt-bot", address, *bot))
        given = run_program("mt-client", address, f"--fingerprint={pin}", typed="quit\n")
        assert given.returncode == 0, given.stderr
        assert f"Connected to mt-server at {address}" in given.stdout
        player = threading.Thread(
            target=run, args=(First(), server.address), kwargs={"fingerprint": pin.upper()}
        )
        player.start()
        kept = run_program("mt-bot", "--tls", server.address, *bot)
        assert kept.returncode == 0, kept.stderr
        player.join(END_SECONDS)
    again = (f"--port={port}", "--tls=self-signed", f"--db={tmp_path}/games.db")
    with running_server(*again) as server:
        assert fingerprint_of(server) == pin
        assert run_program("mt-client", address, typed="quit\n").returncode == 0
    (tmp_path / "tls-self-signed.pem").unlink()
    with running_server(*again) as server:
        newer = fingerprint_of(server)
        changed = told_in_one_line(run_program("mt-client", address, typed="quit\n"))
        assert "is not the one that was kept" in changed
        assert newer in changed


@pytest.mark.usefixtures("_tls")
def test_a_terminal_asks_whether_a_certificate_is_right(tmp_path: Path) -> None:
    """Once: the answer is kept, and no is no."""
    options = ("--tls=self-signed", f"--db={tmp_path}/games.db")
    with running_server(*options) as server:
        address, pin = f"tls://{server.address}", fingerprint_of(server)
        with terminal("mt-client", address, "--name=Ann") as ann:
            ann.until("shall it be kept")
            assert pin in ann.shown
            ann.type("n")
            ann.until("nothing was sent")
            assert ann.process.wait(END_SECONDS) == 1
        with terminal("mt-client", address, "--name=Ann") as ann:
            ann.until("shall it be kept")
            ann.type("y")
            ann.until("Connected to")
            ann.type("quit")
            assert ann.process.wait(END_SECONDS) == 0
        assert run_program("mt-client", address, "--name=Ann", typed="quit\n").returncode == 0


@pytest.mark.usefixtures("_tls")
def test_tls_at_a_plain_server_is_one_line() -> None:
    with running_server() as server:
        done = run_program("mt-client", "--tls", server.address, "--name=Ann")
        assert "does not speak TLS" in told_in_one_line(done)


def test_a_private_game_knows_no_settings_of_the_server(
    password_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever serves others with a password still plays alone without one."""
    monkeypatch.setenv("MT_SERVER_PASSWORD_FILE", str(password_file))
    home = Path(os.environ["XDG_CONFIG_HOME"], "mexican-train")
    home.mkdir(parents=True, exist_ok=True)
    settings = home / "config.toml"
    settings.write_text(f'[server]\npassword-file = "{password_file}"\n')
    try:
        done = run_program("mt-client", "--solo", "--bots=1", "--name=Ann", typed="quit\n")
    finally:
        settings.unlink()
    assert done.returncode == 0, done.stderr
    assert "Round 1 of 13 begins" in done.stdout
