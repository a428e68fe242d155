"""An authority for certificates that nobody but the test trusts.

Whoever imports this is skipped where the extra `tls` is not installed.
"""

import datetime as dt
import itertools
from pathlib import Path
from typing import Any

import pytest

WHY = "the extra tls (cryptography) is not installed"
x509: Any = pytest.importorskip("cryptography.x509", reason=WHY)
primitives = "cryptography.hazmat.primitives"
ec: Any = pytest.importorskip(f"{primitives}.asymmetric.ec", reason=WHY)
hashes: Any = pytest.importorskip(f"{primitives}.hashes", reason=WHY)
to: Any = pytest.importorskip(f"{primitives}.serialization", reason=WHY)

DAY = dt.timedelta(days=1)


class Authority:
    """Issues certificates into a folder; `file` is what a client has to trust."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = itertools.count()
        self._key = _new_key()
        self._name = _named("Test Authority")
        self.file = folder / "authority.pem"
        self.file.write_bytes(self._certificate(self._name, self._key, is_authority=True))

    def issue(self, *hosts: str, days: int = 1) -> tuple[Path, Path]:
        """Files of a certificate for these hosts, valid for so many days from now, and its key."""
        key, number = _new_key(), next(self._count)
        chain, private = self._folder / f"{number}.pem", self._folder / f"{number}.key"
        chain.write_bytes(self._certificate(_named(hosts[0]), key, hosts=hosts, days=days))
        private.touch(mode=0o600)
        private.write_bytes(_private(key, to.NoEncryption()))
        return chain, private

    def encrypted_key(self) -> Path:
        """The file of a key that wants a password."""
        path = self._folder / "encrypted.key"
        path.write_bytes(_private(_new_key(), to.BestAvailableEncryption(b"sesame")))
        return path

    def _certificate(
        self,
        name: Any,
        key: Any,
        *,
        hosts: tuple[str, ...] = (),
        days: int = 1,
        is_authority: bool = False,
    ) -> bytes:
        now = dt.datetime.now(dt.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 9 * DAY)
            .not_valid_after(now + days * DAY)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        # Python 3.13 takes nothing less from an authority and what it vouches for
        for extension, is_critical in (
            (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
            (x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), False),
            *([(_SIGNS, True)] if is_authority else []),
        ):
            builder = builder.add_extension(extension, critical=is_critical)
        if hosts:
            named = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
            builder = builder.add_extension(named, critical=False)
        pem: bytes = builder.sign(self._key, hashes.SHA256()).public_bytes(to.Encoding.PEM)
        return pem


_SIGNS: Any = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


def _new_key() -> Any:
    return ec.generate_private_key(ec.SECP256R1())


def _named(name: str) -> Any:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def _private(key: Any, lock: Any) -> bytes:
    pem: bytes = key.private_bytes(to.Encoding.PEM, to.PrivateFormat.PKCS8, lock)
    return pem
