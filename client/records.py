"""Records of finished games: put together from their parts, and kept in the data folder."""

import hashlib
import re
import time
from pathlib import Path

from mexican_train.protocol import AskRecord, RecordPart

FOLDER = "games"


class RecordReader:
    """Takes the parts of one record as they come, in order."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def take(self, part: RecordPart) -> AskRecord | str:
        """What to ask for next, or the whole record."""
        del self._parts[part.part :]
        self._parts.append(part.text)
        if part.part + 1 < part.parts:
            return AskRecord(id=0, table=part.table, part=part.part + 1)
        text = "".join(self._parts)
        self._parts.clear()
        return text


def save_record(text: str, table: str, folder: Path | None = None) -> Path:
    """Keep a record in `folder`, by default the user's; where it is now. Raises `OSError`.

    The same record saved twice on one day is one file.
    """
    folder = folder or _folder_of_user()
    folder.mkdir(parents=True, exist_ok=True)
    plain = re.sub(r"[^a-z0-9]+", "-", table.lower()).strip("-") or "table"
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    path = folder / f"{time.strftime('%Y-%m-%d')}-{plain}-{digest}.json"
    unfinished = path.with_suffix(".new")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
    return path


def _folder_of_user() -> Path:
    import platformdirs  # noqa: PLC0415 - only who keeps a record needs it

    return platformdirs.user_data_path("mexican-train", appauthor=False) / FOLDER
