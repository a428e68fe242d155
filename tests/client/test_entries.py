"""Typed lines and what they mean, for people who type as they think."""

import pytest
from mexican_train.client.entries import Ask, EntryError, Quit, Show, is_quit, read_entry
from mexican_train.client.model import Model
from mexican_train.protocol import (
    AddBot,
    AnyCommand,
    AskHint,
    AskRecord,
    AskRules,
    Choice,
    CreateTable,
    Done,
    Draw,
    Foul,
    JoinTable,
    Kick,
    Knock,
    LeaveTable,
    ListTables,
    Pass,
    PassHost,
    Play,
    Ready,
    Rematch,
    RemoveBot,
    Say,
    StartTable,
    Tables,
    View,
    WatchTable,
    Why,
)

from .peers import plays, seat_info, table_info, table_news, train, update, view, welcome

SEATS = [seat_info(0, "Me"), seat_info(1, "Ann"), seat_info(2, "Anton", kind="bot")]
TRAINS = [train("p0"), train("p1"), train("p2", marked=True), train("m0", end=12)]


def lobby() -> Model:
    model = Model()
    model.take(welcome())
    tables = [table_info("den"), table_info("Blue Room")]
    model.take(Tables(answers=1, tables=tables, page=0, pages=1))
    return model


def at_table(state: str = "waiting") -> Model:
    model = lobby()
    model.take(table_news(seats=SEATS, state=state))
    return model


def in_game(*choices: str | Choice, on: View | None = None, seat: int | None = 0) -> Model:
    model = at_table("playing")
    table = on or view(names=["Me", "Ann", "Anton"], trains=TRAINS)
    offered = [
        choice for each in choices for choice in (plays(each) if isinstance(each, str) else [each])
    ]
    model.take(update(choices=offered, turn=7, on=table, seat=seat))
    return model


def command(line: str, model: Model) -> AnyCommand:
    entry = read_entry(line, model)
    assert isinstance(entry, Ask), entry
    return entry.command


def refusal(line: str, model: Model) -> str:
    with pytest.raises(EntryError) as failure:
        read_entry(line, model)
    return str(failure.value)


def played(tile: tuple[int, int], where: str) -> Play:
    return Play(id=0, turn=7, tile=tile, train=where)


# --- tiles ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tile",
    ["12-7", "7-12", "12 7", "7 12", "12/7", "7|12", "[12|7]", "12:7", " 12 - 7 ", "play 12-7"],
)
def test_every_way_to_write_a_tile(tile: str) -> None:
    assert command(tile, in_game("12-7>p0", "draw")) == played((12, 7), "p0")
    assert command(f"{tile} p2", in_game("12-7>p0", "12-7>p2")) == played((12, 7), "p2")


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("12-7 p2", "p2"),
        ("12-7>p2", "p2"),
        ("12-7 P2", "p2"),
        ("12-7 me", "p0"),
        ("12-7 on my train", "p0"),
        ("12-7 on my own train", "p0"),
        ("12 7 mexican", "m0"),
        ("12-7 on the Mexican train", "m0"),
        ("12-7 m", "m0"),
        ("12-7 m0", "m0"),
        ("12-7 Ann", "p1"),
        ("12-7 ann", "p1"),
        ("12-7 on Ann's train", "p1"),
        ("12-7 anto", "p2"),
    ],
)
def test_every_way_to_name_a_train(line: str, where: str) -> None:
    """A train that the choices do not name goes to the server, which knows the rule's words."""
    assert command(line, in_game("12-7>p0", "12-7>p2", "12-7>m0")) == played((12, 7), where)


def test_a_mexican_train_that_does_not_exist_yet() -> None:
    """The one on offer is meant, or the first where none is offered."""
    table = view(names=["Me", "Ann", "Anton"], trains=TRAINS[:3])
    assert command("12-7 mexican", in_game("12-7>m0", on=table)) == played((12, 7), "m0")
    assert command("12-7 mexican", in_game("draw", on=table)) == played((12, 7), "m0")


