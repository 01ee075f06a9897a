// gloo_abi.h - what c10d's header names of Gloo, declared here, because PyTorch contains Gloo
// without its headers.
//
// ProcessGroupGloo.hpp holds these classes by pointers only, and calls setTimeout; the definitions
// are in LibTorch.  Each of Gloo's headers that it includes is a file that includes this one, which
// ctorch/compiling.py writes.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace gloo {

class Context {
public:
    virtual ~Context();
    void setTimeout(std::chrono::milliseconds timeout);
};

namespace transport {

class Device;

class UnboundBuffer {
public:
    virtual ~UnboundBuffer();
};

}  // namespace transport

namespace rendezvous {

// The base of a class of c10d's that is never created here.
class Store {
public:
    virtual ~Store();
    virtual void set(const std::string &key, const std::vector<char> &value) = 0;
    virtual std::vector<char> get(const std::string &key) = 0;
    virtual void wait(const std::vector<std::string> &keys) = 0;
    virtual void wait(const std::vector<std::string> &keys,
                      const std::chrono::milliseconds &timeout) = 0;
};

}  // namespace rendezvous

}  // namespace gloo
