// pattern.cpp - what normalizers, splitters and decoders search for.

#include "text/failure.h"
#include "text/regex.h"
#include "tokenizers/stages.h"

namespace ct {

Pattern::Pattern(const JsonValue &json)
{
    json.check(JsonNode::Object, "an object with a String or a Regex");
    JsonValue regex = json.get("Regex");
    if (regex.exists()) regex_ = std::make_unique<Regex>(regex.text("a regular expression"));
    else literal_ = json.at("String").text("a text to search for");
}

Pattern::~Pattern() = default;
Pattern::Pattern(Pattern &&) noexcept = default;

void Pattern::each(std::string_view text, const std::function<void(size_t, size_t)> &found) const
{
    if (regex_) {
        regex_->each(text, found);
        return;
    }
    if (literal_.empty()) return;
    for (size_t at = 0; (at = text.find(literal_, at)) != std::string_view::npos;
         at += literal_.size())
        found(at, at + literal_.size());
}

void Pattern::parts(std::string_view text, std::vector<Part> &parts, bool inverted) const
{
    PartsBuilder builder(parts, inverted);
    if (regex_) regex_->each(text, [&](size_t start, size_t end) { builder.match(start, end); });
    else each(text, [&](size_t start, size_t end) { builder.match(start, end); });
    builder.finish(text.size());
}

}  // namespace ct
