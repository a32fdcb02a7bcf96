// Vectors of two to four numbers, with the sizes and alignments that device code relies on: pairs and
// quadruples are aligned to their size, up to 16 bytes; the others as their component.
#pragma once
#define __VECTOR_TYPES_H__

#include "crt/host_defines.h"

#ifdef __cplusplus
#include "simt/dim.h"
#define SIMT_VECTOR(name, size, ...) \
    struct __attribute__((aligned(size))) name { \
        __VA_ARGS__; \
    };
#else
// In C the names are type names as well.
#define SIMT_VECTOR(name, size, ...) \
    typedef struct __attribute__((aligned(size))) name { \
        __VA_ARGS__; \
    } name;
SIMT_VECTOR(uint3, 4, unsigned int x, y, z)
SIMT_VECTOR(dim3, 4, unsigned int x, y, z)
#endif

SIMT_VECTOR(char1, 1, signed char x)
SIMT_VECTOR(char2, 2, signed char x, y)
SIMT_VECTOR(char3, 1, signed char x, y, z)
SIMT_VECTOR(char4, 4, signed char x, y, z, w)
SIMT_VECTOR(uchar1, 1, unsigned char x)
SIMT_VECTOR(uchar2, 2, unsigned char x, y)
SIMT_VECTOR(uchar3, 1, unsigned char x, y, z)
SIMT_VECTOR(uchar4, 4, unsigned char x, y, z, w)
SIMT_VECTOR(short1, 2, short x)
SIMT_VECTOR(short2, 4, short x, y)
SIMT_VECTOR(short3, 2, short x, y, z)
SIMT_VECTOR(short4, 8, short x, y, z, w)
SIMT_VECTOR(ushort1, 2, unsigned short x)
SIMT_VECTOR(ushort2, 4, unsigned short x, y)
SIMT_VECTOR(ushort3, 2, unsigned short x, y, z)
SIMT_VECTOR(ushort4, 8, unsigned short x, y, z, w)
SIMT_VECTOR(int1, 4, int x)
SIMT_VECTOR(int2, 8, int x, y)
SIMT_VECTOR(int3, 4, int x, y, z)
SIMT_VECTOR(int4, 16, int x, y, z, w)
SIMT_VECTOR(uint1, 4, unsigned int x)
SIMT_VECTOR(uint2, 8, unsigned int x, y)
SIMT_VECTOR(uint4, 16, unsigned int x, y, z, w)
SIMT_VECTOR(long1, 8, long int x)
SIMT_VECTOR(long2, 16, long int x, y)
SIMT_VECTOR(long3, 8, long int x, y, z)
SIMT_VECTOR(long4, 16, long int x, y, z, w)
SIMT_VECTOR(ulong1, 8, unsigned long int x)
SIMT_VECTOR(ulong2, 16, unsigned long int x, y)
SIMT_VECTOR(ulong3, 8, unsigned long int x, y, z)
SIMT_VECTOR(ulong4, 16, unsigned long int x, y, z, w)
SIMT_VECTOR(longlong1, 8, long long int x)
SIMT_VECTOR(longlong2, 16, long long int x, y)
SIMT_VECTOR(longlong3, 8, long long int x, y, z)
SIMT_VECTOR(longlong4, 16, long long int x, y, z, w)
SIMT_VECTOR(ulonglong1, 8, unsigned long long int x)
SIMT_VECTOR(ulonglong2, 16, unsigned long long int x, y)
SIMT_VECTOR(ulonglong3, 8, unsigned long long int x, y, z)
SIMT_VECTOR(ulonglong4, 16, unsigned long long int x, y, z, w)
SIMT_VECTOR(float1, 4, float x)
SIMT_VECTOR(float2, 8, float x, y)
SIMT_VECTOR(float3, 4, float x, y, z)
SIMT_VECTOR(float4, 16, float x, y, z, w)
SIMT_VECTOR(double1, 8, double x)
SIMT_VECTOR(double2, 16, double x, y)
SIMT_VECTOR(double3, 8, double x, y, z)
SIMT_VECTOR(double4, 16, double x, y, z, w)

#undef SIMT_VECTOR
