#include "callocations.h"

#include <errno.h>
#include <stddef.h>

// The names by which the C library's own functions can be reached when a program puts others in
// their place (www.gnu.org/software/libc/manual/html_node/Replacing-malloc.html).
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

// Of the initial-exec model: any other may itself allocate on a thread's first call.
static _Thread_local uint64_t count __attribute__((tls_model("initial-exec")));

uint64_t callocations_count(void) { return count; }

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count++;
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *got = memalign(alignment, size);
    if (!got) return ENOMEM;
    *memory = got;
    return 0;
}

void free(void *memory) { __libc_free(memory); }
