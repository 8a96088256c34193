"""Expressions that choose tests: `--select 'fast and not (random or rtl-mine)'`.

  expression  term, not expression, expression and expression, expression or expression, ( ... )
  term        a word; without "*", "?" and "[" it chooses the tests that have it as a tag, or as the
              name of their item, configuration, dut or memory setting, or as their key; as a
              pattern for those of which one of these matches it

`not` binds before `and`, that before `or`; they may be written in capitals."""
import re
import typing

from nvcosim.plan import paths
from nvcosim.plan.test import Test
from nvcosim.plan.tree import cut
from nvcosim.text import guess, shown
from nvcosim.tool import Failure

_BYTES, _DEPTH = 400, 50


def is_operator(word: str) -> bool:
    """No name in a plan can be one of these."""
    return word.lower() in ("and", "or", "not")


def select(expression: str, tests: list[Test]) -> list[Test]:
    """The chosen ones. Failure of three lines, the second the expression, the third with a caret
    below the place that is wrong: no expression, a word that no test answers to, none chosen."""
    n = len(expression.encode("utf-8", "surrogateescape"))
    if n > _BYTES:
        raise Failure(f"--select: found {n} bytes, expected at most {_BYTES}")
    parser = _Parser(expression, tests)
    chosen = parser.either()
    if parser.word:
        raise parser.refuse("and, or, or the end")
    if not chosen:
        raise parser.wrong(0, "no test of the plan is chosen by this")
    return [test for i, test in enumerate(tests) if i in chosen]


class _Parser:
    """A recursive descent; each part yields the indices of the tests that it chooses."""

    def __init__(self, expression: str, tests: list[Test]) -> None:
        self.expression, self.depth = expression, 0
        self.names = [(test.item, test.config, test.dut, test.memory or "default", test.key,
                       *test.tags) for test in tests]
        self.tokens = [(found.group(), found.start())
                       for found in re.finditer(r"[()]|[^ \t()]+", expression)]
        self.tokens.append(("", len(expression)))

    @property
    def word(self) -> str:
        """The token that comes next; "" at the end."""
        return self.tokens[0][0]

    def takes(self, word: str) -> bool:
        """Whether it comes next; then it is passed."""
        found = self.word.lower() == word
        if found:
            self.tokens.pop(0)
        return found

    def wrong(self, place: int, message: str) -> Failure:
        column = len(shown(self.expression[:place]))
        return Failure(f"--select: {message}\n  {shown(self.expression)}\n  {'':{column}}^")

    def refuse(self, expected: str) -> Failure:
        word, place = self.tokens[0]
        found = f"'{cut(word, 60)}'" if word else "the end"
        return self.wrong(place, f"found {found}, expected {expected}")

    def either(self) -> set[int]:
        chosen = self.both()
        while self.takes("or"):
            chosen |= self.both()
        return chosen

    def both(self) -> set[int]:
        chosen = self.factor()
        while self.takes("and"):
            chosen &= self.factor()
        return chosen

    def factor(self) -> set[int]:
        place = self.tokens[0][1]
        if self.word != "(" and self.word.lower() != "not":
            return self.term()
        if self.depth == _DEPTH:
            raise self.wrong(place, f"found more than {_DEPTH} parentheses and `not` in one "
                                    "another")
        self.depth += 1
        if self.takes("not"):
            chosen = set(range(len(self.names))) - self.factor()
        else:
            self.tokens.pop(0)
            chosen = self.either()
            if not self.takes(")"):
                raise (self.refuse("and, or, or )") if self.word else
                       self.wrong(place, "found '(' without its ')'"))
        self.depth -= 1
        return chosen

    def term(self) -> set[int]:
        word, place = self.tokens[0]
        if not word or word == ")" or is_operator(word):
            raise self.refuse("a tag, a name, a pattern, not, or (")
        answers: typing.Callable[[str], bool] = lambda name: name == word
        if re.search(r"[*?\[]", word):
            answers = lambda name: paths.matches(word, name)
        different = dict.fromkeys(name for names in self.names for name in names)
        meant = {name for name in different if answers(name)}
        if not meant:
            raise self.wrong(place, f"found '{cut(word, 100)}', which no test of the plan has as a "
                             "tag, or as the name of its item, configuration, dut or memory "
                             f"setting, or as its key{guess(word, different)}")
        self.tokens.pop(0)
        return {i for i, names in enumerate(self.names) if not meant.isdisjoint(names)}
