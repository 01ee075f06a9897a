/* gmp_abi.h - the part of GMP that the runtime calls, declared here so that programs can be
 * compiled where libgmp is installed but its headers are not.
 *
 * These names, types and meanings have been the binary interface of libgmp since version 4 (2001);
 * https://gmplib.org/manual documents them without the __g prefix.
 */
#ifndef RT_GMP_ABI_H
#define RT_GMP_ABI_H

#include <stddef.h>

typedef unsigned long mp_limb_t;
typedef struct { int _mp_alloc, _mp_size; mp_limb_t *_mp_d; } __mpz_struct;
typedef struct { __mpz_struct _mp_num, _mp_den; } __mpq_struct;
typedef __mpz_struct mpz_t[1];
typedef __mpq_struct mpq_t[1];

void __gmp_set_memory_functions(void *(*)(size_t), void *(*)(void *, size_t, size_t),
                                void (*)(void *, size_t));

void __gmpz_init(__mpz_struct *);
void __gmpz_init_set(__mpz_struct *, const __mpz_struct *);
void __gmpz_init_set_si(__mpz_struct *, long);
int __gmpz_init_set_str(__mpz_struct *, const char *, int);
void __gmpz_init_set_d(__mpz_struct *, double);
void __gmpz_clear(__mpz_struct *);
void __gmpz_set(__mpz_struct *, const __mpz_struct *);
void __gmpz_set_si(__mpz_struct *, long);
void __gmpz_add(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
void __gmpz_sub(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
void __gmpz_mul(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
void __gmpz_neg(__mpz_struct *, const __mpz_struct *);
void __gmpz_abs(__mpz_struct *, const __mpz_struct *);
void __gmpz_tdiv_q(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
void __gmpz_tdiv_r(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
void __gmpz_tdiv_qr(__mpz_struct *, __mpz_struct *, const __mpz_struct *, const __mpz_struct *);
void __gmpz_fdiv_q(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
void __gmpz_fdiv_q(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
void __gmpz_fdiv_r(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
void __gmpz_mul_2exp(__mpz_struct *, const __mpz_struct *, unsigned long);
void __gmpz_tdiv_q_2exp(__mpz_struct *, const __mpz_struct *, unsigned long);
void __gmpz_fdiv_q_2exp(__mpz_struct *, const __mpz_struct *, unsigned long);
void __gmpz_fdiv_r_2exp(__mpz_struct *, const __mpz_struct *, unsigned long);
void __gmpz_and(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
void __gmpz_ior(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
void __gmpz_xor(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
unsigned long __gmpz_popcount(const __mpz_struct *);
void __gmpz_import(__mpz_struct *, size_t, int, size_t, int, size_t, const void *);
unsigned long __gmpz_scan1(const __mpz_struct *, unsigned long);
void __gmpz_gcd(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
void __gmpz_lcm(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
int __gmpz_cmp(const __mpz_struct *, const __mpz_struct *);
void __gmpz_pow_ui(__mpz_struct *, const __mpz_struct *, unsigned long);
void __gmpz_sqrt(__mpz_struct *, const __mpz_struct *);
int __gmpz_root(__mpz_struct *, const __mpz_struct *, unsigned long);
int __gmpz_perfect_square_p(const __mpz_struct *);
char *__gmpz_get_str(char *, int, const __mpz_struct *);
size_t __gmpz_sizeinbase(const __mpz_struct *, int);

void __gmpq_init(__mpq_struct *);
void __gmpq_clear(__mpq_struct *);
void __gmpq_canonicalize(__mpq_struct *);
void __gmpq_add(__mpq_struct *, const __mpq_struct *, const __mpq_struct *);
void __gmpq_sub(__mpq_struct *, const __mpq_struct *, const __mpq_struct *);
void __gmpq_mul(__mpq_struct *, const __mpq_struct *, const __mpq_struct *);
void __gmpq_div(__mpq_struct *, const __mpq_struct *, const __mpq_struct *);
int __gmpq_cmp(const __mpq_struct *, const __mpq_struct *);
void __gmpq_set_d(__mpq_struct *, double);

#endif
