// report.cpp - keeping the failure of a call for ct_last_error, in Lambent's words.
//
//     c10::Error "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"
//  => "inner sizes differ: (2 3) times (2 3)" and a hint

#include "autograd/backward.h"
#include "memory/memory.h"

#include <c10/util/Exception.h>

#include <exception>
#include <new>

namespace {

using ct::Failure;
using ct::Givens;

constexpr size_t LONGEST_MESSAGE = 4000;  // characters; the rest of a message is ignored

thread_local std::string last_message, last_hint;

Failure in_our_words(const std::string &full_text, const Givens &givens)
{
    std::string text = full_text.substr(0, LONGEST_MESSAGE);
    if (std::optional<Failure> memory = ct::memory_failure(text)) return *memory;
    if (std::optional<Failure> gpu = ct::gpu_failure(text)) return *gpu;
    if (std::optional<Failure> gradients = ct::explain_autograd(text, givens)) return *gradients;
    std::optional<Failure> failure = ct::mixed_devices(text);
    if (!failure) failure = ct::failure_from_arguments(text, givens);
    if (!failure) failure = ct::failure_from_tables(text, givens);
    if (!failure) failure = Failure{ct::cleaned_message(text), ""};
    failure->message = ct::with_arguments(failure->message, givens);
    return *failure;
}

void remember(const Failure &failure)
{
    last_message = failure.message;
    last_hint = failure.hint;
}

// Keep the exception in flight as the last failure; find returns the operation's arguments.
template <class Find>
int report_with(Find find) noexcept
{
    try {
        remember(ct::explained(find()));
    } catch (const ct::Raised &) {
        return CT_RAISED;
    } catch (...) {
        last_message.clear();  // no memory was left to explain the failure
        last_hint.clear();
    }
    return 1;
}

class Silence final : public c10::WarningHandler {
    void process(const c10::Warning &) override {}
};

Silence silence;
const bool silenced = (ct_silence_warnings(), true);  // for the thread that loads this library

}  // namespace

void ct_silence_warnings(void) { c10::WarningUtils::set_warning_handler(&silence); }

Failure ct::explained(const Givens &givens)
{
    try {
        throw;
    } catch (const Raised &) {
        throw;
    } catch (const Failure &failure) {
        return failure;
    } catch (const c10::Error &error) {
        return in_our_words(error.what_without_backtrace(), givens);
    } catch (const std::bad_alloc &) {
        return {"not enough memory", ""};
    } catch (const std::exception &error) {
        return in_our_words(error.what(), givens);
    } catch (...) {
        return in_our_words("", givens);
    }
}

int ct::report(Operands operands) noexcept
{
    return report_with([&] { return unnamed(operands); });
}

extern "C" {

const char *ct_last_error(void)
{
    return last_message.empty() ? "not enough memory" : last_message.c_str();
}

const char *ct_last_hint(void) { return last_hint.empty() ? nullptr : last_hint.c_str(); }

}  // extern "C"
