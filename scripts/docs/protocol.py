"""Write the protocol's page, schema and vectors into `docs/`; `--check` names the stale ones.

The words stand in `protocol.template.md`, the messages come from the types themselves, so that
the page cannot tell another story than the program. The output depends on nothing else.
"""

import argparse
import json
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgpack  # type: ignore[import-untyped]  # it ships no types
import msgspec
import protocol_samples as samples  # type: ignore[import-not-found]  # found beside this file
from mexican_train import protocol as p
from mexican_train.client.bots import TEXTS

TEMPLATE = Path(__file__).with_name("protocol.template.md")
DOCS = Path(__file__).parents[2] / "docs"

VALUES = (
    p.Choice,
    p.Reason,
    p.TurnClock,
    p.View,
    p.Train,
    p.OpenDouble,
    p.KnockOwed,
    p.TableInfo,
    p.SeatInfo,
    p.SeatVote,
    p.RulesInfo,
    p.CardLine,
    p.Limits,
)

# --- types in words -----------------------------------------------------------------------

NAMED: list[tuple[Any, str]] = [
    (p.Tile, "[tile](#tile)"),
    (p.TrainName, "[train name](#train-name)"),
    (list[p.AnyEvent], "array of [events](#10-events)"),
    (p.OptionValue, "boolean, integer, string or array"),
    (dict[str, p.Parameter], "map of names to booleans, integers, strings, arrays or null"),
]
PLAIN = {int: "integer", str: "string", bool: "boolean", bytes: "binary"}


def in_words(hint: Any) -> str:
    """A field's type as the page tells it."""
    for named, words in NAMED:
        if hint == named:
            return words
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return annotated_in_words(args[0], hint.__metadata__)
    if origin in (Union, types.UnionType):
        names = [in_words(each) for each in args if each is not type(None)]
        return " or ".join(names) + (", or null" if type(None) in args else "")
    if origin is Literal:
        return " or ".join(f"`{json.dumps(value)}`" for value in args)
    if origin is list:
        return f"array of {bracketed(args[0])}"
    if origin is tuple:
        return "array of " + " and ".join(bracketed(each) for each in args)
    if issubclass(hint, msgspec.Struct):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    return PLAIN[hint]


def bracketed(hint: Any) -> str:
    """Like `in_words`, in brackets where a comma would mislead."""
    words = in_words(hint)
    return f"({words})" if "," in words else words


def annotated_in_words(hint: Any, metas: tuple[msgspec.Meta, ...]) -> str:
    """A type with its bounds; a description belongs to the field and is left out."""
    bounds = tuple(meta for meta in metas if meta.description is None or in_bounds(meta, hint))
    if bounds and any(hint_ == Annotated[(hint, *bounds)] for hint_, _ in NAMED):
        return in_words(Annotated[(hint, *bounds)])
    return ", ".join([in_words(hint), *(in_bounds(meta, hint) for meta in bounds)])


def in_bounds(meta: msgspec.Meta, hint: Any) -> str:
    """The bounds that one annotation sets; empty if it sets none."""
    words = []
    if meta.ge is not None:
        words.append(f"{meta.ge} or more" if meta.le is None else f"{meta.ge} to {meta.le}")
    if meta.max_length is not None:
        unit = {str: "characters", bytes: "bytes"}.get(hint, "entries")
        least = f"{meta.min_length} to" if meta.min_length else "at most"
        words.append(f"{least} {meta.max_length} {unit}")
    if meta.pattern is not None:
        words.append("`" + meta.pattern.removesuffix(r"(?!\n)") + "`")
    return ", ".join(words)


def described(hint: Any) -> str:
    """The description among a field's annotations; empty if there is none."""
    if get_origin(hint) is not Annotated:
        return ""
    found = [meta.description for meta in hint.__metadata__ if meta.description]
    return found[-1] if found else ""


# --- sections -----------------------------------------------------------------------------


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |"
        for line in lines
    )


def fields_of(struct: type[msgspec.Struct], skip: Iterable[str] = ()) -> str:
    """The fields of a struct as a table."""
    hints = get_type_hints(struct, include_extras=True)
    fields = [field for field in msgspec.structs.fields(struct) if field.name not in skip]
    has_defaults = not all(field.required for field in fields)
    head = ("field", "type", "default", "meaning") if has_defaults else ("field", "type", "meaning")
    rows = []
    for field in fields:
        hint = hints[field.name]
        default = () if not has_defaults else ("" if field.required else default_of(field),)
        rows.append((f"`{field.name}`", in_words(hint), *default, described(hint)))
    return table(head, rows) if rows else "No fields."


def default_of(field: msgspec.structs.FieldInfo) -> str:
    """A field's default as in JSON."""
    default = field.default
    if field.default_factory is not msgspec.NODEFAULT:
        default = field.default_factory()
    return f"`{json.dumps(default)}`"


