"""A game at home with real programs: left and gone on with, killed, twice at once, opened."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer

import pytest
from mexican_train.client.kept import KeptGame

from scripts.terminals import on_terminal
from tests.system.processes import END_SECONDS, program, run_program, running_server
from tests.system.test_entry import Terminal, terminal

# on one process, so that nobody finds what the others announce
pytestmark = [pytest.mark.system, pytest.mark.xdist_group("network")]

SOLO = ("mt-client", "--solo", "--name=Ann")
OPEN = ("mt-client", "--open-to-lan", "--host=127.0.0.1", "--port=0", "--name=Ann")
"""Never another interface: a test is announced to nobody."""


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def hand_in(text: str) -> str:
    """The hand that was shown last."""
    shown = re.findall(r"^Your hand \(.*\):\n((?:  .*\n)+)", text.replace("\r", ""), re.MULTILINE)
    assert shown, text
    tiles: str = " ".join(re.findall(r"\d+-\d+", shown[-1]))
    return tiles


@contextmanager
def playing(*command: str) -> Iterator[subprocess.Popen[str]]:
    """Somebody at a pipe, for the time of the block."""
    with subprocess.Popen(
        [program(command[0]), *command[1:]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as person:
        in_time = Timer(END_SECONDS, person.kill)
        in_time.start()
        try:
            yield person
        finally:
            in_time.cancel()
            person.kill()


def said_until(person: subprocess.Popen[str], words: str) -> str:
    """What they are told, up to a line that begins so."""
    assert person.stdout is not None
    said = ""
    for line in person.stdout:
        said += line
        if line.startswith(words):
            return said
    raise AssertionError(f"it ended before: {said}")


def typed(person: subprocess.Popen[str], *lines: str) -> None:
    """They type this."""
    assert person.stdin is not None
    person.stdin.write("".join(f"{line}\n" for line in lines))
    person.stdin.flush()


def visit(*command: str, first: str = "") -> str:
    """Begin with a line, look at the own hand once a round has begun, and go; all that was said."""
    with playing(*command) as person:
        typed(person, *([first] if first else []))
        said = said_until(person, "Round 1")
        typed(person, "hand", "quit")
        assert person.stdout is not None
        said += person.stdout.read()
        assert person.wait(END_SECONDS) == 0
    return said


def play(*options: str) -> str:
    """A short visit at the own table."""
    return visit(*SOLO, *options)


# --- alone --------------------------------------------------------------------------------


def test_a_game_is_left_and_gone_on_with() -> None:
    """The same seat and hand, said aloud; a new one only where it is asked for."""
    first = play()
    assert "You sit at solo" in first
    assert first.endswith("The game is kept: mt-client --solo offers it the next time.\n")
    second = play("--resume")
    assert re.match(r"Going on with the game of \d\d:\d\d, round 1 of 13\.\n", second)
    assert "You are back at solo." in second
    assert hand_in(second) == hand_in(first)
    third = play("--new")
    assert "Going on" not in third
    assert hand_in(third) != hand_in(first)
    assert hand_in(play("--resume")) == hand_in(third)


def test_without_a_terminal_nothing_is_resumed_or_given_up() -> None:
    """A script that says neither plays a game that is not kept, and hears of the other."""
    first = play()
    second = play()
    assert re.match(r"The game of \d\d:\d\d, round 1 of 13 is kept; --resume takes it up\.", second)
    assert "This one is not kept" in second
    assert "The game is kept" not in second
    assert hand_in(second) != hand_in(first)
    assert hand_in(play("--resume")) == hand_in(first)


def test_a_killed_client_costs_nothing() -> None:
    """Its server ends by itself, and the next client waits for that."""
    with playing(*SOLO) as person:
        said_until(person, "Round 1")
        typed(person, "hand", "hand")
        # the second one is cut off by the kill, the first one is whole then
        said = said_until(person, "Your hand") + said_until(person, "Your hand")
        person.send_signal(signal.SIGKILL)
    assert hand_in(play("--resume")) == hand_in(said)
    assert KeptGame.of_user("solo").is_free_after(END_SECONDS)


def test_two_at_once() -> None:
    """The second is told, and plays a game that is not kept."""
    with playing(*SOLO) as person:
        said_until(person, "Round 1")
        second = play()
        assert second.startswith("Another mt-client is playing your kept game")
        assert "The game is kept" not in second
        done = run_program(*SOLO, "--resume")
        assert done.returncode == 1
        assert done.stderr == f"mt-client: process {person.pid} is playing that game\n"


def test_nothing_to_resume() -> None:
    done = run_program(*SOLO, "--resume")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "mt-client: there is no unfinished game to resume\n"


def test_options_that_do_not_work_give_nothing_up() -> None:
    """The older game is there still after a new one that could not begin."""
    first = play()
    done = run_program(*SOLO, "--new", "--rules=clasic")
    assert done.returncode == 2
    assert hand_in(play("--resume")) == hand_in(first)


def test_where_nothing_can_be_kept_it_is_played_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    said = play()
    assert said.startswith("This game cannot be kept: Not a directory.\n")
    assert hand_in(said)


def test_on_a_terminal_it_is_asked() -> None:
    """`mt-client` alone offers the game that was left; q leaves everything as it is."""
    first = play()
    with terminal("mt-client", "--name=Ann") as ann:
        ann.until("No servers were found")
        ann.until("1  here, against bots: the game of")
        ann.until("stop [1]: ")
        ann.type("q")
        assert ann.process.wait(END_SECONDS) == 0
    with terminal(*SOLO) as ann:
        ann.until("You left the game of")
        ann.until("stop [1]: ")
        ann.type("7")
        ann.until("no such number")
        ann.until("stop [1]: ")
        ann.type("")
        ann.until("Going on with the game of")
        ann.until("You are back at solo.")
        ann.type("hand")
        ann.until("Your hand")
        ann.until("\n> ")
        assert hand_in(ann.shown) == hand_in(first)
        ann.type("quit")
        ann.until("The game is kept")
        assert ann.process.wait(END_SECONDS) == 0
    with terminal(*SOLO) as ann:
        ann.until("stop [1]: ")
        ann.type("2")
        ann.until("You sit at solo")
        ann.type("quit")
        assert ann.process.wait(END_SECONDS) == 0
    assert hand_in(play("--resume")) != hand_in(first)


def code_after(ann: Terminal, key: bytes) -> int:
    """The exit code after this key; one that comes before the question listens may be lost."""
    for _ in range(END_SECONDS):
        ann.press(key)
        with suppress(subprocess.TimeoutExpired):
            return ann.process.wait(1)
    raise AssertionError(f"it does not end: {ann.shown}")


def test_the_hand_keeps_its_order_when_a_game_is_gone_on_with() -> None:
    """Also at home, where a server has another port each time."""
    command = [program(SOLO[0]), *SOLO[1:]]
    with on_terminal(command) as ann:
        ann.see("^Your hand.* own order")
        ann.press("oo")
        ann.see("^Your hand.* by number")
        ann.press("qq")
        assert ann.end() == 0
    with on_terminal([*command, "--resume"]) as ann:
        ann.see("^Your hand.* by number")
        ann.press("qq")
        assert ann.end() == 0


def test_ctrl_c_and_the_end_of_the_input_at_the_list() -> None:
    """Both end it without a word, as at every question."""
    for key in (b"\x03", b"\x04"):
        with terminal("mt-client") as ann:
            ann.until("stop [1]: ")
            assert code_after(ann, key) == 130
            assert "Traceback" not in ann.shown


# --- held seats ---------------------------------------------------------------------------


def test_a_held_seat_is_offered_first() -> None:
    """Choosing it is coming back under the name that it is held for."""
    with running_server("--seats=2", "--bots=1:random", "--pace=0") as server:
        visit("mt-client", server.address, "--name=Bea", first="join 1")
        with terminal("mt-client", "--name=Ann") as person:
            person.until(f"1  your place at {server.address} as Bea")
            person.until("stop [1]: ")
            person.type("1")
            person.until("as Bea.")
            person.until("You are back at table-1.")
            person.type("quit")
            assert person.process.wait(END_SECONDS) == 0
    with terminal("mt-client", "--name=Ann") as person:
        person.until(f"No answer where you held a seat: {server.address} (Bea).")
        person.until("1  a game here against bots")


# --- open to others -----------------------------------------------------------------------


def open_server(said: str) -> tuple[str, int]:
    """Address and process of a server that was left open."""
    where = re.search(r"Your game stays open: mt-client (\S+)\s+To end it: kill (\d+)", said)
    assert where is not None, said
    return where[1], int(where[2])


def end(pid: int) -> None:
    os.kill(pid, signal.SIGTERM)
    assert KeptGame.of_user("lan").is_free_after(END_SECONDS)


def test_an_open_game_outlives_its_client() -> None:
    """Others come and go; its owner is back in the seat by the same words; SIGTERM ends it."""
    first = visit(*OPEN, first="start")
    address, pid = open_server(first)
    try:
        assert f"who type:\n  mt-client {address}\n" in first
        other = run_program("mt-client", address, "--name=Bob", typed="watch 1\nquit\n")
        assert "You are watching" in other.stdout, other.stdout
        again = visit(*OPEN)
        assert again.startswith("Your open game still runs.\n")
        assert open_server(again) == (address, pid)
        assert hand_in(again) == hand_in(first)
        new = run_program(*OPEN, "--new")
        assert (new.returncode, str(pid) in new.stderr) == (1, True)
    finally:
        end(pid)
    unsaid = run_program(*OPEN)
    assert (unsaid.returncode, "--resume or --new?" in unsaid.stderr) == (2, True)
    resumed = visit(*OPEN, "--resume")
    there, newer = open_server(resumed)
    end(newer)
    assert (there, hand_in(resumed)) == (address, hand_in(first))


def leave(ann: Terminal, answer: str) -> None:
    ann.until("You sit at table-1")
    ann.type("quit")
    ann.until("2  end it")
    ann.until("stop [1]: ")
    ann.type(answer)


def test_leaving_an_open_game_asks_what_becomes_of_it() -> None:
    with terminal(*OPEN) as ann:
        leave(ann, "1")
        ann.until("To end it: kill")
        assert ann.process.wait(END_SECONDS) == 0
    _, pid = open_server(ann.shown)
    os.kill(pid, 0)
    with terminal(*OPEN) as ann:
        ann.until("Your open game still runs.")
        leave(ann, "2")
        assert ann.process.wait(END_SECONDS) == 0
    assert KeptGame.of_user("lan").is_free_after(0)


def test_ctrl_c_asks_too() -> None:
    with terminal(*OPEN) as ann:
        ann.until("You sit at table-1")
        ann.press(b"\x03")
        ann.until("2  end it")
        ann.until("stop [1]: ")
        ann.type("2")
        assert ann.process.wait(END_SECONDS) == 130
    assert KeptGame.of_user("lan").is_free_after(0)


def test_an_open_game_wants_its_password_of_everybody(tmp_path: Path) -> None:
    """Its owner brings it along, also when the game is gone on with."""
    secret = tmp_path / "secret"
    secret.touch(mode=0o600)
    secret.write_text("barley\n")
    address, pid = open_server(visit(*OPEN, f"--password-file={secret}", first="start"))
    end(pid)
    _, pid = open_server(visit(*OPEN, "--resume"))
    try:
        other = run_program("mt-client", address, "--name=Bob", typed="quit\n")
        assert (other.returncode, "password" in other.stderr) == (1, True)
    finally:
        end(pid)


def test_a_server_ends_when_nobody_comes() -> None:
    with running_server("--exit-when-idle=0.01") as server:
        assert server.wait() == 0
        assert "nobody has been here for long" in server.log
        assert "announced" not in server.log
