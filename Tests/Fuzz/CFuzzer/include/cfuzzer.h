// The part of libFuzzer that a program with a main of its own calls (compiler-rt, FuzzerInterface.h).
#ifndef CFUZZER_H
#define CFUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*check)(const uint8_t *data, size_t size));

#endif
