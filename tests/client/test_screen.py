"""The full screen on a terminal that is not real: keys from a pipe, pictures into pyte."""

import re
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from io import StringIO

import pyte
import pytest
import trio
import trio.lowlevel
from mexican_train.client.guest import run_as_guest
from mexican_train.client.link import hello_for, open_link
from mexican_train.client.screen import Terminal
from mexican_train.client.wish import Look
from mexican_train.protocol import (
    AskHint,
    Draw,
    Hint,
    MarkerSet,
    Parameter,
    Passed,
    Play,
    Reason,
    Reasons,
    Said,
    Say,
    Why,
)
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput, Output
from prompt_toolkit.output.vt100 import Vt100_Output

from .peers import HERE, Peer, ScriptedServer, plays, seat_info, table_news, train, update, view

SEATS = [seat_info(0, "Me"), seat_info(1, "Ann"), seat_info(2, "Bob")]
TRAINS = [train("p0", (12, 9)), train("p1", (12, 6)), train("p2", marked=True), train("m0", end=7)]
COLOURS = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]")


class Glass(StringIO):
    """What a terminal shows: all that was written, and the picture that it makes."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        super().__init__()
        self.size = Size(rows=rows, columns=columns)
        self.written = ""
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)

    def write(self, text: str) -> int:
        self.written += text
        self._stream.feed(text)
        return len(text)

    def output(self, term: str = "xterm-256color") -> Output:
        return Vt100_Output(self, lambda: self.size, term=term)

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)


@dataclass
class Desk:
    """A terminal under test, with the keys to press and the server's side."""

    terminal: Terminal
    keys: PipeInput
    peer: Peer

    async def redrawn(self, done: Callable[[], bool]) -> None:
        """`done` holds after some redraw."""
        while not done():
            await self.next_redraw()

    async def next_redraw(self) -> None:
        token = trio.lowlevel.current_trio_token()
        drawn = trio.Event()

        def note(_: object) -> None:
            token.run_sync_soon(drawn.set)

        self.terminal.application.after_render += note
        await drawn.wait()
        self.terminal.application.after_render -= note

    async def in_game(self) -> None:
        await self.peer.send(table_news(seats=SEATS, state="playing", hints=True))
        choices = plays("12-7>p2", "12-7>m0", "9-9>p0", "draw")
        await self.peer.send(update([Passed(n=1, seat=2)], choices, on=view(trains=TRAINS)))
        await self.redrawn(lambda: self.terminal.mode.model.is_my_turn)


Script = Callable[[Desk], Awaitable[None]]


def sit(script: Script, output: Output | None = None, look: Look | None = None) -> int:
    """Run a terminal against `script`, in guest mode; its exit code."""
    with create_pipe_input() as keys:
        return run_as_guest(lambda: _sitting(script, keys, output or DummyOutput(), look or Look()))


async def _sitting(script: Script, keys: PipeInput, output: Output, look: Look) -> int:
    server = ScriptedServer()

    async with trio.open_nursery() as nursery:
        peers: list[Peer] = []

        async def greet() -> None:
            peer = await server.accept()
            await peer.greet(table="t")
            peers.append(peer)

        nursery.start_soon(greet)
        async with open_link(HERE, hello_for("Me"), open_stream=server.open_stream) as link:
            terminal = Terminal(link, look=look, source=keys, output=output)
            nursery.start_soon(terminal.run)
            with trio.fail_after(5):
                await script(Desk(terminal, keys, peers[0]))
            nursery.cancel_scope.cancel()
    return 0


def test_keys_become_commands() -> None:
    """Typed at once, without a picture in between: each key comes in its place."""

    async def script(desk: Desk) -> None:
        await desk.in_game()
        desk.keys.send_text("\t\t\r")
        assert await desk.peer.receive() == Play(id=1, turn=1, tile=(9, 9), train="p0")
        desk.keys.send_text("d:say a b\r")
        assert await desk.peer.receive() == Draw(id=2, turn=1)
        assert await desk.peer.receive() == Say(id=3, text="a b")
        desk.keys.send_text("12-7 mexican\x1b[D\x1b[D\x7f\x7fx\x15say \x1b[200~pa\nsted\x1b[201~\r")
        assert await desk.peer.receive() == Say(id=4, text="paan")
        desk.keys.send_text("\x1b[C")
        await desk.redrawn(lambda: desk.terminal.mode.stage.selected == (12, 7))
        desk.keys.send_text("\x1b")
        await desk.redrawn(lambda: desk.terminal.mode.stage.selected is None)

    assert sit(script) == 0