def test_a_bare_tile_that_several_trains_take() -> None:
    assert refusal("12-7", in_game("12-7>p0", "12-7>p2", "12-7>m0")) == (
        "12-7 can go on your train or the Mexican Train or Anton's train. Say which, for example: "
        "12-7 p0"
    )


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("5-4", "You do not hold 5-4. Type hand to see your tiles."),
        ("99-99 p0", "You do not hold 99-99. Type hand to see your tiles."),
        ("9-9", "9-9 cannot be played now. You can play: 12-7 12-3."),
        ("12-7 bert", "There is no player 'bert' here. Players: Me, Ann, Anton."),
        ("12-7 me extra", "Type me alone; 'extra' after it means nothing."),
        ("12-7 on p2 and p0", "Type p2 alone; 'and p0' after it means nothing."),
        ("12-7 Ann's train please", "Type Ann's alone; 'please' after it means nothing."),
        ("12-7 mexican 2", "Type mexican alone; '2' after it means nothing."),
        ("1 please", "Type 1 alone; 'please' after it means nothing."),
        ("draw two", "Type draw alone; 'two' after it means nothing."),
        ("hand over", "Type hand alone; 'over' after it means nothing."),
        ("12-7 an", "'an' may be Ann or Anton. Type more of the name."),
        ("7", "Choose a number from 1 to 2, or type help."),
    ],
)
def test_tiles_that_cannot_be_played(line: str, sentence: str) -> None:
    assert refusal(line, in_game("12-7>p0", "12-3>p0")) == sentence


def test_what_can_be_done_without_a_tile() -> None:
    assert refusal("9-9", in_game("draw")) == "9-9 cannot be played now. You can: draw a tile."


@pytest.mark.parametrize("line", ["12-7", "12-7 p0", "draw", "d", "pass", "done", "1"])
def test_out_of_turn(line: str) -> None:
    """It is told whose turn it is."""
    table = view(names=["Me", "Ann", "Anton"], to_act=1)
    assert refusal(line, in_game(on=table)) == "It is not your turn: Ann is to play."


# --- moves ----------------------------------------------------------------------------------


def test_numbers_pick_from_the_list() -> None:
    """Tiles by their place in the hand, the own train first; then the other moves."""
    model = in_game("draw", "12-3>p2", "12-3>p0", "12-7>m0")
    picked = [command(str(number), model) for number in (1, 2, 3, 4)]
    assert picked == [
        played((12, 7), "m0"),
        played((12, 3), "p0"),
        played((12, 3), "p2"),
        Draw(id=0, turn=7),
    ]


@pytest.mark.parametrize(
    ("line", "choice", "expected"),
    [
        ("draw", "draw", Draw(id=0, turn=7)),
        ("D", "draw", Draw(id=0, turn=7)),
        ("pass", "pass", Pass(id=0, turn=7)),
        ("p", "pass", Pass(id=0, turn=7)),
        ("p", "done", Done(id=0, turn=7)),
        ("done", "done", Done(id=0, turn=7)),
        ("knock", "knock", Knock(id=0)),
        ("k", "knock", Knock(id=0)),
        ("pass", "draw", Pass(id=0, turn=7)),
    ],
)
def test_moves_without_a_tile(line: str, choice: str, expected: AnyCommand) -> None:
    """One that is not offered is sent too: the server says why not, in the words of the rule."""
    assert command(line, in_game(choice)) == expected


def test_fouls() -> None:
    """A foul names the event that the server's choice names."""
    foul = Choice(do="foul", seat=1, event=33)
    model = in_game(foul, on=view(names=["Me", "Ann", "Anton"], to_act=2))
    assert command("foul Ann", model) == Foul(id=0, seat=1, event=33)
    assert command("f", model) == Foul(id=0, seat=1, event=33)
    assert command("1", model) == Foul(id=0, seat=1, event=33)
    assert refusal("foul anton", model) == "There is no foul of Anton to call now."


