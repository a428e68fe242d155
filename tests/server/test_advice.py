"""What a player asks about its own seat: why a move may not be made, and what to do."""

from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest
from mexican_train.engine import RuleSet, parse_tile, preset_names, tile_ends
from mexican_train.protocol import (
    AskHint,
    CreateTable,
    Declined,
    Done,
    Draw,
    Foul,
    Hint,
    JoinTable,
    Knock,
    Pass,
    Pause,
    Play,
    Reason,
    Reasons,
    Resync,
    TableInfo,
    TableNews,
    WatchTable,
    Why,
    encode,
)
from mexican_train.server.effects import TableOpened
from mexican_train.server.facts import read_event, write_event
from mexican_train.server.table_settings import Charter

from tests.engine import tabletop

Laid = tuple[Any, list[int]]
ONE_ROUND = {"game.rounds": 1}


# --- tables laid out by hand ----------------------------------------------------------------


@pytest.fixture
def lay(make_desk: Callable[..., Any]) -> Callable[..., Laid]:
    """Give a function that lays out a double-6 and makes some moves; a person in each seat."""

    def laid(*moves: str, hands: str, boneyard: str = "4-0 3-0", options: str = "") -> Laid:
        held = [tabletop.tiles(hand) for hand in hands.split(",")]
        # by `classic` the engine is not dealt: the first seat begins
        fixed = (
            tuple(tuple(hand) for hand in held),
            tuple(tabletop.tiles(boneyard)),
            parse_tile("6-6"),
        )
        rules = tabletop.rules(
            "classic", "game.players=2-14", "deal.hand_size=3", "game.rounds=1", *options.split()
        )
        desk = make_desk(fixed_deal=lambda _round: fixed)
        desk.open(rules=rules, seats=len(held))
        players = [desk.enter(f"guest {seat}") for seat in range(len(held))]
        for player in players:
            desk.send(player, JoinTable, table="t")
        for written in moves:
            seat, _, move = written.partition(" ")
            answer = make(desk, players[int(seat)], move)
            assert not isinstance(answer, Declined), (written, answer)
        return desk, players

    return laid


def fields_of(move: str) -> dict[str, Any]:
    """A move as it is written, as the fields of `why`."""
    deed, _, of = move.partition(":")
    tile, arrow, train = move.partition(">")
    if arrow:
        return {"tile": tile_ends(parse_tile(tile)), "train": train}
    return {"do": deed} | ({"seat": int(of)} if of else {})


def make(desk: Any, player: int, move: str) -> Any:
    """Make the move itself, for the present turn; what answers it."""
    fields = fields_of(move)
    deed = fields.pop("do", "play")
    if deed in {"play", "draw", "pass", "done"}:
        fields["turn"] = desk.lobby._tables["t"].progress.turn
    if deed == "foul":
        fields["event"] = 1
    kinds = {"play": Play, "draw": Draw, "pass": Pass, "done": Done, "knock": Knock, "foul": Foul}
    return desk.send(player, kinds[deed], **fields)


def why(desk: Any, player: int, move: str) -> Reason:
    """The one reason that is given for a move."""
    answer = desk.send(player, Why, **fields_of(move))
    assert isinstance(answer, Reasons), answer
    (reason,) = answer.reasons
    return reason


HANDS = "6-1 4-2 5-0,6-3 5-2 4-1"
IN_EXTRA = (("0 6-5>p0", "1 6-3>p1", "0 5-5>p0"), "6-5 5-5 5-0 6-2,6-3 5-2 4-1", "")
UNDER_DUTY = (
    ("0 6-5>p0", "1 6-3>p1", "0 5-5>p0"),
    "6-5 5-5 1-0,6-3 5-2 4-1",
    "doubles.draw_self=no",
)
AFTER_FIRST_TILE = (("0 6-1>p0",), HANDS, "")
DRAWN = (("0 draw",), HANDS, "turn.must_play=no")
FRESH = ((), HANDS, "")


