"""Mends mdBook's pages for readers with a keyboard or a screen reader."""

PRESS = "if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); this.click(); }"
MENDS = [
    # The bar at the top is a landmark.
    ('id="mdbook-menu-bar" class="', 'role="banner" id="mdbook-menu-bar" class="'),
    # The label that shows and hides the table of contents is a button, and keys press it.
    ('<label id="mdbook-sidebar-toggle" ', f'<label role="button" tabindex="0" onkeydown="{PRESS}" id="mdbook-sidebar-toggle" '),
    # Keys scroll a block that is wider than the page.
    ("<pre><code ", '<pre><code tabindex="0" '),
]


def mend(book):
    """Mends the pages in a folder."""
    for page in book.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        for before, after in MENDS:
            text = text.replace(before, after)
        page.write_text(text, encoding="utf-8")
