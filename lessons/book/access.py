"""Mends mdBook's pages for readers with a keyboard or a screen reader."""

import re

# The press comes last, because mdBook first makes the hidden table of contents visible.
PRESS = "setTimeout(() => document.getElementById('mdbook-sidebar-toggle-anchor').click())"
MENDS = [
    # The bar at the top is a landmark.
    (r'(<div )(id="mdbook-menu-bar")', r'\1role="banner" \2'),
    # A button shows and hides the table of contents, because keys do not reach a label.
    (r'<label (id="mdbook-sidebar-toggle"[^>]*?) for="mdbook-sidebar-toggle-anchor"(.*?)</label>', rf'<button type="button" \1 onclick="{PRESS}"\2</button>'),
    # Keys scroll a block that is wider than the page.
    (r"<pre><code ", r'<pre><code tabindex="0" '),
    # A heading follows one that is a level above it, as the glossary's do not.
    (r"<main>(?:(?!<h2).)*?</main>", lambda main: re.sub(r"(</?h)3\b", r"\g<1>2", main[0])),
]


def mend(book):
    """Mends the pages in a folder."""
    for page in book.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        for before, after in MENDS:
            text = re.sub(before, after, text, flags=re.S)
        page.write_text(text, encoding="utf-8")
