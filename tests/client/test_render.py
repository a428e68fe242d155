"""Line mode as text: what a person reads, word for word."""

import unicodedata
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mexican_train.client import render
from mexican_train.client.clean import clean, padded, width, wrapped
from mexican_train.client.entries import words_for
from mexican_train.client.model import Model
from mexican_train.client.words import declined_sentence, event_sentence
from mexican_train.protocol import (
    AnyEvent,
    Card,
    CardLine,
    Choice,
    DoubleCovered,
    DoubleLapsed,
    DoubleOpened,
    EngineLaid,
    FoulCalled,
    GameOver,
    Knocked,
    KnockOwed,
    MarkerRemoved,
    MarkerSet,
    OneTileLeft,
    OpenDouble,
    Passed,
    RoundBlocked,
    RoundOver,
    RoundStarted,
    RulesInfo,
    Said,
    SearchDrew,
    TableNews,
    Tables,
    Tile,
    TileDrawn,
    TileLaid,
    TimeUp,
    TurnSkipped,
    UnknownEvent,
    WentOut,
    declined,
)

from .peers import (
    plays,
    seat_info,
    table_info,
    table_news,
    train,
    update,
    view,
    welcome,
)

NAMES = ["Me", "Ann", "greedy", "Zoë"]


def model_with(
    choices: Sequence[Choice] = (), *, events: Sequence[AnyEvent] = (), **fields: Any
) -> Model:
    """A player in seat 0 of a game with Ann, greedy and Zoë."""
    of_view = {
        "names": NAMES,
        "hand_counts": [3, 7, 7, 1],
        "trains": [
            train("p0"),
            train("p1", *[(end % 13, (end + 1) % 13) for end in range(12, 45)]),
            train("p2", (12, 9), (9, 9), marked=True),
            train("p3"),
            train("m0", (12, 1)),
        ],
        "totals": [0, 0, 0, 0],
        "round": 3,
    }
    own = {key: fields.pop(key) for key in ("hand", "seat", "deadline_ms") if key in fields}
    model = Model()
    model.take(welcome())
    model.take(table_news(seats=[seat_info(seat, name) for seat, name in enumerate(NAMES)]))
    model.take(update(events, choices, on=view(**(of_view | fields)), **own))
    return model


