#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

/// Pieces of memory that the calling thread has asked the heap for since it began.
///
/// A program that links this target has the heap of the C library behind its own `malloc`.
uint64_t callocations_count(void);

#endif
