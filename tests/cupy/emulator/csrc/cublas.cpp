// The part of cuBLAS that CuPy's products call: matrices in column order, sums in the precision of the GPU's.
//
// Halves are multiplied and summed in float32, as CUBLAS_COMPUTE_32F says.  What a product was asked for is kept, so
// that tests can see in which precision it ran (`emu_gemm_last`).
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <complex>
#include <vector>

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace {

enum Status { SUCCESS = 0, NOT_SUPPORTED = 15 };
enum Type { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5, R_16BF = 14 };  // cudaDataType
enum Turn { AS_IT_IS = 0, TRANSPOSED = 1, CONJUGATED = 2 };

struct Product { int input, output, compute, batch; } last = {-1, -1, -1, 0};
size_t products;

template <class T> T conjugate(T x) { return x; }
template <class T> std::complex<T> conjugate(std::complex<T> x) { return std::conj(x); }

// op(matrix), `rows` by `columns`, row after row, in the type of the sums.
template <class Sum, class Value>
std::vector<Sum> laid_out(const void *matrix, int turn, int rows, int columns, int64_t step) {
    const Value *values = static_cast<const Value *>(matrix);
    std::vector<Sum> made(static_cast<size_t>(rows) * columns);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            const Sum value = static_cast<Sum>(values[turn == AS_IT_IS ? i + j * step : j + i * step]);
            made[static_cast<size_t>(i) * columns + j] = turn == CONJUGATED ? conjugate(value) : value;
        }
    return made;
}

template <class Sum, class Value>
Status multiply(int turn_a, int turn_b, int m, int n, int k, const void *alpha, const void *a, int64_t lda, const void *b,
                int64_t ldb, const void *beta, void *c, int64_t ldc) {
    const Sum scale = *static_cast<const Sum *>(alpha), keep = *static_cast<const Sum *>(beta);
    const std::vector<Sum> left = laid_out<Sum, Value>(a, turn_a, m, k, lda);
    const std::vector<Sum> right = laid_out<Sum, Value>(b, turn_b, k, n, ldb);
    Value *out = static_cast<Value *>(c);
    std::vector<Sum> row(n);
    for (int i = 0; i < m; i++) {
        row.assign(n, Sum(0));
        for (int l = 0; l < k; l++) {
            const Sum factor = left[static_cast<size_t>(i) * k + l];
            const Sum *other = &right[static_cast<size_t>(l) * n];
            for (int j = 0; j < n; j++) row[j] += factor * other[j];
        }
        for (int j = 0; j < n; j++) {
            Value &target = out[i + j * ldc];
            target = static_cast<Value>(keep == Sum(0) ? scale * row[j] : scale * row[j] + keep * static_cast<Sum>(target));
        }
    }
    return SUCCESS;
}

template <class... Rest> Status multiply_as(int type, Rest... rest) {
    switch (type) {
        case R_32F: return multiply<float, float>(rest...);
        case R_64F: return multiply<double, double>(rest...);
        case R_16F: return multiply<float, __half>(rest...);
        case R_16BF: return multiply<float, __nv_bfloat16>(rest...);
        case C_32F: return multiply<std::complex<float>, std::complex<float>>(rest...);
        case C_64F: return multiply<std::complex<double>, std::complex<double>>(rest...);
        default: return NOT_SUPPORTED;
    }
}

size_t size_of(int type) {
    return type == R_16F || type == R_16BF ? 2 : type == R_32F ? 4 : type == C_64F ? 16 : 8;
}

template <class T>
Status multiply_each(Type type, int turn_a, int turn_b, int m, int n, int k, const T *alpha, const T *const *a, int lda,
                     const T *const *b, int ldb, const T *beta, T *const *c, int ldc, int batch) {
    last = {type, type, type, batch}, products++;
    Status status = SUCCESS;
    for (int i = 0; i < batch && status == SUCCESS; i++)
        status = multiply_as(type, turn_a, turn_b, m, n, k, static_cast<const void *>(alpha), static_cast<const void *>(a[i]),
                             int64_t(lda), static_cast<const void *>(b[i]), int64_t(ldb), static_cast<const void *>(beta),
                             static_cast<void *>(c[i]), int64_t(ldc));
    return status;
}

}  // namespace

