"""Renew the catalogues of the client, or with `--check` tell what they lack.

The source of a catalogue is `client/locale/LANGUAGE/LC_MESSAGES/mexican_train.po`. This finds the
sentences in the code, adds the new ones without a translation, drops those that are no more, and
compiles the rest. A translation whose English has changed becomes `fuzzy` until somebody looks.
"""

import argparse
import ast
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from mexican_train.client import ENTRY_WORDS
from mexican_train.client.bots import TEXTS
from mexican_train.engine import NO_EFFECT, OPTIONS, REASONS
from mexican_train.protocol import DECLINED_CODES, GOODBYE_CODES, LEFT_CODES, REFUSED_CODES

ROOT: Final = Path(__file__).resolve().parents[2]
CLIENT: Final = ROOT / "client"
LOCALE: Final = CLIENT / "locale"
LANGUAGES: Final = ("nb",)
KEYWORDS: Final = {"text": 1, "later": 1, "plural": 2}
"""The functions that take sentences, and how many each."""
SYSTEM: Final = {
    "EACCES": "Permission denied",
    "EDQUOT": "Disk quota exceeded",
    "EIO": "Input/output error",
    "ENOENT": "No such file or directory",
    "ENOSPC": "No space left on device",
    "ENOTDIR": "Not a directory",
    "EPERM": "Operation not permitted",
    "EROFS": "Read-only file system",
}
"""Why a file cannot be written, as most systems say it."""
CERTIFICATE: Final = {
    "9": "certificate is not yet valid",
    "10": "certificate has expired",
    "18": "self-signed certificate",
    "19": "self-signed certificate in certificate chain",
    "20": "unable to get local issuer certificate",
    "62": "hostname mismatch",
    "64": "IP address mismatch",
}
"""Why a certificate is not vouched for, by the numbers of OpenSSL."""
HEADER: Final = "# The sentences of the client. Renewed and checked by scripts/docs/catalogue.py."


class PlainCatalog(Catalog):
    """A catalogue whose head tells nothing but how to read it, so that it changes only with it."""

    def _get_mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Language", self.locale_identifier or ""),
            ("Plural-Forms", self.plural_forms),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]

    mime_headers = property(_get_mime_headers, Catalog._set_mime_headers)  # noqa: SLF001 - as there


# --- what there is to translate -----------------------------------------------------------


