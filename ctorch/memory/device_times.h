// device_times.h - how long a device worked on the operators of a program.  C++ only.
//
// An operator on a GPU returns before the GPU has begun with it.  So an event is put on the device's
// stream before the operator and one behind it; when the device has passed both, it tells the time
// between them.  That is the time of the operator's kernels, and of waiting for them to be asked for.
#pragma once

#include <c10/core/Event.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ct {

// An operator between its two events.
struct DeviceTime {
    std::string name, shapes, location;
    c10::Event begin, end;
    double began = 0, took = 0;  // in nanoseconds of the profile
};

class DeviceTimes {
public:
    // The event before an operator; none where the program has used no device but the CPU.
    static std::optional<c10::Event> mark();
    // The operator, which began at `began`, has been asked for.  What the device has done may be
    // told to `receive`.
    void add(DeviceTime operation, const std::function<void(const DeviceTime &)> &receive);
    // Wait for the device, and tell the rest.
    void settle(const std::function<void(const DeviceTime &)> &receive);
    // The event after an operator.
    static c10::Event now();

private:
    std::optional<c10::Event> first_;
    double offset_ = 0;  // of the first event in the profile
    std::vector<DeviceTime> waiting_;
};

}  // namespace ct
