"""Bots against a scripted server: what they are asked, what they send, how they end."""

from collections.abc import Awaitable, Callable, Sequence
from threading import Event as ThreadEvent

import pytest
import trio
import trio.testing
from mexican_train.client import (
    Bot,
    BotError,
    JoinDeclinedError,
    MoveDeclinedError,
    SeatView,
    TableGoneError,
    hello_for,
    open_link,
    play,
    seat_bot,
    strategy,
)
from mexican_train.client.address import Address
from mexican_train.client.sdk import StrategyBot, numbered, with_free_name
from mexican_train.protocol import (
    Choice,
    ClientKind,
    Foul,
    FoulCalled,
    GameOver,
    JoinTable,
    Knock,
    KnockOwed,
    ListTables,
    Play,
    Ready,
    Resync,
    RoundOver,
    RoundStarted,
    Said,
    TableLeft,
    Tables,
    declined,
    goodbye,
    refused,
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

ENDED = GameOver(n=9, totals=[5, 0, 7], places=[2, 1, 3])
OVER = update([ENDED], on=view(phase="over", to_act=None))
TWO = plays("12-7>p0", "12-3>p0")


class Last(Bot):
    """Takes the last choice and remembers what it was asked and told."""

    quick = True

    def __init__(self) -> None:
        self.asked: list[tuple[SeatView, Sequence[Choice]]] = []
        self.told: list[object] = []

    def choose(self, view: SeatView, choices: Sequence[Choice]) -> Choice:
        self.asked.append((view, choices))
        return choices[-1]

    def on_round_over(self, event: RoundOver) -> None:
        self.told.append(event)

    def on_game_over(self, event: GameOver) -> None:
        self.told.append(event)

    def on_foul(self, event: FoulCalled) -> None:
        self.told.append(event)

    def on_chat(self, name: str, text: str) -> None:
        self.told.append((name, text))


async def game(
    bot: Bot,
    script: Callable[[Peer], Awaitable[None]],
    *,
    seated: bool = True,
    table: str | None = None,
    kind: ClientKind = "bot",
) -> GameOver:
    """Play `bot` against `script`, which gets the peer after the welcome."""
    server = ScriptedServer()

    async def serve() -> None:
        peer = await server.accept()
        await peer.greet(table="t" if seated else None)
        await script(peer)

    ended: list[GameOver] = []
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        try:
            async with open_link(
                HERE, hello_for("Me", kind=kind), open_stream=server.open_stream
            ) as link:
                ended.append(await play(bot, link, table=table))
        except Exception as error:  # noqa: BLE001 - raised again outside of the nursery
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return ended[0]


# --- a seat ---------------------------------------------------------------------------------


async def test_it_joins_the_table_that_it_is_told() -> None:
    async def script(peer: Peer) -> None:
        assert await peer.receive() == JoinTable(id=1, table="den")
        await peer.send(table_news(answers=1, name="den"), OVER)

    assert await game(Last(), script, seated=False, table="den") == ENDED


async def test_it_waits_for_a_free_seat(autojump_clock: object) -> None:
    """It reads every page, passes over full, locked and running tables, and asks again politely."""
    full = table_info("full", [seat_info(0, "Ann"), seat_info(1, "Bob")])
    locked = table_info("locked", locked=True)
    running = table_info("running", state="playing")

    async def script(peer: Peer) -> None:
        assert await peer.receive() == ListTables(id=1)
        await peer.send(Tables(answers=1, tables=[full, locked], page=0, pages=2))
        assert await peer.receive() == ListTables(id=2, page=1)
        await peer.send(Tables(answers=2, tables=[running], page=1, pages=2))
        before = trio.current_time()
        assert await peer.receive() == ListTables(id=3)
        assert trio.current_time() - before >= 1
        await peer.send(Tables(answers=3, tables=[full, table_info("free")], page=0, pages=1))
        assert await peer.receive() == JoinTable(id=4, table="free")
        await peer.send(table_news(answers=4, name="free"), OVER)

    assert await game(Last(), script, seated=False) == ENDED


async def test_a_seat_that_somebody_else_got_first(autojump_clock: object) -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        tables = [table_info("first"), table_info("second")]
        await peer.send(Tables(answers=1, tables=tables, page=0, pages=1))
        assert await peer.receive() == JoinTable(id=2, table="first")
        await peer.send(declined(2, "table_full"))
        assert await peer.receive() == JoinTable(id=3, table="second")
        await peer.send(table_news(answers=3, name="second"), OVER)

    assert await game(Last(), script, seated=False) == ENDED


async def test_no_such_table() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(declined(1, "no_such_table"))

    with pytest.raises(JoinDeclinedError, match="There is no table of this name") as failure:
        await game(Last(), script, seated=False, table="den")
    assert failure.value.code == "no_such_table"


async def test_a_person_says_ready_and_a_bot_does_not() -> None:
    async def script(peer: Peer) -> None:
        await peer.send(table_news(seats=[seat_info(0, "Me")], start="ready"))
        assert await peer.receive() == Ready(id=1)
        await peer.send(table_news(seats=[seat_info(0, "Me", ready=True)]), OVER)

    assert await game(Last(), script, kind="person") == ENDED


async def test_names_are_tried_until_one_is_free() -> None:
    server = ScriptedServer()

    async def serve() -> None:
        for name in ("Last", "Last-2"):
            peer = await server.accept()
            hello = await peer.receive()
            assert getattr(hello, "name", "") == name
            await peer.send(refused("name_taken"))
        await (await server.accept()).greet()

    async def then(link: object) -> str:
        await trio.lowlevel.checkpoint()
        return str(getattr(link, "welcome").name)  # noqa: B009 - a link, seen from outside

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        names = numbered("Last")
        found = await with_free_name(HERE, names, then, open_stream=server.open_stream)
    assert found == "Last-3"


# --- a turn ---------------------------------------------------------------------------------


async def test_it_is_asked_in_its_turn_and_its_choice_is_sent() -> None:
    bot = Last()

    async def script(peer: Peer) -> None:
        await peer.send(update(on=view(to_act=1)))
        await peer.send(update(choices=TWO, turn=4, deadline_ms=900))
        assert await peer.receive() == Play(id=1, turn=4, tile=(12, 3), train="p0")
        await peer.send(OVER)

    await game(bot, script)
    ((seen, choices),) = bot.asked
    assert list(choices) == TWO
    assert (seen.seat, seen.name, seen.turn, seen.deadline_ms) == (0, "Me", 4, 900)
    assert seen.hand == [(12, 7), (12, 3), (9, 9)]
    assert seen.hand_counts == [3, 7, 7]
    assert seen.is_my_turn


async def test_a_single_choice_is_sent_without_asking() -> None:
    bot = Last()

    async def script(peer: Peer) -> None:
        await peer.send(update(choices=plays("12-7>p0"), turn=4))
        assert await peer.receive() == Play(id=1, turn=4, tile=(12, 7), train="p0")
        await peer.send(OVER)

    await game(bot, script)
    assert bot.asked == []


async def test_heartbeats_are_answered_while_it_thinks() -> None:
    """An author's `choose` runs in a thread; a bot that thinks for long is not dropped."""
    may_end = ThreadEvent()

    class Thinker(Bot):
        def choose(self, view: SeatView, choices: Sequence[Choice]) -> Choice:
            del view
            may_end.wait()
            return choices[0]

    async def script(peer: Peer) -> None:
        try:
            await peer.send(update(choices=TWO))
            for number in range(3):
                await peer.check_alive(number)
        finally:
            may_end.set()
        assert isinstance(await peer.receive(), Play)
        await peer.send(OVER)

    assert await game(Thinker(), script) == ENDED


async def test_one_turn_is_answered_once() -> None:
    """An update that leaves the turn as it is (somebody knocked) does not ask again."""
    bot = Last()

    async def script(peer: Peer) -> None:
        await peer.send(update(choices=TWO, turn=4), update(choices=TWO, turn=4))
        await peer.receive()
        await peer.send(update(choices=TWO, turn=5))
        assert await peer.receive() == Play(id=2, turn=5, tile=(12, 3), train="p0")
        await peer.send(OVER)

    await game(bot, script)
    assert [seen.turn for seen, _ in bot.asked] == [4, 5]


async def test_an_older_update_is_passed_over() -> None:
    """The repeated answer to a command from before a cut is not acted on."""
    bot = Last()

    async def script(peer: Peer) -> None:
        await peer.send(update(last_event=8, on=view(to_act=1)))
        await peer.send(update(choices=TWO, last_event=5, turn=3))
        await peer.check_alive(1)
        await peer.send(OVER)

    await game(bot, script)
    assert bot.asked == []


async def test_a_late_move_is_dropped() -> None:
    async def script(peer: Peer) -> None:
        await peer.send(update(choices=TWO, turn=4))
        await peer.receive()
        await peer.send(declined(1, "stale"), OVER)

    assert await game(Last(), script) == ENDED


async def test_a_busy_server_is_asked_again(autojump_clock: object) -> None:
    async def script(peer: Peer) -> None:
        await peer.send(update(choices=TWO, turn=4))
        await peer.receive()
        await peer.send(declined(1, "storage_full"))
        assert await peer.receive() == Resync(id=2)
        await peer.send(update(choices=TWO, turn=4, answers=2))
        assert await peer.receive() == Play(id=3, turn=4, tile=(12, 3), train="p0")
        await peer.send(OVER)

    assert await game(Last(), script) == ENDED


async def test_a_declined_move_says_why() -> None:
    async def script(peer: Peer) -> None:
        await peer.send(update(choices=TWO))
        await peer.receive()
        await peer.send(declined(1, "does_not_fit"))

    with pytest.raises(MoveDeclinedError, match=r"^12-3>p0: .*does not fit"):
        await game(Last(), script)


async def test_a_choice_of_its_own_making() -> None:
    """The error names the author's method, its file and line, and what could be chosen."""

    class Cheat(Bot):
        def choose(self, view: SeatView, choices: Sequence[Choice]) -> Choice:
            del view, choices
            return plays("9-9>m0")[0]

    async def script(peer: Peer) -> None:
        await peer.send(update(choices=TWO))

    with pytest.raises(BotError) as failure:
        await game(Cheat(), script)
    assert "Cheat.choose (" in str(failure.value)
    assert "test_sdk.py, line " in str(failure.value)
    assert "returned 9-9>m0" in str(failure.value)
    assert str(failure.value).endswith("choices: 12-7>p0, 12-3>p0")


async def test_what_choose_raises_comes_out() -> None:
    class Broken(Bot):
        def choose(self, view: SeatView, choices: Sequence[Choice]) -> Choice:
            del view, choices
            raise KeyError("oops")

    async def script(peer: Peer) -> None:
        await peer.send(update(choices=TWO))

    with pytest.raises(KeyError, match="oops"):
        await game(Broken(), script)


# --- knocks, fouls, hooks -------------------------------------------------------------------


KNOCK = Choice(do="knock")
FOUL = Choice(do="foul", seat=2, event=6)
OWED = view(to_act=1, knocks=[KnockOwed(seat=0, event=5, foul=False)])


async def test_it_knocks_by_itself_once() -> None:
    async def script(peer: Peer) -> None:
        await peer.send(update(choices=[KNOCK], on=OWED), update(choices=[KNOCK], on=OWED))
        assert await peer.receive() == Knock(id=1)
        await peer.check_alive(1)
        await peer.send(OVER)

    assert await game(Last(), script) == ENDED


async def test_a_bot_that_wants_to_knock_by_itself_is_asked() -> None:
    class Proud(Last):
        auto_knock = False

        def knocks(self, view: SeatView) -> bool:
            self.told.append(view.knocks)
            return len(self.told) == 2

    bot = Proud()

    async def script(peer: Peer) -> None:
        await peer.send(update(choices=[KNOCK], on=OWED), update(choices=[KNOCK], on=OWED))
        assert await peer.receive() == Knock(id=1)
        await peer.send(OVER)

    await game(bot, script)
    assert bot.told[:2] == [OWED.knocks, OWED.knocks]


async def test_fouls_are_called_only_on_wish() -> None:
    class Strict(Last):
        def calls_foul(self, view: SeatView, choice: Choice) -> bool:
            del view
            return choice == FOUL

    async def script(peer: Peer) -> None:
        await peer.send(update(choices=[FOUL], on=view(to_act=1)))
        assert await peer.receive() == Foul(id=1, seat=2, event=6)
        await peer.send(OVER)

    assert await game(Strict(), script) == ENDED


async def test_hooks_hear_what_happens() -> None:
    bot = Last()
    foul = FoulCalled(n=1, seat=2, by=1, drawn=2, tiles=None)
    over = RoundOver(n=2, round=1, winner=0, hands=[[], [(3, 1)]], scores=[0, 4], totals=[0, 4])

    async def script(peer: Peer) -> None:
        await peer.send(Said(name="Ann", text="hi"), update([foul, over], on=view(to_act=1)))
        await peer.send(OVER)

    await game(bot, script)
    assert bot.told == [("Ann", "hi"), foul, over, ENDED]


async def test_a_game_that_was_over_before_it_came_back() -> None:
    """The end is read from the view: places shared by equal totals, 1, 1, 3."""

    async def script(peer: Peer) -> None:
        await peer.send(update(on=view(phase="over", totals=[9, 4, 4]), last_event=80))

    assert await game(Last(), script) == GameOver(n=80, totals=[9, 4, 4], places=[3, 1, 1])


async def test_sent_away_before_the_end() -> None:
    async def script(peer: Peer) -> None:
        await peer.send(TableLeft(table="t", code="kicked", text="The host sent you away."))

    with pytest.raises(TableGoneError, match="The host sent you away"):
        await game(Last(), script)


# --- house bots -----------------------------------------------------------------------------


async def test_a_house_bot_plays_on_after_a_rematch_until_it_is_cut() -> None:
    ours, theirs = trio.testing.memory_stream_pair()
    peer = Peer(ours, Address("house"))
    started = RoundStarted(n=10, round=1, engine=(12, 12), hand_counts=[3, 7, 7], boneyard=40)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            lambda: seat_bot("greedy", theirs, name="greedy-1", table="t", seat=0, seed=1)
        )
        hello = await peer.greet()
        assert (hello.kind, hello.name, hello.token) == ("bot", "greedy-1", None)
        assert await peer.receive() == JoinTable(id=1, table="t", seat=0)
        await peer.send(table_news(answers=1), OVER)
        await peer.send(update([started], TWO, turn=1))
        assert await peer.receive() == Play(id=2, turn=1, tile=(12, 7), train="p0")
        await peer.send(goodbye("shutdown"))


async def test_a_house_bot_that_is_not_let_in_is_a_fault() -> None:
    ours, theirs = trio.testing.memory_stream_pair()
    peer = Peer(ours, Address("house"))

    async def serve() -> None:
        await peer.greet()
        await peer.receive()
        await peer.send(declined(1, "table_full"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        with pytest.raises(JoinDeclinedError):
            await seat_bot("random", theirs, name="random-1", table="t")


def test_the_same_seed_makes_the_same_choices() -> None:
    """Two bots of one kind share nothing, least of all their random source."""
    seen = SeatView(
        seat=0,
        hand=[],
        turn=1,
        deadline_ms=None,
        **{field: getattr(view(), field) for field in view().__struct_fields__},
    )
    choices = plays(*[f"{high}-0>p0" for high in range(13)])
    first, second, other = (StrategyBot(strategy("random"), seed) for seed in (1, 1, 2))
    runs = [[bot.choose(seen, choices) for _ in range(20)] for bot in (first, second, other)]
    assert runs[0] == runs[1] != runs[2]