@pytest.mark.parametrize(
    ("position", "asked", "told"),
    [
        (FRESH, "0 6-1>p0", (None, None, {})),
        (FRESH, "0 4-2>p0", ("does_not_fit", None, {"tile": "4-2", "train": "p0", "end": 6})),
        (FRESH, "0 6-1>p1", ("not_open", "marker.on", {"train": "p1"})),
        (FRESH, "0 6-1>m0", (None, None, {})),
        (FRESH, "0 6-1>m1", ("no_such_train", None, {"train": "m1"})),
        (FRESH, "0 6-1>p9", ("no_such_train", None, {"train": "p9"})),
        (FRESH, "0 6-3>p0", ("not_held", None, {"tile": "6-3"})),
        (FRESH, "0 draw", ("must_play", "turn.must_play", {})),
        (FRESH, "0 pass", ("must_play", "turn.must_play", {})),
        (FRESH, "0 done", ("not_done", "turn.play_limit", {})),
        (FRESH, "0 knock", ("no_knock", "announce.mode", {})),
        (FRESH, "0 foul:1", ("no_foul", "announce.deadline", {"seat": 1})),
        (FRESH, "1 6-3>p1", ("out_of_turn", None, {"to_act": 0})),
        (FRESH, "1 draw", ("out_of_turn", None, {"to_act": 0})),
        (FRESH, "1 6-1>p1", ("out_of_turn", None, {"to_act": 0})),
        (
            ((), HANDS, "mexican_train.start=after_first_lap"),
            "0 6-1>m0",
            ("mexican_start", "mexican_train.start", {}),
        ),
        (
            (("0 6-1>m0",), HANDS, "mexican_train.max_trains=1"),
            "1 6-3>m1",
            ("mexican_max", "mexican_train.max_trains", {}),
        ),
        (AFTER_FIRST_TILE, "1 4-1>p0", ("not_open", "marker.on", {"train": "p0"})),
        (
            UNDER_DUTY,
            "1 4-1>m0",
            ("must_cover", "doubles.must_cover", {"double": "5-5", "cover": "p0"}),
        ),
        (UNDER_DUTY, "1 4-1>p0", ("does_not_fit", None, {"tile": "4-1", "train": "p0", "end": 5})),
        (UNDER_DUTY, "1 5-2>p0", (None, None, {})),
        (
            IN_EXTRA,
            "0 6-2>m0",
            ("extra_on_double", "doubles.extra_tile", {"double": "5-5", "cover": "p0"}),
        ),
        (DRAWN, "0 6-1>p0", ("drawn_only", "draw.play_drawn", {"drawn": "6-0"})),
        (((), "4-2 5-0 4-3,6-3 5-2 4-1", ""), "0 pass", ("must_draw", None, {})),
        (((), "4-2 5-0 4-3,6-3 5-2 4-1", ""), "0 draw", (None, None, {})),
    ],
)
def test_why_says_what_the_move_would_be_told(
    lay: Callable[..., Laid],
    position: tuple[tuple[str, ...], str, str],
    asked: str,
    told: tuple[str | None, str | None, dict[str, Any]],
) -> None:
    """Code, option, values and sentence; and the same as when it is tried."""
    moves, hands, options = position
    desk, players = lay(*moves, hands=hands, options=options, boneyard="6-0 3-0")
    seat, _, move = asked.partition(" ")
    reason = why(desk, players[int(seat)], move)
    assert (reason.code, reason.option, reason.params) == told
    assert reason.text.endswith(".")
    answer = make(desk, players[int(seat)], move)
    assert isinstance(answer, Declined) == (reason.code is not None)
    if isinstance(answer, Declined) and answer.code != "no_foul":  # a foul names its event too
        assert (answer.code, answer.option, answer.params) == told
        assert answer.text == reason.text


def test_an_empty_boneyard_is_told(lay: Callable[..., Laid]) -> None:
    desk, players = lay(hands="5-1 4-2 5-0,5-2 4-1 3-1", boneyard="")
    assert why(desk, players[0], "draw").code == "boneyard_empty"


def test_without_a_train_every_train_is_told_of(lay: Callable[..., Laid]) -> None:
    """Those on the table, and the Mexican Train that the tile might start."""
    desk, players = lay(hands="6-1 4-2 5-0,6-3 5-2 4-1,6-0 6-2 2-0")

    def of_trains(tile: tuple[int, int]) -> dict[str | None, str | None]:
        reasons = desk.send(players[0], Why, tile=tile).reasons
        assert {(each.do, each.tile) for each in reasons} == {("play", tile)}
        return {each.train: each.code for each in reasons}

    assert of_trains((6, 1)) == {"p0": None, "p1": "not_open", "p2": "not_open", "m0": None}
    make(desk, players[0], "6-1>m0")
    make(desk, players[1], "6-3>p1")
    make(desk, players[2], "6-2>p2")
    closed = {"p1": "not_open", "p2": "not_open"}
    assert of_trains((4, 2)) == {"p0": "does_not_fit", **closed, "m0": "does_not_fit"}


