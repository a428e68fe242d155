"""Passwords from files, fingerprints as people copy them, addresses with TLS, and what is kept."""

import os
from pathlib import Path

import click
import pytest
from mexican_train.client.access import access_to
from mexican_train.client.address import Address
from mexican_train.client.passwords import PasswordFileError, read_password_file
from mexican_train.client.pins import FilePins, read_fingerprint
from mexican_train.client.wish import AccessOptions

FINGERPRINT = "0123456789abcdef" * 4
OTHER = "fedcba9876543210" * 4


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "password"
    path.touch(mode=0o600)
    return path


@pytest.mark.parametrize(
    ("content", "password"),
    [
        (b"sesame\n", "sesame"),
        (b"sesame", "sesame"),
        (b"sesame\r\n", "sesame"),
        (b" open sesame \n", " open sesame "),
        ("sésame\n".encode(), "sésame"),
        (b"x" * 200 + b"\n", "x" * 200),
    ],
)
def test_the_password_is_the_line_without_its_end(
    file: Path, content: bytes, password: str
) -> None:
    file.write_bytes(content)
    found = read_password_file(file)
    assert found.password == password
    assert not found.is_exposed
    assert password not in repr(found)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no password"),
        (b"\n", "no password"),
        (b"  \n", "no password"),
        (b"one\ntwo\n", "more than one line"),
        (b"one\n\n", "more than one line"),
        (b"x" * 201 + b"\n", "200"),
        (b"x" * 100_000, "200"),
        (b"\xff\xfe\n", "UTF-8"),
    ],
)
def test_what_is_no_password_is_named(file: Path, content: bytes, says: str) -> None:
    file.write_bytes(content)
    with pytest.raises(PasswordFileError, match=says) as failure:
        read_password_file(file)
    assert str(file) in str(failure.value)
    assert "one\ntwo" not in str(failure.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(PasswordFileError, match=str(path)):
            read_password_file(path)


def test_a_file_that_others_may_read_is_told(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text("sesame\n")
    file.chmod(0o644)
    access = access_to("there", AccessOptions(file), program="mt-client")
    assert access.password == "sesame"  # noqa: S105 - that of the test
    assert "sesame" not in repr(access)
    assert capsys.readouterr().err == (
        f"mt-client: others may read the password in {file}: chmod 600 {file}\n"
    )


def test_a_pipe_is_a_password_file_too() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"sesame\n")
    os.close(writing)
    found = read_password_file(Path(f"/dev/fd/{reading}"))
    os.close(reading)
    assert (found.password, found.is_exposed) == ("sesame", False)


@pytest.mark.parametrize(
    "text",
    [
        FINGERPRINT,
        FINGERPRINT.upper(),
        ":".join(FINGERPRINT[at : at + 2] for at in range(0, 64, 2)),
        f" {FINGERPRINT[:32]} {FINGERPRINT[32:]}\n",
    ],
)
def test_a_fingerprint_as_people_copy_it(text: str) -> None:
    assert read_fingerprint(text) == FINGERPRINT


@pytest.mark.parametrize("text", ["", FINGERPRINT[1:], FINGERPRINT + "0", "g" * 64, "٣" * 64])
def test_what_is_no_fingerprint_is_bad_usage(text: str) -> None:
    with pytest.raises(click.BadParameter, match="64 hexadecimal"):
        access_to("there", AccessOptions(fingerprint=text), program="mt-bot")


@pytest.mark.parametrize(
    ("server", "options", "address"),
    [
        ("there", AccessOptions(), Address("there")),
        ("tls://there", AccessOptions(), Address("there", tls=True)),
        ("TLS://there:9", AccessOptions(), Address("there", 9, tls=True)),
        ("tls://[2001:db8::1]:9", AccessOptions(), Address("2001:db8::1", 9, tls=True)),
        ("there:9", AccessOptions(tls=True), Address("there", 9, tls=True)),
        ("there", AccessOptions(fingerprint=FINGERPRINT), Address("there", tls=True)),
    ],
)
def test_tls_is_asked_for_in_three_ways(
    server: str, options: AccessOptions, address: Address
) -> None:
    found = access_to(server, options, program="mt-client").address
    assert found == address
    assert Address.parse(str(found)) == found
    assert found.place == str(address).removeprefix("tls://")


@pytest.mark.parametrize("text", ["tls://", "tls://:9", "http://there"])
def test_what_is_no_address_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"host|port"):
        Address.parse(text)


def test_fingerprints_are_kept_by_place(tmp_path: Path) -> None:
    path = tmp_path / "state" / "fingerprints.json"
    pins = FilePins(path)
    assert pins.load("there:1") is None
    pins.save("there:1", FINGERPRINT)
    pins.save("there:2", OTHER)
    pins.save("there:1", FINGERPRINT)
    again = FilePins(path)
    assert (again.load("there:1"), again.load("there:2")) == (FINGERPRINT, OTHER)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("content", ["", "[]", "{", '{"there:1": 7}', '{"there:1": "short"}'])
def test_a_broken_file_keeps_nothing(tmp_path: Path, content: str) -> None:
    path = tmp_path / "fingerprints.json"
    path.write_text(content)
    assert FilePins(path).load("there:1") is None
    FilePins(path).save("there:1", FINGERPRINT)
    assert FilePins(path).load("there:1") == FINGERPRINT


@pytest.mark.parametrize(
    "content",
    [
        f'{{\n "there:1": "{FINGERPRINT}",\n}}\n',
        f'{{\n "there:1": "{FINGERPRINT}"\n',
        f'{{"there:2": "short", "there:1": "{FINGERPRINT}"}}',
        f'{{"there:2": 7, "there:1": "{FINGERPRINT}"}}',
        f'{{"there:1": "{FINGERPRINT}" "there:3"}}',
        f'\ufeff{{"there:1": "{FINGERPRINT}"}}',
    ],
)
def test_a_slip_in_the_file_forgets_no_other_server(tmp_path: Path, content: str) -> None:
    """As by who deletes the last line, as the documents say, and leaves the comma before it."""
    path = tmp_path / "fingerprints.json"
    path.write_text(content, encoding="utf-8")
    assert FilePins(path).load("there:1") == FINGERPRINT
    FilePins(path).save("there:2", OTHER)
    assert FilePins(path).load("there:1") == FINGERPRINT


def test_places_of_every_form_are_kept(tmp_path: Path) -> None:
    places = [
        "[2001:db8::1]:12012",
        "k\N{LATIN SMALL LETTER O WITH STROKE}kken.example:1",
        'a"\\b:1',
    ]
    pins = FilePins(tmp_path / "fingerprints.json")
    for place in places:
        pins.save(place, FINGERPRINT)
    assert [pins.load(place) for place in places] == [FINGERPRINT] * 3
