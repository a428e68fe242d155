"""Line mode as a person meets it: lines in, lines out, a scripted server behind."""

import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import trio
from mexican_train.client.address import Address
from mexican_train.client.discovery import FindServers, FoundServer, find_servers
from mexican_train.client.link import hello_for, open_link
from mexican_train.client.person import Opening
from mexican_train.client.plain import (
    ANSWER_SECONDS,
    LINE_BYTES_MAX,
    Paper,
    PlainMode,
    read_lines,
)
from mexican_train.protocol import (
    AskHint,
    AskRecord,
    AskRules,
    Card,
    CardLine,
    CreateTable,
    Draw,
    GameOver,
    Hint,
    JoinTable,
    Knocked,
    LeaveTable,
    ListTables,
    Ok,
    Passed,
    Play,
    Reason,
    Reasons,
    RecordPart,
    RulesInfo,
    Said,
    Say,
    TableLeft,
    Tables,
    TileLaid,
    Why,
    declined,
    goodbye,
)

from .peers import (
    HERE,
    Peer,
    ScriptedServer,
    plays,
    seat_info,
    table_info,
    table_news,
    update,
    view,
)

HELLO = (
    "Connected to the den at server.test:12012 as Me.",
    "Type help to see what you can type.",
)
HEAD = "\n".join(HELLO)
SEATS = [seat_info(0, "Me"), seat_info(1, "Ann")]
LONGEST = b"a" * LINE_BYTES_MAX
NO_TABLE = "There is no table yet. Type create NAME to open one."


class Person:
    """What a person types, what stands on the paper, and the server's side of it."""

    def __init__(self, server: ScriptedServer, lines: trio.MemorySendChannel[str]) -> None:
        self.server = server
        self.peer: Peer
        self.paper = ""
        self._lines = lines
        self._read = 0
        self._written = trio.Event()

    def write(self, text: str) -> None:
        self.paper += text
        self._written.set()
        self._written = trio.Event()

    async def until(self, text: str) -> None:
        """`text` stands on the paper."""
        while text not in self.paper:
            await self._written.wait()

    async def types(self, line: str) -> None:
        await self._lines.send(line)

    def ends_input(self) -> None:
        self._lines.close()

    async def reads(self, *lines: str) -> None:
        """The next lines on the paper are these."""
        for line in lines:
            while "\n" not in self.paper[self._read :]:
                await self._written.wait()
            end = self.paper.index("\n", self._read)
            assert self.paper[self._read : end] == line
            self._read = end + 1

    async def sends(self, command: object) -> None:
        """The next message to the server is this."""
        assert await self.peer.receive() == command


Script = Callable[[Person], Awaitable[None]]


async def session(
    script: Script,
    *,
    opening: Opening | None = None,
    is_terminal: bool = False,
    table: str | None = None,
    find: FindServers = find_servers,
) -> tuple[int, str]:
    """Run line mode against `script`; the exit code and all that was written."""
    server = ScriptedServer()
    sender, receiver = trio.open_memory_channel[str](1)
    person = Person(server, sender)
    exit_code = -1

    async def serve() -> None:
        person.peer = await server.accept()
        await person.peer.greet(table=table)
        await script(person)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        async with open_link(HERE, hello_for("Me"), open_stream=server.open_stream) as link:
            paper = Paper(person.write, is_terminal=is_terminal)
            exit_code = await PlainMode(link, receiver, paper, opening, find).run()
        sender.close()
    return exit_code, person.paper


async def in_lobby(person: Person, *tables: str) -> None:
    await person.reads(*HELLO)
    await person.sends(ListTables(id=1))
    listed = [table_info(name, SEATS) for name in tables]
    await person.peer.send(Tables(answers=1, tables=listed, page=0, pages=1))


# --- the lobby ------------------------------------------------------------------------------


async def test_it_opens_in_the_lobby_and_quits() -> None:
    async def script(person: Person) -> None:
        await in_lobby(person)
        await person.reads(NO_TABLE)
        await person.types("quit")

    exit_code, paper = await session(script)
    assert exit_code == 0
    assert paper == f"{HEAD}\n{NO_TABLE}\n"