@pytest.mark.parametrize(("do", "path"), [("play", "tile"), ("foul", "seat")])
def test_a_question_without_its_subject_is_declined(
    lay: Callable[..., Laid], do: str, path: str
) -> None:
    desk, players = lay(hands=HANDS)
    answer = desk.decline(players[0], Why, do=do)
    assert (answer.code, answer.params) == ("bad_field", {"path": path})


@pytest.mark.parametrize("train", ["p0", "p1", "m0", "m1", "p13", None])
def test_a_tile_of_others_and_one_that_is_none_are_told_in_the_same_bytes(
    lay: Callable[..., Laid], train: str | None
) -> None:
    """Held by another, in the boneyard, out of play, on the table, or of a larger set."""
    desk, players = lay(hands=HANDS)
    told = set()
    for tile in ("6-3", "4-0", "5-3", "6-6", "9-8"):
        high, low = tile_ends(parse_tile(tile))
        answer = desk.send(players[0], Why, tile=(high, low), train=train)
        payload = encode(msgspec.structs.replace(answer, answers=1))
        # but for the tile itself, which whoever asks has named
        told.add(payload.replace(bytes((0x92, high, low)), b"tile").replace(tile.encode(), b"text"))
    assert len(told) == 1


# --- hints ----------------------------------------------------------------------------------


@pytest.fixture
def seated(make_desk: Callable[..., Any]) -> Callable[..., Laid]:
    """Give a function that seats persons at a table of one round."""

    def seat(
        rules: RuleSet | None = None, *, seats: int = 3, plan: Any = None, **settings: Any
    ) -> Laid:
        desk = make_desk(**settings)
        chosen = (rules or RuleSet.preset("classic")).with_options(ONE_ROUND)
        desk.open(rules=chosen, seats=seats, **(plan or {}))
        players = [desk.enter(f"guest {seat}") for seat in range(seats)]
        for player in players:
            desk.send(player, JoinTable, table="t")
        return desk, players

    return seat


def the_table(desk: Any, player: int) -> TableInfo:
    """What the newest news of the table say."""
    info: TableInfo = desk.last(player, TableNews).table
    return info


@pytest.mark.parametrize("preset", preset_names())
def test_a_hint_is_one_of_the_choices(seated: Callable[..., Laid], scale: Any, preset: str) -> None:
    """In random states; whoever has no choice is told so."""
    rules, random = RuleSet.preset(preset), Random(preset)
    low, high = rules.range("game.players")
    wanted, out_of_turn, games = scale(100, 1000), 0, 0
    while wanted > 0:
        games += 1
        random_bytes = Random(f"{preset} {games}").randbytes
        desk, players = seated(
            rules, seats=random.randint(low, min(high, 6)), random_bytes=random_bytes
        )
        while (to_act := desk.update(players[0]).view.to_act) is not None:
            for player in players:
                update = desk.update(player)
                answer = desk.send(player, AskHint)
                if not update.choices:
                    assert (answer.code, answer.params) == ("out_of_turn", {"to_act": to_act})
                    out_of_turn += 1
                    continue
                assert isinstance(answer, Hint)
                assert answer.choice in update.choices
                assert answer.turn == update.turn
                wanted -= 1
            desk.act(players[to_act], random.choice(desk.update(players[to_act]).choices))
    assert out_of_turn


def test_asking_changes_nothing(seated: Callable[..., Laid]) -> None:
    """Nothing is stored, nobody else hears of it, and the table stands as before."""
    desk, players = seated()
    desk.send(players[0], Resync)
    before = desk.update(players[0])
    others = [len(desk.inbox[each]) for each in players[1:]]
    saved = len(desk.saved)
    desk.send(players[0], AskHint)
    desk.send(players[0], Why, tile=before.hand[0])
    desk.send(players[0], Why, do="pass")
    desk.send(players[1], AskHint)
    assert len(desk.saved) == saved
    assert len(desk.inbox[players[2]]) == others[1]
    desk.send(players[0], Resync)
    assert desk.update(players[0]) == before


def test_a_repeated_question_is_asked_anew(seated: Callable[..., Laid]) -> None:
    """Under the same id it has the same answer while nothing has changed."""
    desk, players = seated()
    first = desk.send(players[0], AskHint, id=500)
    assert desk.send(players[0], AskHint, id=500) == first
    why_not = desk.send(players[0], Why, id=501, do="pass")
    assert desk.send(players[0], Why, id=501, do="pass") == why_not
    desk._ids[players[0]] = iter(range(502, 600))
    desk.act(players[0], first.choice)
    again = desk.send(players[0], Why, id=501, do="pass")
    assert [each.code for each in again.reasons] != [each.code for each in why_not.reasons]


