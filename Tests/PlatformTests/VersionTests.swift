import Platform
import Testing

@Suite struct VersionTests {
    @Test(
        "one version is newer than another by its numbers",
        arguments: [
            ("0.1.0", "0.2.0", true), ("0.9.0", "0.10.0", true), ("0.10.0", "0.9.0", false),
            ("1", "1.0.0", false), ("1", "1.0.1", true), ("1.0.0-rc.1", "1.0.0", false),
            ("1.2.3+build", "1.2.4", true), ("2.0.0", "1.9.9.9", false),
        ]
    )
    func order(left: String, right: String, isOlder: Bool) throws {
        let (left, right) = (
            try #require(VersionNumber(left)), try #require(VersionNumber(right))
        )
        #expect((left < right) == isOlder)
    }

    @Test(
        "is no version",
        arguments: [
            "", ".", "1.", ".1", "a", "1.a", "-1", "1..2", "1.2.3.4.5", " 1", "1 ", "+1",
            "99999999999999999999", "0x1",
        ]
    )
    func rubbish(text: String) {
        #expect(VersionNumber(text) == nil)
    }

    @Test func theCurrentOneIsOne() {
        #expect(VersionNumber(VaultVersion.current) != nil)
    }
}
