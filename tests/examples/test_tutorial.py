import re

import nbformat
import pytest
from nbclient import NotebookClient

from tests.processes import ROOT

FOLDER = ROOT / "examples"


def shown(cells):
    """The texts that cells show."""
    outputs = (output for cell in cells for output in cell.get("outputs", ()))
    return [out.get("text") or out.get("data", {}).get("text/plain", "") for out in outputs]


def learned(notebook):
    """The win rates that the cells of a notebook show, in percent."""
    texts = "\n".join(shown(notebook.cells))
    return [float(rate) for rate in re.findall(r"([\d.]+)% of unseen words", texts)]


@pytest.fixture
def tutorial():
    return nbformat.read(FOLDER / "tutorial.ipynb", as_version=4)


def test_the_tutorial_is_kept_with_its_output(tutorial):
    for cell in tutorial.cells:
        assert "error" not in [output.output_type for output in cell.get("outputs", ())]
        if cell.cell_type == "code" and cell.source.split("\n")[-1].startswith("print("):
            assert cell.outputs, cell.source
    assert learned(tutorial)[-1] > 15


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_tutorial_runs_and_its_policy_learns(tutorial):
    kept, before = learned(tutorial), shown(tutorial.cells[:8])
    for cell in tutorial.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    resources = {"metadata": {"path": str(FOLDER)}}
    NotebookClient(tutorial, resources=resources, timeout=600).execute()
    # The digits of a network depend on the processor.
    assert (len(learned(tutorial)), shown(tutorial.cells[:8])) == (len(kept), before)
    assert learned(tutorial)[-1] > 15
