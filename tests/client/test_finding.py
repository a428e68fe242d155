"""Servers on the local network as the client tells of them, whatever was announced."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mexican_train.client.address import Address
from mexican_train.client.clean import clean
from mexican_train.client.discovery import (
    FOUND_MAX,
    FoundServer,
    found_lines,
    found_server,
    in_order,
)
from mexican_train.client.entries import EntryError, LookForServers, read_entry
from mexican_train.client.model import Model
from mexican_train.protocol import Announcement

TXT = {key.encode(): text.encode() for key, text in Announcement("the den").to_txt().items()}


def test_an_answer_leads_to_a_server() -> None:
    found = found_server(TXT | {b"tls": b"1", b"password": b"1"}, ["192.0.2.7"], 5000)
    assert found == FoundServer("the den", Address("192.0.2.7", 5000, tls=True), password=True)


@pytest.mark.parametrize(
    ("hosts", "host"),
    [
        (["fd00::2", "192.0.2.7"], "192.0.2.7"),
        (["FD00:0::2"], "fd00::2"),
        (["fe80::1", "fd00::2"], "fd00::2"),
        (["224.0.0.1", "0.0.0.0", "255.255.255.255", "here", "192.0.2.7"], "192.0.2.7"),  # noqa: S104 - a stranger's
    ],
)
def test_the_address_that_works_best(hosts: list[str], host: str) -> None:
    """IPv4 goes first; what leads nowhere without more is no address."""
    found = found_server(TXT, hosts, 5000)
    assert found is not None
    assert found.address == Address(host, 5000)


def test_what_leads_nowhere_is_not_told() -> None:
    assert found_server(TXT, [], 5000) is None
    assert found_server(TXT, ["fe80::1"], 5000) is None
    assert found_server(TXT, ["192.0.2.7"], 0) is None
    assert found_server(TXT, ["192.0.2.7"], None) is None


@given(st.binary(max_size=300))
def test_no_name_harms_a_terminal(name: bytes) -> None:
    found = found_server({b"name": name}, ["192.0.2.7"], 5000)
    assert found is not None
    assert found.name
    assert clean(found.name) == found.name
    assert len(found.name) <= 40
    assert not found.is_spoken


def test_an_address_is_told_once_and_no_list_is_endless() -> None:
    many = [FoundServer(f"n{port}", Address("192.0.2.7", port)) for port in range(1, 200)]
    assert in_order([*many[:3], *many[:3]]) == many[:3]
    assert len(in_order(many)) == FOUND_MAX


def test_how_to_go_there() -> None:
    """The line to type stands first, so that it can be copied."""
    servers = [
        FoundServer("the den", Address("192.0.2.7"), password=True),
        FoundServer("old", Address("fd00::2", 5000, tls=True), is_spoken=False),
    ]
    assert found_lines(servers) == [
        "2 servers were found on this network. To go there, type quit and then:",
        "  mt-client 192.0.2.7:12012  the den (wants a password)",
        "  mt-client tls://[fd00::2]:5000  old (of another version)",
    ]
    assert found_lines([])[0] == "No servers were found on this network."


def test_the_entry() -> None:
    assert read_entry("servers", Model()) == LookForServers()
    with pytest.raises(EntryError, match="Type servers alone"):
        read_entry("servers now", Model())
