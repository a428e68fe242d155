"""Keys, entries and what is told, in front of a scripted server but without a terminal."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
import trio
from mexican_train.client.address import Address
from mexican_train.client.discovery import FindServers, FoundServer
from mexican_train.client.fragments import plain_text
from mexican_train.client.hand_order import HandKeeper
from mexican_train.client.keys import bindings, deed_of
from mexican_train.client.link import Link, LinkError, hello_for, open_link
from mexican_train.client.person import Opening
from mexican_train.client.plain import Paper, PlainMode
from mexican_train.client.stage_mode import StageMode
from mexican_train.client.texts import choose_language
from mexican_train.protocol import (
    AddBot,
    AnyClientMessage,
    AskHint,
    AskRules,
    Card,
    CardLine,
    Choice,
    Command,
    CreateTable,
    Done,
    Draw,
    Foul,
    Hint,
    JoinTable,
    Knock,
    LeaveTable,
    ListTables,
    MarkerSet,
    Nudged,
    Ok,
    OpenDouble,
    Parameter,
    Pass,
    Passed,
    Play,
    Ready,
    Reason,
    Reasons,
    RulesInfo,
    Said,
    Say,
    SeatVote,
    StartTable,
    Tables,
    Tile,
    TileLaid,
    Vote,
    WatchTable,
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
    train,
    update,
    view,
)
from .scenes import LONG_HAND, SCENES

SEATS = [seat_info(0, "Me"), seat_info(1, "Ann"), seat_info(2, "Bob")]
TRAINS = [train("p0", (12, 9)), train("p1", (12, 6)), train("p2", marked=True), train("m0", end=7)]
CHOICES = plays("12-7>p2", "12-7>m0", "9-9>p0")


class Seat:
    """Somebody at the keys, what is on the screen, and the server's side of it."""

    def __init__(self, mode: StageMode, server: ScriptedServer) -> None:
        self.mode = mode
        self.server = server
        self.peer: Peer
        self.rings = 0
        self.changed = trio.Event()

    def choice(self) -> tuple[Tile | None, str | None]:
        """The tile and the train that are selected."""
        return self.mode.stage.selected, self.mode.stage.target

    def shown(self, columns: int = 80, rows: int = 24) -> str:
        return "\n".join(map(plain_text, self.mode.paint(columns, rows)))

    async def sees(self, text: str) -> None:
        """`text` stands on the screen, now or soon."""
        while text not in self.shown():
            self.changed = trio.Event()
            await self.changed.wait()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.mode.press(key)

    def type(self, line: str) -> None:
        self.press(":", *line, "enter")

    async def sends(self, command: AnyClientMessage) -> None:
        """The next message to the server is this."""
        assert await self.peer.receive() == command


Script = Callable[[Seat], Awaitable[None]]


async def nobody_found() -> Sequence[FoundServer]:
    """What finds no server."""
    await trio.lowlevel.checkpoint()
    return []


async def session(
    script: Script,
    *,
    table: str | None = "t",
    opening: Opening | None = None,
    keeper: HandKeeper | None = None,
    find: FindServers = nobody_found,
) -> Seat:
    """Run a person at a stage until `script` ends."""
    server = ScriptedServer()
    async with trio.open_nursery() as nursery:
        greeted: list[Peer] = []

        async def serve() -> None:
            peer = await server.accept()
            await peer.greet(table=table)
            greeted.append(peer)

        nursery.start_soon(serve)
        async with open_link(HERE, hello_for("Me"), open_stream=server.open_stream) as link:
            seats: list[Seat] = []

            def on_change() -> None:
                seats[0].changed.set()

            def on_ring() -> None:
                seats[0].rings += 1

            mode = StageMode(
                link, opening, keeper=keeper, on_change=on_change, on_ring=on_ring, find=find
            )
            seat = Seat(mode, server)
            seats.append(seat)
            seat.peer = greeted[0]
            async with trio.open_nursery() as inner:
                inner.start_soon(mode.run)
                await script(seat)
                inner.cancel_scope.cancel()
    return seat


