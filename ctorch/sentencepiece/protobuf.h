// protobuf.h - reading and writing the wire format of Protocol Buffers, for the messages that
// messages_source.py generates from SentencePiece's own .proto files.
//
// SentencePiece's source package does not contain protobuf.  A message is a struct of fields with
// protobuf's accessors, and a `visit` that calls a Reader or Writer with each of them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace google::protobuf {

// A repeated field.
template <class T>
class RepeatedPtrField : public std::vector<T> {
public:
    T *Add() { return &this->emplace_back(); }
    T *Mutable(int k) { return &(*this)[static_cast<size_t>(k)]; }
    void SwapElements(int a, int b) { std::swap(*Mutable(a), *Mutable(b)); }
    void Reserve(size_t count) { this->reserve(count); }
};

// Owns what it creates.
class Arena {
public:
    template <class T>
    static T *Create(Arena *arena)
    {
        auto owner = std::make_shared<T>();
        arena->owners_.push_back(owner);
        return owner.get();
    }

private:
    std::deque<std::shared_ptr<void>> owners_;
};

enum WireType : uint8_t { VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5 };

constexpr size_t MOST_ITEMS = size_t{1} << 23;  // of a repeated field: far more than any model has

// A cursor over the bytes of a message; every read is checked.
class Wire {
public:
    explicit Wire(std::string_view bytes) : left_(bytes) {}

    bool empty() const { return left_.empty(); }

    bool varint(uint64_t *number)
    {
        *number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (left_.empty()) return false;
            uint8_t byte = static_cast<uint8_t>(left_.front());
            left_.remove_prefix(1);
            *number |= static_cast<uint64_t>(byte & 0x7F) << shift;
            if (byte < 0x80) return true;
        }
        return false;
    }

    bool bytes(std::string_view *found)
    {
        uint64_t length;
        return varint(&length) && take(length, found);
    }

    bool fixed32(uint32_t *number)
    {
        std::string_view found;
        if (!take(sizeof *number, &found)) return false;
        std::memcpy(number, found.data(), sizeof *number);
        return true;
    }

    // Past a field that is not known.
    bool skip(unsigned type)
    {
        uint64_t number;
        std::string_view found;
        switch (type) {
        case VARINT: return varint(&number);
        case FIXED64: return take(8, &found);
        case LENGTH: return bytes(&found);
        case FIXED32: return take(4, &found);
        default: return false;
        }
    }

private:
    bool take(uint64_t length, std::string_view *found)
    {
        if (length > left_.size()) return false;
        *found = left_.substr(0, length);
        left_.remove_prefix(length);
        return true;
    }

    std::string_view left_;
};

// Reads the value of one field, whose number and wire type were read.
class Reader {
public:
    Reader(Wire &wire, uint64_t field, unsigned type) : wire_(wire), field_(field), type_(type) {}

    bool found() const { return found_; }  // whether the message has such a field
    bool good() const { return good_; }

    template <class T>
    void operator()(uint64_t field, T &value, bool &present)
    {
        if (field != field_ || found_) return;
        found_ = true;
        if (!matches<T>()) good_ = wire_.skip(type_);
        else present |= good_ = read(value);
    }

    template <class T>
    void operator()(uint64_t field, RepeatedPtrField<T> &values)
    {
        if (field != field_ || found_) return;
        found_ = true;
        if (!matches<T>()) good_ = wire_.skip(type_);
        else good_ = values.size() < MOST_ITEMS && read(*values.Add());
    }

private:
    template <class T>
    bool matches() const
    {
        if constexpr (std::is_same_v<T, float>) return type_ == FIXED32;
        else return type_ == (std::is_integral_v<T> || std::is_enum_v<T> ? VARINT : LENGTH);
    }

    template <class T>
    bool read(T &value)
    {
        if constexpr (std::is_same_v<T, float>) {
            uint32_t bits;
            if (!wire_.fixed32(&bits)) return false;
            value = std::bit_cast<float>(bits);
        } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
            uint64_t number;
            if (!wire_.varint(&number)) return false;
            if constexpr (std::is_enum_v<T>) value = static_cast<T>(static_cast<int>(number));
            else value = static_cast<T>(number);
        } else {
            std::string_view bytes;
            if (!wire_.bytes(&bytes)) return false;
            if constexpr (std::is_same_v<T, std::string>) value = bytes;
            else return value.merge(bytes);
        }
        return true;
    }

    Wire &wire_;
    uint64_t field_;
    unsigned type_;
    bool found_ = false, good_ = true;
};

class Writer {
public:
    template <class T>
    void operator()(uint64_t field, const T &value, bool present)
    {
        if (present) write(field, value);
    }

    template <class T>
    void operator()(uint64_t field, const RepeatedPtrField<T> &values)
    {
        for (const T &value : values) write(field, value);
    }

    std::string bytes;

private:
    void varint(uint64_t number)
    {
        for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
        bytes += static_cast<char>(number);
    }

    void text(uint64_t field, std::string_view value)
    {
        varint(field << 3 | LENGTH);
        varint(value.size());
        bytes += value;
    }

    template <class T>
    void write(uint64_t field, const T &value)
    {
        if constexpr (std::is_same_v<T, float>) {
            varint(field << 3 | FIXED32);
            bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
        } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
            varint(field << 3 | VARINT);
            varint(static_cast<uint64_t>(static_cast<int64_t>(value)));
        } else if constexpr (std::is_same_v<T, std::string>) {
            text(field, value);
        } else {
            text(field, value.SerializeAsString());
        }
    }
};

// What every message has; Self has `visit`.
template <class Self>
class Message {
public:
    void Clear() { self() = Self(); }

    bool ParseFromArray(const void *bytes, size_t size)
    {
        Clear();
        return merge({static_cast<const char *>(bytes), size});
    }

    bool ParseFromString(std::string_view bytes)
    {
        return ParseFromArray(bytes.data(), bytes.size());
    }

    // Adds the fields of these bytes to the message.
    bool merge(std::string_view bytes)
    {
        for (Wire wire(bytes); !wire.empty();) {
            uint64_t tag;
            if (!wire.varint(&tag) || tag < 8) return false;
            unsigned type = static_cast<unsigned>(tag & 7);
            Reader reader(wire, tag >> 3, type);
            Self::visit(self(), reader);
            if (reader.found() ? !reader.good() : !wire.skip(type)) return false;
        }
        return true;
    }

    std::string SerializeAsString() const
    {
        Writer writer;
        Self::visit(static_cast<const Self &>(*this), writer);
        return std::move(writer.bytes);
    }

private:
    Self &self() { return static_cast<Self &>(*this); }
};

}  // namespace google::protobuf
