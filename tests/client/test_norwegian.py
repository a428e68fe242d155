"""The client in Norwegian: every event, code and option has its sentence, and what is typed too."""

import ssl
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from click.testing import CliRunner
from mexican_train import engine
from mexican_train import protocol as p
from mexican_train.client import ENTRY_WORDS, render
from mexican_train.client.address import Address
from mexican_train.client.bots import TEXTS
from mexican_train.client.cli import main as mt_client
from mexican_train.client.entries import (
    Ask,
    EntryError,
    LookForServers,
    Quit,
    Show,
    read_entry,
    words_for,
)
from mexican_train.client.hints import (
    ALLOWED,
    REFUSALS,
    hint_sentences,
    reason_sentences,
    refusal_sentence,
)
from mexican_train.client.link import hello_for
from mexican_train.client.model import Model
from mexican_train.client.passwords import PasswordFileError, read_password_file
from mexican_train.client.pins import read_fingerprint
from mexican_train.client.presence import presence_lines, presence_news
from mexican_train.client.start import _is_confirmed
from mexican_train.client.texts import (
    LANGUAGES,
    choose_language,
    coded,
    language_of,
    plural,
    system_reason,
    text,
    typed,
)
from mexican_train.client.tls import _changed, _told
from mexican_train.client.words import (
    count_points,
    declined_sentence,
    event_sentence,
    left_sentence,
    option_sentence,
    span,
)

from tests.norwegian import english_in

from .peers import plays, seat_info, table_info, table_news, train, update, view, welcome

PLAYERS = ["Kari", "Lars", "Åse", "Zoë"]


@pytest.fixture(autouse=True)
def _norwegian() -> Iterator[None]:
    choose_language("nb")
    yield
    choose_language("en")


def model_with(choices: Sequence[p.Choice] = (), **fields: Any) -> Model:
    """A player in seat 0 of a game with Lars, Åse and Zoë."""
    model = Model()
    model.take(welcome(name="Kari"))
    seats = [seat_info(seat, name) for seat, name in enumerate(PLAYERS)]
    model.take(table_news(seats=seats, hints=True))
    trains = [train("p0"), train("p1"), train("p2", (12, 9), (9, 9), marked=True), train("m0")]
    of_view: dict[str, Any] = {"names": PLAYERS, "hand_counts": [3, 7, 7, 1], "trains": trains}
    model.take(update([], choices, on=view(**(of_view | fields))))
    return model


# --- events ---------------------------------------------------------------------------------

FIELDS: dict[str, Any] = {
    "n": 1, "round": 3, "engine": (10, 10), "hand_counts": [], "boneyard": 1, "tile": (3, 1),
    "first": 2, "train": "p3", "reason": "dead_number", "drawn": 2, "tiles": None, "winner": 1,
    "hands": [[], [(3, 1)], [], []], "scores": [0, 4, 0, 0], "totals": [0, 4, 0, 0],
    "places": [1, 4, 1, 1], "raw": {}, "budget_ms": 30_000, "bank_ms": 1000, "credit_ms": 40,
    "rtt_ms": 1040,
}  # fmt: skip


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("tag", sorted(set(p.EVENT_TYPES) - {"unknown"}))
def test_every_event_has_a_sentence(tag: str, seat: int) -> None:
    """Of this player and of another."""
    kind: Any = p.EVENT_TYPES[tag]
    told = FIELDS | {"seat": seat, "by": 1 - seat}
    event = kind(**{field.name: told[field.name] for field in msgspec.structs.fields(kind)})
    lines = render.events_lines([event], model_with())
    assert lines
    assert not english_in("\n".join(lines)), lines


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (p.TileLaid(n=1, seat=0, tile=(7, 12), train="p0"), "Du legger 12-7 på toget ditt."),
        (p.TileLaid(n=1, seat=1, tile=(7, 12), train="p1"), "Lars legger 12-7 på toget sitt."),
        (p.TileLaid(n=1, seat=1, tile=(7, 12), train="p2"), "Lars legger 12-7 på toget til Åse."),
        (
            p.TileLaid(n=1, seat=1, tile=(7, 12), train="m0"),
            "Lars legger 12-7 på det meksikanske toget.",
        ),
        (p.MarkerSet(n=1, seat=1), "Toget til Lars er åpent nå."),
        (p.TurnSkipped(n=1, seat=2), "Bordet hopper over Åse."),
        (
            p.DoubleLapsed(n=1, train="p0", tile=(6, 6), reason="dead_number"),
            "Dobbelen 6-6 på toget ditt trenger ikke lukkes: alle brikker med 6 ligger på bordet.",
        ),
        (p.RoundBlocked(n=1), "Ingen kan legge ut: runden er fastlåst."),
        (
            p.TimeUp(n=1, seat=1, budget_ms=30_000, bank_ms=1000, credit_ms=40, rtt_ms=1040),
            (
                "Tiden til Lars er ute: 30 sekunder, 1 sekund av sparetiden og 0,04 sekunder i "
                "tillegg for en forbindelse som bruker 1,04 sekunder."
            ),
        ),
    ],
)
def test_events_in_their_own_words(event: p.AnyEvent, sentence: str) -> None:
    """No name needs an ending, whatever letter or script it ends in."""
    assert event_sentence(event, model_with()) == sentence


