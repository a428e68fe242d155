"""The page tells everything, and the bot that it shows plays."""

import re
import socket
import threading
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from mexican_train import protocol as p
from mexican_train.protocol import CLIENT_TYPES, EVENT_TYPES, SERVER_TYPES, ServerConnection


@pytest.mark.parametrize("structs", [CLIENT_TYPES, SERVER_TYPES, EVENT_TYPES])
def test_every_type_and_field_is_on_the_page(page: str, structs: dict[str, Any]) -> None:
    for tag, struct in structs.items():
        sections = re.findall(rf"^### `{tag}`\n(.*?)(?=^##)", page, re.MULTILINE | re.DOTALL)
        told = "".join(sections)
        assert sections, tag
        for field in msgspec.structs.fields(struct):
            assert f"| `{field.name}` |" in told or field.name == "n", (tag, field.name)


def test_every_code_is_on_the_page(page: str) -> None:
    for table in (p.REFUSED_CODES, p.GOODBYE_CODES, p.DECLINED_CODES):
        for code in table.values():
            assert f"| `{code.code}` | {code.sentence} |" in page


def test_every_link_inside_the_page_leads_somewhere(page: str) -> None:
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}
    assert set(re.findall(r"\(#([^)]*)\)", page)) <= anchors
    assert "{{" not in page


# --- the bot of the page ------------------------------------------------------------------


def welcome() -> p.Welcome:
    return p.Welcome(
        version=1,
        features=[],
        limits=p.Limits(**dict.fromkeys(p.Limits.__struct_fields__, 4096)),
        token=bytes(32),
        last_id=40,
        server="here",
        server_version="0",
        name="Bob",
        table=None,
    )


def replies(vectors: dict[str, Any]) -> Iterator[list[p.AnyServerMessage]]:
    """What the server says to each message of the bot, in turn."""
    known: dict[str, Any] = {
        each["name"]: p.decode_server(bytes.fromhex(each["hex"])[4:])
        for each in vectors["messages"]
        if each["sender"] == "server"
    }
    update = known["update"]
    over = msgspec.structs.replace(
        update, choices=[], view=msgspec.structs.replace(update.view, phase="over", totals=[3, 4])
    )
    knock = msgspec.structs.replace(update, choices=[p.Choice(do="foul", seat=0, event=7)])
    yield [welcome()]
    yield [known["table"], known["said"], p.Heartbeat(n=7)]
    yield [update]
    yield [known["declined"], knock]
    yield [over]


def serve(listener: socket.socket, vectors: dict[str, Any], heard: list[Any]) -> None:
    """Answer one client by the script; put down what it says."""
    stream, _ = listener.accept()
    with stream:
        stream.settimeout(20)
        end = ServerConnection()
        script = replies(vectors)
        while received := stream.recv(4096):
            for message in end.receive_data(received):
                heard.append(message)
                for reply in next(script):
                    stream.sendall(end.send(reply))


def test_the_bot_of_the_page_plays(page: str, vectors: dict[str, Any]) -> None:
    """It speaks from the page alone: raw sockets and msgpack, nothing of this package."""
    block = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert block is not None
    names: dict[str, Any] = {}
    exec(compile(block[1], "docs/protocol.md", "exec"), names)  # noqa: S102 the page's own code
    heard: list[Any] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(20)
        server = threading.Thread(target=serve, args=(listener, vectors, heard), daemon=True)
        server.start()
        totals = names["play"]("127.0.0.1", listener.getsockname()[1], "Bob", "kitchen")
        server.join(20)
    assert totals == [3, 4]
    assert heard == [
        p.Hello(versions=(1, 1), kind="bot", name="Bob"),
        p.JoinTable(id=41, table="kitchen"),
        p.HeartbeatAnswer(n=7),
        p.Play(id=42, turn=2, tile=(6, 5), train="p1"),
        p.Foul(id=43, seat=0, event=7),
    ]