async def in_game(
    seat: Seat, choices: Sequence[Choice] = CHOICES, *, hints: bool = True, **fields: object
) -> None:
    """A game in which it is this seat's turn."""
    await seat.peer.send(table_news(seats=SEATS, state="playing", hints=hints))
    on = view(trains=TRAINS)
    await seat.peer.send(update([Passed(n=1, seat=2)], list(choices), on=on, turn=3, **fields))
    await seat.sees("YOUR TURN")


# --- playing --------------------------------------------------------------------------------


async def test_asked_whether_to_stop_the_keys_are_those_of_the_answer() -> None:
    """The last line offers nothing that would not be done."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        seat.press("q")
        assert seat.shown().splitlines()[-1].strip() == "q stop  Esc stay"
        seat.press("escape")
        assert "Tab playable" in seat.shown().splitlines()[-1]

    await session(script)


async def test_that_it_is_not_ones_turn_is_told_until_it_is() -> None:
    """What came too early is refused, and that does not stand beside YOUR TURN."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        await seat.peer.send(update([Passed(n=2, seat=0)], on=view(trains=TRAINS, to_act=1)))
        await seat.sees("Ann's turn")
        seat.type("12-7 me")
        seat.mode.stage.notice("The disk is full.")
        assert "It is not your turn: Ann is to play." in seat.shown()
        on = view(trains=TRAINS)
        await seat.peer.send(update([Passed(n=3, seat=2)], list(CHOICES), on=on, turn=4))
        await seat.sees("YOUR TURN")
        assert "not your turn" not in seat.shown()
        assert "The disk is full." in seat.shown()

    await session(script)


async def test_one_target_asks_nothing() -> None:
    """Tab selects a tile that can be played, Enter plays it, and nothing stays selected."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        seat.press("tab", "tab")
        assert "<9|9>" in seat.shown()
        assert "9-9 on your train: Enter plays it." in seat.shown()
        seat.press("enter")
        await seat.sends(Play(id=1, turn=3, tile=(9, 9), train="p0"))
        assert seat.choice() == (None, None)

    await session(script)


async def test_several_targets_are_chosen_among() -> None:
    """Up and down go through the targets alone; Enter offers one first and plays it then."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        seat.press("right", "down", "down", "down")
        assert seat.choice() == ((12, 7), "p2")
        seat.press("u")
        assert seat.choice() == ((12, 7), None)
        seat.press("enter")
        assert seat.choice() == ((12, 7), "m0")
        seat.press("enter")
        await seat.sends(Play(id=1, turn=3, tile=(12, 7), train="m0"))

    await session(script)


async def test_enter_twice_plays_no_second_tile() -> None:
    """Without a selection Enter only selects."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        seat.press("enter")
        assert seat.choice() == ((12, 7), None)
        seat.press("escape")
        assert seat.choice() == (None, None)
        seat.type("say hi")
        await seat.sends(Say(id=1, text="hi"))

    await session(script)


async def test_deeds_have_keys() -> None:
    """d, p, k and f do what is offered; with a knock to say k is no arrow."""
    offers = [*plays("draw"), Choice(do="knock"), Choice(do="foul", seat=1, event=7)]

    async def script(seat: Seat) -> None:
        await in_game(seat, offers)
        for words in ("d draw", "k knock", "f call a foul"):
            assert words in seat.shown()
        seat.press("d", "k", "f")
        await seat.sends(Draw(id=1, turn=3))
        await seat.sends(Knock(id=2))
        await seat.sends(Foul(id=3, seat=1, event=7))
        await seat.peer.send(update([], plays("done"), on=view(), turn=4, last_event=2))
        await seat.sees("p end the turn")
        seat.press("p")
        await seat.sends(Done(id=4, turn=4))
        await seat.peer.send(update([], plays("pass"), on=view(), turn=5, last_event=3))
        await seat.sees("p pass")
        seat.press("p", "k")
        await seat.sends(Pass(id=5, turn=5))
        assert seat.mode.stage.selected is not None  # k was an arrow

    await session(script)


async def test_a_digit_begins_a_tile() -> None:
    """It opens the entry line, which tells what Enter would do; a half-typed line stays."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        seat.press(*"9-9")
        assert seat.shown().endswith(": 9-9")
        assert "Enter plays 9-9 on your train." in seat.shown()
        await seat.peer.send(Said(name="Ann", text="hello"))
        await seat.sees("Ann says: hello")
        assert seat.shown().endswith(": 9-9")
        seat.press("enter")
        await seat.sends(Play(id=1, turn=3, tile=(9, 9), train="p0"))

    await session(script)


