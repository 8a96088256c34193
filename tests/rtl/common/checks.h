// Named cases of a bench and what fails in them: one line 'ok NAME' or 'FAIL NAME: reasons' each, and a summary that
// tests/run.py counts.
#pragma once
#include <cinttypes>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>

class Checks {
  public:
    bool verbose = false; // every case prints a line, and its details
    // What a check inside the RTL that fails means to the current case: a failure; nothing, since registers have
    // undefined contents; or what the case wants to see, since it breaks a contract on purpose.
    enum class RtlChecks { Fail, Ignored, Wanted } rtl_checks = RtlChecks::Fail;

    // Starts the next case; the one before is reported. quiet: a case that passes prints nothing (one of many).
    void start(const std::string &name, bool quiet = false) {
        end();
        name_ = name;
        quiet_ = quiet;
    }
    // Something is wrong in the current case. The first five reasons are kept.
    __attribute__((format(printf, 2, 3))) void fail(const char *format, ...) {
        if (++errors_ > 5)
            return;
        char text[500];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        reasons_ += "\n      ";
        reasons_ += text;
    }
    // A check inside the RTL has failed.
    void rtl_check(const char *name, const char *scope) {
        rtl_failures_++;
        if (rtl_checks == RtlChecks::Fail)
            fail("check %s of the RTL failed in %s", name, scope);
    }
    // Fails the current case if got != expected.
    void equal(const char *what, uint64_t got, uint64_t expected) {
        if (got != expected)
            fail("%s is 0x%" PRIx64 ", expected 0x%" PRIx64, what, got, expected);
    }
    // Fails the current case if value > limit, and shows both figures when it is reported.
    void at_most(const char *what, uint64_t value, uint64_t limit) {
        name_ += ": " + std::to_string(value) + " " + what + ", at most " + std::to_string(limit);
        if (value > limit)
            fail("%" PRIu64 " %s, at most %" PRIu64 " are allowed", value, what, limit);
    }
    // Something to know about the current case if it fails: a layer of a chain.
    void detail(const std::string &text) {
        details_ += "\n      " + text;
    }
    bool failing() const {
        return errors_ != 0;
    }
    int failed() const {
        return failed_;
    }
    // Reports the current case.
    void end() {
        if (!name_.empty()) {
            if (rtl_checks == RtlChecks::Wanted && rtl_failures_ == 0)
                fail("no check of the RTL has failed");
            if (errors_ != 0)
                printf("FAIL  %s: %d errors%s%s\n", name_.c_str(), errors_, reasons_.c_str(), details_.c_str());
            else if (verbose || !quiet_)
                printf("ok    %s%s\n", name_.c_str(), verbose ? details_.c_str() : "");
            (errors_ != 0 ? failed_ : passed_)++;
        }
        name_.clear();
        reasons_.clear();
        details_.clear();
        errors_ = rtl_failures_ = 0;
        rtl_checks = RtlChecks::Fail;
    }
    // Reports the last case and the summary; the exit status.
    int finish() {
        end();
        printf("%d passed, %d failed\n", passed_, failed_);
        return failed_ != 0;
    }

  private:
    std::string name_, reasons_, details_;
    bool quiet_ = false;
    int errors_ = 0, rtl_failures_ = 0, passed_ = 0, failed_ = 0;
};

extern Checks checks;
