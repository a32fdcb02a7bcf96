// Memory: what every pointer is, copies checked against it, symbols, pools.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "internal.h"

namespace simt {

namespace {

constexpr unsigned char canary = 0x5C;
constexpr size_t alignment = 256;

struct Pool {
    int device = 0;
    unsigned long long threshold = 0;
    int flags[4] = {1, 1, 1, 1};
    unsigned long long used = 0, high = 0;
};

struct Memory_ {
    std::map<uintptr_t, Block> blocks;             // by begin
    std::map<uintptr_t, size_t> freed;             // what was there, for reports
    std::set<void *> arrays, mipmaps;
    std::set<Pool *> pools;
    Pool usual;                                    // the device's default pool
    size_t in_use = 0;
};

Memory_ &memory() {
    static auto *it = new Memory_;
    return *it;
}

uintptr_t number(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

const char *name_of(Kind kind) {
    switch (kind) {
        case Kind::device: return "device memory";
        case Kind::managed: return "managed memory";
        case Kind::pinned: return "pinned host memory";
        case Kind::registered: return "registered host memory";
        case Kind::array: return "an array";
        case Kind::variable: return "a device variable";
        default: return "host memory";
    }
}

Memory watched(Kind kind) {
    switch (kind) {
        case Kind::managed: return Memory::managed;
        case Kind::pinned: case Kind::registered: return Memory::pinned;
        default: return Memory::device;
    }
}

size_t page_size() {
    static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

bool on_host(const Block *block) {
    return !block || block->kind == Kind::pinned || block->kind == Kind::registered ||
           block->kind == Kind::managed || block->kind == Kind::host;
}


// Pinned and registered memory is mapped into the device's address space, too.
bool seen_by_card(const Block *block) { return block != nullptr; }

}  // namespace

Block *find_block(const void *pointer) {
    auto &blocks = memory().blocks;
    auto at = blocks.upper_bound(number(pointer));
    if (at == blocks.begin()) return nullptr;
    Block &it = std::prev(at)->second;
    // The end counts: an empty copy may begin there, and a report should name the block.
    return number(pointer) <= number(it.base) + it.size ? &it : nullptr;
}

const Block *find_freed(const void *pointer) {
    static Block it;
    auto &freed = memory().freed;
    auto at = freed.upper_bound(number(pointer));
    if (at == freed.begin()) return nullptr;
    --at;
    if (number(pointer) - at->first > at->second) return nullptr;
    it.base = reinterpret_cast<char *>(at->first);
    it.size = at->second;
    return &it;
}

std::string describe(const void *pointer) {
    if (const Block *it = find_block(pointer)) {
        std::string text = std::string(name_of(it->kind));
        if (it->name) text += std::string(" ") + it->name;
        text += " of " + bytes(it->size);
        const size_t offset = number(pointer) - number(it->base);
        if (offset) text += " at byte " + std::to_string(offset);
        return text;
    }
    if (find_freed(pointer)) return "memory that was freed";
    return pointer ? "host memory" : "a null pointer";
}

cudaError_t allocate(void **pointer, size_t size, Kind kind, unsigned flags) {
    if (!pointer) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (!size) return cudaSuccess;
    Memory_ &all = memory();
    if (size > properties().totalGlobalMem || all.in_use + size > properties().totalGlobalMem) {
        return cudaErrorMemoryAllocation;
    }
    const size_t page = page_size();
    const size_t room = (size + alignment - 1) / alignment * alignment;
    const size_t pages = (room + page - 1) / page * page;
    void *mapping = mmap(
        nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0
    );
    if (mapping == MAP_FAILED) return cudaErrorMemoryAllocation;
    char *end = static_cast<char *>(mapping) + pages;
    mprotect(end, page, PROT_NONE);
    Block block;
    block.base = end - room;  // ends at the guard page, but for the alignment
    block.size = size;
    block.kind = kind;
    block.device = current_device();
    block.flags = flags;
    block.mapping = static_cast<char *>(mapping);
    block.mapped = pages + page;
    block.slack = room - size;
    if (config().fill >= 0) std::memset(block.base, config().fill, size);
    std::memset(block.base + size, canary, block.slack);
    if (kind == Kind::device || kind == Kind::array) all.in_use += size;
    *pointer = block.base;
    all.freed.erase(number(block.base));
    all.blocks[number(block.base)] = block;
    if (watcher) watcher->allocated(block.base, size, watched(kind), kind != Kind::device);
    return cudaSuccess;
}

void release(Block &block) {
    const Block it = block;
    if (watcher) watcher->freed(it.base);
    for (size_t i = 0; i < it.slack && it.mapping; i++) {
        if (static_cast<unsigned char>(it.base[it.size + i]) == canary) continue;
        report(
            "overrun", "memory behind " + std::string(name_of(it.kind)) + " of " + bytes(it.size) +
                           " was written, byte " + std::to_string(i) + " after its end"
        );
        break;
    }
    Memory_ &all = memory();
    if (it.kind == Kind::device || it.kind == Kind::array) all.in_use -= it.size;
    all.blocks.erase(number(it.base));
    if (it.mapping) {
        all.freed[number(it.base)] = it.size;
        munmap(it.mapping, it.mapped);
    }
}

bool add_variable(const void *address, size_t size, const char *name) {
    Block block;
    block.base = static_cast<char *>(const_cast<void *>(address));
    block.size = size;
    block.kind = Kind::variable;
    block.name = name;
    return memory().blocks.try_emplace(number(address), block).second;
}

void forget_memory() {
    Memory_ &all = memory();
    std::vector<uintptr_t> gone;
    for (const auto &[begin, it] : all.blocks) {
        if (it.kind != Kind::variable) gone.push_back(begin);
    }
    for (const uintptr_t begin : gone) release(all.blocks[begin]);
    all.arrays.clear();
}

// --- copies --------------------------------------------------------------------------------------

Copy linear_copy(void *to, const void *from, size_t size, cudaMemcpyKind kind) {
    Copy copy;
    copy.to = static_cast<char *>(to);
    copy.from = static_cast<const char *>(from);
    copy.width = size;
    copy.kind = kind;
    cudaMemcpy3DParms &it = copy.parameters;
    it.srcPtr = {const_cast<void *>(from), size, size, 1};
    it.dstPtr = {to, size, size, 1};
    it.extent = {size, 1, 1};
    it.kind = kind;
    return copy;
}

cudaError_t copy_of(const cudaMemcpy3DParms &it, Copy &copy) {
    copy = Copy();
    copy.parameters = it;
    copy.kind = it.kind;
    copy.height = it.extent.height;
    copy.depth = it.extent.depth;
    copy.width = it.extent.width;
    if (it.srcArray && it.srcPtr.ptr) return cudaErrorInvalidValue;
    if (it.dstArray && it.dstPtr.ptr) return cudaErrorInvalidValue;
    size_t texel = 1;  // with an array, widths count its elements
    if (it.srcArray) texel = array_of(it.srcArray)->texel;
    if (it.dstArray) texel = array_of(it.dstArray)->texel;
    copy.width *= texel;
    const auto side = [&](cudaArray_t handle, const cudaPitchedPtr &plain, const cudaPos &at, char *&begin,
                          size_t &pitch, size_t &slice) {
        if (handle) {
            const Array &array = *array_of(handle);
            pitch = array.pitch();
            slice = pitch * array.rows();
            begin = array.data + at.z * slice + at.y * pitch + at.x * array.texel;
            return at.x * array.texel + copy.width <= pitch && at.y + copy.height <= array.rows() &&
                   at.z + copy.depth <= array.slices();
        }
        pitch = plain.pitch;
        slice = pitch * (plain.ysize ? plain.ysize : copy.height);
        begin = static_cast<char *>(plain.ptr) + at.z * slice + at.y * pitch + at.x;
        return copy.height * copy.depth <= 1 || copy.width <= pitch;
    };
    char *from = nullptr;
    const bool in = side(it.srcArray, it.srcPtr, it.srcPos, from, copy.from_pitch, copy.from_slice);
    const bool out = side(it.dstArray, it.dstPtr, it.dstPos, copy.to, copy.to_pitch, copy.to_slice);
    copy.from = from;
    return in && out ? cudaSuccess : cudaErrorInvalidValue;
}

namespace {

size_t reach(size_t width, size_t height, size_t depth, size_t pitch, size_t slice) {
    if (!width || !height || !depth) return 0;
    return (depth - 1) * slice + (height - 1) * pitch + width;
}

cudaError_t check_side(const char *what, const void *pointer, size_t size) {
    if (!size) return cudaSuccess;
    if (!pointer) return cudaErrorInvalidValue;
    const Block *block = find_block(pointer);
    if (!block) {
        if (find_freed(pointer)) {
            report("use-after-free", std::string("a copy ") + what + " memory that was freed");
            return cudaErrorInvalidValue;
        }
        return cudaSuccess;  // the host's own: nobody knows how large
    }
    const size_t offset = number(pointer) - number(block->base);
    if (offset + size <= block->size) return cudaSuccess;
    report(
        "overrun", std::string("a copy ") + what + " " + bytes(size) + " of " + describe(pointer) + ", " +
                       bytes(offset + size - block->size) + " too many"
    );
    return cudaErrorInvalidValue;
}

}  // namespace

cudaError_t check_copy(const Copy &copy) {
    const size_t in = reach(copy.width, copy.height, copy.depth, copy.from_pitch, copy.from_slice);
    const size_t out = reach(copy.width, copy.height, copy.depth, copy.to_pitch, copy.to_slice);
    if (copy.height > 1 && (copy.width > copy.to_pitch || copy.width > copy.from_pitch)) {
        return cudaErrorInvalidPitchValue;
    }
    cudaError_t error = check_side("reads", copy.from, in);
    if (error == cudaSuccess) error = check_side("writes", copy.to, out);
    if (error != cudaSuccess || !in) return error;
    const Block *from = find_block(copy.from), *to = find_block(copy.to);
    const auto wrong = [&](const char *kind) {
        report(
            "copy-direction", std::string(kind) + ": from " + describe(copy.from) + " to " + describe(copy.to)
        );
        return cudaErrorInvalidValue;
    };
    switch (copy.kind) {
        case cudaMemcpyHostToHost:
            if (!on_host(from) || !on_host(to)) return wrong("cudaMemcpyHostToHost");
            break;
        case cudaMemcpyHostToDevice:
            if (!on_host(from) || !seen_by_card(to)) return wrong("cudaMemcpyHostToDevice");
            break;
        case cudaMemcpyDeviceToHost:
            if (!seen_by_card(from) || !on_host(to)) return wrong("cudaMemcpyDeviceToHost");
            break;
        case cudaMemcpyDeviceToDevice:
            if (!seen_by_card(from) || !seen_by_card(to)) return wrong("cudaMemcpyDeviceToDevice");
            break;
        case cudaMemcpyDefault: break;
        default: return cudaErrorInvalidMemcpyDirection;
    }
    return cudaSuccess;
}

void run_copy(const Copy &copy) {
    for (size_t z = 0; z < copy.depth; z++) {
        for (size_t y = 0; y < copy.height; y++) {
            char *to = copy.to + z * copy.to_slice + y * copy.to_pitch;
            const char *from = copy.from + z * copy.from_slice + y * copy.from_pitch;
            std::memmove(to, from, copy.width);
            if (watcher) watcher->copied(to, from, copy.width);
        }
    }
}

cudaError_t check_fill(const Fill &fill) {
    if (!fill.width || !fill.height || !fill.depth) return cudaSuccess;
    const size_t row = fill.width * fill.element;
    if (fill.height > 1 && row > fill.pitch) return cudaErrorInvalidPitchValue;
    if (!find_block(fill.to)) {
        report("fill-host-memory", "cudaMemset of " + describe(fill.to) + ", which the device cannot reach");
        return cudaErrorInvalidValue;
    }
    return check_side("sets", fill.to, reach(row, fill.height, fill.depth, fill.pitch, fill.slice));
}

void run_fill(const Fill &fill) {
    for (size_t z = 0; z < fill.depth; z++) {
        for (size_t y = 0; y < fill.height; y++) {
            char *row = fill.to + z * fill.slice + y * fill.pitch;
            for (size_t x = 0; x < fill.width && fill.element > 1; x++) {
                std::memcpy(row + x * fill.element, &fill.value, fill.element);
            }
            if (fill.element == 1) std::memset(row, static_cast<int>(fill.value), fill.width);
            if (watcher) watcher->written(row, fill.width * fill.element);
        }
    }
}

namespace {

bool is_pageable(const void *pointer) { return !find_block(pointer); }

// Copies that wait, and those that do not. Of pageable memory, a source is read at the call and a
// target is written before the call returns; pinned memory is read and written when it is time.
cudaError_t copy_now(const Copy &copy, cudaStream_t stream, bool asynchronous) {
    cudaError_t error = check_copy(copy);
    if (error != cudaSuccess) return error;
    StreamState *on = stream_of(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    const bool recorded = capturing(on);
    if (!asynchronous) {
        error = check_no_capture();
        if (error != cudaSuccess) return error;
    }
    Work work;
    work.what = "copy";
    work.node = [copy] { return copy_node(copy); };
    const bool staged = asynchronous && !recorded && is_pageable(copy.from);
    const bool waits = !recorded && (!asynchronous || is_pageable(copy.to));
    if (staged && !waits) {
        Copy kept = copy;
        auto held = std::make_shared<std::vector<char>>(copy.width * copy.height * copy.depth);
        kept.to = held->data();
        kept.to_pitch = copy.width;
        kept.to_slice = copy.width * copy.height;
        for (size_t z = 0; z < copy.depth; z++) {
            for (size_t y = 0; y < copy.height; y++) {
                std::memcpy(
                    kept.to + z * kept.to_slice + y * kept.to_pitch,
                    copy.from + z * copy.from_slice + y * copy.from_pitch, copy.width
                );
            }
        }
        Copy late = copy;
        late.from = held->data();
        late.from_pitch = kept.to_pitch;
        late.from_slice = kept.to_slice;
        work.run = [late, held] { run_copy(late); };
    } else {
        work.run = [copy] { run_copy(copy); };
    }
    OpRef made;
    error = queue(stream, std::move(work), &made);
    if (error != cudaSuccess) return error;
    if (waits && made) finish(made);
    return waits ? device_fault() : cudaSuccess;
}

cudaError_t fill_now(const Fill &fill, cudaStream_t stream) {
    const cudaError_t error = check_fill(fill);
    if (error != cudaSuccess) return error;
    Work work;
    work.what = "fill";
    work.node = [fill] { return fill_node(fill); };
    work.run = [fill] { run_fill(fill); };
    return queue(stream, std::move(work));
}

Copy pitched(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
             cudaMemcpyKind kind) {
    Copy copy;
    copy.to = static_cast<char *>(to);
    copy.from = static_cast<const char *>(from);
    copy.width = width;
    copy.height = height;
    copy.to_pitch = to_pitch;
    copy.from_pitch = from_pitch;
    copy.to_slice = to_pitch * height;
    copy.from_slice = from_pitch * height;
    copy.kind = kind;
    cudaMemcpy3DParms &it = copy.parameters;
    it.srcPtr = {const_cast<void *>(from), from_pitch, width, height};
    it.dstPtr = {to, to_pitch, width, height};
    it.extent = {width, height, 1};
    it.kind = kind;
    return copy;
}

// A copy of `width` bytes by `height` rows from or to an array.
cudaError_t array_copy(
    cudaArray_t to_array, void *to, size_t to_pitch, cudaArray_t from_array, const void *from,
    size_t from_pitch, cudaPos to_at, cudaPos from_at, size_t width, size_t height, cudaMemcpyKind kind,
    Copy &copy
) {
    cudaMemcpy3DParms it = {};
    const cudaArray_t array = to_array ? to_array : from_array;
    if (!array) return cudaErrorInvalidValue;
    const unsigned texel = array_of(array)->texel;
    it.dstArray = to_array;
    it.srcArray = from_array;
    if (!to_array) it.dstPtr = {to, to_pitch, width, height};
    if (!from_array) it.srcPtr = {const_cast<void *>(from), from_pitch, width, height};
    if (width % texel) return cudaErrorInvalidValue;
    it.dstPos = {to_at.x / (to_array ? texel : 1), to_at.y, 0};
    it.srcPos = {from_at.x / (from_array ? texel : 1), from_at.y, 0};
    it.extent = {width / texel, height, 1};
    it.kind = kind;
    return copy_of(it, copy);
}

}  // namespace

}  // namespace simt

using namespace simt;

// --- the API: allocation -------------------------------------------------------------------------

cudaError_t cudaMalloc(void **pointer, size_t size) {
    return api(SIMT_CALLER, [&] { return allocate(pointer, size, Kind::device); });
}

namespace {

cudaError_t free_as(void *pointer, bool host) {
    if (!pointer) return cudaSuccess;
    finish_device();  // freeing waits for the device
    Block *it = find_block(pointer);
    if (!it || it->base != pointer || it->kind == Kind::variable || it->kind == Kind::array) {
        if (find_freed(pointer)) report("double-free", "memory is freed a second time");
        else report("free-of-what-is-not", "a free of " + describe(pointer));
        return cudaErrorInvalidValue;
    }
    const bool pinned = it->kind == Kind::pinned;
    if (pinned != host) {
        report("free-of-other-kind", std::string(host ? "cudaFreeHost" : "cudaFree") + " of " + describe(pointer));
        return cudaErrorInvalidValue;
    }
    release(*it);
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaFree(void *pointer) {
    return api(SIMT_CALLER, [&] { return free_as(pointer, false); });
}

cudaError_t cudaFreeHost(void *pointer) {
    return api(SIMT_CALLER, [&] { return free_as(pointer, true); });
}

cudaError_t cudaMallocHost(void **pointer, size_t size) {
    return api(SIMT_CALLER, [&] { return allocate(pointer, size, Kind::pinned); });
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags) {
    return api(SIMT_CALLER, [&] {
        if (flags > 7) return cudaErrorInvalidValue;
        return allocate(pointer, size, Kind::pinned, flags);
    });
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags) {
    return api(SIMT_CALLER, [&] {
        if (!size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return cudaErrorInvalidValue;
        return allocate(pointer, size, Kind::managed, flags);
    });
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    return api(SIMT_CALLER, [&] {
        if (!pitch) return cudaErrorInvalidValue;
        *pitch = (width + 511) / 512 * 512;
        return allocate(pointer, *pitch * height, Kind::device);
    });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent) {
    return api(SIMT_CALLER, [&] {
        if (!pointer) return cudaErrorInvalidValue;
        pointer->pitch = (extent.width + 511) / 512 * 512;
        pointer->xsize = extent.width;
        pointer->ysize = extent.height;
        return allocate(&pointer->ptr, pointer->pitch * extent.height * extent.depth, Kind::device);
    });
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned) {
    return api(SIMT_CALLER, [&] {
        if (!pointer || !size) return cudaErrorInvalidValue;
        const Block *known = find_block(pointer);
        if (known && known->base + known->size != pointer) return cudaErrorHostMemoryAlreadyRegistered;
        Block block;
        block.base = static_cast<char *>(pointer);
        block.size = size;
        block.kind = Kind::registered;
        memory().blocks[number(pointer)] = block;
        if (watcher) watcher->allocated(pointer, size, Memory::pinned, true);
        return cudaSuccess;
    });
}

cudaError_t cudaHostUnregister(void *pointer) {
    return api(SIMT_CALLER, [&] {
        finish_device();
        Block *it = find_block(pointer);
        if (!it || it->base != pointer || it->kind != Kind::registered) return cudaErrorHostMemoryNotRegistered;
        release(*it);
        return cudaSuccess;
    });
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    return api(SIMT_CALLER, [&] {
        const Block *it = find_block(host);
        if (!device || flags || !it || !on_host(it)) return cudaErrorInvalidValue;
        *device = host;
        return cudaSuccess;
    });
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    return api(SIMT_CALLER, [&] {
        const Block *it = find_block(host);
        if (!flags || !it || it->kind != Kind::pinned) return cudaErrorInvalidValue;
        *flags = it->flags | cudaHostAllocMapped;  // unified addressing maps all of it
        return cudaSuccess;
    });
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    return api(SIMT_CALLER, [&] {
        if (!available || !total) return cudaErrorInvalidValue;
        *total = properties().totalGlobalMem;
        *available = *total - memory().in_use;
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
    return api(SIMT_CALLER, [&] {
        if (!attributes) return cudaErrorInvalidValue;
        *attributes = cudaPointerAttributes();
        const Block *it = find_block(pointer);
        void *plain = const_cast<void *>(pointer);
        if (!it) {
            attributes->type = cudaMemoryTypeUnregistered;
            attributes->device = -2;
            attributes->hostPointer = plain;
            return cudaSuccess;
        }
        attributes->device = it->device;
        attributes->devicePointer = plain;
        attributes->type = it->kind == Kind::managed ? cudaMemoryTypeManaged
                           : on_host(it)             ? cudaMemoryTypeHost
                                                     : cudaMemoryTypeDevice;
        if (on_host(it)) attributes->hostPointer = plain;
        return cudaSuccess;
    });
}

// --- the API: arrays -----------------------------------------------------------------------------

namespace {

cudaError_t make_array(cudaArray_t *handle, const cudaChannelFormatDesc *format, cudaExtent extent, unsigned flags) {
    if (!handle || !format || !extent.width) return cudaErrorInvalidValue;
    const int bits = format->x + format->y + format->z + format->w;
    if (bits <= 0 || bits % 8) return cudaErrorInvalidChannelDescriptor;
    auto *it = new Array{nullptr, extent.width, extent.height, extent.depth,
                         {format->x, format->y, format->z, format->w}, static_cast<int>(format->f),
                         static_cast<unsigned>(bits / 8), flags};
    void *data = nullptr;
    const cudaError_t error = allocate(&data, it->size(), Kind::array, flags);
    if (error != cudaSuccess) {
        delete it;
        return error;
    }
    it->data = static_cast<char *>(data);
    if (watcher) watcher->allocated(it, sizeof *it, Memory::parameters, true);
    memory().arrays.insert(it);
    *handle = reinterpret_cast<cudaArray_t>(it);
    return cudaSuccess;
}

cudaError_t drop_array(cudaArray_t handle) {
    if (!handle) return cudaSuccess;
    if (!memory().arrays.erase(handle)) return cudaErrorInvalidResourceHandle;
    finish_device();
    Array *it = array_of(handle);
    release(*find_block(it->data));
    if (watcher) watcher->freed(it);
    delete it;
    return cudaSuccess;
}

bool is_array(cudaArray_const_t handle) { return memory().arrays.count(const_cast<cudaArray_t>(handle)) != 0; }

}  // namespace

cudaError_t cudaMallocArray(
    cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width, size_t height, unsigned flags
) {
    return api(SIMT_CALLER, [&] { return make_array(array, format, {width, height, 0}, flags); });
}

cudaError_t cudaMalloc3DArray(
    cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent, unsigned flags
) {
    return api(SIMT_CALLER, [&] {
        if (flags & cudaArrayCubemap && !extent.depth) extent.depth = 6;
        return make_array(array, format, extent, flags);
    });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    return api(SIMT_CALLER, [&] { return drop_array(array); });
}

cudaError_t cudaMallocMipmappedArray(
    cudaMipmappedArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent, unsigned levels,
    unsigned flags
) {
    return api(SIMT_CALLER, [&] {
        if (!array || !levels || levels > 32) return cudaErrorInvalidValue;
        auto *it = new MipmappedArray{levels, {}};
        for (unsigned i = 0; i < levels; i++) {
            cudaArray_t level = nullptr;
            const auto halved = [i](size_t v) { return v ? std::max<size_t>(1, v >> i) : 0; };
            const cudaExtent size = {halved(extent.width), halved(extent.height), halved(extent.depth)};
            const cudaError_t error = make_array(&level, format, size, flags);
            if (error != cudaSuccess) return error;
            it->level[i] = array_of(level);
        }
        if (watcher) watcher->allocated(it, sizeof *it, Memory::parameters, true);
        memory().mipmaps.insert(it);
        *array = reinterpret_cast<cudaMipmappedArray_t>(it);
        return cudaSuccess;
    });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
    return api(SIMT_CALLER, [&] {
        if (!array) return cudaSuccess;
        if (!memory().mipmaps.erase(array)) return cudaErrorInvalidResourceHandle;
        auto *it = reinterpret_cast<MipmappedArray *>(array);
        for (unsigned i = 0; i < it->levels; i++) drop_array(reinterpret_cast<cudaArray_t>(it->level[i]));
        delete it;
        return cudaSuccess;
    });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array, unsigned index) {
    return api(SIMT_CALLER, [&] {
        const auto *it = reinterpret_cast<const MipmappedArray *>(array);
        if (!level || !it || index >= it->levels) return cudaErrorInvalidValue;
        *level = reinterpret_cast<cudaArray_t>(it->level[index]);
        return cudaSuccess;
    });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_const_t handle) {
    return api(SIMT_CALLER, [&] {
        if (!format || !is_array(handle)) return cudaErrorInvalidValue;
        const Array &it = *array_of(handle);
        *format = {it.bits[0], it.bits[1], it.bits[2], it.bits[3], static_cast<cudaChannelFormatKind>(it.kind)};
        return cudaSuccess;
    });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags, cudaArray_t handle) {
    return api(SIMT_CALLER, [&] {
        if (!is_array(handle)) return cudaErrorInvalidValue;
        const Array &it = *array_of(handle);
        if (format) *format = {it.bits[0], it.bits[1], it.bits[2], it.bits[3], static_cast<cudaChannelFormatKind>(it.kind)};
        if (extent) *extent = {it.width, it.height, it.depth};
        if (flags) *flags = it.flags;
        return cudaSuccess;
    });
}

// --- the API: stream-ordered allocation ------------------------------------------------------------

namespace {

Pool *pool_of(cudaMemPool_t pool) {
    if (!pool) return &memory().usual;
    auto *it = reinterpret_cast<Pool *>(pool);
    return it == &memory().usual || memory().pools.count(it) ? it : nullptr;
}

cudaError_t allocate_on(void **pointer, size_t size, cudaMemPool_t handle, cudaStream_t stream) {
    Pool *pool = pool_of(handle);
    if (!stream_of(stream) || !pool) return cudaErrorInvalidValue;
    // The address is known at once; the memory may be used in the order of the stream.
    const cudaError_t error = allocate(pointer, size, Kind::device);
    if (error != cudaSuccess || !*pointer) return error;
    find_block(*pointer)->pool = reinterpret_cast<cudaMemPool_t>(pool);
    pool->used += size;
    pool->high = std::max(pool->high, pool->used);
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
    return api(SIMT_CALLER, [&] { return allocate_on(pointer, size, nullptr, stream); });
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return api(SIMT_CALLER, [&] { return allocate_on(pointer, size, pool, stream); });
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    return api(SIMT_CALLER, [&] {
        Block *it = find_block(pointer);
        if (!it || it->base != pointer || it->kind != Kind::device || it->dying) {
            if (find_freed(pointer) || (it && it->dying)) report("double-free", "memory is freed a second time");
            return cudaErrorInvalidValue;
        }
        it->dying = true;
        Work work;
        work.what = "cudaFreeAsync";
        work.run = [pointer] {
            Block *block = find_block(pointer);
            if (!block) return;
            if (Pool *pool = block->pool ? pool_of(block->pool) : nullptr) pool->used -= block->size;
            release(*block);
        };
        work.node = [run = work.run] { return work_node(run, "cudaFreeAsync"); };
        return queue(stream, std::move(work));
    });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties) {
    return api(SIMT_CALLER, [&] {
        if (!pool || !properties) return cudaErrorInvalidValue;
        auto *it = new Pool;
        it->device = properties->location.id;
        memory().pools.insert(it);
        *pool = reinterpret_cast<cudaMemPool_t>(it);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return api(SIMT_CALLER, [&] {
        auto *it = reinterpret_cast<Pool *>(pool);
        if (!memory().pools.erase(it)) return cudaErrorInvalidValue;
        delete it;
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
    return api(SIMT_CALLER, [&] { return pool_of(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void *value) {
    return api(SIMT_CALLER, [&] {
        Pool *pool = pool_of(handle);
        if (!pool || !value) return cudaErrorInvalidValue;
        switch (attribute) {
            case cudaMemPoolAttrReleaseThreshold: pool->threshold = *static_cast<unsigned long long *>(value); break;
            case cudaMemPoolAttrUsedMemHigh: pool->high = pool->used; break;
            case cudaMemPoolAttrReservedMemHigh: break;
            case cudaMemPoolReuseFollowEventDependencies:
            case cudaMemPoolReuseAllowOpportunistic:
            case cudaMemPoolReuseAllowInternalDependencies:
                pool->flags[attribute] = *static_cast<int *>(value);
                break;
            default: return cudaErrorInvalidValue;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void *value) {
    return api(SIMT_CALLER, [&] {
        Pool *pool = pool_of(handle);
        if (!pool || !value) return cudaErrorInvalidValue;
        auto *wide = static_cast<unsigned long long *>(value);
        switch (attribute) {
            case cudaMemPoolAttrReleaseThreshold: *wide = pool->threshold; break;
            case cudaMemPoolAttrUsedMemCurrent:
            case cudaMemPoolAttrReservedMemCurrent: *wide = pool->used; break;
            case cudaMemPoolAttrUsedMemHigh:
            case cudaMemPoolAttrReservedMemHigh: *wide = pool->high; break;
            default: *static_cast<int *>(value) = pool->flags[attribute]; break;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *list, size_t count) {
    return api(SIMT_CALLER, [&] { return pool_of(pool) && (list || !count) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t pool, cudaMemLocation *location) {
    return api(SIMT_CALLER, [&] {
        if (!flags || !location || !pool_of(pool)) return cudaErrorInvalidValue;
        *flags = cudaMemAccessFlagsProtReadWrite;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) {
    return api(SIMT_CALLER, [&] {
        if (!pool) return cudaErrorInvalidValue;
        *pool = reinterpret_cast<cudaMemPool_t>(&memory().usual);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }

cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t pool) {
    return api(SIMT_CALLER, [&] { return pool_of(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}

// --- the API: copies -------------------------------------------------------------------------------

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind kind) {
    return api(SIMT_CALLER, [&] { return copy_now(linear_copy(to, from, size, kind), default_stream(), false); });
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
    return api(SIMT_CALLER, [&] { return copy_now(linear_copy(to, from, size, kind), stream, true); });
}

cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t size) {
    return api(SIMT_CALLER, [&] {
        return copy_now(linear_copy(to, from, size, cudaMemcpyDeviceToDevice), default_stream(), false);
    });
}

cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t size, cudaStream_t stream) {
    return api(SIMT_CALLER, [&] {
        return copy_now(linear_copy(to, from, size, cudaMemcpyDeviceToDevice), stream, true);
    });
}

cudaError_t cudaMemcpy2D(
    void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind
) {
    return api(SIMT_CALLER, [&] {
        return copy_now(pitched(to, to_pitch, from, from_pitch, width, height, kind), default_stream(), false);
    });
}

cudaError_t cudaMemcpy2DAsync(
    void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
    cudaMemcpyKind kind, cudaStream_t stream
) {
    return api(SIMT_CALLER, [&] {
        return copy_now(pitched(to, to_pitch, from, from_pitch, width, height, kind), stream, true);
    });
}

namespace {

cudaError_t to_array(
    cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
    cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous
) {
    Copy copy;
    const cudaError_t error =
        array_copy(to, nullptr, 0, nullptr, from, pitch, {x, y, 0}, {0, 0, 0}, width, height, kind, copy);
    return error == cudaSuccess ? copy_now(copy, stream, asynchronous) : error;
}

cudaError_t from_array(
    void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
    cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous
) {
    Copy copy;
    const cudaError_t error = array_copy(
        nullptr, to, pitch, const_cast<cudaArray_t>(from), nullptr, 0, {0, 0, 0}, {x, y, 0}, width, height, kind, copy
    );
    return error == cudaSuccess ? copy_now(copy, stream, asynchronous) : error;
}

}  // namespace

cudaError_t cudaMemcpy2DToArray(
    cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind
) {
    return api(SIMT_CALLER, [&] { return to_array(to, x, y, from, pitch, width, height, kind, default_stream(), false); });
}

cudaError_t cudaMemcpy2DToArrayAsync(
    cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
    cudaMemcpyKind kind, cudaStream_t stream
) {
    return api(SIMT_CALLER, [&] { return to_array(to, x, y, from, pitch, width, height, kind, stream, true); });
}

cudaError_t cudaMemcpy2DFromArray(
    void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind
) {
    return api(SIMT_CALLER, [&] { return from_array(to, pitch, from, x, y, width, height, kind, default_stream(), false); });
}

cudaError_t cudaMemcpy2DFromArrayAsync(
    void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
    cudaMemcpyKind kind, cudaStream_t stream
) {
    return api(SIMT_CALLER, [&] { return from_array(to, pitch, from, x, y, width, height, kind, stream, true); });
}

cudaError_t cudaMemcpy2DArrayToArray(
    cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y, size_t width,
    size_t height, cudaMemcpyKind kind
) {
    return api(SIMT_CALLER, [&] {
        Copy copy;
        const cudaError_t error = array_copy(
            to, nullptr, 0, const_cast<cudaArray_t>(from), nullptr, 0, {to_x, to_y, 0}, {from_x, from_y, 0}, width,
            height, kind, copy
        );
        return error == cudaSuccess ? copy_now(copy, default_stream(), false) : error;
    });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t size, cudaMemcpyKind kind) {
    return api(SIMT_CALLER, [&]() -> cudaError_t {
        if (!is_array(to)) return cudaErrorInvalidValue;
        const size_t row = std::min(size, array_of(to)->pitch());
        if (!row || size % row) return cudaErrorInvalidValue;
        return to_array(to, x, y, from, row, row, size / row, kind, default_stream(), false);
    });
}

cudaError_t cudaMemcpyToArrayAsync(
    cudaArray_t to, size_t x, size_t y, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream
) {
    return api(SIMT_CALLER, [&]() -> cudaError_t {
        if (!is_array(to)) return cudaErrorInvalidValue;
        const size_t row = std::min(size, array_of(to)->pitch());
        if (!row || size % row) return cudaErrorInvalidValue;
        return to_array(to, x, y, from, row, row, size / row, kind, stream, true);
    });
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t size, cudaMemcpyKind kind) {
    return api(SIMT_CALLER, [&]() -> cudaError_t {
        if (!is_array(from)) return cudaErrorInvalidValue;
        const size_t row = std::min(size, array_of(from)->pitch());
        if (!row || size % row) return cudaErrorInvalidValue;
        return from_array(to, row, from, x, y, row, size / row, kind, default_stream(), false);
    });
}

cudaError_t cudaMemcpyFromArrayAsync(
    void *to, cudaArray_const_t from, size_t x, size_t y, size_t size, cudaMemcpyKind kind, cudaStream_t stream
) {
    return api(SIMT_CALLER, [&]() -> cudaError_t {
        if (!is_array(from)) return cudaErrorInvalidValue;
        const size_t row = std::min(size, array_of(from)->pitch());
        if (!row || size % row) return cudaErrorInvalidValue;
        return from_array(to, row, from, x, y, row, size / row, kind, stream, true);
    });
}

namespace {

cudaError_t copy_3d(const cudaMemcpy3DParms *parameters, cudaStream_t stream, bool asynchronous) {
    if (!parameters) return cudaErrorInvalidValue;
    Copy copy;
    const cudaError_t error = copy_of(*parameters, copy);
    return error == cudaSuccess ? copy_now(copy, stream, asynchronous) : error;
}

cudaMemcpy3DParms plain(const cudaMemcpy3DPeerParms &it) {
    return {it.srcArray, it.srcPos, it.srcPtr, it.dstArray, it.dstPos, it.dstPtr, it.extent, cudaMemcpyDeviceToDevice};
}

}  // namespace

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *copy) {
    return api(SIMT_CALLER, [&] { return copy_3d(copy, default_stream(), false); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *copy, cudaStream_t stream) {
    return api(SIMT_CALLER, [&] { return copy_3d(copy, stream, true); });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *copy) {
    return api(SIMT_CALLER, [&] {
        if (!copy) return cudaErrorInvalidValue;
        const cudaMemcpy3DParms it = plain(*copy);
        return copy_3d(&it, default_stream(), false);
    });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *copy, cudaStream_t stream) {
    return api(SIMT_CALLER, [&] {
        if (!copy) return cudaErrorInvalidValue;
        const cudaMemcpy3DParms it = plain(*copy);
        return copy_3d(&it, stream, true);
    });
}

// --- the API: fills --------------------------------------------------------------------------------

namespace {

Fill plain_fill(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    Fill fill;
    fill.to = static_cast<char *>(pointer);
    fill.value = static_cast<unsigned char>(value);
    fill.pitch = pitch;
    fill.width = width;
    fill.height = height;
    return fill;
}

Fill deep_fill(cudaPitchedPtr pointer, int value, cudaExtent extent) {
    Fill fill = plain_fill(pointer.ptr, pointer.pitch, value, extent.width, extent.height);
    fill.slice = pointer.pitch * pointer.ysize;
    fill.depth = extent.depth;
    return fill;
}

}  // namespace

cudaError_t cudaMemset(void *pointer, int value, size_t size) {
    return api(SIMT_CALLER, [&] { return fill_now(plain_fill(pointer, size, value, size, 1), default_stream()); });
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream) {
    return api(SIMT_CALLER, [&] { return fill_now(plain_fill(pointer, size, value, size, 1), stream); });
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    return api(SIMT_CALLER, [&] { return fill_now(plain_fill(pointer, pitch, value, width, height), default_stream()); });
}

cudaError_t cudaMemset2DAsync(
    void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream
) {
    return api(SIMT_CALLER, [&] { return fill_now(plain_fill(pointer, pitch, value, width, height), stream); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
    return api(SIMT_CALLER, [&] { return fill_now(deep_fill(pointer, value, extent), default_stream()); });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream) {
    return api(SIMT_CALLER, [&] { return fill_now(deep_fill(pointer, value, extent), stream); });
}

// --- the API: hints --------------------------------------------------------------------------------

namespace {

bool is_managed(const void *pointer, size_t size) {
    const Block *it = find_block(pointer);
    return it && it->kind == Kind::managed && number(pointer) - number(it->base) + size <= it->size;
}

}  // namespace

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, int, cudaStream_t stream) {
    return api(SIMT_CALLER, [&] {
        if (!stream_of(stream)) return cudaErrorInvalidResourceHandle;
        return is_managed(pointer, size) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, cudaMemoryAdvise, int) {
    return api(SIMT_CALLER, [&] { return is_managed(pointer, size) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaMemRangeGetAttribute(
    void *data, size_t data_size, cudaMemRangeAttribute, const void *pointer, size_t size
) {
    return api(SIMT_CALLER, [&] {
        if (!data || data_size < 4 || !is_managed(pointer, size)) return cudaErrorInvalidValue;
        std::memset(data, 0, data_size);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length, unsigned) {
    return api(SIMT_CALLER, [&] {
        if (!stream_of(stream)) return cudaErrorInvalidResourceHandle;
        return is_managed(pointer, length) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

// The linker's names of these, for C files that call functions which they never declared.
#define SIMT_ALIAS(name) asm(".globl cuda" #name "\n.set cuda" #name ", simt_host_" #name "\n");
SIMT_ALIAS(Malloc)
SIMT_ALIAS(Free)
SIMT_ALIAS(Memcpy)
SIMT_ALIAS(Memset)
