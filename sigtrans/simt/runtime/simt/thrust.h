// Thrust in one header: vectors, iterators, algorithms. An algorithm runs on the host thread, on
// memory of the device as a card would; what a stream still has to do is done before.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda_runtime.h"
#include "host.h"
#include "watch.h"

namespace thrust {

// --- functional ------------------------------------------------------------------------------------

#define SIMT_OPERATION(name, result, expression)                                      \
    template <class T = void>                                                         \
    struct name {                                                                     \
        result operator()(const T &a, const T &b) const { return expression; }        \
    };                                                                                \
    template <>                                                                       \
    struct name<void> {                                                               \
        template <class A, class B>                                                   \
        auto operator()(const A &a, const B &b) const {                               \
            return expression;                                                        \
        }                                                                             \
    };
SIMT_OPERATION(plus, T, a + b)
SIMT_OPERATION(minus, T, a - b)
SIMT_OPERATION(multiplies, T, a *b)
SIMT_OPERATION(divides, T, a / b)
SIMT_OPERATION(modulus, T, a % b)
SIMT_OPERATION(bit_and, T, a &b)
SIMT_OPERATION(bit_or, T, a | b)
SIMT_OPERATION(bit_xor, T, a ^ b)
SIMT_OPERATION(maximum, T, a < b ? b : a)
SIMT_OPERATION(minimum, T, b < a ? b : a)
SIMT_OPERATION(equal_to, bool, a == b)
SIMT_OPERATION(not_equal_to, bool, a != b)
SIMT_OPERATION(less, bool, a < b)
SIMT_OPERATION(greater, bool, b < a)
SIMT_OPERATION(less_equal, bool, !(b < a))
SIMT_OPERATION(greater_equal, bool, !(a < b))
SIMT_OPERATION(logical_and, bool, a && b)
SIMT_OPERATION(logical_or, bool, a || b)
SIMT_OPERATION(project1st, T, ((void)b, a))
SIMT_OPERATION(project2nd, T, ((void)a, b))
#undef SIMT_OPERATION

template <class T = void>
struct identity {
    const T &operator()(const T &a) const { return a; }
};
template <class T = void>
struct negate {
    T operator()(const T &a) const { return -a; }
};
template <class T = void>
struct square {
    T operator()(const T &a) const { return a * a; }
};
template <class T = void>
struct logical_not {
    bool operator()(const T &a) const { return !a; }
};
template <class A, class R>
struct unary_function {
    using argument_type = A;
    using result_type = R;
};
template <class A, class B, class R>
struct binary_function {
    using first_argument_type = A;
    using second_argument_type = B;
    using result_type = R;
};
template <class F>
inline auto not1(F f) {
    return [f](const auto &a) { return !f(a); };
}

template <class... T>
using tuple = std::tuple<T...>;
using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::swap;
using std::tie;
using std::tuple_element;
using std::tuple_size;
struct null_type {};

template <class T>
using complex = std::complex<T>;

// --- iterators -------------------------------------------------------------------------------------

using std::iterator_traits;

template <class T>
class counting_iterator {
  public:
    using value_type = T;
    using reference = T;
    using pointer = const T *;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    counting_iterator(T at = T()) : at_(at) {}
    T operator*() const { return at_; }
    T operator[](difference_type n) const { return T(at_ + T(n)); }
    counting_iterator &operator++() { return ++at_, *this; }
    counting_iterator operator++(int) { return counting_iterator(at_++); }
    counting_iterator &operator--() { return --at_, *this; }
    counting_iterator &operator+=(difference_type n) { return at_ = T(at_ + T(n)), *this; }
    counting_iterator operator+(difference_type n) const { return counting_iterator(T(at_ + T(n))); }
    counting_iterator operator-(difference_type n) const { return counting_iterator(T(at_ - T(n))); }
    difference_type operator-(counting_iterator o) const { return difference_type(at_) - difference_type(o.at_); }
    bool operator==(counting_iterator o) const { return at_ == o.at_; }
    bool operator!=(counting_iterator o) const { return at_ != o.at_; }
    bool operator<(counting_iterator o) const { return at_ < o.at_; }

  private:
    T at_;
};
template <class T>
inline counting_iterator<T> make_counting_iterator(T at) {
    return counting_iterator<T>(at);
}

// An iterator that is a place in a sequence and a way to read it there.
template <class Self, class Base, class Reference>
class adapted {
  public:
    using value_type = std::decay_t<Reference>;
    using reference = Reference;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    adapted() = default;
    explicit adapted(Base base) : base_(base) {}
    const Base &base() const { return base_; }
    Reference operator*() const { return self().at(base_); }
    Reference operator[](difference_type n) const { return self().at(base_ + n); }
    Self &operator++() { return ++base_, self(); }
    Self operator++(int) { Self old = self(); ++base_; return old; }
    Self &operator--() { return --base_, self(); }
    Self &operator+=(difference_type n) { return base_ = base_ + n, self(); }
    Self &operator-=(difference_type n) { return base_ = base_ - n, self(); }
    Self operator+(difference_type n) const { Self it = self(); it.base_ = base_ + n; return it; }
    Self operator-(difference_type n) const { Self it = self(); it.base_ = base_ - n; return it; }
    difference_type operator-(const adapted &o) const { return base_ - o.base_; }
    bool operator==(const adapted &o) const { return base_ == o.base_; }
    bool operator!=(const adapted &o) const { return base_ != o.base_; }
    bool operator<(const adapted &o) const { return base_ - o.base_ < 0; }

