"""Line mode: events as sentences, entries as lines, no cursor movement.

The equal client for screen readers, pipes and dumb terminals. It prints a prompt on a terminal
only. When standard input ends it stops as `quit` does; lines from a pipe are taken one after the
other, each when the one before has been answered; `quit` waits for nothing. Quitting leaves a
table that has not started; in a running game the seat is kept.
"""

import os
from collections.abc import Callable, Sequence

import trio
from mexican_train.protocol import AnyServerMessage, TableInfo, TableNews

from .clean import clean, width, wrapped
from .discovery import FindServers, find_servers
from .entries import Topic, is_quit
from .link import Link, LinkError
from .model import Model
from .person import Change, Opening, Person, message_lines
from .render import (
    COLUMNS,
    choice_lines,
    events_lines,
    hand_lines,
    help_lines,
    lobby_lines,
    log_lines,
    model_card_lines,
    news_lines,
    position_lines,
    scores_lines,
    table_lines,
    turn_lines,
    turn_sentence,
)

DONE, FAILED = 0, 1
ANSWER_SECONDS = 10.0
"""How long the next line of a pipe waits for the answer to the last one."""
LINE_BYTES_MAX = 4096
"""What is kept of a line: more than an entry may have, so that one that was cut is refused."""
LINES_WAITING_MAX = 1


class Paper:
    """Where lines go. `write` takes text; with `is_terminal` there are a prompt and a bell."""

    def __init__(self, write: Callable[[str], None], *, is_terminal: bool) -> None:
        self._write = write
        self.is_terminal = is_terminal
        self._has_prompt = False

    def print(self, lines: Sequence[str]) -> None:
        """Print whole lines; a prompt that stands there is left behind."""
        if lines:
            start = "\n" if self._has_prompt else ""
            self._has_prompt = False
            self._write(start + "".join(f"{clean(line).rstrip()}\n" for line in lines))

    def ask(self) -> None:
        """Print the prompt, unless it stands there already."""
        if self.is_terminal and not self._has_prompt:
            self._has_prompt = True
            self._write("> ")

    def note_line_end(self) -> None:
        """A line was typed: the terminal has gone to the next line by itself."""
        self._has_prompt = False

    def end(self) -> None:
        """Leave the last line whole: a prompt that stands there gets its line end."""
        if self._has_prompt:
            self._has_prompt = False
            self._write("\n")

    def ring(self) -> None:
        """Ring the terminal's bell."""
        if self.is_terminal:
            self._write("\a")


class PlainMode:
    """A person in line mode at an open link: the face of a `Person` on paper."""

    def __init__(
        self,
        link: Link,
        lines: trio.MemoryReceiveChannel[str],
        paper: Paper,
        opening: Opening | None = None,
        find: FindServers = find_servers,
    ) -> None:
        self._person = Person(link, self, opening, find)
        self.model = self._person.model
        self._link = link
        self._lines = lines
        self._paper = paper
        self._shown_turn: object = None
        self._answer_seconds = ANSWER_SECONDS

    async def run(self) -> int:
        """Play until the person stops or the link ends; the exit code."""
        self._person.open()
        self._paper.ask()
        exit_code = DONE
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_lines, nursery.cancel_scope)
            nursery.start_soon(self._person.look_for_servers)
            try:
                while True:
                    self._person.take(await self._link.receive())
                    if self._awaits_person():
                        self._paper.ask()
            except LinkError as error:
                self._person.say(error.text)
                exit_code = FAILED
            nursery.cancel_scope.cancel()
        return exit_code

    def _awaits_person(self) -> bool:
        """Whether a prompt belongs here: not between the moves of the others."""
        model = self.model
        is_free = not model.is_playing or model.is_my_turn or bool(model.offers)
        return self._person.is_cut or is_free

    async def _read_lines(self, scope: trio.CancelScope) -> None:
        async for line in self._lines:
            if not self._paper.is_terminal and not is_quit(line):
                is_answered = await self._person.until_answered(self._answer_seconds)
                self._answer_seconds = ANSWER_SECONDS if is_answered else 0.0
                await self._person.until_found()
            self._paper.note_line_end()
            if not self._person.enter(line):
                break
            self._paper.ask()
        else:
            await self._person.until_found()
        await self._person.part()
        scope.cancel()

    # --- what is shown --------------------------------------------------------------------

    def say(self, lines: Sequence[str]) -> None:
        """Print them."""
        self._paper.print(lines)

    def show(self, topic: Topic) -> None:
        """Print what was asked for; with a position who is away, too."""
        self._paper.print(_SHOWN[topic](self.model))
        if topic in ("table", "turn"):
            for sentence in self._person.presence():
                self._person.say(sentence)

    def changed(self, change: Change) -> None:
        """Print what happened, then whose turn it is and what can be done."""
        lines = events_lines(change.events, self.model)
        if change.is_first and not change.events:
            lines += position_lines(self.model)
        self._paper.print(self._note_turn(lines, change.before))

    def seated(self, before: TableInfo | None, news: TableNews) -> None:
        """Print what has changed at the table."""
        self._paper.print(news_lines(before, news, self.model))

    def listed(self) -> None:
        """Print the list of tables."""
        self._paper.print(lobby_lines(self.model))

    def told(self, message: AnyServerMessage) -> None:
        """Print it."""
        self._paper.print(message_lines(message, self.model))

    def found(self, lines: Sequence[str]) -> None:
        """Print them as they are, so that they can be copied."""
        self._paper.print(lines)
        if self._awaits_person():
            self._paper.ask()

    def forget_shown(self) -> None:
        """The next update shows the whole turn again."""
        self._shown_turn = None

    def ring(self) -> None:
        """Ring the bell."""
        self._paper.ring()

    def _note_turn(self, lines: list[str], before: int | None) -> list[str]:
        """Note what is shown of the turn; `lines` with whose turn it is and what can be done."""
        model = self.model
        offers = model.offers
        turn = (model.update.turn if model.update is not None else 0, offers)
        is_new = turn != self._shown_turn
        self._shown_turn = turn
        if model.is_my_turn:
            return [*lines, *turn_lines(model)] if is_new else lines
        sentence = turn_sentence(model)
        if sentence is not None and before != model.to_act:
            lines = _appended(lines, sentence)
        return [*lines, *choice_lines(model)] if is_new and offers else lines


