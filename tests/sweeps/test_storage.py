import pytest

from envs.errors import InputError
from sweeps.storage import Storage


def test_a_folder_is_worked_in_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    storage = Storage("sweeps/a")
    assert storage.folder == tmp_path / "sweeps" / "a"
    # Workers have other working folders.
    assert storage.address == str(tmp_path / "sweeps" / "a")
    assert not storage.is_remote


@pytest.mark.slow
def test_what_one_machine_sends_behind_a_uri_another_one_fetches(tmp_path):
    uri = (tmp_path / "there").as_uri()
    here, elsewhere = (Storage(uri, tmp_path / name) for name in ("here", "elsewhere"))
    assert here.is_remote
    run = here.folder / "trials" / "a"
    run.mkdir(parents=True)
    (run / "small.txt").write_text("1")
    (run / "large.bin").write_text("2")
    (run / ".half.tmp").write_text("3")
    here.send("trials/a")
    elsewhere.fetch("trials/a", without=("large.bin",))
    there = elsewhere.folder / "trials" / "a"
    assert {path.name: path.read_text() for path in there.iterdir()} == {"small.txt": "1"}
    (run / "small.txt").write_text("changed")
    here.send("trials/a")
    elsewhere.fetch("trials")
    assert (there / "small.txt").read_text() == "changed"
    assert (there / "large.bin").read_text() == "2"
    elsewhere.remove("trials/a/small.txt")
    assert not (there / "small.txt").exists()
    assert not (tmp_path / "there" / "trials" / "a" / "small.txt").exists()
    # What is not there is not brought.
    elsewhere.fetch("trials/missing")
    assert not (elsewhere.folder / "trials" / "missing").exists()


@pytest.mark.slow
def test_an_unknown_kind_of_uri_is_refused():
    with pytest.raises(InputError, match="no storage that can be used"):
        Storage("nowhere://bucket/sweeps")
