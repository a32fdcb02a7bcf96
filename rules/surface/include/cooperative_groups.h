/* Cooperative groups, declared for `sigtrans check`. */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_
#include "musa_runtime.h"
#if defined(__cplusplus) && defined(__MUSACC__)
#define SIGTRANS_G static __device__ inline
namespace cooperative_groups {
namespace details {
struct group_base {};
template <unsigned int Size> struct tile_base {};
}
class thread_group : public details::group_base {
 public:
  __device__ unsigned long long size() const;
  __device__ unsigned long long num_threads() const;
  __device__ unsigned long long thread_rank() const;
  __device__ unsigned int get_type() const;
  __device__ void sync() const;
  __device__ bool is_valid() const;
};
class grid_group : public thread_group {
 public:
  __device__ dim3 group_dim() const;
  __device__ dim3 dim_blocks() const;
  __device__ dim3 block_index() const;
  __device__ unsigned long long num_blocks() const;
  __device__ unsigned long long block_rank() const;
  struct arrival_token {};
  __device__ arrival_token barrier_arrive() const;
  __device__ void barrier_wait(arrival_token &&) const;
};
class multi_grid_group : public thread_group {
 public:
  __device__ unsigned int num_grids() const;
  __device__ unsigned int grid_rank() const;
};
class cluster_group : public thread_group {
 public:
  static __device__ void sync();
  static __device__ unsigned int block_rank();
  static __device__ unsigned int num_blocks();
  static __device__ dim3 block_index();
  static __device__ dim3 dim_blocks();
  template <class T> static __device__ T *map_shared_rank(T *, int);
  template <class T> static __device__ unsigned int query_shared_rank(const T *);
};
class thread_block : public thread_group {
 public:
  static __device__ void sync();
  static __device__ unsigned int size();
  static __device__ unsigned int num_threads();
  static __device__ unsigned int thread_rank();
  static __device__ dim3 group_index();
  static __device__ dim3 thread_index();
  static __device__ dim3 group_dim();
  static __device__ dim3 dim_threads();
  struct arrival_token {};
  __device__ arrival_token barrier_arrive() const;
  __device__ void barrier_wait(arrival_token &&) const;
};
class coalesced_group : public thread_group {
 public:
  __device__ unsigned int size() const;
  __device__ unsigned int num_threads() const;
  __device__ unsigned int thread_rank() const;
  __device__ unsigned int meta_group_size() const;
  __device__ unsigned int meta_group_rank() const;
  template <class T> __device__ T shfl(T, unsigned int) const;
  template <class T> __device__ T shfl_down(T, unsigned int) const;
  template <class T> __device__ T shfl_up(T, unsigned int) const;
  __device__ int any(int) const;
  __device__ int all(int) const;
  __device__ unsigned int ballot(int) const;
  template <class T> __device__ unsigned int match_any(T) const;
  template <class T> __device__ unsigned int match_all(T, int &) const;
};
template <unsigned int Size, class Parent = void>
class thread_block_tile : public thread_group, public details::tile_base<Size> {
 public:
  __device__ void sync() const;
  static constexpr __host__ __device__ unsigned int size() { return Size; }
  static constexpr __host__ __device__ unsigned int num_threads() { return Size; }
  __device__ unsigned int thread_rank() const;
  __device__ unsigned int meta_group_size() const;
  __device__ unsigned int meta_group_rank() const;
  template <class T> __device__ T shfl(T, int) const;
  template <class T> __device__ T shfl_down(T, unsigned int) const;
  template <class T> __device__ T shfl_up(T, unsigned int) const;
  template <class T> __device__ T shfl_xor(T, unsigned int) const;
  __device__ int any(int) const;
  __device__ int all(int) const;
  __device__ unsigned int ballot(int) const;
  template <class T> __device__ unsigned int match_any(T) const;
  template <class T> __device__ unsigned int match_all(T, int &) const;
  template <class P> __device__ operator thread_block_tile<Size, P>() const;
};
SIGTRANS_G grid_group this_grid();
SIGTRANS_G multi_grid_group this_multi_grid();
SIGTRANS_G cluster_group this_cluster();
template <unsigned int Threads> struct block_tile_memory {};
SIGTRANS_G thread_block this_thread_block();
template <unsigned int Threads>
__device__ thread_block this_thread_block(block_tile_memory<Threads> &);
SIGTRANS_G coalesced_group coalesced_threads();
SIGTRANS_G thread_group this_thread();
template <unsigned int Size, class Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &);
SIGTRANS_G thread_group tiled_partition(const thread_group &, unsigned int);
SIGTRANS_G coalesced_group binary_partition(const coalesced_group &, bool);
template <unsigned int Size, class Parent>
__device__ coalesced_group binary_partition(const thread_block_tile<Size, Parent> &, bool);
template <class T>
__device__ coalesced_group labeled_partition(const coalesced_group &, T);
template <unsigned int Size, class Parent, class T>
__device__ coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &, T);
template <class Group> __device__ void sync(const Group &);
template <class Group> __device__ unsigned long long group_size(const Group &);
template <class Group> __device__ unsigned long long thread_rank(const Group &);
template <class Group, class... T> __device__ void memcpy_async(const Group &, T &&...);
template <class Group> __device__ void wait(const Group &);
template <unsigned int Stages, class Group> __device__ void wait_prior(const Group &);
template <class F> struct functor {};
#define SIGTRANS_OPERATION(name) \
  template <class T> struct name { __device__ T operator()(T, T) const; };
SIGTRANS_OPERATION(plus)
SIGTRANS_OPERATION(less)
SIGTRANS_OPERATION(greater)
SIGTRANS_OPERATION(bit_and)
SIGTRANS_OPERATION(bit_or)
SIGTRANS_OPERATION(bit_xor)
#undef SIGTRANS_OPERATION
template <class Group, class T, class F> __device__ T reduce(const Group &, T, F);
template <class Group, class T, class F> __device__ void reduce_update_async(const Group &, T &, T, F);
template <class Group, class T, class F> __device__ void reduce_store_async(const Group &, T *, T, F);
template <class Group, class T> __device__ T inclusive_scan(const Group &, T);
template <class Group, class T, class F> __device__ T inclusive_scan(const Group &, T, F);
template <class Group, class T> __device__ T exclusive_scan(const Group &, T);
template <class Group, class T, class F> __device__ T exclusive_scan(const Group &, T, F);
template <class Group, class F> __device__ auto invoke_one(const Group &, F f) -> decltype(f());
namespace experimental { using namespace cooperative_groups; }
}
#undef SIGTRANS_G
#endif
#endif
