import Testing

extension EndToEndTests {
    /// What is stored is counted from 1970 in UTC: no zone, and no change of the clocks to summer time,
    /// moves an expiry.
    @Suite struct TimeZoneTests {
        /// Half a day each way; and zones that have summer time now, begin it and end it.
        private static let zones = [
            "UTC0", "AAA-14", "BBB12", "CCC0DDD,J1/0,J365/25", "EEE0FFF-3,J1/0,J365/25",
            "Europe/Berlin", "America/New_York",
        ]

        @Test func cliD07AChangeOfTheZoneMovesNoExpiry() throws {
            try withStage { stage in
                try stage.initialize()
                var expiries: Set<String?> = []
                let added = try stage.vault(
                    ["add", "work", "--client-id", "c", "--provider", "github"],
                    input: #"{"access_token":"t","refresh_token":"r","expires_in":7199}"#,
                    environment: ["TZ": "AAA-14"]
                )
                #expect(added.code == 0, "\(added)")
                for (index, zone) in Self.zones.enumerated() {
                    // Each second one by an agent that began in that zone.
                    if index.isMultiple(of: 2) {
                        #expect(try stage.vault("agent", "stop").code == 0)
                    }
                    let list = try stage.vault("list", "--json", environment: ["TZ": zone])
                    let account = try JSON(list.word)["accounts"]?[0]
                    expiries.insert(account?["expiresAt"]?.string)
                    let token = try stage.vault(
                        ["token", "work", "--json", "--min-valid", "7000"],
                        environment: ["TZ": zone]
                    )
                    #expect(token.code == 0, "\(zone): \(token)")
                    expiries.insert(try JSON(token.word)["expiresAt"]?.string)
                    let words = try stage.vault("list", environment: ["TZ": zone])
                    #expect(words.out.contains("in 119 min"), "\(words)")
                }
                #expect(expiries.count == 1 && expiries.first??.hasSuffix("Z") == true)
            }
        }
    }
}
