extension EndpointURL {
    /// Whether another address is of the same site, as far as the two names tell.
    ///
    /// Sites are not told apart by any rule of the DNS, and the list of those that are open to
    /// everybody is large and changes. So this is good for a warning, and for nothing else: the last
    /// two labels have to be the same, and three where the second is one of those that countries have
    /// in place of a domain.
    package func isSameSite(as other: EndpointURL) -> Bool {
        host == other.host || Self.site(host) != nil && Self.site(host) == Self.site(other.host)
    }

    private static let countrySeconds: Set = [
        "ac", "co", "com", "edu", "go", "gob", "gov", "mil", "ne", "net", "nom", "or", "org",
    ]

    /// Nil for an address and for a name of one label.
    private static func site(_ host: String) -> [Substring]? {
        let labels = host.split(separator: ".")
        guard labels.count >= 2, let last = labels.last, !host.contains(":"),
            last.utf8.contains(where: \.isLetter)
        else { return nil }
        let isCountry =
            last.utf8.count == 2 && countrySeconds.contains(String(labels[labels.count - 2]))
        let count = isCountry ? 3 : 2
        return labels.count >= count ? Array(labels.suffix(count)) : nil
    }
}
