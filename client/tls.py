"""Streams to servers, with TLS where the address asks for it, and whom to believe.

A certificate is taken if it has the fingerprint that was given, or else the one that is kept for
this server, or else if the system vouches for it and its host. In all other cases nothing is sent
but the handshake, and the reason tells the fingerprint. Nothing ever falls back to plain TCP.
"""

import contextlib
import functools
import hashlib
import hmac
import ssl
from collections.abc import Awaitable, Callable

import trio

from .address import Address
from .pins import FilePins
from .texts import coded, text


class NoTlsError(Exception):
    """No TLS could be agreed on with what answers; the text says what was seen."""


class CertificateError(Exception):
    """The certificate is not to be trusted as things are; the text says why and what to do.

    `fingerprint` is what was seen; `is_new` tells that none was kept or given for this server.
    """

    def __init__(self, reason: str, fingerprint: str, *, is_new: bool) -> None:
        super().__init__(reason)
        self.fingerprint = fingerprint
        self.is_new = is_new


class _UnvouchedError(Exception):
    """The system does not vouch for the certificate; the text says why in a few words."""


PlainOpener = Callable[[Address], Awaitable[trio.abc.Stream]]


async def open_tcp(address: Address) -> trio.abc.Stream:
    """A TCP stream. Raises `OSError`."""
    return await trio.open_tcp_stream(address.host, address.port)


def stream_opener(
    fingerprint: str | None = None,
    *,
    pins: FilePins | None = None,
    open_plain: PlainOpener = open_tcp,
) -> Callable[[Address], Awaitable[trio.abc.Stream]]:
    """What `open_link` takes as `open_stream`: TLS to `tls://` addresses, plain TCP to others.

    Args:
        fingerprint: The SHA-256 of the one certificate to take, 64 small hexadecimal digits.
        pins: Where fingerprints are kept; one that was given is kept there once it was seen.
        open_plain: Makes the stream that TLS goes over.
    """
    return functools.partial(_open, open_plain, fingerprint=fingerprint, pins=pins)


async def _open(
    open_plain: PlainOpener, address: Address, *, fingerprint: str | None, pins: FilePins | None
) -> trio.abc.Stream:
    """A stream. Raises `OSError`, `NoTlsError` or `CertificateError`, all closed."""
    if not address.tls:
        return await open_plain(address)
    kept = None if pins is None else await trio.to_thread.run_sync(pins.load, address.place)
    wanted = fingerprint or kept
    if wanted is None:
        return await _open_vouched(open_plain, address)
    stream, seen = await _open_any(open_plain, address)
    if not hmac.compare_digest(seen, wanted):
        await trio.aclose_forcefully(stream)
        raise CertificateError(
            _changed(address, seen, kept=None if fingerprint else kept), seen, is_new=False
        )
    if pins is not None and fingerprint is not None:
        with contextlib.suppress(OSError):  # then it has to be given again the next time
            await trio.to_thread.run_sync(pins.save, address.place, fingerprint)
    return stream


async def _open_vouched(open_plain: PlainOpener, address: Address) -> trio.abc.Stream:
    """A stream to a server for whose name the system vouches."""
    try:
        return await _shake_hands(await open_plain(address), address, _vouched())
    except _UnvouchedError as error:
        reason = str(error)
    stream, seen = await _open_any(open_plain, address)
    await trio.aclose_forcefully(stream)
    unvouched = text(
        "the system does not vouch for the certificate of {address} ({reason}). If the host "
        "shows the same fingerprint, add --fingerprint {seen} once",
        address=address,
        reason=reason,
        seen=seen,
    )
    raise CertificateError(unvouched, seen, is_new=True)


async def _open_any(
    open_plain: PlainOpener, address: Address
) -> tuple[trio.SSLStream[trio.abc.Stream], str]:
    """A stream to whoever answers, and the fingerprint, which the caller has to look at."""
    stream = await _shake_hands(await open_plain(address), address, _unvouched())
    der = stream.getpeercert(binary_form=True)
    return stream, hashlib.sha256(der or b"").hexdigest()


async def _shake_hands(
    plain: trio.abc.Stream, address: Address, context: ssl.SSLContext
) -> trio.SSLStream[trio.abc.Stream]:
    """TLS over `plain`, which is closed where it fails."""
    try:
        stream = trio.SSLStream(plain, context, server_hostname=address.host.partition("%")[0])
        await stream.do_handshake()
    except BaseException as error:
        await trio.aclose_forcefully(plain)
        if isinstance(error, trio.BrokenResourceError):
            raise _told(address, error.__cause__) from error
        raise
    return stream


def _told(address: Address, cause: BaseException | None) -> Exception:
    """The reason for a failed handshake."""
    if isinstance(cause, ssl.SSLCertVerificationError):
        code = str(cause.verify_code)
        return _UnvouchedError(coded("certificate", code, cause.verify_message))
    place = address.place
    if not isinstance(cause, ssl.SSLError) or isinstance(cause, ssl.SSLEOFError):
        return NoTlsError(
            text("what answers at {place} hung up during the TLS handshake.", place=place)
        )
    if "ALERT" in (cause.reason or ""):
        reason = (cause.reason or "").lower().replace("_", " ")
        return NoTlsError(
            text(
                "the server at {place} agrees to no TLS with us ({reason}).",
                place=place,
                reason=reason,
            )
        )
    return NoTlsError(
        text(
            "what answers at {place} does not speak TLS; without tls:// you may get through, "
            "and everybody on the way can read along.",
            place=place,
        )
    )


def _changed(address: Address, seen: str, *, kept: str | None) -> str:
    """Why another certificate than the wanted one is not taken; `kept` if it was not just given."""
    if kept is None:
        return text(
            "the certificate of {address} has the fingerprint {seen}, and not the one that was "
            "given. Somebody may stand in between; ask the host",
            address=address,
            seen=seen,
        )
    return text(
        "the certificate of {address} is not the one that was kept ({kept}…). The host has "
        "made a new one, or somebody stands in between: ask the host, and if it shows the same "
        "new fingerprint, add --fingerprint {seen} once",
        address=address,
        kept=kept[:16],
        seen=seen,
    )


@functools.cache
def _vouched() -> ssl.SSLContext:
    """Takes what the system's authorities vouch for."""
    return ssl.create_default_context()


@functools.cache
def _unvouched() -> ssl.SSLContext:
    """Takes every certificate whose key the server has, for whoever compares fingerprints."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