def sentences() -> Iterator[tuple[str, str | tuple[str, str]]]:
    """Each sentence in the code of the client, with its file; for `plural` both forms."""
    for path in sorted(CLIENT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            count = KEYWORDS.get(node.func.id, 0)
            found = [
                each.value
                for each in node.args[:count]
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            ]
            if count and len(found) == count:
                yield name, (found[0] if count == 1 else (found[0], found[1]))


def codes() -> Iterator[tuple[str, str, str]]:
    """What other rooms say by a code: a context, the code, the English sentence."""
    tables = {
        "declined": DECLINED_CODES,
        "refused": REFUSED_CODES,
        "goodbye": GOODBYE_CODES,
        "left": LEFT_CODES,
    }
    for context, table in tables.items():
        yield from ((context, code, entry.sentence) for code, entry in table.items())
    yield from (("rule", code, sentence) for code, sentence in REASONS.items())
    yield from (("why", code, sentence) for code, sentence in TEXTS.items())
    yield from (("system", code, sentence) for code, sentence in SYSTEM.items())
    yield from (("certificate", code, sentence) for code, sentence in CERTIFICATE.items())
    yield "option", "idle", NO_EFFECT
    for option in OPTIONS.values():
        context = f"option {option.name}"
        for value, sentence in option.texts.items():
            word = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
            yield context, word, sentence
        if option.number_text:
            yield context, "N", option.number_text


def template() -> Catalog:
    """Everything that there is to translate, without a translation."""
    catalog = Catalog()
    for name, message in sorted(sentences(), key=lambda found: (str(found[1]), found[0])):
        catalog.add(message, locations=[(name, 0)])
    for word in ENTRY_WORDS:
        catalog.add(word, context="typed", auto_comments=["words to type, the first is shown"])
    for context, code, sentence in codes():
        catalog.add(code, context=context, auto_comments=[sentence])
    return catalog


# --- a catalogue --------------------------------------------------------------------------


def read(path: Path, language: str) -> Catalog:
    """The catalogue as it stands; empty if there is none."""
    catalog = PlainCatalog(locale=language)
    if path.is_file():
        with path.open("rb") as file:
            for message in read_po(file, locale=language):
                if message.id:
                    catalog[message.id] = message
    return catalog


def renewed(old: Catalog, wanted: Catalog) -> Catalog:
    """`wanted` with the translations of `old`; fuzzy where the English behind a code changed."""
    catalog = PlainCatalog(locale=old.locale)
    for message in wanted:
        if not message.id:
            continue
        known = old.get(message.id, message.context)
        if known is not None and known.string:
            message.string = known.string
            is_other = english(known) != english(message)
            message.flags |= {"fuzzy"} if known.fuzzy or is_other else set()
            message.user_comments = known.user_comments
        catalog[message.id] = message
    return catalog


def english(message: Message) -> str:
    """What stands behind a code; reading breaks it into the lines of the file."""
    return " ".join(message.auto_comments)


def po_text(catalog: Catalog) -> str:
    """The catalogue as its source file has it."""
    file = io.BytesIO()
    catalog.header_comment, catalog.fuzzy = HEADER, False
    write_po(file, catalog, width=100, include_lineno=False)
    return file.getvalue().decode()


def mo_bytes(catalog: Catalog) -> bytes:
    """The catalogue as it is read at run time."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


# --- what is wrong with it ----------------------------------------------------------------


def faults(catalog: Catalog) -> list[str]:
    """What is missing in a catalogue or does not fit the English, a line each."""
    found = []
    for message in catalog:
        if not message.id:
            continue
        shown = f"{message.context}: {message.id}" if message.context else f"{message.id}"
        strings = _strings(message.string)
        if not all(strings):
            found.append(f"no translation: {shown}")
        elif message.fuzzy:
            found.append(f"fuzzy, look at it and take the mark away: {shown}")
        elif any(not _fits(message, string) for string in strings):
            found.append(f"other {{parts}} than in English: {shown}")
    return found


def unused(old: Catalog, wanted: Catalog) -> list[str]:
    """The translations of sentences that are no more."""
    return [
        f"no longer used: {message.id}"
        for message in old
        if message.id and wanted.get(message.id, message.context) is None
    ]


def _strings(texts: object) -> tuple[str, ...]:
    """The forms of a sentence; one that is empty stands for none."""
    return tuple(map(str, texts)) if isinstance(texts, tuple | list) else (str(texts or ""),)


def parts(sentence: str) -> set[str]:
    """The parts that a sentence names in braces."""
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def _fits(message: Message, string: str) -> bool:
    """Whether a translation names the parts of the English; "1" may be written for {number}."""
    if message.context == "typed":
        return True
    if message.context:
        return parts(string) <= parts(english(message))
    one, *many = _strings(message.id)
    if not many:
        return parts(string) == parts(one)
    return parts(many[0]) - {"number"} <= parts(string) <= parts(many[0])


# --- the files ----------------------------------------------------------------------------


def main() -> int:
    """Renew each catalogue, or with `--check` only compare; 1 if something is to be done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if there is a fault")
    is_check = parser.parse_args().check
    lines = []
    for language in LANGUAGES:
        source = LOCALE / language / "LC_MESSAGES" / "mexican_train.po"
        wanted, old = template(), read(source, language)
        catalog = renewed(old, wanted)
        dropped = unused(old, wanted)
        lines += faults(catalog) + (dropped if is_check else [])
        for path, content in (
            (source, po_text(catalog).encode()),
            (source.with_suffix(".mo"), mo_bytes(catalog)),
        ):
            if path.is_file() and path.read_bytes() == content:
                continue
            if is_check:
                lines.append(f"{path.relative_to(ROOT)} is stale: run scripts/docs/catalogue.py")
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            print(f"{path.relative_to(ROOT)} written")
        if not is_check:
            print("\n".join(dropped), end="\n" if dropped else "")
    print("\n".join(lines), end="\n" if lines else "", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
