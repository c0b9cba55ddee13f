import FoundationEssentials
import Glibc

/// A running `vault-test-server`.
final class TestServer {
    private let stage: Stage
    private let run: Run
    let address: Announcement

    /// The line the server says when it is there.
    struct Announcement: Decodable {
        let issuer: String
        let tokenEndpoint: String
        let publicClientID: String
        let confidentialClientID: String
        let confidentialClientSecret: String
        let pid: Int32
    }

    /// What the server counted.
    struct Statistics: Decodable {
        let tokenRequests: Int
        let tokenRequestsPerGrantType: [String: Int]
        let refreshes: Int
        let mostPostsOfOneRefreshToken: Int
        let reuseDetections: Int
        let revocations: Int
        let grantsAlive: Int
        let grantsRevoked: Int
        let apiAccepted: Int
        let apiRefused: Int
        let perSubject: [String: Int]
    }

    init(_ stage: Stage, _ arguments: [String]) throws {
        self.stage = stage
        // A server that outlives a test that was killed ends by itself.
        let limit = ["-k", "2", "300", try Programs.testServer()]
        let run = try stage.start(stage.launch(Programs.system("timeout"), limit + arguments))
        self.run = run
        let isThere = try poll(seconds: 20) { run.stdoutSoFar.hasSuffix("\n") }
        guard isThere else {
            throw HarnessError("the test server did not start: \(run.stderrSoFar)")
        }
        address = try JSONDecoder().decode(Announcement.self, from: Data(run.stdoutSoFar.utf8))
    }

    var issuer: String { address.issuer }

    func stop() {
        run.process.kill(SIGTERM)
        _ = try? run.wait(seconds: 10)
    }

    /// Everything it counted so far.
    func statistics() throws -> Statistics {
        let answer = try get("/test/stats")
        return try JSONDecoder().decode(Statistics.self, from: Data(answer.utf8))
    }

    /// What the next token requests meet, as a JSON array.
    func script(_ json: String) throws {
        _ = try post("/test/script", json)
    }

    /// What token requests without a script meet, as a JSON object.
    func setStanding(_ json: String) throws {
        _ = try post("/test/standing", json)
    }

    /// A new grant; its token response as JSON.
    func issue(subject: String = "somebody", client: String = "test-public") throws -> String {
        try post("/test/issue", #"{"subject":"\#(subject)","clientID":"\#(client)"}"#)
    }

    /// The status its protected resource answers to a token.
    func present(_ accessToken: String) throws -> String {
        let arguments = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "@-"]
        return try stage.system(
            "curl",
            arguments + ["\(issuer)/api/whoami"],
            input: "Authorization: Bearer \(accessToken)\n"
        ).out
    }

    private func get(_ path: String) throws -> String {
        try curl(["-fsS", "\(issuer)\(path)"])
    }

    private func post(_ path: String, _ json: String) throws -> String {
        try curl(["-fsS", "--data-binary", "@-", "\(issuer)\(path)"], input: json)
    }

    private func curl(_ arguments: [String], input: String = "") throws -> String {
        // Not part of the history: what tests look at there is what the vault said.
        var launch = stage.launch(try Programs.system("curl"), arguments)
        launch.input = Array(input.utf8)
        let ended = try stage.start(launch).wait()
        guard ended.code == 0 else { throw HarnessError("the test server said no: \(ended)") }
        return ended.out
    }
}
