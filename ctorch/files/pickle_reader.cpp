// pickle_reader.cpp - run a pickle's operations on a stack of descriptions.
//
//     c torch._utils _rebuild_tensor_v2 ... R   =>   Call(Global "torch._utils._rebuild_tensor_v2")
//
// Python's own machine makes objects and calls what a file names; this one only notes what would be
// made.

#include "files/pickle.h"
#include "files/json.h"

#include <unordered_map>

namespace ct {

namespace {

constexpr uint32_t SHARED_VALUES = 3;  // None, False, True
// Bytes of memory: of a list, where its items are a block of their own; and of an entry of the memo.
constexpr size_t LIST_SIZE = sizeof(std::vector<uint32_t>) + 32, MEMO_SIZE = 48;

}  // namespace

class PickleReader {
public:
    PickleReader(Pickle &pickle, Pickle::Holds holds)
        : made_(pickle), holds_(holds), memory_left_(pickle.memory_limit())
    {
        for (Pickled::Kind kind : {Pickled::None, Pickled::Bool, Pickled::Bool})
            add(kind, 0, 0, made_.values_.size() == SHARED_VALUES - 1);
    }

    void read()
    {
        do {
            start_ = at_;
        } while (step(number<uint8_t>()));
    }

private:
    [[noreturn]] void fail(const std::string &what) const { made_.fail(start_, what); }

    // Before anything grows.  What is released again is not given back: operations count, too.
    void spend(size_t bytes)
    {
        if (bytes > memory_left_)
            fail("the pickle builds more than one of its size can need");
        memory_left_ -= bytes;
    }

    std::string_view bytes(uint64_t length)
    {
        if (length > made_.text_.size() - at_) fail("the pickle ends in the middle of a value");
        at_ += length;
        return made_.text_.substr(at_ - length, length);
    }

    template <class Number>
    Number number()
    {
        return number_at<Number>(bytes(sizeof(Number)).data());
    }

    uint32_t add(Pickled::Kind kind, uint32_t a = 0, uint32_t b = 0, int64_t number = 0)
    {
        if (made_.values_.size() == Pickle::MOST_VALUES) fail("a pickle of more than 4000000 values");
        spend(sizeof(Pickled));
        Pickled value{kind, static_cast<uint32_t>(start_), a, b, {number}};
        made_.values_.push_back(value);
        return static_cast<uint32_t>(made_.values_.size() - 1);
    }

    void push(uint32_t value)
    {
        spend(sizeof value);
        stack_.push_back(value);
    }

    void mark()
    {
        spend(sizeof(size_t));
        marks_.push_back(stack_.size());
    }

    uint32_t pop()
    {
        size_t floor = marks_.empty() ? 0 : marks_.back();
        if (stack_.size() <= floor) fail("the pickle takes a value that is not there");
        uint32_t value = stack_.back();
        stack_.pop_back();
        return value;
    }

    uint32_t top()
    {
        uint32_t value = pop();
        stack_.push_back(value);
        return value;
    }

    std::vector<uint32_t> pop_to_mark()
    {
        if (marks_.empty()) fail("the pickle takes values from a mark that is not there");
        auto first = stack_.begin() + static_cast<int64_t>(marks_.back());
        std::vector<uint32_t> items(first, stack_.end());
        stack_.erase(first, stack_.end());
        marks_.pop_back();
        return items;
    }

    std::vector<uint32_t> pop_few(size_t count)
    {
        std::vector<uint32_t> items(count);
        while (count-- > 0) items[count] = pop();
        return items;
    }

    void push_container(Pickled::Kind kind, std::vector<uint32_t> items)
    {
        spend(LIST_SIZE + items.size() * sizeof(uint32_t));
        made_.items_.push_back(std::move(items));
        push(add(kind, static_cast<uint32_t>(made_.items_.size() - 1)));
    }

    void push_text(Pickled::Kind kind, uint64_t length)
    {
        std::string_view text = bytes(length);
        for (size_t k = 0; kind == Pickled::Text && k < text.size();) {
            size_t size = utf8_length(text.substr(k));
            if (!size) fail("a string is not UTF-8");
            k += size;
        }
        push(add(kind, static_cast<uint32_t>(at_ - length), static_cast<uint32_t>(length)));
    }

    // A line of a global's name, as a text.
    uint32_t line()
    {
        size_t end = made_.text_.find('\n', at_);
        if (end == std::string_view::npos) fail("the pickle ends in the middle of a name");
        push_text(Pickled::Text, end - at_);
        at_++;
        return pop();
    }

    void push_long(uint64_t length)
    {
        std::string_view digits = bytes(length);
        if (length > sizeof(int64_t)) fail("an integer beyond 64 bits");
        int64_t number = length && digits.back() < 0 ? -1 : 0;
        std::memcpy(&number, digits.data(), length);
        push(add(Pickled::Int, 0, 0, number));
    }

    void push_float()
    {
        uint64_t big_endian = __builtin_bswap64(number<uint64_t>());
        uint32_t value = add(Pickled::Float);
        std::memcpy(&made_.values_[value].real, &big_endian, sizeof big_endian);
        push(value);
    }

    void push_call()
    {
        uint32_t arguments = pop(), callee = pop();
        bool odd = made_.values_[arguments].kind != Pickled::Tuple;  // LibTorch's for an enumeration
        if (odd && holds_ == Pickle::Holds::STATE_DICT) fail("a call without a tuple");
        spend(LIST_SIZE);
        made_.items_.emplace_back();
        int64_t items = static_cast<int64_t>(made_.items_.size() - 1);
        push(add(Pickled::Call, callee, arguments, items));
    }

