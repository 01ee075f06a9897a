/* abi.c - the header and the library from plain C99: values of every type in and out, errors do
 * not write to results, and at the end no handle is alive. */
#include "typed.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, ct_last_error()); \
            failures++; \
        } \
    } while (0)

/* As generated programs declare what they call. */
int ct_aten_mm(ct_tensor *self, ct_tensor *mat2, ct_tensor **result);
int ct_aten_mul_Tensor(ct_tensor *self, ct_tensor *other, ct_tensor **result);

static int failures;

static ct_value integer(int64_t i)
{
    ct_value value = {CT_INT, 0, 0, 0, NULL, NULL, NULL, NULL};
    value.i = i;
    return value;
}

static ct_value real(double f)
{
    ct_value value = {CT_FLOAT, 0, 0, 0, NULL, NULL, NULL, NULL};
    value.f = f;
    return value;
}

static ct_value of_tensor(ct_tensor *x)
{
    ct_value value = {CT_TENSOR, 0, 0, 0, NULL, NULL, NULL, NULL};
    value.tensor = x;
    return value;
}

static ct_value named(ct_kind kind, const char *text)
{
    ct_value value = {CT_NONE, 0, 0, 0, NULL, NULL, NULL, NULL};
    value.kind = kind;
    value.text = text;
    return value;
}

static ct_value list(size_t count, ct_value *items)
{
    ct_value value = {CT_LIST, 0, 0, 0, NULL, NULL, NULL, NULL};
    value.count = count;
    value.items = items;
    return value;
}

static bool prints(ct_tensor *x, const char *expected)
{
    char *text;
    if (ct_to_text(x, CT_DISPLAY, &text)) return false;
    bool same = strcmp(text, expected) == 0;
    if (!same) printf("printed %s, not %s\n", text, expected);
    ct_free_text(text);
    return same;
}

static void literals_and_lists(void)
{
    ct_value elements[] = {integer(1), real(2.5), integer(3), integer(4)};
    int64_t sizes[] = {2, 2};
    ct_tensor *x = NULL;
    CHECK(ct_literal(2, sizes, 4, elements, &x) == 0);
    CHECK(ct_rank(x) == 2 && ct_size(x, 1) == 2 && ct_count(x) == 4);
    CHECK(strcmp(ct_dtype(x), "float32") == 0 && strcmp(ct_device(x), "cpu") == 0);
    CHECK(prints(x, "[[1.0 2.5] [3.0 4.0]]"));
    ct_value nested;
    CHECK(ct_to_list(x, &nested) == 0);
    CHECK(nested.kind == CT_LIST && nested.items[1].items[0].f == 3.0);
    ct_value_clear(&nested);
    CHECK(nested.kind == CT_NONE && nested.items == NULL);
    ct_free(x);
}

static void counting(void)
{
    ct_value one = integer(1);
    ct_tensor *x = NULL;
    CHECK(ct_make(&one, NULL, NULL, false, &x) == 0);
    CHECK(ct_live_handles() == 1);
    CHECK(ct_clone(x) == x && ct_clone(NULL) == NULL);
    ct_free(x);
    CHECK(ct_live_handles() == 1);
    CHECK(prints(x, "1"));
    ct_free(x);
    ct_free(NULL);
    CHECK(ct_live_handles() == 0);
}

static void operators(void)
{
    ct_op *op, *same;
    CHECK(ct_op_find("topk", &op) == 0 && ct_op_find("topk", &same) == 0 && op == same);
    ct_value numbers[] = {real(1), real(5), real(3)}, data = list(3, numbers), result;
    ct_tensor *x = NULL;
    CHECK(ct_make(&data, "float64", NULL, false, &x) == 0);
    ct_value arguments[] = {of_tensor(x), named(CT_KEYWORD, "k"), integer(2)};
    CHECK(ct_op_call(op, 3, arguments, &result) == 0);
    CHECK(result.kind == CT_LIST && result.count == 2);
    CHECK(prints(result.items[0].tensor, "[5.0 3.0]") && prints(result.items[1].tensor, "[1 2]"));
    ct_value_clear(&result);
    ct_value wrong[] = {of_tensor(x), named(CT_STRING, "two \xc3\xa9")};
    result = integer(42);
    CHECK(ct_op_call(op, 2, wrong, &result) != 0 && result.i == 42);
    CHECK(strcmp(ct_last_error(), "expected an exact integer for k, got \"two \xc3\xa9\"") == 0);
    CHECK(ct_last_hint() != NULL);
    CHECK(ct_op_find("sofmax", &op) != 0);
    ct_free(x);
}

static void failures_leave_results_alone(void)
{
    ct_value numbers[] = {integer(1), integer(2)}, data = list(2, numbers);
    ct_tensor *x = NULL, *untouched = (ct_tensor *)&data, *result = untouched;
    CHECK(ct_make(&data, NULL, NULL, false, &x) == 0);
    CHECK(ct_aten_mm(x, x, &result) != 0 && result == untouched);
    CHECK(ct_make(&data, "float31", NULL, false, &result) != 0 && result == untouched);
    CHECK(strcmp(ct_last_error(), "unknown dtype: float31") == 0);
    ct_value item = integer(7);
    CHECK(ct_item(x, &item) != 0 && item.i == 7);
    ct_free(x);
}

static void training(void)
{
    ct_value one = real(3);
    ct_tensor *w = NULL, *square = NULL, *gradient = NULL, *step = NULL;
    CHECK(ct_make(&one, NULL, NULL, true, &w) == 0);
    CHECK(ct_aten_mul_Tensor(w, w, &square) == 0);
    CHECK(ct_grad(w, &gradient) == 0 && gradient == NULL);
    CHECK(ct_backward(square, NULL, false, false) == 0);
    CHECK(ct_grad(w, &gradient) == 0 && prints(gradient, "6.0"));
    bool before = ct_set_grad_mode(false);
    ct_value operands[2];
    operands[0] = of_tensor(gradient);
    operands[1] = real(0.5);
    CHECK(ct_arithmetic("*", 2, operands, &step) == 0);
    CHECK(prints(step, "3.0"));
    CHECK(before && !ct_set_grad_mode(before));
    ct_free(w);
    ct_free(square);
    ct_free(gradient);
    ct_free(step);
}

int main(void)
{
    literals_and_lists();
    counting();
    operators();
    failures_leave_results_alone();
    training();
    CHECK(ct_live_handles() == 0);
    CHECK(ct_live_bytes() == 0);
    return failures != 0;
}
