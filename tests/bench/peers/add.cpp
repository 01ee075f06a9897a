// Nanoseconds for one at::add of four elements, argv[1] times: what LibTorch itself costs.
#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/tensor.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

static void add_many(const at::Tensor &a, const at::Tensor &b, long n)
{
    for (long k = 0; k < n; k++)
        at::Tensor sum = at::add(a, b);
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? std::atol(argv[1]) : 1000000;
    const at::Tensor a = at::tensor({1.0f, 2.0f, 3.0f, 4.0f});
    const at::Tensor b = at::tensor({5.0f, 6.0f, 7.0f, 8.0f});
    add_many(a, b, n / 10);
    const auto start = std::chrono::steady_clock::now();
    add_many(a, b, n);
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - start;
    std::printf("%f\n", elapsed.count() / n);
    return 0;
}
