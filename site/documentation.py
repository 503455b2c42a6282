"""The pages of docs/ as a part of the website. English pages are in docs/, Chinese ones in docs/zh/, as in the repository."""

import os
import pathlib
import re
import shutil
import subprocess

import access

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/informer-lab/informer-lab"
FOLDERS = {"en": "docs", "zh": "docs/zh"}
TITLES = {"en": "informer-lab: documentation", "zh": "informer-lab：文档"}
# The pages of the repository that have another name in the website.
RENAMED = {
    "README.md": "index.html",
    "README.zh.md": "index.zh.html",
    "crates/kube-informers/README.md": "api/kube_informers/index.html",
    "crates/kube-testcluster/README.md": "api/kube_testcluster/index.html",
}


def place(own):
    """Returns the address of a file of the repository: its place in the website, or its page at the repository's host."""
    if own in RENAMED:
        return RENAMED[own]
    if own.startswith("docs/"):
        return re.sub(r"README\.md$", "index.html", own).replace(".md", ".html")
    lesson = re.fullmatch(r"lessons/((?:\d\d-.+|glossary|handout)\.(en|zh)|TEACHING(?:\.(zh))?)\.md", own)
    if lesson:
        return f"{lesson[2] or lesson[3] or 'en'}/{lesson[1]}.html"
    return f"{REPOSITORY}/{'tree' if (ROOT / own).is_dir() else 'blob'}/main/{own}"


def with_other_language(text, page, language):
    """Returns the text with a link to the same page in the other language below its heading, if it has none."""
    other, word, address = {"en": ("zh", "中文", f"zh/{page.name}"), "zh": ("en", "English", f"../{page.name}")}[language]
    if page.name == "README.md" or not (ROOT / FOLDERS[other] / page.name).exists():
        return text
    title, rest = text.split("\n", 1)
    return f"{title}\n\n[{word}]({address})\n{rest}"


def adapted(page, language):
    """Returns the text of a page with links that work in the website."""
    folder = page.parent.relative_to(ROOT)

    def link(found):
        target, anchor = (found[1].split("#", 1) + [""])[:2]
        if "://" in target or not target:
            return found[0]
        there = place(os.path.normpath(folder / target))
        if "://" not in there:
            there = os.path.relpath(there, folder)
        return f"]({there}{'#' + anchor if anchor else ''})"

    return re.sub(r"\]\(([^)\s]+)\)", link, with_other_language(page.read_text(encoding="utf-8"), page, language))


def summary(index):
    """Returns the contents: the parts of the index with the pages of its folder."""
    lines = ["# Summary", ""]
    for line in index.read_text(encoding="utf-8").splitlines():
        page = re.match(r"\| \[(.+?)\]\(([\w-]+\.md)\)", line)
        if line.startswith("# "):
            lines.append(f"[{line[2:]}](index.md)")
        elif line.startswith("## "):
            lines += ["", f"# {line[3:]}", ""]
        elif page:
            lines.append(f"- [{page[1]}]({page[2]})")
    return "\n".join(lines) + "\n"


def make(mdbook, language, site):
    """Writes the pages of one language into the website."""
    source, folder = ROOT / FOLDERS[language], ROOT / "target" / "book" / f"docs-{language}"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "src").mkdir(parents=True)
    shutil.copy(ROOT / "lessons" / "book" / "book.css", folder)
    for page in source.glob("*.md"):
        name = "index.md" if page.name == "README.md" else page.name
        (folder / "src" / name).write_text(adapted(page, language), encoding="utf-8")
    for other in source.glob("*.json"):
        shutil.copy(other, folder / "src")
    (folder / "src" / "SUMMARY.md").write_text(summary(source / "README.md"), encoding="utf-8")
    (folder / "book.toml").write_text(
        f'[book]\ntitle = "{TITLES[language]}"\nlanguage = "{language}"\n[output.html]\nno-section-label = true\n'
        f'git-repository-url = "{REPOSITORY}"\nadditional-css = ["book.css"]\n[output.html.playground]\nrunnable = false\n',
        encoding="utf-8",
    )
    subprocess.run([mdbook, "build", str(folder), "--dest-dir", str(site / FOLDERS[language])], check=True)
    access.mend(site / FOLDERS[language])
