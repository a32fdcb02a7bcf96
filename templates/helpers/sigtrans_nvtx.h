// NVTX for a port to MUSA: every call is there and does nothing.
//
// No MUSA header is known that takes the place of NVTX (torchada: src/torchada/cuda/nvtx.py offers
// stubs of the same kind to Python), so ranges, marks and names do not show up in a profile. The
// time line of MUSA's own profiler (msys) needs no marks in the source.
//
// C and C++. C++ code that includes <nvtx3/nvtx3.hpp> finds the classes of namespace nvtx3 below.
// sigtrans: skip-file
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#if defined(__GNUC__) || defined(__clang__)
#define SIGTRANS_NVTX static inline __attribute__((unused))
#else
#define SIGTRANS_NVTX static inline
#endif

#define sigtrans_NVTX_VERSION 3
#define sigtrans_NVTX_SUCCESS 0
#define sigtrans_NVTX_FAIL 1
#define sigtrans_NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef uint64_t sigtrans_nvtxRangeId_t;
typedef struct sigtrans_nvtxDomainHandle *sigtrans_nvtxDomainHandle_t;
typedef struct sigtrans_nvtxStringHandle *sigtrans_nvtxStringHandle_t;
typedef struct sigtrans_nvtxResourceHandle *sigtrans_nvtxResourceHandle_t;

typedef enum sigtrans_nvtxColorType_t {
  sigtrans_NVTX_COLOR_UNKNOWN = 0,
  sigtrans_NVTX_COLOR_ARGB = 1
} sigtrans_nvtxColorType_t;

typedef enum sigtrans_nvtxMessageType_t {
  sigtrans_NVTX_MESSAGE_UNKNOWN = 0,
  sigtrans_NVTX_MESSAGE_TYPE_ASCII = 1,
  sigtrans_NVTX_MESSAGE_TYPE_UNICODE = 2,
  sigtrans_NVTX_MESSAGE_TYPE_REGISTERED = 3
} sigtrans_nvtxMessageType_t;

typedef enum sigtrans_nvtxPayloadType_t {
  sigtrans_NVTX_PAYLOAD_UNKNOWN = 0,
  sigtrans_NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  sigtrans_NVTX_PAYLOAD_TYPE_INT64 = 2,
  sigtrans_NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  sigtrans_NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  sigtrans_NVTX_PAYLOAD_TYPE_INT32 = 5,
  sigtrans_NVTX_PAYLOAD_TYPE_FLOAT = 6
} sigtrans_nvtxPayloadType_t;

typedef union sigtrans_nvtxMessageValue_t {
  const char *ascii;
  const wchar_t *unicode;
  sigtrans_nvtxStringHandle_t registered;
} sigtrans_nvtxMessageValue_t;

typedef struct sigtrans_nvtxEventAttributes_t {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  sigtrans_nvtxMessageValue_t message;
} sigtrans_nvtxEventAttributes_t;

#define sigtrans_NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(sigtrans_nvtxEventAttributes_t))

SIGTRANS_NVTX void sigtrans_nvtxInitialize(const void *reserved) { (void)reserved; }

SIGTRANS_NVTX void sigtrans_nvtxMarkEx(const sigtrans_nvtxEventAttributes_t *event) { (void)event; }
SIGTRANS_NVTX void sigtrans_nvtxMarkA(const char *message) { (void)message; }
SIGTRANS_NVTX void sigtrans_nvtxMarkW(const wchar_t *message) { (void)message; }
SIGTRANS_NVTX void sigtrans_nvtxDomainMarkEx(sigtrans_nvtxDomainHandle_t domain,
                                             const sigtrans_nvtxEventAttributes_t *event) {
  (void)domain;
  (void)event;
}