async def test_a_refusal_is_told_in_the_words_of_the_rule() -> None:
    async def script(seat: Seat) -> None:
        await in_game(seat)
        seat.press("d")
        await seat.peer.receive()
        await seat.peer.send(declined(1, "must_play", option="turn.must_play"))
        await seat.sees("You hold a tile that fits, so you must play. (rule: turn.must_play)")
        assert "[12|7]*" in seat.shown()
        seat.press("tab")  # moving on leaves it there
        assert "so you must play." in seat.shown()

    await session(script)


async def test_a_hint_tells_why_and_selects_the_move() -> None:
    """`H` asks; the answer is told with its reason, and Enter does it."""
    choice = CHOICES[1]
    why: dict[str, Parameter] = {"kept": "9-9"}
    advised = Hint(answers=1, turn=3, choice=choice, code="close", params=why, text="")

    async def script(seat: Seat) -> None:
        await in_game(seat)
        seat.press("H")
        await seat.sends(AskHint(id=1))
        await seat.peer.send(advised)
        await seat.sees("Play 12-7 on the Mexican Train: it closes your train and keeps 9-9")
        assert "12-7 on the Mexican Train: Enter plays it." in seat.shown()
        assert "Type " not in seat.shown()  # there is no numbered list here
        seat.press("enter")
        await seat.sends(Play(id=2, turn=3, tile=(12, 7), train="m0"))

    await session(script)


async def test_a_hint_selects_nothing_while_something_is_typed() -> None:
    """Nor what is no longer offered."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        seat.press("H", *"9-9")
        await seat.sends(AskHint(id=1))
        advised = Hint(answers=1, turn=3, choice=CHOICES[1], code="only", params={}, text="")
        await seat.peer.send(advised)
        await seat.sees("Play 12-7 on the Mexican Train")
        assert seat.choice() == (None, None)
        assert seat.shown().endswith(": 9-9")
        seat.press("escape", "H")
        await seat.sends(AskHint(id=2))
        gone = Hint(answers=2, turn=2, choice=plays("12-3>p1")[0], code="only", params={}, text="")
        await seat.peer.send(gone)
        await seat.sees("Play 12-3 on Ann's train")
        assert seat.choice() == (None, None)

    await session(script)


async def test_without_hints_there_is_no_key_for_them() -> None:
    async def script(seat: Seat) -> None:
        await in_game(seat, hints=False)
        seat.press("H", "?")
        assert "hint" not in seat.shown()
        seat.type("say hi")
        await seat.sends(Say(id=1, text="hi"))

    await session(script)


async def test_keys_speak_norwegian_to_the_entry_line() -> None:
    """What a key puts there is Norwegian, the entries that keys make are understood."""

    async def script(seat: Seat) -> None:
        await in_game(seat, [*plays("draw"), Choice(do="foul", seat=1), Choice(do="foul", seat=2)])
        choose_language("nb")
        seat.press("c")
        assert seat.shown().endswith(": si ")
        seat.press("escape", "f")
        assert seat.shown().endswith(": ta ")
        seat.press("escape", "d", "H", "right", "?")
        await seat.sends(Draw(id=1, turn=3))
        await seat.sends(AskHint(id=2))
        await seat.sends(Why(id=3, tile=(12, 7)))
        seat.type("regler")
        await seat.sends(AskRules(id=4, table="t"))
        line = CardLine(option="announce.mode", value="knock", differs=True, text="Knock.")
        await seat.peer.send(Card(answers=4, rules=BERNIE, lines=[line]))
        await seat.sees("announce.mode = knock")

    try:
        await session(script)
    finally:
        choose_language("en")


def unfit(train_name: str, number: int) -> Reason:
    params: dict[str, Parameter] = {"tile": "12-3", "train": train_name, "end": number}
    return Reason(
        do="play",
        tile=(12, 3),
        train=train_name,
        code="does_not_fit",
        option="doubles.must_cover",
        params=params,
        text="",
    )


async def test_why_is_asked_of_what_is_selected() -> None:
    """Of a tile that fits nowhere all trains, with a train looked at that one; else it is help."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        seat.press("right", "right", "?")
        await seat.sends(Why(id=1, tile=(12, 3)))
        await seat.peer.send(Reasons(answers=1, reasons=[unfit("p0", 9), unfit("m0", 7)]))
        await seat.sees("12-3 does not fit your train (end 9) or the Mexican Train (end 7).")
        assert seat.choice() == ((12, 3), None)
        seat.press("down", "down", "?")
        await seat.sends(Why(id=2, tile=(12, 3), train="p1"))
        await seat.peer.send(Reasons(answers=2, reasons=[unfit("p1", 6)]))
        await seat.sees(
            "12-3 does not fit Ann's train, which ends in 6. (rule: doubles.must_cover)"
        )
        assert "(end 7)" not in seat.shown()
        seat.press("right", "?")
        assert "Help" in seat.shown()

    await session(script)


