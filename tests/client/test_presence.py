"""What a person reads and types about who is away, votes, pauses, nudges and seat codes."""

from typing import Any

import pytest
from click.testing import CliRunner
from mexican_train.client import render
from mexican_train.client.cli import main as mt_client
from mexican_train.client.entries import Ask, EntryError, read_entry, words_for
from mexican_train.client.link import hello_for
from mexican_train.client.model import Model
from mexican_train.client.presence import (
    minutes,
    nudge_line,
    presence_lines,
    seat_code_lines,
)
from mexican_train.client.words import event_sentence
from mexican_train.protocol import (
    AnyCommand,
    AskSeatCode,
    GameEnded,
    Mute,
    Nudge,
    Nudged,
    Pause,
    SeatCode,
    SeatVote,
    TableNews,
    Vote,
)

from .peers import plays, seat_info, table_news, update, view, welcome

NAMES = ["Me", "Ann", "Zoë"]


def vote(**fields: Any) -> SeatVote:
    """A vote on Ann, with these fields."""
    told: dict[str, Any] = dict.fromkeys(("wait", "skip", "bot", "end"), 0)
    told |= {"seat": 1, "voters": 2, "choice": None, "open": True}
    return SeatVote(**(told | fields))


def news(away_ms: int = 0, *votes: SeatVote, **fields: Any) -> TableNews:
    """The table with Ann away for so long."""
    seats = [seat_info(seat, name) for seat, name in enumerate(NAMES)]
    if away_ms:
        seats[1] = seat_info(1, "Ann", present=False, away_ms=away_ms)
    return table_news(seats=seats, votes=[*votes], **({"state": "playing"} | fields))


def playing(arrival: TableNews) -> Model:
    """A player in seat 0, in the middle of a game."""
    model = Model()
    model.take(welcome())
    model.take(arrival)
    model.take(update(choices=plays("12-7>p0"), on=view(names=NAMES)))
    return model


def told(before: TableNews, after: TableNews) -> list[str]:
    """What the later news tells."""
    model = playing(before)
    model.take(after)
    return render.news_lines(before.table, after, model)


def command(line: str, model: Model) -> AnyCommand:
    """What a typed line asks the server."""
    entry = read_entry(line, model)
    assert isinstance(entry, Ask)
    return entry.command


# --- what is read -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("span", "text"), [(0, "0:00"), (45_999, "0:45"), (60_000, "1:00"), (725_000, "12:05")]
)
def test_a_span_is_written_as_on_a_clock(span: int, text: str) -> None:
    assert minutes(span) == text


def test_a_vote_that_opens_says_what_to_type() -> None:
    assert told(news(1), news(60_000, vote())) == [
        "Ann is away, 1:00.",
        "Type vote wait, vote skip, vote bot (a substitute plays) or vote end (the game).",
    ]


def test_votes_are_told_as_they_come_in() -> None:
    before, after = news(60_000, vote()), news(61_000, vote(bot=1, skip=1, voters=3))
    assert told(before, after) == [
        "For Ann: 1 vote to skip the turns and 1 vote for a substitute, of 3 voters."
    ]
    assert told(after, news(62_000, vote(bot=1, skip=1, voters=3))) == []


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ("wait", "The table waits for Ann."),
        ("skip", "The turns of Ann are skipped until they are back."),
        ("bot", "A substitute plays for Ann until they are back."),
    ],
)
def test_what_is_decided_is_told(choice: Any, sentence: str) -> None:
    assert told(news(60_000, vote()), news(60_000, vote(choice=choice, open=False))) == [sentence]


def test_what_the_table_does_without_a_vote_is_told() -> None:
    assert told(news(1), news(60_000, vote(choice="bot", open=False))) == [
        "Ann is away, 1:00.",
        "A substitute plays for Ann until they are back.",
    ]


def test_a_pause_is_told() -> None:
    assert told(news(), news(paused=True)) == ["The game is paused."]
    assert told(news(paused=True), news()) == ["The game goes on."]


def test_the_table_tells_for_how_long_somebody_is_away_by_now() -> None:
    table = news(30_000, vote(wait=1, choice="wait"), paused=True).table
    assert presence_lines(table, 15_000) == [
        "The game is paused.",
        "Ann is away, 0:45.",
        "The table waits for Ann.",
        "For Ann: 1 vote to wait, of 2 voters.",
    ]
    assert presence_lines(news().table) == []