  protected:
    Self &self() { return static_cast<Self &>(*this); }
    const Self &self() const { return static_cast<const Self &>(*this); }
    Base base_;
};

template <class F, class Base>
class transform_iterator
    : public adapted<transform_iterator<F, Base>, Base, decltype(std::declval<F>()(*std::declval<Base>()))> {
    using Up = adapted<transform_iterator<F, Base>, Base, decltype(std::declval<F>()(*std::declval<Base>()))>;

  public:
    transform_iterator(Base base, F f) : Up(base), f_(f) {}
    auto at(const Base &place) const { return f_(*place); }

  private:
    F f_;
};
template <class Base, class F>
inline transform_iterator<F, Base> make_transform_iterator(Base base, F f) {
    return {base, f};
}

template <class Elements, class Indices>
class permutation_iterator
    : public adapted<permutation_iterator<Elements, Indices>, Indices, decltype(*std::declval<Elements>())> {
    using Up = adapted<permutation_iterator<Elements, Indices>, Indices, decltype(*std::declval<Elements>())>;

  public:
    permutation_iterator(Elements elements, Indices indices) : Up(indices), elements_(elements) {}
    decltype(auto) at(const Indices &place) const { return *(elements_ + std::ptrdiff_t(*place)); }

  private:
    Elements elements_;
};
template <class E, class I>
inline permutation_iterator<E, I> make_permutation_iterator(E elements, I indices) {
    return {elements, indices};
}

template <class T>
class constant_iterator : public adapted<constant_iterator<T>, std::ptrdiff_t, T> {
  public:
    constant_iterator(T value, std::ptrdiff_t at = 0) : adapted<constant_iterator<T>, std::ptrdiff_t, T>(at), value_(value) {}
    T at(std::ptrdiff_t) const { return value_; }

  private:
    T value_;
};
template <class T>
inline constant_iterator<T> make_constant_iterator(T value) {
    return {value};
}

struct discarded {
    template <class T>
    const discarded &operator=(const T &) const {
        return *this;
    }
};
template <class T = void>
class discard_iterator : public adapted<discard_iterator<T>, std::ptrdiff_t, discarded> {
  public:
    discard_iterator(std::ptrdiff_t at = 0) : adapted<discard_iterator<T>, std::ptrdiff_t, discarded>(at) {}
    discarded at(std::ptrdiff_t) const { return {}; }
};
inline discard_iterator<> make_discard_iterator(std::ptrdiff_t at = 0) { return {at}; }

// A tuple of references that can be assigned, and read as a tuple of values.
template <class Tuple>
class zip_iterator;
template <class... I>
class zip_iterator<std::tuple<I...>> {
  public:
    using value_type = std::tuple<typename std::iterator_traits<I>::value_type...>;
    using reference = std::tuple<decltype(*std::declval<I>())...>;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    zip_iterator() = default;
    zip_iterator(std::tuple<I...> parts) : parts_(parts) {}
    const std::tuple<I...> &get_iterator_tuple() const { return parts_; }
    reference operator*() const {
        return std::apply([](const I &...it) { return reference(*it...); }, parts_);
    }
    reference operator[](difference_type n) const { return *(*this + n); }
    zip_iterator &operator++() { return *this += 1; }
    zip_iterator operator++(int) { zip_iterator old = *this; ++*this; return old; }
    zip_iterator &operator--() { return *this += -1; }
    zip_iterator &operator+=(difference_type n) {
        std::apply([n](I &...it) { ((it = it + n), ...); }, parts_);
        return *this;
    }
    zip_iterator &operator-=(difference_type n) { return *this += -n; }
    zip_iterator operator+(difference_type n) const { zip_iterator it = *this; return it += n; }
    zip_iterator operator-(difference_type n) const { zip_iterator it = *this; return it += -n; }
    difference_type operator-(const zip_iterator &o) const { return std::get<0>(parts_) - std::get<0>(o.parts_); }
    bool operator==(const zip_iterator &o) const { return *this - o == 0; }
    bool operator!=(const zip_iterator &o) const { return *this - o != 0; }
    bool operator<(const zip_iterator &o) const { return *this - o < 0; }

  private:
    std::tuple<I...> parts_;
};
template <class... I>
inline zip_iterator<std::tuple<I...>> make_zip_iterator(std::tuple<I...> parts) {
    return {parts};
}
template <class... I>
inline zip_iterator<std::tuple<I...>> make_zip_iterator(I... parts) {
    return {std::make_tuple(parts...)};
}
template <class F>
inline auto make_zip_function(F f) {
    return [f](const auto &t) { return std::apply(f, t); };
}

// --- memory ----------------------------------------------------------------------------------------

// An element of a device's memory, touched from the host: each access is a copy.
template <class T>
class device_reference {
  public:
    explicit device_reference(T *place) : place_(place) {}
    device_reference(const device_reference &) = default;
    operator T() const {
        const simt::ActingDevice acting;
        return *place_;
    }
    const device_reference &operator=(const T &value) const {
        const simt::ActingDevice acting;
        *place_ = value;
        if (simt::watcher) simt::watcher->written(place_, sizeof(T));
        return *this;
    }
    const device_reference &operator=(const device_reference &other) const { return *this = T(other); }
    template <class V>
    const device_reference &operator+=(const V &value) const { return *this = T(*this) + value; }
    template <class V>
    const device_reference &operator-=(const V &value) const { return *this = T(*this) - value; }
    const device_reference &operator++() const { return *this = T(*this) + 1; }
    T *simt_place() const { return place_; }

