/* What clang's own stdalign.h gives; this file stands in where its resource folder is missing. */
#ifndef __cplusplus
#define alignas _Alignas
#define alignof _Alignof
#endif