def test_your_turn() -> None:
    owed = [p.OpenDouble(train="p2", tile=(9, 9), seat=1, binding=True)]
    choices = plays("draw", "12-7>p2", "12-7>m0")
    model = model_with(choices, open_doubles=owed, awaited="cover")
    assert render.turn_lines(model) == [
        "Din tur: du må lukke 9-9 på toget til Åse.",
        "Åpent for alle: toget til Åse (ende 9) og det meksikanske toget (ende 12).",
        "9-9 på toget til Åse, lagt av Lars, må lukkes først.",
        "Hånden din (3 brikker, 52 prikker; * kan legges ut):",
        "  12-7*  12-3  9-9",
        "Du kan:",
        "  1  12-7 på det meksikanske toget",
        "  2  12-7 på toget til Åse",
        "  3  trekke en brikke",
    ]


def test_numbers_choose_the_form() -> None:
    """Of none there is a word, not a number."""
    assert [count_points(number) for number in (0, 1, 2)] == ["ingen poeng", "1 poeng", "2 poeng"]
    pips = [plural("{number} pip", "{number} pips", number) for number in (1, 2)]
    assert pips == ["1 prikk", "2 prikker"]
    spans = [span(milliseconds) for milliseconds in (0, 1000, 1500, 30_000)]
    assert spans == ["0 sekunder", "1 sekund", "1,5 sekunder", "30 sekunder"]


# --- codes ----------------------------------------------------------------------------------

CODES = [
    (context, code)
    for context, table in (
        ("declined", p.DECLINED_CODES),
        ("refused", p.REFUSED_CODES),
        ("goodbye", p.GOODBYE_CODES),
        ("left", p.LEFT_CODES),
    )
    for code in table
]


@pytest.mark.parametrize(("context", "code"), CODES)
def test_every_code_has_a_sentence(context: str, code: str) -> None:
    sentence = coded(context, code, "")
    assert sentence
    assert not english_in(sentence.replace("strict", ""))


PARAMS: dict[str, Any] = {
    "turn": 1, "tile": "12-7", "train": "p1", "end": 9, "double": "6-6", "cover": "m0",
    "drawn": "3-1", "seat": 1,
}  # fmt: skip


@pytest.mark.parametrize("code", engine.REASONS)
def test_every_reason_of_the_rules_has_a_sentence(code: str) -> None:
    """It names trains and players as they are called here, not as the wire has them."""
    sentence = engine.REASONS[code].format(**PARAMS)
    option = "doubles.must_cover"
    message = p.declined(1, code, text=sentence, option=option, params=PARAMS)
    said = declined_sentence(message, model_with())
    assert said.endswith(" (regel: doubles.must_cover)")
    assert not english_in(said)
    assert not {"p1", "m0"} & set(said.replace(",", " ").split())


def test_a_reason_without_its_parts_is_said_in_general() -> None:
    """And a code that is not known keeps the server's own sentence."""
    bare = p.declined(1, "does_not_fit")
    assert declined_sentence(bare) == "Brikken passer ikke til enden av dette toget."
    new = p.declined(1, "earthquake", text="The table shakes.")
    assert declined_sentence(new) == "The table shakes."
    left = p.TableLeft(table="t", code="flood", text="The den is under water.")
    assert left_sentence(left) == "The den is under water."


# --- hints and reasons ----------------------------------------------------------------------

TOLD: dict[str, Any] = {
    "tile": "12-7", "train": "p1", "end": 9, "double": "6-6", "cover": "m0", "drawn": "3-1",
    "seat": 1, "to_act": 1,
}  # fmt: skip
PLAY = plays("12-7>p1")[0]


