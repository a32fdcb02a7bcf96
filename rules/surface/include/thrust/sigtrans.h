/* Thrust, declared loosely for `sigtrans check`: what takes iterators takes any. */
#ifndef SIGTRANS_THRUST_H
#define SIGTRANS_THRUST_H
#include "musa_runtime.h"
#if __cplusplus >= 201103L && __has_include(<vector>)
#include <complex>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>
#define SIGTRANS_HD __host__ __device__
namespace thrust {
using std::get;
using std::ignore;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
using std::system_error;
using std::error_code;
struct null_type {};
struct host_system_tag {};
struct device_system_tag {};
struct use_default {};
typedef std::random_access_iterator_tag random_access_traversal_tag;

template <class P> struct execution_policy {};
template <class P> struct host_execution_policy : execution_policy<P> {};
template <class P> struct device_execution_policy : execution_policy<P> {};
namespace detail {
struct policy : device_execution_policy<policy> {
  SIGTRANS_HD policy on(musaStream_t) const;
  template <class A> policy operator()(A &) const;
};
template <bool B, class T = void> using enable_if = std::enable_if<B, T>;
}
static const detail::policy host{}, device{}, seq{};
namespace musa {
static const detail::policy par{}, par_nosync{};
template <class P> struct execution_policy : thrust::execution_policy<P> {};
typedef device_system_tag tag;
}
namespace omp { static const detail::policy par{}; }
namespace system {
namespace musa { using namespace thrust::musa; }
using std::error_code;
using std::system_error;
enum musa_error_tag {};
}
static inline const std::error_category &musa_category() { return std::system_category(); }

template <class T> struct device_ptr;
template <class T> struct device_reference {
  SIGTRANS_HD operator T() const;
  SIGTRANS_HD device_ptr<T> operator&() const;
  SIGTRANS_HD device_reference &operator=(const T &);
  SIGTRANS_HD device_reference &operator=(const device_reference &);
  SIGTRANS_HD device_reference &operator+=(const T &);
  SIGTRANS_HD device_reference &operator-=(const T &);
  SIGTRANS_HD device_reference &operator++();
  SIGTRANS_HD T operator++(int);
};
/* Random access in all that iterates here. */
template <class Self, class V, class R> struct facade {
  typedef V value_type;
  typedef R reference;
  typedef V *pointer;
  typedef std::ptrdiff_t difference_type;
  typedef std::random_access_iterator_tag iterator_category;
  SIGTRANS_HD R operator*() const;
  SIGTRANS_HD V *operator->() const;
  SIGTRANS_HD R operator[](std::ptrdiff_t) const;
  SIGTRANS_HD Self &operator++();
  SIGTRANS_HD Self operator++(int);
  SIGTRANS_HD Self &operator--();
  SIGTRANS_HD Self operator--(int);
  SIGTRANS_HD Self &operator+=(std::ptrdiff_t);
  SIGTRANS_HD Self &operator-=(std::ptrdiff_t);
  SIGTRANS_HD Self operator+(std::ptrdiff_t) const;
  SIGTRANS_HD Self operator-(std::ptrdiff_t) const;
  SIGTRANS_HD std::ptrdiff_t operator-(const Self &) const;
  SIGTRANS_HD bool operator==(const Self &) const;
  SIGTRANS_HD bool operator!=(const Self &) const;
  SIGTRANS_HD bool operator<(const Self &) const;
};
template <class T> struct device_ptr : facade<device_ptr<T>, T, device_reference<T>> {
  device_ptr() = default;
  SIGTRANS_HD explicit device_ptr(T *);
  template <class U> SIGTRANS_HD device_ptr(const device_ptr<U> &);
  SIGTRANS_HD device_ptr(std::nullptr_t);
  SIGTRANS_HD T *get() const;
  SIGTRANS_HD explicit operator bool() const;
};
template <class T> struct pointer_of : facade<pointer_of<T>, T, device_reference<T>> {
  SIGTRANS_HD operator device_ptr<T>() const;
  SIGTRANS_HD T *base() const;
};
template <class T> SIGTRANS_HD T *raw_pointer_cast(T *);
template <class T> SIGTRANS_HD T *raw_pointer_cast(const device_ptr<T> &);
template <class T> SIGTRANS_HD T *raw_pointer_cast(const pointer_of<T> &);
template <class T> SIGTRANS_HD T &raw_reference_cast(T &);
template <class T> SIGTRANS_HD device_ptr<T> device_pointer_cast(T *);
template <class T> SIGTRANS_HD device_ptr<T> device_pointer_cast(const device_ptr<T> &);
template <class T> device_ptr<T> device_malloc(std::size_t);
static inline device_ptr<void> *device_malloc(std::size_t) { return nullptr; }
template <class T> void device_free(device_ptr<T>);
template <class T> device_ptr<T> device_new(std::size_t = 1);
template <class T> void device_delete(device_ptr<T>, std::size_t = 0);

template <class T> struct device_allocator { typedef T value_type; };
template <class T> struct device_malloc_allocator { typedef T value_type; };
template <class T, class A = std::allocator<T>> struct host_vector : std::vector<T, A> {
  using std::vector<T, A>::vector;
  host_vector() = default;
  template <class V, class = typename V::value_type> host_vector(const V &);
  template <class V> host_vector &operator=(const V &);
};
template <class T, class A = device_allocator<T>> struct device_vector {
  typedef T value_type;
  typedef pointer_of<T> iterator;
  typedef pointer_of<T> const_iterator;
  typedef device_ptr<T> pointer;
  typedef device_reference<T> reference;
  typedef std::size_t size_type;
  typedef std::ptrdiff_t difference_type;
  device_vector();
  device_vector(const A &);
  explicit device_vector(size_type);
  device_vector(size_type, const T &);
  device_vector(std::initializer_list<T>);
  device_vector(const device_vector &);
  template <class V, class = typename V::value_type> device_vector(const V &);
  template <class I, class = typename std::iterator_traits<I>::value_type> device_vector(I, I);
  device_vector &operator=(const device_vector &);
  template <class V> device_vector &operator=(const V &);
  iterator begin() const;
  iterator end() const;
  iterator cbegin() const;
  iterator cend() const;
  std::reverse_iterator<iterator> rbegin() const;
  std::reverse_iterator<iterator> rend() const;
  reference operator[](size_type) const;
  reference front() const;
  reference back() const;
  pointer data() const;
  size_type size() const;
  size_type capacity() const;
  bool empty() const;
  void resize(size_type);
  void resize(size_type, const T &);
  void reserve(size_type);
  void shrink_to_fit();
  void clear();
  void push_back(const T &);
  void pop_back();
  void swap(device_vector &);
  template <class I> void assign(I, I);
  void assign(size_type, const T &);
  template <class... R> iterator insert(iterator, R...);
  iterator erase(iterator);
  iterator erase(iterator, iterator);
};
template <class T> using universal_vector = device_vector<T>;

/* Iterators. */
template <class I> struct counting_iterator : facade<counting_iterator<I>, I, I> {
  SIGTRANS_HD counting_iterator();
  SIGTRANS_HD explicit counting_iterator(I);
};
template <class T> struct constant_iterator : facade<constant_iterator<T>, T, T> {
  SIGTRANS_HD constant_iterator();
  SIGTRANS_HD constant_iterator(T, std::ptrdiff_t = 0);
};
template <class T = use_default> struct discard_iterator : facade<discard_iterator<T>, T, T> {
  SIGTRANS_HD discard_iterator(std::ptrdiff_t = 0);
};
template <class F, class I, class R = use_default, class V = use_default>
struct transform_iterator
    : facade<transform_iterator<F, I, R, V>,
             typename std::decay<decltype(std::declval<F>()(*std::declval<I>()))>::type,
             decltype(std::declval<F>()(*std::declval<I>()))> {
  transform_iterator() = default;
  SIGTRANS_HD transform_iterator(I, F = F());
};
template <class E, class I>
struct permutation_iterator
    : facade<permutation_iterator<E, I>, typename std::iterator_traits<E>::value_type,
             typename std::iterator_traits<E>::reference> {
  permutation_iterator() = default;
  SIGTRANS_HD permutation_iterator(E, I);
};
template <class T> struct zip_iterator;
template <class... I>
struct zip_iterator<std::tuple<I...>>
    : facade<zip_iterator<std::tuple<I...>>,
             std::tuple<typename std::iterator_traits<I>::value_type...>,
             std::tuple<typename std::iterator_traits<I>::reference...>> {
  zip_iterator() = default;
  SIGTRANS_HD zip_iterator(std::tuple<I...>);
  SIGTRANS_HD const std::tuple<I...> &get_iterator_tuple() const;
};
template <class I> using reverse_iterator = std::reverse_iterator<I>;
template <class I> SIGTRANS_HD counting_iterator<I> make_counting_iterator(I);
template <class T> SIGTRANS_HD constant_iterator<T> make_constant_iterator(T);
template <class I, class F> SIGTRANS_HD transform_iterator<F, I> make_transform_iterator(I, F);
template <class E, class I> SIGTRANS_HD permutation_iterator<E, I> make_permutation_iterator(E, I);
template <class... I> SIGTRANS_HD zip_iterator<std::tuple<I...>> make_zip_iterator(std::tuple<I...>);
template <class I, class J, class... R>
SIGTRANS_HD zip_iterator<std::tuple<I, J, R...>> make_zip_iterator(I, J, R...);
SIGTRANS_HD inline discard_iterator<> make_discard_iterator() { return discard_iterator<>(); }
template <class F> struct zip_function {
  SIGTRANS_HD zip_function(F);
  template <class T> SIGTRANS_HD auto operator()(T) const -> int;
};
template <class I> using iterator_traits = std::iterator_traits<I>;
template <class I> struct iterator_value {
  typedef typename std::iterator_traits<I>::value_type type;
};
template <class I> struct iterator_difference {
  typedef typename std::iterator_traits<I>::difference_type type;
};
template <class I> SIGTRANS_HD typename std::iterator_traits<I>::difference_type distance(I, I);
template <class I, class D> SIGTRANS_HD void advance(I &, D);
template <class I> SIGTRANS_HD I next(I, std::ptrdiff_t = 1);

/* Functions. */
template <class A, class R> struct unary_function {
  typedef A argument_type;
  typedef R result_type;
};
template <class A, class B, class R> struct binary_function {
  typedef A first_argument_type;
  typedef B second_argument_type;
  typedef R result_type;
};
#define SIGTRANS_BINARY(name, R) \
  template <class T = void> struct name { \
    typedef T first_argument_type; \
    typedef T second_argument_type; \
    typedef R result_type; \
    SIGTRANS_HD R operator()(const T &, const T &) const; \
  }; \
  template <> struct name<void> { \
    template <class A, class B> SIGTRANS_HD auto operator()(A a, B b) const -> decltype(a + b); \
  };
SIGTRANS_BINARY(plus, T) SIGTRANS_BINARY(minus, T) SIGTRANS_BINARY(multiplies, T)
SIGTRANS_BINARY(divides, T) SIGTRANS_BINARY(modulus, T) SIGTRANS_BINARY(minimum, T)
SIGTRANS_BINARY(maximum, T) SIGTRANS_BINARY(bit_and, T) SIGTRANS_BINARY(bit_or, T)
SIGTRANS_BINARY(bit_xor, T) SIGTRANS_BINARY(project1st, T) SIGTRANS_BINARY(project2nd, T)
SIGTRANS_BINARY(equal_to, bool) SIGTRANS_BINARY(not_equal_to, bool) SIGTRANS_BINARY(greater, bool)
SIGTRANS_BINARY(less, bool) SIGTRANS_BINARY(greater_equal, bool) SIGTRANS_BINARY(less_equal, bool)
SIGTRANS_BINARY(logical_and, bool) SIGTRANS_BINARY(logical_or, bool)
#undef SIGTRANS_BINARY
#define SIGTRANS_UNARY(name, R) \
  template <class T = void> struct name { \
    typedef T argument_type; \
    typedef R result_type; \
    SIGTRANS_HD R operator()(const T &) const; \
  };
SIGTRANS_UNARY(identity, T) SIGTRANS_UNARY(negate, T) SIGTRANS_UNARY(square, T)
SIGTRANS_UNARY(logical_not, bool)
#undef SIGTRANS_UNARY
template <class P> SIGTRANS_HD P not1(P);
template <class P> SIGTRANS_HD P not2(P);
namespace placeholders {
struct actor {
  template <class... T> SIGTRANS_HD actor operator()(T...) const;
};
#define SIGTRANS_ACTOR(op) \
  template <class T> SIGTRANS_HD actor operator op(actor, T); \
  template <class T> SIGTRANS_HD actor operator op(T, actor); \
  SIGTRANS_HD actor operator op(actor, actor);
SIGTRANS_ACTOR(+) SIGTRANS_ACTOR(-) SIGTRANS_ACTOR(*) SIGTRANS_ACTOR(/) SIGTRANS_ACTOR(%)
SIGTRANS_ACTOR(<) SIGTRANS_ACTOR(>) SIGTRANS_ACTOR(<=) SIGTRANS_ACTOR(>=) SIGTRANS_ACTOR(==)
SIGTRANS_ACTOR(!=) SIGTRANS_ACTOR(&&) SIGTRANS_ACTOR(||)
#undef SIGTRANS_ACTOR
static const actor _1{}, _2{}, _3{}, _4{};
}
template <class T> SIGTRANS_HD T min(const T &, const T &);
template <class T> SIGTRANS_HD T max(const T &, const T &);
template <class T> SIGTRANS_HD void swap(T &, T &);

/* Algorithms: each with and without a policy in front. */
#define SIGTRANS_BOTH(T, R, name, ...) \
  template <T> SIGTRANS_HD R name(__VA_ARGS__); \
  template <class SigtransP, T> SIGTRANS_HD R name(const execution_policy<SigtransP> &, __VA_ARGS__);
#define SIGTRANS_COMMA ,
#define SIGTRANS_I class I SIGTRANS_COMMA class... R
#define SIGTRANS_O class I SIGTRANS_COMMA class O SIGTRANS_COMMA class... R
#define SIGTRANS_VALUE typename std::iterator_traits<I>::value_type
#define SIGTRANS_COUNT typename std::iterator_traits<I>::difference_type
#define SIGTRANS_VOID(name) SIGTRANS_BOTH(SIGTRANS_I, void, name, I, I, R...)
#define SIGTRANS_BOOL(name) SIGTRANS_BOTH(SIGTRANS_I, bool, name, I, I, R...)
#define SIGTRANS_SAME(name) SIGTRANS_BOTH(SIGTRANS_I, I, name, I, I, R...)
#define SIGTRANS_OUT(name) SIGTRANS_BOTH(SIGTRANS_O, O, name, I, I, O, R...)
SIGTRANS_VOID(sort) SIGTRANS_VOID(stable_sort) SIGTRANS_VOID(sort_by_key)
SIGTRANS_VOID(stable_sort_by_key) SIGTRANS_VOID(fill) SIGTRANS_VOID(generate)
SIGTRANS_VOID(sequence) SIGTRANS_VOID(replace) SIGTRANS_VOID(replace_if) SIGTRANS_VOID(tabulate)
SIGTRANS_VOID(uninitialized_fill) SIGTRANS_VOID(reverse) SIGTRANS_VOID(scatter)
SIGTRANS_VOID(scatter_if)
SIGTRANS_BOOL(all_of) SIGTRANS_BOOL(any_of) SIGTRANS_BOOL(none_of) SIGTRANS_BOOL(equal)
SIGTRANS_BOOL(is_sorted) SIGTRANS_BOOL(binary_search) SIGTRANS_BOOL(is_partitioned)
SIGTRANS_SAME(for_each) SIGTRANS_SAME(find) SIGTRANS_SAME(find_if) SIGTRANS_SAME(find_if_not)
SIGTRANS_SAME(unique) SIGTRANS_SAME(remove) SIGTRANS_SAME(remove_if) SIGTRANS_SAME(partition)
SIGTRANS_SAME(stable_partition) SIGTRANS_SAME(min_element) SIGTRANS_SAME(max_element)
SIGTRANS_SAME(lower_bound) SIGTRANS_SAME(upper_bound) SIGTRANS_SAME(is_sorted_until)
SIGTRANS_OUT(copy) SIGTRANS_OUT(inclusive_scan) SIGTRANS_OUT(exclusive_scan)
SIGTRANS_OUT(adjacent_difference) SIGTRANS_OUT(unique_copy) SIGTRANS_OUT(remove_copy)
SIGTRANS_OUT(remove_copy_if) SIGTRANS_OUT(reverse_copy) SIGTRANS_OUT(uninitialized_copy)
SIGTRANS_OUT(transform_inclusive_scan) SIGTRANS_OUT(transform_exclusive_scan)
SIGTRANS_OUT(replace_copy) SIGTRANS_OUT(replace_copy_if)
#define SIGTRANS_2(name) \
  SIGTRANS_BOTH(class I SIGTRANS_COMMA class J SIGTRANS_COMMA class O SIGTRANS_COMMA class... R, O, \
                name, I, I, J, O, R...)
SIGTRANS_2(gather) SIGTRANS_2(gather_if) SIGTRANS_2(inclusive_scan_by_key)
SIGTRANS_2(exclusive_scan_by_key)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class O SIGTRANS_COMMA class F, O, copy_if, I, I, O, F)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class J SIGTRANS_COMMA class O SIGTRANS_COMMA class F, O,
              copy_if, I, I, J, O, F)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class O SIGTRANS_COMMA class F, O, transform, I, I, O, F)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class J SIGTRANS_COMMA class O SIGTRANS_COMMA class F, O,
              transform, I, I, J, O, F)