    // Items come to a list, a dict, or what a call makes.
    void extend(const std::vector<uint32_t> &items, bool keyed)
    {
        Pickled &into = made_.values_[top()];
        bool fits = into.kind == Pickled::Call || into.kind == (keyed ? Pickled::Dict : Pickled::List);
        if (!fits || (keyed && items.size() % 2)) fail("the pickle adds to what is not a container");
        size_t where = into.kind == Pickled::Call ? static_cast<size_t>(into.number) : into.a;
        std::vector<uint32_t> &all = made_.items_[where];
        spend(items.size() * sizeof(uint32_t));
        all.insert(all.end(), items.begin(), items.end());
    }

    // State for a call's result: an OrderedDict's is only about its versions.
    void build()
    {
        pop();
        const Pickled &into = made_.values_[top()];
        if (holds_ == Pickle::Holds::OBJECTS) return;
        std::string name = into.kind == Pickled::Call ? made_.global_name(made_.values_[into.a]) : "";
        if (name != "collections.OrderedDict")
            made_.refuse(start_, name.empty() ? "an object" : "a " + name);
    }

    // Who reads the pickle after us may keep such values in an array.
    void put(uint32_t key)
    {
        if (key > made_.text_.size() || memo_.size() > Pickle::MOST_VALUES)
            fail("the pickle keeps a value under the number " + std::to_string(key));
        spend(MEMO_SIZE);
        memo_[key] = top();
    }

    void get(uint32_t key)
    {
        auto found = memo_.find(key);
        if (found == memo_.end()) fail("the pickle recalls a value that it never kept");
        push(found->second);
    }

    bool stop()
    {
        made_.root_ = pop();
        return false;
    }

    bool step(uint8_t operation);

    Pickle &made_;
    const Pickle::Holds holds_;
    size_t memory_left_;
    size_t at_ = 0, start_ = 0;
    std::vector<uint32_t> stack_;
    std::vector<size_t> marks_;
    std::unordered_map<uint32_t, uint32_t> memo_;
};

// One operation; false at the end.
bool PickleReader::step(uint8_t operation)
{
    switch (operation) {
    case 0x80:  // PROTO
        if (number<uint8_t>() > 5) fail("a pickle protocol beyond 5");
        break;
    case 0x95: number<uint64_t>(); break;  // FRAME: how much follows, which nobody needs
    case '.': return stop();
    case '(': mark(); break;
    case '0': pop(); break;
    case '1': pop_to_mark(); break;
    case '2': push(top()); break;
    case 'N': push(0); break;
    case 0x89: push(1); break;
    case 0x88: push(2); break;
    case 'J': push(add(Pickled::Int, 0, 0, number<int32_t>())); break;
    case 'K': push(add(Pickled::Int, 0, 0, number<uint8_t>())); break;
    case 'M': push(add(Pickled::Int, 0, 0, number<uint16_t>())); break;
    case 0x8A: push_long(number<uint8_t>()); break;
    case 'G': push_float(); break;
    case 'X': push_text(Pickled::Text, number<uint32_t>()); break;
    case 0x8C: push_text(Pickled::Text, number<uint8_t>()); break;
    case 0x8D: push_text(Pickled::Text, number<uint64_t>()); break;
    case 'T': push_text(Pickled::Bytes, number<uint32_t>()); break;
    case 'U': push_text(Pickled::Bytes, number<uint8_t>()); break;
    case 'B': push_text(Pickled::Bytes, number<uint32_t>()); break;
    case 'C': push_text(Pickled::Bytes, number<uint8_t>()); break;
    case ')': push_container(Pickled::Tuple, {}); break;
    case ']': push_container(Pickled::List, {}); break;
    case '}': push_container(Pickled::Dict, {}); break;
    case 't': push_container(Pickled::Tuple, pop_to_mark()); break;
    case 'l': push_container(Pickled::List, pop_to_mark()); break;
    case 0x85: push_container(Pickled::Tuple, pop_few(1)); break;
    case 0x86: push_container(Pickled::Tuple, pop_few(2)); break;
    case 0x87: push_container(Pickled::Tuple, pop_few(3)); break;
    case 'a': extend(pop_few(1), false); break;
    case 'e': extend(pop_to_mark(), false); break;
    case 's': extend(pop_few(2), true); break;
    case 'u': extend(pop_to_mark(), true); break;
    case 'q': put(number<uint8_t>()); break;
    case 'r': put(number<uint32_t>()); break;
    case 0x94: put(static_cast<uint32_t>(memo_.size())); break;  // MEMOIZE
    case 'h': get(number<uint8_t>()); break;
    case 'j': get(number<uint32_t>()); break;
    case 'Q': push(add(Pickled::Persistent, pop())); break;
    case 'R': case 0x81: push_call(); break;  // REDUCE, NEWOBJ
    case 'b': build(); break;
    case 'c': {
        uint32_t module = line(), name = line();
        push(add(Pickled::Global, module, name));
        break;
    }
    case 0x93: {  // STACK_GLOBAL
        uint32_t name = pop(), module = pop();
        bool texts = made_.values_[name].kind == Pickled::Text &&
                     made_.values_[module].kind == Pickled::Text;
        if (!texts) fail("a global without a name");
        push(add(Pickled::Global, module, name));
        break;
    }
    default: fail("a pickle operation (" + std::to_string(operation) + ") that no state dict needs");
    }
    return true;
}

void Pickle::run(Holds holds) { PickleReader(*this, holds).read(); }

}  // namespace ct
