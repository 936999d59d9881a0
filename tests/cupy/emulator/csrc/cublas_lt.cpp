// CuPy loads cuBLASLt before cuBLAS and calls nothing of it.
extern "C" unsigned long long cublasLtGetVersion() { return 130000; }