SIGTRANS_BOTH(SIGTRANS_O, O, transform_if, I, I, O, R...)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class N SIGTRANS_COMMA class O, O, copy_n, I, N, O)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class N SIGTRANS_COMMA class T, I, fill_n, I, N, T)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class N SIGTRANS_COMMA class F, I, generate_n, I, N, F)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class N SIGTRANS_COMMA class F, I, for_each_n, I, N, F)
SIGTRANS_BOTH(class I, SIGTRANS_VALUE, reduce, I, I)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class T, T, reduce, I, I, T)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class T SIGTRANS_COMMA class F, T, reduce, I, I, T, F)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class U SIGTRANS_COMMA class T SIGTRANS_COMMA class F, T,
              transform_reduce, I, I, U, T, F)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class J SIGTRANS_COMMA class T SIGTRANS_COMMA class... R, T,
              inner_product, I, I, J, T, R...)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class T, SIGTRANS_COUNT, count, I, I, T)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class F, SIGTRANS_COUNT, count_if, I, I, F)
SIGTRANS_BOTH(SIGTRANS_I, std::pair<I SIGTRANS_COMMA I>, minmax_element, I, I, R...)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class J SIGTRANS_COMMA class... R,
              std::pair<I SIGTRANS_COMMA J>, unique_by_key, I, I, J, R...)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class J SIGTRANS_COMMA class O SIGTRANS_COMMA class P
              SIGTRANS_COMMA class... R, std::pair<O SIGTRANS_COMMA P>, unique_by_key_copy,
              I, I, J, O, P, R...)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class J SIGTRANS_COMMA class O SIGTRANS_COMMA class P
              SIGTRANS_COMMA class... R, std::pair<O SIGTRANS_COMMA P>, reduce_by_key,
              I, I, J, O, P, R...)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class J SIGTRANS_COMMA class O SIGTRANS_COMMA class... R, O,
              merge, I, I, J, J, O, R...)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class J SIGTRANS_COMMA class O SIGTRANS_COMMA class... R, O,
              set_intersection, I, I, J, J, O, R...)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class J SIGTRANS_COMMA class O SIGTRANS_COMMA class... R, O,
              set_union, I, I, J, J, O, R...)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class J SIGTRANS_COMMA class O SIGTRANS_COMMA class... R, O,
              set_difference, I, I, J, J, O, R...)
