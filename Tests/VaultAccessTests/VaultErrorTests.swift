import Testing
import VaultAccess

@Suite struct VaultErrorTests {
    @Test("a code catches its errors and no others")
    func codesCatch() {
        func name(_ error: any Error) -> String {
            do {
                throw error
            } catch VaultError.Code.signInNeeded {
                return "sign in"
            } catch VaultError.Code.busy {
                return "busy"
            } catch {
                return "other"
            }
        }
        #expect(name(VaultError(.signInNeeded, account: "work")) == "sign in")
        #expect(name(VaultError(.busy)) == "busy")
        #expect(name(VaultError(.locked)) == "other")
        #expect(name(CancellationError()) == "other")
    }

    @Test("an error says its code, its account and what is known, in a stable order")
    func description() {
        #expect("\(VaultError(.locked))" == "locked")
        #expect("\(VaultError(.busy, account: "work"))" == "busy of work")
        let error = VaultError(
            .throttled,
            account: "work",
            facts: [.status: "429", .host: "as.example"]
        )
        #expect("\(error)" == "throttled of work (host=as.example, status=429)")
    }

    @Test("what passes by itself is told from what does not")
    func transience() {
        #expect(VaultError(.unreachable).isTransient)
        #expect(!VaultError(.signInNeeded).isTransient)
        #expect(VaultError(.throttled, facts: [.retryAfter: "30"]).retryAfter == 30)
    }
}
