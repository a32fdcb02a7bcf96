/* Part of cooperative groups. */
#include "cooperative_groups.h"
