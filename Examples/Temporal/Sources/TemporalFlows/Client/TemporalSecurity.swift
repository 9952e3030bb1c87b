internal import GRPCNIOTransportHTTP2

/// The way in which connections to a Temporal server are secured.
public struct TemporalSecurity: Sendable {
  let transport: HTTP2ClientTransport.Posix.TransportSecurity
  var isEncrypted = true

  /// No encryption, for a server on the same machine or behind a proxy.
  public static var plaintext: TemporalSecurity { TemporalSecurity(transport: .plaintext, isEncrypted: false) }

  /// TLS. The server is verified by the system's roots, or by those of a file.
  ///
  /// - Parameter roots: The path of a PEM file with the trusted roots; `nil` for the system's.
  public static func tls(roots: String? = nil) -> TemporalSecurity {
    TemporalSecurity(
      transport: .tls { tls in
        if let roots { tls.trustRoots = .certificates([.file(path: roots, format: .pem)]) }
      })
  }

  /// TLS in which the client shows a certificate, too.
  ///
  /// - Parameters:
  ///   - certificate: The path of a PEM file with the client's certificate chain.
  ///   - key: The path of a PEM file with the client's private key.
  ///   - roots: The path of a PEM file with the trusted roots; `nil` for the system's.
  public static func mutualTLS(certificate: String, key: String, roots: String? = nil) -> TemporalSecurity {
    TemporalSecurity(
      transport: .tls { tls in
        tls.certificateChain = [.file(path: certificate, format: .pem)]
        tls.privateKey = .file(path: key, format: .pem)
        if let roots { tls.trustRoots = .certificates([.file(path: roots, format: .pem)]) }
      })
  }
}