@pytest.mark.parametrize(("columns", "rows"), [(40, 10), (40, 16), (60, 12), (80, 24), (160, 50)])
async def test_a_long_reason_covers_neither_hand_nor_owed_double(columns: int, rows: int) -> None:
    """It wraps, below the trains or on a page that is closed by Esc, and is told whole."""
    numbers = range(8)
    names = ["Me", *(f"Somebody-{number}" for number in numbers[1:])]
    owed = OpenDouble(train="p2", tile=(6, 6), seat=2, binding=True)

    async def script(seat: Seat) -> None:
        players = [seat_info(number, name) for number, name in enumerate(names)]
        await seat.peer.send(table_news(seats=players, state="playing", hints=True))
        on = view(
            names=names,
            hand_counts=[24] * 8,
            totals=[0] * 8,
            trains=[train(f"p{number}", (12, 6)) for number in numbers],
            open_doubles=[owed],
            awaited="cover",
        )
        await seat.peer.send(update([], plays("9-6>p2"), on=on, turn=3, hand=LONG_HAND))
        await seat.sees("YOUR TURN")
        seat.shown(columns, rows)
        seat.press("right", "right", "?")
        await seat.sends(Why(id=1, tile=(12, 3)))
        reasons = [unfit(f"p{number}", 6) for number in numbers]
        await seat.peer.send(Reasons(answers=1, reasons=reasons))
        while not (seat.mode.stage.notices or seat.mode.stage.cover):
            await trio.testing.wait_all_tasks_blocked()
        read = seat.shown(columns, rows)
        for high, low in LONG_HAND:
            assert f"{high}|{low}" in read
        assert "6-6" in read
        assert "YOUR TURN" in read
        for _ in range(20):  # as far as it goes
            seat.press("down" if seat.mode.stage.cover else "c-l")
            read += "\n" + seat.shown(columns, rows)
        told = " ".join(read.split())
        for name in names[1:]:
            assert f"{name}'s" in told
        seat.press("escape")
        assert seat.mode.stage.cover is None
        assert "doubles.must_cover" not in seat.shown(columns, rows)

    await session(script)


async def test_an_open_train_is_noticed_once() -> None:
    async def script(seat: Seat) -> None:
        await in_game(seat)
        marked = MarkerSet(n=2, seat=1)
        await seat.peer.send(update([marked], on=view(to_act=1), turn=4))
        await seat.sees("Ann's train is open now.")
        assert [each.sentence for each in seat.mode.stage.notices] == ["Ann's train is open now."]

    await session(script)


