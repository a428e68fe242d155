"""What a server tells of itself on the local network, written and read."""

from hypothesis import example, given
from hypothesis import strategies as st
from mexican_train.protocol import (
    ANNOUNCED_NAME_CHARS_MAX,
    PROTOCOL_VERSIONS,
    SERVICE_TYPE,
    Announcement,
)

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=ANNOUNCED_NAME_CHARS_MAX)


def read(txt: dict[str, str]) -> Announcement:
    return Announcement.from_txt({key.encode(): value.encode() for key, value in txt.items()})


def test_the_type_has_the_form_of_dns_sd() -> None:
    """RFC 6763: a service name of at most 15 characters, the protocol, the domain."""
    service, protocol, domain = SERVICE_TYPE.removesuffix(".").split(".")
    assert len(service.removeprefix("_")) <= 15
    assert (protocol, domain) == ("_tcp", "local")


@given(names, st.booleans(), st.booleans())
def test_what_is_written_is_read(name: str, tls: bool, password: bool) -> None:
    announcement = Announcement(name, tls=tls, password=password)
    assert read(announcement.to_txt()) == announcement
    assert announcement.is_spoken_here
    # RFC 6763: a pair has at most 255 bytes
    assert all(len(f"{key}={text}".encode()) <= 255 for key, text in announcement.to_txt().items())


def test_what_is_missing_is_not_promised() -> None:
    """An empty record tells of a server that nobody can speak to."""
    assert read({}) == Announcement("", versions=(0, 0))
    assert not read({}).is_spoken_here
    assert Announcement.from_txt({b"name": None, b"tls": b"1"}).tls


def test_versions_that_do_not_meet_ours() -> None:
    higher = PROTOCOL_VERSIONS[1] + 1
    assert not read({"protocol": f"{higher}-{higher}"}).is_spoken_here
    assert read({"protocol": f"1-{higher}"}).is_spoken_here


keys = st.sampled_from([b"name", b"protocol", b"tls", b"password"]) | st.binary(max_size=9)


@given(st.dictionaries(keys, st.none() | st.binary(max_size=600)))
@example({b"protocol": b"1-" + b"9" * 255})
@example({b"protocol": "\u00b2-\u00b2".encode()})
@example({b"protocol": b"-1-1"})
@example({b"name": b"\xf0\x9f" * 200})
def test_anything_can_be_read(txt: dict[bytes, bytes | None]) -> None:
    """Whatever a stranger sends, what is read is small."""
    found = Announcement.from_txt(txt)
    assert len(found.name) <= ANNOUNCED_NAME_CHARS_MAX
    assert all(0 <= version <= 9999 for version in found.versions)
    assert isinstance(found.is_spoken_here, bool)