  private:
    T *place_;
};

template <class T>
class device_ptr {
  public:
    using value_type = std::remove_cv_t<T>;
    using element_type = T;
    using reference = T &;  // for algorithms, which run as the device
    using pointer = T *;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    device_ptr() : at_(nullptr) {}
    device_ptr(std::nullptr_t) : at_(nullptr) {}
    explicit device_ptr(T *at) : at_(at) {}
    template <class U, class = std::enable_if_t<std::is_convertible_v<U *, T *>>>
    device_ptr(const device_ptr<U> &other) : at_(other.get()) {}
    T *get() const { return at_; }
    explicit operator bool() const { return at_ != nullptr; }
    device_reference<T> operator*() const { return device_reference<T>(at_); }
    device_reference<T> operator[](difference_type n) const { return device_reference<T>(at_ + n); }
    device_ptr &operator++() { return ++at_, *this; }
    device_ptr operator++(int) { return device_ptr(at_++); }
    device_ptr &operator--() { return --at_, *this; }
    device_ptr &operator+=(difference_type n) { return at_ += n, *this; }
    device_ptr &operator-=(difference_type n) { return at_ -= n, *this; }
    device_ptr operator+(difference_type n) const { return device_ptr(at_ + n); }
    device_ptr operator-(difference_type n) const { return device_ptr(at_ - n); }
    difference_type operator-(const device_ptr &o) const { return at_ - o.at_; }
    bool operator==(const device_ptr &o) const { return at_ == o.at_; }
    bool operator!=(const device_ptr &o) const { return at_ != o.at_; }
    bool operator<(const device_ptr &o) const { return at_ < o.at_; }

  private:
    T *at_;
};

template <class T>
inline device_ptr<T> device_pointer_cast(T *pointer) {
    return device_ptr<T>(pointer);
}
template <class T>
inline device_ptr<T> device_pointer_cast(device_ptr<T> pointer) {
    return pointer;
}
template <class T>
inline T *raw_pointer_cast(T *pointer) {
    return pointer;
}
template <class T>
inline T *raw_pointer_cast(device_ptr<T> pointer) {
    return pointer.get();
}
template <class T>
inline T &raw_reference_cast(T &value) {
    return value;
}
template <class T>
inline T &raw_reference_cast(device_reference<T> value) {
    return *value.simt_place();
}

class system_error : public std::runtime_error {
  public:
    system_error(int code, const char *what) : std::runtime_error(what), code_(code) {}
    int code() const { return code_; }

  private:
    int code_;
};
namespace system {
using thrust::system_error;
}

template <class T>
inline device_ptr<T> device_malloc(size_t count) {
    void *pointer = nullptr;
    const int code = cudaMalloc(&pointer, count * sizeof(T));
    if (code) throw std::bad_alloc();
    return device_ptr<T>(static_cast<T *>(pointer));
}
template <class T>
inline void device_free(device_ptr<T> pointer) {
    cudaFree(pointer.get());
}

template <class T>
using device_allocator = std::allocator<T>;

template <class T, class Allocator = std::allocator<T>>
class host_vector : public std::vector<T, Allocator> {
    using Up = std::vector<T, Allocator>;

  public:
    using Up::Up;
    host_vector() = default;
    template <class V, class = decltype(std::declval<const V &>().simt_data())>
    host_vector(const V &other) : Up(other.size()) {
        assign_from(other);
    }
    host_vector(const std::vector<T> &other) : Up(other.begin(), other.end()) {}
    template <class V, class = decltype(std::declval<const V &>().simt_data())>
    host_vector &operator=(const V &other) {
        Up::resize(other.size());
        assign_from(other);
        return *this;
    }

  private:
    template <class V>
    void assign_from(const V &other) {
        simt::drain_all();
        const simt::ActingDevice acting;
        std::copy(other.simt_data(), other.simt_data() + other.size(), Up::begin());
    }
};

template <class T, class Allocator = std::allocator<T>>
class device_vector {
  public:
    using value_type = T;
    using reference = device_reference<T>;
    using const_reference = device_reference<const T>;
    using pointer = device_ptr<T>;
    using iterator = device_ptr<T>;
    using const_iterator = device_ptr<const T>;
    using size_type = size_t;
    using difference_type = std::ptrdiff_t;

    device_vector() = default;
    explicit device_vector(size_t count) { resize(count); }
    device_vector(size_t count, const T &value) { resize(count, value); }
    device_vector(const device_vector &other) { take(other.simt_data(), other.size()); }
    device_vector(device_vector &&other) noexcept { swap(other); }
    template <class U, class A>
    device_vector(const std::vector<U, A> &other) {
        take(other.begin(), other.size());
    }
    template <class U, class A>
    device_vector(const host_vector<U, A> &other) {
        take(other.begin(), other.size());
    }
    template <class U, class A>
    device_vector(const device_vector<U, A> &other) {
        take(other.simt_data(), other.size());
    }
    device_vector(std::initializer_list<T> list) { take(list.begin(), list.size()); }
    template <class I, class = typename std::iterator_traits<I>::iterator_category>
    device_vector(I first, I last) {
        assign(first, last);
    }
    ~device_vector() { drop(); }

    device_vector &operator=(const device_vector &other) {
        if (this != &other) take(other.simt_data(), other.size());
        return *this;
    }
    device_vector &operator=(device_vector &&other) noexcept { return swap(other), *this; }
    template <class U, class A>
    device_vector &operator=(const std::vector<U, A> &other) {
        return take(other.begin(), other.size()), *this;
    }

