"""Names that cannot be mistaken for one another, and tokens."""

import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mexican_train.server.players import (
    BadName,
    Players,
    clean_name,
    clean_text,
    is_token_confirmed,
    is_token_of,
    skeletons,
)

ACUTE = "\N{COMBINING ACUTE ACCENT}"


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Ann", "Ann"),
        ("  Ann   Lee ", "Ann Lee"),
        ("\N{FULLWIDTH LATIN CAPITAL LETTER A}nn", "Ann"),
        (f"Jose{ACUTE}", "Jos\N{LATIN SMALL LETTER E WITH ACUTE}"),
        ("\N{LATIN SMALL LIGATURE FI}n", "fin"),
        ("\N{HANGUL SYLLABLE GIM}", "\N{HANGUL SYLLABLE GIM}"),
        ("x" * 20, "x" * 20),
    ],
)
def test_a_name_has_one_written_form(raw: str, name: str) -> None:
    assert clean_name(raw) == name
    assert clean_name(name) == name


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "   ",
        "x" * 21,
        "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 2,
        "a\x00b",
        "a\x1b[2Jb",
        "a\nb",
        "a\N{RIGHT-TO-LEFT OVERRIDE}b",
        "a\N{ZERO WIDTH SPACE}b",
        "a\N{SOFT HYPHEN}b",
        "a\N{VARIATION SELECTOR-16}",
        "\N{HANGUL FILLER}",
        "\N{BRAILLE PATTERN BLANK}",
        "a" + "\N{COMBINING ENCLOSING CIRCLE}" * 3,
        f"{ACUTE}a",
        "...",
        "\ud800",
        "\ue000",
    ],
)
def test_a_name_that_cannot_be_shown_is_refused(raw: str) -> None:
    with pytest.raises(BadName):
        clean_name(raw)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann", "ann"),
        ("Ian", "lan"),
        ("Bob", "B0b"),
        ("ann", "\N{CYRILLIC SMALL LETTER A}nn"),
        ("ROSE", "ros\N{CYRILLIC SMALL LETTER IE}"),
        ("jose", "jos\N{LATIN SMALL LETTER E WITH ACUTE}"),
        ("tom", "torn"),
        ("will", "vvill"),
        ("greedy-1", "greedy\N{EN DASH}l"),
        ("Honest", "\N{GREEK CAPITAL LETTER ETA}onest"),
        ("ANNA", "A\N{GREEK CAPITAL LETTER NU}\N{GREEK CAPITAL LETTER NU}A"),
        ("Bob", "\N{GREEK CAPITAL LETTER BETA}ob"),
        ("Yves", "\N{GREEK CAPITAL LETTER UPSILON WITH DIALYTIKA}ves"),
        ("\N{GREEK CAPITAL LETTER ETA}a", "\N{GREEK SMALL LETTER ETA}a"),
    ],
)
def test_names_that_look_alike_are_one(one: str, other: str) -> None:
    assert skeletons(one) & skeletons(other)


def test_different_names_stay_different() -> None:
    names = ["ann", "bob", "greedy-1", "greedy-2", "greedy-10", "robot 1", "anna", "eve"]
    names += ["hina", "nina", "\N{GREEK CAPITAL LETTER DELTA}"]
    assert not any(
        skeletons(one) & skeletons(other) for one, other in itertools.combinations(names, 2)
    )


@given(st.text(max_size=40))
def test_a_clean_name_is_printable_and_has_a_stable_skeleton(raw: str) -> None:
    try:
        name = clean_name(raw)
    except BadName:
        return
    assert name.isprintable()
    assert 1 <= len(name) <= 20
    assert clean_name(name) == name
    assert skeletons(name) == skeletons(clean_name(name))


@given(st.text(max_size=500))
def test_clean_chat_is_printable(raw: str) -> None:
    said = clean_text(raw)
    assert said.isprintable()
    assert clean_text(said) == said


def test_tokens_are_known_by_their_hash_alone() -> None:
    players = Players(Random(1).randbytes)
    ann = players.add("ann", "person")
    first = players.issue_token(ann)
    second = players.issue_token(ann, first)
    assert is_token_of(ann, first)
    assert is_token_of(ann, second)
    assert not is_token_of(ann, b"")
    assert not is_token_of(ann, bytes(32))
    assert first not in repr(ann).encode()
    assert second not in (ann.confirmed_hash, *ann.newer_hashes)


def test_the_presented_token_survives_lost_welcomes() -> None:
    """However often a welcome is lost, the token that the player holds brings it back."""
    players = Players(Random(1).randbytes)
    ann = players.add("ann", "person")
    held = players.issue_token(ann)
    for _ in range(9):
        newest = players.issue_token(ann, held)
        assert is_token_of(ann, held)
    assert is_token_of(ann, newest)
    assert is_token_confirmed(ann)
    assert not is_token_of(ann, held)
    assert is_token_of(ann, newest)


def test_of_tokens_never_seen_in_use_few_are_kept() -> None:
    """The longest unmentioned goes; the one that was seen in use stays whatever comes."""
    players = Players(Random(1).randbytes)
    ann = players.add("ann", "person")
    seen = players.issue_token(ann)
    assert is_token_confirmed(ann)
    newer = [players.issue_token(ann, seen) for _ in range(6)]
    assert [is_token_of(ann, each) for each in newer] == [False] * 2 + [True] * 4
    players.issue_token(ann, newer[2])
    assert [is_token_of(ann, each) for each in newer[2:]] == [True, False, True, True]
    assert is_token_of(ann, seen)


def test_a_seat_code_ends_all_tokens() -> None:
    players = Players(Random(1).randbytes)
    ann = players.add("ann", "person")
    older = [players.issue_token(ann)]
    is_token_confirmed(ann)
    older.append(players.issue_token(ann, older[0]))
    newest = players.issue_token(ann)
    assert [is_token_of(ann, each) for each in (*older, newest)] == [False, False, True]


def test_a_player_without_a_token_has_none_that_fits() -> None:
    players = Players(Random(1).randbytes)
    bot = players.add("bot", "bot", is_house=True)
    assert not is_token_of(bot, b"")


def test_so_many_idle_players_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the bound the longest gone are forgotten, the seated and the connected never."""
    monkeypatch.setattr("mexican_train.server.players.IDLE_PLAYERS_MAX", 10)
    players = Players(Random(1).randbytes)
    for number in range(12):
        players.add(f"robot {number}", "bot").absent_since = float(number)
    seated, connected = players[1], players[2]
    seated.seats.add("t")
    connected.is_connected = True
    assert [player.number for player in players.overdue()] == [3]


def test_a_name_is_free_again_in_every_reading() -> None:
    """A capital that is read in two ways leaves neither behind."""
    players = Players(Random(1).randbytes)
    nina = players.add("\N{GREEK CAPITAL LETTER NU}ina", "person")
    assert players.named("nina") is players.named("vina") is nina
    players.forget(nina)
    assert players.named("nina") is players.named("vina") is None