async def test_the_end_of_input_quits() -> None:
    """A pipe that has run out ends the program once its last command is answered."""

    async def script(person: Person) -> None:
        await in_lobby(person)
        await person.types("say bye")
        await person.sends(Say(id=2, text="bye"))
        person.ends_input()
        await trio.testing.wait_all_tasks_blocked()
        await person.peer.send(declined(2, "chat_limit"))

    exit_code, paper = await session(script)
    assert exit_code == 0
    assert paper.endswith("Too much chat; wait a moment.\n")


async def test_lines_of_a_pipe_wait_for_their_answers() -> None:
    """`join 1` is read against the list that `tables` has brought."""

    async def script(person: Person) -> None:
        await in_lobby(person)
        await person.types("tables")
        await person.types("join 1")
        await person.sends(ListTables(id=2))
        await person.peer.send(Tables(answers=2, tables=[table_info("den")], page=0, pages=1))
        await person.sends(JoinTable(id=3, table="den"))
        await person.peer.send(table_news(answers=3, seats=SEATS, name="den"))
        person.ends_input()
        await person.sends(LeaveTable(id=4))
        await person.peer.send(Ok(answers=4))

    exit_code, _ = await session(script)
    assert exit_code == 0


async def test_a_longer_list_is_read_to_its_end() -> None:
    async def script(person: Person) -> None:
        await person.sends(ListTables(id=1))
        await person.peer.send(Tables(answers=1, tables=[table_info("a")], page=0, pages=2))
        await person.sends(ListTables(id=2, page=1))
        await person.peer.send(Tables(answers=2, tables=[table_info("b")], page=1, pages=2))
        await person.reads(*HELLO, "Tables:")
        await person.reads("  1  a: 2 free seats; nobody yet; rules classic")
        await person.reads("  2  b: 2 free seats; nobody yet; rules classic")
        person.ends_input()

    await session(script)


async def test_servers_on_the_network_are_listed() -> None:
    """Also in a pipe, where the next line waits for them."""

    async def find() -> Sequence[FoundServer]:
        await trio.lowlevel.checkpoint()
        return [FoundServer("the den", Address("192.0.2.7"))]

    async def script(person: Person) -> None:
        await in_lobby(person)
        await person.reads(NO_TABLE)
        await person.types("servers")
        await person.types("say there")
        await person.sends(Say(id=2, text="there"))
        await person.reads(
            "Looking for servers on this network…",
            "1 server was found on this network. To go there, type quit and then:",
            "  mt-client 192.0.2.7:12012  the den",
        )
        await person.peer.send(Ok(answers=2))
        person.ends_input()

    assert (await session(script, find=find))[0] == 0


async def test_it_can_open_at_a_table() -> None:
    create = CreateTable(id=0, name="den", options=["set.max_pip=9"])

    async def script(person: Person) -> None:
        await person.sends(CreateTable(id=1, name="den", options=["set.max_pip=9"]))
        await person.peer.send(table_news(answers=1, seats=SEATS, name="den"))
        await person.reads(*HELLO, "You sit at den, seat 0.", "Table den, rules classic.")
        await person.types("quit")
        await person.sends(LeaveTable(id=2))
        await person.peer.send(Ok(answers=2))

    await session(script, opening=Opening(create))


async def test_a_line_that_means_nothing() -> None:
    async def script(person: Person) -> None:
        await in_lobby(person)
        await person.types("tabels")
        await person.reads(NO_TABLE, "'tabels' means nothing here. Did you mean tables?")
        await person.types("quit")

    await session(script)


# --- a game ---------------------------------------------------------------------------------


