/* What clang's own stddef.h gives; this file stands in where its resource folder is missing. */
#ifndef SIGTRANS_STDDEF_H
#define SIGTRANS_STDDEF_H
#endif
#if !defined(SIGTRANS_STDDEF_TYPES)
#define SIGTRANS_STDDEF_TYPES
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __SIZE_TYPE__ size_t;
#ifndef __cplusplus
typedef __WCHAR_TYPE__ wchar_t;
#endif
#if (defined(__cplusplus) && __cplusplus >= 201103L) || \
    (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L)
typedef struct {
  long long sigtrans_ll __attribute__((__aligned__(__alignof__(long long))));
  long double sigtrans_ld __attribute__((__aligned__(__alignof__(long double))));
} max_align_t;
#endif
#ifdef __cplusplus
namespace std { typedef decltype(nullptr) nullptr_t; }
using ::std::nullptr_t;
#endif
#endif
#undef NULL
#ifdef __cplusplus
#define NULL __null
#else
#define NULL ((void *)0)
#endif
#undef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#if defined(__need_wint_t) && !defined(SIGTRANS_WINT)
#define SIGTRANS_WINT
typedef __WINT_TYPE__ wint_t;
#endif
#undef __need_wint_t
#undef __need_size_t
#undef __need_NULL
#undef __need_ptrdiff_t
#undef __need_wchar_t
