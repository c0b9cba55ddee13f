import Testing

@testable import VaultAccess

@Suite struct BearerChallengeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let field: String
        /// Nil where there is no bearer challenge.
        let error: String??

        init(_ field: String, _ error: String??) {
            self.field = field
            self.error = error
        }

        var testDescription: String { field }
    }

    private static let fields = [
        Row("Bearer", .some(nil)),
        Row(#"Bearer realm="api""#, .some(nil)),
        Row(#"Bearer error="invalid_token""#, "invalid_token"),
        Row("Bearer error=invalid_token", "invalid_token"),
        Row(#"bEARER Error = "invalid_token""#, "invalid_token"),
        Row(#"Bearer realm="a, b", error="insufficient_scope", scope="x y""#, "insufficient_scope"),
        Row(#"Bearer realm="\"error=\\", error="invalid_token""#, "invalid_token"),
        Row(#"Basic realm="x", Bearer error="invalid_token""#, "invalid_token"),
        Row(#"Bearer error="invalid_token", Basic realm="x", error="other""#, "invalid_token"),
        Row(#"Basic error="invalid_token""#, nil),
        Row(#"DPoP error="invalid_token", Bearer realm="x""#, .some(nil)),
        Row("Negotiate YIIab+/c==, Bearer error=invalid_token", "invalid_token"),
        Row(#"Bearer error="invalid_token", error="insufficient_scope""#, "invalid_token"),
        Row(#"Bearer error="invalid_tok"#, "invalid_tok"),
        Row(#"Bearer error="#, ""),
        Row(#"Bearer error="\"#, ""),
        Row(",,  ,Bearer,,error=invalid_token,,", "invalid_token"),
        Row("\u{0}\u{ff}Bearer", .some(nil)),
        Row("", nil),
        Row("BearerX error=invalid_token", nil),
    ]

    @Test("the error of a bearer challenge is found among whatever stands there", arguments: fields)
    func findsTheError(_ row: Row) {
        let challenge = BearerChallenge(row.field)
        #expect((challenge != nil) == (row.error != nil))
        #expect(challenge?.error == row.error.flatMap { $0 })
    }

    @Test(
        "HT-09: a token is rejected by 401 unless the scope is what is missing, and by what says so",
        arguments: [
            (401, [], true), (401, ["Basic realm=x"], true), (401, ["Bearer"], true),
            (401, [#"Bearer error="invalid_token""#], true),
            (401, [#"Bearer error="insufficient_scope""#], false),
            (401, ["Basic realm=x", #"Bearer error="insufficient_scope""#], false),
            (403, [#"Bearer error="insufficient_scope""#], false), (403, [], false),
            (403, [#"Bearer error="invalid_token""#], true),
            (400, [#"Bearer error="invalid_token""#], true), (400, [], false), (407, [], false),
            (200, [#"Bearer error="invalid_token""#], false), (500, [], false),
        ] as [(Int, [String], Bool)]
    )
    func judges(status: Int, challenges: [String], isRejected: Bool) {
        #expect(BearerChallenge.rejectsToken(status: status, challenges: challenges) == isRejected)
    }
}