SIGTRANS_NVTX sigtrans_nvtxRangeId_t
sigtrans_nvtxRangeStartEx(const sigtrans_nvtxEventAttributes_t *event) {
  (void)event;
  return 0;
}
SIGTRANS_NVTX sigtrans_nvtxRangeId_t sigtrans_nvtxRangeStartA(const char *message) {
  (void)message;
  return 0;
}
SIGTRANS_NVTX sigtrans_nvtxRangeId_t sigtrans_nvtxRangeStartW(const wchar_t *message) {
  (void)message;
  return 0;
}
SIGTRANS_NVTX sigtrans_nvtxRangeId_t sigtrans_nvtxDomainRangeStartEx(
    sigtrans_nvtxDomainHandle_t domain, const sigtrans_nvtxEventAttributes_t *event) {
  (void)domain;
  (void)event;
  return 0;
}
SIGTRANS_NVTX void sigtrans_nvtxRangeEnd(sigtrans_nvtxRangeId_t id) { (void)id; }
SIGTRANS_NVTX void sigtrans_nvtxDomainRangeEnd(sigtrans_nvtxDomainHandle_t domain,
                                               sigtrans_nvtxRangeId_t id) {
  (void)domain;
  (void)id;
}

// What NVTX itself answers when no tool listens.
SIGTRANS_NVTX int sigtrans_nvtxRangePushEx(const sigtrans_nvtxEventAttributes_t *event) {
  (void)event;
  return sigtrans_NVTX_NO_PUSH_POP_TRACKING;
}
SIGTRANS_NVTX int sigtrans_nvtxRangePushA(const char *message) {
  (void)message;
  return sigtrans_NVTX_NO_PUSH_POP_TRACKING;
}
SIGTRANS_NVTX int sigtrans_nvtxRangePushW(const wchar_t *message) {
  (void)message;
  return sigtrans_NVTX_NO_PUSH_POP_TRACKING;
}
SIGTRANS_NVTX int sigtrans_nvtxRangePop(void) { return sigtrans_NVTX_NO_PUSH_POP_TRACKING; }
SIGTRANS_NVTX int sigtrans_nvtxDomainRangePushEx(sigtrans_nvtxDomainHandle_t domain,
                                                 const sigtrans_nvtxEventAttributes_t *event) {
  (void)domain;
  (void)event;
  return sigtrans_NVTX_NO_PUSH_POP_TRACKING;
}
SIGTRANS_NVTX int sigtrans_nvtxDomainRangePop(sigtrans_nvtxDomainHandle_t domain) {
  (void)domain;
  return sigtrans_NVTX_NO_PUSH_POP_TRACKING;
}

SIGTRANS_NVTX sigtrans_nvtxDomainHandle_t sigtrans_nvtxDomainCreateA(const char *name) {
  (void)name;
  return NULL;
}
SIGTRANS_NVTX sigtrans_nvtxDomainHandle_t sigtrans_nvtxDomainCreateW(const wchar_t *name) {
  (void)name;
  return NULL;
}
SIGTRANS_NVTX void sigtrans_nvtxDomainDestroy(sigtrans_nvtxDomainHandle_t domain) { (void)domain; }
SIGTRANS_NVTX sigtrans_nvtxStringHandle_t
sigtrans_nvtxDomainRegisterStringA(sigtrans_nvtxDomainHandle_t domain, const char *string) {
  (void)domain;
  (void)string;
  return NULL;
}
SIGTRANS_NVTX sigtrans_nvtxStringHandle_t
sigtrans_nvtxDomainRegisterStringW(sigtrans_nvtxDomainHandle_t domain, const wchar_t *string) {
  (void)domain;
  (void)string;
  return NULL;
}
SIGTRANS_NVTX void sigtrans_nvtxDomainNameCategoryA(sigtrans_nvtxDomainHandle_t domain,
                                                    uint32_t category, const char *name) {
  (void)domain;
  (void)category;
  (void)name;
}
SIGTRANS_NVTX void sigtrans_nvtxDomainNameCategoryW(sigtrans_nvtxDomainHandle_t domain,
                                                    uint32_t category, const wchar_t *name) {
  (void)domain;
  (void)category;
  (void)name;
}
SIGTRANS_NVTX void sigtrans_nvtxNameCategoryA(uint32_t category, const char *name) {
  (void)category;
  (void)name;
}
SIGTRANS_NVTX void sigtrans_nvtxNameCategoryW(uint32_t category, const wchar_t *name) {
  (void)category;
  (void)name;
}
SIGTRANS_NVTX void sigtrans_nvtxNameOsThreadA(uint32_t thread, const char *name) {
  (void)thread;
  (void)name;
}
SIGTRANS_NVTX void sigtrans_nvtxNameOsThreadW(uint32_t thread, const wchar_t *name) {
  (void)thread;
  (void)name;
}

