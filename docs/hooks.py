"""Hooks of MkDocs: README.md is the front page, and links to code lead to the repository."""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

_LINK = re.compile(r"\[([^]]+)\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Make the front page of README.md."""
    readme = Path(config.docs_dir).with_name("README.md")
    files.append(File.generated(config, "index.md", content=readme.read_text("utf-8")))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links, which are those of the repository, to pages or to the repository."""
    if is_readme := page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation"]  # a column with this page alone
    folder = "" if is_readme else posixpath.dirname(f"docs/{page.file.src_uri}")

    def replace(link: re.Match[str]) -> str:
        text, target, anchor = link.groups(default="")
        path = posixpath.normpath(posixpath.join(folder, target))
        name = "index.md" if path == "README.md" else path.removeprefix("docs/")
        if path.startswith("docs/") or name == "index.md":
            here = posixpath.dirname(page.file.src_uri)
            return f"[{text}]({posixpath.relpath(name, here)}{anchor})"
        return f"[{text}]({config.repo_url}/blob/HEAD/{path}{anchor})" if config.repo_url else text

    return _LINK.sub(replace, markdown)


def on_page_content(html: str, **_: object) -> str:
    """Adapt docstrings, without Sphinx's roles, and tables, which the keyboard scrolls."""
    html = re.sub(r":(?:attr|class|data|func|meth|mod):(?=<code>)", "", html)
    # The sections of a docstring are one level below its object, not two.
    html = re.sub(r'<h4( id="[^"]+--.*?)</h4>', r"<h3\1</h3>", html)
    return html.replace("<table>", '<table tabindex="0">')


def on_post_page(output: str, **_: object) -> str:
    """Name the search, and leave out the repository's statistics, which browsers would request."""
    output = output.replace(' role="dialog"', ' role="dialog" aria-label="Search"')
    return output.replace(' data-md-component="source"', "")
