// device_times.cpp - events on the stream of the device that a program uses.

#include "memory/device_times.h"

#include "dispatch/call.h"

#include <ATen/DeviceAccelerator.h>

namespace {

constexpr size_t MOST_WAITING = 4096;  // events take memory of the driver
constexpr double NANOSECONDS = 1e6;    // of a millisecond

}  // namespace

c10::Event ct::DeviceTimes::now()
{
    c10::Event event(*at::getAccelerator(false), c10::EventFlag::BACKEND_DEFAULT);
    event.record(at::accelerator::getCurrentStream(at::accelerator::getDeviceIndex()));
    return event;
}

std::optional<c10::Event> ct::DeviceTimes::mark()
{
    if (devices_in_use().size() < 2) return std::nullopt;
    return now();
}

void ct::DeviceTimes::add(DeviceTime operation,
                          const std::function<void(const DeviceTime &)> &receive)
{
    if (!first_) {
        first_ = now();
        first_->synchronize();
        offset_ = operation.began;
    }
    waiting_.push_back(std::move(operation));
    if (waiting_.size() >= MOST_WAITING) settle(receive);
}

void ct::DeviceTimes::settle(const std::function<void(const DeviceTime &)> &receive)
{
    if (waiting_.empty()) return;
    at::accelerator::synchronizeDevice(at::accelerator::getDeviceIndex());
    for (DeviceTime &time : waiting_) {
        time.began = offset_ + first_->elapsedTime(time.begin) * NANOSECONDS;
        time.took = time.begin.elapsedTime(time.end) * NANOSECONDS;
        receive(time);
    }
    waiting_.clear();
}
