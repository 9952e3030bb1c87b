import ActorFlow
import Foundation
import Testing

@Suite("Route") struct RouteTests {
  private struct Guest: Sendable, Codable, Hashable { var name = "Ann" }
  private struct Member: Sendable, Codable, Hashable { var number = 7 }

  private var greeting: Route<OneOf2<Guest, Member>, String> {
    Route {
      When(Guest.self) { Step("guest") { (guest: Guest) in "Hello \(guest.name)" } }
      When(Member.self) {
        Step("member") { (member: Member) in member.number }
        Step("greet") { (number: Int) in "Welcome back \(number)" }
      }
    }
  }

  @Test("SF-03, WF-15 a value takes the branch of its case, which gets the payload of the case")
  func cases() async throws {
    let flow = Flow {
      Step("who") { (isMember: Bool) -> OneOf2<Guest, Member> in isMember ? .second(Member()) : .first(Guest()) }
      greeting
    }
    #expect(try await FlowCoordinator().run(flow, with: false) == "Hello Ann")
    #expect(try await FlowCoordinator().run(flow, with: true) == "Welcome back 7")
    #expect(flow.steps == ["who", "guest", "member", "greet"])
    #expect(greeting.named("door").steps == ["door/guest", "door/member", "door/greet"])
  }

  @Test("SF-05 one type in several cases stays in the case that it was made in")
  func sameType() async throws {
    let route = Route {
      When(Int.self) { Step("a") { (number: Int) in "first \(number)" } }
      When(Int.self) { Step("b") { (number: Int) in "second \(number)" } }
    }
    #expect(try await FlowCoordinator().run(route, with: .first(1)) == "first 1")
    #expect(try await FlowCoordinator().run(route, with: .second(1)) == "second 1")
  }

  @Test("three and four cases, and nested ones")
  func more() async throws {
    func say(_ text: String) -> Step<Int, String> { Step(text) { (number: Int) in "\(text) \(number)" } }
    let three = Route {
      When(Int.self) { say("a") }
      When(Int.self) { say("b") }
      When(Int.self) { say("c") }
    }
    let four = Route {
      When(Int.self) { say("d") }
      When(Int.self) { say("e") }
      When(Int.self) { say("f") }
      When(OneOf3<Int, Int, Int>.self) { three }
    }
    func run(_ value: OneOf4<Int, Int, Int, OneOf3<Int, Int, Int>>) async throws -> String {
      try await FlowCoordinator().run(four, with: value)
    }
    #expect(try await run(.first(1)) == "d 1")
    #expect(try await run(.second(2)) == "e 2")
    #expect(try await run(.third(3)) == "f 3")
    #expect(try await run(.fourth(.first(4))) == "a 4")
    #expect(try await run(.fourth(.second(5))) == "b 5")
    #expect(try await run(.fourth(.third(6))) == "c 6")
  }

  @Test("a case may carry an optional")
  func optional() async throws {
    let route = Route {
      When(Int?.self) { Step("a") { (number: Int?) in "\(number ?? -1)" } }
      When(Void.self) { Step("b") { "nothing" } }
    }
    #expect(try await FlowCoordinator().run(route, with: .first(nil)) == "-1")
    #expect(try await FlowCoordinator().run(route, with: .second(())) == "nothing")
  }

  @Test("a one-of compares by its case, and is decoded as the case it was encoded as")
  func values() throws {
    let values: [OneOf2<Int, Int>] = [.first(1), .second(1)]
    #expect(values[0] != values[1])
    #expect(Set(values).count == 2)
    #expect(try JSONDecoder().decode([OneOf2<Int, Int>].self, from: JSONEncoder().encode(values)) == values)
    let three: [OneOf3<Guest, Int, Member>] = [.first(Guest()), .second(3), .third(Member())]
    #expect(try JSONDecoder().decode([OneOf3<Guest, Int, Member>].self, from: JSONEncoder().encode(three)) == three)
    let four: [OneOf4<Int, Int, Guest, Member>] = [.first(1), .second(1), .third(Guest()), .fourth(Member())]
    let decoded = try JSONDecoder().decode([OneOf4<Int, Int, Guest, Member>].self, from: JSONEncoder().encode(four))
    #expect(decoded == four)
  }
}
