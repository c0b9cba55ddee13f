import Glibc
import Testing

extension EndToEndTests {
    /// The ways to sign in, at authorization servers that others wrote.
    @Suite struct RealFlowsTests {
        private static let scope = [
            "--scope", "openid", "--scope", "offline_access", "--scope", "read",
        ]

        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func aPastedAddressSignsIn(kind: RealServer.Kind) throws {
            try withRealServer(kind) { stage, server, redirectURI in
                let ended = try stage.pipedLogin(
                    [
                        "--issuer", server.issuer, "--client-id", server["PUBLIC_CLIENT_ID"],
                        "--redirect-uri", redirectURI,
                    ] + Self.scope
                ) { try server.redirect(of: $0) }
                #expect(ended.code == 0, "\(ended)")
                #expect(try server.present(stage.vault("token", "work").word) == "200")
                #expect(try stage.vault("refresh", "work").code == 0)
            }
        }

        /// The device endpoint of django-oauth-toolkit is in no document.
        @Test(arguments: [RealServer.Kind.glewlwyd, .dot])
        func aDeviceIsApprovedOrDenied(kind: RealServer.Kind) throws {
            let settings = ["DEVICE_INTERVAL": "1"]
            try withRealServer(kind, settings: settings) { stage, server, _ in
                var words = ["login", "work", "--flow", "device", "--issuer", server.issuer]
                if kind == .dot {
                    words += [
                        "--client-id", "dot-device", "--device-authorization-endpoint",
                        "\(server.issuer)/device-authorization/",
                    ]
                    let denied = try stage.deviceLogin(words + Self.scope) {
                        try server.decide($0, isApproved: false)
                    }
                    #expect(denied.code == 1, "\(denied)")
                    #expect(denied.err.contains("refused on the other device"), "\(denied)")
                } else {
                    words += ["--client-id", server["PUBLIC_CLIENT_ID"]]
                }
                let ended = try stage.deviceLogin(words + Self.scope) { try server.decide($0) }
                #expect(ended.code == 0, "\(ended)")
                #expect(try server.present(stage.vault("token", "work").word) == "200")
                #expect(try stage.vault("refresh", "work").code == 0)
                let again = try stage.deviceLogin(["login", "work"]) { try server.decide($0) }
                #expect(again.code == 0, "\(again)")
            }
        }

        /// Glewlwyd's page knows no denial: it denies whoever approved and is gone before the device asks,
        /// which therefore has to wait long enough.
        @Test func aDeviceIsDeniedAtGlewlwyd() throws {
            try withRealServer(.glewlwyd, settings: ["DEVICE_INTERVAL": "8"]) { stage, server, _ in
                let words = [
                    "login", "work", "--flow", "device", "--issuer", server.issuer,
                    "--client-id", server["PUBLIC_CLIENT_ID"],
                ]
                let denied = try stage.deviceLogin(words + Self.scope) {
                    try server.decide($0, isApproved: false)
                }
                #expect(denied.code == 1 && denied.errorLines.count == 1, "\(denied)")
                #expect(denied.err.contains("refused on the other device"), "\(denied)")
                #expect(try stage.vault("token", "work").code == 3)
            }
        }

        @Test func theVaultRegistersItselfAtGlewlwyd() throws {
            try withRealServer(.glewlwyd) { stage, server, _ in
                let ended = try stage.login(
                    "work",
                    issuer: server.issuer,
                    clientID: nil,
                    Self.scope
                ) { try server.browse($0) }
                #expect(ended.code == 0, "\(ended)")
                #expect(try server.present(stage.vault("token", "work").word) == "200")
                #expect(try stage.vault("refresh", "work").code == 0)
                let again = try stage.login("work", issuer: nil, clientID: nil) {
                    try server.browse($0)
                }
                #expect(again.code == 0, "\(again)")
            }
        }
    }
}