def text(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


# --- events ---------------------------------------------------------------------------------


LAID: Tile = (12, 7)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (
            RoundStarted(n=1, round=3, engine=(10, 10), hand_counts=[], boneyard=1),
            "Round 3 of 13 begins. The engine is 10-10; 1 tile in the boneyard.",
        ),
        (SearchDrew(n=1, seat=1, tile=None), "Ann draws a tile in search of the engine."),
        (SearchDrew(n=1, seat=0, tile=(3, 1)), "You draw 3-1 in search of the engine."),
        (
            EngineLaid(n=1, seat=1, tile=(9, 9), first=0),
            "Ann lays the engine 9-9. You begin.",
        ),
        (EngineLaid(n=1, seat=None, tile=(9, 9), first=3), "The engine 9-9 is laid. Zoë begins."),
        (TileLaid(n=1, seat=0, tile=(7, 12), train="p0"), "You play 12-7 on your train."),
        (TileLaid(n=1, seat=1, tile=LAID, train="p1"), "Ann plays 12-7 on their own train."),
        (TileLaid(n=1, seat=1, tile=LAID, train="p0"), "Ann plays 12-7 on your train."),
        (TileLaid(n=1, seat=0, tile=LAID, train="p3"), "You play 12-7 on Zoë's train."),
        (TileLaid(n=1, seat=2, tile=LAID, train="m0"), "greedy plays 12-7 on the Mexican Train."),
        (TileLaid(n=1, seat=2, tile=LAID, train="m1"), "greedy plays 12-7 on Mexican Train 2."),
        (TileDrawn(n=1, seat=1, tile=None), "Ann draws a tile."),
        (TileDrawn(n=1, seat=0, tile=(0, 4)), "You draw 4-0."),
        (Passed(n=1, seat=0), "You pass."),
        (Passed(n=1, seat=1), "Ann passes."),
        (TurnSkipped(n=1, seat=0), "The table skips your turn."),
        (
            TimeUp(n=1, seat=0, budget_ms=30_000, bank_ms=0, credit_ms=0, rtt_ms=None),
            "Your time is up: 30 seconds.",
        ),
        (
            TimeUp(n=1, seat=0, budget_ms=1000, bank_ms=0, credit_ms=9, rtt_ms=9),
            "Your time is up: 1 second.",
        ),
        (
            TimeUp(n=1, seat=1, budget_ms=9000, bank_ms=500, credit_ms=40, rtt_ms=40),
            (
                "Ann's time is up: 9 seconds, 0.5 seconds of the bank and 0.04 seconds on top "
                "for a connection that takes 0.04 seconds."
            ),
        ),
        (MarkerSet(n=1, seat=0), "Your train is open now."),
        (MarkerSet(n=1, seat=1), "Ann's train is open now."),
        (MarkerRemoved(n=1, seat=1), "Ann's train is closed again."),
        (MarkerRemoved(n=1, seat=2), "greedy's train is closed again."),
        (
            DoubleOpened(n=1, seat=1, train="m0", tile=(6, 6)),
            "The double 6-6 on the Mexican Train must be covered.",
        ),
        (
            DoubleCovered(n=1, seat=1, train="p1", tile=(6, 6)),
            "The double 6-6 on Ann's train is covered.",
        ),
        (
            DoubleLapsed(n=1, train="p0", tile=(6, 6), reason="dead_number"),
            "The double 6-6 on your train need not be covered: every 6 lies on the table.",
        ),
        (
            DoubleLapsed(n=1, train="p0", tile=(6, 6), reason="boneyard_empty"),
            "The double 6-6 on your train need not be covered: the boneyard is empty.",
        ),
        (OneTileLeft(n=1, seat=0), "You have one tile left."),
        (OneTileLeft(n=1, seat=1), "Ann has one tile left."),
        (Knocked(n=1, seat=1), "Ann knocks: one tile left."),
        (
            FoulCalled(n=1, seat=0, by=1, drawn=2, tiles=[(3, 1), (2, 2)]),
            "Ann calls you for not knocking; you draw 3-1 and 2-2.",
        ),
        (
            FoulCalled(n=1, seat=1, by=0, drawn=1, tiles=None),
            "You call Ann for not knocking; Ann draws 1 tile.",
        ),
        (WentOut(n=1, seat=0), "You go out."),
        (WentOut(n=1, seat=1), "Ann goes out."),
        (RoundBlocked(n=1), "Nobody can play: the round is blocked."),
        (UnknownEvent(n=1, raw={"event": "earthquake"}), None),
    ],
)
def test_every_event_is_one_sentence(event: AnyEvent, sentence: str | None) -> None:
    assert event_sentence(event, model_with()) == sentence


def test_the_end_of_a_round() -> None:
    """Every hand left with its sum, then the totals from the best to the worst."""
    event = RoundOver(
        n=1,
        round=3,
        winner=0,
        hands=[[], [(3, 1), (12, 12)], [(0, 0)], [(5, 5)]],
        scores=[0, 28, 50, 10],
        totals=[113, 33, 101, 119],
    )
    assert text(render.events_lines([WentOut(n=0, seat=0), event], model_with())) == (
        "You go out.\n"
        "Round 3 is over. You win it.\n"
        "Left in hand:\n"
        "  You: nothing = no points\n"
        "  Ann: 3-1 12-12 = 28 points\n"
        "  greedy: 0-0 = 50 points\n"
        "  Zoë: 5-5 = 10 points\n"
        "Totals so far, the lowest leads: Ann 33, greedy 101, You 113, Zoë 119.\n"
    )


def test_a_double_that_ends_the_round_asks_for_no_cover() -> None:
    """Where the others still have their turns (`finish_lap`), it does."""
    laid = TileLaid(n=1, seat=0, tile=(9, 9), train="p0")
    opened = DoubleOpened(n=2, seat=0, train="p0", tile=(9, 9))
    out = WentOut(n=3, seat=0)
    over = RoundOver(n=5, round=1, winner=0, hands=[[]], scores=[0], totals=[0])
    must = "The double 9-9 on your train must be covered."
    at_once: list[AnyEvent] = [laid, opened, out, over]
    assert must not in render.events_lines(at_once, model_with())
    assert must not in render.log_lines(model_with(events=at_once))
    later: list[AnyEvent] = [laid, opened, out, Passed(n=4, seat=1), over]
    assert must in render.events_lines(later, model_with())
    assert must in render.events_lines([laid, opened, out], model_with())
    assert must in render.log_lines(model_with(events=later))