extern "C" {

// The type of the inputs and outputs, the compute type and the batch of the last product; gives the number of products.
size_t emu_gemm_last(int *found) {
    memcpy(found, &last, sizeof last);
    return products;
}

int cublasCreate_v2(void **handle) { return *handle = &last, SUCCESS; }
int cublasDestroy_v2(void *) { return SUCCESS; }
int cublasSetStream_v2(void *, void *) { return SUCCESS; }
int cublasSetMathMode(void *, int) { return SUCCESS; }
int cublasGetMathMode(void *, int *mode) { return *mode = 0, SUCCESS; }
int cublasGetPointerMode_v2(void *, int *mode) { return *mode = 0, SUCCESS; }
int cublasSetPointerMode_v2(void *, int) { return SUCCESS; }
int cublasGetVersion_v2(void *, int *version) { return *version = 130000, SUCCESS; }

int cublasGemmStridedBatchedEx(void *, int turn_a, int turn_b, int m, int n, int k, const void *alpha, const void *a,
                               int type_a, int lda, long long step_a, const void *b, int type_b, int ldb,
                               long long step_b, const void *beta, void *c, int type_c, int ldc, long long step_c,
                               int batch, int compute, int) {
    if (type_a != type_b || type_a != type_c) return NOT_SUPPORTED;
    last = {type_a, type_c, compute, batch}, products++;
    const size_t size = size_of(type_a);
    Status status = SUCCESS;
    for (int64_t i = 0; i < batch && status == SUCCESS; i++)
        status = multiply_as(type_a, turn_a, turn_b, m, n, k, alpha,
                             static_cast<const void *>(static_cast<const char *>(a) + i * step_a * size), int64_t(lda),
                             static_cast<const void *>(static_cast<const char *>(b) + i * step_b * size), int64_t(ldb),
                             beta, static_cast<void *>(static_cast<char *>(c) + i * step_c * size), int64_t(ldc));
    return status;
}
int cublasGemmEx(void *handle, int turn_a, int turn_b, int m, int n, int k, const void *alpha, const void *a, int type_a,
                 int lda, const void *b, int type_b, int ldb, const void *beta, void *c, int type_c, int ldc, int compute,
                 int algorithm) {
    return cublasGemmStridedBatchedEx(handle, turn_a, turn_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta,
                                      c, type_c, ldc, 0, 1, compute, algorithm);
}

#define BATCHED(name, type, T) \
    int name(void *, int turn_a, int turn_b, int m, int n, int k, const T *alpha, const T *const *a, int lda, \
             const T *const *b, int ldb, const T *beta, T *const *c, int ldc, int batch) { \
        return multiply_each<T>(type, turn_a, turn_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch); \
    }
BATCHED(cublasSgemmBatched, R_32F, float)
BATCHED(cublasDgemmBatched, R_64F, double)
BATCHED(cublasCgemmBatched, C_32F, std::complex<float>)
BATCHED(cublasZgemmBatched, C_64F, std::complex<double>)

// What CuPy links against besides: refused, which CuPy reports as CUBLAS_STATUS_NOT_SUPPORTED.
#define REFUSED(name) \
    int name() { return NOT_SUPPORTED; }
REFUSED(cublasCaxpy_v2) REFUSED(cublasCdgmm) REFUSED(cublasCdotc_v2) REFUSED(cublasCdotu_v2) REFUSED(cublasCgeam)
REFUSED(cublasCgemmStridedBatched) REFUSED(cublasCgemm_v2) REFUSED(cublasCgemv_v2) REFUSED(cublasCgerc_v2)
REFUSED(cublasCgeru_v2) REFUSED(cublasCgetrfBatched) REFUSED(cublasCgetriBatched) REFUSED(cublasCgetrsBatched)
REFUSED(cublasCscal_v2) REFUSED(cublasCsscal_v2) REFUSED(cublasCsyrk_v2) REFUSED(cublasCtrsmBatched)
REFUSED(cublasCtrsm_v2) REFUSED(cublasDasum_v2) REFUSED(cublasDaxpy_v2) REFUSED(cublasDdgmm) REFUSED(cublasDdot_v2)
REFUSED(cublasDgeam) REFUSED(cublasDgemmStridedBatched) REFUSED(cublasDgemm_v2) REFUSED(cublasDgemv_v2)
REFUSED(cublasDger_v2) REFUSED(cublasDgetrfBatched) REFUSED(cublasDgetriBatched) REFUSED(cublasDgetrsBatched)
REFUSED(cublasDnrm2_v2) REFUSED(cublasDsbmv_v2) REFUSED(cublasDscal_v2) REFUSED(cublasDsyrk_v2) REFUSED(cublasDtpttr)
REFUSED(cublasDtrsmBatched) REFUSED(cublasDtrsm_v2) REFUSED(cublasDtrttp) REFUSED(cublasDzasum_v2)
REFUSED(cublasDznrm2_v2) REFUSED(cublasGetStream_v2) REFUSED(cublasIcamax_v2) REFUSED(cublasIcamin_v2)
REFUSED(cublasIdamax_v2) REFUSED(cublasIdamin_v2) REFUSED(cublasIsamax_v2) REFUSED(cublasIsamin_v2)
REFUSED(cublasIzamax_v2) REFUSED(cublasIzamin_v2) REFUSED(cublasSasum_v2) REFUSED(cublasSaxpy_v2)
REFUSED(cublasScasum_v2) REFUSED(cublasScnrm2_v2) REFUSED(cublasSdgmm) REFUSED(cublasSdot_v2) REFUSED(cublasSgeam)
REFUSED(cublasSgemmEx) REFUSED(cublasSgemmStridedBatched) REFUSED(cublasSgemm_v2) REFUSED(cublasSgemv_v2)
REFUSED(cublasSger_v2) REFUSED(cublasSgetrfBatched) REFUSED(cublasSgetriBatched) REFUSED(cublasSgetrsBatched)
REFUSED(cublasSnrm2_v2) REFUSED(cublasSsbmv_v2) REFUSED(cublasSscal_v2) REFUSED(cublasSsyrk_v2) REFUSED(cublasStpttr)
REFUSED(cublasStrsmBatched) REFUSED(cublasStrsm_v2) REFUSED(cublasStrttp) REFUSED(cublasZaxpy_v2) REFUSED(cublasZdgmm)
REFUSED(cublasZdotc_v2) REFUSED(cublasZdotu_v2) REFUSED(cublasZdscal_v2) REFUSED(cublasZgeam)
REFUSED(cublasZgemmStridedBatched) REFUSED(cublasZgemm_v2) REFUSED(cublasZgemv_v2) REFUSED(cublasZgerc_v2)
REFUSED(cublasZgeru_v2) REFUSED(cublasZgetrfBatched) REFUSED(cublasZgetriBatched) REFUSED(cublasZgetrsBatched)
REFUSED(cublasZscal_v2) REFUSED(cublasZsyrk_v2) REFUSED(cublasZtrsmBatched) REFUSED(cublasZtrsm_v2)
}
