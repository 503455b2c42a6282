"""The traces of the book, in the colours that the program gives them on a terminal.

A chapter shows what its runs print: `<!-- run: informer-lab reflector -->` and a block. The book runs the command once more in colour.
"""

import html
import re
import shlex
import subprocess

from figures import RUN

ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")
LEVELS = [0, 95, 135, 175, 215, 255]


class Traces:
    """What the runs print, by their commands."""

    def __init__(self, program):
        self.program = program
        self.printed = {}

    def run(self, command):
        """Notes what a run prints in colour."""
        options = ["--color", "always"]
        ran = subprocess.run([self.program, *shlex.split(command), *options], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.printed[command] = ran.stdout.decode()

    def put(self, text):
        """The text of a chapter with its traces in colour. Fails if a trace is not what its run prints."""

        def trace(found):
            command = found[1]
            printed = f"$ informer-lab {command}\n{self.printed[command]}"
            block = found[0].split("```console\n")[1].removesuffix("```\n")
            if ESCAPE.sub("", printed) != block:
                raise SystemExit(f"informer-lab {command} prints something else: UPDATE_CHAPTERS=1 cargo test --test it chapters")
            return f'<pre><code class="nohighlight trace">{in_colour(printed)}</code></pre>\n'

        return RUN.sub(trace, text)


def in_colour(printed):
    """A text with a terminal's escape codes as HTML."""
    text, *coloured = ESCAPE.split(html.escape(printed, quote=False))
    for code, piece in zip(coloured[::2], coloured[1::2]):
        text += f'<span style="{style(code)}">{piece}</span>' if code not in ("", "0") else piece
    return text


def style(code):
    """The style of an escape code of the program, such as `1;38;5;131`: bold text in one of the 256 colours."""
    weight = "font-weight:bold;" if code.startswith("1") else ""
    return f"{weight}color:{rgb(int(code.split(';5;')[1]))}" if ";5;" in code else weight


def rgb(entry):
    """One of the 256 colours: the entries from 16 are a cube of six levels, and those from 232 are greys."""
    if entry >= 232:
        levels = [8 + 10 * (entry - 232)] * 3
    else:
        levels = [LEVELS[(entry - 16) // step % 6] for step in (36, 6, 1)]
    return "#%02x%02x%02x" % tuple(levels)
