/// Decides what an answer without an access token means.
///
/// A statement about the grant is believed only when it is clear: a wrong "refused" costs a person a
/// sign-in, a wrong "unknown" costs a retry.
struct AnswerClassifier {
    let grantType: GrantType
    let quirks: ProviderQuirks

    func classify(
        _ problem: TokenProblem,
        response: HTTPResponse,
        isPage: Bool
    ) -> AnswerClass {
        if grantType == .deviceCode, let found = lookUp(problem, in: AnswerTable.devicePolling) {
            return found
        }
        if response.status == 429 { return .throttled }
        if let meaning = fromQuirks(problem) { return meaning.answerClass }
        if let found = fromTexts(problem) { return found }
        if let found = lookUp(problem, in: AnswerTable.codes) { return found }
        return fromStatus(response, isPage: isPage)
    }

    /// What the provider's own catalogue entry says.
    private func fromQuirks(_ problem: TokenProblem) -> ProviderQuirks.ErrorMeaning? {
        let texts = problem.texts.map { AnswerTable.spelled($0) }
        let told = (quirks.errorTexts ?? []).first { known in
            let phrase = AnswerTable.spelled(known.text)
            return (known.code.map(problem.codes.contains) ?? true)
                && texts.contains { $0.contains(phrase) }
        }
        if let told { return told.meaning }
        return quirks.errorCodes.flatMap { meanings in
            problem.codes.lazy.compactMap { meanings[$0] }.first
        }
    }

    private func lookUp(
        _ problem: TokenProblem,
        in table: [String: AnswerClass]
    ) -> AnswerClass? {
        let known = problem.codes.compactMap { table[$0] }
        // `invalid_grant` with a finer code beside it: the resource owner must act either way.
        if known.first == .grantRefused, known.contains(.interactionRequired) {
            return .interactionRequired
        }
        return known.first
    }

    private func fromTexts(_ problem: TokenProblem) -> AnswerClass? {
        let code = problem.codes.first { AnswerTable.codes[$0] != nil }
        let texts = problem.texts.map { AnswerTable.spelled($0) }
        return AnswerTable.texts.first { known in
            (code.map { known.contradicts.contains($0) } ?? true)
                && texts.contains { known.isWhole ? $0 == known.phrase : $0.contains(known.phrase) }
        }?.answerClass
    }

    private func fromStatus(_ response: HTTPResponse, isPage: Bool) -> AnswerClass {
        switch response.status {
        case 500..., 408, 425: return .ambiguous(.transient)
        // A redirect is not followed, so the endpoint's address is wrong.
        case 300..<400, 401, 404, 405, 415: return .clientRefused
        // A firewall's page says nothing about the grant.
        case 403 where isPage: return .ambiguous(.transient)
        default: return .ambiguous(.malformed)
        }
    }
}