@pytest.mark.parametrize("code", TEXTS)
def test_every_reason_of_the_planner_has_a_sentence(code: str) -> None:
    """A code that is new stays in the words of the server."""
    params: dict[str, Any] = {"kept": "5-4", "cover": "6-1", "name": "Lars", "seat": 1}
    hint = p.Hint(answers=1, turn=1, choice=PLAY, code=code, params=params, text="A hint.")
    said = hint_sentences(hint, model_with([PLAY]))
    assert said[1:] == ["Skriv 1 for å gjøre det."]
    assert said[0] not in (hint.text, TEXTS[code])
    assert not english_in(said[0]), said
    new = p.Hint(answers=1, turn=1, choice=PLAY, code="new", params=params, text="A hint.")
    assert hint_sentences(new, model_with()) == ["A hint."]


@pytest.mark.parametrize("code", REFUSALS)
def test_why_a_move_cannot_be_made(code: str) -> None:
    """The same words for the answer to `why` and for a move that was refused."""
    reason = p.Reason(do="play", code=code, option="marker.on", params=TOLD, text="A reason.")
    (said,) = reason_sentences([reason], model_with())
    assert said.endswith(" (regel: marker.on)")
    assert not english_in(said), said
    refused = p.declined(1, code, text="A reason.", option="marker.on", params=TOLD)
    assert refusal_sentence(refused, model_with()) == said


@pytest.mark.parametrize("do", ALLOWED)
def test_what_may_be_done(do: p.Deed) -> None:
    reason = p.Reason(
        do=do, tile=(12, 7), train="p1", seat=1, code=None, option=None, params={}, text="Yes."
    )
    (said,) = reason_sentences([reason], model_with())
    assert said != "Yes."
    assert not english_in(said), said


def test_trains_that_are_alike_stand_in_one_sentence() -> None:
    alike = [("p1", "not_open"), ("p2", "not_open"), ("p0", "does_not_fit"), ("m0", "does_not_fit")]
    reasons = [
        p.Reason(
            do="play",
            train=name,
            code=code,
            option=None,
            params=TOLD | {"train": name},
            text="A reason.",
        )
        for name, code in alike
    ]
    assert reason_sentences(reasons, model_with()) == [
        "12-7 passer ikke på toget ditt (ende 9) eller det meksikanske toget (ende 9).",
        "Du kan ikke legge på toget til Lars og toget til Åse: det står ingen togmarkører der.",
    ]


# --- who answers, and the way in -------------------------------------------------------------


def test_whoever_answers_is_told_of() -> None:
    """Of a certificate that nobody vouches for, and of one that is another than the one kept."""
    address = Address("kari.example", 12012, tls=True)
    with pytest.raises(ValueError, match="64 heksadesimale sifre"):
        read_fingerprint("12:34")
    with pytest.raises(PasswordFileError, match=r"kan ikke lese passordet i .*: mappen eller"):
        read_password_file(Path("/nowhere/at/all"))
    expired = ssl.SSLCertVerificationError("expired")
    expired.verify_code, expired.verify_message = 10, "certificate has expired"
    old, plain = ssl.SSLError("alert"), ssl.SSLError("no TLS")
    old.reason, plain.reason = "UNSUPPORTED_PROTOCOL_ALERT", "WRONG_VERSION_NUMBER"
    told = [
        *(str(_told(address, cause)) for cause in (expired, old, plain, None)),
        *(_changed(address, "ab" * 32, kept=kept) for kept in (None, "cd" * 32)),
    ]
    assert told[0] == "det er utløpt"
    shown = "\n".join(told).replace("ab" * 32, "").replace("(unsupported protocol alert)", "")
    assert not english_in(shown), shown


@pytest.mark.parametrize(
    ("typed_in", "is_yes"),
    [("j", True), ("JA", True), ("yes", True), ("", False), ("hm\nn", False)],
)
def test_a_yes_may_be_said_in_norwegian(typed_in: str, *, is_yes: bool) -> None:
    """An empty answer is no, and what is neither is asked for again."""

    @click.command()
    def asks() -> None:
        click.echo(_is_confirmed("Sikker"))

    answer = CliRunner().invoke(asks, input=f"{typed_in}\n").output
    assert answer.endswith(f"{is_yes}\n")
    assert answer.count("Sikker [j/N]: ") == 1 + typed_in.count("\n")


# --- rules ----------------------------------------------------------------------------------


