// autocast.h - LibTorch's autocast: matrix products and convolutions in a dtype of fewer bits.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>

namespace ct {

// The dtype of this thread's autocast; none if it is off.
std::optional<at::ScalarType> current_autocast();

// Autocast in a dtype, or none, as long as it lives.  When the outermost ends, LibTorch forgets the
// copies of parameters that it has cast.
class Autocast {
public:
    explicit Autocast(std::optional<at::ScalarType> dtype);
    ~Autocast();
    Autocast(const Autocast &) = delete;
    Autocast &operator=(const Autocast &) = delete;

private:
    struct State {
        bool is_on;
        at::ScalarType dtype;
    };
    State cpu_, other_;
    at::DeviceType device_;  // the accelerator, CUDA if there is none
};

}  // namespace ct
