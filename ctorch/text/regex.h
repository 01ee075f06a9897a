// regex.h - regular expressions of tokenizers, through PCRE2.  C++ only, without LibTorch.
#pragma once

#include "errors/interrupts.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ct {

// A pattern, written for Oniguruma, as tokenizer files have it.
class Regex {
public:
    // Fails if the pattern is wrong, or PCRE2 is not installed.
    explicit Regex(std::string_view pattern);
    ~Regex();
    Regex(const Regex &) = delete;
    Regex &operator=(const Regex &) = delete;

    // Calls found(start, end) for each match in a range of the text, which is UTF-8; only there
    // does the text begin and end.
    template <class Found>
    void each(std::string_view text, Found found) const
    {
        size_t from = 0, last = std::string_view::npos, start, end;
        Polls polls;
        while (from <= text.size() && search(text, from, &start, &end)) {
            polls.step();
            if (start == end && end == last) {   // an empty match right behind another
                from = step_over(text, from);
                continue;
            }
            from = last = end;
            found(start, end);
        }
    }

private:
    struct Compiled;
    bool search(std::string_view text, size_t from, size_t *start, size_t *end) const;
    static size_t step_over(std::string_view text, size_t from);

    std::string pattern_;
    std::unique_ptr<Compiled> compiled_;
};

}  // namespace ct
