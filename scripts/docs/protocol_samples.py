"""One message of every type, for the vectors and the worked exchange of the protocol's page.

The numbers are invented, but they fit together: Ann and Bob play a double-6 at table `kitchen`.
"""

from typing import Literal, NamedTuple

import msgpack  # type: ignore[import-untyped]  # it ships no types
from mexican_train import protocol as p

TOKEN = bytes(range(32))

RULES = p.RulesInfo(name="classic", hash="5f" * 32, changed=1)
SEATS = [
    p.SeatInfo(seat=0, kind="person", name="Ann", ready=True, present=True),
    p.SeatInfo(seat=1, kind="bot", name="Bob", ready=True, present=True),
]
TABLE = p.TableInfo(
    name="kitchen",
    state="playing",
    host="Ann",
    start="ready",
    rules=RULES,
    seats=SEATS,
    watchers=0,
    locked=False,
    round=1,
    rounds=7,
    hints=True,
)
AWAY_TABLE = p.TableInfo(
    name="kitchen",
    state="playing",
    host="Bob",
    start="ready",
    rules=RULES,
    seats=[
        p.SeatInfo(
            seat=0,
            kind="person",
            name="Ann",
            ready=False,
            present=False,
            away_ms=75_000,
            substitute=True,
            bank_ms=300_000,
        ),
        p.SeatInfo(seat=1, kind="person", name="Bob", ready=False, present=True, bank_ms=0),
    ],
    watchers=0,
    locked=False,
    round=1,
    rounds=7,
    paused=True,
    turn_seconds=60,
    bank_seconds=300,
    on_timeout="bot",
    on_absent="wait",
    votes=[
        p.SeatVote(seat=0, wait=0, skip=0, bot=1, end=0, voters=1, choice="bot", open=False),
    ],
)
LIMITS = p.Limits(
    hello_seconds=5,
    hello_bytes_max=p.HELLO_FRAME_BYTES_MAX,
    frame_bytes_max=p.CLIENT_FRAME_BYTES_MAX,
    frame_seconds=10,
    messages_per_second=20,
    messages_burst=40,
    chat_messages=8,
    chat_seconds=10,
    chat_chars_max=500,
    outbox_bytes_max=262144,
    outbox_frames_max=512,
    outbox_seconds=10,
    heartbeat_seconds=20,
    silence_seconds=40,
    faults_per_minute=20,
    create_seconds=5,
    bot_choice_seconds=10,
)
VIEW = p.View(
    round=1,
    rounds=7,
    phase="play",
    max_pip=6,
    engine=(6, 6),
    to_act=1,
    awaited="",
    lap=1,
    names=["Ann", "Bob"],
    hand_counts=[6, 7],
    boneyard=14,
    trains=[
        p.Train(train="p0", owner=0, open_end=2, tiles=[(6, 2)], marked=False),
        p.Train(train="p1", owner=1, open_end=6, tiles=[], marked=False),
        p.Train(train="m0", owner=None, open_end=6, tiles=[], marked=False),
    ],
    open_doubles=[],
    knocks=[],
    scores=[],
    totals=[0, 0],
)
UPDATE = p.Update(
    answers=0,
    table="kitchen",
    events=[p.TileLaid(n=3, seat=0, tile=(6, 2), train="p0")],
    last_event=3,
    view=VIEW,
    seat=1,
    hand=[(6, 5), (5, 5), (5, 1), (4, 1), (3, 3), (2, 0), (1, 0)],
    turn=2,
    choices=[
        p.Choice(do="play", tile=(6, 5), train="p1"),
        p.Choice(do="play", tile=(6, 5), train="m0"),
    ],
    deadline_ms=10000,
    unproven=False,
    clock=p.TurnClock(budget_ms=10000, bank_ms=0, credit_ms=40, rtt_ms=40),
)
LATE_VIEW = p.View(
    round=1,
    rounds=7,
    phase="round_over",
    max_pip=6,
    engine=(6, 6),
    to_act=None,
    awaited="cover",
    lap=4,
    names=["Ann", "Bob"],
    hand_counts=[1, 2],
    boneyard=0,
    trains=[
        p.Train(train="p0", owner=0, open_end=5, tiles=[(6, 2), (2, 5), (5, 5)], marked=True),
        p.Train(train="p1", owner=1, open_end=1, tiles=[(6, 1)], marked=False),
    ],
    open_doubles=[p.OpenDouble(train="p0", tile=(5, 5), seat=0, binding=True)],
    knocks=[p.KnockOwed(seat=0, event=40, foul=True)],
    scores=[[0, 12]],
    totals=[0, 12],
)
EVENTS: list[p.AnyEvent] = [
    p.RoundStarted(n=0, round=1, engine=(6, 6), hand_counts=[7, 7], boneyard=13),
    p.SearchDrew(n=1, seat=0, tile=None),
    p.SearchDrew(n=2, seat=1, tile=(6, 6)),
    p.EngineLaid(n=3, seat=1, tile=(6, 6), first=0),
    p.TileLaid(n=4, seat=0, tile=(6, 2), train="p0"),
    p.TileDrawn(n=5, seat=0, tile=None),
    p.TileDrawn(n=6, seat=1, tile=(4, 2)),
    p.Passed(n=7, seat=1),
    p.TurnSkipped(n=8, seat=0),
    p.TimeUp(n=8, seat=0, budget_ms=30_000, bank_ms=12_000, credit_ms=1000, rtt_ms=1400),
    p.MarkerSet(n=9, seat=1),
    p.MarkerRemoved(n=10, seat=1),
    p.DoubleOpened(n=11, seat=0, train="p0", tile=(5, 5)),
    p.DoubleCovered(n=12, seat=1, train="p0", tile=(5, 5)),
    p.DoubleLapsed(n=13, train="p0", tile=(5, 5), reason="dead_number"),
    p.OneTileLeft(n=14, seat=0),
    p.Knocked(n=15, seat=0),
    p.FoulCalled(n=16, seat=0, by=1, drawn=2, tiles=None),
    p.FoulCalled(n=17, seat=1, by=0, drawn=2, tiles=[(4, 2), (1, 1)]),
    p.WentOut(n=18, seat=0),
    p.RoundBlocked(n=19),
    p.RoundOver(
        n=20, round=1, winner=0, hands=[[], [(6, 5), (1, 0)]], scores=[0, 12], totals=[0, 12]
    ),
    p.GameOver(n=300, totals=[41, 66], places=[1, 2]),
    p.GameEnded(n=301, seat=0, totals=[41, 66]),
]

