import OAuth
import Testing
import VaultCrypto

import struct FoundationEssentials.Data

@Suite struct JSONWebTokenTests {
    @Test("reads the corpus", arguments: JSONWebTokenRow.all)
    func corpus(row: JSONWebTokenRow) {
        let claims = JSONWebToken.claims(of: Secret(row.text))
        let expected = row.decision
        #expect((claims == nil) == (expected.kind == "opaque"))
        #expect(claims?.expiry == expected.exp.map(Int64.init))
        if let time = expected.iat { #expect(claims?.issuedAt == Int64(time)) }
        if let time = expected.nbf { #expect(claims?.notBefore == Int64(time)) }
        if let subject = expected.sub { #expect(claims?.subject == subject) }
        if let issuer = expected.iss { #expect(claims?.issuer == issuer) }
    }

    @Test func readsAMillionDotsAtOnce() {
        #expect(JSONWebToken.claims(of: Secret(String(repeating: ".", count: 1_000_000))) == nil)
    }
}

struct JSONWebTokenRow: Decodable, Sendable, CustomTestStringConvertible {
    struct Expected: Decodable, Sendable {
        let kind: String
        let exp: Double?
        let iat: Double?
        let nbf: Double?
        let sub: String?
        let iss: String?
    }

    struct TokenRecipe: Decodable, Sendable {
        let header_json: String
        let payload: Recipe
        let signature: String
    }

    let id: String
    let token: String?
    let token_recipe: TokenRecipe?
    let expect: Expected
    let alternatives: [Expected]?

    var testDescription: String { id }

    static let all = Corpus.rows("jwt_expiry.jsonl", as: JSONWebTokenRow.self)

    /// The value the vault decides for.
    var decision: Expected { ContestedChoices.decision(id, expect, alternatives) }

    var text: String {
        if let token { return token }
        guard let recipe = token_recipe else { return "" }
        return [recipe.header_json, recipe.payload.text].map(Self.encoded).joined(separator: ".")
            + "." + recipe.signature
    }

    private static func encoded(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
