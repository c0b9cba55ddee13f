extension Seeds {
    /// Two epochs, and one with an earlier spent-token key.
    static var keyrings: [[UInt8]] {
        let key = [UInt8](repeating: 7, count: 32)
        let first: [UInt8] = [1, 1, 0, 0, 0, 2, 0, 2, 0, 0, 0, 1] + key + [0, 0, 0, 2] + key
        let second: [UInt8] = [2, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1] + key + [0, 1] + key
        return [first, second]
    }

    static let accountRecords = [
        """
        {"client_authentication":"none","client_id":"c","name":"work",\
        "token_endpoint":"https://op.example/token"}
        """,
        """
        {"authorization_endpoint":"https://op.example/a","client_authentication":\
        "client_secret_basic","client_id":"c","client_secret":"CANARY-cs","issuer":\
        "https://op.example","name":"work","other_client_secret":"CANARY-os","provider":"google",\
        "redirect_uri":"http://127.0.0.1/","refresh_endpoint":"https://op.example/r",\
        "refresh_parameters":[["a","b"]],"renewal":"manual","revocation_endpoint":\
        "https://op.example/out","revocation_form":"bearer","rotation":"grace:5","scope":["a","b"],\
        "sends_scope":true,"tags":["x","y"],"token_endpoint":"https://op.example/token",\
        "userinfo_endpoint":"https://op.example/me"}
        """,
    ].map { Array($0.utf8) }

    static let tokenRecords = [
        #"""
        {"access_tokens":[{"access_token":"CANARY-at","lifetime":3600.0,"obtained":\#
        {"boot_id":"b","uptime":1.5,"wall":1760000000.25},"token_type":"Bearer"}],\#
        "refresh_token":"CANARY-rt"}
        """#,
        #"""
        {"access_tokens":[{"access_token":"CANARY-at","generation":3,"obtained":{"boot_id":"",\#
        "uptime":0.0,"wall":1760000000.0},"requested_scope":["a"],"resource":"https://a.example",\#
        "scope":["a"],"token_type":"Bearer"}],"grant":{"began":1760000000.0,"ends":1770000000.0,\#
        "lifetime":86400.0,"obtained":1760000000.0},"hold":{"reason":"restored",\#
        "since":1760000000.0},"late_duplicate":{"first_sent":1.0,"sent_again":2.0},\#
        "previous":{"refresh_token":"CANARY-old","until":1760086400.0},"sign_in_needed":\#
        {"reason":"grant_refused","since":1760000000.0},"silent_refusals":{"count":2,"since":\#
        {"boot_id":"","uptime":0.0,"wall":1760000000.0},"status":403},"times_kept":2}
        """#,
    ].map { Array($0.utf8) }

    static let intentRecords = [
        #"""
        {"attempt":2,"claimed":{"boot_id":"b","uptime":1.5,"wall":1760000000.25},"first":\#
        {"boot_id":"b","uptime":0.5,"wall":1759999999.25},"refresh_token_hash":"00ff"}
        """#
    ].map { Array($0.utf8) }
}
