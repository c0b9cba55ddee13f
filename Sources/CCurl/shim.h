#pragma once
#include <curl/curl.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift cannot call:
// one function for each type of last argument.

// For options that take a long.
static inline CURLcode vault_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

// For options that take a 64-bit size.
static inline CURLcode vault_curl_set_size(CURL *easy, CURLoption option, int64_t value) {
    return curl_easy_setopt(easy, option, (curl_off_t)value);
}

// For options that take a string, which curl copies.
static inline CURLcode vault_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

// For CURLOPT_HTTPHEADER; the list must outlive the transfer.
static inline CURLcode vault_curl_set_list(
    CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

// For options that take a blob, which curl reads while the transfer lasts.
static inline CURLcode vault_curl_lend_blob(
    CURL *easy, CURLoption option, void *bytes, size_t count) {
    struct curl_blob blob = {.data = bytes, .len = count, .flags = CURL_BLOB_NOCOPY};
    return curl_easy_setopt(easy, option, &blob);
}

// The read, write and header callbacks all have this type.
typedef size_t vault_curl_callback(char *bytes, size_t size, size_t count, void *context);

// For a callback and the option with the context it is given.
static inline CURLcode vault_curl_set_callback(
    CURL *easy, CURLoption option, vault_curl_callback *callback, CURLoption context_option,
    void *context) {
    CURLcode result = curl_easy_setopt(easy, option, callback);
    return result ? result : curl_easy_setopt(easy, context_option, context);
}

// Asked before each request on a connection, a repeated one too: 0 lets it go out.
static inline CURLcode vault_curl_set_prerequest(
    CURL *easy, curl_prereq_callback callback, void *context) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
    return result ? result : curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

// For facts that are a long; 0 when there is none.
static inline long vault_curl_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) ? 0 : value;
}

// For facts that are a 64-bit size; -1 when there is none.
static inline int64_t vault_curl_get_size(CURL *easy, CURLINFO info) {
    curl_off_t value = -1;
    return curl_easy_getinfo(easy, info, &value) ? -1 : value;
}

// For options of a multi handle that take a long.
static inline CURLMcode vault_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// CURLMsg keeps the result in a union, which Swift imports without a safe reading.
static inline CURLcode vault_curl_message_result(const CURLMsg *message) {
    return message->data.result;
}