// Names of devices, contexts, streams and events, by the runtime and by the driver interface.
#define SIGTRANS_NVTX_NAME(FUNCTION, TYPE)                                  \
  SIGTRANS_NVTX void sigtrans_##FUNCTION##A(TYPE what, const char *name) {    \
    (void)what;                                                             \
    (void)name;                                                             \
  }                                                                         \
  SIGTRANS_NVTX void sigtrans_##FUNCTION##W(TYPE what, const wchar_t *name) { \
    (void)what;                                                             \
    (void)name;                                                             \
  }
SIGTRANS_NVTX_NAME(nvtxNameCudaDevice, int)
SIGTRANS_NVTX_NAME(nvtxNameCudaStream, const void *)
SIGTRANS_NVTX_NAME(nvtxNameCudaEvent, const void *)
SIGTRANS_NVTX_NAME(nvtxNameCuDevice, int)
SIGTRANS_NVTX_NAME(nvtxNameCuContext, const void *)
SIGTRANS_NVTX_NAME(nvtxNameCuStream, const void *)
SIGTRANS_NVTX_NAME(nvtxNameCuEvent, const void *)
#undef SIGTRANS_NVTX_NAME

// The names without a letter at the end; NVTX takes the wide forms where _UNICODE is defined.
#ifdef _UNICODE
#define SIGTRANS_NVTX_CHOICE(FUNCTION) sigtrans_##FUNCTION##W
#else
#define SIGTRANS_NVTX_CHOICE(FUNCTION) sigtrans_##FUNCTION##A
#endif
#define sigtrans_nvtxMark SIGTRANS_NVTX_CHOICE(nvtxMark)
#define sigtrans_nvtxRangeStart SIGTRANS_NVTX_CHOICE(nvtxRangeStart)
#define sigtrans_nvtxRangePush SIGTRANS_NVTX_CHOICE(nvtxRangePush)
#define sigtrans_nvtxNameCategory SIGTRANS_NVTX_CHOICE(nvtxNameCategory)
#define sigtrans_nvtxNameOsThread SIGTRANS_NVTX_CHOICE(nvtxNameOsThread)
#define sigtrans_nvtxDomainCreate SIGTRANS_NVTX_CHOICE(nvtxDomainCreate)
#define sigtrans_nvtxDomainRegisterString SIGTRANS_NVTX_CHOICE(nvtxDomainRegisterString)
#define sigtrans_nvtxDomainNameCategory SIGTRANS_NVTX_CHOICE(nvtxDomainNameCategory)
#define sigtrans_nvtxNameCudaDevice SIGTRANS_NVTX_CHOICE(nvtxNameCudaDevice)
#define sigtrans_nvtxNameCudaStream SIGTRANS_NVTX_CHOICE(nvtxNameCudaStream)
#define sigtrans_nvtxNameCudaEvent SIGTRANS_NVTX_CHOICE(nvtxNameCudaEvent)
#define sigtrans_nvtxNameCuDevice SIGTRANS_NVTX_CHOICE(nvtxNameCuDevice)
#define sigtrans_nvtxNameCuContext SIGTRANS_NVTX_CHOICE(nvtxNameCuContext)
#define sigtrans_nvtxNameCuStream SIGTRANS_NVTX_CHOICE(nvtxNameCuStream)
#define sigtrans_nvtxNameCuEvent SIGTRANS_NVTX_CHOICE(nvtxNameCuEvent)

