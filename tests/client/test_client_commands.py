"""The command lines of the client: bad usage, nobody there, names, and what a bot says."""

import os
import re
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import trio
from click.testing import CliRunner, Result
from mexican_train.client import strategy
from mexican_train.client.bot_cli import main as mt_bot
from mexican_train.client.bot_runner import TellingBot
from mexican_train.client.cli import default_name
from mexican_train.client.cli import main as mt_client
from mexican_train.client.command import ExampleCommand
from mexican_train.client.solo import HomeTable, Opened, server_command
from mexican_train.client.stopping import until_stopped
from mexican_train.protocol import GameOver, RoundOver

from .peers import table_info


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the tokens and games of whoever runs it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


@pytest.fixture
def closed_port() -> Iterator[str]:
    """An address on loopback where nobody listens for as long as the test runs."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


def invoke(command: click.Command, *words: str) -> Result:
    return CliRunner().invoke(command, words)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "name a server"),
        (["host:port"], "a port is a number from 1 to 65535"),
        (["[::1"], "an IPv6 address is written"),
        (["host", "--table", "a", "--create", "b"], "do not go together"),
        (["host", "--watch"], "--watch wants --table NAME"),
        (["host", "--rules", "bernie"], "want --create NAME or --solo"),
        (["host", "--rule", "set.max_pip=9"], "want --create NAME or --solo"),
        (["host", "--name", "x" * 21], "a name has 1 to 20 characters"),
        (["host", "--solo"], "--solo and HOST do not go together"),
        (["--solo", "--table", "a"], "--solo and --table do not go together"),
        (["--solo", "--strategy", "gredy"], "Did you mean 'greedy'"),
        (["--solo", "--bots", "14"], "--bots"),
        (["--solo", "--rules", "clasic"], "There are no rules called 'clasic'"),
        (["--resume"], "go with --solo"),
        (["host", "--new"], "go with --solo"),
        (["--solo", "--resume", "--rules", "bernie"], "by the rules and with the bots"),
        (["--solo", "--seats", "4"], "go with --open-to-lan"),
        (["host", "--open-to-lan"], "--solo and HOST do not go together"),
        (["--colour"], "No such option"),
    ],
)
def test_bad_usage_of_the_client(words: list[str], sentence: str) -> None:
    """Exit code 2, and what is wrong in one line that begins with the program's name."""
    result = invoke(mt_client, *words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert re.fullmatch(r"mt-client: (?!mt-)[^\n]+\n", result.stderr)
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "HOST"),
        (["host"], "--strategy"),
        (["host", "--strategy", "gredy"], "Did you mean 'greedy'"),
        (["host:0", "--strategy", "greedy"], "a port is a number from 1 to 65535"),
        (["host", "--strategy", "greedy", "--count", "0"], "--count"),
    ],
)
def test_bad_usage_of_the_bot(words: list[str], sentence: str) -> None:
    result = invoke(mt_bot, *words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert re.fullmatch(r"mt-bot: [^\n]+\n", result.stderr)


def test_ctrl_c_at_a_prompt_ends_without_a_word() -> None:
    """The end of the input at a prompt does the same."""

    @click.command("mt-client", cls=ExampleCommand)
    def asks() -> None:
        click.prompt("Another name")

    result = invoke(asks)
    assert result.exit_code == 130
    assert result.stdout.strip() == "Another name:"
    assert result.stderr.strip() == ""


@pytest.mark.parametrize(
    ("command", "words"), [(mt_client, ["--plain"]), (mt_bot, ["--strategy", "greedy"])]
)
def test_nobody_there(command: click.Command, words: list[str], closed_port: str) -> None:
    """One line on standard error and exit code 1."""
    result = invoke(command, closed_port, *words)
    program = "mt-client" if command is mt_client else "mt-bot"
    assert result.exit_code == 1
    assert result.stderr == (
        f"{program}: nobody answers at {closed_port} (connection refused). "
        "Is mt-server running there?\n"
    )


@pytest.mark.parametrize(
    ("login", "name"),
    [
        ("ann", "ann"),
        ("a-very-long-login-name-indeed", "a-very-long-login-na"),
        ("  ", "player"),
        ("", "player"),
        ("a\x07n\u202en", "ann"),
        ("\uff41nn", "ann"),
    ],
)
def test_a_login_name_becomes_a_player_name(login: str, name: str) -> None:
    assert default_name(login) == name


def test_the_private_server() -> None:
    """It listens on loopback alone, on a free port, and ends with the client."""
    table = HomeTable(
        name="solo",
        seats=3,
        bots=2,
        strategy="greedy",
        rules="bernie",
        options=["set.max_pip=9", "game.rounds=1"],
    )
    command = server_command(Path("ready"), Path("solo.db"), table)
    assert command[:3] == [sys.executable, "-m", "mexican_train.server.cli"]
    assert " ".join(command[3:]) == (
        f"--config {os.devnull} --host 127.0.0.1 --port 0 --until-stdin-closes "
        "--ready-file ready --db solo.db --table solo --seats 3 --start full --bots 2:greedy "
        "--rules bernie --rule set.max_pip=9 --rule game.rounds=1"
    )
    assert server_command(Path("ready"), None, None)[-2:] == ["--db", ":memory:"]


def test_an_open_server() -> None:
    """It listens on every interface, outlives the client, and ends when nobody is there."""
    table = HomeTable(name="table-1", seats=4, bots=0, strategy="planner", start="ready")
    opened = Opened(port=12012, name="Ann's game", password_file=Path("secret"))
    command = server_command(Path("ready"), Path("lan.db"), table, opened)
    assert " ".join(command[5:]) == (
        "--port 12012 --announce-as Ann's game --exit-when-idle 10 --password-file secret "
        "--ready-file ready --db lan.db --table table-1 --seats 4 --start ready"
    )


def test_a_bot_says_what_becomes_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """A line a fact, each once, with its name in front."""
    bot = TellingBot(strategy("greedy"))
    bot.name = "Greta"
    bot.on_table(table_info("den"), 1)
    bot.on_table(table_info("den"), 1)
    bot.on_round_over(RoundOver(n=1, round=1, winner=0, hands=[], scores=[0, 1], totals=[4, 7]))
    bot.tell_end(GameOver(n=2, totals=[4, 7], places=[1, 2]))
    assert capsys.readouterr().out == (
        "Greta: seated at den, seat 1\n"
        "Greta: round 1: 1 point, 7 in all\n"
        "Greta: place 2 of 2, 7 points\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_stops_the_work(number: signal.Signals) -> None:
    """The work is cancelled and may clean up; the exit code is what shells expect."""
    cleaned: list[bool] = []

    async def work() -> int:
        try:
            signal.raise_signal(number)
            await trio.sleep_forever()
        finally:
            cleaned.append(True)

    assert await until_stopped(work) == 128 + number
    assert cleaned == [True]


async def test_what_the_work_raises_comes_out_bare() -> None:
    async def fail() -> int:
        await trio.lowlevel.checkpoint()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await until_stopped(fail)
