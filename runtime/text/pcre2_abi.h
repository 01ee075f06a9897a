/* pcre2_abi.h - the little of PCRE2 that is used, whose header is rarely installed.  C99 and C++:
 * ctorch's tokenizers use it, too. */
#ifndef PCRE2_ABI_H
#define PCRE2_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef struct pcre2_code pcre2_code;
typedef struct pcre2_match_data pcre2_match_data;
typedef struct pcre2_match_context pcre2_match_context;
typedef struct pcre2_jit_stack pcre2_jit_stack;

typedef pcre2_code *pcre2_compile_type(const uint8_t *, size_t, uint32_t, int *, size_t *, void *);
typedef void pcre2_code_free_type(pcre2_code *);
typedef int pcre2_pattern_info_type(const pcre2_code *, uint32_t, void *);
typedef int pcre2_jit_compile_type(pcre2_code *, uint32_t);
typedef int pcre2_match_type(const pcre2_code *, const uint8_t *, size_t, size_t, uint32_t,
                             pcre2_match_data *, pcre2_match_context *);
typedef pcre2_match_data *pcre2_match_data_create_type(uint32_t, void *);
typedef pcre2_match_data *pcre2_match_data_create_from_pattern_type(const pcre2_code *, void *);
typedef void pcre2_match_data_free_type(pcre2_match_data *);
typedef size_t *pcre2_get_ovector_pointer_type(pcre2_match_data *);
typedef pcre2_match_context *pcre2_match_context_create_type(void *);
typedef void pcre2_match_context_free_type(pcre2_match_context *);
typedef int pcre2_set_match_limit_type(pcre2_match_context *, uint32_t);
typedef int pcre2_set_heap_limit_type(pcre2_match_context *, uint32_t);
typedef int pcre2_set_offset_limit_type(pcre2_match_context *, size_t);
typedef pcre2_jit_stack *pcre2_jit_stack_create_type(size_t, size_t, void *);
typedef void pcre2_jit_stack_free_type(pcre2_jit_stack *);
typedef void pcre2_jit_stack_assign_type(pcre2_match_context *, void *, void *);
typedef int pcre2_get_error_message_type(int, uint8_t *, size_t);

/* The names under which it is looked for, in this order. */
#define PCRE2_LIBRARIES "libpcre2-8.so.0", "libpcre2-8.so", "libpcre2-8.0.dylib"

#define PCRE2_MULTILINE 0x400u
#define PCRE2_UCP 0x20000u
#define PCRE2_UTF 0x80000u
#define PCRE2_NEVER_BACKSLASH_C 0x100000u
#define PCRE2_USE_OFFSET_LIMIT 0x800000u
#define PCRE2_ENDANCHORED 0x20000000u
#define PCRE2_NO_UTF_CHECK 0x40000000u
#define PCRE2_ANCHORED 0x80000000u
#define PCRE2_NOTEMPTY_ATSTART 0x8u
#define PCRE2_NO_JIT 0x2000u
#define PCRE2_JIT_COMPLETE 1u
#define PCRE2_INFO_CAPTURECOUNT 4
#define PCRE2_INFO_NAMECOUNT 17
#define PCRE2_INFO_NAMEENTRYSIZE 18
#define PCRE2_INFO_NAMETABLE 19
#define PCRE2_ERROR_NOMATCH (-1)
#define PCRE2_ERROR_JIT_STACKLIMIT (-46)
#define PCRE2_ERROR_MATCHLIMIT (-47)
#define PCRE2_ERROR_DEPTHLIMIT (-53)
#define PCRE2_ERROR_HEAPLIMIT (-63)
#define PCRE2_UNSET (~(size_t)0)

#endif
