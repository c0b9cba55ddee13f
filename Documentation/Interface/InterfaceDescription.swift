/// The description of the agent's HTTP interface, embedded in the agent from the file beside this one.
package enum InterfaceDescription {
    /// An OpenAPI 3.1 document.
    package static let json = PackageResources.openapi_json
}
