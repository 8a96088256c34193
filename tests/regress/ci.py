#!/usr/bin/python3
"""The files of docs/ci: their form must be what GitLab, GitHub and cron accept. Their commands run in a clean clone as on each server, with a small
plan. The artifacts that they name must then exist, after a failing night too.

usage: ci.py BUILD
"""
import glob
import html
import os
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

from counts import check, finish

import yaml

build = os.path.abspath(sys.argv[1])
root = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
folder = os.path.join(build, "tests/ci")


def read(name):
    return open(os.path.join(root, "docs/ci", name), encoding="utf-8").read()


class Strict(yaml.SafeLoader):
    """A key twice is an error, as the servers have it; `on` is a word, not a flag."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        assert len(keys) == len(set(keys)), f"a key twice: {keys}"
        return super().construct_mapping(node, deep)


Strict.yaml_implicit_resolvers = {first: [(tag, rule) for tag, rule in rules if tag != "tag:yaml.org,2002:bool"] for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Strict.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))


# ---- the form of GitLab's file ----
def lines(value):
    return isinstance(value, list) and value and all(isinstance(line, str) and line for line in value)


gitlab = yaml.load(read("gitlab-ci.yml"), Strict)
GLOBAL = {"stages", "default", "variables", "workflow", "include"}
JOB = {"stage", "timeout", "cache", "before_script", "script", "after_script", "artifacts", "rules", "needs", "image", "variables", "tags", "interruptible"}
jobs = {name: job for name, job in gitlab.items() if name not in GLOBAL}
check("gitlab: its jobs", set(jobs) == {"regress", "pages"}, set(jobs))
check("gitlab: variables are texts", all(isinstance(value, str) for value in gitlab["variables"].values()), gitlab["variables"])
for name, job in jobs.items():
    check(f"gitlab: {name}: keys that a job has", set(job) <= JOB, set(job) - JOB)
    check(f"gitlab: {name}: its stage is one", job["stage"] in gitlab["stages"], job["stage"])
    check(f"gitlab: {name}: scripts are lists of commands", lines(job["script"]) and all(lines(job[key]) for key in ("before_script", "after_script") if key in job))
    check(f"gitlab: {name}: artifacts", set(job["artifacts"]) <= {"when", "expire_in", "paths", "reports", "name"} and lines(job["artifacts"]["paths"]) and
          set(job["artifacts"].get("reports", {})) <= {"junit"} and job["artifacts"].get("when", "on_success") in ("always", "on_success", "on_failure"), job["artifacts"])
    check(f"gitlab: {name}: needs jobs that are there", all(need["job"] in jobs and gitlab["stages"].index(jobs[need["job"]]["stage"]) <= gitlab["stages"].index(job["stage"])
                                                         for need in job.get("needs", [])))
check("gitlab: the cache is in the project's folder, and kept of failed jobs", all(not path.startswith(("/", "$", "..")) for path in jobs["regress"]["cache"]["paths"]) and
      jobs["regress"]["cache"]["when"] == "always" and gitlab["variables"]["CCACHE_DIR"] == "$CI_PROJECT_DIR/.ccache" and ".ccache" in jobs["regress"]["cache"]["paths"])
check("gitlab: pages has the folder public", jobs["pages"]["artifacts"]["paths"] == ["public"])

# ---- the form of GitHub's ----
github = yaml.load(read("github-actions.yml"), Strict)
check("github: its keys", set(github) <= {"name", "on", "jobs", "env", "permissions"} and {"push", "schedule"} <= set(github["on"]), set(github))
field = r"(\*|\d+(-\d+)?(,\d+(-\d+)?)*)(/\d+)?"
check("github: the schedule has five fields", all(re.fullmatch(" ".join([field] * 5), entry["cron"]) for entry in github["on"]["schedule"]))
job = github["jobs"]["regress"]
check("github: keys of the job", set(job) <= {"runs-on", "container", "timeout-minutes", "defaults", "env", "steps", "strategy", "needs"} and job["runs-on"] and job["timeout-minutes"] <= 360, set(job))
for step in job["steps"]:
    title = step.get("name") or step.get("uses")
    check(f"github: step {title}: runs something or uses an action of a version", ("run" in step) != ("uses" in step) and set(step) <= {"name", "run", "uses", "with", "if", "env", "id"} and
          ("uses" not in step or re.fullmatch(r"[\w-]+/[\w/-]+@v\d+", step["uses"])), step)
uses = [step["uses"] for step in job["steps"] if "uses" in step]
cache = {step["uses"].split("/")[2].split("@")[0]: step for step in job["steps"] if step.get("uses", "").startswith("actions/cache/")}
check("github: the cache is restored and, of failed jobs too, saved, by the same key", cache["restore"]["with"]["key"] == cache["save"]["with"]["key"] and
      cache["restore"]["with"]["path"] == cache["save"]["with"]["path"] and cache["save"]["if"] == "always()")
check("github: the artifact is of failed jobs too", job["steps"][-1]["uses"].startswith("actions/upload-artifact") and job["steps"][-1]["if"] == "always()")
contexts = re.findall(r"\$\{\{(.*?)\}\}", read("github-actions.yml"))
check("github: expressions name what is there", contexts and all(re.fullmatch(r"[\s\w.|&='/-]+", text) and set(re.findall(r"\b(\w+)\.\w+", re.sub("'[^']*'", "", text))) <= {"github"} for text in contexts), contexts)

# ---- cron's line ----
cron = [line for line in read("cron").splitlines() if line and not line.startswith("#")]
settings = dict(line.split("=", 1) for line in cron if re.match(r"\w+=", line))
entries = [line for line in cron if not re.match(r"\w+=", line)]
match = re.match(" ".join([f"({field})"] * 5).replace(" ", r"\s+") + r"\s+(.*)", entries[0])
check("cron: one line with five times and a command without %", len(entries) == 1 and match and "%" not in entries[0], entries)
command = match.group(match.lastindex)

# ---- what they name is there ----
texts = [read(name) for name in ("gitlab-ci.yml", "github-actions.yml", "cron")] + [open(os.path.join(root, "docs/ci.md"), encoding="utf-8").read()]
check("plans that are named are there", all(os.path.exists(os.path.join(root, plan)) for text in texts for plan in re.findall(r"plans/\w+\.yml", text)))
manual = subprocess.run([os.path.join(build, "nvcosim"), "regress", "--help"], capture_output=True, text=True, check=True).stdout
options = {option for text in texts for command_line in re.findall(r"nvcosim regress[^\n`]*", text) for option in re.findall(r"(?<![\w-])--[a-z-]+", command_line)}
check("options that are named are those of nvcosim", options and all(option in manual for option in options), options)

# ---- the commands, in a clean clone ----
shutil.rmtree(folder, ignore_errors=True)
tools = os.path.join(folder, "tools")
os.makedirs(tools)
clone = os.path.join(folder, "nvcosim")
subprocess.run(["git", "clone", "-q", root, clone], check=True)
for name, text in (("apt-get", 'echo "apt-get $*" >>"$TOOLS/apt"'), ("mail", 'printf "%s\\n" "$@" >"$TOOLS/mail.arguments"; cat >"$TOOLS/mail.text"')):
    with open(os.path.join(tools, name), "w", encoding="utf-8") as out:
        out.write(f"#!/bin/sh\n{text}\n")
    os.chmod(os.path.join(tools, name), 0o755)
ccache = subprocess.run(["ccache", "-k", "cache_dir"], capture_output=True, text=True, check=False).stdout.strip()
if ccache and os.path.isdir(ccache):
    os.symlink(ccache, os.path.join(clone, ".ccache"))  # as a cache that was restored
PLAN = "name: ci\nlimits: {%s}\nitems:\n  - name: few\n    traces: ../traces/conformance/small/rand_sdp_00[0-2].nvt.gz\n  - name: more\n    traces: ../traces/conformance/small/rand_pdp_00*.nvt.gz\n"


def plan(limits="seconds: 60"):
    with open(os.path.join(clone, "plans/ci.yml"), "w", encoding="utf-8") as out:
        out.write(PLAN % limits)


base = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "TOOLS": tools, "PLAN": "plans/ci.yml", "SELECT": "few", "HOME": folder}
for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "CCACHE_DIR"):
    base.pop(name, None)


def shell(script, environment, wanted=0, title=""):
    run = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=clone, env=environment, capture_output=True, text=True, check=False)
    check(f"{title} (status {run.returncode})", run.returncode == wanted, run.stdout[-1500:] + run.stderr[-1500:])
    return run


def artifacts(title, patterns):
    missing = [pattern for pattern in patterns if not glob.glob(os.path.join(clone, pattern))]
    check(f"{title}: the artifacts that it names are there", not missing, missing)


def nights():
    return sorted(glob.glob(os.path.join(clone, "nvcosim-nights/night-*")), key=lambda path: int(path.rsplit("-", 1)[1]))


def junit(title, tests, failures):
    suites = xml.parse(os.path.join(nights()[-1], "junit.xml")).getroot()
    found = int(suites.get("tests")), int(suites.get("failures")) + int(suites.get("errors"))
    check(f"{title}: junit.xml counts {tests} tests, {failures} failures", found == (tests, failures), found)


# GitLab: variables expanded, before_script and script in one shell, after_script in another.
regress = jobs["regress"]
lab = {**base, "CI_PROJECT_DIR": clone, "CI_COMMIT_REF_SLUG": "main"}
lab["CCACHE_DIR"] = gitlab["variables"]["CCACHE_DIR"].replace("$CI_PROJECT_DIR", clone)
plan()
shell("\n".join(regress["before_script"] + regress["script"]), lab, title="gitlab: the job")
shell("\n".join(regress["after_script"]), lab, title="gitlab: after it, in the first night")
artifacts("gitlab: first night", [path for path in regress["artifacts"]["paths"] if "compare" not in path] + [regress["artifacts"]["reports"]["junit"], "nvcosim-nights/nights.db"])
junit("gitlab", 3, 0)
check("gitlab: packages are asked for", "make git" in open(os.path.join(tools, "apt"), encoding="utf-8").read())
plan("cycles: 3000")
shell("\n".join(regress["before_script"] + regress["script"]), lab, wanted=3, title="gitlab: a job that fails")
after = shell("\n".join(regress["after_script"]), lab, title="gitlab: after it")
check("gitlab: what is new is reported", "WORSE: 3 new failures" in after.stdout, after.stdout[-800:])
artifacts("gitlab: failed night", regress["artifacts"]["paths"] + [regress["artifacts"]["reports"]["junit"]])
junit("gitlab, failed", 3, 3)
shell("\n".join(jobs["pages"]["script"]), lab, title="gitlab: pages")
target = re.search(r"url=([^']*)'", open(os.path.join(clone, "public/index.html"), encoding="utf-8").read()).group(1)
check("gitlab: pages lead to the last night", os.path.exists(os.path.join(clone, "public", html.unescape(target))) and target.startswith(os.path.basename(nights()[-1])), target)

# GitHub: each step a shell of its own; a file carries settings from one to the next, another is the summary.
hub = {**base, "GITHUB_WORKSPACE": clone, "GITHUB_ENV": os.path.join(folder, "github.env"), "GITHUB_STEP_SUMMARY": os.path.join(folder, "summary.md")}
open(hub["GITHUB_ENV"], "w", encoding="utf-8").close()
plan()
for step in job["steps"]:
    if "run" in step:
        shell(step["run"], hub, title=f"github: {step['name']}")
        hub.update(line.split("=", 1) for line in open(hub["GITHUB_ENV"], encoding="utf-8").read().splitlines())
check("github: settings are carried on", hub.get("CCACHE_DIR") == os.path.join(clone, ".ccache"))
summary = open(hub["GITHUB_STEP_SUMMARY"], encoding="utf-8").read()
check("github: the summary is on the page of the job", summary.startswith("PASSED ci night 3: "), summary[:200])
artifacts("github", [path for path in job["steps"][-1]["with"]["path"].split() + cache["save"]["with"]["path"].split() if path != ".ccache" or ccache])
junit("github", 3, 0)

# cron: its environment, /bin/sh, the user's folder.
plain = {"HOME": folder, "PATH": base["PATH"], "TOOLS": tools, **settings, "PLAN": "plans/ci.yml"}
if ccache:
    plain["CCACHE_DIR"] = ccache
plan()
shell(f"exec /bin/sh -c {shlex.quote(command)}", plain, title="cron: the command")
mail = open(os.path.join(tools, "mail.arguments"), encoding="utf-8").read().splitlines()
check("cron: the first line of the summary is the subject of the mail", mail[0] == "-s" and mail[1].startswith("PASSED ci night 4: ") and mail[2] == settings["TO"], mail)
text = open(os.path.join(tools, "mail.text"), encoding="utf-8").read()
check("cron: the rest is its text", "revision" in text and "PASSED" not in text.splitlines()[0], text[:300])
check("cron: it keeps a log", "night 4" in open(os.path.join(folder, "nvcosim-night.log"), encoding="utf-8").read())
shutil.rmtree(clone)
finish()
