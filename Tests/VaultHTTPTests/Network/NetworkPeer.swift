import FoundationEssentials
import Platform
import Testing
import VaultTesting

/// A TLS server or a proxy on 127.0.0.1, as `Fixtures/network-peer.py` plays them.
final class NetworkPeer: Sendable {
    let port: UInt16
    private let process: SupervisedProcess
    private let folder: String

    init(_ mode: String, _ arguments: [String] = []) async throws {
        let folder = "/tmp/vault-test-peer-\(ProcessIdentity.current)-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
        self.folder = folder
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/network-peer.py")
        process = try SupervisedProcess(
            "/usr/bin/env",
            arguments: ["python3", script.path, folder, mode] + arguments,
            input: [],
            environment: ["PATH": Environment["PATH"] ?? "/usr/bin:/bin"]
        )
        var port: UInt16?
        let end = ContinuousClock.now + .seconds(20)
        while port == nil, ContinuousClock.now < end {
            port = (try? String(contentsOfFile: folder + "/port", encoding: .utf8))
                .flatMap { UInt16($0) }
            if port == nil { try await Task.sleep(for: .milliseconds(10)) }
        }
        self.port = try #require(port, "the peer does not listen")
    }

    deinit {
        process.kill()
        _ = process.wait(milliseconds: 5000)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// What it wrote down, line by line.
    var log: [String] {
        let text = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { String($0) }
    }
}

/// Certificates for the tests of one process, made by openssl(1) when they are first wanted.
///
/// Two authorities; of the first one servers' certificates for 127.0.0.1 and as.example, one for
/// another host, one that expired yesterday, and a client's.
struct TestCertificates: Sendable {
    let folder: String

    static let shared = Result { try TestCertificates() }

    private init() throws {
        folder = "/tmp/vault-test-certificates-\(ProcessIdentity.current)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let script = """
            set -e; cd "$1"; umask 077
            key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
            for ca in ca other; do
                openssl req -x509 $key -keyout $ca.key -out $ca.pem -subj "/CN=$ca" -days 2
            done
            leaf() {
                openssl req $key -keyout $1.key -out $1.csr -subj "/CN=$1"
                echo "subjectAltName=$2" > $1.ext
                openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial \\
                    -days $3 -out $1.pem -extfile $1.ext
            }
            leaf server "IP:127.0.0.1,DNS:as.example" 2
            leaf elsewhere "DNS:elsewhere.example" 2
            leaf expired "IP:127.0.0.1" -1
            leaf client "DNS:client.example" 2
            cat client.pem client.key > both.pem
            """
        let process = try SupervisedProcess(
            "/bin/sh",
            arguments: ["-c", script, "sh", folder],
            input: [],
            environment: ["PATH": Environment["PATH"] ?? "/usr/bin:/bin"]
        )
        try #require(process.wait(milliseconds: 20_000) == .exited(0), "openssl did not do it")
    }

    subscript(_ name: String) -> String { "\(folder)/\(name)" }

    func pem(_ name: String) throws -> String {
        try String(contentsOfFile: self[name], encoding: .utf8)
    }
}