def test_the_end_of_the_game() -> None:
    """Equal totals share a place, and the next place is left out: 1, 1, 3."""
    event = GameOver(n=1, totals=[9, 3, 3, 1], places=[3, 1, 1, 4])
    assert text(render.events_lines([event], model_with())) == (
        "The game is over. Ann and greedy share the win.\n"
        "Final ranking:\n"
        "   1.  Ann     3 points\n"
        "   1.  greedy  3 points\n"
        "   3.  You     9 points\n"
        "   4.  Zoë     1 point\n"
    )


def test_a_single_winner() -> None:
    event = GameOver(n=1, totals=[1, 3, 3, 9], places=[1, 2, 2, 4])
    assert render.events_lines([event], model_with())[0] == "The game is over. You win."


# --- the position ---------------------------------------------------------------------------


OWED = [OpenDouble(train="p2", tile=(9, 9), seat=1, binding=True)]


def test_your_turn() -> None:
    """Whose turn, what is owed and by whom, what is open, the hand, the numbered choices."""
    choices = plays("draw", "12-7>p2", "12-7>p0", "12-7>m0", "9-9>p2")
    model = model_with(choices, open_doubles=OWED, awaited="cover", deadline_ms=29_600)
    assert text(render.turn_lines(model)) == (
        "Your turn: you must cover the 9-9 on greedy's train.\n"
        "Open to everybody: greedy's train (end 9) and the Mexican Train (end 1).\n"
        "The 9-9 on greedy's train, laid by Ann, must be covered first.\n"
        "You have 30 seconds.\n"
        "Your hand (3 tiles, 52 pips; * can be played):\n"
        "  12-7*  12-3  9-9*\n"
        "You can:\n"
        "  1  12-7 on your train\n"
        "  2  12-7 on the Mexican Train\n"
        "  3  12-7 on greedy's train\n"
        "  4  9-9 on greedy's train\n"
        "  5  draw a tile\n"
    )


def test_a_mexican_train_can_be_started() -> None:
    model = model_with(plays("12-7>m0", "pass"), trains=[train("p0"), train("p1")])
    assert text(render.turn_lines(model)) == (
        "Your turn.\n"
        "No train is open to everybody.\n"
        "Your hand (3 tiles, 52 pips; * can be played):\n"
        "  12-7*  12-3  9-9\n"
        "You can:\n"
        "  1  12-7 on the Mexican Train (starts it)\n"
        "  2  pass\n"
    )


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"to_act": 1}, "Ann's turn."),
        ({"to_act": 0, "awaited": "extra"},
         "Your turn: after the double you must play another tile."),
        ({"to_act": 1, "awaited": "go_on"}, "Ann's turn: Ann may play on or end the turn."),
        ({"to_act": 1, "awaited": "cover", "open_doubles": OWED},
         "Ann's turn: Ann must cover the 9-9 on greedy's train."),
        ({"to_act": None, "phase": "round_over"}, None),
    ],
)  # fmt: skip
def test_whose_turn_and_what_is_awaited(fields: dict[str, Any], sentence: str | None) -> None:
    assert render.turn_sentence(model_with(**fields)) == sentence


def test_out_of_turn_there_may_be_a_knock_or_a_foul() -> None:
    choices = [Choice(do="foul", seat=3, event=9), Choice(do="knock")]
    assert text(render.choice_lines(model_with(choices, to_act=1))) == (
        "You can, though it is not your turn:\n"
        "  1  knock: you have one tile left\n"
        "  2  call the foul of Zoë, who did not knock\n"
    )


def test_the_table() -> None:
    """Open and closed in words; a long train is cut at its start, its open end always shows."""
    assert text(render.table_lines(model_with(open_doubles=OWED, to_act=1))) == (
        "Round 3 of 13, engine 12-12, 40 tiles in the boneyard.\n"
        "p0 You      closed  end 12\n"
        "p1 Ann      closed  end  6  … 8-9 9-10 10-11 11-12 12-0 0-1 1-2 2-3 3-4 4-5 5-6\n"
        "p2 greedy   OPEN    end  9  12-9 9-9\n"
        "p3 Zoë      closed  end 12\n"
        "m0 Mexican  OPEN    end  1  12-1\n"
        "The 9-9 on greedy's train, laid by Ann, must be covered first.\n"
        "Tiles in hand: You 3, Ann 7, greedy 7, Zoë 1.\n"
        "Ann's turn.\n"
    )


