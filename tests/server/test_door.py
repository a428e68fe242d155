"""Who may come in: the server's password, and how often it may be tried."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mexican_train.engine import RuleSet
from mexican_train.protocol import Hello, JoinTable, Refused, TableNews, Welcome
from mexican_train.server import LIMITS
from mexican_train.server.door import ORIGINS_MAX, TRIES_MAX, TRY_SECONDS, Door, digest_of
from mexican_train.server.effects import Admit
from mexican_train.server.listeners import origin_of
from mexican_train.server.lobby import Admission, Lobby
from mexican_train.server.lobby_settings import LobbySettings, TablePlan
from mexican_train.server.table_settings import TableSettings

SESAME = "sésame"
WRONG = "open barley"
HERE = "192.0.2.1"


@pytest.fixture
def door() -> Door:
    return Door(digest_of(SESAME))


def wrong(door: Door, times: int, *, origin: str = HERE, now: float = 0.0) -> list[str | None]:
    return [door.refusal(f"{number}", origin, now) for number in range(times)]


def test_a_door_without_password_stands_open() -> None:
    assert Door(None).refusal(None, HERE, 0) is None
    assert Door(None).refusal("anything", HERE, 0) is None


def test_the_password_lets_in_and_another_does_not(door: Door) -> None:
    """In either form of Unicode, since keyboards differ."""
    assert door.refusal(SESAME, HERE, 0) is None
    assert door.refusal("se\u0301same", HERE, 0) is None
    assert door.refusal("sesame", HERE, 0) == "bad_password"
    assert door.refusal(f"{SESAME} ", HERE, 0) == "bad_password"


def test_no_password_is_no_try(door: Door) -> None:
    for missing in (None, "") * TRIES_MAX:
        assert door.refusal(missing, HERE, 0) == "bad_password"
    assert door.refusal(SESAME, HERE, 0) is None


def test_after_too_many_tries_nothing_is_looked_at(door: Door) -> None:
    """The right password and a wrong one get the same answer: it cannot be found out by trying."""
    assert wrong(door, TRIES_MAX) == ["bad_password"] * TRIES_MAX
    assert wrong(door, 2) == ["too_many_tries"] * 2
    assert door.refusal(SESAME, HERE, 0) == "too_many_tries"


def test_another_address_is_not_hurt(door: Door) -> None:
    wrong(door, TRIES_MAX + 1)
    assert door.refusal(SESAME, "192.0.2.2", 0) is None


def test_time_forgives_one_try_after_the_other(door: Door) -> None:
    wrong(door, TRIES_MAX)
    assert door.refusal(SESAME, HERE, TRY_SECONDS - 0.1) == "too_many_tries"
    assert wrong(door, 2, now=TRY_SECONDS) == ["bad_password", "too_many_tries"]
    assert door.refusal(SESAME, HERE, 2 * TRY_SECONDS) is None
    all_forgiven = TRY_SECONDS * (TRIES_MAX + 2)
    assert wrong(door, TRIES_MAX + 1, now=all_forgiven)[-2:] == ["bad_password", "too_many_tries"]


@given(gaps=st.lists(st.floats(0, 30), max_size=200))
def test_no_rhythm_tries_faster_than_the_rate(gaps: list[float]) -> None:
    door, now, tried = Door(digest_of(SESAME)), 0.0, 0
    for gap in gaps:
        now += gap
        tried += door.refusal("wrong", HERE, now) == "bad_password"
    assert tried <= TRIES_MAX + now / TRY_SECONDS + 1e-6


def test_the_memory_for_addresses_is_bounded(door: Door) -> None:
    for number in range(ORIGINS_MAX + 10):
        door.refusal("wrong", str(number), number)
    assert len(door._wrong) == ORIGINS_MAX
    assert "0" not in door._wrong


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_an_ipv6_network_is_one_address(address: str, origin: str) -> None:
    """Its owner may take any of 2 to the 64th of them."""
    assert origin_of(address) == origin


# --- in the lobby -------------------------------------------------------------------------


@pytest.fixture
def lobby() -> Lobby:
    settings = LobbySettings(
        table=TableSettings(random_bytes=bytes_in_order()),
        limits=LIMITS,
        rules={},
        strategies=("random",),
        password_digest=digest_of(SESAME),
    )
    lobby = Lobby(settings)
    lobby.open_standing(TablePlan(name="t", rules=RuleSet.preset("classic"), seats=2), 0.0)
    return lobby


def bytes_in_order() -> Callable[[int], bytes]:
    counter = iter(range(1, 250))
    return lambda count: bytes([next(counter)]) * count


def come(lobby: Lobby, name: str = "Ann", now: float = 0.0, **fields: Any) -> Admission | Refused:
    return lobby.hello(Hello(versions=(1, 1), kind="person", name=name, **fields), now, HERE)


def token_of(admission: Admission | Refused) -> bytes:
    assert isinstance(admission, Admission)
    (welcome,) = [each.message for each in admission.effects if isinstance(each, Admit)]
    assert isinstance(welcome, Welcome)
    return welcome.token


def code_of(answer: Admission | Refused) -> str:
    assert isinstance(answer, Refused)
    return answer.code


def test_the_password_is_asked_for_before_anything_is_told(lobby: Lobby) -> None:
    """Not even that a name is taken."""
    assert code_of(come(lobby)) == "bad_password"
    token_of(come(lobby, password=SESAME))
    assert code_of(come(lobby)) == "bad_password"
    assert code_of(come(lobby, password=WRONG)) == "bad_password"
    assert code_of(come(lobby, password=SESAME)) == "name_taken"


def test_whoever_holds_a_seat_comes_back_without_password(lobby: Lobby) -> None:
    """Also while too many wrong ones come from the same address."""
    answer = come(lobby, password=SESAME)
    assert isinstance(answer, Admission)
    told = lobby.handle(answer.player, JoinTable(id=1, table="t"), 0.0)
    assert any(isinstance(getattr(each, "message", None), TableNews) for each in told)
    for _ in range(TRIES_MAX + 1):
        refused = come(lobby, "Bob", password=WRONG)
    assert code_of(refused) == "too_many_tries"
    token_of(come(lobby, token=token_of(answer)))


def test_a_token_without_a_seat_is_not_enough(lobby: Lobby) -> None:
    """A host who changes the password shuts out everybody who is not in a game."""
    token = token_of(come(lobby, password=SESAME))
    assert code_of(come(lobby, token=token)) == "bad_password"
    token_of(come(lobby, token=token, password=SESAME))


def test_a_refused_hello_changes_nothing(lobby: Lobby) -> None:
    before = len(lobby._players)
    come(lobby, password=WRONG)
    come(lobby, "Zoe")
    assert len(lobby._players) == before


# --- in a server --------------------------------------------------------------------------


async def test_wrong_passwords_are_logged_without_being_told(
    open_hall: Any, autojump_clock: object
) -> None:
    hall = await open_hall(password_digest=digest_of(SESAME))
    for password in (None, WRONG):
        peer = hall.connect()
        await peer.send(Hello(versions=(1, 1), kind="person", name="Ann", password=password))
        assert (await peer.receive()).code == "bad_password"
    assert [line["code"] for line in hall.logged("bad peer")] == ["bad_password"]
    assert WRONG not in repr(hall.lines)
    await hall.enter("Ann", password=SESAME)


async def test_house_bots_need_no_password(open_hall: Any, autojump_clock: object) -> None:
    plan = TablePlan(name="t", rules=RuleSet.preset("classic"), seats=2, bots=("random",))
    hall = await open_hall(password_digest=digest_of(SESAME), tables=(plan,))
    ann = await hall.enter("Ann", password=SESAME)
    await ann.send(JoinTable(id=1, table="t"))
    while not isinstance(news := await ann.receive(), TableNews):
        continue
    assert [seat.name for seat in news.table.seats] == ["random-1", "Ann"]


def test_no_message_shows_a_secret() -> None:
    """Neither in a repr nor in a traceback that is made of reprs."""
    hello = Hello(
        versions=(1, 1),
        kind="person",
        name="Ann",
        password=SESAME,
        token=b"k" * 32,
        seat_code="ABCDE-FGHJK",
    )
    shown = repr(hello) + str(hello) + f"{hello}" + repr(hello.__rich_repr__()) + repr([hello])
    for secret in (SESAME, "kkk", "ABCDE"):
        assert secret not in shown
    assert "name='Ann'" in shown
    assert "password=None" in repr(Hello(versions=(1, 1), kind="person", name="Ann"))
