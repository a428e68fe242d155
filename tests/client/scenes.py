"""Scenes for the full screen: a model and a stage each, as real messages would have left them."""

from collections.abc import Callable, Sequence
from typing import Any

from mexican_train.client.model import Model
from mexican_train.client.stage import Form, Stage
from mexican_train.protocol import (
    AnyEvent,
    Choice,
    DoubleOpened,
    GameOver,
    KnockOwed,
    MarkerSet,
    OpenDouble,
    Passed,
    RoundOver,
    RoundStarted,
    RulesInfo,
    Said,
    SeatVote,
    Tables,
    Tile,
    TileDrawn,
    TileLaid,
    Train,
    View,
)

from .peers import plays, seat_info, table_info, table_news, train, update, view, welcome

Scene = tuple[Model, Stage]
HAND: list[Tile] = [
    *((12, 7), (12, 3), (11, 4), (10, 10), (9, 9), (9, 4), (8, 7), (7, 4)),
    *((6, 6), (6, 1), (5, 0), (4, 2), (3, 3), (1, 0), (0, 0)),
]
REST: list[Tile] = [(12, 9), (12, 5), (12, 1), (11, 9), (11, 8), (11, 7), (11, 6), (11, 3), (8, 1)]
LONG_HAND = [*HAND, *REST]
WIDE_NAME = "日本語の名前はとても長いですよねえ本当に"
HOSTILE = "\x1b[31mRed\u202e\x07\nEve"
LONG_TRAIN: list[Tile] = [(12, 7), *([(7, 3), (3, 5), (5, 12), (12, 7)] * 10)][:40]
SEATS = [seat_info(0, "Me"), seat_info(1, "Ann"), seat_info(2, "Bob")]


def at_table(
    on: View,
    *,
    hand: Sequence[Tile] = HAND,
    choices: Sequence[Choice] = (),
    events: Sequence[AnyEvent] = (),
    seat: int | None = 0,
    deadline_ms: int | None = None,
    said: Sequence[Said] = (),
    **table: Any,
) -> Scene:
    """A game at a table of three, unless the view says otherwise."""
    model = Model()
    model.take(welcome())
    told: dict[str, Any] = {"seats": SEATS, "state": "playing", "round": on.round, "hints": True}
    model.take(table_news(seat=seat, **(told | table)))
    model.take(
        update(
            events,
            list(choices),
            on=on,
            hand=list(hand) if seat is not None else [],
            seat=seat,
            deadline_ms=deadline_ms,
        )
    )
    for each in said:
        model.take(each)
    stage = Stage(now=10.0, update_at=10.0, news_at=10.0)
    stage.order.note(model.hand, on.round)
    return model, stage


RECAP: list[AnyEvent] = [
    RoundStarted(n=1, round=1, engine=(12, 12), hand_counts=[15, 15, 15], boneyard=45),
    TileLaid(n=2, seat=0, tile=(12, 9), train="p0"),
    TileLaid(n=3, seat=1, tile=(12, 6), train="p1"),
    TileDrawn(n=4, seat=2, tile=None),
    Passed(n=5, seat=2),
    MarkerSet(n=6, seat=2),
]
TRAINS: list[Train] = [
    train("p0", (12, 9)),
    train("p1", (12, 6)),
    train("p2", marked=True),
    Train(train="m0", owner=None, open_end=7, tiles=[(12, 4), (4, 7)], marked=False),
]


def my_turn() -> Scene:
    """My turn, a tile selected that fits two trains, a clock, chat."""
    model, stage = at_table(
        view(trains=TRAINS, hand_counts=[15, 14, 3]),
        choices=plays("12-7>m0", "12-7>p2", "12-3>p2", "9-9>p0", "9-4>p0", "8-7>m0", "7-4>m0"),
        events=RECAP,
        deadline_ms=45_000,
        said=[Said(name="Bob", text="hurry up"), Said(name="", text="The server restarts at 9.")],
    )
    stage.selected = (12, 7)
    return model, stage


def owed() -> Scene:
    """24 tiles, a double that I must cover, a notice, and a page that was asked for."""
    trains = [*TRAINS[:2], train("p2", (12, 6), (6, 6)), TRAINS[3]]
    model, stage = at_table(
        view(
            trains=trains,
            hand_counts=[24, 14, 3],
            open_doubles=[OpenDouble(train="p2", tile=(6, 6), seat=2, binding=True)],
            awaited="cover",
        ),
        hand=LONG_HAND,
        choices=plays("6-1>p2", "11-6>p2"),
        events=[
            *RECAP[:3],
            TileLaid(n=4, seat=2, tile=(6, 6), train="p2"),
            DoubleOpened(n=5, seat=2, train="p2", tile=(6, 6)),
        ],
    )
    stage.notice("12-7 does not fit the train of Bob, which ends in 6. (rule: doubles.cover)")
    return model, stage


def owed_covered() -> Scene:
    """The same with the scores over the trains."""
    model, stage = owed()
    stage.cover = "scores"
    return model, stage