def test_the_scores() -> None:
    model = model_with(scores=[[3, 0, 44, 100], [0, 5, 7, 9]], totals=[3, 5, 51, 109])
    assert text(render.scores_lines(model)) == (
        "round   You    Ann    greedy  Zoë\n"
        "1       3      0      44      100\n"
        "2       0      5      7       9\n"
        "total   3      5      51      109\n"
    )


def test_a_hand_of_24_tiles_shows_whole() -> None:
    hand = [(12, low) for low in range(12)] + [(11, low) for low in range(12)]
    assert text(render.hand_lines(model_with(hand=hand))) == (
        "Your hand (24 tiles, 408 pips):\n"
        "  12-0  12-1  12-2  12-3  12-4  12-5  12-6  12-7  12-8  12-9  12-10  12-11  11-0\n"
        "  11-1  11-2  11-3  11-4  11-5  11-6  11-7  11-8  11-9  11-10  11-11\n"
    )


# --- lobby and table ------------------------------------------------------------------------


SEATS = [
    seat_info(0, "Me", ready=True),
    seat_info(1, "Ann", present=False),
    seat_info(2, "greedy", kind="bot"),
    seat_info(3),
]


def test_the_lobby() -> None:
    model = Model()
    rules = RulesInfo(name="bernie", hash="00", changed=2)
    tables = [
        table_info("den", SEATS),
        table_info("Blue Room", state="playing", round=3, rules=rules, locked=True),
    ]
    model.take(Tables(answers=1, tables=tables, page=0, pages=1))
    assert text(render.lobby_lines(model)) == (
        "Tables:\n"
        "  1  den: 1 free seat; Me, Ann, greedy; rules classic\n"
        "  2  Blue Room: playing, round 3 of 13; nobody yet; rules bernie with 2 changes,\n"
        "     wants a password\n"
        "Type join and a number to sit down, or create NAME for a new table.\n"
    )


def test_an_empty_lobby() -> None:
    assert render.lobby_lines(Model()) == ["There is no table yet. Type create NAME to open one."]


def test_arriving_at_a_table() -> None:
    news = table_news(seats=SEATS, host="Ann", start="ready", name="den")
    model = Model(name="Me")
    model.take(news)
    assert text(render.news_lines(None, news, model)) == (
        "You sit at den, seat 0.\n"
        "Table den, rules classic.\n"
        "  seat 0: Me (ready)\n"
        "  seat 1: Ann (host, not ready, away)\n"
        "  seat 2: greedy (bot)\n"
        "  seat 3: free\n"
        "The game starts when every seat is taken and everybody has typed ready.\n"
    )


def changed(before: TableNews, after: TableNews) -> list[str]:
    return render.news_lines(before.table, after, Model(name="Me"))


@pytest.mark.parametrize(
    ("seats", "lines"),
    [
        ([seat_info(0, "Me"), seat_info(1, "Ann")], []),
        ([seat_info(0, "Me"), seat_info(1, "Ann", present=False)], ["Ann is away."]),
        ([seat_info(0, "Me"), seat_info(1, "Ann", ready=True)], ["Ann is ready."]),
        ([seat_info(0, "Me", ready=True), seat_info(1, "Ann")], ["You are ready."]),
        ([seat_info(0, "Me"), seat_info(1)], ["Ann leaves."]),
        (
            [seat_info(0, "Me"), seat_info(1, "greedy", kind="bot")],
            ["Ann leaves.", "greedy (bot) takes seat 1."],
        ),
    ],
)
def test_what_changes_at_a_table(seats: Any, lines: list[str]) -> None:
    before = table_news(seats=[seat_info(0, "Me"), seat_info(1, "Ann")])
    assert changed(before, table_news(seats=seats)) == lines


def test_coming_back_and_the_host() -> None:
    before = table_news(seats=[seat_info(0, "Me"), seat_info(1, "Ann", present=False)], host="Ann")
    after = table_news(seats=[seat_info(0, "Me"), seat_info(1, "Ann")], host="Me")
    assert changed(before, after) == ["Ann is back.", "You are the host now."]


def told_in_turn(*news: TableNews) -> list[list[str]]:
    """What one piece of news after the other tells."""
    model = Model(name="Me")
    told = []
    for each in news:
        before = model.table
        model.take(each)
        told.append(render.news_lines(before, each, model))
    return told


