import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

@Suite struct FileFlowStoreTests {
  @Test("a store on files does what every store must", arguments: FlowStoreConformance.all)
  func conforms(_ check: FlowStoreConformance.Check) async throws {
    let folder = try Folder()
    let outcome = try await check.run(on: folder.harness)
    #expect((outcome != .passed) == check.needs.contains(.leases), "\(outcome)")
  }
}
