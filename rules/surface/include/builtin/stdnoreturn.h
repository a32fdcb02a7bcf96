/* What clang's own stdnoreturn.h gives; this file stands in where its resource folder is missing. */
#ifndef __cplusplus
#define noreturn _Noreturn
#endif