def test_a_house_bot_that_comes_to_its_seat_is_not_back() -> None:
    """It was never away: its seat is taken for it before it is there."""
    me, empty = seat_info(0, "Me"), seat_info(1)
    taken, here = (
        seat_info(1, "greedy-3", kind="bot", present=present) for present in (False, True)
    )
    rows = [[me, seat] for seat in (empty, taken, here, taken, here)]
    assert told_in_turn(*[table_news(seats=row) for row in rows])[1:] == [
        ["greedy-3 (bot) takes seat 1."],
        [],
        ["greedy-3 is away."],
        ["greedy-3 is back."],
    ]


@pytest.mark.parametrize(
    ("start", "seats", "sentence"),
    [
        ("full", ["Me", "Ann"], "The game starts now."),
        ("full", ["Me", ""], "The game starts when every seat is taken."),
        ("full", ["Me", "-"], "The game starts when everybody is here."),
        ("ready", ["Me", "Ann"], "The game starts when everybody has typed ready."),
        ("ready", ["Me", "-"],
         "The game starts when everybody is here and everybody has typed ready."),
        ("ready", ["Me", ""],
         "The game starts when every seat is taken and everybody has typed ready."),
        ("manual", ["Me", ""], "The game starts when the host types start."),
    ],
)  # fmt: skip
def test_what_a_rematch_waits_for(start: str, seats: list[str], sentence: str) -> None:
    """Only that which is still to be awaited, by the table's own rule."""
    row = [
        seat_info(seat, name.replace("-", "Ann"), present=name != "-")
        for seat, name in enumerate(seats)
    ]
    before = table_news(seats=row, start=start, state="over")
    after = table_news(seats=row, start=start)
    assert changed(before, after) == ["The table is set up for another game.", sentence]


@pytest.mark.parametrize(
    ("start", "host", "sentence"),
    [
        ("full", "Me", "You may type rematch, for another game at once."),
        ("ready", "Ann",
         "The host may type rematch, for another game when everybody has typed ready."),
        ("manual", "Ann", "The host may type rematch, for another game when the host types start."),
    ],
)  # fmt: skip
def test_how_it_goes_on_after_the_game(start: str, host: str, sentence: str) -> None:
    row = [seat_info(0, "Me"), seat_info(1, "Ann")]
    before, after = (
        table_news(seats=row, start=start, host=host, state=state) for state in ("playing", "over")
    )
    assert changed(before, after)[1:] == [sentence]


def test_a_rule_card() -> None:
    lines = [
        CardLine(option="set.max_pip", value=9, differs=True, text="The set is a double-9."),
        CardLine(option="turn.must_play", value=True, differs=False, text="Who can play must."),
        CardLine(option="doubles.lapse", value=["dead_number"], differs=False, text="x " * 40),
    ]
    card = Card(answers=1, rules=RulesInfo(name="mine", hash="00", changed=1), lines=lines)
    assert text(render.card_lines(card)) == (
        "Rules mine (hash 00). What differs from classic:\n"
        "! set.max_pip = 9: The set is a double-9.\n"
        "The 2 other options are as in classic. Type rules all to read every option.\n"
    )
    assert text(render.whole_card_lines(card)) == (
        "Rules mine (hash 00); ! marks what differs from classic:\n"
        "! set.max_pip = 9: The set is a double-9.\n"
        "  turn.must_play = yes: Who can play must.\n"
        "  doubles.lapse = dead_number: x x x x x x x x x x x x x x x x x x x x x x x x x\n"
        "    x x x x x x x x x x x x x x x \n"
    )


def test_a_refusal_names_the_rule_behind_it() -> None:
    answer = declined(1, "must_cover", option="doubles.must_cover")
    assert declined_sentence(answer) == (
        "An open double must be covered first. (rule: doubles.must_cover)"
    )


def test_the_log_and_chat() -> None:
    model = model_with(events=[Passed(n=1, seat=1)])
    model.take(Said(name="Ann", text="hi\x07 there"))
    model.take(Said(name="", text="stopping"))
    assert render.log_lines(model) == [
        "Ann passes.",
        "Ann says: hi there",
        "The server says: stopping",
    ]


def test_help_names_what_can_be_typed_there() -> None:
    """Every word of a place but `help` stands in its help, and no line is too wide."""
    lobby, table, game = Model(), Model(), model_with()
    table.take(table_news())
    for model in (lobby, table, game, model_with([Choice(do="knock")]), model_with(seat=None)):
        page = render.help_lines(model)
        assert all(width(line) <= render.COLUMNS for line in page)
        assert [word for word in words_for(model) if word not in text(page)] == ["help"]