HELLO = p.Hello(versions=(1, 1), kind="bot", name="Bob")
WELCOME = p.Welcome(
    version=1,
    features=["strict"],
    limits=LIMITS,
    token=TOKEN,
    last_id=0,
    server="Kitchen table",
    server_version="0.1.0",
    name="Bob",
    table=None,
)
JOIN = p.JoinTable(id=1, table="kitchen")
TABLE_NEWS = p.TableNews(answers=1, table=TABLE, seat=1)
PLAY = p.Play(id=2, turn=2, tile=(6, 5), train="p1")
DECLINED = p.declined(2, "does_not_fit", params={"tile": [6, 5], "train": "p0", "open_end": 2})

CLIENT: dict[str, p.AnyClientMessage] = {
    "hello, the least": HELLO,
    "hello, every field": p.Hello(
        versions=(1, 3),
        kind="person",
        name="Zoë 😀",
        program="a client",
        program_version="2.0",
        features=["strict"],
        token=TOKEN,
        last_event=300,
        password="sesame",  # noqa: S106 a sample, no secret
        lang="nb",
        seat_code="K7QF2-M9XWD",
    ),
    "heartbeat": p.HeartbeatAnswer(n=7),
    "list": p.ListTables(id=1),
    "list, a page": p.ListTables(id=2, page=3),
    "create, the least": p.CreateTable(id=3, name="kitchen"),
    "create, every field": p.CreateTable(
        id=4,
        name="cellar",
        rules="official",
        options=["set.max_pip=9"],
        seats=3,
        first_seat=2,
        bots=["greedy", "random"],
        start="manual",
        watchers="none",
        password="sesame",  # noqa: S106 a sample, no secret
        turn_seconds=60,
        bank_seconds=300,
        on_timeout="bot",
        on_absent="skip",
        hints=False,
    ),
    "join": JOIN,
    "join, every field": p.JoinTable(id=5, table="cellar", seat=1, password="sesame"),  # noqa: S106 a sample
    "watch": p.WatchTable(id=6, table="kitchen"),
    "leave": p.LeaveTable(id=7),
    "ready": p.Ready(id=8),
    "ready, not any more": p.Ready(id=9, on=False),
    "start": p.StartTable(id=10),
    "bot_add": p.AddBot(id=11, strategy="greedy"),
    "bot_remove": p.RemoveBot(id=12, name="Bob"),
    "kick": p.Kick(id=13, name="Bob"),
    "host": p.PassHost(id=14, name="Cid"),
    "rematch": p.Rematch(id=15),
    "seat_code": p.AskSeatCode(id=29, name="Ann"),
    "rules, of a table": p.AskRules(id=16, table="kitchen"),
    "rules, of a preset": p.AskRules(id=17, name="classic"),
    "play": PLAY,
    "play, a big set": p.Play(id=4294967295, turn=4294967295, tile=(18, 12), train="m17"),
    "draw": p.Draw(id=19, turn=3),
    "pass": p.Pass(id=20, turn=128),
    "done": p.Done(id=21, turn=65536),
    "knock": p.Knock(id=22),
    "foul": p.Foul(id=23, seat=0, event=40),
    "vote, the least": p.Vote(id=30, choice="bot"),
    "vote, on one seat": p.Vote(id=31, choice="end", seat=1),
    "pause": p.Pause(id=32),
    "pause, go on": p.Pause(id=33, on=False),
    "why, a tile on every train": p.Why(id=37, tile=(5, 6)),
    "why, a tile on a train": p.Why(id=38, tile=(6, 5), train="p0"),
    "why, another move": p.Why(id=39, do="draw"),
    "why, a foul": p.Why(id=40, do="foul", seat=0),
    "hint": p.AskHint(id=41),
    "record, the first part": p.AskRecord(id=27, table="kitchen"),
    "record, a part": p.AskRecord(id=28, table="kitchen", part=3),
    "say": p.Say(id=24, text="Good luck, Ann!"),
    "nudge": p.Nudge(id=34),
    "mute": p.Mute(id=35, name="Bob"),
    "mute, not any more": p.Mute(id=36, name="Bob", on=False),
    "ping": p.Ping(id=25),
    "resync": p.Resync(id=26),
}
SERVER: dict[str, p.AnyServerMessage] = {
    "welcome": WELCOME,
    "refused": p.refused("name_taken"),
    "goodbye": p.goodbye("too_long", params={"bytes": 5000, "limit": 4096}),
    "heartbeat": p.Heartbeat(n=7),
    "closing_soon": p.ClosingSoon(seconds=30),
    "moved": p.Moved(address="192.0.2.7:12012"),
    "ok": p.Ok(answers=7),
    "pong": p.Pong(answers=25),
    "declined": DECLINED,
    "tables": p.Tables(answers=1, tables=[TABLE], page=0, pages=1),
    "table": TABLE_NEWS,
    "table, while somebody is away": p.TableNews(answers=30, table=AWAY_TABLE, seat=1),
    "table_left": p.TableLeft(table="kitchen", code="closed", text="The table is closed."),
    "card": p.Card(
        answers=16,
        rules=RULES,
        lines=[
            p.CardLine(option="set.max_pip", value=6, differs=True, text="double-6 set"),
            p.CardLine(option="game.rounds", value="all", differs=False, text="all rounds"),
            p.CardLine(option="turn.must_play", value=True, differs=False, text="must play"),
            p.CardLine(option="deal.table", value=[15, 12], differs=False, text="tiles dealt"),
        ],
    ),
    "record_part": p.RecordPart(
        answers=27, table="kitchen", part=0, parts=2, text='{"format":1,"lines":['
    ),
    "said": p.Said(name="Ann", text="Good luck, Bob!"),
    "nudged": p.Nudged(name="Bob", seats=[0]),
    "seat_code": p.SeatCode(answers=29, name="Ann", code="K7QF2-M9XWD"),
    "reasons": p.Reasons(
        answers=37,
        reasons=[
            p.Reason(
                do="play",
                tile=(6, 5),
                train="p0",
                code="not_open",
                option="marker.on",
                params={"train": "p0"},
                text="p0 is closed: its owner's marker does not stand on it.",
            ),
            p.Reason(
                do="play",
                tile=(6, 5),
                train="p1",
                code=None,
                option=None,
                params={},
                text="6-5 can be played on p1.",
            ),
        ],
    ),
    "hint": p.Hint(
        answers=41,
        turn=2,
        choice=p.Choice(do="play", tile=(6, 5), train="p1"),
        code="plan",
        params={"kept": "5-5, 5-1"},
        text="Play 6-5 on your train: it goes on with your train and keeps 5-5, 5-1 for later.",
    ),
    "update": UPDATE,
    "update, every event and every other field of the view": p.Update(
        answers=22,
        table="kitchen",
        events=EVENTS,
        last_event=300,
        view=LATE_VIEW,
        seat=1,
        hand=[(6, 5), (1, 0)],
        turn=77,
        choices=[
            p.Choice(do="draw"),
            p.Choice(do="pass"),
            p.Choice(do="done"),
            p.Choice(do="knock"),
            p.Choice(do="foul", seat=0, event=40),
        ],
        deadline_ms=None,
        unproven=True,
    ),
    "update, to a watcher": p.Update(
        answers=0,
        table="kitchen",
        events=[],
        last_event=3,
        view=VIEW,
        seat=None,
        hand=[],
        turn=2,
        choices=[],
        deadline_ms=None,
        unproven=False,
    ),
}


