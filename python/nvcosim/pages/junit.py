"""The results of a night as JUnit XML, which CI servers read: a suite for each item of the plan."""
import itertools
import typing
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from nvcosim.pages.page import write_file
from nvcosim.pages.review import Review, Test
from nvcosim.text import shown

_FORBIDDEN = str.maketrans("\ufffe\uffff", "\ufffd\ufffd")  # in XML


def _legal(text: str) -> str:
    return shown(text).translate(_FORBIDDEN)


def _add(parent: Element, tag: str, **attributes: str) -> Element:
    return SubElement(parent, tag, {name: _legal(text) for name, text in attributes.items()})


def _lines(*texts: str | None) -> str:
    return "".join(f"{_legal(text)}\n" for text in texts if text)


def _named(name: str, text: str | None) -> str | None:
    return text and f"{name}: {text}"


def _is_error(test: Test) -> bool:
    return test.verdict not in ("FAIL", "HANG")


def _add_outcome(case: Element, review: Review, test: Test) -> None:
    verdict, reason = test.verdict or "", test.reason or ""
    outcome = _add(case, "error" if _is_error(test) else "failure", type=verdict,
                   message=reason or verdict)
    title = next((b.title for b in review.buckets if b.number == test.bucket), None)
    before = (test.before or "not run") if test.was_there else "not in it"
    outcome.text = _lines(
        None if test.mismatch and test.mismatch in reason else test.mismatch,
        test.disagrees, _named("signature", test.signature), _named("bucket", title),
        _named(f"night {review.before}", before) if review.before else None,
        _named("report", test.page))


def _add_case(suite: Element, review: Review, test: Test) -> None:
    case = _add(suite, "testcase", classname=suite.attrib["name"], name=test.name,
                time=f"{test.seconds:.3f}")
    if test.state == "passed":
        return
    if test.state == "failed":
        _add_outcome(case, review, test)
    elif test.state == "known":
        until = f", until {test.excuse_until}" if test.excuse_until else ""
        _add(case, "skipped", message=f"known failure, {test.verdict}{until}: {test.known}")
    else:
        state = "still running" if review.state == "running" else review.state
        _add(case, "skipped", message=f"not run: the night is {state}")
    if test.command:
        SubElement(case, "system-out").text = _lines(
            test.command, None if test.state == "open" else test.debug_command)


def _counts(tests: typing.Sequence[Test]) -> dict[str, str]:
    errors = [_is_error(test) for test in tests if test.state == "failed"]
    return {"tests": str(len(tests)), "failures": str(errors.count(False)),
            "errors": str(errors.count(True)),
            "time": f"{sum(test.seconds for test in tests):.3f}"}


def _add_suite(root: Element, review: Review, item: str, tests: list[Test]) -> None:
    # Cases are grouped at the dots of their class.
    name = ".".join(part.replace(".", "_") for part in (review.plan, item))
    # Local time without a zone is what the readers expect; the database has UTC.
    suite = _add(root, "testsuite", name=name, **_counts(tests),
                 skipped=str(sum(test.state in ("known", "open") for test in tests)),
                 timestamp=review.started.partition("Z")[0], hostname=review.host)
    properties = SubElement(suite, "properties")
    for key, value in (("night", str(review.night)), ("seed", str(review.seed)),
                       ("revision", review.revision), ("version", review.version),
                       ("command", review.command)):
        if value is not None:
            _add(properties, "property", name=key, value=value)
    for test in tests:
        _add_case(suite, review, test)


def junit_write(review: Review, path: str) -> None:
    """Writes the file. Failure: it cannot be written."""
    root = Element("testsuites", {"name": _legal(review.plan), **_counts(review.tests)})
    for item, tests in itertools.groupby(review.tests, key=lambda test: test.item):
        _add_suite(root, review, item, list(tests))  # tests of an item follow each other
    indent(root)
    write_file(path, '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, "unicode") + "\n")
