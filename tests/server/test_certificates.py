"""The server's certificate: its own, made once and kept, and those of the host's."""

from pathlib import Path

import pytest
from mexican_train.server import certificates
from mexican_train.server.certificates import (
    OWN_FILE,
    CertificateError,
    certificate_of,
    may_others_read,
    own_certificate,
)

from tests.authority import Authority


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def test_the_own_certificate_is_made_once(tmp_path: Path) -> None:
    """Key and certificate stay the same, so that the fingerprint does; nobody else reads them."""
    folder = tmp_path / "data"
    first, again = own_certificate(folder), own_certificate(folder)
    assert first.fingerprint == again.fingerprint
    assert first.is_own
    assert (first.names, first.fault) == ((), "")
    (path,) = folder.iterdir()
    assert path.name == OWN_FILE
    assert path.stat().st_mode & 0o777 == 0o600
    assert own_certificate(tmp_path).fingerprint != first.fingerprint


def test_what_another_server_has_made_meanwhile_stays(tmp_path: Path) -> None:
    own_certificate(tmp_path)
    before = (tmp_path / OWN_FILE).read_bytes()
    certificates._write_once(tmp_path / OWN_FILE, b"another")
    assert (tmp_path / OWN_FILE).read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [OWN_FILE]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CertificateError, match=r"cannot write .*file"):
        own_certificate(tmp_path / "file")


def test_names_and_fault_are_what_clients_will_see(authority: Authority) -> None:
    good = certificate_of(*authority.issue("play.example", "*.example"))
    assert good.names == ("play.example",)
    assert not good.is_own
    old = certificate_of(*authority.issue("play.example", days=-1))
    assert (old.names, old.fault) == ((), "certificate has expired")


def test_the_key_stays_out_of_the_repr(authority: Authority) -> None:
    assert "context" not in repr(certificate_of(*authority.issue("play.example")))


def test_files_that_do_not_do_are_named(tmp_path: Path, authority: Authority) -> None:
    """One line each, without asking anybody for the password of a key."""
    chain, key = authority.issue("one.example")
    _, other = authority.issue("two.example")
    encrypted = authority.encrypted_key()
    text = tmp_path / "text"
    text.write_text("no PEM")
    missing = tmp_path / "missing"
    for pair, says in {
        (chain, other): "key values mismatch",
        (chain, encrypted): "cannot use",
        (text, key): "cannot use",
        (chain, text): "cannot use",
        (missing, key): "No such file",
        (chain, missing): "No such file",
    }.items():
        with pytest.raises(CertificateError, match=says) as failure:
            certificate_of(*pair)
        assert "\n" not in str(failure.value)
        assert str(tmp_path) in str(failure.value)


def test_a_key_that_everybody_may_read_is_noticed(authority: Authority) -> None:
    _, key = authority.issue("play.example")
    key.chmod(0o640)
    assert not may_others_read(key)
    key.chmod(0o644)
    assert may_others_read(key)
