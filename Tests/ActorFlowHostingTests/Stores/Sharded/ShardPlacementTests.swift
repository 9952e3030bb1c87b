import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("The places of flows in shards") struct ShardPlacementTests {
  @Test("the hash of an id is the one that stored flows were placed by")
  func hash() {
    // `printf order-17 | sha256sum | cut -c 1-16`
    let known: [(String, UInt64)] = [
      ("", 0xe3b0_c442_98fc_1c14), ("abc", 0xba78_16bf_8f01_cfea), ("order-17", 0x72a9_0ea3_da8b_5dd0),
      ("caf\u{E9}", 0x850f_7dc4_3910_ff89),
      ("cafe\u{301}", 0x81ef_060b_cd98_adc7),
    ]
    for (text, hash) in known { #expect(ShardPlacement.hash(text) == hash, "\(text)") }
  }

  @Test("ids are spread evenly, and each is in the shard of its remainder")
  func spread() {
    for count in [1, 2, 3, 7, 16, 256] {
      let placement = ShardPlacement(count: count)
      var found = [Int](repeating: 0, count: count)
      for number in 0..<count * 100 {
        let id = FlowID("order-\(number)")
        let shard = placement.shard(of: id)
        #expect(shard == Int(ShardPlacement.hash(id.description) % UInt64(count)))
        found[shard] += 1
      }
      #expect(found.allSatisfy { (40...180).contains($0) }, "\(found)")
    }
  }

  @Test("the note of a deleted flow is in the flow's shard, any other in the first")
  func notes() {
    let placement = ShardPlacement(count: 16)
    for number in 0..<40 {
      let id = FlowID("order-\(number)")
      #expect(placement.shard(ofNote: "ended:\(id)") == placement.shard(of: id))
    }
    for key in ["deployment", "", "ende", "order-1"] { #expect(placement.shard(ofNote: key) == 0) }
    #expect(ShardPlacement.key(ofNote: "deployment") == "deployment")
    #expect(ShardPlacement.key(ofNote: "shard:mark") == "shard:=shard:mark")
    #expect(ShardPlacement.key(ofNote: "shard:=shard:mark") == "shard:=shard:=shard:mark")
  }

  @Test("a limit is shared, and those first in turn get the rest")
  func shares() {
    let shares = { (limit: Int) in ShardPlacement.shares(of: limit, among: [2, 0, 1]).map(\.share) }
    #expect(shares(0) == [0, 0, 0])
    #expect(shares(2) == [1, 1, 0])
    #expect(shares(10) == [4, 3, 3])
    #expect(shares(.max).reduce(0, +) == .max)
  }
}
