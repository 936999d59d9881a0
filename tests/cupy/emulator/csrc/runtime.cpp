// The functions of cupy_backends.cuda.api.{runtime,driver} that CuPy's compiled modules call, on the CPU.
//
// Each stands for the Cython function of its name (with `emu_` in front) and has its C signature, which __pyx_capi__
// gives as text.  Device memory is the host's; every call is finished when it returns, so a missing synchronisation is
// not found.  What is found: reading memory that nobody wrote (fresh memory is NaN or -1), and writing behind an array.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"

// Of Python's stable interface; declared here, so that no headers of Python are needed.
extern "C" {
typedef struct _object PyObject;
extern PyObject _Py_NoneStruct, *PyExc_RuntimeError, *PyExc_MemoryError;
void Py_IncRef(PyObject *);
void Py_DecRef(PyObject *);
void PyErr_SetString(PyObject *, const char *);
PyObject *Py_BuildValue(const char *, ...);
const char *PyBytes_AsString(PyObject *);
const char *PyUnicode_AsUTF8AndSize(PyObject *, intptr_t *);
PyObject *PyImport_ImportModule(const char *);
PyObject *PyObject_CallMethod(PyObject *, const char *, const char *, ...);
}

namespace {

constexpr size_t ALIGNMENT = 512, GUARD = 64;
constexpr unsigned char GUARD_BYTE = 0xA7;
constexpr unsigned long long TOTAL_MEMORY = 1ull << 34;

struct Header { size_t size; };  // before every array, ALIGNMENT bytes long

char fault[160];  // what went wrong where no error could be raised
size_t live_arrays, launches;
size_t counted[3];  // copies to the device, copies to the host, waits for the device
bool counting = true;

void count(int what) { counted[what] += counting; }

PyObject *none() {
    Py_IncRef(&_Py_NoneStruct);
    return &_Py_NoneStruct;
}

PyObject *done() {  // raises what could not be raised before
    if (!fault[0]) return none();
    PyErr_SetString(PyExc_RuntimeError, fault);
    fault[0] = 0;
    return nullptr;
}

Header *header_of(intptr_t pointer) { return reinterpret_cast<Header *>(pointer - ALIGNMENT); }

}  // namespace

extern "C" {

size_t emu_live_arrays() { return live_arrays; }
size_t emu_launches() { return launches; }
size_t emu_counted(int what) { return counted[what]; }
void emu_count(int on) { counting = on; }

// ---- devices: there is one, with the numbers of an H100 where kernels depend on them ----
int emu_getDevice(int) { return 0; }
int emu_getDeviceCount(int) { return 1; }
PyObject *emu_setDevice(int device, int) {
    if (device == 0) return none();
    PyErr_SetString(PyExc_RuntimeError, "cudaErrorInvalidDevice: the emulator has one device");
    return nullptr;
}
PyObject *emu__ensure_context() { return none(); }
int emu_driverGetVersion(int) { return 13000; }
int emu_runtimeGetVersion(int) { return 13000; }
int emu_deviceCanAccessPeer(int, int, int) { return 0; }
PyObject *emu__deviceEnsurePeerAccess(int, int) { return none(); }
int emu_deviceGetAttribute(int attribute, int, int) {
    switch (attribute) {
        case 1: return 1024;     // threads in a block
        case 8: return 49152;    // bytes of shared memory in a block
        case 10: return 32;      // threads in a warp
        case 16: return 132;     // multiprocessors
        case 39: return 2048;    // threads in a multiprocessor
        case 75: return 9;       // compute capability 9.0
        case 76: return 0;
        case 97: return 232448;  // bytes of shared memory that a block can ask for
        case 115: return 1;      // memory pools
        default: return 0;
    }
}
PyObject *emu_getDeviceProperties(int, int) {
    return Py_BuildValue("{s:y,s:K,s:i,s:i,s:i,s:i,s:i}", "name", "CPU, emulating sm_90", "totalGlobalMem", TOTAL_MEMORY,
                         "warpSize", 32, "maxThreadsPerBlock", 1024, "major", 9, "minor", 0, "multiProcessorCount", 132);
}
PyObject *emu_deviceSynchronize(int) { return count(2), done(); }

// ---- memory ----
intptr_t emu_malloc(size_t size, int) {
    char *block = static_cast<char *>(aligned_alloc(ALIGNMENT, (2 * ALIGNMENT + size + GUARD) / ALIGNMENT * ALIGNMENT));
    if (!block) {
        PyErr_SetString(PyExc_MemoryError, "the emulator has no memory left");
        return 0;
    }
    reinterpret_cast<Header *>(block)->size = size;
    char *array = block + ALIGNMENT;
    memset(array, 0xFF, size);
    memset(array + size, GUARD_BYTE, GUARD);
    live_arrays++;
    return reinterpret_cast<intptr_t>(array);
}
PyObject *emu_free(intptr_t pointer, int) {
    if (!pointer) return none();
    Header *header = header_of(pointer);
    const unsigned char *guard = reinterpret_cast<unsigned char *>(pointer + header->size);
    for (size_t i = 0; i < GUARD; i++)
        if (guard[i] != GUARD_BYTE && !fault[0])
            snprintf(fault, sizeof fault, "a kernel wrote %zu bytes behind the end of an array of %zu bytes", i + 1, header->size);
    free(header);
    live_arrays--;
    return none();
}
intptr_t emu_mallocAsync(size_t size, intptr_t, int) { return emu_malloc(size, 0); }
PyObject *emu_freeAsync(intptr_t pointer, intptr_t, int) { return emu_free(pointer, 0); }
PyObject *emu_memcpy(intptr_t to, intptr_t from, size_t size, int kind, int) {
    if (kind == 1 || kind == 2) count(kind - 1);
    memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), size);
    return none();
}
PyObject *emu_memcpyAsync(intptr_t to, intptr_t from, size_t size, int kind, intptr_t, int) {
    return emu_memcpy(to, from, size, kind, 0);
}
PyObject *emu_memset(intptr_t pointer, int byte, size_t size, int) {
    memset(reinterpret_cast<void *>(pointer), byte, size);
    return none();
}
PyObject *emu_memsetAsync(intptr_t pointer, int byte, size_t size, intptr_t, int) {
    return emu_memset(pointer, byte, size, 0);
}
intptr_t emu_hostAlloc(size_t size, unsigned, int) { return reinterpret_cast<intptr_t>(malloc(size ? size : 1)); }
PyObject *emu_freeHost(intptr_t pointer, int) {
    free(reinterpret_cast<void *>(pointer));
    return none();
}
PyObject *emu_memGetInfo(int) { return Py_BuildValue("KK", TOTAL_MEMORY / 2, TOTAL_MEMORY); }
int emu_pointerGetMemoryType(intptr_t, int) { return 2; }  // the device's
PyObject *emu_pointerGetAttributes(intptr_t pointer, int) {
    PyObject *module = PyImport_ImportModule("cupy_backends.cuda.api.runtime");
    if (!module) return nullptr;
    PyObject *made = PyObject_CallMethod(module, "PointerAttributes", "inni", 0, pointer, pointer, 2);
    Py_DecRef(module);
    return made;
}