async def test_a_turn() -> None:
    """What happened comes first, then the position; a number plays; the rest is told as it is."""

    async def script(person: Person) -> None:
        await person.reads(*HELLO, "You are back at t.")
        await person.peer.send(table_news(seats=SEATS, state="playing"))
        await person.reads("You sit at t, seat 0.", "Table t, rules classic.")
        await person.reads("  seat 0: Me", "  seat 1: Ann")
        passed = Passed(n=1, seat=2)
        await person.peer.send(update([passed], plays("12-7>p0", "draw"), turn=3))
        await person.reads(
            "Bob passes.",
            "Your turn.",
            "No train is open to everybody.",
            "Your hand (3 tiles, 52 pips; * can be played):",
            "  12-7*  12-3  9-9",
            "You can:",
            "  1  12-7 on your train",
            "  2  draw a tile",
        )
        await person.types("2")
        await person.sends(Draw(id=1, turn=3))
        await person.peer.send(declined(1, "must_play", option="turn.must_play"))
        await person.reads("You hold a tile that fits, so you must play. (rule: turn.must_play)")
        await person.types("12 7")
        await person.sends(Play(id=2, turn=3, tile=(12, 7), train="p0"))
        laid = TileLaid(n=2, seat=0, tile=(12, 7), train="p0")
        await person.peer.send(update([laid], answers=2, turn=4, on=view(to_act=1)))
        await person.reads("You play 12-7 on your train. Ann's turn.")
        await person.types("quit")
        await person.reads("Your seat at t is kept: come back under the same name, Me.")

    exit_code, _ = await session(script, table="t")
    assert exit_code == 0


async def test_a_hint_and_a_reason_are_printed() -> None:
    """A line each, whole sentences."""

    async def script(person: Person) -> None:
        await person.peer.send(update(choices=plays("12-7>p0", "draw"), turn=3))
        await person.until("draw a tile\n")
        await person.types("hint")
        await person.sends(AskHint(id=1))
        (choice, _) = plays("12-7>p0", "draw")
        params: dict[str, Any] = {"kept": "7-3"}
        await person.peer.send(
            Hint(answers=1, turn=3, choice=choice, code="plan", params=params, text="…")
        )
        await person.until(
            "Play 12-7 on your train: it goes on with your train and keeps 7-3 for later.\n"
            "Type 1 to do so.\n"
        )
        await person.types("why 9-9 me")
        await person.sends(Why(id=2, tile=(9, 9), train="p0"))
        params = {"tile": "9-9", "train": "p0", "end": 12}
        reason = Reason(
            do="play",
            tile=(9, 9),
            train="p0",
            code="does_not_fit",
            option=None,
            params=params,
            text="…",
        )
        await person.peer.send(Reasons(answers=2, reasons=[reason]))
        await person.until("\n9-9 does not fit your train, which ends in 12.\n")
        await person.types("quit")

    exit_code, _ = await session(script, table="t")
    assert exit_code == 0


async def test_the_same_turn_is_told_once() -> None:
    """A repeated update, as after `resync`, prints nothing anew; an older one is passed over."""

    async def script(person: Person) -> None:
        await person.peer.send(update(choices=plays("draw"), turn=3, last_event=5))
        await person.peer.send(update(choices=plays("draw"), turn=3, last_event=5))
        await person.peer.send(update([Passed(n=4, seat=1)], turn=2))
        await person.peer.send(Said(name="Ann", text="done"))
        while "Ann says: done" not in person.paper:
            await person._written.wait()
        await person.types("quit")

    _, paper = await session(script, table="t")
    assert paper.count("Your turn.") == 1
    assert paper.count("You can:") == 1
    assert "passes" not in paper


