// abseil.h - the little of Abseil that SentencePiece uses, over C++'s own library.
//
// SentencePiece's source package does not contain Abseil, and building all of it takes minutes.
// Each of Abseil's headers that SentencePiece includes is a generated file that includes this one
// (building.py).  A failed CHECK is an exception here, so a damaged model never ends the process.
#pragma once

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <new>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#define ABSL_ATTRIBUTE_ALWAYS_INLINE __attribute__((always_inline))
#define ABSL_ATTRIBUTE_COLD __attribute__((cold))
#define ABSL_GUARDED_BY(x)
#define ABSL_EXCLUSIVE_LOCKS_REQUIRED(x)

namespace absl {

// Views and containers.

using std::string_view;
template <class T>
using Span = std::span<T>;
template <class T, size_t>
using FixedArray = std::vector<T>;
template <class T, size_t>
using InlinedVector = std::vector<T>;
template <class T>
using btree_set = std::set<T>;
template <class T>
using AnyInvocable = std::function<T>;
template <class T>
using FunctionRef = const std::function<T> &;

inline uint64_t mixed(uint64_t a, uint64_t b)
{
    a = (a ^ (b + 0x9E3779B97F4A7C15ull + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9ull;
    return a ^ (a >> 31);
}

inline uint64_t bytes_at(const char *from, size_t count)
{
    uint64_t bytes = 0;
    std::memcpy(&bytes, from, count);
    return bytes;
}

// The hash of a text: its words of 8 bytes, the last of which may overlap the one before.
inline uint64_t hashed(string_view text)
{
    const char *from = text.data();
    size_t left = text.size();
    uint64_t hash = left * 0x9E3779B97F4A7C15ull;
    for (; left > 8; from += 8, left -= 8) hash = mixed(hash, bytes_at(from, 8));
    if (text.size() >= 8) return mixed(hash, bytes_at(text.data() + text.size() - 8, 8));
    if (left >= 4) return mixed(hash, bytes_at(from, 4) << 32 | bytes_at(from + left - 4, 4));
    for (size_t k = 0; k < left; k++) hash += static_cast<uint64_t>(from[k]) << (8 * k);
    return mixed(hash, left);
}

// Texts of any type have the same hash, so that a view finds a string.
struct Hash {
    using is_transparent = void;
    template <class T>
    size_t operator()(const T &x) const
    {
        if constexpr (std::is_convertible_v<const T &, string_view>)
            return hashed(x);
        else if constexpr (requires { x.first; })
            return mixed((*this)(x.first), (*this)(x.second));
        else
            return mixed(std::hash<T>()(x), 0);
    }
};

template <class Key, class Value, class...>
class flat_hash_map : public std::unordered_map<Key, Value, Hash, std::equal_to<>> {
public:
    using std::unordered_map<Key, Value, Hash, std::equal_to<>>::unordered_map;
    template <class Like = Key>
    Value &operator[](const Like &key)
    {
        auto found = this->find(key);
        return found != this->end() ? found->second : this->emplace(Key(key), Value()).first->second;
    }
};
// The vocabulary, which is looked up for every pair of symbols in a text: a table of indices into
// the entries, which stay in their order.  Nothing is ever erased from it.
template <class Value>
class flat_hash_map<string_view, Value> {
public:
    using value_type = std::pair<string_view, Value>;
    using iterator = typename std::vector<value_type>::iterator;
    using const_iterator = typename std::vector<value_type>::const_iterator;

    iterator begin() { return entries_.begin(); }
    iterator end() { return entries_.end(); }
    const_iterator begin() const { return entries_.begin(); }
    const_iterator end() const { return entries_.end(); }
    size_t size() const { return entries_.size(); }
    bool empty() const { return entries_.empty(); }

    void clear()
    {
        entries_.clear();
        slots_.clear();
    }

    void reserve(size_t count)
    {
        entries_.reserve(count);
        if (count * 2 > slots_.size()) rebuild(count * 2);
    }

    const_iterator find(string_view key) const
    {
        uint32_t index = slots_.empty() ? 0 : slots_[slot_of(key)].index;
        return index ? begin() + (index - 1) : end();
    }

    iterator find(string_view key)
    {
        return begin() + (static_cast<const flat_hash_map *>(this)->find(key) - entries_.cbegin());
    }

    std::pair<iterator, bool> emplace(string_view key, Value value)
    {
        if (entries_.size() * 2 >= slots_.size()) rebuild(std::max<size_t>(16, slots_.size() * 2));
        Slot &slot = slots_[slot_of(key)];
        if (slot.index) return {begin() + (slot.index - 1), false};
        entries_.emplace_back(key, std::move(value));
        slot = {tag(hashed(key)), static_cast<uint32_t>(entries_.size())};
        return {end() - 1, true};
    }

    Value &operator[](string_view key) { return emplace(key, Value()).first->second; }

private:
    struct Slot {
        uint32_t tag, index;  // 1 for the first entry, 0 for none
    };

    static uint32_t tag(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

    // Where the key is, or would be.
    size_t slot_of(string_view key) const
    {
        uint64_t hash = hashed(key);
        for (size_t k = hash & (slots_.size() - 1);; k = (k + 1) & (slots_.size() - 1)) {
            const Slot &slot = slots_[k];
            if (!slot.index || (slot.tag == tag(hash) && entries_[slot.index - 1].first == key))
                return k;
        }
    }

    void rebuild(size_t least)
    {
        slots_.assign(std::bit_ceil(least), Slot{});
        for (size_t k = 0; k < entries_.size(); k++)
            slots_[slot_of(entries_[k].first)] = {tag(hashed(entries_[k].first)),
                                                  static_cast<uint32_t>(k + 1)};
    }

    std::vector<value_type> entries_;
    std::vector<Slot> slots_;
};

template <class Key, class...>
using flat_hash_set = std::unordered_set<Key, Hash, std::equal_to<>>;

template <class... Values>
size_t HashOf(const Values &...values)
{
    uint64_t hash = 0;
    ((hash = mixed(hash, Hash()(values))), ...);
    return hash;
}

template <class Container, class... Less>
void c_sort(Container &items, Less &&...less)
{
    std::sort(items.begin(), items.end(), std::forward<Less>(less)...);
}

// A value that is never destroyed.
template <class T>
class NoDestructor {
public:
    explicit NoDestructor(T value) : value_(new T(std::move(value))) {}
    const T &operator*() const { return *value_; }
    const T *operator->() const { return value_; }

private:
    T *value_;
};

namespace endian {
using enum std::endian;
}
inline uint32_t gbswap_32(uint32_t x) { return __builtin_bswap32(x); }

// Texts.

inline string_view ClippedSubstr(string_view text, size_t from, size_t length = string_view::npos)
{
    return text.substr(std::min(from, text.size()), length);
}

inline bool StartsWith(string_view text, string_view with) { return text.starts_with(with); }
inline bool EndsWith(string_view text, string_view with) { return text.ends_with(with); }
inline bool StrContains(string_view text, string_view part)
{
    return text.find(part) != string_view::npos;
}

inline bool ConsumePrefix(string_view *text, string_view prefix)
{
    if (!text->starts_with(prefix)) return false;
    text->remove_prefix(prefix.size());
    return true;
}

template <class T>
void append_one(std::string *to, const T &x)
{
    if constexpr (std::is_convertible_v<const T &, string_view>)
        to->append(string_view(x));
    else
        *to += (std::ostringstream() << x).str();
}

template <class... Parts>
void StrAppend(std::string *to, const Parts &...parts)
{
    (append_one(to, parts), ...);
}

template <class... Parts>
std::string StrCat(const Parts &...parts)
{
    std::string text;
    StrAppend(&text, parts...);
    return text;
}

inline std::string StrReplaceAll(
    string_view text, std::initializer_list<std::pair<string_view, string_view>> rules)
{
    std::string made;
    for (size_t k = 0; k < text.size();) {
        auto rule = std::find_if(rules.begin(), rules.end(), [&](const auto &each) {
            return text.substr(k).starts_with(each.first);
        });
        made += rule == rules.end() ? text.substr(k, 1) : rule->second;
        k += rule == rules.end() ? 1 : rule->first.size();
    }
    return made;
}

template <class T>
auto formatted(const T &x)
{
    if constexpr (std::is_same_v<T, std::string>) return x.c_str();
    else return x;
}

template <class... Values>
std::string StrFormat(const char *format, const Values &...values)
{
    int length = std::snprintf(nullptr, 0, format, formatted(values)...);
    std::string text(static_cast<size_t>(std::max(length, 0)), '\0');
    std::snprintf(text.data(), text.size() + 1, format, formatted(values)...);
    return text;
}

struct AllowEmpty {};

// The parts of a text, which become views or strings.
struct Parts : std::vector<string_view> {
    template <class T>
    operator std::vector<T>() const
    {
        return std::vector<T>(begin(), end());
    }
};

template <class Separator>
Parts StrSplit(string_view text, const Separator &separator, AllowEmpty = {})
{
    size_t width = 1;
    if constexpr (!std::is_same_v<Separator, char>) width = string_view(separator).size();
    Parts parts;
    for (size_t from = 0;;) {
        size_t found = text.find(separator, from);
        parts.push_back(text.substr(from, found - from));
        if (found == string_view::npos) return parts;
        from = found + width;
    }
}

template <class Container>
std::string StrJoin(const Container &parts, string_view separator)
{
    std::string text;
    bool first = true;
    for (const auto &part : parts) {
        if (!first) text += separator;
        append_one(&text, part);
        first = false;
    }
    return text;
}

template <class Change>
std::string changed(string_view text, Change change)
{
    std::string made(text);
    for (char &c : made) c = static_cast<char>(change(static_cast<unsigned char>(c)));
    return made;
}
inline std::string AsciiStrToLower(string_view text) { return changed(text, ::tolower); }
inline std::string AsciiStrToUpper(string_view text) { return changed(text, ::toupper); }

template <class Number>
bool read_number(string_view text, Number *number, int base)
{
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, *number, base);
    return error == std::errc() && stop == end;
}
template <class Number>
bool SimpleAtoi(string_view text, Number *number)
{
    return read_number(text, number, 10);
}
template <class Number>
bool SimpleHexAtoi(string_view text, Number *number)
{
    uint64_t value;
    if (!read_number(text, &value, 16)) return false;
    *number = static_cast<Number>(value);
    return true;
}
inline bool SimpleAtod(string_view text, double *number)
{
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, *number);
    return error == std::errc() && stop == end;
}
inline bool SimpleAtob(string_view text, bool *on)
{
    std::string word = AsciiStrToLower(text);
    *on = word == "true" || word == "t" || word == "yes" || word == "y" || word == "1";
    return *on || word == "false" || word == "f" || word == "no" || word == "n" || word == "0";
}

// Status.

enum class StatusCode { kOk = 0, kInvalidArgument = 3, kNotFound = 5, kOutOfRange = 11, kInternal = 13 };

class [[nodiscard]] Status {
public:
    Status() = default;
    Status(StatusCode code, string_view message) : code_(code), message_(message) {}
    bool ok() const { return code_ == StatusCode::kOk; }
    StatusCode code() const { return code_; }
    string_view message() const { return message_; }
    std::string ToString() const { return ok() ? "OK" : message_; }
    void IgnoreError() const {}
    bool operator==(const Status &) const = default;

private:
    StatusCode code_ = StatusCode::kOk;
    std::string message_;
};

inline std::ostream &operator<<(std::ostream &out, const Status &status)
{
    return out << status.ToString();
}
inline Status OkStatus() { return {}; }
inline Status InternalError(string_view text) { return {StatusCode::kInternal, text}; }
inline Status InvalidArgumentError(string_view text) { return {StatusCode::kInvalidArgument, text}; }
inline Status NotFoundError(string_view text) { return {StatusCode::kNotFound, text}; }
inline Status ErrnoToStatus(int number, string_view text)
{
    return {StatusCode::kInternal, StrCat(text, ": ", std::strerror(number))};
}
inline bool IsNotFound(const Status &status) { return status.code() == StatusCode::kNotFound; }

// A status whose message grows.
class StatusBuilder {
public:
    explicit StatusBuilder(StatusCode code) : code_(code) {}
    explicit StatusBuilder(const Status &status) : code_(status.code()), text_(status.message()) {}
    bool ok() const { return code_ == StatusCode::kOk; }
    template <class T>
    StatusBuilder &operator<<(const T &x)
    {
        append_one(&text_, x);
        return *this;
    }
    operator Status() const { return {code_, text_}; }

private:
    StatusCode code_;
    std::string text_;
};

#define ABSL_RETURN_IF_ERROR(expression)                                              \
    if (::absl::StatusBuilder status_builder{::absl::Status(expression)}; status_builder.ok()) { \
    } else                                                                            \
        return status_builder

// Logs and checks.

struct Silence {
    template <class T>
    const Silence &operator<<(const T &) const
    {
        return *this;
    }
};

// Fails at the end of the expression that writes into it.
struct Failing {
    explicit Failing(const char *what) { text << what << " "; }
    ~Failing() noexcept(false) { throw std::runtime_error(text.str()); }
    template <class T>
    Failing &operator<<(const T &x)
    {
        text << x;
        return *this;
    }
    std::ostringstream text;
};

enum class LogSeverityAtLeast : int {};
inline void SetMinLogLevel(LogSeverityAtLeast) {}

#define CT_LOG_INFO ::absl::Silence()
#define CT_LOG_WARNING ::absl::Silence()
#define CT_LOG_ERROR ::absl::Silence()
#define CT_LOG_FATAL ::absl::Failing("failed:")
#define LOG(severity) CT_LOG_##severity
#define CHECK(condition) \
    if (condition) {     \
    } else               \
        ::absl::Failing("failed: " #condition)
#define CHECK_EQ(a, b) CHECK((a) == (b))
#define CHECK_NE(a, b) CHECK((a) != (b))
#define CHECK_GE(a, b) CHECK((a) >= (b))
#define CHECK_LE(a, b) CHECK((a) <= (b))
#define CHECK_GT(a, b) CHECK((a) > (b))
#define CHECK_LT(a, b) CHECK((a) < (b))
#define CHECK_OK(status) CHECK((status).ok())
#define DCHECK(condition) \
    while (false) CHECK(condition)
#define DCHECK_EQ(a, b) DCHECK((a) == (b))
#define DCHECK_GE(a, b) DCHECK((a) >= (b))
#define DCHECK_LE(a, b) DCHECK((a) <= (b))
#define DCHECK_GT(a, b) DCHECK((a) > (b))
#define DCHECK_LT(a, b) DCHECK((a) < (b))

// Flags, which keep their defaults.

#define ABSL_FLAG(type, name, initial, help) type FLAGS_##name = initial
#define ABSL_DECLARE_FLAG(type, name) extern type FLAGS_##name
template <class T>
T GetFlag(const T &flag)
{
    return flag;
}

// Random numbers.

class BitGen : public std::mt19937_64 {
public:
    BitGen() : std::mt19937_64(std::random_device()()) {}
    explicit BitGen(std::seed_seq &&seed) : std::mt19937_64(seed) {}
};
template <class T, class Low, class High>
T uniform(BitGen &generator, Low low, High high)
{
    if constexpr (std::is_integral_v<T>)
        return std::uniform_int_distribution<T>(low, high - 1)(generator);
    else
        return std::uniform_real_distribution<T>(low, high)(generator);
}
template <class T = void, class Low, class High>
auto Uniform(BitGen &generator, Low low, High high)
{
    return uniform<std::conditional_t<std::is_void_v<T>, std::common_type_t<Low, High>, T>>(
        generator, low, high);
}
inline bool Bernoulli(BitGen &generator, double p)
{
    return std::bernoulli_distribution(p)(generator);
}

// Threads and time.

class Condition {
public:
    template <class T>
    Condition(const T *object, bool (T::*holds)() const) : holds_([=] { return (object->*holds)(); })
    {
    }
    bool Eval() const { return holds_(); }

private:
    std::function<bool()> holds_;
};

class Mutex {
public:
    void Lock() { mutex_.lock(); }
    void Unlock()
    {
        mutex_.unlock();
        changed_.notify_all();
    }
    void Await(const Condition &condition)
    {
        changed_.wait(mutex_, [&] { return condition.Eval(); });
    }

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
};

class MutexLock {
public:
    explicit MutexLock(Mutex &mutex) : mutex_(mutex) { mutex_.Lock(); }
    explicit MutexLock(Mutex *mutex) : MutexLock(*mutex) {}
    ~MutexLock() { mutex_.Unlock(); }
    MutexLock(const MutexLock &) = delete;
    MutexLock &operator=(const MutexLock &) = delete;

private:
    Mutex &mutex_;
};

class BlockingCounter {
public:
    explicit BlockingCounter(size_t count) : count_(count) {}
    void DecrementCount()
    {
        std::lock_guard lock(mutex_);
        if (--count_ == 0) zero_.notify_all();
    }
    void Wait()
    {
        std::unique_lock lock(mutex_);
        zero_.wait(lock, [&] { return count_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable zero_;
    size_t count_;
};

using Time = std::chrono::steady_clock::time_point;
inline Time Now() { return std::chrono::steady_clock::now(); }
inline int64_t ToInt64Milliseconds(std::chrono::steady_clock::duration time)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

}  // namespace absl
