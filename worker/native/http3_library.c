#include "http3_library.h"

#ifdef HTTP3_BUILT
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

struct quic_library quic;
struct quic_crypto_library quic_crypto;
struct http3_library nghttp3;
struct gnutls_library gnutls;

static char missing[300];

static void *open_library(const char *name, const char *package)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        snprintf(missing, sizeof missing, "%s is not on this host: install the package %s", name, package);
    return library;
}

static bool find(void *library, const char *name, void **function)
{
    *function = dlsym(library, name);
    if (*function == NULL)
        snprintf(missing, sizeof missing, "the libraries of HTTP/3 have no %s: install newer ones", name);
    return *function != NULL;
}

#define FIND(structure, prefix, name) ok = ok && find(library, prefix #name, (void **)&structure.name);

static bool load_quic(void)
{
    void *library = open_library("libngtcp2.so.16", "libngtcp2-16");
    bool ok = library != NULL;
#define QUIC_FIND(name) FIND(quic, "ngtcp2_", name)
    QUIC_FUNCTIONS(QUIC_FIND)
    return ok;
}

static bool load_quic_crypto(void)
{
    void *library = open_library("libngtcp2_crypto_gnutls.so.8", "libngtcp2-crypto-gnutls8");
    bool ok = library != NULL;
#define QUIC_CRYPTO_FIND(name) FIND(quic_crypto, "ngtcp2_crypto_", name)
    QUIC_CRYPTO_FUNCTIONS(QUIC_CRYPTO_FIND)
    return ok;
}

static bool load_http3(void)
{
    void *library = open_library("libnghttp3.so.9", "libnghttp3-9");
    bool ok = library != NULL;
#define HTTP3_FIND(name) FIND(nghttp3, "nghttp3_", name)
    HTTP3_FUNCTIONS(HTTP3_FIND)
    return ok;
}

static bool load_gnutls(void)
{
    void *library = open_library("libgnutls.so.30", "libgnutls30t64");
    bool ok = library != NULL;
#define GNUTLS_FIND(name) FIND(gnutls, "gnutls_", name)
    GNUTLS_FUNCTIONS(GNUTLS_FIND)
    return ok;
}

const char *http3_load(void)
{
    return load_quic() && load_quic_crypto() && load_http3() && load_gnutls() ? NULL : missing;
}
#else
const char *http3_load(void)
{
    return "the load engine was built without HTTP/3: it needs libngtcp2 1.2 and libnghttp3 1.1 or newer, which Debian 13 has "
           "(libngtcp2-dev, libngtcp2-crypto-gnutls-dev, libnghttp3-dev, libgnutls28-dev); install them and build it again (make setup)";
}
#endif