async def test_the_bell_rings_once_a_turn_and_at_a_nudge() -> None:
    async def script(seat: Seat) -> None:
        await in_game(seat)
        await seat.peer.send(update([], CHOICES, on=view(trains=TRAINS), turn=3, last_event=1))
        await seat.peer.send(Said(name="Ann", text="one"))
        await seat.sees("Ann says: one")
        assert seat.rings == 1
        await seat.peer.send(Nudged(name="Ann", seats=[0]))
        await seat.sees("Ann asks you to go on.")
        assert seat.rings == 2

    await session(script)


async def test_the_recap_has_what_three_others_did() -> None:
    """Since this seat's last turn: a line or more for each of the others."""
    events = [
        TileLaid(n=1, seat=0, tile=(12, 9), train="p0"),
        TileLaid(n=2, seat=1, tile=(12, 6), train="p1"),
        TileLaid(n=3, seat=2, tile=(12, 4), train="p2"),
        TileLaid(n=4, seat=3, tile=(12, 2), train="p3"),
    ]

    async def script(seat: Seat) -> None:
        await seat.peer.send(table_news(seats=[*SEATS, seat_info(3, "Cy")], state="playing"))
        names = ["Me", "Ann", "Bob", "Cy"]
        on = view(names=names, hand_counts=[3] * 4, totals=[0] * 4)
        await seat.peer.send(update(events, CHOICES, on=on))
        await seat.sees("YOUR TURN")
        recap = seat.shown().partition("since your last turn")[2]
        told = [line for line in recap.splitlines() if " plays " in line]
        assert [line.split()[0] for line in told] == ["Ann", "Bob", "Cy"]

    await session(script)


# --- the connection -------------------------------------------------------------------------


async def test_a_choice_that_waits_can_be_taken_back(autojump_clock: object) -> None:
    """Without a connection a choice waits and is shown; `u` takes it back, and it is not sent."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        await seat.peer.hang_up()
        await seat.sees("There is no connection.")
        seat.press("tab", "tab", "enter")
        assert "9-9 on your train: waits for the connection; u takes it back." in seat.shown()
        seat.press("u")
        assert "Taken back; it was not sent." in seat.shown()
        seat.type("say back")
        again = await seat.server.accept()
        await again.greet(table="t")
        assert await again.receive() == Say(id=2, text="back")

    await session(script)


async def test_the_end_of_the_link_comes_out() -> None:
    """Its reason is for the program to print, once the screen is gone."""

    async def script(seat: Seat) -> None:
        await seat.peer.send(goodbye("replaced"))
        await trio.sleep_forever()

    with pytest.raises(ExceptionGroup) as caught:
        await session(script)
    assert caught.group_contains(LinkError, match="newer connection")


async def test_quitting_asks_in_a_game_alone() -> None:
    """A seat that is needed asks first; another key stays, q again stops and says of the seat."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        seat.press("q", "escape")
        assert not seat.mode.stage.asks_quit
        seat.press("q")
        assert "your seat is kept" in seat.shown()
        seat.press("q")
        await trio.testing.wait_all_tasks_blocked()
        assert seat.mode.parting == [
            "Your seat at t is kept: come back under the same name, Me.",
        ]

    await session(script)


