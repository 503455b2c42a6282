"""The figures of the book: each run of a chapter as a page that moves, at the frame that the chapter speaks of.

A chapter names its runs: `<!-- run: informer-lab reflector -->`. The page is made by `informer-lab board`; the chapter shows it below the
block of what the run prints.
"""

import json
import re
import shlex
import subprocess

MARKER = re.compile(r"<!-- run: informer-lab (.+?) -->")
RUN = re.compile(MARKER.pattern + r"\n```console\n.*?\n```\n", re.S)
# What a picture shows. A run without them prints, and there is nothing to draw.
MOVES = {"committed", "listed", "watched", "queued", "popped", "stored", "notified", "called", "work_taken"}
# The event that a chapter is about, where it is not the last one of which the narrator speaks.
ABOUT = {
    "architecture": "notified",
    "controller": "work_taken",
    "listwatch": "watched",
    "reflector": "dropped",
    "resync": "resynced",
    "shared --step slow-listener": "notified",
    "synced": "synced",
    "workqueue": "work_delayed",
}
WORDS = {"en": ("The same run, event by event", "on a page of its own"), "zh": ("同一次运行，逐个事件", "单独打开")}


def name(command):
    return re.sub(r"[^a-z0-9]+", "-", command)


def runs(chapters):
    """The commands of all runs that a chapter shows. Fails if a run lacks the block of what it prints, because it would get no figure."""
    commands = set()
    for page in chapters:
        text = page.read_text(encoding="utf-8")
        for marker in MARKER.finditer(text):
            if not RUN.match(text, marker.start()):
                raise SystemExit(f"{page.name}: {marker[0]} has no block: UPDATE_CHAPTERS=1 cargo test --test it chapters")
            commands.add(marker[1])
    return sorted(commands)


class Figures:
    """The pages of the runs, in a folder of the book."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.places = {}
        folder.mkdir(parents=True, exist_ok=True)

    def make(self, command):
        """Makes the page of a run, if there is something to draw, and notes the frame at which it begins."""
        words = shlex.split(command)
        page = self.folder / f"{name(command)}.html"
        if words[0] == "eras":
            lesson = " ".join(words[1:])
            self.board(page, *words[1:], "--beside", f"{lesson} --era modern")
            self.places[command] = "difference"
            return
        printed = subprocess.run([self.program, *words, "--output", "json"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        events = [json.loads(line) for line in printed.stdout.decode().splitlines()]
        if not any(event["event"] in MOVES for event in events):
            return
        self.board(page, *words)
        self.places[command] = str(place(command, events))

    def board(self, page, *words):
        subprocess.run([self.program, "board", *words, "--out", str(page)], check=True, stderr=subprocess.DEVNULL)

    def put(self, text, language):
        """The text of a chapter with the figures below their runs."""

        def figure(found):
            command = found[1]
            if command not in self.places:
                return found[0]
            page = f"../{self.folder.name}/{name(command)}.html#lang={language}&amp;at={self.places[command]}"
            title, link = WORDS[language]
            frame = f'<iframe src="{page}&amp;embedded=1" title="{title}: {command}" loading="lazy" style="width:100%;height:660px;border:1px solid #8888"></iframe>'
            return f'{found[0]}\n<figure style="margin:1rem 0">{frame}<figcaption>{title} · <a href="{page}">{link}</a></figcaption></figure>\n'

        return RUN.sub(figure, text)


def place(command, events):
    """The number of the event that the chapter speaks of."""
    about = ABOUT.get(command)
    for is_it in [
        lambda event: event["event"] == about,
        lambda event: "said" in event,
        lambda event: event["event"] in ("notified", "stored", "popped"),
    ]:
        found = [number for number, event in enumerate(events) if is_it(event)]
        if found:
            return found[-1]
    return 0