async def test_the_bell_rings_once_when_it_becomes_your_turn() -> None:
    """Not for another's turn, a second tile, a repeated update or a knock in between."""
    told = [
        update([Passed(n=1, seat=2)], on=view(to_act=1), turn=1),
        update([Passed(n=2, seat=1)], plays("draw"), turn=2),
        update(choices=plays("draw"), turn=2, last_event=2),
        update([Knocked(n=3, seat=2)], plays("draw"), turn=2),
        update([TileLaid(n=4, seat=0, tile=(9, 9), train="p0")], plays("draw"), turn=3),
        update([Passed(n=5, seat=0)], on=view(to_act=1), turn=4),
    ]
    back = update(
        [Passed(n=6, seat=1), Passed(n=7, seat=2), Passed(n=8, seat=0), Passed(n=9, seat=1)],
        plays("draw"),
        turn=9,
    )

    async def script(person: Person) -> None:
        await person.peer.send(*told, Said(name="Ann", text="one"))
        await person.until("Ann says: one")
        assert person.paper.count("\a") == 1
        await person.peer.send(back, Said(name="Ann", text="two"))
        await person.until("Ann says: two")
        await person.types("quit")

    _, paper = await session(script, table="t", is_terminal=True)
    assert paper.count("\a") == 2


async def test_a_lap_that_was_missed_rings_again() -> None:
    """It is this seat's turn before and after, but not the same one."""

    async def script(person: Person) -> None:
        await person.peer.send(update([Passed(n=1, seat=2)], plays("draw"), turn=1))
        lap = [Passed(n=2, seat=0), Passed(n=3, seat=1), Passed(n=4, seat=2)]
        await person.peer.send(update(lap, plays("draw"), turn=4))
        await person.peer.send(Said(name="Ann", text="done"))
        await person.until("Ann says: done")
        await person.types("quit")

    _, paper = await session(script, table="t", is_terminal=True)
    assert paper.count("\a") == 2


async def test_after_the_game_one_may_go_on_elsewhere() -> None:
    """`join` leaves the finished table first, without a stop in the lobby."""

    async def script(person: Person) -> None:
        await person.peer.send(table_news(seats=SEATS, state="over"))
        ended = GameOver(n=9, totals=[1, 3, 2], places=[1, 3, 2])
        await person.peer.send(update([ended], on=view(phase="over", to_act=None)))
        await person.reads(*HELLO, "You are back at t.", "You sit at t, seat 0.")
        await person.reads("Table t, rules classic.", "  seat 0: Me", "  seat 1: Ann")
        await person.reads("The game is over. You win.", "Final ranking:")
        await person.reads("   1.  You  1 point", "   2.  Bob  2 points", "   3.  Ann  3 points")
        await person.types("join other")
        await person.sends(LeaveTable(id=1))
        await person.sends(JoinTable(id=2, table="other"))
        await person.peer.send(Ok(answers=1), table_news(answers=2, name="other"))
        await person.reads("You sit at other, seat 0.")
        await person.types("leave")
        await person.sends(LeaveTable(id=3))
        await person.peer.send(Ok(answers=3))
        await person.sends(ListTables(id=4))
        person.ends_input()
        await person.peer.send(Tables(answers=4, tables=[], page=0, pages=1))

    exit_code, paper = await session(script, table="t")
    assert exit_code == 0
    assert paper.endswith(f"You are in the lobby.\n{NO_TABLE}\n")


async def test_the_record_is_saved_and_its_place_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    async def script(person: Person) -> None:
        await person.peer.send(table_news(seats=SEATS, state="over"))
        await person.reads(*HELLO, "You are back at t.", "You sit at t, seat 0.")
        await person.types("record")
        for part, text in enumerate(("one ", "two")):
            await person.sends(AskRecord(id=part + 1, table="t", part=part))
            await person.peer.send(
                RecordPart(answers=part + 1, table="t", part=part, parts=2, text=text)
            )
        person.ends_input()
        await person.sends(LeaveTable(id=3))
        await person.peer.send(Ok(answers=3))

    exit_code, paper = await session(script, table="t")
    assert exit_code == 0
    (saved,) = (tmp_path / "mexican-train" / "games").iterdir()
    assert saved.read_text() == "one two"
    assert f"The record is saved in {saved}\n" in paper


async def test_sent_away() -> None:
    async def script(person: Person) -> None:
        await person.peer.send(table_news(seats=SEATS))
        await person.peer.send(TableLeft(table="t", code="kicked", text="The host sent you away."))
        await person.sends(ListTables(id=1))
        await person.peer.send(Tables(answers=1, tables=[], page=0, pages=1))
        person.ends_input()

    _, paper = await session(script, table="t")
    assert paper.endswith(f"The host sent you away.\nYou are in the lobby.\n{NO_TABLE}\n")


