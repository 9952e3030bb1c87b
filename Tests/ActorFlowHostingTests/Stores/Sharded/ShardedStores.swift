import ActorFlow
import ActorFlowTesting

@testable import ActorFlowHosting

/// Stores in memory that may not answer, as the shards of one store.
final class ShardedStores: Sendable {
  typealias Store = ShardedFlowStore<FaultyStore<MemoryFlowStore>>

  let clock = ManualWallClock()
  let shards: [FaultyStore<MemoryFlowStore>]

  init(_ count: Int = 3) {
    let clock = clock
    shards = (0..<count).map { _ in FaultyStore(MemoryFlowStore(clock: clock)) }
  }

  /// Opens the store, as another process does.
  func open() async throws -> Store { try await ShardedFlowStore(shards) }

  /// Opens a store of these shards, in this order.
  func open(_ numbers: [Int]) async throws -> Store { try await ShardedFlowStore(numbers.map { shards[$0] }) }

  /// Lets a shard answer no call.
  func stop(_ number: Int) {
    shards[number].plan { _ in .fail(FlowStoreError(.unavailable, "a test has stopped this shard")) }
  }

  func start(_ number: Int) { shards[number].plan { _ in nil } }

  /// Returns the id of a flow of this shard.
  func id(in number: Int, _ name: String = "flow") -> FlowID {
    let placement = ShardPlacement(count: shards.count)
    return (0...).lazy.map { FlowID("\(name) \($0)") }.first { placement.shard(of: $0) == number } ?? ""
  }
}

/// Expects an error of a store with this code.
func expectRefused(
  _ code: FlowStoreError.Code, _ text: String = "", _ body: () async throws -> Void
) async throws -> FlowStoreError {
  do { try await body() } catch let error as FlowStoreError {
    guard error.code == code, error.message.contains(text) else {
      throw FlowStoreError(.conflict, "expected \(code) with '\(text)', found \(error)")
    }
    return error
  }
  throw FlowStoreError(.conflict, "expected \(code), and nothing was thrown")
}