    size_t size() const { return size_; }
    size_t capacity() const { return room_; }
    bool empty() const { return size_ == 0; }
    iterator begin() { return iterator(data_); }
    iterator end() { return iterator(data_ + size_); }
    const_iterator begin() const { return const_iterator(data_); }
    const_iterator end() const { return const_iterator(data_ + size_); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    pointer data() { return pointer(data_); }
    device_ptr<const T> data() const { return device_ptr<const T>(data_); }
    reference operator[](size_t n) { return reference(data_ + n); }
    const_reference operator[](size_t n) const { return const_reference(data_ + n); }
    reference front() { return (*this)[0]; }
    reference back() { return (*this)[size_ - 1]; }
    const_reference front() const { return (*this)[0]; }
    const_reference back() const { return (*this)[size_ - 1]; }

    void reserve(size_t count) {
        if (count <= room_) return;
        T *larger = device_malloc<T>(count).get();
        {
            const simt::ActingDevice acting;
            std::uninitialized_copy(data_, data_ + size_, larger);
        }
        const size_t size = size_;
        drop();
        data_ = larger;
        size_ = size;
        room_ = count;
    }
    void resize(size_t count, const T &value = T()) {
        reserve(count);
        const simt::ActingDevice acting;
        for (size_t i = size_; i < count; ++i) new (data_ + i) T(value);
        size_ = count;
    }
    void push_back(const T &value) {
        if (size_ == room_) reserve(room_ ? room_ * 2 : 4);
        resize(size_ + 1, value);
    }
    void pop_back() { --size_; }
    void clear() { size_ = 0; }
    void shrink_to_fit() {}
    template <class I>
    void assign(I first, I last) {
        take(first, size_t(std::distance(first, last)));
    }
    void assign(size_t count, const T &value) {
        clear();
        resize(count, value);
    }
    iterator erase(iterator first, iterator last) {
        const simt::ActingDevice acting;
        std::move(last.get(), data_ + size_, first.get());
        size_ -= size_t(last - first);
        return first;
    }
    void swap(device_vector &other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
    }
    T *simt_data() const { return data_; }

  private:
    template <class I>
    void take(I first, size_t count);
    void drop() {
        if (data_) cudaFree(data_);
        data_ = nullptr;
        size_ = room_ = 0;
    }
    T *data_ = nullptr;
    size_t size_ = 0, room_ = 0;
};

template <class T>
using universal_vector = host_vector<T>;

// --- policies --------------------------------------------------------------------------------------

struct simt_policy {
    simt::Stream stream = nullptr;
    bool has_stream = false;
    template <class A>
    simt_policy operator()(const A &) const {
        return *this;
    }
    simt_policy on(cudaStream_t to) const { return {to, true}; }
};
inline const simt_policy device{}, host{}, seq{};
namespace cuda {
inline const simt_policy par{}, par_nosync{};
}
namespace system {
namespace cuda = thrust::cuda;
}
namespace omp {
inline const simt_policy par{};
}

namespace simt_algorithms {

// The iterators that an algorithm works with: a device's pointers are plain ones there.
template <class T>
inline decltype(auto) plain(T &&it) {
    return static_cast<T &&>(it);
}
template <class T>
inline T *plain(const device_ptr<T> &it) {
    return it.get();
}
template <class T>
inline T *plain(device_ptr<T> &it) {
    return it.get();
}
template <class T>
inline T *plain(device_ptr<T> &&it) {
    return it.get();
}
template <class... I>
inline auto plain(const zip_iterator<std::tuple<I...>> &it) {
    return std::apply(
        [](const I &...part) {
            return zip_iterator<std::tuple<std::decay_t<decltype(plain(part))>...>>(std::make_tuple(plain(part)...));
        },
        it.get_iterator_tuple()
    );
}
template <class... I>
inline auto plain(zip_iterator<std::tuple<I...>> &it) {
    return plain(static_cast<const zip_iterator<std::tuple<I...>> &>(it));
}
template <class... I>
inline auto plain(zip_iterator<std::tuple<I...>> &&it) {
    return plain(static_cast<const zip_iterator<std::tuple<I...>> &>(it));
}

// The result in the terms of the caller: how far an iterator went.
template <class Like, class Begin, class End>
inline Like back(Like like, Begin begin, End end) {
    return like + (end - begin);
}

template <class F, class... A>
inline decltype(auto) run(F &&f, A &&...arguments) {
    simt::drain_all();
    const simt::ActingDevice acting;
    return f(static_cast<A &&>(arguments)...);
}

}  // namespace simt_algorithms

template <class T, class A>
template <class I>
void device_vector<T, A>::take(I first, size_t count) {
    if (count > room_) {
        drop();
        reserve(count);
    }
    simt::drain_all();
    const simt::ActingDevice acting;
    auto from = simt_algorithms::plain(first);
    for (size_t i = 0; i < count; ++i, ++from) new (data_ + i) T(*from);
    size_ = count;
}

// Each algorithm with and without a policy in front.
#define SIMT_ALGORITHM(name)                                                            \
    template <class... A>                                                               \
    inline auto name(const simt_policy &, A... arguments) {                             \
        return name(arguments...);                                                      \
    }

#define SIMT_PLAIN(it) auto simt_##it = simt_algorithms::plain(it)
#define SIMT_ACT                  \
    simt::drain_all();            \
    const simt::ActingDevice acting

template <class I, class F>
inline I for_each(I first, I last, F f) {
    SIMT_ACT;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a) {
        auto &&element = *a;
        f(element);
    }
    return last;
}
template <class I, class N, class F>
inline I for_each_n(I first, N count, F f) {
    return for_each(first, first + std::ptrdiff_t(count), f);
}
template <class I, class O>
inline O copy(I first, I last, O out) {
    SIMT_ACT;
    auto to = simt_algorithms::plain(out);
    std::ptrdiff_t n = 0;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a, ++to, ++n) *to = *a;
    return out + n;
}
template <class I, class N, class O>
inline O copy_n(I first, N count, O out) {
    return copy(first, first + std::ptrdiff_t(count), out);
}
template <class I, class T>
inline void fill(I first, I last, const T &value) {
    SIMT_ACT;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a) *a = value;
}
template <class I, class N, class T>
inline I fill_n(I first, N count, const T &value) {
    fill(first, first + std::ptrdiff_t(count), value);
    return first + std::ptrdiff_t(count);
}
template <class I, class T>
inline void uninitialized_fill(I first, I last, const T &value) {
    fill(first, last, value);
}
template <class I, class T, class S>
inline void sequence(I first, I last, T start, S step) {
    SIMT_ACT;
    std::ptrdiff_t n = 0;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a, ++n) *a = start + T(n) * step;
}
template <class I, class T>
inline void sequence(I first, I last, T start) {
    sequence(first, last, start, T(1));
}
template <class I>
inline void sequence(I first, I last) {
    using T = typename std::iterator_traits<I>::value_type;
    sequence(first, last, T(0), T(1));
}
template <class I, class F>
inline void generate(I first, I last, F f) {
    SIMT_ACT;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a) *a = f();
}
template <class I, class F>
inline void tabulate(I first, I last, F f) {
    SIMT_ACT;
    std::ptrdiff_t n = 0;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a, ++n) *a = f(n);
}
template <class I, class O, class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<I>, simt_policy>>>
inline O transform(I first, I last, O out, F f) {
    SIMT_ACT;
    auto to = simt_algorithms::plain(out);
    std::ptrdiff_t n = 0;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a, ++to, ++n) *to = f(*a);
    return out + n;
}
template <class I, class J, class O, class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<I>, simt_policy>>>
inline O transform(I first, I last, J second, O out, F f) {
    SIMT_ACT;
    auto to = simt_algorithms::plain(out);
    auto other = simt_algorithms::plain(second);
    std::ptrdiff_t n = 0;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a, ++to, ++other, ++n) *to = f(*a, *other);
    return out + n;
}
template <class I, class O, class F, class P>
inline O transform_if(I first, I last, O out, F f, P predicate) {
    SIMT_ACT;
    auto to = simt_algorithms::plain(out);
    std::ptrdiff_t n = 0;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a, ++to, ++n) {
        if (predicate(*a)) *to = f(*a);
    }
    return out + n;
}
template <class I, class T, class F = plus<>, class = std::enable_if_t<!std::is_same_v<std::decay_t<I>, simt_policy>>>
inline T reduce(I first, I last, T start, F f = F()) {
    SIMT_ACT;
    T sum = start;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a) sum = f(sum, T(*a));
    return sum;
}
template <class I>
inline auto reduce(I first, I last) {
    using T = typename std::iterator_traits<I>::value_type;
    return reduce(first, last, T(0));
}
template <class I, class F, class T, class G>
inline T transform_reduce(I first, I last, F f, T start, G g) {
    SIMT_ACT;
    T sum = start;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a) sum = g(sum, f(*a));
    return sum;
}
template <class I, class J, class T, class F = plus<>, class G = multiplies<>>
inline T inner_product(I first, I last, J second, T start, F f = F(), G g = G()) {
    SIMT_ACT;
    auto other = simt_algorithms::plain(second);
    T sum = start;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a, ++other) sum = f(sum, g(*a, *other));
    return sum;
}
template <class I, class P>
inline std::ptrdiff_t count_if(I first, I last, P predicate) {
    SIMT_ACT;
    std::ptrdiff_t count = 0;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a) count += bool(predicate(*a));
    return count;
}
template <class I, class T>
inline std::ptrdiff_t count(I first, I last, const T &value) {
    return thrust::count_if(first, last, [&](const auto &it) { return it == value; });
}
template <class I, class P>
inline bool all_of(I first, I last, P predicate) {
    return thrust::count_if(first, last, predicate) == last - first;
}
template <class I, class P>
inline bool any_of(I first, I last, P predicate) {
    return thrust::count_if(first, last, predicate) != 0;
}
template <class I, class P>
inline bool none_of(I first, I last, P predicate) {
    return thrust::count_if(first, last, predicate) == 0;
}
template <class I, class P>
inline I find_if(I first, I last, P predicate) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(last);
    auto at = simt_first;
    while (at != simt_last && !predicate(*at)) ++at;
    return first + (at - simt_first);
}
template <class I, class T>
inline I find(I first, I last, const T &value) {
    return thrust::find_if(first, last, [&](const auto &it) { return it == value; });
}
template <class I, class C = less<>>
inline I max_element(I first, I last, C compare = C()) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    return first + (std::max_element(simt_first, simt_algorithms::plain(last), compare) - simt_first);
}
template <class I, class C = less<>>
inline I min_element(I first, I last, C compare = C()) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    return first + (std::min_element(simt_first, simt_algorithms::plain(last), compare) - simt_first);
}
template <class I, class C = less<>>
inline std::pair<I, I> minmax_element(I first, I last, C compare = C()) {
    return {thrust::min_element(first, last, compare), thrust::max_element(first, last, compare)};
}
template <class I, class J>
inline bool equal(I first, I last, J second) {
    SIMT_ACT;
    return std::equal(simt_algorithms::plain(first), simt_algorithms::plain(last), simt_algorithms::plain(second));
}
template <class I, class C = less<>>
inline bool is_sorted(I first, I last, C compare = C()) {
    SIMT_ACT;
    return std::is_sorted(simt_algorithms::plain(first), simt_algorithms::plain(last), compare);
}