def test_a_hint_and_a_reason_are_a_key_each() -> None:
    """`H` and `?` on a tile that does not fit ask; the answers are on the picture."""
    glass = Glass()

    async def script(desk: Desk) -> None:
        await desk.in_game()
        desk.keys.send_text("H")
        assert await desk.peer.receive() == AskHint(id=1)
        choice = plays("9-9>p0")[0]
        told: dict[str, Parameter] = {"cover": "12-9"}
        await desk.peer.send(
            Hint(answers=1, turn=1, choice=choice, code="shed_double", params=told, text="")
        )
        await desk.redrawn(lambda: "it is a double that you can cover with 12-9." in glass.text())
        assert "<9|9>*" in glass.text()
        assert "9-9 on your train: Enter plays it." in glass.text()
        desk.keys.send_text("\x1b[D?")
        assert await desk.peer.receive() == Why(id=2, tile=(12, 3))
        reasons = [
            Reason(
                do="play",
                tile=(12, 3),
                train=name,
                code="does_not_fit",
                option=None,
                params={"tile": "12-3", "train": name, "end": end},
                text="",
            )
            for name, end in (("p0", 9), ("m0", 7))
        ]
        await desk.peer.send(Reasons(answers=2, reasons=reasons))
        reason = "12-3 does not fit your train (end 9) or the Mexican Train (end 7)."
        await desk.redrawn(lambda: reason in glass.text())
        assert "[9|9]*" in glass.text()

    sit(script, glass.output())


def test_the_picture_is_what_is_painted() -> None:
    """Through the codes of a terminal and back: text, wide characters, the cursor of the line."""
    glass = Glass()

    async def script(desk: Desk) -> None:
        await desk.in_game()
        await desk.peer.send(Said(name="日本", text="はい\x1b[2J"))
        await desk.redrawn(lambda: "はい" in glass.text().replace(" ", ""))
        await desk.redrawn(lambda: "YOUR TURN" in glass.text())
        shown = glass.text()
        assert "[12|7]*" in shown
        assert "   Bob" not in shown
        assert " * Bob" in shown
        assert "[2J" in shown
        assert glass.screen.cursor.hidden
        desk.keys.send_text(":sco")
        await desk.redrawn(lambda: ": sco" in glass.text())
        assert (glass.screen.cursor.x, glass.screen.cursor.y) == (5, 23)
        assert not glass.screen.cursor.hidden

    sit(script, glass.output())
    assert glass.written.index("\x1b[?1049h") < glass.written.index("\x1b[?1049l")
    assert glass.written.count("\a") == 1 + glass.written.count("\x1b]2;")
    assert COLOURS.search(glass.written)


def test_colours_are_hues_of_the_foreground_alone() -> None:
    """No background, no light or dark variant of the terminal's own sixteen."""
    glass = Glass()

    async def script(desk: Desk) -> None:
        await desk.in_game()
        await desk.redrawn(lambda: "YOUR TURN" in glass.text())

    sit(script, glass.output())
    for codes in re.findall(r"\x1b\[([0-9;]*)m", glass.written):
        rest = re.sub(r"\b38;5;\d+\b", "", codes)
        assert set(rest.split(";")) <= {"", "0", "1", "3", "4", "7", "39", "49"}


def test_sixteen_colours_are_too_few() -> None:
    """A hue mapped to one of sixteen might be the background; such a terminal gets none."""
    glass = Glass()

    async def script(desk: Desk) -> None:
        await desk.in_game()
        await desk.redrawn(lambda: "YOUR TURN" in glass.text())

    sit(script, glass.output("linux"))
    assert not COLOURS.search(glass.written)


