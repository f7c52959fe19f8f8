from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from symattn.errors import OutputError
from symattn.files import write_atomically


@pytest.mark.parametrize(("data", "content"), [("β\n", "β\n".encode()), (b"\x00\xff", b"\x00\xff"), ("", b"")])
def test_what_is_written_is_what_was_given(tmp_path: Path, data: str | bytes, content: bytes) -> None:
    target = tmp_path / "key.tex"
    write_atomically(str(target), data)
    assert target.read_bytes() == content
    assert list(tmp_path.iterdir()) == [target]


def test_an_old_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "key.tex"
    target.write_text("old")
    target.chmod(0o640)
    write_atomically(target, "new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_atomically(tmp_path / "key.tex", "new")
    assert (tmp_path / "key.tex").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.tex").write_text("old")
    (tmp_path / "link.tex").symlink_to("real.tex")
    write_atomically(tmp_path / "link.tex", "new")
    assert (tmp_path / "link.tex").is_symlink()
    assert (tmp_path / "real.tex").read_text() == "new"


@pytest.mark.skipif(not Path(os.devnull).is_char_device(), reason="needs a device to write to")
def test_a_device_is_not_replaced() -> None:
    write_atomically(os.devnull, "x")
    assert Path(os.devnull).is_char_device()


def test_a_failed_write_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_self: Path, _target: Path) -> Path:
        raise OSError(28, "No space left on device")

    target = tmp_path / "key.tex"
    target.write_text("old")
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError, match="no space left on device"):
        write_atomically(target, "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (".", "it is a folder"),
        ("missing/key.tex", "its folder does not exist"),
        ("file/key.tex", "its folder does not exist"),
        ("k" * 300, "file name too long"),
        ("a\x00b", "null"),
        ("loop", "name another output file"),
    ],
)
def test_what_cannot_be_written_is_said_in_a_sentence(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OutputError, match=words) as caught:
        write_atomically(f"{tmp_path}/{name}", "x")
    assert caught.value.exit_status == 2


def test_a_read_only_file_is_respected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "key.tex"
    target.write_text("old")
    # Said by a stand-in, since an administrator may write everywhere.
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    with pytest.raises(OutputError, match="read-only"):
        write_atomically(target, "new")
    assert target.read_text() == "old"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize("command", [("solve", "examples/ps4_self_attention.toml"), ("--version",), ("init",)])
def test_an_output_that_is_full_is_told_in_one_sentence(command: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "symattn", *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    *_, last = done.stderr.splitlines()
    assert last == "symattn: Standard output cannot be written (No space left on device). Name a file with -o."
    assert "Traceback" not in done.stderr