def fourteen() -> Scene:
    """14 seats, names from elsewhere, long trains, somebody else's turn."""
    names = ["Me", HOSTILE, WIDE_NAME, *(f"player-{number}" for number in range(3, 14))]
    trains = [
        Train(
            train=f"p{seat}",
            owner=seat,
            open_end=LONG_TRAIN[-1][1],
            tiles=LONG_TRAIN,
            marked=seat % 3 == 0,
        )
        for seat in range(14)
    ]
    trains.append(Train(train="m0", owner=None, open_end=7, tiles=LONG_TRAIN, marked=False))
    return at_table(
        view(
            names=names,
            trains=trains,
            hand_counts=[7] * 14,
            totals=list(range(14)),
            scores=[list(range(14))],
            to_act=1,
            max_pip=18,
        ),
        hand=LONG_HAND[:8],
        events=[TileLaid(n=1, seat=1, tile=(12, 7), train="p1")],
        seats=[seat_info(seat, name) for seat, name in enumerate(names)],
        said=[Said(name=HOSTILE, text="\x1b]0;owned\x07 hi")],
    )


def away() -> Scene:
    """Ann is away and voted on, the others wait; a foul can be called out of turn."""
    return at_table(
        view(
            trains=TRAINS,
            to_act=1,
            hand_counts=[15, 14, 1],
            knocks=[KnockOwed(seat=2, event=9, foul=True)],
        ),
        choices=[Choice(do="foul", seat=2, event=9)],
        events=RECAP,
        seats=[SEATS[0], seat_info(1, "Ann", present=False, away_ms=75_000), SEATS[2]],
        votes=[SeatVote(seat=1, wait=1, skip=0, bot=0, end=0, voters=2, choice=None, open=True)],
    )


def no_tile_fits() -> Scene:
    """My turn, and all that I can do is draw."""
    return at_table(view(trains=TRAINS), choices=plays("draw"), events=RECAP, hand=HAND[:3])


def watching() -> Scene:
    """Somebody who only looks on."""
    return at_table(view(trains=TRAINS, to_act=2), seat=None, events=RECAP, watchers=1)


def over(scores: list[int], totals: list[int]) -> RoundOver:
    hands: list[list[Tile]] = [HAND[:6], [], LONG_HAND[8:]]
    return RoundOver(n=20, round=4, winner=1, hands=hands, scores=scores, totals=totals)


def summary() -> Scene:
    """Between two rounds: every hand, the sums, who is ready."""
    return at_table(
        view(round=4, phase="round_over", to_act=None, totals=[92, 30, 30], scores=[[60, 0, 30]]),
        events=[over([60, 0, 30], [92, 30, 30])],
        state="between",
        seats=[SEATS[0], seat_info(1, "Ann", ready=True), SEATS[2]],
    )


def final() -> Scene:
    """The game is over, and two share the first place."""
    return at_table(
        view(round=13, phase="over", to_act=None, totals=[92, 30, 30], scores=[[60, 0, 30]]),
        events=[
            over([60, 0, 30], [92, 30, 30]),
            GameOver(n=21, totals=[92, 30, 30], places=[3, 1, 1]),
        ],
        state="over",
        host="Me",
    )


def lobby() -> Scene:
    """20 tables, the twelfth selected."""
    model = Model()
    model.take(welcome())
    unusual = RulesInfo(name="bernie", hash="b1", changed=4)
    usual = RulesInfo(name="classic", hash="00", changed=0)
    tables = [
        table_info(f"table-{number}", SEATS[: number % 4], rules=unusual if number % 3 else usual)
        for number in range(1, 21)
    ]
    model.take(Tables(answers=1, tables=tables, page=0, pages=1))
    return model, Stage(row=11)


def new_table() -> Scene:
    """The form for a table."""
    model, stage = lobby()
    stage.form = Form(name="Me", rules="bernie", seats=5, bots=3, row=1)
    return model, stage


def waiting() -> Scene:
    """Before the game, as its host."""
    model = Model()
    model.take(welcome())
    model.take(table_news(seats=[*SEATS, seat_info(3)], start="ready", host="Me", name="den"))
    model.take(Said(name="Ann", text="who is the fourth?"))
    return model, Stage()


def help_page() -> Scene:
    """The help in a game."""
    model, stage = my_turn()
    stage.cover = "keys"
    return model, stage


def typing() -> Scene:
    """A half-typed entry."""
    model, stage = my_turn()
    stage.selected = None
    stage.typed, stage.cursor = "9-4 me", 6
    return model, stage


SCENES: dict[str, Callable[[], Scene]] = {
    "my-turn": my_turn,
    "owed": owed,
    "owed-covered": owed_covered,
    "fourteen": fourteen,
    "away": away,
    "no-tile-fits": no_tile_fits,
    "watching": watching,
    "summary": summary,
    "final": final,
    "lobby": lobby,
    "new-table": new_table,
    "waiting": waiting,
    "help": help_page,
    "typing": typing,
}
