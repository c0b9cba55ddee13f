internal import VaultCrypto
internal import VaultHTTPServer

/// The device authorization endpoint (RFC 8628 §3.1).
struct DeviceAuthorizationRoute {
    let core: AuthorizationServerCore

    func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
        guard let form = Form(body: request) else { return .oauthError("invalid_request") }
        do throws(ClientAuthentication.Failure) {
            let client = try ClientAuthentication.client(
                of: request,
                form: form,
                among: core.clients
            )
            let now = core.clock()
            let settings = core.settings
            let (deviceCode, userCode) = core.withLedger {
                $0.makeDeviceCode(
                    client: client.id,
                    scope: form["scope"] ?? "",
                    lifetime: settings.deviceCodeLifetime,
                    interval: settings.deviceInterval,
                    now: now
                )
            }
            let place = core.issuer + Endpoint.device.rawValue
            return .json(
                Codes(
                    device_code: deviceCode.reveal { $0 },
                    user_code: userCode,
                    verification_uri: place,
                    verification_uri_complete: "\(place)?user_code=\(userCode)",
                    expires_in: Int(settings.deviceCodeLifetime),
                    interval: settings.deviceInterval
                ),
                headers: [("Cache-Control", "no-store")]
            )
        } catch {
            return error.response
        }
    }

    /// Named as on the wire.
    private struct Codes: Encodable {
        let device_code: String
        let user_code: String
        let verification_uri: String
        let verification_uri_complete: String
        let expires_in: Int
        let interval: Double
    }
}

/// The page where the resource owner types the code: it consents at once, or refuses with `deny`.
struct DevicePageRoute {
    let core: AuthorizationServerCore

    func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
        guard let form = Form(request.query), let userCode = form["user_code"] else {
            return HTTPServerResponse(status: 400, text: "no user_code\n")
        }
        let decision: DeviceRequest.Decision =
            form["deny"] == nil
            ? .approved(subject: form["login_hint"] ?? core.nextSubject()) : .denied
        guard core.withLedger({ $0.decide(decision, userCode: userCode) }) else {
            return HTTPServerResponse(status: 404, text: "no such code\n")
        }
        return HTTPServerResponse(status: 200, text: "Done\n")
    }
}