template <class I, class O, class F = plus<>>
inline O inclusive_scan(I first, I last, O out, F f = F()) {
    using T = typename std::iterator_traits<I>::value_type;
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(out);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    if (n <= 0) return out;
    T sum = *simt_first;
    *simt_out = sum;
    for (std::ptrdiff_t i = 1; i < n; ++i) {
        sum = f(sum, T(simt_first[i]));
        simt_out[i] = sum;
    }
    return out + n;
}
template <class I, class O, class T, class F = plus<>>
inline O exclusive_scan(I first, I last, O out, T start, F f = F()) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(out);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    T sum = start;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        const T value = simt_first[i];
        simt_out[i] = sum;
        sum = f(sum, value);
    }
    return out + n;
}
template <class I, class O>
inline O exclusive_scan(I first, I last, O out) {
    return exclusive_scan(first, last, out, typename std::iterator_traits<I>::value_type(0));
}
template <class I, class O, class F, class G>
inline O transform_inclusive_scan(I first, I last, O out, F f, G g) {
    return thrust::inclusive_scan(make_transform_iterator(simt_algorithms::plain(first), f), make_transform_iterator(simt_algorithms::plain(last), f), out, g);
}
template <class I, class O, class F, class T, class G>
inline O transform_exclusive_scan(I first, I last, O out, F f, T start, G g) {
    return thrust::exclusive_scan(make_transform_iterator(simt_algorithms::plain(first), f), make_transform_iterator(simt_algorithms::plain(last), f), out, start, g);
}
template <class K, class V, class O, class E = equal_to<>, class F = plus<>>
inline O inclusive_scan_by_key(K first, K last, V values, O out, E equal = E(), F f = F()) {
    using T = typename std::iterator_traits<V>::value_type;
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(values);
    SIMT_PLAIN(out);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    T sum{};
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        sum = i && equal(simt_first[i - 1], simt_first[i]) ? f(sum, T(simt_values[i])) : T(simt_values[i]);
        simt_out[i] = sum;
    }
    return out + n;
}
template <class K, class V, class O, class T, class E = equal_to<>, class F = plus<>>
inline O exclusive_scan_by_key(K first, K last, V values, O out, T start, E equal = E(), F f = F()) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(values);
    SIMT_PLAIN(out);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    T sum = start;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        if (i && !equal(simt_first[i - 1], simt_first[i])) sum = start;
        const T value = simt_values[i];
        simt_out[i] = sum;
        sum = f(sum, value);
    }
    return out + n;
}
template <class K, class V, class KO, class VO, class E = equal_to<>, class F = plus<>>
inline std::pair<KO, VO> reduce_by_key(K first, K last, V values, KO keys, VO sums, E equal = E(), F f = F()) {
    using T = typename std::iterator_traits<V>::value_type;
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(values);
    SIMT_PLAIN(keys);
    SIMT_PLAIN(sums);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    std::ptrdiff_t made = 0;
    for (std::ptrdiff_t i = 0; i < n;) {
        T sum = simt_values[i];
        std::ptrdiff_t k = i + 1;
        for (; k < n && equal(simt_first[k - 1], simt_first[k]); ++k) sum = f(sum, T(simt_values[k]));
        simt_keys[made] = simt_first[i];
        simt_sums[made] = sum;
        ++made;
        i = k;
    }
    return {keys + made, sums + made};
}