#undef SIGTRANS_NVTX

#ifdef __cplusplus
namespace nvtx3 {
inline namespace v1 {

// Whatever describes an event is taken and forgotten.
struct rgb {
  template <class... T> constexpr rgb(T &&...) noexcept {}
};
struct argb {
  template <class... T> constexpr argb(T &&...) noexcept {}
};
struct color {
  template <class... T> constexpr color(T &&...) noexcept {}
};
struct category {
  template <class... T> constexpr category(T &&...) noexcept {}
};
struct message {
  template <class... T> constexpr message(T &&...) noexcept {}
};
struct payload {
  template <class... T> constexpr payload(T &&...) noexcept {}
};
struct range_handle {
  using value_type = uint64_t;
  constexpr range_handle() noexcept = default;
  constexpr explicit range_handle(value_type id) noexcept : id_{id} {}
  constexpr explicit operator bool() const noexcept { return id_ != 0; }
  constexpr value_type get_value() const noexcept { return id_; }

private:
  value_type id_{0};
};
constexpr bool operator==(range_handle a, range_handle b) noexcept {
  return a.get_value() == b.get_value();
}
constexpr bool operator!=(range_handle a, range_handle b) noexcept { return !(a == b); }

struct domain {
  struct global {
    static constexpr char const *name{""};
  };
  template <class D = global> static domain const &get() noexcept {
    static domain const one{};
    return one;
  }
};

struct event_attributes {
  template <class... T> constexpr event_attributes(T &&...) noexcept {}
};

// The constructors and destructors are written out, so that an unused range draws no warning.
template <class D = domain::global> struct scoped_range_in {
  template <class... T> explicit scoped_range_in(T &&...) noexcept {}
  scoped_range_in(scoped_range_in const &) = delete;
  scoped_range_in &operator=(scoped_range_in const &) = delete;
  ~scoped_range_in() noexcept {}
};
using scoped_range = scoped_range_in<domain::global>;
template <class D = domain::global> using domain_thread_range = scoped_range_in<D>;
using thread_range = scoped_range;

template <class D = domain::global> struct unique_range_in {
  template <class... T> explicit unique_range_in(T &&...) noexcept {}
  unique_range_in(unique_range_in &&) noexcept {}
  unique_range_in &operator=(unique_range_in &&) noexcept { return *this; }
  ~unique_range_in() noexcept {}
};
using unique_range = unique_range_in<domain::global>;

template <class D = domain::global> struct named_category_in : category {
  template <class... T> explicit named_category_in(T &&...) noexcept {}
  template <class C> static named_category_in const &get() noexcept {
    static named_category_in const one{};
    return one;
  }
};
using named_category = named_category_in<domain::global>;

template <class D = domain::global> struct registered_string_in : message {
  template <class... T> explicit registered_string_in(T &&...) noexcept {}
  template <class M> static registered_string_in const &get() noexcept {
    static registered_string_in const one{};
    return one;
  }
};
using registered_string = registered_string_in<domain::global>;

template <class... T> inline void mark(T &&...) noexcept {}
template <class D, class... T> inline void mark_in(T &&...) noexcept {}
template <class... T> inline range_handle start_range(T &&...) noexcept { return {}; }
template <class D, class... T> inline range_handle start_range_in(T &&...) noexcept { return {}; }
inline void end_range(range_handle) noexcept {}
template <class D> inline void end_range_in(range_handle) noexcept {}

}  // namespace v1
}  // namespace nvtx3

#define NVTX3_FUNC_RANGE() static_cast<void>(0)
#define NVTX3_FUNC_RANGE_IN(D) static_cast<void>(0)
#define NVTX3_FUNC_RANGE_IF(C) static_cast<void>(0)
#define NVTX3_FUNC_RANGE_IF_IN(D, C) static_cast<void>(0)
#endif
