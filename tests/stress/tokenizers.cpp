// tokenizers.cpp - the tokenizers without LibTorch: reads a tokenizer.json and texts, each after its
// length and a newline, and prints one line each: ids with bytes, a tab, and the decoded text.
//
//     tokenizers FILE TEXTS        tokenizers.py builds and runs it

#include "text/failure.h"
#include "tokenizers/pipeline.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace ct {
void fail_tokenizer(const std::string &message, const std::string &) { throw std::runtime_error(message); }
}  // namespace ct

namespace {

std::string contents(const char *path)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
}

void run(const ct::Pipeline &pipeline, const std::string &text)
{
    std::vector<int64_t> ids;
    for (const auto &token : pipeline.tokens(text, true, true)) {
        ids.push_back(token.id);
        if (token.start > token.end || token.end > text.size()) throw std::logic_error("bytes out of range");
        std::printf("%ld:%zu:%zu ", static_cast<long>(token.id), token.start, token.end);
    }
    std::vector<ct::Pipeline::Token> plain = pipeline.tokens(text, true, false);
    if (plain.size() != ids.size()) throw std::logic_error("offsets change the tokens");
    for (size_t k = 0; k < ids.size(); k++)
        if (plain[k].id != ids[k]) throw std::logic_error("offsets change the tokens");
    std::string decoded = pipeline.decode(ids, true);
    std::printf("\t");
    for (char c : decoded) std::printf("%02x", static_cast<unsigned char>(c));
    std::printf("\n");
    for (int64_t id : ids) pipeline.bytes_of(id);
}

}  // namespace

int main(int, char **arguments)
{
    std::unique_ptr<ct::Pipeline> pipeline;
    std::string text;
    try {
        pipeline = ct::Pipeline::read(contents(arguments[1]), arguments[1]);
        std::ifstream texts(arguments[2], std::ios::binary);
        for (size_t size; texts >> size;) {
            texts.get();
            text.resize(size);
            texts.read(text.data(), static_cast<std::streamsize>(size));
            try {
                run(*pipeline, text);
            } catch (const std::runtime_error &error) {
                std::printf("error: %s\n", error.what());
            }
        }
    } catch (const std::runtime_error &error) {
        std::printf("error: %s\n", error.what());
    }
}
