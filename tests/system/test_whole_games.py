"""Whole games between real processes over loopback."""

import re
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from mexican_train.client import Bot, View, run
from mexican_train.protocol import Choice, GameOver

from tests.system.processes import END_SECONDS, program, run_program, running_server

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[2]
Scale = Callable[[int, int], int]


def line_until(process: subprocess.Popen[str], words: str) -> str:
    """Read what a program prints up to the first line with `words`; AssertionError at its end."""
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return line
    raise AssertionError(f"it ended without {words!r}")


def game_of_four_greedy_bots(rounds: int) -> list[str]:
    """Four `mt-bot` processes, each started when the last is seated; the last line of each."""
    options = ("--seats=4", f"--rule=game.rounds={rounds}", "--seed=0123abcd", "--exit-when-done")
    with ExitStack() as stack:
        server = stack.enter_context(running_server(*options))
        bots = []
        for number in range(4):
            bot = subprocess.Popen(
                [program("mt-bot"), server.address, "--strategy=greedy", f"--name=g{number}"],
                stdout=subprocess.PIPE,
                text=True,
            )
            stack.callback(bot.kill)
            stack.enter_context(bot)
            line_until(bot, "seat")
            bots.append(bot)
        ends = []
        for bot in bots:
            assert bot.stdout is not None
            ends.append(bot.stdout.read().strip().splitlines()[-1])
            assert bot.wait(END_SECONDS) == 0
        assert server.wait() == 0
    return ends


def test_four_bots_play_and_one_seed_gives_one_game(scale: Scale) -> None:
    """With one `--seed` the same four bots end with the same scores."""
    rounds = scale(2, 13)
    first = game_of_four_greedy_bots(rounds)
    assert all(re.search(r"\d", line) for line in first)
    assert game_of_four_greedy_bots(rounds) == first


def test_a_person_at_a_pipe_plays_to_the_ranking(scale: Scale) -> None:
    """The line client, driven by a script that always takes the first choice, sees the end."""
    rounds = scale(1, 13)
    options = ("--seats=4", "--bots=3:random", "--pace=0", "--between-seconds=0")
    with ExitStack() as stack:
        server = stack.enter_context(
            running_server(*options, f"--rule=game.rounds={rounds}", "--exit-when-done")
        )
        client = subprocess.Popen(
            [program("mt-client"), server.address, "--plain", "--name=Ann", "--table=table-1"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(client.kill)
        stack.enter_context(client)
        assert client.stdin is not None
        assert client.stdout is not None
        said = []
        for line in client.stdout:
            said.append(line)
            if line.startswith("You can:"):
                client.stdin.write("1\n")
                client.stdin.flush()
            if "game is over" in line.lower():
                client.stdin.write("quit\n")
                client.stdin.flush()
        assert client.wait(END_SECONDS) == 0
        text = "".join(said)
        assert len(re.findall(r"(?m)^Round \d+ of \d+ begins", text)) == rounds
        assert "1. " in text
        assert "\x1b" not in text
        assert server.wait() == 0


class First(Bot):
    """Takes the first choice."""

    def choose(self, view: View, choices: Sequence[Choice]) -> Choice:
        """Return the first."""
        del view
        return choices[0]


def test_garbage_on_the_wire_disturbs_nobody() -> None:
    """While a game runs, peers that send rubbish get their goodbye and the game goes on."""
    rubbish = (
        b"\xff\xff\xff\xff" + b"x" * 100,
        b"\x00\x00\x00\x05hello",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x00\x00\x00\x01\xc1",
        b"\x00\x00\x00\x00",
        b"",
    )
    options = ("--seats=4", "--bots=3:random", "--pace=0", "--between-seconds=0")
    with running_server(*options, "--rule=game.rounds=2", "--exit-when-done") as server:
        over: list[GameOver] = []
        player = threading.Thread(
            target=lambda: over.append(run(First(), server.address, name="Ann", kind="person"))
        )
        player.start()
        for _ in range(10):
            for each in rubbish:
                with socket.create_connection(("127.0.0.1", server.port), 10) as peer:
                    peer.sendall(each)
                    peer.shutdown(socket.SHUT_WR)
                    while peer.recv(4096):
                        pass
        player.join(END_SECONDS)
        assert len(over) == 1
        assert min(over[0].places) == 1
        assert server.wait() == 0
        assert "GET" not in server.log


def test_readme_bot_plays() -> None:
    """The bot in the README is played as it stands there."""
    readme = (ROOT / "README.md").read_text()
    block = re.search(r"```python\n(from mexican_train\.client import.*?)```", readme, re.DOTALL)
    assert block is not None
    code = block[1]
    options = ("--seats=4", "--bots=3:random", "--pace=0", "--between-seconds=0")
    with running_server(*options, "--rule=game.rounds=1", "--exit-when-done") as server:
        code = code.replace("127.0.0.1:12012", server.address)
        done = run_program("python", "-W", "error", "-c", code)
        assert done.returncode == 0, done.stderr
        assert re.fullmatch(r"\[\d+, \d+, \d+, \d+\]\n", done.stdout)
        assert server.wait() == 0


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_mid_game(sign: signal.Signals) -> None:
    """SIGTERM and SIGINT: everybody is told, exit code 0."""
    with running_server("--seats=4", "--bots=3:random", "--pace=0") as server:
        client = subprocess.Popen(
            [program("mt-client"), server.address, "--plain", "--name=Ann", "--table=table-1"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        with client:
            line_until(client, "You can:")
            server.process.send_signal(sign)
            line_until(client, "stop")
            assert server.wait() == 0
            client.kill()


def test_the_server_ends_with_its_parent() -> None:
    """`--until-stdin-closes`: the end of standard input ends the server."""
    with running_server("--until-stdin-closes") as server:
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.wait() == 0


def test_solo_plays_at_once() -> None:
    """`mt-client --solo` deals without a word, and leaves nothing behind."""
    typed = "hand\nscores\ntable\nquit\n"
    done = run_program("mt-client", "--solo", "--plain", "--bots=2", "--name=Ann", typed=typed)
    assert done.returncode == 0, done.stderr
    assert "Round 1 of 13 begins" in done.stdout