@pytest.mark.parametrize("theme", ["default", "none", "high-contrast"])
def test_no_colour_means_no_colour_codes(theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With NO_COLOR, and in a theme without hues; bold and reverse stay."""
    glass = Glass()
    if theme == "default":
        monkeypatch.setenv("NO_COLOR", "1")

    async def script(desk: Desk) -> None:
        await desk.in_game()
        await desk.redrawn(lambda: "YOUR TURN" in glass.text())

    sit(script, glass.output(), Look(theme=theme))
    assert not COLOURS.search(glass.written)
    assert re.search(r"\x1b\[[0-9;]*;7[;m]", glass.written)


def test_bell_and_title_can_be_off() -> None:
    glass = Glass()

    async def script(desk: Desk) -> None:
        await desk.in_game()
        await desk.redrawn(lambda: "YOUR TURN" in glass.text())

    sit(script, glass.output(), Look(bell=False))
    assert "\a" not in glass.written


def test_the_title_goes_with_the_turn() -> None:
    """It says so at the turn's beginning and is cleared at its end."""
    glass = Glass()

    async def script(desk: Desk) -> None:
        await desk.in_game()
        await desk.redrawn(lambda: glass.screen.title == "Your turn: t")
        await desk.peer.send(update([MarkerSet(n=2, seat=0)], on=view(to_act=1)))
        await desk.redrawn(lambda: glass.screen.title == "")

    sit(script, glass.output())


def test_nothing_is_drawn_that_has_not_changed() -> None:
    """A key without meaning asks for no redraw; one with a meaning asks for one."""

    async def script(desk: Desk) -> None:
        await desk.in_game()
        application, mode = desk.terminal.application, desk.terminal.mode
        pressed: list[str] = []
        press = mode.press

        def note(key: str) -> None:
            press(key)
            pressed.append(key)

        mode.press = note  # type: ignore[method-assign]  # to see that it came
        while application.invalidated:
            await trio.lowlevel.checkpoint()
        before = application.render_counter
        desk.keys.send_text("zyx")
        while pressed != ["z", "y", "x"]:
            await trio.lowlevel.checkpoint()
        assert not application.invalidated
        assert application.render_counter == before
        desk.keys.send_text("o")
        await desk.next_redraw()
        assert application.render_counter == before + 1

    sit(script)


def test_the_mouse_is_off_at_first() -> None:
    """`m` turns it on; then a click selects a tile, one on a train plays it there."""
    glass = Glass()

    async def script(desk: Desk) -> None:
        await desk.in_game()
        await desk.redrawn(lambda: "YOUR TURN" in glass.text())
        assert "\x1b[?1000h" not in glass.written
        desk.keys.send_text("m")
        await desk.redrawn(lambda: "\x1b[?1000h" in glass.written)
        lines = glass.text().splitlines()
        row = next(row for row, line in enumerate(lines) if "[12|7]*" in line)
        desk.keys.send_text(f"\x1b[<0;3;{row + 1}M\x1b[<0;3;{row + 1}m")
        await desk.redrawn(lambda: "<12|7>*" in glass.text())
        row = next(row for row, line in enumerate(lines) if " * Bob" in line)
        desk.keys.send_text(f"\x1b[<0;5;{row + 1}M\x1b[<0;5;{row + 1}m")
        assert await desk.peer.receive() == Play(id=1, turn=1, tile=(12, 7), train="p2")

    sit(script, glass.output())
    assert glass.written.rindex("\x1b[?1000l") > glass.written.rindex("\x1b[?1000h")


def test_ctrl_c_ends_as_a_signal_would() -> None:
    """In raw mode it is a key; the exit code is that of SIGINT all the same."""
    glass = Glass()

    async def script(desk: Desk) -> None:
        await desk.in_game()
        desk.keys.send_text("\x03")
        await trio.sleep_forever()

    assert sit(script, glass.output()) == 128 + signal.SIGINT
    assert glass.written.rstrip().endswith("\x1b[?25h") or "\x1b[?1049l" in glass.written


def test_a_terminal_that_goes_away_ends_it() -> None:
    """The end of its input ends the program, without a word."""

    async def script(desk: Desk) -> None:
        await desk.in_game()
        desk.keys.close()
        while desk.terminal.application.is_running:
            await trio.lowlevel.checkpoint()

    assert sit(script) == 0


def test_a_fault_in_painting_ends_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised, and the terminal restored; nothing waits for a key."""
    glass = Glass()

    async def script(desk: Desk) -> None:
        await desk.in_game()

        def paint(columns: int, rows: int) -> list[object]:
            raise ZeroDivisionError

        desk.terminal.mode.paint = paint  # type: ignore[method-assign, assignment]  # a fault
        desk.keys.send_text("o")
        await trio.sleep_forever()

    with pytest.raises(ExceptionGroup) as caught:
        sit(script, glass.output())
    assert caught.group_contains(ZeroDivisionError)
    assert "\x1b[?1049l" in glass.written


def test_a_size_that_changes_under_way() -> None:
    """A storm of sizes ends in the picture of the last one."""
    glass = Glass()

    async def script(desk: Desk) -> None:
        await desk.in_game()
        for columns in (*range(40, 160, 3), 61):
            glass.size = Size(rows=20, columns=columns)
            glass.screen.resize(20, columns)
            signal.raise_signal(signal.SIGWINCH)
            await trio.lowlevel.checkpoint()
        await desk.redrawn(lambda: glass.text().splitlines()[1].startswith(">* You"))
        assert len(glass.text().splitlines()) == 20
        assert glass.text().splitlines()[0].endswith("YOUR TURN")

    sit(script, glass.output())
