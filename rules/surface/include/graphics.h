/* The few types of OpenGL, EGL and VDPAU that interop calls take. */
#ifndef SIGTRANS_GRAPHICS_H
#define SIGTRANS_GRAPHICS_H
#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#else
typedef unsigned int GLuint;
typedef unsigned int GLenum;
#endif
#if __has_include(<EGL/egl.h>) && __has_include(<EGL/eglext.h>)
#include <EGL/egl.h>
#include <EGL/eglext.h>
#else
typedef void *EGLImageKHR;
typedef void *EGLStreamKHR;
typedef void *EGLSyncKHR;
typedef int EGLint;
#endif
#if __has_include(<vdpau/vdpau.h>)
#include <vdpau/vdpau.h>
#else
typedef unsigned int VdpDevice;
typedef void *VdpGetProcAddress;
typedef unsigned int VdpVideoSurface;
typedef unsigned int VdpOutputSurface;
#endif
#endif