def test_a_watcher_is_offered_what_a_watcher_can_do() -> None:
    page = text(render.help_lines(model_with(seat=None)))
    for word in ("play", "draw", "hand", "knock", "ready", "start", "kick", "rematch"):
        assert word not in page
    assert "You are watching: you have no hand." not in render.turn_lines(model_with(seat=None))


def card(name: str, hash_: str, mode: str) -> Card:
    line = CardLine(option="announce.mode", value=mode, differs=mode != "off", text="")
    return Card(answers=1, rules=RulesInfo(name=name, hash=hash_, changed=1), lines=[line])


def offers_knocks(model: Model) -> bool:
    page = text(render.help_lines(model))
    assert ("foul" in page) == ("knock" in page)
    return "knock" in page


def test_help_offers_knocks_where_the_rules_have_them() -> None:
    """As the table's own card says; without it once a knock or foul was offered, or one is owed."""
    model = model_with()
    assert not offers_knocks(model)
    model.take(card("other", "11", "knock"))
    assert not offers_knocks(model)
    model.take(card("classic", "00", "knock"))
    assert offers_knocks(model)
    model.take(card("other", "11", "off"))
    assert offers_knocks(model)
    assert offers_knocks(model_with([Choice(do="foul", seat=1, event=3)]))
    assert offers_knocks(model_with(knocks=[KnockOwed(seat=1, event=3, foul=True)]))


def test_that_rules_were_changed_is_told_once() -> None:
    """By the number of the changes; the remark of the server is left out then."""
    rules = RulesInfo(name="classic (changed)", hash="01", changed=1)
    told = render.table_words(table_info("t", rules=rules))
    assert "rules classic with 1 change" in told
    assert "(changed)" not in told


def test_scores_of_many_seats_go_in_lines() -> None:
    """Fourteen names do not fit beside one another: each round is a list then."""
    names = ["Me", *[f"player-{seat}" for seat in range(1, 14)]]
    model = model_with(names=names, scores=[[7] * 14], totals=[7] * 14)
    lines = render.scores_lines(model)
    assert lines[0].startswith("1: You 7, player-1 7, player-2 7,")
    assert all(width(line) <= render.COLUMNS for line in lines)


# --- remote text ----------------------------------------------------------------------------


@given(st.text(max_size=200))
def test_nothing_dangerous_survives(remote: str) -> None:
    """No control, bidi or invisible character, no line end, and the width is that of the text."""
    cleaned = clean(remote)
    categories = {unicodedata.category(char) for char in cleaned}
    assert categories.isdisjoint({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("remote", "cleaned"),
    [
        ("a\x1b[2Jb", "a[2Jb"),
        ("a\u202eb\u2066c\u200bd", "abcd"),
        ("a\r\nb\tc", "a  b c"),
        ("e\u0301\u0301\u0301\u0301", "e\u0301\u0301"),
        ("日本", "日本"),
    ],
)
def test_cleaning(remote: str, cleaned: str) -> None:
    assert clean(remote) == cleaned


def test_a_hostile_name_changes_no_line() -> None:
    """A name full of controls and wide characters stays in its place, on every page."""
    hostile = "\x1b[2J日本語\u202eで\r\n"
    names = ["Me", hostile, "greedy", "Zoë"]
    events: list[AnyEvent] = [Passed(n=1, seat=1), TileLaid(n=2, seat=1, tile=LAID, train="p1")]
    model = model_with(plays("12-7>p1"), names=names, open_doubles=OWED, events=events)
    pages = [
        render.turn_lines(model),
        render.table_lines(model),
        render.scores_lines(model),
        render.log_lines(model),
        render.events_lines(events, model),
    ]
    for line in (line for page in pages for line in page):
        assert not any(unicodedata.category(char) in ("Cc", "Cf") for char in line)
        assert width(line) <= render.COLUMNS


@given(st.text("ab 日é", max_size=300), st.integers(12, 80))
def test_wrapping(remote: str, columns: int) -> None:
    """No line is too wide and no word is lost."""
    lines = wrapped(remote, columns, "  ")
    assert all(width(line) <= columns for line in lines)
    assert "".join(lines).replace(" ", "") == remote.replace(" ", "")


@given(st.text("ab日é", max_size=30), st.integers(1, 20))
def test_padding(remote: str, columns: int) -> None:
    assert width(padded(remote, columns)) == columns
