"""The server's certificate: from files of the host's, or one of its own, made once and kept.

Nobody vouches for its own one, so clients know it by the SHA-256 fingerprint that the host shows.
Making it needs the extra `tls`; using what is there already needs the standard library alone.
"""

import contextlib
import datetime as dt
import hashlib
import os
import re
import ssl
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

OWN_FILE: Final = "tls-self-signed.pem"
"""Key and certificate together, beside the store; mode 0600."""
OWN_NAME: Final = "mexican-train"
OWN_DAYS: Final = 20 * 365
"""A pinned certificate is known by itself: its end would only shut people out."""
_PEM: Final = re.compile(
    r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL | re.ASCII
)


class CertificateError(Exception):
    """There is no certificate to serve with; the text is one line that says why."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a server shows to everybody, ready for use.

    Attributes:
        fingerprint: SHA-256 of its DER form, in hexadecimal.
        names: the hosts that it is for; wildcards are left out.
        is_own: made by this server, and known to clients by its fingerprint alone.
        fault: why clients may not take it, such as that it has expired; usually empty.
    """

    context: ssl.SSLContext = field(repr=False)
    fingerprint: str
    names: tuple[str, ...]
    is_own: bool
    fault: str


def certificate_of(chain: Path, key: Path, *, is_own: bool = False) -> Certificate:
    """The certificate in `chain`, which others may follow that vouch for it, and its key.

    Raises:
        CertificateError: a file cannot be read, is no PEM, is encrypted, or they do not belong
            together.
    """
    text = _read(chain)
    _read(key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.num_tickets = 0  # nobody resumes a TLS session here: it would be work for nothing
    try:
        context.load_cert_chain(chain, key, password=_no_password)
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or "these are no PEM files"
        words = str(reason).replace("_", " ").lower()
        raise CertificateError(f"cannot use {chain} with the key in {key}: {words}") from error
    first = _PEM.search(text)
    if first is None:
        raise CertificateError(f"there is no certificate in {chain}")
    der = ssl.PEM_cert_to_DER_cert(first[0])
    names, fault = _look_at(context, der)
    return Certificate(context, hashlib.sha256(der).hexdigest(), names, is_own, fault)


def own_certificate(folder: Path) -> Certificate:
    """The server's own certificate, kept in `folder`; the first time it is made.

    Raises:
        CertificateError: it cannot be made, written or read.
    """
    path = folder / OWN_FILE
    if not path.exists():
        pem = _make()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_once(path, pem)
        except OSError as error:
            raise CertificateError(f"cannot write {path}: {error.strerror}") from error
    return certificate_of(path, path, is_own=True)


def may_others_read(path: Path) -> bool:
    """Whether everybody on this machine may read the file."""
    return bool(path.stat().st_mode & 0o007)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError as error:
        raise CertificateError(f"cannot read {path}: {error.strerror}") from error


def _no_password() -> str:
    raise ValueError("an encrypted key cannot be used: nobody is there to type its password")


def _look_at(context: ssl.SSLContext, der: bytes) -> tuple[tuple[str, ...], str]:
    """What a client that trusts this very certificate reads in it: names, or why it is refused."""
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname = False
    trusting.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    trusting.load_verify_locations(cadata=der)
    down, up = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(down, up)
    server = context.wrap_bio(up, down, server_side=True)
    try:
        for end in (client, server, client):
            with contextlib.suppress(ssl.SSLWantReadError):
                end.do_handshake()
        told = client.getpeercert() or {}
    except ssl.SSLCertVerificationError as error:
        return (), error.verify_message
    found = [str(each[1]) for each in told.get("subjectAltName", ()) if each[0] in _HOSTS]
    return tuple(name for name in found if "*" not in name), ""


_HOSTS: Final = frozenset({"DNS", "IP Address"})


def _make() -> bytes:
    """A key and a certificate that it signs itself, as PEM."""
    try:
        from cryptography import x509  # noqa: PLC0415 - of the extra, and needed once
        from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
        from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
    except ImportError as error:
        raise CertificateError(
            "--tls self-signed needs the extra tls: pip install 'mexican-train[tls]'"
        ) from error
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, OWN_NAME)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=OWN_DAYS))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    return certificate.public_bytes(pem) + key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _write_once(path: Path, content: bytes) -> None:
    """Have the file there whole, mode 0600; what another server has put there meanwhile stays."""
    descriptor, unfinished = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(unfinished, path)
        except FileExistsError:
            return
        except OSError:  # a file system without links
            Path(unfinished).replace(path)
    finally:
        Path(unfinished).unlink(missing_ok=True)
