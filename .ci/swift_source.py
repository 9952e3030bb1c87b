"""Reading the repository's Swift files: which there are, and what in them is code."""

import re
import subprocess
from pathlib import Path

# A comment or a string literal. Strings come with the comments because `//` may stand in one and `"` in the other.
NOT_CODE = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | (?P<raw_block>\#*)\"{3}.*?\"{3}(?P=raw_block)
      | (?P<raw>\#*)"(?:\\.|[^"\\\n])*"(?P=raw)""",
    re.DOTALL | re.VERBOSE,
)


def repository_files(*patterns: str) -> list[Path]:
    """Files of the repository, also those not yet committed; never what a build left behind."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *patterns],
        check=True, capture_output=True, text=True,
    ).stdout
    return sorted(path for name in listed.split("\0") if name and (path := Path(name)).is_file())


def code_lines(text: str) -> list[str]:
    """The lines of a Swift file, with comments and the contents of strings blanked out."""
    blanked = NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    return blanked.split("\n")