def _raw(message: object) -> bytes:
    packed: bytes = msgpack.packb(message)
    return p.frame(packed)


_UPDATE_RAW = msgpack.unpackb(p.encode(UPDATE))
NEWER: dict[str, bytes] = {
    "a message of an unknown type": _raw({"type": "fireworks", "colour": "red"}),
    "an update with an unknown event": _raw(
        _UPDATE_RAW | {"events": [{"event": "tile_admired", "n": 3, "by": 1}]}
    ),
    "an update with an unknown choice": _raw(
        _UPDATE_RAW | {"choices": [{"do": "admire", "tile": [6, 5]}, *_UPDATE_RAW["choices"]]}
    ),
    "an update with unknown fields": _raw(_UPDATE_RAW | {"weather": "fine", "wind": [3, 4]}),
}
"""What a server newer than the client may send; no client may stumble over it."""


class Fault(NamedTuple):
    """Bytes of a client at fault, when they come, and what the server answers."""

    when: Literal["first", "open"]
    frame: bytes
    reply: Literal["refused", "goodbye", "declined"]
    code: str
    answers: int | None = None


_PLAY = {"type": "play", "id": 9, "turn": 2, "tile": [6, 5], "train": "p1"}
_HELLO = {"type": "hello", "versions": [1, 1], "kind": "bot", "name": "Bob"}
FAULTS: dict[str, Fault] = {
    "a command before the hello": Fault("first", _raw(_PLAY), "goodbye", "before_hello"),
    "a hello too long": Fault("first", b"\x00\x00\x04\x01", "goodbye", "too_long"),
    "a version that nobody speaks": Fault(
        "first", _raw(_HELLO | {"versions": [7, 9]}), "refused", "version"
    ),
    "a name too long": Fault("first", _raw(_HELLO | {"name": "B" * 21}), "refused", "bad_name"),
    "a hello without a kind": Fault(
        "first",
        _raw({"type": "hello", "versions": [1, 1], "name": "Bob"}),
        "refused",
        "bad_field",
    ),
    "a feature that nobody offers": Fault(
        "first", _raw(_HELLO | {"features": ["+telepathy"]}), "refused", "unsupported"
    ),
    "a frame too long": Fault("open", b"\x00\x00\x10\x01", "goodbye", "too_long"),
    "a frame with nothing in it": Fault("open", b"\x00\x00\x00\x00", "goodbye", "not_msgpack"),
    "a frame of JSON": Fault("open", p.frame(b'{"type":"ping","id":9}'), "goodbye", "not_msgpack"),
    "a list instead of a map": Fault("open", _raw([1, 2]), "goodbye", "not_msgpack"),
    "a map and one byte more": Fault(
        "open", p.frame(msgpack.packb(_PLAY) + b"\xc0"), "goodbye", "not_msgpack"
    ),
    "a field twice": Fault(
        "open",
        p.frame(b"\x83" + msgpack.packb("type") + msgpack.packb("ping") + b"\xa2id\x09\xa2id\x0a"),
        "goodbye",
        "not_msgpack",
    ),
    "a second hello": Fault("open", _raw(_HELLO), "goodbye", "protocol"),
    "an unknown type": Fault("open", _raw(_PLAY | {"type": "plya"}), "declined", "unknown_type", 9),
    "no type": Fault("open", _raw({"id": 9}), "declined", "bad_field", 9),
    "a tile that no set has": Fault(
        "open", _raw(_PLAY | {"tile": [6, 19]}), "declined", "bad_field", 9
    ),
    "a train that no table has": Fault(
        "open", _raw(_PLAY | {"train": "q1"}), "declined", "bad_field", 9
    ),
    "a field missing": Fault("open", _raw({"type": "draw", "id": 9}), "declined", "bad_field", 9),
    "an id of zero": Fault("open", _raw(_PLAY | {"id": 0}), "declined", "bad_field", 0),
}