async def test_leaving_a_game_of_ones_own_promises_no_seat() -> None:
    """Nobody keeps a seat in it; whether the game is kept is told when the screen is gone."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        seat.press("q")
        assert "Leave the game?" in seat.shown()
        seat.press("q")
        await trio.testing.wait_all_tasks_blocked()
        assert seat.mode.parting == []

    await session(script, opening=Opening(keeps_seat=False))


# --- lobby and table ------------------------------------------------------------------------

BERNIE = RulesInfo(name="bernie", hash="b1", changed=1)


async def in_lobby(seat: Seat) -> None:
    await seat.sends(ListTables(id=1))
    tables = [table_info("den", SEATS), table_info("odd", SEATS, rules=BERNIE)]
    await seat.peer.send(Tables(answers=1, tables=tables, page=0, pages=1))
    await seat.sees("> 1  den")


@pytest.mark.parametrize(("number", "is_page"), [(1, False), (9, True)])
async def test_servers_on_the_network_are_shown(number: int, is_page: bool) -> None:
    """As notices, or a page where there are many; the keys work while they are looked for."""
    answers = trio.Event()

    async def find() -> Sequence[FoundServer]:
        await answers.wait()
        return [FoundServer(f"house {n}", Address(f"192.0.2.{n}")) for n in range(number)]

    async def script(seat: Seat) -> None:
        await in_lobby(seat)
        seat.type("servers")
        await seat.sees("Looking for servers on this network")
        seat.press("down")
        assert seat.mode.stage.row == 1
        answers.set()
        for n in range(number):
            await seat.sees(f"mt-client 192.0.2.{n}:12012  house {n}")
        assert (seat.mode.stage.cover == "said") is is_page

    await session(script, find=find)


async def test_usual_rules_are_joined_at_once() -> None:
    async def script(seat: Seat) -> None:
        await in_lobby(seat)
        seat.press("enter")
        await seat.sends(JoinTable(id=2, table="den"))

    await session(script, table=None)


async def test_unusual_rules_are_shown_before_sitting_down() -> None:
    """Enter shows the card, Enter again sits down; the card is not asked for twice."""
    line = CardLine(option="announce.mode", value="knock", differs=True, text="Knock.")

    async def script(seat: Seat) -> None:
        await in_lobby(seat)
        seat.press("j", "enter")
        await seat.sends(AskRules(id=2, table="odd"))
        await seat.peer.send(Card(answers=2, rules=BERNIE, lines=[line]))
        await seat.sees("announce.mode = knock")
        assert "Enter sits down at odd" in seat.shown()
        seat.press("enter")
        await seat.sends(JoinTable(id=3, table="odd"))
        news = table_news(answers=3, name="odd", seats=SEATS, rules=BERNIE, start="ready")
        await seat.peer.send(news)
        await seat.sees("Table odd")
        seat.press("enter")
        await seat.sends(Ready(id=4))

    await session(script, table=None)


async def test_the_lobby_is_read_again_by_itself(autojump_clock: object) -> None:
    """Every ten seconds; the selected table stays selected wherever it has gone."""

    async def script(seat: Seat) -> None:
        await in_lobby(seat)
        seat.press("down")
        await seat.sends(ListTables(id=2))
        assert trio.current_time() == 10
        tables = [table_info(name, SEATS) for name in ("a", "b", "odd", "z")]
        await seat.peer.send(Tables(answers=2, tables=tables, page=0, pages=1))
        await seat.sees("> 3  odd")
        seat.press("enter")
        await seat.sends(JoinTable(id=3, table="odd"))
        await seat.peer.send(table_news(answers=3, name="odd", seats=SEATS))
        await seat.sees("Table odd")
        await trio.sleep(30)
        seat.press("x")
        await seat.sends(LeaveTable(id=4))

    await session(script, table=None)


async def test_a_watcher_and_a_refresh() -> None:
    async def script(seat: Seat) -> None:
        await in_lobby(seat)
        seat.press("r", "down", "w")
        await seat.sends(ListTables(id=2))
        await seat.sends(AskRules(id=3, table="odd"))
        await seat.sends(WatchTable(id=4, table="odd"))

    await session(script, table=None)


async def test_the_form_opens_a_table() -> None:
    """Letters are typed where a row is typed, arrows change the others."""

    async def script(seat: Seat) -> None:
        await in_lobby(seat)
        seat.press("n", "backspace", "backspace", *"My den", "down", "right", "down", "left")
        seat.press("down", "right", "right", "right", "down", "left", "down", "right")
        assert "They play       greedy" in seat.shown()
        seat.press("enter")
        await seat.sends(
            CreateTable(
                id=2, name="My den", rules="classic", seats=3, bots=["greedy"] * 2, start="full"
            )
        )
        await seat.peer.send(table_news(answers=2, name="My den", host="Me", start="manual"))
        await seat.sees("Table My den")
        seat.press("b", "g")
        await seat.sends(AddBot(id=3, strategy="planner"))
        await seat.sends(StartTable(id=4))
        seat.press("x")
        await seat.sends(LeaveTable(id=5))
        await seat.peer.send(Ok(answers=5))
        await seat.sees("You are in the lobby.")

    await session(script, table=None)


async def test_a_vote_can_be_typed() -> None:
    async def script(seat: Seat) -> None:
        await seat.peer.send(table_news(seats=SEATS, state="playing"))
        await seat.peer.send(update([], on=view(to_act=1)))
        await seat.sees("Ann's turn")
        seat.type("vote bot")
        await seat.sends(Vote(id=1, choice="bot"))

    await session(script)


# --- the hand -------------------------------------------------------------------------------


async def test_the_own_order_outlives_a_restart(tmp_path: Path) -> None:
    """Tiles are moved by + and -, new ones come last, and a new start finds it all again."""
    drawn: list[Tile] = [(12, 7), (12, 3), (9, 9), (8, 1)]

    async def arrange(seat: Seat) -> None:
        await in_game(seat)
        seat.press("right", "+", "+")
        await seat.peer.send(update([], on=view(to_act=1), hand=drawn, last_event=2))
        await seat.sees("8|1")
        assert seat.mode.stage.order.own == [(12, 3), (9, 9), (12, 7), (8, 1)]

    async def look(seat: Seat) -> None:
        await seat.peer.send(table_news(seats=SEATS, state="playing"))
        await seat.peer.send(update([], on=view(to_act=1), hand=drawn, last_event=2))
        await seat.sees("8|1")
        assert seat.mode.stage.order.own == [(12, 3), (9, 9), (12, 7), (8, 1)]
        seat.press("o")
        assert "planned train first" in seat.shown()
        seat.press("o")
        assert "by number" in seat.shown()

    await session(arrange, keeper=HandKeeper(tmp_path, "here", "Me"))
    (kept,) = tmp_path.iterdir()  # noqa: ASYNC240 - one small folder
    assert kept.stat().st_mode & 0o777 == 0o600
    await session(look, keeper=HandKeeper(tmp_path, "here", "Me"))


# --- both modes -----------------------------------------------------------------------------

TYPED = [
    *("12-7 p2", "9-9", "draw", "pass", "12-3 bob", "1", "say hi", "hand", "table", "scores"),
    *("log", "turn", "help", "knock", "foul Ann", "vote skip", "nudge", "mute Ann", "rules"),
    *("pause", "kick Bob", "host Ann", "bot add greedy", "ready", "start", "seat-code Ann"),
    *("hint", "why 12-3", "why 12-3 p1", "why draw", "why 1-0"),
    *("", "12", "nonsense", "13-13", "99", "join 3", "rematch", "record", "leave"),
]


async def commands_of(run: Callable[[Link], Awaitable[None]]) -> list[Command]:
    """What was sent while `run` read `TYPED` in a game."""
    sent: list[Command] = []
    server = ScriptedServer()

    async def serve(scope: trio.CancelScope) -> None:
        peer = await server.accept()
        await peer.greet(table="t")
        await peer.send(table_news(seats=SEATS, state="playing"))
        await peer.send(update([Passed(n=1, seat=2)], CHOICES, on=view(trains=TRAINS), turn=3))
        while True:
            message = await peer.receive()
            assert isinstance(message, Command)
            sent.append(message)
            if isinstance(message, LeaveTable):
                scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve, nursery.cancel_scope)
        async with open_link(HERE, hello_for("Me"), open_stream=server.open_stream) as link:
            await run(link)
    return sent


async def test_both_modes_send_the_same_for_the_same_script() -> None:
    """Line by line, typed on paper or in the entry line of the screen."""

    async def on_paper(link: Link) -> None:
        sender, receiver = trio.open_memory_channel[str](0)
        mode = PlainMode(link, receiver, Paper(lambda _: None, is_terminal=True))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(mode.run)
            await trio.testing.wait_all_tasks_blocked()
            for line in TYPED:
                await sender.send(line)
            await trio.sleep_forever()

    async def on_screen(link: Link) -> None:
        mode = StageMode(link)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(mode.run)
            await trio.testing.wait_all_tasks_blocked()
            for line in TYPED:
                for key in (":", *line, "enter"):
                    mode.press(key)
            await trio.sleep_forever()

    plain = await commands_of(on_paper)
    screen = await commands_of(on_screen)
    assert plain == screen
    assert len(plain) > 15


@pytest.mark.parametrize("name", SCENES)
def test_every_key_of_the_table_does_something(name: str) -> None:
    """What the help names can be pressed: each binding is found by its first free key."""
    model, stage = SCENES[name]()
    stage.typed = None
    for binding in bindings(model, stage):
        assert binding.sentence
        for key in binding.keys:
            assert deed_of(key, model, stage) is not None


async def test_every_deed_is_there() -> None:
    """No key leads to nothing."""

    async def script(seat: Seat) -> None:
        done = seat.mode._deeds()
        for make in SCENES.values():
            model, stage = make()
            stage.typed = None
            assert {binding.deed for binding in bindings(model, stage)} <= set(done)

    await session(script)


async def test_a_notice_goes_when_it_was_read(autojump_clock: object) -> None:
    """It stays while nothing happens, and goes with what happens a while later."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        await seat.peer.send(Nudged(name="Ann", seats=[0]))
        await seat.sees("Ann asks you to go on.")
        await trio.sleep(20)
        assert "Ann asks you to go on." in seat.shown()
        await seat.peer.send(Said(name="Bob", text="well?"))
        await seat.sees("Bob says: well?")
        assert "Ann asks you to go on." not in seat.shown()

    await session(script)