# --- the connection -------------------------------------------------------------------------


async def test_a_loss_and_the_way_back_are_told(autojump_clock: object) -> None:
    async def script(person: Person) -> None:
        await in_lobby(person)
        await person.reads(NO_TABLE)
        await person.peer.hang_up()
        await person.reads("The server has closed the connection. Trying to come back; quit stops.")
        await (await person.server.accept()).greet()
        await person.reads("Back at server.test:12012.")
        await person.types("quit")

    exit_code, _ = await session(script)
    assert exit_code == 0


async def test_after_the_server_has_stopped_the_prompt_is_of_use(autojump_clock: object) -> None:
    """What is known is shown, what is asked for waits, and quitting promises no seat."""

    async def script(person: Person) -> None:
        await person.peer.send(table_news(seats=SEATS, state="playing"))
        await person.peer.send(update(on=view(to_act=1, names=["Me", "Ann"]), last_event=3))
        await person.until("Ann's turn.")
        person.server.is_up = False
        await person.peer.send(goodbye("shutdown"))
        await person.until("The server has stopped. Trying to come back; quit stops.\n> ")
        await person.types("scores")
        await person.until("total   0      0\n> ")
        await person.types("say hi")
        await person.until("There is no connection now; this waits until there is one.\n> ")
        began = trio.current_time()
        await person.types("quit")
        await person.until("name, Me.\n")
        assert trio.current_time() - began < 1

    exit_code, paper = await session(script, table="t", is_terminal=True)
    assert exit_code == 0
    assert "is kept" not in paper
    assert paper.endswith(
        "If the server comes back with this game, look for your seat at t under the same\n"
        "name, Me.\n"
    )


async def test_quit_waits_for_no_answer_that_does_not_come(autojump_clock: object) -> None:
    """A server that is frozen holds a person at a pipe up for two seconds, and a bit."""

    async def script(person: Person) -> None:
        await in_lobby(person)
        await person.types("tables")
        await person.types("quit")

    exit_code, _ = await session(script)
    assert exit_code == 0
    assert trio.current_time() <= 3


async def test_a_pipe_waits_once_for_a_frozen_server(autojump_clock: object) -> None:
    """Once an answer has not come, the lines after it do not wait as long again."""

    async def script(person: Person) -> None:
        await in_lobby(person)
        for _ in range(6):
            await person.types("tables")
        person.ends_input()

    exit_code, _ = await session(script)
    assert exit_code == 0
    assert trio.current_time() <= ANSWER_SECONDS + 3


async def test_replaced_is_told_and_ends_with_code_1() -> None:
    async def script(person: Person) -> None:
        await in_lobby(person)
        await person.peer.send(goodbye("replaced"))

    exit_code, paper = await session(script)
    assert exit_code == 1
    assert paper.endswith("A newer connection has taken this player over.\n")


# --- paper ----------------------------------------------------------------------------------


async def test_a_prompt_on_a_terminal_only() -> None:
    """What arrives begins on a line of its own, and the prompt comes back after it."""

    async def script(person: Person) -> None:
        await in_lobby(person)
        await person.peer.send(Said(name="Ann", text="hi"))
        while not person.paper.endswith("hi\n> "):
            await person._written.wait()
        await person.types("quit")

    _, paper = await session(script, is_terminal=True)
    assert paper == f"{HEAD}\n> \n{NO_TABLE}\n> \nAnn says: hi\n> "


