#include "http2_library.h"

#include <stdio.h>

#ifdef HTTP2_BUILT
#include <dlfcn.h>

struct http2_library nghttp2;

const char *http2_load(void)
{
    void *library = dlopen("libnghttp2.so.14", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return "libnghttp2.so.14 is not on this host: install the package libnghttp2-14";
#define HTTP2_FIND(name)                                                                                               \
    if ((*(void **)&nghttp2.name = dlsym(library, "nghttp2_" #name)) == NULL)                                          \
        return "libnghttp2.so.14 has no nghttp2_" #name ": install a newer libnghttp2-14";
    HTTP2_FUNCTIONS(HTTP2_FIND)
#undef HTTP2_FIND
    return NULL;
}
#else
const char *http2_load(void)
{
    return "the load engine was built without HTTP/2: install libnghttp2-dev and build it again (make setup)";
}
#endif
