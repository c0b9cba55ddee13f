/// An issuer as somebody typed it, and the places where its document may be.
struct IssuerAddress {
    private static let openIDSuffix = "/.well-known/openid-configuration"
    private static let oauthSuffix = "/.well-known/oauth-authorization-server"

    /// Scheme, host and port in one form, and the path without a slash at its end.
    let identity: String
    /// Where to look, in this order: both standards, then what is deployed against them.
    let documents: [EndpointURL]

    init(_ typed: String) throws(DiscoveryError) {
        let trimmed = typed.trimmingBlanks
        let text = trimmed.contains("://") ? trimmed : "https://" + trimmed
        let url: EndpointURL
        do throws(EndpointURLError) {
            url = try EndpointURL(text)
        } catch {
            throw error == .insecure ? .issuerInsecure : .issuerInvalid(error)
        }
        guard url.query == nil else { throw .issuerInvalid(nil) }
        let path = Self.issuerPath(url.path)
        let origin = url.origin
        identity = origin + path
        var places = [origin + path + Self.openIDSuffix, origin + Self.oauthSuffix + path]
        if !path.isEmpty { places.append(origin + path + Self.oauthSuffix) }
        documents = places.map { EndpointURL(unchecked: $0) }
    }

    /// Whether a document's issuer is this one.
    ///
    /// One slash at the end and the letter case of the host may differ, nothing else: both are typed
    /// by hand and neither leads to another server.
    func isSame(as stated: String) -> Bool {
        guard let url = try? EndpointURL(stated), url.query == nil else { return false }
        return url.origin + Self.withoutSlash(url.path) == identity
    }

    /// The path of the issuer, also when the document's own address was pasted.
    private static func issuerPath(_ path: String) -> String {
        if path.hasSuffix(openIDSuffix) { return String(path.dropLast(openIDSuffix.count)) }
        if path.hasPrefix(oauthSuffix) {
            return withoutSlash(String(path.dropFirst(oauthSuffix.count)))
        }
        return withoutSlash(path)
    }

    private static func withoutSlash(_ path: String) -> String {
        path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
