/* What clang's own stdbool.h gives; this file stands in where its resource folder is missing. */
#ifndef SIGTRANS_STDBOOL_H
#define SIGTRANS_STDBOOL_H
#ifndef __cplusplus
#define bool _Bool
#define true 1
#define false 0
#endif
#define __bool_true_false_are_defined 1
#endif
