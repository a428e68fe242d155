"""The whole screen as text: snapshots, and what must hold at every size."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from mexican_train.client.bots.strategies import high_low
from mexican_train.client.clean import width
from mexican_train.client.fragments import ASCII, UNICODE, Line, line_width, plain_text
from mexican_train.client.layout import paint
from mexican_train.client.model import Model
from mexican_train.client.panes import Sheet
from mexican_train.client.stage import Stage
from mexican_train.client.texts import choose_language
from mexican_train.client.themes import THEMES
from mexican_train.protocol import (
    AnyEvent,
    Card,
    CardLine,
    DoubleOpened,
    RulesInfo,
    Said,
    TileLaid,
    WentOut,
)

from tests.norwegian import english_in

from .peers import seat_info, table_news, view, welcome
from .scenes import (
    HAND,
    HOSTILE,
    LONG_HAND,
    SCENES,
    TRAINS,
    WIDE_NAME,
    Scene,
    at_table,
    over,
    owed,
    owed_covered,
)

SCREENS = Path(__file__).parent / "screens"
SIZES = {40: 16, 60: 20, 80: 24, 100: 30, 160: 50}
COLOURED = ("my-turn", "owed")
NORWEGIAN = ("my-turn", "owed", "away", "no-tile-fits", "summary", "new-table", "help")
NARROW, USUAL = 40, 80
NAMES = re.compile(r"the den|\bMe\b|player|Bord(et)? den|9-4 me")
"""What these scenes call players, tables and servers, and what is typed in them."""


def painted(scene: Scene, columns: int, rows: int, *, is_ascii: bool = False) -> list[Line]:
    model, stage = scene
    return paint(model, stage, Sheet(columns, rows, ASCII if is_ascii else UNICODE))


def plain(lines: list[Line]) -> str:
    return "".join(plain_text(line).rstrip() + "\n" for line in lines)


def coloured(lines: list[Line]) -> str:
    """Each fragment that looks other than plain as `{its look:its text}`."""
    theme = THEMES["default"]
    told = ""
    for line in lines:
        for fragment in line:
            look = theme.look(fragment.styles)
            told += f"{{{look}:{fragment.text}}}" if look else fragment.text
        told = told.rstrip(" ") + "\n"
    return told


def check(name: str, text: str, *, update: bool) -> None:
    """`text` is that of the file, which `--update-screens` writes."""
    path = SCREENS / f"{name}.txt"
    if update:
        SCREENS.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.read_text() == text


@pytest.mark.parametrize(("name", "columns"), list(product(SCENES, SIZES)))
def test_screens(name: str, columns: int, update_screens: bool) -> None:
    """What is painted is what the file shows; `--update-screens` writes it anew."""
    lines = painted(SCENES[name](), columns, SIZES[columns])
    check(f"{name}-{columns}", plain(lines), update=update_screens)
    if name in COLOURED:
        check(f"{name}-{columns}-colour", coloured(lines), update=update_screens)


@pytest.fixture
def _norwegian() -> Iterator[None]:
    choose_language("nb")
    yield
    choose_language("en")


@pytest.mark.usefixtures("_norwegian")
@pytest.mark.parametrize(("name", "columns"), list(product(NORWEGIAN, (NARROW, USUAL))))
def test_screens_in_norwegian(name: str, columns: int, update_screens: bool) -> None:
    lines = painted(SCENES[name](), columns, SIZES[columns])
    check(f"{name}-{columns}-nb", plain(lines), update=update_screens)


@pytest.mark.usefixtures("_norwegian")
@pytest.mark.parametrize("name", SCENES)
def test_norwegian_fits_everywhere_and_has_no_english(name: str) -> None:
    """The help to its end too; the keys that matter most have room at 40 columns."""
    for columns, rows in [*SIZES.items(), (40, 10), (40, 90), (60, 90), (80, 90)]:
        model, stage = SCENES[name]()
        model.log[:] = [entry for entry in model.log if not isinstance(entry, Said)]
        stage.notices = []
        lines = painted((model, stage), columns, rows)
        assert len(lines) == rows
        assert max(map(line_width, lines)) <= columns
        shown = NAMES.sub("", plain(lines))
        assert not english_in(shown), (columns, english_in(shown))
        assert name in ("typing", "new-table") or re.search(r"hjelp|forlat|se på", shown)


@pytest.mark.usefixtures("_norwegian")
def test_ascii_arrows_have_norwegian_words() -> None:
    shown = plain(painted(SCENES["help"](), 80, 60, is_ascii=True))
    assert re.search(r"^Venstre h +brikken før", shown, re.MULTILINE)


def test_no_screen_is_forgotten(update_screens: bool) -> None:
    """Each file belongs to a scene that is painted."""
    wanted = {f"{name}-{columns}" for name, columns in product(SCENES, SIZES)}
    wanted |= {f"{name}-{columns}-colour" for name, columns in product(COLOURED, SIZES)}
    wanted |= {f"{name}-{columns}-nb" for name, columns in product(NORWEGIAN, (NARROW, USUAL))}
    assert {path.stem for path in SCREENS.iterdir()} == wanted


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("is_ascii", [False, True])
def test_every_size_is_filled_and_none_run_over(name: str, is_ascii: bool) -> None:
    """As many lines as rows, and none wider than the screen, also by wide characters."""
    for columns, rows in [*SIZES.items(), (40, 10), (80, 10), (41, 50), (79, 24), (99, 24), (3, 2)]:
        lines = painted(SCENES[name](), columns, rows, is_ascii=is_ascii)
        assert len(lines) == rows
        assert max(map(line_width, lines)) <= columns
        assert all(width(plain_text(line)) == line_width(line) for line in lines)


@pytest.mark.parametrize("name", SCENES)
def test_ascii_means_ascii(name: str) -> None:
    """With `--ascii` nothing of ours is beyond ASCII; names and chat are as they are."""
    for columns, rows in SIZES.items():
        shown = plain(painted(SCENES[name](), columns, rows, is_ascii=True))
        assert all(char.isascii() or char in WIDE_NAME for char in shown)


@pytest.mark.parametrize("name", SCENES)
def test_nothing_hostile_is_drawn(name: str) -> None:
    """Whatever was sent as a name or chat: no control character reaches a line."""
    assert not HOSTILE.isprintable()
    for columns, rows in SIZES.items():
        for line in painted(SCENES[name](), columns, rows):
            assert plain_text(line).isprintable()


def tiles_shown(lines: list[Line]) -> set[tuple[int, int]]:
    """The tiles that can be clicked in the hand."""
    found = {
        fragment.touch.removeprefix("tile:")
        for line in lines
        for fragment in line
        if fragment.touch.startswith("tile:")
    }
    return {(int(tile.split("-")[0]), int(tile.split("-")[1])) for tile in found}


@pytest.mark.parametrize("scene", [owed, owed_covered])
@pytest.mark.parametrize(("columns", "rows"), [*SIZES.items(), (40, 10), (80, 12)])
def test_the_hand_and_what_is_owed_are_never_covered(
    scene: object, columns: int, rows: int
) -> None:
    """24 tiles, a notice, a page: the whole hand and the double to cover are there."""
    assert callable(scene)
    model, stage = scene()
    stage.is_cut = True
    for _ in range(5):
        stage.notice("This is refused for a reason that takes three lines to tell. " * 3)
    lines = painted((model, stage), columns, rows)
    assert tiles_shown(lines) == set(LONG_HAND)
    shown = plain(lines)
    assert "YOUR TURN" in shown
    assert "COVER 6-6: you" in shown or "must cover the 6-6" in shown
    for tile in LONG_HAND:
        assert re.search(rf"[\[< ]{tile[0]}\|{tile[1]}\b", shown)


def test_the_notice_is_there_too() -> None:
    """At 80x24 with 24 tiles there is room for what was refused and why."""
    assert "does not fit the train of Bob" in plain(painted(owed(), 80, 24))


def test_at_ones_turn_the_next_step_is_told() -> None:
    """With a tile that fits, the key that selects one; without, what else there is.

    The latter also while a tile is looked at: that it does not fit is no news then.
    """
    model, stage = owed()
    assert "Tab selects a tile that fits." in plain(painted((model, stage), 80, 24))
    model, stage = SCENES["no-tile-fits"]()
    for stage.selected in (None, high_low(HAND[0])):
        assert "No tile fits: draw a tile." in plain(painted((model, stage), 80, 24))


def test_a_watcher_is_told_that_they_are_one() -> None:
    """Nobody waits for a hand that never comes."""
    assert "Bob's turn. You are watching." in plain(painted(SCENES["watching"](), 80, 24))


@pytest.mark.parametrize(("host", "is_told"), [("Me", True), ("Ann", False)])
def test_who_has_paused_a_game_is_told_how_it_goes_on(host: str, is_told: bool) -> None:
    """As long as it is paused, and only who can do it."""
    shown = plain(painted(at_table(view(trains=TRAINS), paused=True, host=host), 80, 24))
    assert "The game is paused." in shown
    assert ("Type :pause again to let the game go on." in shown) is is_told


def test_a_rule_card_is_folded_once() -> None:
    """At 60 columns every line but the last of a sentence is full."""
    model, stage = SCENES["lobby"]()
    line = CardLine(option="deal.table", value="a", differs=True, text="Word " * 30)
    rules = RulesInfo(name="mine", hash="00", changed=1)
    model.card, stage.cover = Card(answers=1, rules=rules, lines=[line]), "card"
    shown = [one for one in plain(painted((model, stage), 60, 20)).splitlines() if "Word" in one]
    assert all(len(one) > 50 for one in shown[:-1])


@pytest.mark.parametrize(
    ("start", "host", "is_ready", "told"),
    [
        ("ready", "Ann", False, "Press Enter when you are ready."),
        ("ready", "Ann", True, "You are ready."),
        ("manual", "Me", False, "Enter starts the game; bots take the empty seats."),
        ("manual", "Ann", False, ""),
        ("full", "Me", False, ""),
    ],
)
def test_before_the_game_the_next_step_is_told(
    start: str, host: str, told: str, *, is_ready: bool
) -> None:
    """Above the keys; nothing where there is nothing to do."""
    model = Model()
    model.take(welcome())
    seats = [seat_info(0, "Me", ready=is_ready), seat_info(1, "Ann"), seat_info(2)]
    model.take(table_news(seats=seats, start=start, host=host))
    lines = plain(painted((model, Stage()), 80, 24)).splitlines()
    assert lines[-2] == told
    assert ("not ready" in "".join(lines)) is (start == "ready")


def test_between_rounds_the_next_step_is_told() -> None:
    """Whoever is not ready is told the key for it."""
    lines = plain(painted(SCENES["summary"](), 80, 24)).splitlines()
    assert lines[-2] == "Press Enter when you are ready."


def test_the_help_of_a_game_tells_the_marks() -> None:
    """What stands in the line of a train is explained; not where there are no trains."""
    model, stage = SCENES["help"]()
    assert "The line of a train: >" in plain(painted((model, stage), 80, 90))
    model, stage = SCENES["lobby"]()
    stage.cover = "keys"
    assert "The line of a train" not in plain(painted((model, stage), 80, 90))


def test_styles_tell_nothing_alone() -> None:
    """Without any style two tiles that differ only by what can be done with them look different."""
    shown = plain(painted(SCENES["my-turn"](), 80, 24))
    assert "<12|7>*" in shown
    assert "[9|9]*" in shown
    assert "[6|6]\n" in shown
    assert re.search(r"^>  You ", shown, re.MULTILINE)
    assert re.search(r"^ \* Bob +3 OPEN ", shown, re.MULTILINE)
    assert re.search(r"^   Ann +14 closed ", shown, re.MULTILINE)


def test_off_turn_open_trains_and_whose_turn_are_shown() -> None:
    shown = plain(painted(SCENES["away"](), 80, 24))
    assert "Ann's turn" in shown
    assert re.search(r"Bob +1 OPEN", shown)
    assert "Ann is away, 1:15." in shown
    assert "1 vote to wait" in shown


def test_the_open_end_always_shows() -> None:
    """Of a train of 40 tiles the last one is shown at every width, what is left out has a sign."""
    for columns, rows in SIZES.items():
        shown = plain(painted(SCENES["fourteen"](), columns, max(rows, 24)))
        lines = [line for line in shown.splitlines() if "player-5" in line and "end" in line]
        assert all("… " in line or columns == 160 for line in lines)
        assert all(re.search(r"5\|12\b", line) for line in lines)


def test_a_double_that_ends_a_round_is_not_said_to_be_owed() -> None:
    """Nobody has the time to cover it any more."""
    events: list[AnyEvent] = [
        TileLaid(n=17, seat=1, tile=(6, 6), train="p1"),
        DoubleOpened(n=18, seat=1, train="p1", tile=(6, 6)),
        WentOut(n=19, seat=1),
    ]
    for ends in ([], [over([60, 0, 30], [92, 30, 30])]):
        model, stage = at_table(view(trains=TRAINS), events=[*events, *ends])
        stage.cover = "log"
        shown = plain(painted((model, stage), 80, 24))
        assert "Ann goes out." in shown
        assert ("must be covered" in shown) == (not ends)


def test_seconds_count() -> None:
    """Half a minute later the clock and who is away have gone on, and nothing else."""
    model, stage = SCENES["my-turn"]()
    before = plain(painted((model, stage), 80, 24))
    stage.now += 30
    after = plain(painted((model, stage), 80, 24))
    assert "0:45" in before
    assert after == before.replace("0:45", "0:15")


def test_names_that_begin_alike_can_be_told_apart() -> None:
    """Where there is little room, the end of a name stays."""
    shown = plain(painted(SCENES["fourteen"](), 40, 40))
    for number in range(3, 14):
        assert re.search(rf"(player|playe…)-?{str(number)[-2:]} ", shown), number