async def test_seconds_are_counted_while_some_are_shown(autojump_clock: object) -> None:
    """One redraw a second with a clock, and none without."""

    async def script(seat: Seat) -> None:
        await in_game(seat, deadline_ms=30_000)
        changes = 0
        for second in range(29, 0, -1):
            await seat.sees(f"YOUR TURN 0:{second:02}")
            changes += 1
        assert changes == 29
        passed = [Passed(n=2, seat=0)]
        await seat.peer.send(update(passed, on=view(to_act=1), turn=4))
        await seat.sees("Ann's turn")
        await trio.sleep(2)
        seat.changed = trio.Event()
        await trio.sleep(30)
        assert not seat.changed.is_set()

    await session(script)


async def test_who_is_away_is_told_in_one_place() -> None:
    """A line that counts while it lasts, and no notice besides; that it is over is a notice."""
    gone = [SEATS[0], seat_info(1, "Ann", present=False, away_ms=60_000), SEATS[2]]
    vote = SeatVote(seat=1, wait=0, skip=0, bot=0, end=0, voters=2, choice=None, open=True)

    async def script(seat: Seat) -> None:
        await in_game(seat)
        await seat.peer.send(table_news(seats=gone, state="playing", votes=[vote], paused=True))
        await seat.sees("Ann is away, 1:00.")
        assert seat.shown().count("Ann is away") == 1
        assert seat.shown().count(":vote wait, :vote skip, :vote bot") == 1
        assert seat.shown().count("The game is paused.") == 1
        await seat.peer.send(table_news(seats=SEATS, state="playing"))
        await seat.sees("Ann is back.")
        assert "The game goes on." in seat.shown()
        assert "away" not in seat.shown()

    await session(script)


async def test_enter_meant_for_a_tile_does_not_wave_a_round_through(
    autojump_clock: object,
) -> None:
    """For a second after its end nobody can be ready for the next round."""

    async def script(seat: Seat) -> None:
        await in_game(seat)
        await trio.sleep(5)
        await seat.peer.send(table_news(seats=SEATS, state="between"))
        await seat.peer.send(update([], on=view(phase="round_over", to_act=None), last_event=9))
        await seat.sees("Not ready yet")
        seat.press("enter")
        await trio.sleep(1)
        seat.press("enter")
        await seat.sends(Ready(id=1))
        seat.type("say done")
        await seat.sends(Say(id=2, text="done"))

    await session(script)
