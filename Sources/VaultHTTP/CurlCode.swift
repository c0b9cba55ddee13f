internal import CCurl
internal import OAuth

extension CURLcode {
    /// What a failed transfer came to (libcurl-errors(3)).
    var reason: HTTPTransportError.Reason {
        switch self {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            .nameNotResolved
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED:
            .connectionFailed
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_USE_SSL_FAILED, CURLE_SSL_CLIENTCERT:
            .tlsFailed
        case CURLE_OPERATION_TIMEDOUT:
            .timedOut
        case CURLE_FILESIZE_EXCEEDED:
            .answerTooLarge
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
            CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_RANGE_ERROR:
            .malformedAnswer
        case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED, CURLE_BAD_FUNCTION_ARGUMENT,
            CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
            .refused
        default:
            .connectionLost
        }
    }
}