def _appended(lines: list[str], sentence: str) -> list[str]:
    """`sentence` at the end of the last line if it fits there, otherwise on its own."""
    if lines and width(lines[-1]) + 1 + width(sentence) <= COLUMNS:
        return [*lines[:-1], f"{lines[-1]} {sentence}"]
    return [*lines, *wrapped(sentence, COLUMNS)]


_SHOWN: dict[Topic, Callable[[Model], list[str]]] = {
    "hand": hand_lines,
    "table": table_lines,
    "scores": scores_lines,
    "log": log_lines,
    "help": help_lines,
    "turn": turn_lines,
    "card": model_card_lines,
}


# --- the real terminal --------------------------------------------------------------------


async def read_lines(descriptor: int, lines: trio.MemorySendChannel[str]) -> None:
    """Send each line of a terminal, pipe or file to `lines`; close it when the input ends.

    Of a line longer than `LINE_BYTES_MAX` the rest is dropped as it is read.

    Nothing is read once it is cancelled: what is typed then is for whoever asks next.
    """
    rest = b""
    can_wait = True
    async with lines:
        while True:
            try:
                can_wait = can_wait and await _is_readable(descriptor)
                read = _read if can_wait else _read_in_thread
                chunk = await read(descriptor)
            except OSError:  # the terminal is gone
                chunk = b""
            if not chunk:
                break
            *whole, rest = (rest + chunk).split(b"\n")
            rest = rest[:LINE_BYTES_MAX]
            for line in whole:
                await lines.send(_line_text(line))
        if rest:
            await lines.send(_line_text(rest))


async def _is_readable(descriptor: int) -> bool:
    """Wait until there is something to read; false where that cannot be waited for, as in files."""
    try:
        await trio.lowlevel.wait_readable(descriptor)
    except OSError:
        return False
    return True


async def _read(descriptor: int) -> bytes:
    return os.read(descriptor, LINE_BYTES_MAX)


async def _read_in_thread(descriptor: int) -> bytes:
    """A bare `os.read`: a buffered reader left behind would hold its lock at the shutdown."""
    return await trio.to_thread.run_sync(
        os.read, descriptor, LINE_BYTES_MAX, abandon_on_cancel=True
    )


def _line_text(line: bytes) -> str:
    return line[:LINE_BYTES_MAX].decode("utf-8", "replace")


async def run_plain(link: Link, *, opening: Opening | None = None) -> int:
    """Line mode on standard input and output; the exit code."""
    stdin, stdout = 0, 1
    paper = Paper(_writer(stdout), is_terminal=os.isatty(stdin) and os.isatty(stdout))
    sender, receiver = trio.open_memory_channel[str](LINES_WAITING_MAX)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(read_lines, stdin, sender)
            exit_code = await PlainMode(link, receiver, paper, opening).run()
            nursery.cancel_scope.cancel()
    finally:
        paper.end()
    return exit_code


def _writer(descriptor: int) -> Callable[[str], None]:
    """Writes text at once; what nobody reads any more is dropped."""

    def write(written: str) -> None:
        left = memoryview(written.encode("utf-8", "replace"))
        try:
            while left:
                left = left[os.write(descriptor, left) :]
        except BrokenPipeError:
            return

    return write