// Sorting moves values, so that sequences of any kind of reference can be sorted.
template <class I, class C = less<>>
inline void stable_sort(I first, I last, C compare = C()) {
    using T = typename std::iterator_traits<I>::value_type;
    SIMT_ACT;
    SIMT_PLAIN(first);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    std::vector<T> values;
    values.reserve(size_t(n));
    for (std::ptrdiff_t i = 0; i < n; ++i) values.push_back(T(simt_first[i]));
    std::stable_sort(values.begin(), values.end(), compare);
    for (std::ptrdiff_t i = 0; i < n; ++i) simt_first[i] = values[size_t(i)];
}
template <class I, class C = less<>>
inline void sort(I first, I last, C compare = C()) {
    thrust::stable_sort(first, last, compare);
}
template <class K, class V, class C = less<>>
inline void stable_sort_by_key(K first, K last, V values, C compare = C()) {
    using T = typename std::iterator_traits<K>::value_type;
    using U = typename std::iterator_traits<V>::value_type;
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(values);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    std::vector<std::pair<T, U>> both;
    both.reserve(size_t(n));
    for (std::ptrdiff_t i = 0; i < n; ++i) both.emplace_back(T(simt_first[i]), U(simt_values[i]));
    std::stable_sort(both.begin(), both.end(), [&](const auto &a, const auto &b) { return compare(a.first, b.first); });
    for (std::ptrdiff_t i = 0; i < n; ++i) simt_first[i] = both[size_t(i)].first, simt_values[i] = both[size_t(i)].second;
}
template <class K, class V, class C = less<>>
inline void sort_by_key(K first, K last, V values, C compare = C()) {
    thrust::stable_sort_by_key(first, last, values, compare);
}

