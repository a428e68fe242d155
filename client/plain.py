"""Line mode: events as sentences, entries as lines, no cursor movement.

The equal client for screen readers, pipes and dumb terminals. It prints a prompt on a terminal
only. When standard input ends it stops as `quit` does; lines from a pipe are taken one after the
other, each when the one before has been answered; `quit` waits for nothing. Quitting leaves a
table that has not started; in a running game the seat is kept.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import trio
from mexican_train.protocol import (
    AnyCommand,
    AnyServerMessage,
    AskRules,
    Card,
    ClosingSoon,
    CreateTable,
    Declined,
    Hint,
    JoinTable,
    LeaveTable,
    ListTables,
    Nudged,
    Ok,
    Reasons,
    RecordPart,
    Said,
    SeatCode,
    TableInfo,
    TableLeft,
    TableNews,
    Tables,
    Update,
    WatchTable,
)

from .clean import clean, width, wrapped
from .discovery import FindServers, find_servers, found_lines
from .entries import Ask, EntryError, LookForServers, Quit, Show, Topic, is_quit, read_entry
from .hints import hint_sentences, reason_sentences, refusal_sentence
from .link import Arrival, Link, LinkError, LinkNotice
from .model import Model, MoveMade
from .presence import nudge_line, presence_lines, seat_code_lines
from .records import RecordReader, save_record
from .render import (
    COLUMNS,
    card_lines,
    choice_lines,
    events_lines,
    hand_lines,
    help_lines,
    lobby_lines,
    log_lines,
    model_card_lines,
    news_lines,
    position_lines,
    said_lines,
    scores_lines,
    table_lines,
    turn_lines,
    turn_sentence,
)
from .texts import text

DONE, FAILED = 0, 1
ANSWER_SECONDS = 10.0
"""How long the next line of a pipe waits for the answer to the last one."""
PARTING_SECONDS = 2.0
"""How long quitting waits for answers that are under way, and again for that to its own command."""
LAST_WORDS_SECONDS = 0.5
"""How long it waits at the last where nothing was answered: enough to get its command away."""
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


@dataclass(frozen=True, slots=True)
class Opening:
    """What to do first, in place of showing the lobby, and how to speak of coming back."""

    command: CreateTable | JoinTable | WatchTable | None = None
    keeps_seat: bool = True
    """Whether the same command line would find the seat again."""


class PlainMode:
    """A person in line mode at an open link."""

    def __init__(
        self,
        link: Link,
        lines: trio.MemoryReceiveChannel[str],
        paper: Paper,
        opening: Opening | None = None,
        find: FindServers = find_servers,
    ) -> None:
        self.model = Model()
        self._link = link
        self._lines = lines
        self._paper = paper
        self._opening = opening or Opening()
        self._find = find
        self._is_looking = False
        self._sent: dict[int, AnyCommand] = {}
        self._record = RecordReader()
        self._answered = trio.Event()
        self._shown_turn: object = None
        self._told_unproven = False
        self._is_parting = False
        self._is_cut = False
        self._news_at = 0.0
        self._answer_seconds = ANSWER_SECONDS
        self._rules_seen: dict[str, str] = {}
        """By table, the hash of the rules that this person has been told of."""

    async def run(self) -> int:
        """Play until the person stops or the link ends; the exit code."""
        self._open()
        exit_code = DONE
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_lines, nursery.cancel_scope)
            try:
                while True:
                    self.take(await self._link.receive())
                    if self._awaits_person():
                        self._paper.ask()
            except LinkError as error:
                self._say(error.text)
                exit_code = FAILED
            nursery.cancel_scope.cancel()
        return exit_code

    def _awaits_person(self) -> bool:
        """Whether a prompt belongs here: not between the moves of the others."""
        model = self.model
        return self._is_cut or not model.is_playing or model.is_my_turn or bool(model.offers)

    def _open(self) -> None:
        welcome = self._link.welcome
        self.model.take(welcome)
        self._say(
            f"Connected to {clean(welcome.server)} at {self._link.address} as "
            f"{clean(welcome.name)}."
        )
        self._say("Type help to see what you can type.")
        if welcome.table is not None:
            self._say(f"You are back at {clean(welcome.table)}.")
        elif self._opening.command is not None:
            self._send(self._opening.command)
        else:
            self._send(ListTables(id=0))
        self._paper.ask()

    # --- what is typed --------------------------------------------------------------------

    async def _read_lines(self, scope: trio.CancelScope) -> None:
        async for line in self._lines:
            if not self._paper.is_terminal and not is_quit(line):
                is_answered = await self._until_answered(self._answer_seconds)
                self._answer_seconds = ANSWER_SECONDS if is_answered else 0.0
            self._paper.note_line_end()
            if not self.enter(line):
                break
            if self._is_looking:
                await self._tell_servers()
            self._paper.ask()
        await self._part()
        scope.cancel()

    def enter(self, line: str) -> bool:
        """Do what a typed line asks for. False if the person wants to stop."""
        try:
            entry = read_entry(line, self.model)
        except EntryError as error:
            self._say(str(error))
            return True
        if isinstance(entry, Ask):
            self._do(entry.command)
        elif isinstance(entry, Show):
            self._paper.print(_SHOWN[entry.topic](self.model))
            if entry.topic in ("table", "turn"):
                self._tell_presence()
        self._is_looking = isinstance(entry, LookForServers)
        return not isinstance(entry, Quit)

    async def _tell_servers(self) -> None:
        """Look for servers on the local network and tell what came of it."""
        self._is_looking = False
        self._say(text("Looking for servers on this network…"))
        self._paper.print(found_lines(await self._find()))

    def _tell_presence(self) -> None:
        """Who is away by now, and what is done about it."""
        table = self.model.table
        if table is not None and table.state != "waiting":
            later_ms = round((trio.current_time() - self._news_at) * 1000)
            for sentence in presence_lines(table, later_ms):
                self._say(sentence)

    def _do(self, command: AnyCommand) -> None:
        """Send what was asked for; whoever goes on from a finished game leaves it first."""
        if _goes_on(command) and self.model.table is not None:
            self._send(LeaveTable(id=0))
        if isinstance(command, JoinTable | WatchTable):
            for table in self.model.tables:
                if table.name == command.table:
                    self._show_rules(table)
        self._send(command)

    def _show_rules(self, table: TableInfo) -> None:
        """Ask for the card of unusual rules, once, and tell of rules that are others now."""
        seen = self._rules_seen.get(table.name)
        self._rules_seen[table.name] = table.rules.hash
        if seen == table.rules.hash:
            return
        if seen is not None:
            self._say(f"The rules of {clean(table.name)} are not those that you were told of.")
        if table.rules.changed or seen is not None:
            self._send(AskRules(id=0, table=table.name))

    def _send(self, command: AnyCommand) -> None:
        try:
            number = self._link.send(command)
        except LinkError as error:
            self._say(error.text)
        else:
            self._sent[number] = command
            if self._is_cut and not self._is_parting:
                self._say("There is no connection now; this waits until there is one.")

    async def _until_answered(self, seconds: float) -> bool:
        """Wait for the answers that are still to come; whether they came in time."""
        with trio.move_on_after(seconds):
            while self._sent:
                self._answered = trio.Event()
                await self._answered.wait()
        return not self._sent

    async def _part(self) -> None:
        """Free a seat that no game needs, and let answers come in.

        Nothing is waited for, and nothing promised, without a connection.
        """
        self._is_parting = True
        is_answered = self._is_cut or await self._until_answered(PARTING_SECONDS)
        table = self.model.table
        is_idle = self.model.seat is None or (
            table is not None and table.state in ("waiting", "over") and not self.model.is_playing
        )
        if self._is_cut:
            if table is not None and not is_idle and self._opening.keeps_seat:
                self._say(
                    f"If the server comes back with this game, look for your seat at "
                    f"{clean(table.name)} under the same name, {clean(self.model.name)}."
                )
            return
        if table is not None and is_idle:
            self._send(LeaveTable(id=0))
        elif table is not None and self._opening.keeps_seat:
            self._say(
                f"Your seat at {clean(table.name)} is kept: come back under the same name, "
                f"{clean(self.model.name)}."
            )
        await self._until_answered(PARTING_SECONDS if is_answered else LAST_WORDS_SECONDS)

    # --- what comes in --------------------------------------------------------------------

    def take(self, arrival: Arrival) -> None:
        """Learn from a message or notice and print what it tells."""
        if isinstance(arrival, LinkNotice):
            self._take_notice(arrival)
            return
        answers: int = getattr(arrival, "answers", 0)
        command = self._sent.pop(answers, None)
        if isinstance(arrival, Update):
            self._take_update(arrival)
        elif isinstance(arrival, TableNews):
            before = self.model.table
            self._news_at = trio.current_time()
            self.model.take(arrival)
            self._paper.print(news_lines(before, arrival, self.model))
            self._show_rules(arrival.table)
        elif isinstance(arrival, Ok) and isinstance(command, LeaveTable):
            self._leave()
        elif isinstance(arrival, Tables):
            self._take_tables(arrival)
        elif isinstance(arrival, RecordPart):
            self._take_record(arrival)
        elif isinstance(arrival, TableLeft):
            self._say(arrival.text)
            self._leave()
        else:
            self.model.take(arrival)
            self._paper.print(_told(arrival, self.model))
            if isinstance(arrival, Nudged) and self.model.seat in arrival.seats:
                self._paper.ring()
        if answers:
            self._answered.set()

    def _take_notice(self, notice: LinkNotice) -> None:
        is_lost = notice.kind == "lost"
        self._is_cut = is_lost or (self._is_cut and notice.kind != "back")
        self._say(f"{notice.text} Trying to come back; quit stops." if is_lost else notice.text)
        if notice.kind == "back":
            was_at_table = self.model.table is not None
            self.model.take(self._link.welcome)
            self._shown_turn = None
            if was_at_table and self.model.table is None:
                self._say("You are in the lobby now.")

    def _take_update(self, update: Update) -> None:
        model = self.model
        if model.is_stale(update):
            return
        first = model.update is None
        before = model.to_act
        was_my_turn = model.is_my_turn
        events = model.new_events(update)
        model.take(update)
        lines = events_lines(events, model)
        if update.unproven and not self._told_unproven:
            self._told_unproven = True
            lines = ["This server deals from a fixed seed: a test or a demonstration.", *lines]
        if first and not events:
            lines += position_lines(model)
        others_acted = any(
            isinstance(event, MoveMade) and event.seat != model.seat for event in events
        )
        if model.is_my_turn and (others_acted or not was_my_turn):
            self._paper.ring()
        self._paper.print(self._note_turn(lines, before))

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

    def _take_tables(self, listed: Tables) -> None:
        self.model.take(listed)
        if listed.page + 1 < listed.pages:
            self._send(ListTables(id=0, page=listed.page + 1))
        else:
            self._paper.print(lobby_lines(self.model))

    def _take_record(self, part: RecordPart) -> None:
        """Ask for the next part, or save the whole."""
        whole = self._record.take(part)
        if not isinstance(whole, str):
            self._send(whole)
            return
        try:
            path = save_record(whole, part.table)
        except OSError as error:
            self._say(f"The record cannot be saved: {error.strerror}.")
        else:
            # whole, so that it can be copied: a path is not wrapped
            self._paper.print([f"The record is saved in {path}"])

    def _leave(self) -> None:
        self.model.leave()
        self._shown_turn = None
        self._told_unproven = False
        goes_on = any(
            isinstance(each, JoinTable | CreateTable | WatchTable) for each in self._sent.values()
        )
        if not goes_on and not self._is_parting:
            self._say("You are in the lobby.")
            self._send(ListTables(id=0))

    def _say(self, text: str) -> None:
        self._paper.print(wrapped(clean(text), COLUMNS))


def _goes_on(command: AnyCommand) -> bool:
    """Whether `command` leads to a table."""
    return isinstance(command, JoinTable | CreateTable | WatchTable)


def _told(message: AnyServerMessage, model: Model) -> list[str]:
    """The lines of a message that only tells something."""
    if isinstance(message, Said):
        return [] if message.name and message.name == model.name else said_lines(message)
    if isinstance(message, Declined):
        return wrapped(refusal_sentence(message, model), COLUMNS)
    if isinstance(message, Hint):
        return _lines(hint_sentences(message, model))
    if isinstance(message, Reasons):
        return _lines(reason_sentences(message.reasons, model))
    if isinstance(message, Card):
        return card_lines(message)
    if isinstance(message, Nudged):
        return wrapped(nudge_line(message, model), COLUMNS)
    if isinstance(message, SeatCode):
        return seat_code_lines(message)
    if isinstance(message, ClosingSoon):
        return [f"The server stops in {message.seconds} s."]
    return []


def _lines(sentences: Sequence[str]) -> list[str]:
    """Sentences, each from the start of a line."""
    return [line for each in sentences for line in wrapped(each, COLUMNS)]


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

    def write(text: str) -> None:
        left = memoryview(text.encode("utf-8", "replace"))
        try:
            while left:
                left = left[os.write(descriptor, left) :]
        except BrokenPipeError:
            return

    return write
