"""Submissions of a class: files in a folder or a zip archive, each matched to the one student whom its name names."""

from __future__ import annotations

import re
import struct
import unicodedata
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from stat import S_ISLNK

from symattn.api.submissions import MAX_WORK
from symattn.courses.folders import ENDINGS, HIDDEN, WRONG_ENDING, contents, leads_out
from symattn.courses.roster import Roster, Student
from symattn.errors import InputError, shortened
from symattn.files import read_bytes, reason_of
from symattn.printable import visible
from symattn.records import dataclass

MAX_ARCHIVE = 1_000_000_000
"""Bytes of an archive."""

MAX_DIRECTORY = 8_000_000
"""Bytes of the directory of an archive, which is read as a whole; about 100,000 entries."""

MAX_UNPACKED = 4_000_000_000
"""Bytes that all entries of an archive may take together."""

_ZIP = ".zip"
_END = struct.Struct("<4s4H2LH")
_END_MARK, _WIDE_MARK = b"PK\5\6", b"PK\6\7"
_WIDE_SIZE = 20

_UNSAFE = "a path that leaves the archive"
_SPECIAL = "not a regular file"
_PACKED = "packed or encrypted in a way that is not read here"
_LARGE = f"larger than {MAX_WORK:,} bytes"
_REPEATED = "a second entry of the same name"
_NESTED = "an archive inside an archive"
_BROKEN = "not a zip archive that can be read"
_OUTSIDE = "a link that leads out of the folder"


