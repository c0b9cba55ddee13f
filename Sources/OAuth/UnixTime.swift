/// Bounds of times told by servers.
enum UnixTime {
    /// The last second of the year 9999; what lies beyond is a mistake, mostly of units.
    static let maximum: Double = 253_402_300_799
}