def test_a_hint_is_declined_where_the_table_gives_none(seated: Callable[..., Laid]) -> None:
    """The table's own word, or else that of the server; a server without an adviser has none."""
    no_hints = {"hints": False}
    for given, settings in ((no_hints, {}), ({}, no_hints), ({}, {"adviser": None})):
        desk, players = seated(plan=given, **settings)
        assert desk.decline(players[0], AskHint).code == "no_hints"
        assert not the_table(desk, players[0]).hints
        assert isinstance(desk.send(players[0], Why, do="pass"), Reasons)
    desk, players = seated(plan={"hints": True}, hints=False)
    assert isinstance(desk.send(players[0], AskHint), Hint)
    assert the_table(desk, players[0]).hints


@pytest.mark.parametrize(("asked", "given"), [(None, True), (True, True), (False, False)])
def test_who_opens_a_table_says_whether_it_gives_hints(
    desk: Any, asked: bool | None, given: bool
) -> None:
    player = desk.enter("ann")
    news = desk.send(player, CreateTable, name="den", hints=asked)
    assert news.table.hints is given


def test_hints_are_for_persons_in_their_own_game(desk: Any) -> None:
    """Not for bots, watchers, or anybody in the lobby, before the start or after the end."""
    person, bot, looker = desk.enter("ann"), desk.enter("robot", "bot"), desk.enter("eve")
    assert desk.decline(person, AskHint).code == "not_at_table"
    desk.open(seats=2, rules=RuleSet.preset("classic").with_options(ONE_ROUND))
    desk.send(person, JoinTable, table="t")
    desk.send(looker, WatchTable, table="t")
    for question in (AskHint, Why):
        assert desk.decline(person, question, **_about(question)).code == "not_started"
    desk.send(bot, JoinTable, table="t")
    for player, code in ((bot, "no_hints"), (looker, "not_seated")):
        assert desk.decline(player, AskHint).code == code
    assert isinstance(desk.send(bot, Why, do="draw"), Reasons)
    assert desk.decline(looker, Why, do="draw").code == "not_seated"
    desk.play_out([person, bot], Random(3))
    assert desk.decline(person, AskHint).code == "wrong_state"
    assert desk.send(person, Why, do="draw").reasons[0].code == "round_over"


def _about(question: type) -> dict[str, Any]:
    return {"do": "draw"} if question is Why else {}


def test_a_paused_game_has_no_advice(desk: Any) -> None:
    ann, bob = desk.enter("ann"), desk.enter("bob")
    desk.send(ann, CreateTable, name="den", seats=2, start="full")
    desk.send(bob, JoinTable, table="den")
    desk.send(ann, Pause)
    for question in (AskHint, Why):
        assert desk.decline(ann, question, **_about(question)).code == "paused"
    desk.send(ann, Pause, on=False)
    assert isinstance(desk.send(ann, AskHint), Hint)


def test_whether_a_table_gives_hints_outlives_a_crash() -> None:
    """And a log from before there were hints gives them."""
    charter = Charter(name="t", label="#1", rules=RuleSet.preset("classic"), seats=4, hints=False)
    stored = write_event(charter.opened())
    older = msgspec.msgpack.encode(msgspec.msgpack.decode(stored)[:-1])
    for written, given in ((stored, False), (older, True)):
        opened = read_event(written, "t")
        assert isinstance(opened, TableOpened)
        assert Charter.recalled(opened).hints is given


# --- with the shell -------------------------------------------------------------------------


async def test_a_server_advises(hall: Any, autojump_clock: Any) -> None:
    """From hello to a hint, as any client would ask for it."""
    del autojump_clock
    ann = await hall.enter("ann")
    await ann.ask(CreateTable, name="den", seats=2, bots=["greedy"], start="full")
    await ann.until(lambda message: bool(getattr(message, "choices", None)))
    hint = await ann.ask(AskHint)
    assert isinstance(hint, Hint)
    assert hint.choice.do in {"play", "draw"}
    assert hint.text.endswith(".")
    reasons = await ann.ask(Why, do="pass")
    assert [each.do for each in reasons.reasons] == ["pass"]
