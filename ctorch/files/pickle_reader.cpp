// pickle_reader.cpp - run a pickle's operations on a stack of descriptions.
//
//     c torch._utils _rebuild_tensor_v2 ... R   =>   Call(Global "torch._utils._rebuild_tensor_v2")
//
// Python's unpickler creates objects and calls what a file names; this one only records the calls.

#include "errors/interrupts.h"
#include "files/pickle.h"
#include "text/utf8.h"

#include <unordered_map>

namespace ct {

namespace {

constexpr uint32_t SHARED_VALUES = 3;  // None, False, True
constexpr size_t LONGEST_INTEGER = 4096;  // bytes: to write it takes their square
// Bytes of memory: of a list, whose items are a separate block; and of an entry of the memo.
constexpr size_t LIST_SIZE = sizeof(std::vector<uint32_t>) + 32, MEMO_SIZE = 48;

}  // namespace

class PickleReader {
public:
    PickleReader(Pickle &pickle, Pickle::Holds holds)
        : pickle_(pickle), holds_(holds), memory_left_(pickle.memory_limit())
    {
        for (Pickled::Kind kind : {Pickled::None, Pickled::Bool, Pickled::Bool})
            add(kind, 0, 0, pickle_.values_.size() == SHARED_VALUES - 1);
    }

    void read()
    {
        Polls polls;
        do {
            polls.step();
            start_ = at_;
        } while (step(number<uint8_t>()));
        pickle_.text_ = pickle_.text_.substr(0, at_);
    }

private:
    [[noreturn]] void fail(const std::string &what) const { pickle_.fail(start_, what); }

    // Called before anything grows.  Released memory is not credited, so that the number of
    // operations is limited, too.
    void spend(size_t bytes)
    {
        if (bytes > memory_left_)
            fail("the pickle builds more than its size allows");
        memory_left_ -= bytes;
    }

    std::string_view bytes(uint64_t length)
    {
        if (length > pickle_.text_.size() - at_) fail("the pickle ends in the middle of a value");
        at_ += length;
        return pickle_.text_.substr(at_ - length, length);
    }

    template <class Number>
    Number number()
    {
        return number_at<Number>(bytes(sizeof(Number)).data());
    }

    uint32_t add(Pickled::Kind kind, uint32_t a = 0, uint32_t b = 0, int64_t number = 0)
    {
        if (pickle_.values_.size() == Pickle::MOST_VALUES) fail("a pickle of more than 4000000 values");
        spend(sizeof(Pickled));
        Pickled value{kind, static_cast<uint32_t>(start_), a, b, {number}};
        pickle_.values_.push_back(value);
        return static_cast<uint32_t>(pickle_.values_.size() - 1);
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
        if (stack_.size() <= floor) fail("the pickle pops a value from an empty stack");
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
        if (marks_.empty()) fail("the pickle pops values to a missing mark");
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
        pickle_.items_.push_back(std::move(items));
        push(add(kind, static_cast<uint32_t>(pickle_.items_.size() - 1)));
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

    // A line with a global's name, as a text.
    uint32_t line()
    {
        size_t end = pickle_.text_.find('\n', at_);
        if (end == std::string_view::npos) fail("the pickle ends in the middle of a name");
        push_text(Pickled::Text, end - at_);
        at_++;
        return pop();
    }

    void push_long(uint64_t length)
    {
        std::string_view digits = bytes(length);
        if (length > LONGEST_INTEGER) fail("an integer of more than 4096 bytes");
        if (length > sizeof(int64_t)) {
            push(add(Pickled::Long, static_cast<uint32_t>(at_ - length), static_cast<uint32_t>(length)));
            return;
        }
        int64_t number = length && digits.back() < 0 ? -1 : 0;
        std::memcpy(&number, digits.data(), length);
        push(add(Pickled::Int, 0, 0, number));
    }

    void push_float()
    {
        uint64_t big_endian = __builtin_bswap64(number<uint64_t>());
        uint32_t value = add(Pickled::Float);
        std::memcpy(&pickle_.values_[value].real, &big_endian, sizeof big_endian);
        push(value);
    }

    void push_call()
    {
        uint32_t arguments = pop(), callee = pop();
        // LibTorch writes an enumeration without one.
        bool has_tuple = pickle_.values_[arguments].kind == Pickled::Tuple;
        if (!has_tuple && holds_ == Pickle::Holds::STATE_DICT) fail("a call without a tuple");
        spend(LIST_SIZE);
        pickle_.items_.emplace_back();
        int64_t items = static_cast<int64_t>(pickle_.items_.size() - 1);
        push(add(Pickled::Call, callee, arguments, items));
    }

    // Adds items to a list, a dict, or the result of a call.
    void extend(const std::vector<uint32_t> &items, bool keyed)
    {
        Pickled &into = pickle_.values_[top()];
        bool fits = into.kind == Pickled::Call || into.kind == (keyed ? Pickled::Dict : Pickled::List);
        if (!fits || (keyed && items.size() % 2)) fail("the pickle adds to what is not a container");
        size_t where = into.kind == Pickled::Call ? static_cast<size_t>(into.number) : into.a;
        std::vector<uint32_t> &all = pickle_.items_[where];
        spend(items.size() * sizeof(uint32_t));
        all.insert(all.end(), items.begin(), items.end());
    }

    // Sets the state of a call's result: an OrderedDict's only describes versions.
    void build()
    {
        pop();
        const Pickled &into = pickle_.values_[top()];
        if (holds_ == Pickle::Holds::OBJECTS) return;
        bool is_call = into.kind == Pickled::Call;
        std::string name = is_call ? pickle_.global_name(pickle_.values_[into.a]) : "";
        if (name != "collections.OrderedDict")
            pickle_.refuse(start_, name.empty() ? "an object" : "a " + name);
    }

    // LibTorch, which reads the pickle afterwards, keeps such values in an array indexed by key.
    void put(uint32_t key)
    {
        if (key > pickle_.text_.size() || memo_.size() > Pickle::MOST_VALUES)
            fail("the pickle stores a value under memo number " + std::to_string(key));
        spend(MEMO_SIZE);
        memo_[key] = top();
    }

    void get(uint32_t key)
    {
        auto found = memo_.find(key);
        if (found == memo_.end()) fail("the pickle recalls a value that it never stored");
        push(found->second);
    }

    bool stop()
    {
        pickle_.root_ = pop();
        return false;
    }

    bool step(uint8_t operation);

    Pickle &pickle_;
    const Pickle::Holds holds_;
    size_t memory_left_;
    size_t at_ = 0, start_ = 0;
    std::vector<uint32_t> stack_;
    std::vector<size_t> marks_;
    std::unordered_map<uint32_t, uint32_t> memo_;
};

// Runs one operation; returns false at the end.
bool PickleReader::step(uint8_t operation)
{
    switch (operation) {
    case 0x80:  // PROTO
        if (number<uint8_t>() > 5) fail("a pickle protocol beyond 5");
        break;
    case 0x95: number<uint64_t>(); break;  // FRAME: the length of what follows, which is not needed
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
    case 0x8B: push_long(number<uint32_t>()); break;
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
        bool texts = pickle_.values_[name].kind == Pickled::Text &&
                     pickle_.values_[module].kind == Pickled::Text;
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
