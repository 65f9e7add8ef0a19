"""The files of the pages, and what a browser may do with them."""

import re

import pytest

from tests.server.harness import API


@pytest.mark.parametrize(
    "name", ["../style.css", "..%2Fpages.py", "index.html", "none.js", "redoc.standalone.js"]
)
def test_other_files_are_not_given_out(start, name):
    assert start().get(f"/assets/{name}").status_code == 404


@pytest.mark.parametrize(
    ("path", "kind"), [("/", "html"), ("/docs", "html"), ("/assets/main.js", "javascript")]
)
def test_files_are_sent_again_only_when_they_have_changed(start, path, kind):
    server = start()
    first = server.get(path)
    assert first.headers["content-type"] == f"text/{kind}; charset=utf-8"
    again = server.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["cache-control"] == "no-cache"


def test_the_page_of_the_api_may_set_styles_alone_and_is_small_on_its_way(start):
    server = start()
    page = server.get("/docs")
    policy = page.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert policy.count("unsafe") == 1
    names = re.findall(r"/assets/[\w.-]+", page.text)
    paths = ["/docs", f"{API}/openapi.json", *names]
    assert len(paths) >= 6
    compressed = 0
    for path in paths:
        plain = server.get(path, headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        answer = server.get(path, headers={"Accept-Encoding": "gzip"})
        assert (answer.headers["vary"], answer.content) == ("Accept-Encoding", plain.content)
        compressed += int(answer.headers["content-length"])
    # In 3 seconds at 200 kB/s, and the time to show it.
    assert compressed < 500_000


@pytest.mark.parametrize("path", ["/docs/", f"{API}/server/"])
def test_no_answer_leads_to_the_host_that_a_client_names(start, path):
    answer = start().get(path, headers={"Host": "elsewhere.example"})
    assert (answer.status_code, "location" in answer.headers) == (404, False)