def section(title: str, struct: type[msgspec.Struct], skip: Iterable[str] = ()) -> str:
    """A heading, what the struct is for, and its fields."""
    doc = "\n".join(line.strip() for line in (struct.__doc__ or "").strip().splitlines())
    return f"### {title}\n\n{doc}\n\n{fields_of(struct, skip)}"


def messages(by_type: Mapping[str, type[msgspec.Struct]]) -> str:
    """A section for each message of one direction."""
    return "\n\n".join(section(f"`{tag}`", struct) for tag, struct in by_type.items())


def values() -> str:
    """The named types inside messages."""
    tile = "### Tile\n\nAn array of two numbers of pips, each 0 to 18: `[12, 7]`."
    train = (
        "### Train name\n\nA string: `p0` to `p13` for the personal train of that seat, `m0` to "
        "`m17` for the Mexican Trains."
    )
    return "\n\n".join([tile, train, *(section(each.__name__, each) for each in VALUES)])


def events() -> str:
    """A section for each event."""
    return "\n\n".join(
        section(f"`{tag}`", struct, skip=("n",)) for tag, struct in p.EVENT_TYPES.items()
    )


def codes(entries: Mapping[str, p.Code]) -> str:
    """A table of codes."""
    return table(
        ("code", "sentence", "retry"),
        [
            (f"`{each.code}`", each.sentence, "yes" if each.retry else "")
            for each in entries.values()
        ],
    )


def states() -> str:
    """The table of states, printed from the one that `Connection` works by."""
    grouped: dict[tuple[p.Role, p.State, p.State], list[str]] = {}
    for (role, state, message), after in p.TRANSITIONS.items():
        tag = message.__struct_config__.tag
        grouped.setdefault((role, state, after), []).append(f"`{tag}`")
    order = list(p.State)
    lines = sorted(
        grouped, key=lambda key: (order.index(key[1]), key[0].value, order.index(key[2]))
    )
    return table(
        ("state", "who", "may send", "state after it"),
        [
            (f"`{line[1].value}`", line[0].value, ", ".join(grouped[line]), f"`{line[2].value}`")
            for line in lines
        ],
    )


# --- the worked exchange ------------------------------------------------------------------


def taken_apart(framed: bytes) -> str:
    """A frame of a flat message, one key and value a line."""
    raw = msgpack.unpackb(framed[4:])
    lines = [(framed[:4], f"length: {len(framed) - 4} bytes"), (framed[4:5], f"map of {len(raw)}")]
    for key, value in raw.items():
        packed = msgpack.packb(key), msgpack.packb(value)
        lines += [(packed[0], f"  {json.dumps(key)}"), (packed[1], f"    {json.dumps(value)}")]
    if b"".join(part for part, _ in lines) != framed:
        raise AssertionError("the parts are not the whole")
    return "\n".join(f"{part.hex(' '):<36}{words}" for part, words in lines)


