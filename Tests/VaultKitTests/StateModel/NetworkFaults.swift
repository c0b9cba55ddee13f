/// What the network does wrong with a request that somebody waits for, or with its answer.
extension Events {
    func requestFaults(
        _ number: Int,
        _ refresh: Frozen<ModelRefresh>,
        _ sent: Double
    ) -> [Transition] {
        let token = refresh.value.refreshToken
        func fails(
            _ what: StaticString,
            _ answer: ModelAnswer,
            after seconds: Double = 0,
            isStray: Bool = true
        ) -> Transition {
            fault(.network, what) { next in
                next.now += seconds
                if isStray {
                    next.addStray(token)
                    next.unanswered.insert(token)
                }
                next.workers[number].phase = .answered(refresh, at: sent, answer)
            }
        }
        var all = [
            fails("loses the connection with the request", .connectionLost),
            fails("cannot reach the server", .unreachable, isStray: false),
            fails("redirects the request", .redirect, isStray: false),
            fails("brings back that the client secret is wrong", .wrongSecret, isStray: false),
        ]
        if !rules.sendsOnce { all[0] = sendsAgain(number, refresh, sent, isStray: true) }
        if !rules.staysAtItsServer { all[2].flaw = .sentElsewhere }
        if hasWindow {
            all.append(
                fails("holds the request for longer than anybody waits", .timedOut, after: 30)
            )
        }
        return all + doublings(number, refresh, sent)
    }

    /// What is doubled was sent: nobody can say then that it was not.
    private func doublings(
        _ number: Int,
        _ refresh: Frozen<ModelRefresh>,
        _ sent: Double
    ) -> [Transition] {
        let token = refresh.value.refreshToken
        return [
            fault(.network, "takes the request there, and a copy stays on its way") { next in
                let answer = next.server.answer(to: token, at: state.now)
                next.workers[number].phase = .answered(refresh, at: sent, answer)
                next.addStray(token)
            },
            fault(.network, "takes a copy of the request there, and the request after it") { next in
                _ = next.server.answer(to: token, at: state.now)
                let answer = next.server.answer(to: token, at: state.now)
                next.workers[number].phase = .answered(refresh, at: sent, answer)
            },
        ]
    }

    func answerFaults(
        _ number: Int,
        _ refresh: Frozen<ModelRefresh>,
        _ sent: Double,
        _ answer: ModelAnswer
    ) -> [Transition] {
        func becomes(
            _ what: StaticString,
            _ answer: ModelAnswer,
            after seconds: Double = 0,
            isLost: Bool = true
        ) -> Transition {
            fault(.network, what) { next in
                next.now += seconds
                if isLost { next.unanswered.insert(refresh.value.refreshToken) }
                next.workers[number].phase = .answered(refresh, at: sent, answer)
            }
        }
        var all = [
            becomes("loses the connection with the answer", .connectionLost),
            becomes("answers for the server that it is bad", .badGateway),
        ]
        if let rest = answer.withoutAccessToken {
            all.append(becomes("brings the refresh token alone", rest, isLost: false))
        }
        if !rules.sendsOnce { all[0] = sendsAgain(number, refresh, sent, isStray: false) }
        if hasWindow {
            all.append(
                becomes("holds the answer for longer than anybody waits", .timedOut, after: 30)
            )
        }
        return all
    }

    /// A transport that does by itself what only a new claim may do.
    private func sendsAgain(
        _ number: Int,
        _ refresh: Frozen<ModelRefresh>,
        _ sent: Double,
        isStray: Bool
    ) -> Transition {
        var again = fault(
            .network,
            "loses the connection, and the transport sends again"
        ) { next in
            if isStray { next.addStray(refresh.value.refreshToken) }
            next.unanswered.insert(refresh.value.refreshToken)
            next.workers[number].phase = .sent(refresh, at: sent)
        }
        again.flaw = .sentWithoutIntent
        return again
    }
}
