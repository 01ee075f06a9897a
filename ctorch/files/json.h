// json.h - reading JSON piece by piece, for the headers of files.  C++ only.
//
// The caller says what it expects; values are built only where it asks for them.
//
//     json.object([&](const std::string &key) { sizes[key] = json.natural(); });
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "errors/interrupts.h"
#include "files/files.h"

namespace ct {

// How many bytes the first character takes; 0 if it is not UTF-8.  text is not empty.
size_t utf8_length(std::string_view text);

// A text in double quotes.
std::string json_text(const std::string &text);

// The keys of an object: most objects have few, which need no table.
class JsonKeys {
public:
    bool has(const std::string &key) const
    {
        return std::find(few_.begin(), few_.end(), key) != few_.end() || many_.count(key);
    }

    // Whether the key is new.
    bool add(const std::string &key)
    {
        if (has(key)) return false;
        if (few_.size() < FEW) few_.push_back(key);
        else many_.insert(key);
        return true;
    }

private:
    static constexpr size_t FEW = 8;
    std::vector<std::string> few_;
    std::unordered_set<std::string> many_;
};

class Json {
public:
    // first_byte: the position of text in the file.
    Json(std::string_view text, const std::string &path, uint64_t first_byte)
        : text_(text), path_(path), first_byte_(first_byte) {}

    // Reads an object: `read` is called with each key, and must consume its value.  A key must not
    // occur twice; noun is what messages call a key.  Returns all the keys.
    template <class Read>
    JsonKeys object(Read read, const char *noun = "name")
    {
        JsonKeys keys;
        begin('{', "an object");
        for (bool more = !ends('}'); more; more = goes_on('}')) {
            std::string key = new_key(keys, noun);
            read(key);
        }
        depth_--;
        return keys;
    }

    template <class Read>
    void array(Read read)
    {
        begin('[', "an array");
        for (bool more = !ends(']'); more; more = goes_on(']')) read();
        depth_--;
    }

    std::string string(const char *what = "a string");
    // An integer from 0 up to 2^63 - 1.
    int64_t natural();
    bool is_null();  // a null is consumed
    void skip_value();
    // Only white space may follow.
    void end();

    // The positions in the file of the next character, and of the key read last.
    uint64_t byte() const { return first_byte_ + at_; }
    uint64_t key_byte() const { return key_byte_; }

private:
    std::string new_key(JsonKeys &keys, const char *noun);
    void begin(char open, const char *what);
    bool ends(char close);
    bool goes_on(char close);
    void consume(char c, const char *what);
    void skip_space();
    void skip_number();
    void skip_word(const char *word);
    void add_escape(std::string &out);
    void add_ordinary(std::string &out);
    void add_character(std::string &out);
    uint32_t hex();
    [[noreturn]] void expected(const char *what);

    std::string_view text_;
    const std::string &path_;
    uint64_t first_byte_, key_byte_ = 0;
    size_t at_ = 0;
    int depth_ = 0;
    Polls polls_;
};

}  // namespace ct