def test_a_list_of_seats_tells_for_how_long_somebody_is_away() -> None:
    assert "  seat 1: Ann (away, 0:45)" in render.seats_lines(news(45_000).table)


def test_a_nudge_names_who_asks_and_who_is_asked() -> None:
    model = playing(news())
    assert nudge_line(Nudged(name="Ann", seats=[0, 2]), model) == "Ann asks you and Zoë to go on."


def test_a_seat_code_stands_alone_at_the_end_of_its_line() -> None:
    lines = seat_code_lines(SeatCode(answers=1, name="Ann", code="K7QF2-M9XWD"))
    assert lines[0].endswith(" is K7QF2-M9XWD")
    assert "--seat-code" in lines[1]


def test_a_game_that_was_broken_off_says_why_and_offers_no_record() -> None:
    model = playing(news(60_000))
    ended = GameEnded(n=9, seat=1, totals=[0, 0, 0])
    sentence = "The game is ended before its time: Ann stayed away. Nobody wins."
    assert event_sentence(ended, model) == sentence
    model.take(update([ended], on=view(names=NAMES, phase="over", to_act=None), last_event=9))
    assert model.is_broken_off
    before, after = news(60_000), news(60_000, state="over")
    model.take(after)
    lines = render.news_lines(before.table, after, model)
    assert lines[0] == "Type leave to go back to the lobby."


def test_remote_names_are_cleaned() -> None:
    table = news(5_000).table
    table.seats[1] = seat_info(1, "A\x1b[2Jnn", present=False, away_ms=5_000)
    assert all("\x1b" not in line for line in presence_lines(table))


# --- what is typed ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("vote bot", Vote(id=0, choice="bot")),
        ("vote WAIT", Vote(id=0, choice="wait")),
        ("vote skip ann", Vote(id=0, choice="skip", seat=1)),
        ("vote end", Vote(id=0, choice="end")),
        ("nudge", Nudge(id=0)),
        ("mute ann", Mute(id=0, name="Ann")),
        ("unmute Ann", Mute(id=0, name="Ann", on=False)),
        ("seat-code ann", AskSeatCode(id=0, name="Ann")),
        ("pause", Pause(id=0)),
    ],
)
def test_entries(line: str, expected: AnyCommand) -> None:
    assert command(line, playing(news(60_000, vote()))) == expected


def test_a_second_pause_lets_the_game_go_on() -> None:
    assert command("pause", playing(news(paused=True))) == Pause(id=0, on=False)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("vote", "Type vote and one of wait, skip, bot or end, for example: vote bot"),
        ("vote yes", "Type vote and one of wait, skip, bot or end, for example: vote bot"),
        ("vote bot Bob", "There is no player 'bob' here. Players: Me, Ann, Zoë."),
        ("mute", "Say who, for example: mute Ann"),
        ("nudge Ann", "Type nudge alone; 'Ann' after it means nothing."),
    ],
)
def test_what_means_nothing(line: str, sentence: str) -> None:
    with pytest.raises(EntryError) as failure:
        read_entry(line, playing(news()))
    assert str(failure.value) == sentence


def test_help_offers_what_is_possible_now() -> None:
    """A vote while there is one, and what a host may do to a host."""
    for arrival, offered in (
        (news(), set()),
        (news(60_000, vote()), {"vote"}),
        (news(60_000, vote(open=False)), set()),
        (news(host="Me"), {"pause", "seat-code"}),
    ):
        model = playing(arrival)
        page = "\n".join(render.help_lines(model))
        assert {"vote", "pause", "seat-code"} & {*words_for(model)} == offered
        assert {word for word in ("vote", "pause", "seat-code") if word in page} == offered


# --- the seat code ------------------------------------------------------------------------


def test_a_seat_code_goes_into_the_hello() -> None:
    assert hello_for("Ann", seat_code="K7QF2-M9XWD").seat_code == "K7QF2-M9XWD"
    assert hello_for("Ann").seat_code is None


@pytest.mark.parametrize("words", [["--solo", "--seat-code", "X"], ["host", "--seat-code", ""]])
def test_bad_usage_of_a_seat_code(words: list[str]) -> None:
    result = CliRunner().invoke(mt_client, words)
    assert result.exit_code == 2
    assert "--seat-code" in result.stderr