def values_of(option: engine.Option) -> list[Any]:
    """Every value that has a sentence of its own, and the bounds of those that share one."""
    if option.kind == "set":
        return [(), *((each,) for each in option.texts if each != "none")]
    if option.kind == "range":
        return [(option.least, option.most)]
    return [*option.texts, *([option.least, option.most] if option.number_text else [])]


def card_line(name: str, value: Any, sentence: str, idle_since: str = "") -> p.CardLine:
    wire = list(value) if isinstance(value, tuple) else value
    return p.CardLine(option=name, value=wire, differs=False, text=sentence, idle_since=idle_since)


@pytest.mark.parametrize("name", engine.OPTIONS)
def test_every_value_of_an_option_has_a_sentence(name: str) -> None:
    option = engine.OPTIONS[name]
    for value in values_of(option):
        sentence = option.say(value)
        said = option_sentence(card_line(name, value, sentence))
        assert said != sentence
        assert not english_in(said)
        numbers = value if isinstance(value, tuple) else (value,)
        for number in numbers:
            if type(number) is int and str(number) in sentence:
                assert str(number) in said


def test_an_option_without_effect_and_one_that_is_new() -> None:
    idle = card_line("announce.deadline", "next_tile", "No effect, since …", "announce.mode = off")
    assert option_sentence(idle) == "Uten virkning, siden announce.mode = off."
    for name, value in (("deal.table", "new"), ("new.option", True), ("doubles.lapse", ("new",))):
        assert option_sentence(card_line(name, value, "Something new.")) == "Something new."


@pytest.mark.parametrize("name", engine.preset_names())
def test_no_rule_card_has_an_english_word(name: str) -> None:
    rules = engine.RuleSet.preset(name)
    lines = [
        card_line(each.option, each.value, each.text, each.idle_since) for each in rules.card()
    ]
    told = p.RulesInfo(name="classic (changed)", hash="00", changed=3)
    card = p.Card(answers=0, rules=told, lines=lines)
    assert not english_in("\n".join(render.whole_card_lines(card)))
    assert not english_in("\n".join(render.card_lines(card)))


# --- the table ------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["waiting", "playing", "between", "over"])
@pytest.mark.parametrize("start", ["full", "ready", "manual"])
def test_tables_and_their_news(state: str, start: str) -> None:
    seats = [seat_info(0, "Kari", ready=True), seat_info(1, "Lars", present=False), seat_info(2)]
    before = table_info("t", [*seats[:2], seat_info(2, "Åse")], state="playing", paused=True)
    table = table_info("t", seats, state=state, start=start, locked=True, host="Lars")
    model = model_with()
    news = p.TableNews(answers=0, table=table, seat=0)
    lines = [
        *render.news_lines(None, news, model),
        *render.news_lines(before, news, model),
        render.table_words(table),
        *presence_lines(table),
        *presence_news(before, table, model),
    ]
    assert not english_in("\n".join(lines)), lines


# --- what is typed --------------------------------------------------------------------------


def entry(line: str, model: Model) -> object:
    found = read_entry(line, model)
    return found.command if isinstance(found, Ask) else found


@pytest.mark.parametrize(
    ("norwegian", "english"),
    [
        ("12-7", "12-7"),
        ("legg 12-7 på toget mitt", "play 12-7 on my train"),
        ("12-7 det meksikanske toget", "12-7 mexican"),
        ("12-7 på toget til Lars", "12-7 Lars"),
        ("12-7 p2", "12-7 p2"),
        ("trekk", "draw"),
        ("D", "d"),
        ("dunk", "knock"),
        ("tips", "hint"),
        ("H", "hint"),
        ("hvorfor 12-7", "why 12-7"),
        ("hvorfor ikke 12-7 på toget til Lars", "why not 12-7 Lars"),
        ("hvorfor trekk", "why draw"),
        ("hvorfor ta Lars", "why foul Lars"),
        ("si hei på deg", "say hei på deg"),
        ("bot inn greedy", "bot add greedy"),
        ("bot ut greedy", "bot remove greedy"),
        ("stem hopp", "vote skip"),
        ("stem vent Lars", "vote wait Lars"),
        ("klar nei", "ready no"),
        ("hjelp", "help"),
        ("HÅND", "hand"),
    ],
)
def test_norwegian_words_mean_what_the_english_ones_do(norwegian: str, english: str) -> None:
    model = model_with(plays("12-7>p0"))
    assert entry(norwegian, model) == entry(english, model)