template <class I, class O, class P>
inline O copy_if(I first, I last, O out, P predicate) {
    SIMT_ACT;
    auto to = simt_algorithms::plain(out);
    std::ptrdiff_t n = 0;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a) {
        if (predicate(*a)) *to = *a, ++to, ++n;
    }
    return out + n;
}
template <class I, class S, class O, class P, class = std::enable_if_t<!std::is_same_v<std::decay_t<I>, simt_policy>>>
inline O copy_if(I first, I last, S stencil, O out, P predicate) {
    SIMT_ACT;
    auto to = simt_algorithms::plain(out);
    auto mark = simt_algorithms::plain(stencil);
    std::ptrdiff_t n = 0;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a, ++mark) {
        if (predicate(*mark)) *to = *a, ++to, ++n;
    }
    return out + n;
}
template <class I, class O, class P>
inline O remove_copy_if(I first, I last, O out, P predicate) {
    return thrust::copy_if(first, last, out, [&](const auto &it) { return !predicate(it); });
}
template <class I, class P>
inline I remove_if(I first, I last, P predicate) {
    return thrust::remove_copy_if(first, last, first, predicate);
}
template <class I, class T>
inline I remove(I first, I last, const T &value) {
    return thrust::remove_if(first, last, [&](const auto &it) { return it == value; });
}
template <class I, class E = equal_to<>>
inline I unique(I first, I last, E equal = E()) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    return first + (std::unique(simt_first, simt_algorithms::plain(last), equal) - simt_first);
}
template <class I, class O, class E = equal_to<>>
inline O unique_copy(I first, I last, O out, E equal = E()) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(out);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    std::ptrdiff_t made = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        if (!i || !equal(simt_first[i - 1], simt_first[i])) simt_out[made++] = simt_first[i];
    }
    return out + made;
}
template <class K, class V, class KO, class VO, class E = equal_to<>>
inline std::pair<KO, VO> unique_by_key_copy(K first, K last, V values, KO keys, VO out, E equal = E()) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(values);
    SIMT_PLAIN(keys);
    SIMT_PLAIN(out);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    std::ptrdiff_t made = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        if (i && equal(simt_first[i - 1], simt_first[i])) continue;
        simt_keys[made] = simt_first[i];
        simt_out[made] = simt_values[i];
        ++made;
    }
    return {keys + made, out + made};
}
template <class K, class V, class E = equal_to<>>
inline std::pair<K, V> unique_by_key(K first, K last, V values, E equal = E()) {
    return thrust::unique_by_key_copy(first, last, values, first, values, equal);
}
template <class I, class P>
inline I stable_partition(I first, I last, P predicate) {
    using T = typename std::iterator_traits<I>::value_type;
    SIMT_ACT;
    SIMT_PLAIN(first);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    std::vector<T> yes, no;
    for (std::ptrdiff_t i = 0; i < n; ++i) (predicate(simt_first[i]) ? yes : no).push_back(T(simt_first[i]));
    std::ptrdiff_t at = 0;
    for (const auto *part : {&yes, &no}) {
        for (size_t i = 0; i < part->size(); ++i) simt_first[at++] = (*part)[i];
    }
    return first + std::ptrdiff_t(yes.size());
}
template <class I, class P>
inline I partition(I first, I last, P predicate) {
    return thrust::stable_partition(first, last, predicate);
}
template <class M, class I, class O>
inline O gather(M first, M last, I from, O out) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(from);
    SIMT_PLAIN(out);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    for (std::ptrdiff_t i = 0; i < n; ++i) simt_out[i] = simt_from[std::ptrdiff_t(simt_first[i])];
    return out + n;
}
template <class I, class M, class O>
inline void scatter(I first, I last, M map, O out) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(map);
    SIMT_PLAIN(out);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    for (std::ptrdiff_t i = 0; i < n; ++i) simt_out[std::ptrdiff_t(simt_map[i])] = simt_first[i];
}
template <class I, class M, class S, class O>
inline void scatter_if(I first, I last, M map, S stencil, O out) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(map);
    SIMT_PLAIN(stencil);
    SIMT_PLAIN(out);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        if (simt_stencil[i]) simt_out[std::ptrdiff_t(simt_map[i])] = simt_first[i];
    }
}
template <class I, class O, class F = minus<>>
inline O adjacent_difference(I first, I last, O out, F f = F()) {
    using T = typename std::iterator_traits<I>::value_type;
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(out);
    const std::ptrdiff_t n = simt_algorithms::plain(last) - simt_first;
    T before{};
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        const T value = simt_first[i];
        if (i) simt_out[i] = f(value, before);
        else simt_out[i] = value;
        before = value;
    }
    return out + n;
}
template <class I>
inline void reverse(I first, I last) {
    SIMT_ACT;
    std::reverse(simt_algorithms::plain(first), simt_algorithms::plain(last));
}
template <class I, class P, class T>
inline void replace_if(I first, I last, P predicate, const T &value) {
    SIMT_ACT;
    for (auto a = simt_algorithms::plain(first), b = simt_algorithms::plain(last); a != b; ++a) {
        if (predicate(*a)) *a = value;
    }
}
template <class I, class T>
inline void replace(I first, I last, const T &old, const T &value) {
    thrust::replace_if(first, last, [&](const auto &it) { return it == old; }, value);
}
template <class I, class J, class O>
inline O lower_bound(I first, I last, J values, J values_end, O out) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(last);
    auto to = simt_algorithms::plain(out);
    std::ptrdiff_t n = 0;
    for (auto a = simt_algorithms::plain(values), b = simt_algorithms::plain(values_end); a != b; ++a, ++to, ++n) {
        *to = std::lower_bound(simt_first, simt_last, *a) - simt_first;
    }
    return out + n;
}
template <class I, class J, class O>
inline O upper_bound(I first, I last, J values, J values_end, O out) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    SIMT_PLAIN(last);
    auto to = simt_algorithms::plain(out);
    std::ptrdiff_t n = 0;
    for (auto a = simt_algorithms::plain(values), b = simt_algorithms::plain(values_end); a != b; ++a, ++to, ++n) {
        *to = std::upper_bound(simt_first, simt_last, *a) - simt_first;
    }
    return out + n;
}
template <class I, class T>
inline I lower_bound(I first, I last, const T &value) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    return first + (std::lower_bound(simt_first, simt_algorithms::plain(last), value) - simt_first);
}
template <class I, class T>
inline I upper_bound(I first, I last, const T &value) {
    SIMT_ACT;
    SIMT_PLAIN(first);
    return first + (std::upper_bound(simt_first, simt_algorithms::plain(last), value) - simt_first);
}
template <class I, class J, class O, class C = less<>>
inline O merge(I first, I last, J second, J second_end, O out, C compare = C()) {
    SIMT_ACT;
    SIMT_PLAIN(out);
    const auto end = std::merge(
        simt_algorithms::plain(first), simt_algorithms::plain(last), simt_algorithms::plain(second),
        simt_algorithms::plain(second_end), simt_out, compare
    );
    return out + (end - simt_out);
}
template <class I>
inline std::ptrdiff_t distance(I first, I last) {
    return last - first;
}
template <class I>
inline void advance(I &it, std::ptrdiff_t n) {
    it += n;
}

