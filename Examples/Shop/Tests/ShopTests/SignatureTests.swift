import ActorFlowWeb
import Foundation
import Testing

@testable import Shop

@Suite("The bank's signature") struct SignatureTests {
  @Test("is an HMAC with SHA-256 of the time and the body, as hexadecimal digits") func code() throws {
    let notice = BankNotice(payment: "p", order: "o", isPaid: true)
    let time = Date(timeIntervalSince1970: 1_767_225_600)
    var request = try BankSignature.request(for: notice, secret: "Jefe", now: time)
    request.body = Array("what do ya want for nothing?".utf8)
    // Made by another implementation: the code of "1767225600.what do ya want for nothing?".
    request.headers["Bank-Signature"] =
      "t=1767225600,v1=8bf4bab82972f519c62eab705abd744e0bc4e8a7e292de99189f49e03834693a"
    try BankSignature.verify(request, secret: "Jefe", now: time)
    #expect(throws: BankSignature.NotSigned.self) { try BankSignature.verify(request, secret: "jefe", now: time) }
  }
}
