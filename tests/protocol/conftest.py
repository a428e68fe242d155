"""Two real ends back to back, the vectors of the docs, arbitrary messages made from the types."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import strategies as st
from mexican_train.protocol import (
    PROTOCOL_VERSIONS,
    AnyClientMessage,
    AnyServerMessage,
    BadMessage,
    ClientConnection,
    Hello,
    Limits,
    ServerConnection,
    State,
    UnknownEvent,
    UnknownMessage,
    Update,
    Welcome,
)
from msgspec import inspect as mi

DOCS = Path(__file__).parents[2] / "docs"
VECTORS = json.loads((DOCS / "protocol-vectors.json").read_text(encoding="utf-8"))
GROUPS = {"vector": "messages", "newer": "newer", "fault": "faults"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `vector`, `newer` or `fault` runs once for each in the docs."""
    for argument, group in GROUPS.items():
        if argument in metafunc.fixturenames:
            entries = VECTORS[group]
            names = [f"{each.get('sender', 'client')} {each['name']}" for each in entries]
            metafunc.parametrize(argument, entries, ids=names)


def hello(**fields: Any) -> Hello:
    return Hello(**({"versions": PROTOCOL_VERSIONS, "kind": "bot", "name": "Bob"} | fields))


def welcome(**limits: int) -> Welcome:
    told = dict.fromkeys(Limits.__struct_fields__, 10) | {"frame_bytes_max": 4096} | limits
    return Welcome(
        version=1,
        features=[],
        limits=Limits(**told),
        token=bytes(32),
        last_id=0,
        server="here",
        server_version="0",
        name="Bob",
        table=None,
    )


class ConnectionPair:
    """Two real ends; what one sends the other receives at once, whole or byte by byte."""

    def __init__(self, *, is_bytewise: bool = False) -> None:
        self.client = ClientConnection()
        self.server = ServerConnection()
        self.is_bytewise = is_bytewise

    def client_says(self, message: AnyClientMessage) -> list[AnyClientMessage | BadMessage]:
        return self.to_server(self.client.send(message))

    def server_says(
        self, message: AnyServerMessage
    ) -> list[AnyServerMessage | UnknownMessage | BadMessage]:
        return self.to_client(self.server.send(message))

    def to_server(self, sent: bytes) -> list[AnyClientMessage | BadMessage]:
        """Bytes that need not come from the client's end."""
        return [each for part in self._parts(sent) for each in self.server.receive_data(part)]

    def to_client(self, sent: bytes) -> list[AnyServerMessage | UnknownMessage | BadMessage]:
        """Bytes that need not come from the server's end."""
        return [each for part in self._parts(sent) for each in self.client.receive_data(part)]

    def bring_to(self, state: State) -> None:
        """Walk both ends to a state by real messages."""
        if state is State.AWAIT_HELLO:
            return
        self.client_says(hello())
        if state is State.AWAIT_WELCOME:
            return
        self.server_says(welcome())
        if state is State.CLOSED:
            self.client.close()
            self.server.close()

    def _parts(self, sent: bytes) -> Iterator[bytes]:
        if not self.is_bytewise:
            yield sent
            return
        for byte in sent:
            yield bytes([byte])


@pytest.fixture
def pair_in() -> Callable[..., ConnectionPair]:
    """Makes a pair in a state; `is_bytewise` delivers each byte alone."""

    def make(state: State = State.OPEN, *, is_bytewise: bool = False) -> ConnectionPair:
        pair = ConnectionPair(is_bytewise=is_bytewise)
        pair.bring_to(state)
        return pair

    return make


@pytest.fixture
def page() -> str:
    """The protocol's page."""
    return (DOCS / "protocol.md").read_text(encoding="utf-8")


@pytest.fixture
def vectors() -> dict[str, Any]:
    """The vectors of the docs."""
    vectors: dict[str, Any] = VECTORS
    return vectors


@pytest.fixture
def make_hello() -> Callable[..., Hello]:
    """A good hello with some fields of its own."""
    return hello


@pytest.fixture
def make_welcome() -> Callable[..., Welcome]:
    """A good welcome with some limits of its own."""
    return welcome


# --- arbitrary messages, by the bounds that stand beside their fields --------------------------


def arbitrary(kind: mi.Type) -> st.SearchStrategy[Any]:
    """Values of a type as msgspec sees it."""
    match kind:
        case mi.Metadata():
            return arbitrary(kind.type)
        case mi.IntType():
            least = -(2**63) if kind.ge is None else kind.ge
            most = 2**64 - 1 if kind.le is None else kind.le
            return st.integers(least, most)
        case mi.StrType(pattern=str(pattern)):
            return st.from_regex(pattern, fullmatch=True).filter(
                lambda text: kind.max_length is None or len(text) <= kind.max_length
            )
        case mi.StrType():
            length = 40 if kind.max_length is None else kind.max_length
            return st.text(min_size=kind.min_length or 0, max_size=min(length, 40))
        case mi.BytesType():
            return st.binary(max_size=32)
        case mi.BoolType():
            return st.booleans()
        case mi.NoneType():
            return st.none()
        case mi.LiteralType():
            return st.sampled_from(kind.values)
        case mi.TupleType():
            return st.tuples(*map(arbitrary, kind.item_types))
        case mi.ListType():
            return st.lists(arbitrary(kind.item_type), max_size=4)
        case mi.DictType():
            return st.dictionaries(st.text(max_size=9), arbitrary(kind.value_type), max_size=3)
        case mi.UnionType():
            return st.one_of([arbitrary(each) for each in kind.types if is_sent(each)])
        case mi.StructType():
            fields = {field.name: arbitrary(field.type) for field in kind.fields}
            return st.builds(kind.cls, **fields)
    raise AssertionError(kind)


def is_sent(kind: mi.Type) -> bool:
    """Whether a type crosses the wire; what stands for unknown events does not."""
    return not (isinstance(kind, mi.StructType) and kind.cls is UnknownEvent)


def arbitrary_of(union: Any) -> st.SearchStrategy[Any]:
    structs: tuple[type[msgspec.Struct], ...] = get_args(union)
    return st.one_of([arbitrary(mi.type_info(struct)) for struct in structs])


@pytest.fixture(scope="session")
def client_messages() -> st.SearchStrategy[AnyClientMessage]:
    """Arbitrary messages of a client."""
    return arbitrary_of(AnyClientMessage)


@pytest.fixture(scope="session")
def server_messages() -> st.SearchStrategy[AnyServerMessage]:
    """Arbitrary messages of a server."""
    return arbitrary_of(AnyServerMessage)


@pytest.fixture(scope="session")
def updates() -> st.SearchStrategy[Update]:
    """Arbitrary updates."""
    return arbitrary(mi.type_info(Update))