def test_watchers_do_not_play() -> None:
    model = in_game(seat=None)
    assert refusal("draw", model) == "You are watching; only players can do that."


# --- lobby and table ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tables", ListTables(id=0)),
        ("join 2", JoinTable(id=0, table="Blue Room")),
        ("2", JoinTable(id=0, table="Blue Room")),
        ("join blue room", JoinTable(id=0, table="Blue Room")),
        ("join other", JoinTable(id=0, table="other")),
        ("watch 1", WatchTable(id=0, table="den")),
        ("create my table", CreateTable(id=0, name="my table")),
        ("rules", AskRules(id=0)),
        ("rules bernie", AskRules(id=0, name="bernie")),
        ("say hello you", Say(id=0, text="hello you")),
    ],
)
def test_the_lobby(line: str, expected: AnyCommand) -> None:
    assert command(line, lobby()) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ready", Ready(id=0)),
        ("ready no", Ready(id=0, on=False)),
        ("start", StartTable(id=0)),
        ("bot add greedy", AddBot(id=0, strategy="greedy")),
        ("bot add", AddBot(id=0, strategy="planner")),
        ("bot remove anton", RemoveBot(id=0, name="Anton")),
        ("host ANN", PassHost(id=0, name="Ann")),
        ("kick Ann", Kick(id=0, name="Ann")),
        ("rematch", Rematch(id=0)),
        ("record", AskRecord(id=0, table="t")),
        ("rules", AskRules(id=0, table="t")),
        ("leave", LeaveTable(id=0)),
        ("c hi", Say(id=0, text="hi")),
    ],
)
def test_a_table(line: str, expected: AnyCommand) -> None:
    assert command(line, at_table()) == expected


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("leave", "You are not at a table. Type tables to see where there is room."),
        ("record", "You are not at a table. Type tables to see where there is room."),
        ("12-7", "You are not at a table. Type tables to see where there is room."),
        ("9", "There is no table of that number. Type tables to see them."),
        ("join", "Say which table, for example: join 1"),
        ("create", "Give the new table a name, for example: create friends"),
        ("create " + "x" * 21, "The name of a table has at most 20 characters."),
        ("say", "Say something, for example: say hello"),
        ("tabels", "'tabels' means nothing here. Did you mean tables?"),
        ("xyzzy", "'xyzzy' means nothing here. Type help to see what you can type."),
        ("who", "'who' means nothing here. Type help to see what you can type."),
        ("foo", "'foo' means nothing here. Type help to see what you can type."),
        ("nope", "'nope' means nothing here. Type help to see what you can type."),
        ("x" * 500, f"'{'x' * 39}…' means nothing here. Type help to see what you can type."),
        ("x" * 601, "That line is too long: at most 600 characters."),
        ("say " + "x" * 501, "That is too long: at most 500 characters."),
        ("join " + "9" * 500, "The name of a table has at most 20 characters."),
        ("quit " + "x" * 500, f"Type quit alone; '{'x' * 39}…' after it means nothing."),
        ("quit now", "Type quit alone; 'now' after it means nothing."),
    ],
)
def test_what_means_nothing_in_the_lobby(line: str, sentence: str) -> None:
    assert refusal(line, lobby()) == sentence


@pytest.mark.parametrize("digits", [21, 599, 4301, 100_000])
def test_numbers_without_end(digits: int) -> None:
    """No number of digits is too much to read."""
    for line in ("9" * digits, "0" * digits, f"join {'9' * digits}"):
        for model in (lobby(), in_game("draw")):
            assert len(refusal(line, model)) < 120


def test_quitting_is_known_without_a_model() -> None:
    assert [
        line for line in ("quit", " Q ", "exit", "bye", "quit now", "", "x") if is_quit(line)
    ] == [
        "quit",
        " Q ",
        "exit",
        "bye",
    ]


