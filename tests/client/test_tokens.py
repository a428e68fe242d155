"""Where resume tokens are kept, and addresses as they are typed."""

import os
import stat
from pathlib import Path

import pytest
from mexican_train.client.address import Address
from mexican_train.client.tokens import FileTokens

FIRST, SECOND = b"a" * 32, bytes(range(32))


async def test_a_token_for_each_server_and_name(tmp_path: Path) -> None:
    tokens = FileTokens(tmp_path / "state" / "tokens")
    assert await tokens.load("a:1", "Ann") is None
    await tokens.save("a:1", "Ann", FIRST)
    await tokens.save("a:1", "Bob", SECOND)
    assert await tokens.load("a:1", "Ann") == FIRST
    assert await tokens.load("a:1", "Bob") == SECOND
    assert await tokens.load("b:1", "Ann") is None
    await tokens.save("a:1", "Ann", SECOND)
    assert await tokens.load("a:1", "Ann") == SECOND
    await tokens.forget("a:1", "Ann")
    await tokens.forget("a:1", "Ann")
    assert await tokens.load("a:1", "Ann") is None


@pytest.mark.skipif(os.name != "posix", reason="file locks are POSIX")
def test_a_name_is_claimed_by_one_at_a_time(tmp_path: Path) -> None:
    """Each pair for itself; when a claim ends the next one gets it."""
    tokens, others = FileTokens(tmp_path / "tokens"), FileTokens(tmp_path / "tokens")
    with tokens.claim("a:1", "Ann") as first, others.claim("a:1", "Ann") as second:
        assert (first, second) == (True, False)
        with others.claim("a:1", "Bob") as third:
            assert third
    with others.claim("a:1", "Ann") as first:
        assert first


def test_where_nothing_can_be_written_nothing_is_claimed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    tokens = FileTokens(tmp_path / "file")
    with tokens.claim("a:1", "Ann") as first, tokens.claim("a:1", "Ann") as second:
        assert first
        assert second


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
async def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    """Also under an open umask, and nothing else is left in the folder."""
    before = os.umask(0)
    try:
        tokens = FileTokens(tmp_path / "tokens")
        await tokens.save("a:1", "Ann", FIRST)
    finally:
        os.umask(before)
    (file,) = (tmp_path / "tokens").iterdir()
    assert file == tokens.path("a:1", "Ann")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", ["", "{", "[]", '{"token": 7}', '{"token": "zz"}'])
async def test_a_file_that_cannot_be_read_is_no_token(tmp_path: Path, content: str) -> None:
    tokens = FileTokens(tmp_path)
    tokens.path("a:1", "Ann").write_text(content)
    assert await tokens.load("a:1", "Ann") is None
    await tokens.save("a:1", "Ann", FIRST)
    assert await tokens.load("a:1", "Ann") == FIRST


async def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    """The place of the token is taken by a folder: the error comes out."""
    tokens = FileTokens(tmp_path)
    tokens.path("a:1", "Ann").mkdir()
    with pytest.raises(OSError, match="directory"):
        await tokens.save("a:1", "Ann", FIRST)
    assert os.listdir(tmp_path) == [tokens.path("a:1", "Ann").name]  # noqa: PTH208 - names alone


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("server", "server", 12012),
        ("Server:80", "server", 80),
        (" 192.0.2.7:4000 ", "192.0.2.7", 4000),
        ("[2001:db8::1]", "2001:db8::1", 12012),
        ("[2001:db8::1]:80", "2001:db8::1", 80),
        ("::1", "::1", 12012),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    address = Address.parse(text)
    assert address == Address(host, port)
    assert Address.parse(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":80",
        "a b",
        "host:",
        "host:x",
        "host:0",
        "host:65536",
        "[::1",
        "[::1]80",
        "host:" + "9" * 5000,
    ],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match=r"host|port|IPv6"):
        Address.parse(text)


async def test_what_a_killed_program_left_is_swept_away(tmp_path: Path) -> None:
    """A half-written file is a token lying about; one that may still be written is left alone."""
    tokens = FileTokens(tmp_path / "tokens")
    await tokens.save("a:1", "Ann", FIRST)
    path = tokens.path("a:1", "Ann")
    old, fresh, other = (path.with_suffix(f".{n}.new") for n in (1, 2, 3))
    other = other.with_name(f"other.{other.name}")
    for left in (old, fresh, other):
        left.write_text("{")
    for left in (old, other):
        os.utime(left, (1, 1))
    await tokens.save("a:1", "Ann", FIRST)
    assert {*(tmp_path / "tokens").iterdir()} == {path, fresh, other}
