"""What of a hello can be settled without knowing any player: versions, features, form.

The four messages of the handshake never change, so that any two versions can tell each other
why they cannot talk.
"""

from collections.abc import Iterable
from typing import Final

from .client_messages import Hello
from .codec import decode_client, peek
from .errors import RemoteProtocolError

PROTOCOL_VERSIONS: Final = (1, 1)
"""Lowest and highest version that this package speaks."""

FEATURES: Final = ("strict",)
"""What a hello may ask for and a server of this package offers."""

Versions = tuple[int, int]


def common_version(theirs: Versions, ours: Versions = PROTOCOL_VERSIONS) -> int | None:
    """The highest version in both ranges; None if they do not meet."""
    highest = min(theirs[1], ours[1])
    return highest if highest >= max(theirs[0], ours[0]) else None


def is_asked_for(feature: str, asked: Iterable[str]) -> bool:
    """Whether a hello's `features` hold this one, with or without a `+`."""
    return any(name.removeprefix("+") == feature for name in asked)


def check_hello(hello: Hello, payload: bytes) -> None:
    """Raise the refusal of a well-formed hello that no server of this version can welcome."""
    _check_versions(hello.versions)
    wanted = (name[1:] for name in hello.features if name.startswith("+"))
    if any(name not in FEATURES for name in wanted):
        raise RemoteProtocolError("unsupported", params={"offered": [*FEATURES]}, answer="refused")
    if is_asked_for("strict", hello.features):
        try:
            decode_client(payload, strict=True)
        except RemoteProtocolError as error:
            raise _refusal(error) from None


def refuse_bad_hello(error: RemoteProtocolError, payload: bytes) -> RemoteProtocolError:
    """The fatal error for a first message that could not be decoded.

    A hello of another version is told about the versions, whatever else it holds.
    """
    raw = peek(payload)
    if raw.get("type") != "hello":
        return RemoteProtocolError("before_hello", payload=payload)
    versions = raw.get("versions")
    if isinstance(versions, list) and [type(each) for each in versions] == [int, int]:
        try:
            _check_versions((versions[0], versions[1]))
        except RemoteProtocolError as disagreement:
            return disagreement
    return _refusal(error)


def _refusal(error: RemoteProtocolError) -> RemoteProtocolError:
    code = "bad_name" if error.path == "name" else error.code
    return RemoteProtocolError(code, error.text, params=error.params, answer="refused")


def _check_versions(theirs: Versions) -> None:
    lowest, highest = theirs
    if lowest > highest:
        raise RemoteProtocolError(
            "bad_field",
            "The field `versions` is wrong: the lowest comes first.",
            params={"path": "versions"},
            answer="refused",
        )
    if common_version(theirs) is not None:
        return
    behind = "client" if highest < PROTOCOL_VERSIONS[0] else "server"
    raise RemoteProtocolError(
        "version",
        f"The client speaks protocol {_span(theirs)}, the server {_span(PROTOCOL_VERSIONS)}: "
        f"the {behind} is behind and needs an update.",
        params={"client": [*theirs], "server": [*PROTOCOL_VERSIONS], "behind": behind},
        answer="refused",
    )


def _span(versions: Versions) -> str:
    lowest, highest = versions
    return str(lowest) if lowest == highest else f"{lowest} to {highest}"
