/* Lists, vectors, strings, symbols: the results of primitives, and that nothing leaks. */
#include "check.h"

static rt_value three(void) {
    return rt_new_list(3, (rt_value[]){number(1), string("two"), number(3)});
}

static void lists(void) {
    rt_value list = three(), keys = rt_new_list(2, (rt_value[]){three(), number(5)});
    CHECK_SHOWS(rt_reverse(rt_dup(list)), "(3 \"two\" 1)");
    CHECK_SHOWS(rt_append(3, (rt_value[]){rt_dup(list), RT_NIL, number(9)}), "(1 \"two\" 3 . 9)");
    /* What dies is changed in place, up to the pairs of others. */
    CHECK_SHOWS(rt_reverse(rt_cons(number(0), rt_dup(list))), "(3 \"two\" 1 0)");
    CHECK_SHOWS(rt_append(2, (rt_value[]){rt_cons(number(0), rt_dup(list)), three()}),
                "(0 1 \"two\" 3 1 \"two\" 3)");
    CHECK(rt_reverse(rt_cons(number(0), rt_cons(three(), number(1)))) == RT_ERROR);
    CHECK(rt_append(2, (rt_value[]){rt_cons(number(0), number(1)), three()}) == RT_ERROR);
    CHECK_SHOWS(rt_dup(list), "(1 \"two\" 3)");
    CHECK_SHOWS(rt_append(1, (rt_value[]){number(9)}), "9");
    CHECK_SHOWS(rt_list_tail(list, number(3)), "()");
    CHECK(rt_list_tail(list, number(4)) == RT_ERROR);
    CHECK_SHOWS(rt_list_ref(list, number(1)), "\"two\"");
    CHECK(rt_list_ref(list, number(3)) == RT_ERROR);
    CHECK_SHOWS(rt_cadr(list), "\"two\"");
    CHECK_SHOWS(rt_cddr(list), "(3)");
    CHECK(rt_caar(list) == RT_ERROR);
    rt_value key = string("two");
    CHECK_SHOWS(rt_member(key, list), "(\"two\" 3)");
    CHECK_SHOWS(rt_memq(key, list), "#f");
    CHECK(rt_assoc(key, keys) == RT_ERROR);
    CHECK_SHOWS(rt_assv(number(1), keys), "(1 \"two\" 3)");
    CHECK_SHOWS(rt_range(number(4), RT_FALSE, number(1)), "(0 1 2 3)");
    CHECK_SHOWS(rt_range(number(8), number(1), number(-3)), "(8 5 2)");
    CHECK_SHOWS(rt_list_copy(number(4)), "4");
    rt_value half = rt_of_double(0.5);
    CHECK_SHOWS(rt_iota(number(3), number(1), half), "(1.0 1.5 2.0)");
    rt_free(half);
    rt_free(key);
    rt_free(list);
    rt_free(keys);
}

static void vectors(void) {
    rt_value list = three(), vector = rt_list_to_vector(list);
    CHECK_SHOWS(rt_vector_to_list(vector, number(0), RT_FALSE), "(1 \"two\" 3)");
    CHECK(rt_vector_set(vector, number(0), string("one")) == 0);
    CHECK(rt_vector_set(vector, number(3), string("lost")) != 0);
    CHECK(rt_vector_set(list, number(0), string("lost")) != 0);
    CHECK_SHOWS(rt_vector_ref(vector, number(0)), "\"one\"");
    CHECK(rt_vector_ref(vector, number(-1)) == RT_ERROR);
    rt_value filler = string("x");
    CHECK(rt_vector_fill(vector, filler, number(0), RT_FALSE) == 0);
    CHECK_SHOWS(rt_make_vector(number(2), filler), "#(\"x\" \"x\")");
    CHECK_SHOWS(rt_dup(vector), "#(\"x\" \"x\" \"x\")");
    rt_free(filler);
    rt_free(vector);
    rt_free(list);
}

static void strings(void) {
    rt_value plain = string("a,b,,c"), comma = string(",");
    rt_value wide = string("h\xc3\xa9llo w\xc3\xb6rld");
    CHECK_SHOWS(rt_string_split(plain, comma), "(\"a\" \"b\" \"\" \"c\")");
    CHECK_SHOWS(rt_substring(wide, number(2), number(4)), "\"ll\"");
    CHECK_SHOWS(rt_substring(wide, number(1), RT_FALSE), "\"\xc3\xa9llo w\xc3\xb6rld\"");
    CHECK(rt_substring(wide, number(3), number(2)) == RT_ERROR);
    rt_value narrow = rt_substring(wide, number(2), number(4));
    CHECK(rt_string_of(narrow)->object.extra == 1);
    CHECK_SHOWS(rt_string_append(2, (rt_value[]){narrow, wide}), "\"llh\xc3\xa9llo w\xc3\xb6rld\"");
    CHECK_SHOWS(rt_string_contains(wide, narrow, number(0)), "2");
    CHECK_SHOWS(rt_string_contains(narrow, wide, number(0)), "#f");
    bool answer;
    CHECK(rt_string_less(narrow, wide, &answer) == 0 && !answer);
    CHECK(rt_is_string_prefix(narrow, wide, &answer) == 0 && !answer);
    rt_value parts = rt_string_split(plain, comma);
    CHECK_SHOWS(rt_string_join(parts, wide),
                "\"ah\xc3\xa9llo w\xc3\xb6rld" "bh\xc3\xa9llo w\xc3\xb6rld"
                "h\xc3\xa9llo w\xc3\xb6rld" "c\"");
    rt_value chars = rt_string_to_list(wide, number(0), RT_FALSE);
    CHECK_SHOWS(rt_list_to_string(chars), "\"h\xc3\xa9llo w\xc3\xb6rld\"");
    CHECK_SHOWS(rt_string(2, (rt_value[]){RT_CHAR('x'), parts}), "\"x(a b  c)\"");
    CHECK_SHOWS(rt_string_ref(wide, number(1)), "#\\\xc3\xa9");
    CHECK_SHOWS(rt_string_to_symbol(wide), "|h\xc3\xa9llo w\xc3\xb6rld|");
    CHECK(rt_string_ref(wide, number(11)) == RT_ERROR);
    CHECK(rt_integer_to_char(number(0xd800)) == RT_ERROR);
    rt_value broken = string("\xff\xe2\x82z\xf0\x9f\x98\x80");
    CHECK(rt_string_of(broken)->length == 5);
    CHECK_SHOWS(rt_dup(broken), "\"\xff\xe2\x82z\xf0\x9f\x98\x80\"");
    rt_free_all(7, (rt_value[]){plain, wide, comma, narrow, parts, chars, broken});
}

