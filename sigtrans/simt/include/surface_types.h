// Descriptions of surfaces are among those of textures.
#pragma once
#define __SURFACE_TYPES_H__
#include "texture_types.h"