def test_what_means_nothing_at_a_table() -> None:
    model = at_table()
    assert refusal("join den", model) == "You are at t already. Type leave first."
    assert refusal("draw", model) == "The game has not started yet. Type ready when you are."
    assert refusal("reday", model) == "'reday' means nothing here. Did you mean ready?"
    assert refusal("bot greedy", model).startswith("Type bot add STRATEGY")


def test_from_a_finished_game_one_goes_on_at_once() -> None:
    assert command("join den", at_table("over")) == JoinTable(id=0, table="den")


@pytest.mark.parametrize("line", ["", "   ", "\t"])
def test_an_empty_line_is_nothing(line: str) -> None:
    assert read_entry(line, lobby()) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("hand", Show("hand")),
        ("TABLE", Show("table")),
        ("s", Show("scores")),
        ("log", Show("log")),
        ("?", Show("help")),
        ("turn", Show("turn")),
        ("q", Quit()),
    ],
)
def test_what_the_client_knows_itself(line: str, expected: object) -> None:
    assert read_entry(line, in_game()) == expected


# --- advice ---------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["hint", "HINT", "H"])
def test_a_hint_is_asked_for(line: str) -> None:
    """`H` too, as on the full screen; `h` is the hand."""
    assert command(line, in_game("12-7>p0")) == AskHint(id=0)
    assert read_entry("h", in_game("12-7>p0")) == Show("hand")


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("why 12-7", Why(id=0, tile=(12, 7))),
        ("why 7 12 p2", Why(id=0, tile=(12, 7), train="p2")),
        ("why not 12-7 on Ann's train", Why(id=0, tile=(12, 7), train="p1")),
        ("WHY play [12|7] me", Why(id=0, tile=(12, 7), train="p0")),
        ("why 12-7 mexican", Why(id=0, tile=(12, 7), train="m0")),
        ("why 12-7 m3", Why(id=0, tile=(12, 7), train="m3")),
        ("why draw", Why(id=0, do="draw")),
        ("why not Pass", Why(id=0, do="pass")),
        ("why p", Why(id=0, do="pass")),
        ("why done", Why(id=0, do="done")),
        ("why knock", Why(id=0, do="knock")),
        ("why foul Ann", Why(id=0, do="foul", seat=1)),
    ],
)
def test_why_asks_for_a_tile_or_another_move(line: str, asked: Why) -> None:
    """In turn and out of it; the server knows the reason."""
    assert command(line, in_game("draw")) == asked
    assert command(line, in_game(on=view(to_act=1, names=["Me", "Ann"], trains=TRAINS))) == asked


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("why", "Say which move, for example: why 12-7, why 12-7 me, why draw"),
        ("why me", "Say which move, for example: why 12-7, why 12-7 me, why draw"),
        ("why foul", "Say which move, for example: why 12-7, why 12-7 me, why draw"),
        ("why 11-1", "You do not hold 11-1. Type hand to see your tiles."),
        ("why draw now", "Type why draw alone; 'now' after it means nothing."),
        ("why 12-7 Eve", "There is no player 'eve' here. Players: Me, Ann, Anton."),
        ("hint me", "Type hint alone; 'me' after it means nothing."),
        ("hnit", "'hnit' means nothing here. Did you mean hint?"),
        ("whyy", "'whyy' means nothing here. Did you mean why?"),
    ],
)
def test_what_advice_cannot_be_about(line: str, sentence: str) -> None:
    assert refusal(line, in_game("draw")) == sentence


@pytest.mark.parametrize("line", ["hint", "why 12-7"])
def test_advice_is_for_players_in_a_game(line: str) -> None:
    nowhere = "You are not at a table. Type tables to see where there is room."
    assert refusal(line, lobby()) == nowhere
    waiting = "The game has not started yet. Type ready when you are."
    assert refusal(line, at_table()) == waiting
    over = view(phase="round_over", to_act=None, names=["Me", "Ann"], trains=TRAINS)
    assert refusal("hint", in_game(on=over)) == "Nobody can play now: the round is over."
    watching = "You are watching; only players can do that."
    assert refusal(line, in_game(seat=None)) == watching
