// Shared variables declared outside functions. Inside one, a shared variable is lowered to a
// reference to the running block's copy; outside there is no block yet, so these look it up at
// each use.
#pragma once

#include "engine.h"

namespace simt {

// An array: like its first element's address wherever an array would be.
template <class T, class Find>
struct SharedObject;

template <class E, size_t N, class Find>
struct SharedObject<E[N], Find> {
    using Array = E[N];
    operator E *() const { return Find::get(); }
    Array *operator&() const { return &Find::get(); }
    template <class I>
    E &operator[](I index) const {
        return Find::get()[index];
    }
};

template <class E, class Find>
struct SharedObject<E[], Find> {
    operator E *() const { return Find::get(); }
    template <class I>
    E &operator[](I index) const {
        return Find::get()[index];
    }
};

template <class T, class Find>
struct SharedObject {
    operator T &() const { return Find::get(); }
    T *operator&() const { return &Find::get(); }
    T operator->() const { return Find::get(); }
    template <class V>
    T &operator=(const V &value) const {
        return Find::get() = value;
    }
    T &operator=(const SharedObject &other) const { return Find::get() = other.operator T &(); }
    template <class V>
    T &operator+=(const V &value) const {
        return Find::get() += value;
    }
    template <class V>
    T &operator-=(const V &value) const {
        return Find::get() -= value;
    }
    T &operator++() const { return ++Find::get(); }
    T operator++(int) const { return Find::get()++; }
};

template <class T, class Key>
struct FindStatic {
    static T &get() { return shared<T, Key>("a shared variable of the file"); }
};

template <class T>
struct FindDynamic {
    static T &get() { return *static_cast<T *>(dynamic_shared()); }
};

template <class E>
struct FindDynamic<E[]> {
    static E *get() { return static_cast<E *>(dynamic_shared()); }
};

template <class T, class Key>
using FileShared = SharedObject<T, FindStatic<T, Key>>;
template <class T>
using DynamicShared = SharedObject<T, FindDynamic<T>>;

}  // namespace simt