@dataclass(frozen=True, slots=True)
class WorkFile:
    """A submitted file.

    Attributes:
        name: its path below the folder or archive of the class, for people.
        path: the file, or the archive that holds it.
        member: its name in the archive; empty for a file.
    """

    name: str
    path: Path
    member: str = ""

    def read(self) -> bytes:
        """Return the bytes of the file, at most one more than `MAX_WORK`.

        Raises:
            InputError: it cannot be read.
        """
        if not self.member:
            return read_bytes(self.path, MAX_WORK, self.name)
        try:
            with zipfile.ZipFile(self.path) as archive, archive.open(self.member) as file:
                return file.read(MAX_WORK + 1)
        except (OSError, ValueError, RuntimeError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
            reason = reason_of(error)
            raise InputError(f"{self.name} cannot be read: {reason}.") from error


@dataclass(frozen=True, slots=True)
class Handed:
    """Submitted files of a class.

    Attributes:
        works: the files that can be judged, by the key of their student.
        others: the names of further files of a student, by the student's key.
        unmatched: the names of files that name no student.
        ambiguous: the names of files that name several, with the labels of these.
        omitted: the names of other entries, by the reason why they are left out.
    """

    works: Mapping[str, tuple[WorkFile, ...]]
    others: Mapping[str, tuple[str, ...]]
    unmatched: tuple[str, ...]
    ambiguous: Mapping[str, tuple[str, ...]]
    omitted: Mapping[str, tuple[str, ...]]


def find_submissions(place: str | Path, roster: Roster) -> Handed:
    """Match the files of a folder or a zip archive to the students of a roster.

    The first part of a file's path that names a student decides; it names one by an ID, a login or an e-mail among
    its words, or else by the name, or the part of an e-mail before the @. Case and accents do not matter.

    Raises:
        InputError: neither a folder nor an archive, or one without any file.
    """
    path = Path(place)
    works: list[WorkFile] = []
    omitted: defaultdict[str, list[str]] = defaultdict(list)
    if _is_folder(path):
        _look_into_folder(path, works, omitted)
    else:
        _look_into_archive(path, "", works, omitted)
    if not works and not omitted:
        raise InputError(f"{place} holds no submission: put a file or a folder for each student into it.")
    index = _Index(roster)
    found: defaultdict[str, list[WorkFile]] = defaultdict(list)
    others: defaultdict[str, list[str]] = defaultdict(list)
    unmatched: list[str] = []
    ambiguous: dict[str, tuple[str, ...]] = {}
    for work in works:
        named = index.students_of(work.name)
        if len(named) == 1:
            found[named[0].key].append(work)
        elif named:
            ambiguous[work.name] = tuple(student.label for student in named)
        else:
            unmatched.append(work.name)
    for name in [name for reason, names in omitted.items() if reason != HIDDEN for name in names]:
        named = index.students_of(name)
        if len(named) == 1:
            others[named[0].key].append(name)
    return Handed(
        {key: tuple(files) for key, files in found.items()},
        {key: tuple(names) for key, names in others.items()},
        tuple(unmatched),
        ambiguous,
        {reason: tuple(sorted(names)) for reason, names in sorted(omitted.items())},
    )


# Folders and archives ------------------------------------------------------------------------------


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # no name that could be
        return False


def _look_into_folder(folder: Path, works: list[WorkFile], omitted: defaultdict[str, list[str]]) -> None:
    found = contents(str(folder))

    def inside(name: str) -> str:
        return Path(name).relative_to(folder).as_posix()

    for name in found.works:
        if leads_out(str(folder), Path(name)):
            omitted[_OUTSIDE].append(inside(name))
        else:
            works.append(WorkFile(inside(name), Path(name)))
    for reason, names in found.omitted.items():
        for name in names:
            if reason == WRONG_ENDING and name.lower().endswith(_ZIP):
                try:
                    _look_into_archive(Path(name), f"{inside(name)}/", works, omitted)
                except InputError:
                    omitted[_BROKEN].append(inside(name))
            else:
                omitted[reason].append(inside(name))


def _look_into_archive(path: Path, prefix: str, works: list[WorkFile], omitted: defaultdict[str, list[str]]) -> None:
    """List the entries of an archive; nothing is unpacked.

    Raises:
        InputError: it cannot be read, or is too large.
    """
    shown = visible(shortened(str(path), 200))
    try:
        _check_size(path, shown)
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except zipfile.BadZipFile as error:
        raise InputError(f"{shown} is neither a folder nor a zip archive that can be read ({error}).") from error
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise InputError(f"{shown} cannot be read: {reason}.") from error
    if sum(entry.file_size for entry in entries) > MAX_UNPACKED:
        raise InputError(f"{shown} unpacks to more than {MAX_UNPACKED:,} bytes. Leave out what is not a submission.")
    seen: set[str] = set()
    for entry in entries:
        if entry.is_dir() or _is_noise(entry.filename):
            continue
        reason = _REPEATED if entry.filename in seen else _reason(entry)
        seen.add(entry.filename)
        name = prefix + entry.filename
        if reason:
            omitted[reason].append(name)
        else:
            works.append(WorkFile(name, path, entry.filename))


def _check_size(path: Path, shown: str) -> None:
    """Refuse an archive whose directory would fill the memory."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - (1 << 16) - _END.size - _WIDE_SIZE))
        tail = file.read()
    place = len(tail) - _END.size
    if place < 0 or tail[place : place + 4] != _END_MARK:
        place = tail.rfind(_END_MARK)
    if place < 0 or len(tail) < place + _END.size:
        raise zipfile.BadZipFile("File is not a zip file")
    directory = _END.unpack_from(tail, place)[5]
    is_wide = tail[max(0, place - _WIDE_SIZE) : place].startswith(_WIDE_MARK)
    if size > MAX_ARCHIVE or directory > MAX_DIRECTORY or is_wide:
        raise InputError(f"{shown} is larger than an archive of submissions may be. Unpack it, and name the folder.")


def _is_noise(name: str) -> bool:
    """Return whether an entry is hidden, or one that a system adds by itself."""
    return any((part.startswith(".") and part != "..") or part == "__MACOSX" for part in PurePosixPath(name).parts)


def _reason(entry: zipfile.ZipInfo) -> str:
    """Return why an entry is left out; nothing for a submission."""
    windows = PureWindowsPath(entry.filename)
    if windows.anchor or ".." in windows.parts:
        return _UNSAFE
    if S_ISLNK(entry.external_attr >> 16):
        return _SPECIAL
    if entry.filename.lower().endswith(_ZIP):
        return _NESTED
    if PurePosixPath(entry.filename).suffix.lower() not in ENDINGS:
        return WRONG_ENDING
    if entry.flag_bits & 1 or entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return _PACKED
    return _LARGE if entry.file_size > MAX_WORK else ""


# Names ---------------------------------------------------------------------------------------------


_MAX_WORDS = 40

_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})
"""Letters without an accent to take away, and what stands for them in plain text."""


class _Index:
    """Students by the words that name them."""

    def __init__(self, roster: Roster) -> None:
        self.sure: defaultdict[tuple[str, ...], set[int]] = defaultdict(set)
        self.likely: defaultdict[tuple[str, ...], set[int]] = defaultdict(set)
        self.students = roster.students
        for number, student in enumerate(roster.students):
            for text in (student.id, student.sis_id, student.login, student.email):
                self.sure[_words(text)].add(number)
                if "@" in text:
                    self.likely[_words(text.partition("@")[0])].add(number)
            for words in _orders(student.name):
                self.likely[words].add(number)
                self.likely[("".join(words),)].add(number)
        for table in (self.sure, self.likely):
            for empty in ((), ("",)):
                table.pop(empty, None)

    def students_of(self, name: str) -> list[Student]:
        """Return the students whom a path names: one, or none, or several where it cannot be told."""
        for part in self._parts(name):
            words = _words(part)[:_MAX_WORDS]
            runs = [(start, end) for start in range(len(words)) for end in range(start + 1, len(words) + 1)]
            names = [run for run in runs if words[slice(*run)] in self.likely]
            apart = [run for run in runs if not any(a <= run[0] and run[1] <= b and run != (a, b) for a, b in names)]
            sure = set[int]().union(*(self.sure.get(words[slice(*run)], ()) for run in apart))
            likely = set[int]().union(*(self.likely[words[slice(*run)]] for run in names))
            found = sure if len(sure) == 1 and (not likely or sure <= likely) else sure | likely
            if found:
                return [self.students[number] for number in sorted(found)]
        return []

    @staticmethod
    def _parts(name: str) -> Iterator[str]:
        *folders, file = PurePosixPath(name).parts
        yield from (folder[: -len(_ZIP)] if folder.lower().endswith(_ZIP) else folder for folder in folders)
        yield PurePosixPath(file).stem


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a text without case and accents.

    >>> _words("Öz, Ana-María"), _words("ana.oz@uni.example"), _words("Søren Straße")
    (('oz', 'ana', 'maria'), ('ana', 'oz', 'uni', 'example'), ('soren', 'strasse'))
    """
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return tuple(re.findall(r"[^\W_]+", plain.casefold().translate(_LETTERS)))


def _orders(name: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of a name as it is written, and with what stands behind a comma in front."""
    last, comma, first = name.partition(",")
    yield _words(name)
    if comma:
        yield _words(f"{first} {last}")
    else:
        words = _words(name)
        yield (*words[-1:], *words[:-1])