def test_nothing_moves_the_cursor() -> None:
    """Whatever a line holds: no escape, no return, no backspace; the bell only on a terminal."""
    written: list[str] = []
    paper = Paper(written.append, is_terminal=False)
    paper.print(["a\x1b[2Jb\rc\x08d", "\u202ee"])
    paper.ask()
    paper.ring()
    assert written == ["a[2Jb cd\ne\n"]


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([b"one\ntwo\n"], ["one", "two"]),
        ([b"o", b"ne\nt", b"wo"], ["one", "two"]),
        ([b"\n\nx"], ["", "", "x"]),
        (["日本\n".encode()[:2], "日本\n".encode()[2:]], ["日本"]),
        ([b"\xff\n"], ["\ufffd"]),
        ([LONGEST + b"\nquit\n"], [LONGEST.decode(), "quit"]),
        ([LONGEST + b"b" * 3000 + b"\nquit\n"], [LONGEST.decode(), "quit"]),
        ([LONGEST * 3, LONGEST + b"\nquit\n"], [LONGEST.decode(), "quit"]),
        ([LONGEST * 5], [LONGEST.decode()]),
        ([], []),
    ],
)
async def test_reading_a_pipe(chunks: Sequence[bytes], lines: list[str]) -> None:
    """Lines come whole, however they are cut, the last one also without an end."""
    ours, theirs = os.pipe()
    sender, receiver = trio.open_memory_channel[str](0)
    found: list[str] = []

    async def write() -> None:
        for chunk in chunks:
            await trio.to_thread.run_sync(os.write, theirs, chunk)
        os.close(theirs)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_lines, ours, sender)
        nursery.start_soon(write)
        async for line in receiver:
            found.append(line)  # noqa: PERF401 - the channel is read as it fills
    os.close(ours)
    assert found == lines


async def test_what_is_typed_after_the_end_is_left() -> None:
    """Who asks next gets it: nothing reads on behind a line that was enough."""
    ours, theirs = os.pipe()
    sender, receiver = trio.open_memory_channel[str](1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_lines, ours, sender)
        os.write(theirs, b"quit\n")
        assert await receiver.receive() == "quit"
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    os.write(theirs, b"2\n")
    assert await trio.to_thread.run_sync(os.read, ours, 10) == b"2\n"
    os.close(ours)
    os.close(theirs)


async def test_unusual_rules_are_shown_before_sitting_down(autojump_clock: object) -> None:
    """`join` asks for the card first where the rules differ from classic, and once only."""
    unusual = RulesInfo(name="bernie", hash="b1", changed=1)
    card = Card(
        answers=2,
        rules=unusual,
        lines=[CardLine(option="announce.mode", value="knock", differs=True, text="Knock.")],
    )

    async def script(person: Person) -> None:
        await person.reads(*HELLO)
        await person.sends(ListTables(id=1))
        listed = table_info("den", SEATS, rules=unusual)
        await person.peer.send(Tables(answers=1, tables=[listed], page=0, pages=1))
        await person.types("join 1")
        await person.sends(AskRules(id=2, table="den"))
        await person.sends(JoinTable(id=3, table="den"))
        await person.peer.send(card)
        news = table_news(answers=3, seats=SEATS, rules=unusual, name="den")
        await person.peer.send(news)
        await person.types("rules all")
        await person.types("quit")
        await person.peer.receive()
        await person.peer.send(Ok(answers=4))

    _, paper = await session(script)
    assert paper.index("What differs from classic:") < paper.index("You sit at den")
    assert paper.count("! announce.mode = knock: Knock.") == 2


async def test_rules_that_are_others_now_are_told(autojump_clock: object) -> None:
    """A table whose rule set has another hash than before says so, and shows the card."""

    async def script(person: Person) -> None:
        await in_lobby(person, "den")
        await person.types("join 1")
        await person.sends(JoinTable(id=2, table="den"))
        await person.peer.send(table_news(answers=2, seats=SEATS, name="den"))
        changed = RulesInfo(name="classic", hash="other", changed=0)
        await person.peer.send(table_news(seats=SEATS, rules=changed, name="den"))
        await person.sends(AskRules(id=3, table="den"))
        await person.peer.send(Card(answers=3, rules=changed, lines=[]))
        person.ends_input()
        await person.sends(LeaveTable(id=4))
        await person.peer.send(Ok(answers=4))

    _, paper = await session(script)
    assert "The rules of den are not those that you were told of." in paper
