internal import CCurl
internal import OAuth

extension CURLcode {
    /// What a failed transfer came to (libcurl-errors(3)).
    ///
    /// - Parameter certificate: What OpenSSL said of the server's certificate
    ///   (CURLINFO_SSL_VERIFYRESULT(3)).
    /// - Returns: The reason, without any text of libcurl's.
    func reason(certificate: Int) -> HTTPTransportError.Reason {
        switch self {
        case CURLE_COULDNT_RESOLVE_HOST:
            .nameNotResolved
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED:
            .connectionFailed
        case CURLE_PROXY, CURLE_COULDNT_RESOLVE_PROXY:
            .proxyFailed
        case CURLE_PEER_FAILED_VERIFICATION:
            Self.fault(ofCertificate: certificate)
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT:
            .clientCertificateUnusable
        case CURLE_SSL_CACERT_BADFILE:
            .authoritiesUnusable
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_USE_SSL_FAILED:
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

    /// What is wrong with a certificate, by OpenSSL's numbers (x509_vfy.h).
    private static func fault(ofCertificate number: Int) -> HTTPTransportError.Reason {
        switch number {
        // OpenSSL found nothing: it was libcurl that compared the names, and what it is left with is
        // the value before, which is 1.
        case 0, 1, 62: .certificateOfAnotherHost
        case 9, 10: .certificateExpired
        default: .certificateUntrusted
        }
    }
}