SIGTRANS_BOTH(class I SIGTRANS_COMMA class J, J, swap_ranges, I, I, J)

/* Random numbers and complex numbers. */
#define SIGTRANS_ENGINE(name) \
  struct name { \
    typedef unsigned int result_type; \
    SIGTRANS_HD explicit name(result_type = 1); \
    SIGTRANS_HD void seed(result_type = 1); \
    SIGTRANS_HD void discard(unsigned long long); \
    SIGTRANS_HD result_type operator()(); \
  };
#define SIGTRANS_DISTRIBUTION(name) \
  template <class T = double> struct name { \
    typedef T result_type; \
    SIGTRANS_HD explicit name(T = 0, T = 1); \
    template <class E> SIGTRANS_HD T operator()(E &); \
  };
namespace random {
SIGTRANS_ENGINE(default_random_engine) SIGTRANS_ENGINE(minstd_rand) SIGTRANS_ENGINE(minstd_rand0)
SIGTRANS_ENGINE(taus88) SIGTRANS_ENGINE(ranlux24) SIGTRANS_ENGINE(ranlux48)
SIGTRANS_DISTRIBUTION(uniform_int_distribution) SIGTRANS_DISTRIBUTION(uniform_real_distribution)
SIGTRANS_DISTRIBUTION(normal_distribution)
namespace experimental { using thrust::random::normal_distribution; }
}
using namespace random;
#undef SIGTRANS_ENGINE
#undef SIGTRANS_DISTRIBUTION
template <class T> struct complex {
  typedef T value_type;
  SIGTRANS_HD complex(const T & = T(), const T & = T());
  template <class U> SIGTRANS_HD complex(const complex<U> &);
  SIGTRANS_HD complex(const std::complex<T> &);
  SIGTRANS_HD T real() const;
  SIGTRANS_HD T imag() const;
  SIGTRANS_HD void real(T);
  SIGTRANS_HD void imag(T);
  SIGTRANS_HD operator std::complex<T>() const;
  template <class U> SIGTRANS_HD complex &operator+=(const U &);
  template <class U> SIGTRANS_HD complex &operator-=(const U &);
  template <class U> SIGTRANS_HD complex &operator*=(const U &);
  template <class U> SIGTRANS_HD complex &operator/=(const U &);
};
#define SIGTRANS_COMPLEX(op) \
  template <class T> SIGTRANS_HD complex<T> operator op(const complex<T> &, const complex<T> &); \
  template <class T> SIGTRANS_HD complex<T> operator op(const complex<T> &, const T &); \
  template <class T> SIGTRANS_HD complex<T> operator op(const T &, const complex<T> &);
