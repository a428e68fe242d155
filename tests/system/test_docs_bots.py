"""docs/bots.md does what it says: each block of Python plays, each field and hook is told."""

import re
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from mexican_train.client import (
    Bot,
    BotError,
    FileTokens,
    JoinDeclinedError,
    RefusedError,
    UnreachableError,
    View,
    run,
    strategy,
    strategy_names,
)
from mexican_train.protocol import AnyEvent, Choice, Declined, KnockOwed, OpenDouble, Train

from tests.system.processes import END_SECONDS, running_server

pytestmark = pytest.mark.system

PAGE = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE, re.DOTALL))
SCRIPTS = ["heaviest.py", "builder.py", "talker.py", "comes_back.py", "half.py"]
SHORT = ("--seats=4", "--bots=3:greedy", "--pace=0", "--between-seconds=0", "--rule=game.rounds=1")


def save(folder: Path, address: str = "127.0.0.1:12012") -> None:
    """Write every block of the page into `folder`, for a server at `address`."""
    for name, code in BLOCKS.items():
        (folder / name).write_text(code.replace("127.0.0.1:12012", address))


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the interpreter in `folder` to its end, warnings as errors."""
    return subprocess.run(
        [sys.executable, "-W", "error", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=END_SECONDS,
        check=False,
    )


# --- the blocks ---------------------------------------------------------------------------


def test_every_block_is_played_here() -> None:
    """A new block of Python cannot stand on the page untried."""
    assert sorted(BLOCKS) == sorted([*SCRIPTS, "test_heaviest.py"])
    assert PAGE.count("```python") == len(BLOCKS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_block_plays_a_game(name: str, tmp_path: Path) -> None:
    with running_server(*SHORT, "--rules=spruce", "--exit-when-done") as server:
        save(tmp_path, server.address)
        done = python(tmp_path, name)
        assert done.returncode == 0, done.stderr
        assert re.search(r"\[\d+, \d+, \d+, \d+\]", done.stdout)
        assert server.wait() == 0


def test_the_test_of_the_page_passes(tmp_path: Path) -> None:
    save(tmp_path)
    done = python(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_heaviest.py")
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_a_bot_that_died_comes_back(tmp_path: Path) -> None:
    """With tokens in a folder and the same name a new process takes the seat up again."""
    dies = "import os\nfrom heaviest import Heaviest\n"
    dies += "def die(self, view, choices):\n    os._exit(3)\nHeaviest.choose = die\n"
    with running_server(*SHORT, "--exit-when-done") as server:
        save(tmp_path, server.address)
        (tmp_path / "dies.py").write_text(dies + BLOCKS["comes_back.py"])
        code = (tmp_path / "dies.py").read_text().replace("127.0.0.1:12012", server.address)
        (tmp_path / "dies.py").write_text(code)
        assert python(tmp_path, "dies.py").returncode == 3
        done = python(tmp_path, "comes_back.py")
        assert done.returncode == 0, done.stderr
        assert server.wait() == 0
    assert FileTokens(tmp_path / "tokens").path(server.address, "Phoenix").exists()


# --- the tables ---------------------------------------------------------------------------


def section(number: int) -> str:
    """The text of one numbered section."""
    return PAGE.partition(f"\n## {number}. ")[2].partition("\n## ")[0]


def test_every_field_of_a_choice_is_told() -> None:
    for field in Choice.__struct_fields__:
        assert f"| `{field}` |" in section(3), field


def test_every_field_of_the_view_is_told() -> None:
    told = set(re.findall(r"`(\w+)`", section(4)))
    fields = {*View.__struct_fields__, "name", "is_my_turn"}
    for struct in (Train, OpenDouble, KnockOwed):
        fields |= set(struct.__struct_fields__)
    assert fields <= told


def test_every_hook_and_switch_is_told() -> None:
    for name in vars(Bot):
        if not name.startswith("_"):
            assert re.search(rf"`{name}\b", section(5)), name


def test_every_stock_bot_is_told() -> None:
    for name in strategy_names():
        assert f"| `{name}` | {strategy(name).summary} |" in section(10)


def test_every_link_inside_the_page_leads_somewhere() -> None:
    headings = re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}
    assert set(re.findall(r"\(#([^)]*)\)", PAGE)) <= anchors


# --- time and errors ----------------------------------------------------------------------


class First(Bot):
    """Takes the first choice."""

    def choose(self, view: View, choices: Sequence[Choice]) -> Choice:
        """Return the first."""
        assert view.is_my_turn
        assert len(choices) > 1
        return choices[0]


class Late(First):
    """Sleeps through its first choice."""

    def __init__(self) -> None:
        self.declined: list[str] = []
        self.is_awake = False

    def choose(self, view: View, choices: Sequence[Choice]) -> Choice:
        """Return the first; at the first call, after the clock has run out."""
        assert view.deadline_ms is not None
        if not self.is_awake:
            self.is_awake = True
            time.sleep(view.deadline_ms / 1000 + 0.3)  # a slow bot is what this is about
        return super().choose(view, choices)

    def on_declined(self, declined: Declined) -> None:
        """Note the code."""
        self.declined.append(declined.code)


def test_a_late_choice_is_dropped_and_the_game_goes_on() -> None:
    bot = Late()
    with running_server(*SHORT, "--bot-seconds=1", "--exit-when-done") as server:
        over = run(bot, server.address)
        assert server.wait() == 0
        assert "bot late" in server.log
    assert min(over.places) == 1
    assert set(bot.declined) == {"stale"}


class Wrong(Bot):
    """Returns what it was not offered."""

    def choose(self, view: View, choices: Sequence[Choice]) -> Choice:
        """Return a play that cannot be."""
        del view, choices
        return Choice(do="play", tile=(0, 0), train="p13")


def test_a_choice_that_was_not_offered_names_the_place() -> None:
    """`BotError` with file, line, what came back and what could have."""
    with running_server(*SHORT) as server, pytest.raises(BotError) as raised:
        run(Wrong(), server.address)
    assert re.search(
        rf"{re.escape(__file__)}, line \d+.*0-0>p13.*among its choices: ", str(raised.value)
    )


class Broken(Bot):
    """Fails."""

    def choose(self, view: View, choices: Sequence[Choice]) -> Choice:
        """Divide by zero."""
        del view, choices
        raise ZeroDivisionError


class BrokenHook(First):
    """Fails in a hook."""

    def on_event(self, event: AnyEvent) -> None:
        """Divide by zero."""
        del event
        raise ZeroDivisionError


@pytest.mark.parametrize("bot", [Broken(), BrokenHook()], ids=["choose", "hook"])
def test_an_exception_of_the_author_comes_out_as_it_is(bot: Bot) -> None:
    with running_server(*SHORT) as server, pytest.raises(ZeroDivisionError):
        run(bot, server.address)


def test_errors_are_those_of_the_table() -> None:
    """A bad address, nobody there, an unknown table, a name that cannot be."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ValueError, match="no port"):
        run(First(), "127.0.0.1:x")
    with pytest.raises(UnreachableError, match=str(port)):
        run(First(), f"127.0.0.1:{port}")
    with running_server(*SHORT) as server:
        with pytest.raises(JoinDeclinedError) as declined:
            run(First(), server.address, table="nowhere")
        assert declined.value.code == "no_such_table"
        with pytest.raises(RefusedError) as refused:
            run(First(), server.address, name="\u2003")
        assert refused.value.code == "bad_name"
