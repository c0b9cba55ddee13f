internal import VaultAccess

extension Check {
    /// What a resource server says against a token; only its own words are made much of.
    func challenge(_ bytes: [UInt8]) {
        let field = String(decoding: bytes, as: UTF8.self)
        let challenge = BearerChallenge(field)
        // By bytes: what follows may make one character of it and the last letter.
        let isThere = Array(field.lowercased().utf8).contains(Array("bearer".utf8))
        expect(challenge == nil || isThere, "a challenge of another scheme")
        // An escape stands for what follows it, so the text is as long at most.
        let length = challenge?.error?.utf8.count ?? 0
        expect(length <= field.utf8.count, "more words than were said")
        for status in [200, 400, 401, 403] {
            let isRejection = BearerChallenge.rejectsToken(status: status, challenges: [field])
            let expected =
                status == 401
                ? challenge?.error != "insufficient_scope"
                : status >= 400 && challenge?.error == "invalid_token"
            expect(isRejection == expected, "status \(status) is judged otherwise")
        }
        // A scheme in front of it that says nothing changes nothing.
        guard let challenge, !field.contains("\"") else { return }
        let behind = BearerChallenge("Basic realm=x, \(field)")
        expect(behind?.error == challenge.error, "another one behind another scheme")
    }
}
