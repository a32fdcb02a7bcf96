/* The 16-bit types with their operators; their functions stand in the table beside this folder. */
#ifndef SIGTRANS_HALFS_H
#define SIGTRANS_HALFS_H
#include "sigtrans/base.h"

typedef struct __half_raw { unsigned short x; } __half_raw;
typedef struct __half2_raw { unsigned short x, y; } __half2_raw;
typedef struct __mt_bfloat16_raw { unsigned short x; } __mt_bfloat16_raw;
typedef struct __mt_bfloat162_raw { unsigned short x, y; } __mt_bfloat162_raw;

#ifdef __cplusplus
#define SIGTRANS_HD __host__ __device__
#define SIGTRANS_SCALAR(type, raw) \
  struct type { \
    unsigned short __x; \
    type() = default; \
    SIGTRANS_HD type(const raw &); \
    SIGTRANS_HD type &operator=(const raw &); \
    SIGTRANS_HD type(float); \
    SIGTRANS_HD type(double); \
    SIGTRANS_HD type(short); \
    SIGTRANS_HD type(unsigned short); \
    SIGTRANS_HD type(int); \
    SIGTRANS_HD type(unsigned int); \
    SIGTRANS_HD type(long); \
    SIGTRANS_HD type(unsigned long); \
    SIGTRANS_HD type(long long); \
    SIGTRANS_HD type(unsigned long long); \
    SIGTRANS_HD type &operator=(float); \
    SIGTRANS_HD type &operator=(double); \
    SIGTRANS_HD type &operator=(short); \
    SIGTRANS_HD type &operator=(unsigned short); \
    SIGTRANS_HD type &operator=(int); \
    SIGTRANS_HD type &operator=(unsigned int); \
    SIGTRANS_HD type &operator=(long long); \
    SIGTRANS_HD type &operator=(unsigned long long); \
    SIGTRANS_HD operator raw() const; \
    SIGTRANS_HD operator float() const; \
    SIGTRANS_HD explicit operator bool() const; \
    SIGTRANS_HD explicit operator char() const; \
    SIGTRANS_HD explicit operator signed char() const; \
    SIGTRANS_HD explicit operator unsigned char() const; \
    SIGTRANS_HD explicit operator short() const; \
    SIGTRANS_HD explicit operator unsigned short() const; \
    SIGTRANS_HD explicit operator int() const; \
    SIGTRANS_HD explicit operator unsigned int() const; \
    SIGTRANS_HD explicit operator long() const; \
    SIGTRANS_HD explicit operator unsigned long() const; \
    SIGTRANS_HD explicit operator long long() const; \
    SIGTRANS_HD explicit operator unsigned long long() const; \
  }; \
  SIGTRANS_OPERATORS(type) \
  SIGTRANS_HD bool operator==(const type &, const type &); \
  SIGTRANS_HD bool operator!=(const type &, const type &); \
  SIGTRANS_HD bool operator<(const type &, const type &); \
  SIGTRANS_HD bool operator>(const type &, const type &); \
  SIGTRANS_HD bool operator<=(const type &, const type &); \
  SIGTRANS_HD bool operator>=(const type &, const type &);
#define SIGTRANS_OPERATORS(type) \
  SIGTRANS_HD type operator+(const type &, const type &); \
  SIGTRANS_HD type operator-(const type &, const type &); \
  SIGTRANS_HD type operator*(const type &, const type &); \
  SIGTRANS_HD type operator/(const type &, const type &); \
  SIGTRANS_HD type &operator+=(type &, const type &); \
  SIGTRANS_HD type &operator-=(type &, const type &); \
  SIGTRANS_HD type &operator*=(type &, const type &); \
  SIGTRANS_HD type &operator/=(type &, const type &); \
  SIGTRANS_HD type &operator++(type &); \
  SIGTRANS_HD type &operator--(type &); \
  SIGTRANS_HD type operator++(type &, int); \
  SIGTRANS_HD type operator--(type &, int); \
  SIGTRANS_HD type operator+(const type &); \
  SIGTRANS_HD type operator-(const type &);
#define SIGTRANS_PAIR(type, raw, scalar) \
  struct __attribute__((aligned(4))) type { \
    scalar x, y; \
    type() = default; \
    SIGTRANS_HD type(const scalar &, const scalar &); \
    SIGTRANS_HD type(const raw &); \
    SIGTRANS_HD type &operator=(const raw &); \
    SIGTRANS_HD operator raw() const; \
  }; \
  SIGTRANS_OPERATORS(type) \
  SIGTRANS_HD bool operator==(const type &, const type &); \
  SIGTRANS_HD bool operator!=(const type &, const type &); \
  SIGTRANS_HD bool operator<(const type &, const type &); \
  SIGTRANS_HD bool operator>(const type &, const type &); \
  SIGTRANS_HD bool operator<=(const type &, const type &); \
  SIGTRANS_HD bool operator>=(const type &, const type &);

SIGTRANS_SCALAR(__half, __half_raw)
SIGTRANS_PAIR(__half2, __half2_raw, __half)
SIGTRANS_SCALAR(__mt_bfloat16, __mt_bfloat16_raw)
SIGTRANS_PAIR(__mt_bfloat162, __mt_bfloat162_raw, __mt_bfloat16)
typedef __half half;
typedef __half2 half2;
typedef __mt_bfloat16 mt_bfloat16;
typedef __mt_bfloat162 mt_bfloat162;
#undef SIGTRANS_SCALAR
#undef SIGTRANS_PAIR
#undef SIGTRANS_OPERATORS
#else
typedef struct __half { unsigned short x; } __half;
typedef struct __half2 { unsigned short x, y; } __half2;
typedef struct __mt_bfloat16 { unsigned short x; } __mt_bfloat16;
typedef struct __mt_bfloat162 { unsigned short x, y; } __mt_bfloat162;
#endif
#endif
