"""The git revision of a folder."""
import dataclasses
import re
import subprocess


@dataclasses.dataclass(frozen=True)
class Revision:
    """commit: full hash; None: the folder is in no git repository, it has no commit, or git did not
    answer. dirty: whether files that git knows have changes that are not committed; None: not
    known."""
    commit: str | None = None
    dirty: bool | None = None


def _ask(folder: str, *question: str) -> str | None:
    """What git prints, None if it fails. It asks for no password, takes no lock that would disturb
    an editor, and has ten seconds."""
    words = ["timeout", "-k", "1", "10", "env", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
             "LC_ALL=C", "git", "-C", folder, *question]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.DEVNULL, encoding="utf-8",
                              errors="surrogateescape")
    except FileNotFoundError:  # as without git
        return None
    return None if done.returncode else done.stdout


def revision_named(folder: str, name: str) -> str | None:
    """The full hash of the commit that a name (branch, tag, first letters of a hash, HEAD~2) has in
    the repository of a folder; None: there is none."""
    answer = _ask(folder, "rev-parse", "--verify", "--quiet", "--end-of-options",
                  f"{name}^{{commit}}")
    return answer[:-1] if answer and re.fullmatch("[0-9a-f]{40,}\n", answer) else None


def revision_of(folder: str) -> Revision:
    """Asks git twice."""
    commit = revision_named(folder, "HEAD")
    if not commit:
        return Revision()
    status = _ask(folder, "status", "--porcelain", "--untracked-files=no")
    if status is None:
        return Revision(commit)
    return Revision(commit, bool(re.search("^[ MTADRCU]{2} .", status, re.MULTILINE)))
