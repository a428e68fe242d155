"""`kill -9` of the server while bots and a line client play: nothing that was told is lost.

A bot in this process keeps every event that it was ever told; at the end the record of the game,
as the line client saved it, must hold each of them, and the scores must be those of the moves.
"""

import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from random import Random
from sqlite3 import connect

import pytest
from mexican_train.client import Bot, View, run
from mexican_train.protocol import AnyEvent, Choice, GameOver
from mexican_train.server import replay

from tests.system.people import sitting
from tests.system.processes import END_SECONDS, Server, program, run_program, running_server

pytestmark = pytest.mark.system

Scale = Callable[[int, int], int]
SEATS = 5


class Keeper(Bot):
    """Takes the first choice, and keeps all that it is told."""

    def __init__(self) -> None:
        self.told: dict[int, list[AnyEvent]] = {}
        self.over: GameOver | None = None
        self._news = threading.Condition()

    def choose(self, view: View, choices: Sequence[Choice]) -> Choice:
        """Return the first."""
        del view
        return choices[0]

    def on_event(self, event: AnyEvent) -> None:
        """Keep it."""
        with self._news:
            self.told.setdefault(event.n, []).append(event)
            self._news.notify_all()

    def wait_for(self, events: int) -> bool:
        """Wait until so many events have been told; False if the game is over before."""
        with self._news:
            assert self._news.wait_for(
                lambda: len(self.told) >= events or self.over is not None, END_SECONDS
            ), "the game stands still"
        return self.over is None

    def play(self, address: str, table: str) -> None:
        """Play to the end of the game."""
        over = run(self, address, name="Keeper", table=table)
        with self._news:
            self.over = over
            self._news.notify_all()


@contextmanager
def killed_at_the_end(*options: str) -> Iterator[Server]:
    """A server that ends by `kill -9`, unless it has ended by itself."""
    with running_server(*options) as server:
        yield server
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(END_SECONDS)


def test_no_acknowledged_move_and_no_seat_is_lost(scale: Scale, tmp_path: Path) -> None:
    kills, rounds = scale(2, 50), scale(2, 13)
    random = Random(kills)
    options = [
        *("--table=t", f"--seats={SEATS}", f"--rule=game.rounds={rounds}", "--between-seconds=0"),
        *("--pace=0.03", f"--db={tmp_path / 'games.db'}"),
    ]
    keeper = Keeper()
    with ExitStack() as stack:
        server = stack.enter_context(running_server(*options))
        options.append(f"--port={server.port}")
        bots = [
            stack.enter_context(
                subprocess.Popen(
                    [program("mt-bot"), server.address, "--strategy=greedy", f"--name=g{number}"],
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for number in range(SEATS - 2)
        ]
        for bot in bots:
            stack.callback(bot.kill)
        player = threading.Thread(target=keeper.play, args=(server.address, "t"))
        player.start()
        ann = stack.enter_context(sitting(server.address, tmp_path, seconds=10 * END_SECONDS))
        records: list[Path] = []
        person = threading.Thread(target=lambda: records.append(ann.play_on()))
        person.start()
        killed = 0
        while killed < kills and keeper.wait_for(len(keeper.told) + random.randrange(4, 30)):
            server.process.send_signal(signal.SIGKILL)
            server.process.wait(END_SECONDS)
            killed += 1
            server = stack.enter_context(running_server(*options))
        assert killed == kills, "the game was over before"
        player.join(END_SECONDS)
        assert keeper.over is not None, f"{ann.said[-20:]} {server.log}"
        person.join(END_SECONDS)
        assert ann.process.wait(END_SECONDS) == 0, ann.said[-20:]
        for bot in bots:
            assert bot.wait(END_SECONDS) == 0
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 0
        assert "failed" not in server.log
    text = records[0].read_text()
    found = replay.verify(text)
    assert found.is_finished
    assert found.rounds == rounds
    assert list(found.totals) == keeper.over.totals
    seat = found.names.index("Keeper")
    happened = {event.n: event for step in replay.steps(text, seat) for event in step.update.events}
    for number, events in keeper.told.items():
        assert events == [happened[number]], "told once, and still true"
    assert keeper.told.keys() == happened.keys()


def test_a_stop_in_mid_game_goes_on_after_the_next_start(tmp_path: Path) -> None:
    """SIGTERM: exit code 0; the game of bots alone goes on by itself and is not begun anew."""
    database = tmp_path / "games.db"
    options = ("--bots=3:greedy", "--seats=3", f"--db={database}", "--rule=game.rounds=2")
    with running_server(*options, "--pace=0.05") as server:
        give_up = time.monotonic() + END_SECONDS
        while moves_in(database) < 20:
            assert time.monotonic() < give_up
            time.sleep(0.05)
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 0
    with running_server(*options, "--pace=0", "--exit-when-done") as server:
        assert server.wait() == 0
        assert "taken up again" in server.log
        assert "game started" not in server.log
        assert "game over" in server.log
    assert moves_in(database) == 0, "a finished table is put away"


def moves_in(database: Path) -> int:
    """How many events are in the log of the table."""
    with closing(connect(f"file:{database}?mode=ro", uri=True)) as store:
        (count,) = store.execute("SELECT count(*) FROM events").fetchone()
    return int(count)


def test_a_second_server_on_one_file_is_refused_with_the_pid(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    with running_server(f"--db={database}") as server:
        done = run_program("mt-server", "--host=127.0.0.1", "--port=0", f"--db={database}")
        assert done.returncode == 1
        assert done.stderr == (
            f"mt-server: another server (pid {server.process.pid}) is using {database}\n"
        )
        done = run_program("mt-server", f"--db={database}", "backup", str(tmp_path / "copy.db"))
        assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