def dumped(framed: bytes) -> str:
    """A frame as offsets, hexadecimal and text."""
    lines = []
    for at in range(0, len(framed), 16):
        part = framed[at : at + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{at:04x}  {part.hex(' '):<47}  {text}")
    return "\n".join(lines)


def exchange() -> str:
    """Hello to play, every frame of it."""
    steps: list[tuple[str, p.AnyClientMessage | p.AnyServerMessage, Callable[[bytes], str]]] = [
        ("The client says hello", samples.HELLO, taken_apart),
        ("The server welcomes it (a real token is random)", samples.WELCOME, dumped),
        ("The client joins", samples.JOIN, taken_apart),
        ("The server answers with the table", samples.TABLE_NEWS, dumped),
        ("Ann has laid 6-2; it is Bob's turn, and he has two choices", samples.UPDATE, dumped),
        ("Bob takes the first", samples.PLAY, taken_apart),
        ("Had he tried train `p0`, the answer would have been", samples.DECLINED, dumped),
    ]
    return "\n\n".join(
        f"{number}. {words}.\n\n```text\n{show(p.frame(p.encode(message)))}\n```"
        for number, (words, message, show) in enumerate(steps, 1)
    )


# --- the three files ----------------------------------------------------------------------


def page() -> str:
    """The page: the template with the printed parts put in."""
    client, server = p.CLIENT_UNPACK_LIMITS, p.SERVER_UNPACK_LIMITS
    parts = {
        "version": str(p.PROTOCOL_VERSIONS[1]),
        "hello_bytes": str(p.HELLO_FRAME_BYTES_MAX),
        "client_bytes": str(p.CLIENT_FRAME_BYTES_MAX),
        "server_bytes": str(p.SERVER_FRAME_BYTES_MAX),
        "bin": str(client["max_bin_len"]),
        "client_str": str(client["max_str_len"]),
        "client_array": str(client["max_array_len"]),
        "client_map": str(client["max_map_len"]),
        "server_str": str(server["max_str_len"]),
        "server_array": str(server["max_array_len"]),
        "server_map": str(server["max_map_len"]),
        "features": ", ".join(f"`{name}`" for name in p.FEATURES),
        "client_messages": messages(p.CLIENT_TYPES),
        "server_messages": messages(p.SERVER_TYPES),
        "events": events(),
        "values": values(),
        "refused_codes": codes(p.REFUSED_CODES),
        "goodbye_codes": codes(p.GOODBYE_CODES),
        "declined_codes": codes(p.DECLINED_CODES),
        "left_codes": codes(p.LEFT_CODES),
        "hint_codes": table(
            ("code", "sentence"), [(f"`{code}`", sentence) for code, sentence in TEXTS.items()]
        ),
        "states": states(),
        "exchange": exchange(),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"{{{{{name}}}}}", part)
    return text


def schema() -> str:
    """A JSON Schema of every message of both directions."""
    directions = {"ClientMessage": p.AnyClientMessage, "ServerMessage": p.AnyServerMessage}
    structs = [struct for union in directions.values() for struct in get_args(union)]
    _, parts = msgspec.json.schema_components(
        structs, schema_hook=lambda _: {"title": "anything"}, ref_template="#/$defs/{name}"
    )
    parts.pop("UnknownEvent")
    events_ = parts["Update"]["properties"]["events"]["items"]
    events_["anyOf"] = [each for each in events_["anyOf"] if "UnknownEvent" not in each["$ref"]]
    events_["discriminator"]["mapping"].pop("unknown")
    for name, union in directions.items():
        refs = [{"$ref": f"#/$defs/{struct.__name__}"} for struct in get_args(union)]
        parts[name] = {"anyOf": refs}
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The Mexican Train protocol, version {p.PROTOCOL_VERSIONS[1]}",
        "$comment": "For the msgpack maps; where it says base64 the wire has msgpack binary.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in directions],
        "$defs": dict(sorted(parts.items())),
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def vectors() -> str:
    """The test vectors, one a line."""
    groups = {"messages": message_vectors(), "newer": newer_vectors(), "faults": fault_vectors()}
    blocks = []
    for name, entries in groups.items():
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        blocks.append(f'"{name}": [\n{lines}\n]')
    return f'{{"protocol": {p.PROTOCOL_VERSIONS[1]},\n' + ",\n".join(blocks) + "\n}\n"


def message_vectors() -> Iterator[dict[str, Any]]:
    """Every sample with its frame."""
    for sender, group in (("client", samples.CLIENT), ("server", samples.SERVER)):
        for name, message in group.items():
            payload = p.encode(message)
            yield {
                "sender": sender,
                "name": name,
                "hex": p.frame(payload).hex(),
                "message": as_json(msgpack.unpackb(payload)),
            }


def newer_vectors() -> Iterator[dict[str, Any]]:
    """What a newer server may send."""
    for name, framed in samples.NEWER.items():
        yield {
            "sender": "server",
            "name": name,
            "hex": framed.hex(),
            "message": as_json(msgpack.unpackb(framed[4:])),
        }


def fault_vectors() -> Iterator[dict[str, Any]]:
    """What a client does wrong, and the answer."""
    for name, fault in samples.FAULTS.items():
        entry = {
            "name": name,
            "when": fault.when,
            "hex": fault.frame.hex(),
            "reply": fault.reply,
            "code": fault.code,
        }
        yield entry if fault.answers is None else entry | {"answers": fault.answers}


def as_json(value: Any) -> Any:
    """A msgpack value with binary spelt for JSON."""
    if isinstance(value, bytes):
        return {"bin": value.hex()}
    if isinstance(value, dict):
        return {key: as_json(each) for key, each in value.items()}
    if isinstance(value, list):
        return [as_json(each) for each in value]
    return value


FILES: dict[str, Callable[[], str]] = {
    "protocol.md": page,
    "protocol.schema.json": schema,
    "protocol-vectors.json": vectors,
}


def main() -> int:
    """Write the files, or with `--check` only compare; 1 if one is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a file is stale")
    is_check = parser.parse_args().check
    stale = 0
    for name, make in FILES.items():
        path, text = DOCS / name, make()
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        if is_check:
            print(f"docs/{name} is stale: run scripts/docs/protocol.py", file=sys.stderr)
            stale = 1
        else:
            path.write_text(text, encoding="utf-8")
            print(f"docs/{name} written")
    return stale


if __name__ == "__main__":
    sys.exit(main())