def test_no_two_words_are_written_alike() -> None:
    """Every word that is typed first has forms of its own, and English words keep their meaning."""
    model = Model()
    arguments = {"play", "on", "the", "train", "me", "mexican", "no", "all", "add", "remove"}
    first = [each for each in ENTRY_WORDS if each not in arguments | {"wait", "skip", "end"}]
    forms = [form for each in sorted(set(first)) for form in dict.fromkeys(typed(each))]
    assert len(forms) == len(set(forms))
    assert {form for each in words_for(model) for form in typed(each)} <= set(forms)


def test_what_cannot_be_meant_is_told() -> None:
    """With the Norwegian word that is nearest."""
    model = model_with(plays("12-7>p0"))
    lines = [
        "tekk",
        "hånd nå",
        "hvorfor",
        "hvorfor pass nå",
        "9-8",
        "12-3",
        "12-7 Bert",
        "stem",
        "ta",
        "99",
        "bot",
        "create",
    ]
    told = {}
    for line in lines:
        with pytest.raises(EntryError) as failure:
            read_entry(line, model)
        told[line] = str(failure.value)
    assert told["tekk"] == "'tekk' betyr ingenting her. Mente du trekk?"
    assert told["hvorfor pass nå"].startswith("Skriv hvorfor pass alene;")
    assert told["hånd nå"] == "Skriv hånd alene; 'nå' etterpå betyr ingenting."
    assert not english_in("\n".join(told.values())), told


def test_help_names_words_that_can_be_typed() -> None:
    """What stands first in each line of help, in the lobby, at a table, watching, in a game."""
    lobby = Model()
    lobby.take(welcome())
    lobby.take(p.Tables(answers=0, tables=[table_info("t")], page=0, pages=1))
    seated = Model()
    seats = [seat_info(0, "Kari"), seat_info(1, "Ann")]
    seated.take(table_news(seats=seats, state="waiting", host="Kari"))
    watching = Model()
    watching.take(table_news(seat=None, seats=seats, state="playing"))
    watching.take(update(on=view(names=["Kari", "Ann"]), seat=None))
    for model in (lobby, seated, watching, model_with(plays("12-7>p0"))):
        lines = render.help_lines(model)
        assert not english_in("\n".join(lines))
        assert all(len(line) <= 80 for line in lines)
        for line in lines:
            for example in line.split("  ")[0].split(", "):
                written = example.replace("NAVN", "Ann").replace("TEKST", "hei")
                if written[0].isdigit():
                    continue
                assert isinstance(read_entry(written, model), Ask | Show | LookForServers | Quit), (
                    example
                )


# --- the choice of the language -------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "nb_NO.UTF-8"}, "nb"),
        ({"LANG": "nn_NO"}, "nb"),
        ({"LANG": "no"}, "nb"),
        ({"LANG": "nb_NO.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "nb_NO.UTF-8", "LC_ALL": ""}, "nb"),
        ({"LANG": "de_DE@euro"}, "en"),
        ({"LANG": "nbx"}, "en"),
    ],
)
def test_the_locale_tells_the_language(environment: dict[str, str], language: str) -> None:
    assert language_of(environment) == language


def test_the_option_goes_before_the_locale() -> None:
    """What the command line finds wrong is told in the language that it asks for."""
    environment = {"LANG": "nb_NO.UTF-8", "LC_ALL": "", "MT_CLIENT_LANG": None}
    said = [
        CliRunner().invoke(mt_client, words, env=environment | extra).output
        for words, extra in (
            ([], {}),
            (["--lang", "en"], {}),
            ([], {"MT_CLIENT_LANG": "en"}),
            (["--lang", "nb"], {"MT_CLIENT_LANG": "en"}),
        )
    ]
    assert ["nevn en tjener" in each for each in said] == [True, False, False, True]
    assert LANGUAGES == ("en", "nb")


def test_what_the_system_says_is_known() -> None:
    """Where it is not, it stays as the system has it."""
    assert system_reason(OSError(28, "No space left on device")) == "det er ikke plass på disken"
    assert system_reason(OSError(9999, "Out of paper")) == "Out of paper"
    assert system_reason(OSError("out of ink")) == "out of ink"


def test_the_server_is_told_the_language() -> None:
    assert hello_for("Kari").lang == "nb"
    choose_language("en")
    assert hello_for("Kari").lang == "en"


def test_english_is_as_it_stands() -> None:
    choose_language("en")
    assert text("{name} is away.", name="Lars") == "Lars is away."
    assert coded("left", "closed", "The table has closed.") == "The table has closed."
    assert typed("draw") == ("draw",)
