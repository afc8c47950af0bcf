"""Logging in by OpenID Connect in Chromium: the first at the machine, who shares, and a second person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from oidc_provider_mock import User, run_server_in_thread
from playwright.sync_api import Browser, Page, expect

from tests.app.seed import seed
from tests.browser.conftest import session, settled
from tools.serving import served

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ANN, BEN = "ann@example.org", "ben@example.org"
SECRETS = """[auth]
redirect_uri = "http://127.0.0.1:{{port}}/oauth2callback"
cookie_secret = "a secret of this test, and of no other, of more than 32 bytes"
client_id = "memscope"
client_secret = "any"
server_metadata_url = "http://127.0.0.1:{provider}/.well-known/openid-configuration"
"""


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[str]:
    """The app on a small store, which asks a provider of this machine who one is."""
    store = tmp_path / "store"
    seed(store)
    users = [User(sub=name, claims={"email": name, "email_verified": True}) for name in (ANN, BEN)]
    with run_server_in_thread(user_claims=users) as provider:
        secrets = tmp_path / "secrets.toml"
        secrets.write_text(SECRETS.format(provider=provider.server_port))
        with served(store, OMP_NUM_THREADS="1", STREAMLIT_SECRETS_FILES=str(secrets)) as app:
            yield app.url


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A second person's browser."""
    with session(browser) as context:
        yield context.new_page()


def log_in(page: Page, url: str, name: str) -> None:
    """From a page that shows nothing, through the provider's, and back."""
    page.goto(f"{url}/Memories?memory=mem_1")
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    settled(page)
    expect(page.get_by_text("Lisbon")).to_have_count(0)
    page.get_by_role("button", name="Log in").click()
    page.locator("input[name=sub]").fill(name)
    page.get_by_role("button", name="Authorize").click()
    expect(page.get_by_text(name).first).to_be_visible()
    settled(page)


def test_the_first_at_the_machine_shares_with_a_second_who_may_only_see(
    page: Page, tab: Page, workbench: str
) -> None:
    log_in(page, workbench, ANN)
    page.goto(f"{workbench}/Review")
    settled(page)
    page.get_by_role("button", name="Reject").click()
    settled(page)
    page.goto(f"{workbench}/Review?view=History")
    settled(page)
    expect(page.get_by_role("cell", name=ANN).first).to_be_visible()

    log_in(tab, workbench, BEN)
    expect(tab.get_by_text("Nothing in this store is shared with you yet")).to_be_visible()

    page.goto(f"{workbench}/Settings")
    settled(page)
    page.get_by_role("textbox", name="With whom").fill(BEN)
    page.get_by_role("button", name="Share the memory of me").click()
    expect(page.get_by_text(f"{BEN} may read: memory of me.")).to_be_visible()

    tab.goto(f"{workbench}/Review")
    settled(tab)
    expect(tab.get_by_role("button", name="Reject")).to_be_disabled()
    tab.goto(f"{workbench}/Memories")
    settled(tab)
    expect(tab.get_by_text("Lisbon").first).to_be_visible()
    tab.get_by_role("button", name="Log out").click()
    tab.get_by_role("button", name="End session").click()  # the provider's
    expect(tab.get_by_role("button", name="Log in")).to_be_visible()
    expect(tab.get_by_text("Lisbon")).to_have_count(0)
