// pcre2_abi.h - the little of PCRE2 that is used, whose header is rarely installed.  C++ only.
#pragma once

#include <cstddef>
#include <cstdint>

struct pcre2_code;
struct pcre2_match_data;
struct pcre2_match_context;
struct pcre2_jit_stack;

using pcre2_compile_type = pcre2_code *(const uint8_t *, size_t, uint32_t, int *, size_t *, void *);
using pcre2_code_free_type = void(pcre2_code *);
using pcre2_jit_compile_type = int(pcre2_code *, uint32_t);
using pcre2_match_type = int(const pcre2_code *, const uint8_t *, size_t, size_t, uint32_t,
                             pcre2_match_data *, pcre2_match_context *);
using pcre2_match_data_create_type = pcre2_match_data *(uint32_t, void *);
using pcre2_match_data_free_type = void(pcre2_match_data *);
using pcre2_get_ovector_pointer_type = size_t *(pcre2_match_data *);
using pcre2_match_context_create_type = pcre2_match_context *(void *);
using pcre2_match_context_free_type = void(pcre2_match_context *);
using pcre2_set_match_limit_type = int(pcre2_match_context *, uint32_t);
using pcre2_jit_stack_create_type = pcre2_jit_stack *(size_t, size_t, void *);
using pcre2_jit_stack_free_type = void(pcre2_jit_stack *);
using pcre2_jit_stack_assign_type = void(pcre2_match_context *, void *, void *);
using pcre2_get_error_message_type = int(int, uint8_t *, size_t);

constexpr uint32_t PCRE2_MULTILINE = 0x400, PCRE2_UCP = 0x20000, PCRE2_UTF = 0x80000;
constexpr uint32_t PCRE2_NEVER_BACKSLASH_C = 0x100000, PCRE2_NO_UTF_CHECK = 0x40000000;
constexpr uint32_t PCRE2_NO_JIT = 0x2000, PCRE2_JIT_COMPLETE = 1;
constexpr int PCRE2_ERROR_NOMATCH = -1, PCRE2_ERROR_JIT_STACKLIMIT = -46, PCRE2_ERROR_MATCHLIMIT = -47;
constexpr int PCRE2_ERROR_DEPTHLIMIT = -53, PCRE2_ERROR_HEAPLIMIT = -63;
