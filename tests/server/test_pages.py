"""The files of the pages, and what a browser may do with them."""

import pytest

from tests.server.harness import API, ClockStopped


@pytest.mark.parametrize("name", ["../style.css", "..%2Fpages.py", "index.html", "none.js"])
def test_other_files_are_not_given_out(start, name):
    assert start().get(f"/assets/{name}").status_code == 404


def test_a_file_is_sent_again_only_when_it_has_changed(start):
    server = start()
    first = server.get("/assets/main.js")
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    again = server.get("/assets/main.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["cache-control"] == "no-cache"


def test_the_page_of_the_api_may_set_styles_alone(start):
    policy = start().get("/docs").headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert policy.count("unsafe") == 1


def test_a_large_file_costs_an_address_more_requests(start):
    server = start(address_rate=20)
    server.app.rates.clock = ClockStopped()
    assert server.get("/assets/swagger-ui-bundle.js").status_code == 429
    assert server.get("/assets/main.js").status_code == 200


@pytest.mark.parametrize("path", ["/docs/", f"{API}/server/"])
def test_no_answer_leads_to_the_host_that_a_client_names(start, path):
    answer = start().get(path, headers={"Host": "elsewhere.example"})
    assert (answer.status_code, "location" in answer.headers) == (404, False)
