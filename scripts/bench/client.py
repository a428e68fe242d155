"""Measure the full screen: redraws at 160x50, and how long programs take to start.

Redraws are CPU time: painting, and drawing into a terminal that is a string. Starts are what a
person waits, on loopback, on a pseudo-terminal; beside them the bare interpreter of this run.
"""

import argparse
import os
import pty
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import trio
from mexican_train.client import Address, Terminal, hello_for, open_link
from mexican_train.protocol import (
    Choice,
    RulesInfo,
    SeatInfo,
    TableInfo,
    TableNews,
    Tile,
    TileLaid,
    Train,
    Update,
    View,
)
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.bench.shuffle import SHUFFLE_US, shuffle_us
from scripts.children import game_server

SIZE = Size(rows=50, columns=160)
SEATS = 8
TILES: list[Tile] = [(a, b) for a in range(13) for b in range(a + 1)]
SIZED = 'stty cols 80 rows 24; exec "$@"'
COMMANDS = ("mt-server", "mt-client", "mt-bot", "mt-replay")


def state(turn: int) -> Update:
    """The update of a move: 8 seats, nine trains of 40 tiles, one more on the train of the move."""
    seat = turn % SEATS
    names = [f"player-{number}" for number in range(SEATS)]
    trains = [
        Train(
            train=f"p{owner}" if owner < SEATS else "m0",
            owner=owner if owner < SEATS else None,
            open_end=TILES[(owner * 7 + turn) % 91][1],
            tiles=[TILES[(owner * 7 + turn + place) % 91] for place in range(40)],
            marked=(turn + owner) % 3 == 0,
        )
        for owner in range(SEATS + 1)
    ]
    view = View(
        round=3,
        rounds=13,
        phase="play",
        max_pip=12,
        engine=(10, 10),
        to_act=(seat + 1) % SEATS,
        awaited="play",
        lap=2,
        names=names,
        hand_counts=[12 - (turn + number) % 5 for number in range(SEATS)],
        boneyard=30,
        trains=trains,
        open_doubles=[],
        knocks=[],
        scores=[list(range(SEATS))],
        totals=list(range(SEATS)),
    )
    hand = [TILES[(turn // SEATS + place * 5) % 91] for place in range(15)]
    return Update(
        answers=0,
        table="bench",
        events=[TileLaid(n=turn, seat=seat, tile=TILES[turn % 91], train=f"p{seat}")],
        last_event=turn,
        view=view,
        seat=0,
        hand=hand,
        turn=turn,
        choices=[Choice(do="play", tile=hand[0], train="p0")] if seat == SEATS - 1 else [],
        deadline_ms=None,
        unproven=False,
    )


def table() -> TableNews:
    """The table of these seats."""
    seats = [
        SeatInfo(seat=seat, kind="person", name=f"player-{seat}", ready=True, present=True)
        for seat in range(SEATS)
    ]
    info = TableInfo(
        name="bench",
        state="playing",
        host="player-0",
        start="full",
        rules=RulesInfo(name="classic", hash="00", changed=0),
        seats=seats,
        watchers=0,
        locked=False,
        round=3,
        rounds=13,
    )
    return TableNews(answers=0, table=info, seat=0)


def cpu_ms(work: Callable[[], object]) -> float:
    """CPU milliseconds of one call."""
    start = time.process_time_ns()
    work()
    return (time.process_time_ns() - start) / 1e6


async def redraws(port: int, moves: int) -> dict[str, float]:
    """Medians over as many moves: painting, a redraw of what has changed, one of everything."""
    link = open_link(Address("127.0.0.1", port), hello_for("bench"))
    with create_pipe_input() as keys:
        async with link as opened:
            glass = StringIO()
            output = Vt100_Output(glass, lambda: SIZE, term="xterm-256color")
            terminal = Terminal(opened, source=keys, output=output)
            person, application = terminal.mode.person, terminal.application
            person.take(table())
            times: dict[str, list[float]] = {"paint": [], "move": [], "all": [], "same": []}

            def redraw() -> None:
                application.renderer.render(application, application.layout)

            for turn in range(1, moves + 1):
                person.take(state(turn))
                times["paint"].append(cpu_ms(lambda: terminal.mode.paint(SIZE.columns, SIZE.rows)))
                times["move"].append(cpu_ms(redraw))
                times["same"].append(cpu_ms(redraw))
                application.renderer.reset()
                times["all"].append(cpu_ms(redraw))
            return {what: statistics.median(taken) for what, taken in times.items()}


def wall_ms(command: list[str]) -> float:
    """Milliseconds until a program has ended."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1e3


def until_shown_ms(command: list[str], words: bytes) -> float:
    """Milliseconds until a program on a pseudo-terminal of 80x24 has written `words`."""
    with TemporaryDirectory() as home:
        start = time.perf_counter()
        process, terminal = pty.fork()
        if process == 0:
            os.environ |= {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
            os.environ |= {"XDG_STATE_HOME": home, "XDG_DATA_HOME": home}
            shell = ["sh", "-c", SIZED, "sh", *command]
            os.execvp("sh", shell)  # noqa: S606 - as a person starts it
        seen = b""
        while words not in seen:
            seen += os.read(terminal, 65536)
        taken = (time.perf_counter() - start) * 1e3
        os.write(terminal, b"\x03")
        try:
            while os.read(terminal, 65536):
                pass
        except OSError:  # it has gone
            pass
        os.waitpid(process, 0)
        os.close(terminal)
    return taken


def program(name: str) -> str:
    """The console script of this environment."""
    return str(Path(sys.executable).with_name(name))


def print_redraws(runs: int, moves: int) -> None:
    """A table of redraws, raw and scaled to the machine on which the goals were set."""
    found: dict[str, list[float]] = {}
    shuffles = []
    with game_server() as server:
        for _ in range(runs):
            shuffles.append(shuffle_us())
            for what, taken in trio.run(redraws, server.port, moves).items():
                found.setdefault(what, []).append(taken)
    scale = SHUFFLE_US / statistics.median(shuffles)
    told = {
        "paint": "painting alone",
        "move": "redraw after a move",
        "all": "redraw of everything (start, another size)",
        "same": "redraw of what is the same (never asked for)",
    }
    print(
        f"160x50, {SEATS} seats, 9 trains of 40 tiles; shuffle {statistics.median(shuffles):.1f} µs"
    )
    print(f"{'ms of CPU':48}{'median':>8}{'scaled':>8}   goal")
    for what, words in told.items():
        median = statistics.median(found[what])
        goal = "6" if what == "move" else ""
        print(f"{words:48}{median:8.2f}{median * scale:8.2f}   {goal}")


def print_starts(runs: int) -> None:
    """A table of starts: `--help` against the bare interpreter, then until something is shown."""
    bare: list[float] = []
    helps: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        bare.append(wall_ms([sys.executable, "-c", ""]))
        for name, taken in helps.items():
            taken.append(wall_ms([program(name), "--help"]))
    base = statistics.median(bare)
    print(f"\nbare python {base:.0f} ms")
    for name, taken in helps.items():
        median = statistics.median(taken)
        print(f"{name + ' --help':32}{median:8.0f} ms  {median / base:5.1f} times   goal 4.5 times")
    lobby, solo = [], []
    client = program("mt-client")
    for _ in range(runs):
        with game_server() as server:
            command = [client, f"127.0.0.1:{server.port}", "--name", "bench"]
            lobby.append(until_shown_ms(command, b"There is no table"))
        solo.append(until_shown_ms([client, "--solo", "--name", "bench"], b"Your hand"))
    print(f"{'mt-client HOST to the lobby':32}{statistics.median(lobby):8.0f} ms   goal 500 ms")
    print(f"{'mt-client --solo to the hand':32}{statistics.median(solo):8.0f} ms   goal 1,000 ms")


def main() -> None:
    """Print both tables, or the one that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=["redraws", "starts"])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--moves", type=int, default=200)
    asked = parser.parse_args()
    if asked.part != "starts":
        print_redraws(asked.runs, asked.moves)
    if asked.part != "redraws":
        print_starts(asked.runs)


if __name__ == "__main__":
    main()
