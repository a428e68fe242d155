"""The full screen on a real terminal: prompt_toolkit draws what `StageMode` paints.

The picture is one container that copies painted lines into the screen; a row that has not changed
is copied once. Nothing is drawn that has not changed, and at most `REDRAWS_PER_SECOND` times.
"""

import contextlib
import os
import signal
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import trio
from prompt_toolkit import Application
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Container, Dimension, FormattedTextControl, Layout, Window
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Char, Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output

from .clean import clean
from .fragments import ASCII, UNICODE, Line, text_width
from .guest import show
from .hand_order import HandKeeper
from .layout import cursor_of
from .link import Link
from .person import Opening
from .stage_mode import StageMode
from .texts import text
from .themes import Theme, theme_for
from .wish import Look

if TYPE_CHECKING:  # it is not there at run time
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone

REDRAWS_PER_SECOND = 30
ESCAPE_SECONDS = 0.05
"""After so long an escape is a key of its own, and not the start of another."""
ROWS_KEPT_MAX = 4000
CHARS_KEPT_MAX = 20_000
DONE = 0
STDOUT = 1

Row = defaultdict[int, Char]
_NOTHING = Char(" ", "")
_SECOND_HALF = Char("", "")
"""Stands under the right half of a wide character."""


class Picture(Container):
    """The whole screen as a container of prompt_toolkit."""

    def __init__(self, mode: StageMode, theme: Theme, touch: Callable[[str], None]) -> None:
        self._mode = mode
        self._theme = theme
        self._touch = touch
        self._rows: dict[tuple[object, ...], Row] = {}
        self._chars: dict[tuple[str, str], Char] = {}
        self._lines: Sequence[Line] = ()
        # something has to have the focus, and the cursor
        self.window = Window(FormattedTextControl("", focusable=True))

    def reset(self) -> None:
        """Nothing to reset."""

    def preferred_width(self, max_available_width: int) -> Dimension:
        """All there is."""
        return Dimension.exact(max_available_width)

    def preferred_height(self, width: int, max_available_height: int) -> Dimension:
        """All there is."""
        del width
        return Dimension.exact(max_available_height)

    def get_children(self) -> list[Container]:
        """The window that has the focus."""
        return [self.window]

    def write_to_screen(  # noqa: PLR0917 - as the base class has it
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        """Copy what is painted for this size."""
        del parent_style, erase_bg, z_index
        columns, rows = write_position.width, write_position.height
        self._lines = self._mode.paint(columns, rows)
        for y, line in enumerate(self._lines):
            screen.data_buffer[y] = self._row(line)
        screen.width, screen.height = columns, rows
        cursor = cursor_of(self._mode.stage, self._mode.sheet)
        if cursor is not None:
            screen.show_cursor = True
            screen.set_cursor_position(self.window, Point(*cursor))
        if self._mode.stage.has_mouse:
            mouse_handlers.set_mouse_handler_for_range(0, columns, 0, rows, self._click)

    def _row(self, line: Line) -> Row:
        key = tuple(line)
        row = self._rows.get(key)
        if row is None:
            if len(self._rows) >= ROWS_KEPT_MAX:
                self._rows.clear()
            row = self._rows[key] = self._drawn(line)
        return row

    def _char(self, char: str, style: str) -> Char:
        """The one value for a character in a style: making one anew costs as much as a lookup."""
        key = (char, style)
        made = self._chars.get(key)
        if made is None:
            if len(self._chars) >= CHARS_KEPT_MAX:
                self._chars.clear()
            made = self._chars[key] = Char(char, style)
        return made

    def _drawn(self, line: Line) -> Row:
        row: Row = defaultdict(lambda: _NOTHING)
        x = 0
        for fragment in line:
            style = self._theme.look(fragment.styles)
            if fragment.text.isascii():
                for char in fragment.text:
                    row[x] = self._char(char, style)
                    x += 1
                continue
            for char in fragment.text:
                columns = text_width(char)
                if columns == 0 and x > 0:
                    before = row[x - 1]
                    row[x - 1] = Char(before.char + char, before.style)
                    continue
                row[x] = self._char(char, style)
                for half in range(1, columns):
                    row[x + half] = _SECOND_HALF
                x += columns
        return row

    def _click(self, event: MouseEvent) -> "NotImplementedOrNone":
        if event.event_type == MouseEventType.SCROLL_UP:
            self._touch("key:up")
        elif event.event_type == MouseEventType.SCROLL_DOWN:
            self._touch("key:down")
        elif event.event_type == MouseEventType.MOUSE_UP:
            touched = self._touched(event.position)
            if touched:
                self._touch(touched)
        return NotImplemented

    def _touched(self, place: Point) -> str:
        x = 0
        for fragment in self._lines[place.y] if place.y < len(self._lines) else ():
            x += text_width(fragment.text)
            if place.x < x:
                return fragment.touch
        return ""


KEYS: dict[Keys | str, str] = {
    Keys.Left: "left",
    Keys.Right: "right",
    Keys.Up: "up",
    Keys.Down: "down",
    Keys.Home: "home",
    Keys.End: "end",
    Keys.PageUp: "pageup",
    Keys.PageDown: "pagedown",
    Keys.Tab: "tab",
    Keys.BackTab: "s-tab",
    Keys.Enter: "enter",
    Keys.ControlJ: "enter",
    Keys.Escape: "escape",
    Keys.Backspace: "backspace",
    Keys.Delete: "delete",
    Keys.F1: "f1",
    Keys.ControlA: "c-a",
    Keys.ControlB: "c-b",
    Keys.ControlE: "c-e",
    Keys.ControlF: "c-f",
    Keys.ControlK: "c-k",
    Keys.ControlU: "c-u",
    Keys.ControlW: "c-w",
}


def key_bindings(press: Callable[[str], None], paste: Callable[[str], None]) -> KeyBindings:
    """Every key goes to `press` by its name. Those of the program itself are done here."""
    bound = KeyBindings()

    def handle(name: str) -> "Callable[[KeyPressEvent], NotImplementedOrNone]":
        def handler(event: KeyPressEvent) -> "NotImplementedOrNone":
            press(name or event.data)
            return NotImplemented  # or prompt_toolkit would draw again in any case

        return handler

    for key, name in KEYS.items():
        bound.add(key, eager=True)(handle(name))
    bound.add(Keys.Any)(handle(""))  # not eager: clicks and answers of the terminal are no keys

    @bound.add(Keys.BracketedPaste, eager=True)
    def _(event: KeyPressEvent) -> "NotImplementedOrNone":
        paste(event.data)
        return NotImplemented

    @bound.add(Keys.ControlC, eager=True)
    def _(event: KeyPressEvent) -> "NotImplementedOrNone":
        del event
        signal.raise_signal(signal.SIGINT)  # in raw mode it is but a key
        return NotImplemented

    @bound.add(Keys.ControlL, eager=True)
    def _(event: KeyPressEvent) -> None:
        event.app.renderer.clear()

    @bound.add(Keys.ControlZ, eager=True)
    def _(event: KeyPressEvent) -> None:
        event.app.suspend_to_background()

    return bound


class Terminal:
    """The application of prompt_toolkit round a `StageMode`."""

    def __init__(
        self,
        link: Link,
        opening: Opening | None = None,
        look: Look | None = None,
        keeper: HandKeeper | None = None,
        *,
        source: Input | None = None,
        output: Output | None = None,
    ) -> None:
        look = look or Look()
        self._token = trio.lowlevel.current_trio_token()
        self._has_bell = look.bell
        theme = theme_for(look.theme)
        self._has_colour = theme.has_colour
        self._title = ""
        self.mode = StageMode(
            link,
            opening,
            keeper=keeper,
            on_change=self._changed,
            on_ring=self._ring,
            glyphs=ASCII if look.ascii else UNICODE,
        )
        self.mode.stage.has_mouse = look.mouse
        picture = Picture(self.mode, theme, lambda what: self._soon(self.mode.touch, what))
        self.application: Application[None] = Application(
            layout=Layout(picture, focused_element=picture.window),
            key_bindings=key_bindings(
                lambda key: self._soon(self.mode.press, key),
                lambda pasted: self._soon(self.mode.paste, pasted),
            ),
            mouse_support=Condition(lambda: self.mode.stage.has_mouse),
            full_screen=True,
            erase_when_done=True,
            color_depth=self._color_depth,
            min_redraw_interval=1 / REDRAWS_PER_SECOND,
            terminal_size_polling_interval=None,  # its change comes as a signal
            input=source,
            output=output,
        )
        self.application.ttimeoutlen = ESCAPE_SECONDS

    def _color_depth(self) -> ColorDepth:
        """That of the terminal, from 256 colours on; hues mapped to sixteen may not be read."""
        depth = self.application.output.get_default_color_depth()
        is_rich = depth in (ColorDepth.DEPTH_8_BIT, ColorDepth.DEPTH_24_BIT)
        return depth if self._has_colour and is_rich else ColorDepth.DEPTH_1_BIT

    async def run(self) -> None:
        """Show the screen until the person stops. Raises `LinkError` when the link ends."""
        failure: Exception | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._show, nursery.cancel_scope)
            try:
                await self.mode.run()
            except Exception as error:  # noqa: BLE001 - raised again below, outside of the nursery
                failure = error
            nursery.cancel_scope.cancel()
        if self._title:
            self._show_title("")
        if failure is not None:
            raise failure

    async def _show(self, scope: trio.CancelScope) -> None:
        await show(self.application)
        scope.cancel()  # it has ended by itself: the terminal is gone

    def _soon(self, deed: Callable[[str], None], what: str) -> None:
        """Do it in trio: keys and clicks come from the other loop."""
        self._token.run_sync_soon(deed, what)

    def _changed(self) -> None:
        if self._title and not self.mode.model.is_my_turn:
            self._show_title("")
        self.application.invalidate()

    def _ring(self) -> None:
        if self._has_bell:
            table = self.mode.model.table
            name = clean(table.name) if table is not None else ""
            self.application.output.bell()
            self._show_title(text("Your turn: {table}", table=name))

    def _show_title(self, title: str) -> None:
        self._title = title
        with contextlib.suppress(OSError):  # a terminal that is gone has no title
            self.application.output.set_title(title)
            self.application.output.flush()


async def run_screen(link: Link, opening: Opening, look: Look) -> int:
    """The full screen on this terminal; the exit code. Raises `LinkError` when the link ends."""
    keeper = HandKeeper(opening.hands)
    if opening.keeps_seat and opening.hands is None:
        keeper = HandKeeper.of_user(str(link.address), link.hello.name)
    terminal = Terminal(link, opening, look, keeper)
    await terminal.run()
    _print(terminal.mode.parting)
    return DONE


def _print(lines: Iterable[str]) -> None:
    with contextlib.suppress(OSError):  # nobody is there to read it
        os.write(STDOUT, "".join(f"{clean(line)}\n" for line in lines).encode())
