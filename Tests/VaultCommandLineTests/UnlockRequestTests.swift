import OAuth
import Testing
import VaultCrypto
import VaultKit

@testable import VaultCommandLine

@Suite struct UnlockRequestTests {
    @Test(
        "carries a secret as its bytes are",
        arguments: [
            Array("plain".utf8), Array("\"\\/\u{8}\u{1f}\n\t".utf8), Array("\u{e9}\u{1f600}".utf8),
            [0xff, 0xfe, 0x22], [UInt8](repeating: 0x01, count: 1024),
        ]
    )
    func bytes(secret: [UInt8]) {
        let body = UnlockRequest.body(.passphrase(Secret(bytes: secret)), lockAfter: 90)
        let result = JSONReader.read(body.span)
        #expect(result.isComplete)
        #expect(result.value.object?["passphrase"]?.secret == Secret(bytes: secret))
        #expect(result.value.object?["lockAfterSeconds"]?.double == 90)
    }

    @Test func isOneJSONObject() {
        let key = Secret(bytes: [UInt8](repeating: 0, count: 32))
        let rows: [(Unlock, Double?, String)] = [
            (.keyFile, nil, "{}"), (.keyFile, 60, #"{"lockAfterSeconds":60}"#),
            (.keyFileAt(path: "/k\"ey"), nil, #"{"keyFile":"/k\"ey"}"#),
            (.recoveryKey(Secret("AB-CD")), nil, #"{"recoveryKey":"AB-CD"}"#),
            (.key(key), nil, #"{"key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}"#),
            (.passphrase(Secret("p")), 1, #"{"lockAfterSeconds":1,"passphrase":"p"}"#),
        ]
        for (unlock, seconds, json) in rows {
            let body = UnlockRequest.body(unlock, lockAfter: seconds)
            #expect(String(decoding: body, as: UTF8.self) == json)
        }
    }
}

@Suite struct DurationTests {
    @Test(
        "reads",
        arguments: [
            ("1s", 1), ("90s", 90), ("15m", 900), ("8h", 28_800), ("2d", 172_800),
        ] as [(String, Double)]
    )
    func durations(text: String, seconds: Double) throws {
        var arguments = ArgumentReader(["--after", text])
        #expect(try arguments.duration("--after") == seconds)
    }

    @Test(
        "refuses",
        arguments: ["0s", "90", "s", "1 h", "-1h", "1.5h", "1w", "8H", "99999999999s", "50000d"]
    )
    func malformed(text: String) {
        var arguments = ArgumentReader(["--after=\(text)"])
        #expect(throws: UsageError.self) { try arguments.duration("--after") }
    }
}