// ---- streams and events: everything is finished at once ----
static intptr_t new_handle() {
    static intptr_t last = 0x1000;
    return last += 16;
}
intptr_t emu_streamCreate(int) { return new_handle(); }
intptr_t emu_streamCreateWithFlags(unsigned, int) { return new_handle(); }
intptr_t emu_streamCreateWithPriority(unsigned, int, int) { return new_handle(); }
PyObject *emu_streamDestroy(intptr_t, int) { return none(); }
PyObject *emu_streamSynchronize(intptr_t, int) { return count(2), done(); }
PyObject *emu_streamQuery(intptr_t, int) { return Py_BuildValue("i", 0); }
PyObject *emu_streamWaitEvent(intptr_t, intptr_t, int, void *) { return none(); }
int emu_streamIsCapturing(intptr_t, int) { return 0; }
intptr_t emu_eventCreate(int) { return new_handle(); }
intptr_t emu_eventCreateWithFlags(unsigned, int) { return new_handle(); }
PyObject *emu_eventDestroy(intptr_t, int) { return none(); }
PyObject *emu_eventRecord(intptr_t, intptr_t, int) { return none(); }
PyObject *emu_eventSynchronize(intptr_t, int) { return count(2), done(); }
PyObject *emu_eventQuery(intptr_t, int) { return Py_BuildValue("i", 0); }
float emu_eventElapsedTime(intptr_t, intptr_t, int) { return 0.001f; }

// ---- kernels: a module is a shared library, whose path stands for its code ----
intptr_t emu_ctxGetCurrent(int) { return 1; }
intptr_t emu_moduleLoadData(PyObject *path, int) {
    void *library = dlopen(PyBytes_AsString(path), RTLD_NOW | RTLD_LOCAL);
    if (!library) PyErr_SetString(PyExc_RuntimeError, dlerror());
    return reinterpret_cast<intptr_t>(library);
}
PyObject *emu_moduleUnload(intptr_t, int) { return none(); }
intptr_t emu_moduleGetFunction(intptr_t library, PyObject *name, int) {
    char symbol[512];
    snprintf(symbol, sizeof symbol, "%s__entry", PyUnicode_AsUTF8AndSize(name, nullptr));
    void *entry = dlsym(reinterpret_cast<void *>(library), symbol);
    if (!entry) PyErr_SetString(PyExc_RuntimeError, dlerror());
    return reinterpret_cast<intptr_t>(entry);
}
PyObject *emu_launchKernel(intptr_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                           unsigned block_y, unsigned block_z, unsigned shared, intptr_t, intptr_t values, intptr_t, int) {
    const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
    launches++;
    const char *error = emu_launch(reinterpret_cast<Entry *>(function), grid, block, shared, reinterpret_cast<void **>(values));
    if (!error) return done();
    PyErr_SetString(PyExc_RuntimeError, error);
    return nullptr;
}
int emu_funcGetAttribute(int attribute, intptr_t, int) { return attribute == 0 ? 1024 : 0; }
PyObject *emu_funcSetAttribute(intptr_t, int, int, int) { return none(); }
}
