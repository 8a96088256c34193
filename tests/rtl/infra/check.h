// Named checks of the RTL benches: one line 'ok NAME' or 'FAIL NAME: reasons' each, a summary that tests/run.sh counts.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

class Checks {
  public:
    // Starts the next named check; the one before is reported.
    void start(const std::string &name) {
        report();
        name_ = name;
    }
    // Fails the current check when a != b. At most five reasons are kept.
    void equal(const char *what, uint64_t got, uint64_t expected) {
        if (got == expected)
            return;
        char text[200];
        snprintf(text, sizeof text, "%s is 0x%llx, expected 0x%llx", what, (unsigned long long)got,
                 (unsigned long long)expected);
        fail(text);
    }
    void fail(const std::string &reason) {
        if (++errors_ <= 5)
            reasons_ += "\n      " + reason;
    }
    bool failing() const {
        return errors_ != 0;
    }
    // Reports the last check and the summary; the exit status.
    int finish() {
        report();
        printf("%d passed, %d failed\n", passed_, failed_);
        return failed_ != 0;
    }

  private:
    void report() {
        if (name_.empty())
            return;
        if (errors_ == 0) {
            printf("ok    %s\n", name_.c_str());
            passed_++;
        } else {
            printf("FAIL  %s: %d errors%s\n", name_.c_str(), errors_, reasons_.c_str());
            failed_++;
        }
        name_.clear();
        reasons_.clear();
        errors_ = 0;
    }
    std::string name_, reasons_;
    int errors_ = 0, passed_ = 0, failed_ = 0;
};

// xorshift64*: the same sequence on every machine.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {
    }
    uint32_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return (uint32_t)((state_ * 0x2545f4914f6cdd1du) >> 32);
    }
    uint32_t below(uint32_t n) {
        return next() % n;
    }
    bool percent(uint32_t p) {
        return below(100) < p;
    }

  private:
    uint64_t state_;
};
