/* Integers without bound: the digits of pi, one by one, from a stream of fractional maps
 * (q r; 0 t).  Prints a checksum.  GMP's own functions, under their binary names. */
#include <stdio.h>
#include <stdlib.h>

#include "numbers/gmp_abi.h"

void __gmpz_mul_ui(__mpz_struct *, const __mpz_struct *, unsigned long);
void __gmpz_submul_ui(__mpz_struct *, const __mpz_struct *, unsigned long);
void __gmpz_addmul_ui(__mpz_struct *, const __mpz_struct *, unsigned long);
unsigned long __gmpz_get_ui(const __mpz_struct *);

static mpz_t q, r, t, numerator, quotient;

static unsigned long digit_for(unsigned long factor)
{
    __gmpz_set(numerator, r);
    __gmpz_addmul_ui(numerator, q, factor);
    __gmpz_tdiv_q(quotient, numerator, t);
    return __gmpz_get_ui(quotient);
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0, made = 0, sum = 0;
    __gmpz_init_set_si(q, 1);
    __gmpz_init_set_si(r, 0);
    __gmpz_init_set_si(t, 1);
    __gmpz_init(numerator);
    __gmpz_init(quotient);
    for (unsigned long k = 1; made < size;) {
        unsigned long digit = digit_for(3);
        if (digit == digit_for(4)) {
            __gmpz_submul_ui(r, t, digit);
            __gmpz_mul_ui(r, r, 10);
            __gmpz_mul_ui(q, q, 10);
            sum = (7 * sum + (long)digit) % 1000003;
            made++;
        } else {
            unsigned long odd = 2 * k + 1;
            __gmpz_addmul_ui(r, q, 2);
            __gmpz_mul_ui(r, r, odd);
            __gmpz_mul_ui(q, q, k);
            __gmpz_mul_ui(t, t, odd);
            k++;
        }
    }
    printf("%ld\n", sum);
    return 0;
}