static void written_forms(void) {
    CHECK_SHOWS(string("a\"\\\n\t\x01|"), "\"a\\\"\\\\\\n\\t\\x1;|\"");
    const char *const symbols[][2] = {
        {"abc", "abc"}, {"", "||"}, {"two words", "|two words|"}, {"1+", "1+"}, {"+", "+"},
        {"-5", "|-5|"}, {"1/0", "|1/0|"}, {"1e3", "|1e3|"}, {".", "|.|"}, {"...", "..."},
        {":k", "|:k|"}, {"#f", "|#f|"}, {"a#", "a#"}, {"a|b", "|a\\|b|"}, {"+inf.0", "|+inf.0|"},
        {"x:y", "x:y"},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        CHECK_SHOWS(rt_intern(symbols[i][0]), symbols[i][1]);
    const uint32_t codes[] = {'a', ' ', '\n', 0, 0x7f, 0x01, '(', 0xe9};
    const char *const names[] = {"#\\a", "#\\space", "#\\newline", "#\\null", "#\\delete",
                                 "#\\x1", "#\\(", "#\\\xc3\xa9"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        CHECK_SHOWS(RT_CHAR(codes[i]), names[i]);
    rt_value at = rt_intern("@x"), unquote = rt_intern("unquote"), quote = rt_intern("quote");
    CHECK_SHOWS(rt_new_list(2, (rt_value[]){unquote, at}), ", @x");
    rt_value quoted = rt_new_list(2, (rt_value[]){quote, quote});
    CHECK_SHOWS(rt_new_list(2, (rt_value[]){quote, quoted}), "''quote");
    CHECK_SHOWS(rt_new_list(3, (rt_value[]){quote, at, at}), "(quote @x @x)");
    CHECK_SHOWS(rt_cons(RT_TRUE, rt_cons(RT_EOF, RT_UNSPECIFIED)), "(#t #<eof> . #<unspecified>)");
}

/* Of each exponent, either sign: the bits come back, and only some doubles need an object. */
static void doubles_keep_their_bits(void) {
    static const uint64_t fractions[] = {0, 1, 0x5555555555555, 0xaaaaaaaaaaaaa, 0xfffffffffffff};
    for (uint64_t exponent = 0; exponent < 4096; exponent++)
        for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
            uint64_t bits = exponent << 52 | fractions[i], back;
            double number;
            memcpy(&number, &bits, sizeof number);
            rt_value v = rt_of_double(number);
            double seen = rt_double(v);
            memcpy(&back, &seen, sizeof back);
            bool usual = (fabs(number) >= 0x1p-127 && fabs(number) < 0x1p129) || bits == 0;
            if (number == 0x1p-127) usual = false;
            CHECK(rt_is_double(v) && rt_is_number(v) && !rt_is_fixnum(v) && !rt_is_tensor(v));
            CHECK(back == bits && rt_is_object(v) == !usual);
            rt_number unboxed = rt_unbox(rt_dup(v));
            CHECK(unboxed.value == RT_UNBOXED && memcmp(&unboxed.number, &number, 8) == 0);
            rt_value other = rt_of_double(number);
            CHECK(rt_eq(v, other) && rt_eqv(v, other));
            rt_free_all(2, (rt_value[]){v, other});
        }
    CHECK(rt_live_objects() == 0);
}

static void equalities(void) {
    rt_value a = three(), b = three(), x = rt_of_double(1.5), y = rt_of_double(1.5);
    bool answer;
    CHECK(rt_equal(a, b, &answer) == 0 && answer);
    CHECK(!rt_eqv(a, b) && !rt_eq(a, b) && rt_eq(a, a));
    CHECK(rt_eq(x, y) && rt_eqv(x, y));
    CHECK(rt_equal(x, number(1), &answer) == 0 && !answer);
    rt_value zero = rt_of_double(0.0), minus = rt_of_double(-0.0);
    CHECK(!rt_eqv(zero, minus) && !rt_eqv(zero, number(0)));
    CHECK(rt_equal_numbers(zero, minus, &answer) == 0 && answer);
    rt_value prefix = string("g"), g = rt_string_to_uninterned_symbol(prefix),
             h = rt_string_to_uninterned_symbol(prefix);
    CHECK(!rt_eq(g, h) && rt_eq(rt_intern("a"), rt_intern("a")));
    rt_free_all(9, (rt_value[]){a, b, x, y, zero, minus, prefix, g, h});
}

static rt_value run(void) {
    lists();
    vectors();
    strings();
    written_forms();
    doubles_keep_their_bits();
    equalities();
    CHECK(rt_live_objects() == 0);
    return RT_UNSPECIFIED;
}

static const rt_program program = {NULL, run, 0, NULL, NULL, false};

int main(int argc, char **argv) { return rt_main(argc, argv, &program); }
