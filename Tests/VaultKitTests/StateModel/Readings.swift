import FoundationEssentials
import Platform
import VaultCrypto

@testable import VaultKit
@testable import VaultStore

/// What the shipping reader and planner make of each answer: asked once for each, as they are pure.
final class Readings {
    /// `RefreshConclusion`, as a value that can be compared.
    enum Conclusion {
        case install(Frozen<ModelPair>)
        case rescue(Frozen<ModelPair>, then: Frozen<Abandonment>)
        case abandon(Frozen<Abandonment>)
        case swapSecret(Frozen<Abandonment>)
    }

    private struct Question: Hashable {
        let answer: ModelAnswer
        let refresh: Frozen<ModelRefresh>
        let sent: Double
        let now: Double
    }

    private var known: [Question: Conclusion] = [:]

    func conclusion(
        _ answer: ModelAnswer,
        _ refresh: Frozen<ModelRefresh>,
        sent: Double,
        at now: Double
    ) -> Conclusion {
        let question = Question(answer: answer, refresh: refresh, sent: sent, now: now)
        if let conclusion = known[question] { return conclusion }
        let conclusion = conclude(question)
        known[question] = conclusion
        return conclusion
    }

    private func conclude(_ question: Question) -> Conclusion {
        let refresh = question.refresh.value
        let sent = Moment.fixed.advanced(by: question.sent)
        let conclusion = refresh.planner.conclude(
            question.answer.read(presented: Secret(refresh.refreshToken), sent: sent),
            to: refresh.intent,
            sent: sent,
            at: .fixed.advanced(by: question.now),
            random: WorkerSteps.random
        )
        return switch conclusion {
        case .install(let pair): .install(Frozen(ModelPair(pair)))
        case .rescue(let pair, let end, _): .rescue(Frozen(ModelPair(pair)), then: Frozen(end))
        case .abandon(let end, _): .abandon(Frozen(end))
        case .swapSecret(let end): .swapSecret(Frozen(end))
        }
    }
}