#undef SIMT_PLAIN
#undef SIMT_ACT

SIMT_ALGORITHM(for_each) SIMT_ALGORITHM(for_each_n) SIMT_ALGORITHM(copy) SIMT_ALGORITHM(copy_n)
SIMT_ALGORITHM(fill) SIMT_ALGORITHM(fill_n) SIMT_ALGORITHM(uninitialized_fill)
SIMT_ALGORITHM(sequence) SIMT_ALGORITHM(generate) SIMT_ALGORITHM(tabulate)
SIMT_ALGORITHM(transform) SIMT_ALGORITHM(transform_if) SIMT_ALGORITHM(reduce)
SIMT_ALGORITHM(transform_reduce) SIMT_ALGORITHM(inner_product) SIMT_ALGORITHM(count_if)
SIMT_ALGORITHM(count) SIMT_ALGORITHM(all_of) SIMT_ALGORITHM(any_of) SIMT_ALGORITHM(none_of)
SIMT_ALGORITHM(find_if) SIMT_ALGORITHM(find) SIMT_ALGORITHM(max_element)
SIMT_ALGORITHM(min_element) SIMT_ALGORITHM(minmax_element) SIMT_ALGORITHM(equal)
SIMT_ALGORITHM(is_sorted) SIMT_ALGORITHM(inclusive_scan) SIMT_ALGORITHM(exclusive_scan)
SIMT_ALGORITHM(transform_inclusive_scan) SIMT_ALGORITHM(transform_exclusive_scan)
SIMT_ALGORITHM(inclusive_scan_by_key) SIMT_ALGORITHM(exclusive_scan_by_key)
SIMT_ALGORITHM(reduce_by_key) SIMT_ALGORITHM(stable_sort) SIMT_ALGORITHM(sort)
SIMT_ALGORITHM(stable_sort_by_key) SIMT_ALGORITHM(sort_by_key) SIMT_ALGORITHM(copy_if)
SIMT_ALGORITHM(remove_copy_if) SIMT_ALGORITHM(remove_if) SIMT_ALGORITHM(remove)
SIMT_ALGORITHM(unique) SIMT_ALGORITHM(unique_copy) SIMT_ALGORITHM(unique_by_key_copy)
SIMT_ALGORITHM(unique_by_key) SIMT_ALGORITHM(stable_partition) SIMT_ALGORITHM(partition)
SIMT_ALGORITHM(gather) SIMT_ALGORITHM(scatter) SIMT_ALGORITHM(scatter_if)
SIMT_ALGORITHM(adjacent_difference) SIMT_ALGORITHM(reverse) SIMT_ALGORITHM(replace_if)
SIMT_ALGORITHM(replace) SIMT_ALGORITHM(lower_bound) SIMT_ALGORITHM(upper_bound)
SIMT_ALGORITHM(merge)
#undef SIMT_ALGORITHM

// --- random numbers --------------------------------------------------------------------------------

namespace random {
using minstd_rand = std::minstd_rand;
using minstd_rand0 = std::minstd_rand0;
using default_random_engine = std::minstd_rand;
using ranlux24 = std::ranlux24;
template <class T>
class uniform_real_distribution {
  public:
    explicit uniform_real_distribution(T a = 0, T b = 1) : a_(a), b_(b) {}
    template <class E>
    T operator()(E &engine) const {
        const T share = T(engine() - E::min()) / (T(E::max() - E::min()) + T(1));
        return share * (b_ - a_) + a_;
    }

  private:
    T a_, b_;
};
template <class T>
class uniform_int_distribution {
  public:
    explicit uniform_int_distribution(T a = 0, T b = std::numeric_limits<T>::max()) : a_(a), b_(b) {}
    template <class E>
    T operator()(E &engine) const {
        uniform_real_distribution<double> real(double(a_), double(b_) + 1);
        return T(real(engine));
    }

  private:
    T a_, b_;
};
template <class T>
class normal_distribution {
  public:
    explicit normal_distribution(T mean = 0, T deviation = 1) : mean_(mean), deviation_(deviation) {}
    template <class E>
    T operator()(E &engine) const {
        uniform_real_distribution<T> real(std::numeric_limits<T>::min(), 1);
        const T radius = std::sqrt(T(-2) * std::log(real(engine)));
        return mean_ + deviation_ * radius * std::cos(T(6.283185307179586) * real(engine));
    }

  private:
    T mean_, deviation_;
};
}  // namespace random
using random::default_random_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;

}  // namespace thrust
