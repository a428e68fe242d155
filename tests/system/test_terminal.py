"""`mt-client` on a real pseudo-terminal: pictures, sizes, signals, and the terminal afterwards."""

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.children import READY_SECONDS
from tests.system.processes import Server, running_server
from tests.system.terminals import client

pytestmark = pytest.mark.system

READ_SECONDS = 10.0


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A table of three bots and one seat, where the bots wait for nobody."""
    with running_server("--seats=4", "--bots=3:planner", "--seed=0a", "--pace=0") as running:
        yield running


def test_a_game_on_a_terminal(server: Server) -> None:
    """It is played by keys, survives a storm of sizes, and leaves the terminal as it was."""
    with client(server) as terminal:
        shown = terminal.see("YOUR TURN")
        assert "Your hand: 15 tiles" in shown
        terminal.press("\t\r\r\r")
        terminal.see("You (play|draw)|No tile fits")
        for columns in range(40, 150, 5):
            terminal.resize(columns, 30)
        terminal.resize(60, 20)
        shown = terminal.see("^Round 1 .*(YOUR TURN|'s turn[ 0-9:]*)$")
        assert max(map(len, shown.splitlines())) <= 60
        terminal.press("q")
        terminal.see("your seat is kept")
        terminal.press("q")
        assert terminal.end() == 0
        assert terminal.is_restored()
        assert b"Your seat at table-1 is kept" in terminal.raw


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_restore_the_terminal(server: Server, number: signal.Signals) -> None:
    """The exit code is that of shells, 128 + N."""
    with client(server) as terminal:
        terminal.see("Your hand")
        terminal.process.send_signal(number)
        assert terminal.end() == 128 + number
        assert terminal.is_restored()


def test_a_terminal_that_goes_away_is_no_fault(server: Server, tmp_path: Path) -> None:
    """Its window is closed: the program ends by itself, as at SIGHUP, and complains of nothing."""
    with (tmp_path / "errors").open("wb") as errors:
        with client(server, errors=errors.fileno()) as terminal:
            terminal.see("Your hand")
            terminal.hang_up()
            terminal.process.wait(READY_SECONDS)
        assert terminal.process.returncode in (0, 128 + signal.SIGHUP)
    assert (tmp_path / "errors").read_bytes() == b""


def test_ctrl_c_is_a_signal(server: Server) -> None:
    with client(server, "--mouse") as terminal:
        terminal.see("Your hand")
        terminal.press("\x03")
        assert terminal.end() == 130
        assert terminal.is_restored()
        assert terminal.raw.rfind(b"\x1b[?1000l") > terminal.raw.rfind(b"\x1b[?1000h") > 0


def test_ctrl_z_gives_the_terminal_back_for_a_while(server: Server) -> None:
    """Stopped, the shell has the screen of before; continued, the game is drawn again."""
    script = 'set -m; "$@"; echo; echo "stopped"; fg >/dev/null; echo "code $?"'
    with client(server, inside=("sh", "-c", script, "sh")) as terminal:
        terminal.see("Your hand")
        terminal.press("\x1a")
        while b"stopped" not in terminal.raw:  # not in the picture, which is soon drawn over
            assert terminal.read(READ_SECONDS)
        at = terminal.raw.index(b"stopped")
        assert terminal.raw.rfind(b"\x1b[?1049l", 0, at) > terminal.raw.rfind(b"\x1b[?1049h", 0, at)
        while b"Your hand" not in terminal.raw[at:]:
            assert terminal.read(READ_SECONDS)
        terminal.press("qq")
        assert terminal.end() == 0
        assert b"code 0" in terminal.raw


def test_no_colour_on_a_terminal(server: Server) -> None:
    """With NO_COLOR no code of a colour is sent; `--ascii` sends nothing beyond ASCII."""
    with client(server, "--ascii", NO_COLOR="1") as terminal:
        terminal.see("Your hand")
        terminal.press("?")
        terminal.see("Help")
        terminal.process.send_signal(signal.SIGTERM)
        terminal.end()
        assert not re.search(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7])[;m]", terminal.raw)
        assert terminal.raw.isascii()


@pytest.mark.parametrize(
    ("options", "size", "term"),
    [(["--plain"], (80, 24), "xterm"), ([], (39, 24), "xterm"), ([], (80, 24), "dumb")],
)
def test_what_cannot_show_it_gets_line_mode(
    server: Server, options: list[str], size: tuple[int, int], term: str
) -> None:
    """On request, on a small terminal and on a dumb one: no code that moves the cursor."""
    with client(server, *options, size=size, TERM=term) as terminal:
        terminal.see("Your hand")
        terminal.press("quit\n")
        assert terminal.end() == 0
        assert b"\x1b" not in terminal.raw
