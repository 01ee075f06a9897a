// Nanoseconds for one call of small operators, argv[1] times at once: what LibTorch itself costs.
#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int ROUNDS = 21;

template <class Call>
static void measure(const char *label, long n, Call call)
{
    std::vector<double> found;
    for (int round = 0; round < ROUNDS; round++) {
        const auto start = std::chrono::steady_clock::now();
        for (long k = 0; k < n; k++) at::Tensor result = call();
        const std::chrono::duration<double, std::nano> elapsed =
            std::chrono::steady_clock::now() - start;
        found.push_back(elapsed.count() / n);
    }
    std::nth_element(found.begin(), found.begin() + ROUNDS / 2, found.end());
    std::printf("(typed %s) %f\n", label, found[ROUNDS / 2]);
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? std::atol(argv[1]) : 10000;
    const at::Tensor a = at::tensor({1.0f, 2.0f, 3.0f, 4.0f});
    const at::Tensor b = at::tensor({5.0f, 6.0f, 7.0f, 8.0f});
    const at::Tensor m = at::tensor({1.0f, 2.0f, 3.0f, 4.0f}).view({2, 2});
    measure("add", n, [&] { return at::add(a, b); });
    measure("mul", n, [&] { return at::mul(a, b); });
    measure("matmul", n, [&] { return at::matmul(m, m); });
    measure("view", n, [&] { return a.view({2, 2}); });
    measure("slice", n, [&] { return a.slice(0, 1, 3); });
    measure("row", n, [&] { return m.select(0, 1); });
    measure("sum", n, [&] { return at::sum(a, 0); });
    measure("number", n, [&] { return at::add(a, 2.0); });
    measure("softmax", n, [&] { return at::softmax(m, -1); });
    return 0;
}
