// framing.cpp - the special tokens at the ends of a text ("post_processor" in files).

#include "text/failure.h"
#include "tokenizers/stages.h"
#include "pieces/vocabulary.h"

namespace ct {

namespace {

using Specials = std::vector<Framing::Special>;

constexpr size_t MOST_SPECIALS = 4096;
constexpr int64_t LARGEST_TYPE = 1000000;

void check_count(const Framing &framing, size_t more, const JsonValue &json)
{
    if (framing.before.size() + framing.after.size() + more > MOST_SPECIALS)
        json.fail("the post_processor adds more than " + std::to_string(MOST_SPECIALS) +
                  " tokens to a text");
}

// ["[SEP]", 102]
Framing::Special read_pair(const JsonValue &json)
{
    json.check(JsonNode::Array, "an array of a token and its id");
    if (json.size() != 2) json.fail("expected a token and its id");
    return {std::string(json.item(0).text("a token")),
            json.item(1).natural("the id of a token", LARGEST_ID)};
}

// [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, ...]
Framing read_template(const JsonValue &json)
{
    Framing made;
    JsonValue parts = json.at("single"), specials = json.at("special_tokens");
    parts.check(JsonNode::Array, "an array as the template");
    Specials *to = &made.before;
    for (size_t k = 0; k < parts.size(); k++) {
        JsonValue part = parts.item(k);
        if (part.get("Sequence").exists()) {
            if (to == &made.after) part.fail("the template has the text twice");
            to = &made.after;
            continue;
        }
        std::string_view name =
            part.at("SpecialToken").at("id").text("the name of a special token");
        JsonValue ids = specials.at(name).at("ids"), tokens = specials.at(name).get("tokens");
        ids.check(JsonNode::Array, "an array of ids");
        check_count(made, ids.size(), part);
        for (size_t i = 0; i < ids.size(); i++) {
            bool named = tokens.is(JsonNode::Array) && i < tokens.size();
            to->push_back({std::string(named ? tokens.item(i).text("a token") : name),
                           ids.item(i).natural("the id of a token", LARGEST_ID)});
        }
    }
    if (to == &made.before) parts.fail("the template does not have the text");
    return made;
}

// The same of two texts: {"Sequence": {"id": "B", "type_id": 1}} is the second.
std::vector<PairPart> read_pair_template(const JsonValue &json)
{
    std::vector<PairPart> made;
    JsonValue parts = json.get("pair"), specials = json.at("special_tokens");
    if (!parts.exists()) return made;
    parts.check(JsonNode::Array, "an array as the template of pairs");
    for (size_t k = 0; k < parts.size(); k++) {
        JsonValue part = parts.item(k), text = part.get("Sequence");
        JsonValue entry = text.exists() ? text : part.at("SpecialToken");
        int64_t type = entry.at("type_id").natural("the type of a token", LARGEST_TYPE);
        std::string_view name = entry.at("id").text("the name of a text or a special token");
        if (text.exists()) {
            made.push_back({name == "A" ? FIRST_TEXT : SECOND_TEXT, type});
            continue;
        }
        JsonValue ids = specials.at(name).at("ids");
        ids.check(JsonNode::Array, "an array of ids");
        if (made.size() + ids.size() > MOST_SPECIALS)
            part.fail("the template of pairs adds more than " + std::to_string(MOST_SPECIALS) +
                      " tokens");
        for (size_t i = 0; i < ids.size(); i++)
            made.push_back({ids.item(i).natural("the id of a token", LARGEST_ID), type});
    }
    return made;
}

// BERT writes [CLS] A [SEP] B [SEP] with the types 0 and 1, RoBERTa <s> A </s> </s> B </s> with 0.
std::vector<PairPart> pair_between(int64_t begin, int64_t end, bool roberta)
{
    std::vector<PairPart> made{{begin, 0}, {FIRST_TEXT, 0}, {end, 0}};
    int64_t type = roberta ? 0 : 1;
    if (roberta) made.push_back({end, 0});
    made.push_back({SECOND_TEXT, type});
    made.push_back({end, type});
    return made;
}

// One step after another: what a later one adds is outside.
void add(Framing &all, Framing &&next)
{
    all.before.insert(all.before.begin(), next.before.begin(), next.before.end());
    all.after.insert(all.after.end(), next.after.begin(), next.after.end());
    if (!next.pair.empty()) all.pair = std::move(next.pair);
    all.trims = all.trims || next.trims;
    all.prefix_space = all.prefix_space || next.prefix_space;
}

}  // namespace

Framing read_framing(const JsonValue &json)
{
    Framing made;
    if (!json.exists()) return made;
    std::string_view type = json.at("type").text("the type of a post_processor");
    if (type == "Sequence") {
        JsonValue list = json.at("processors");
        list.check(JsonNode::Array, "an array of post_processors");
        for (size_t k = 0; k < list.size(); k++) {
            Framing next = read_framing(list.item(k));
            check_count(made, next.before.size() + next.after.size(), list.item(k));
            add(made, std::move(next));
        }
    } else if (type == "TemplateProcessing") {
        made = read_template(json);
        made.pair = read_pair_template(json);
    } else if (type == "BertProcessing" || type == "RobertaProcessing") {
        made.before.push_back(read_pair(json.at("cls")));
        made.after.push_back(read_pair(json.at("sep")));
        made.pair = pair_between(made.before[0].id, made.after[0].id, type == "RobertaProcessing");
    } else if (type != "ByteLevel") {
        json.at("type").fail("unknown type of post_processor " + in_marks(type),
                             "known types: TemplateProcessing, ByteLevel, BertProcessing, "
                             "RobertaProcessing and Sequence");
    }
    if (type == "ByteLevel" || type == "RobertaProcessing") {
        made.trims = json.get("trim_offsets").flag("true or false as trim_offsets", true);
        made.prefix_space =
            json.get("add_prefix_space").flag("true or false as add_prefix_space", true);
    }
    return made;
}

}  // namespace ct
