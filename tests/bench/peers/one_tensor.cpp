// The smallest program that needs LibTorch.
#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>

#include <cstdio>

int main()
{
    const at::Tensor x = at::zeros({2, 2});
    std::printf("%g\n", x.const_data_ptr<float>()[0]);
    return 0;
}