SIGTRANS_COMPLEX(+) SIGTRANS_COMPLEX(-) SIGTRANS_COMPLEX(*) SIGTRANS_COMPLEX(/)
#undef SIGTRANS_COMPLEX
template <class T> SIGTRANS_HD complex<T> operator-(const complex<T> &);
template <class T> SIGTRANS_HD bool operator==(const complex<T> &, const complex<T> &);
template <class T> SIGTRANS_HD bool operator!=(const complex<T> &, const complex<T> &);
template <class T> SIGTRANS_HD T abs(const complex<T> &);
template <class T> SIGTRANS_HD T arg(const complex<T> &);
template <class T> SIGTRANS_HD T norm(const complex<T> &);
template <class T> SIGTRANS_HD complex<T> conj(const complex<T> &);
template <class T> SIGTRANS_HD complex<T> exp(const complex<T> &);
template <class T> SIGTRANS_HD complex<T> log(const complex<T> &);
template <class T> SIGTRANS_HD complex<T> sqrt(const complex<T> &);
template <class T> SIGTRANS_HD complex<T> polar(const T &, const T & = T());
template <class T, class U> SIGTRANS_HD complex<T> pow(const complex<T> &, const U &);
template <class T, class... R> SIGTRANS_HD T *malloc(T &&, R...);
template <class... R> void free(R...);
}
#endif
#endif
