import type { Quorum } from '#domain/requests/request.ts'

/**
 * Who was in which team: a version of the policy, between the moments before and after its
 * activation.
 */
interface Version {
  readonly from: number
  /** the time from which nothing is judged by the earlier version */
  readonly settled: number
  readonly teams: ReadonlyMap<string, ReadonlySet<string>>
}

export const teamNames = ['platform', 'security', 'legal'] as const

/** The queues, whose folders are below `notes`. */
export const queueNames = ['docs', 'ops', 'law'] as const

/** A run of each starts every minute: as often as the test says that Temporal does. */
export const scheduleNames = ['notes-1', 'notes-2', 'notes-3', 'notes-4'] as const

/** The people of a team by name, and who was in which team when. */
export class Team {
  readonly people: readonly string[]
  readonly #members: Map<string, Set<string>>
  readonly #versions: Version[] = []

  constructor(size: number) {
    this.people = Array.from({ length: size }, (_, index) => `person-${index}`)
    this.#members = new Map(teamNames.map((name) => [name, new Set<string>()]))
    for (const [index, person] of this.people.entries()) {
      this.membersOf(teamNames[index % 3]).add(person)
      // Some people are in two teams, and must count in one only.
      if (index % 5 === 0) this.membersOf(teamNames[(index + 1) % 3]).add(person)
    }
  }

  membersOf(team: string | undefined): Set<string> {
    const members = this.#members.get(team ?? '')
    if (members === undefined) throw new Error(`there is no team ${team}`)
    return members
  }

  /** A member leaves the team, anybody else joins it. A team keeps at least two members. */
  change(person: string, team: string): 'leaves' | 'joins' {
    const members = this.membersOf(team)
    if (members.has(person) && members.size > 2) {
      members.delete(person)
      return 'leaves'
    }
    members.add(person)
    return 'joins'
  }

  /**
   * Remembers the teams as they are now, in force since somewhere between two moments of the
   * database's clock.
   */
  remember(from: Date, settled: Date): void {
    const teams = new Map([...this.#members].map(([name, members]) => [name, new Set(members)]))
    this.#versions.push({ from: from.getTime(), settled: settled.getTime(), teams })
  }

  /** Whether these people could have met the quorum at a moment, each in a place of their own. */
  couldMeet(quorum: Quorum, people: readonly string[], at: Date): boolean {
    const inForce = this.#versions.filter(({ from }, index) => {
      const next = this.#versions[index + 1]
      return from <= at.getTime() && (next === undefined || at.getTime() <= next.settled)
    })
    return inForce.some(({ teams }) =>
      quorum.any.some((places) => {
        const seats = places.flatMap(({ team, also = [], count }) =>
          Array.from({ length: count }, () => [team, ...also]),
        )
        return fill(seats, people, (person, name) => teams.get(name)?.has(person) === true)
      }),
    )
  }

  /** The project's files with the teams as they are. */
  files(): Record<string, string> {
    const teams = teamNames.map(
      (name) => `  ${name}: { members: [${[...this.membersOf(name)].map(mailOf).join(', ')}] }`,
    )
    const people = this.people.map((name) => `  - { email: ${mailOf(name)}, name: ${name} }`)
    return { 'countersign.yaml': countersignYaml(people, teams), 'workers/scribe.md': scribe }
  }
}

/**
 * Whether every seat can be filled by another person; tries them all, which is enough for a few.
 */
function fill(
  seats: readonly (readonly string[])[],
  people: readonly string[],
  isIn: (person: string, team: string) => boolean,
): boolean {
  const [seat, ...others] = seats
  if (seat === undefined) return true
  return people.some(
    (person) =>
      seat.some((team) => isIn(person, team)) &&
      fill(
        others,
        people.filter((one) => one !== person),
        isIn,
      ),
  )
}

export function mailOf(person: string): string {
  return `${person}@example.com`
}

function countersignYaml(people: readonly string[], teams: readonly string[]): string {
  return `version: 1
people:
${people.join('\n')}
teams:
${teams.join('\n')}
  operators: { members: [person-0@example.com, person-1@example.com] }
queues:
  docs: { team: platform, selfApproval: true, expiresAfter: 24h, remindAfter: [2h, 8h] }
  ops:
    team: platform
    edits: revise
    expiresAfter: 72h
    permitFor: 12h
    remindAfter: 4h
    escalate: [{ after: 12h, addTeams: [legal] }]
  law:
    team: legal
    expiresAfter: 120h
    remindAfter: [24h, 48h]
    escalate: [{ after: 36h, addTeams: [platform] }]
defaults: { queue: docs }
routing:
  - { when: { path: "notes/ops/**" }, queue: ops, quorum: { allOf: [{ team: platform, count: 2 }, { team: security }] } }
  - { when: { path: "notes/law/**" }, queue: law, quorum: { anyOf: [{ team: legal, count: 2 }, { team: security, count: 2 }] } }
schedules:
${scheduleNames
  .map(
    (name, index) =>
      `  ${name}: { worker: scribe, input: '["notes/ops/${index}.md"]', cron: "* * * * *", as: person-${index % 2}@example.com, conversation: ${index === 0} }`,
  )
  .join('\n')}
rights: { manageRuns: [operators], activatePolicy: [operators], managePeople: [operators], readAudit: [operators] }
`
}

const scribe = `---
name: scribe
description: Writes notes
model: openai-compatible:scripted-by-the-test
limits: { turns: 40, calls: 200, tokens: 2000000 }
zones:
  - { name: repo, root: ., mode: ro, approval: { read: preApproved } }
  - { name: notes, root: ./notes, mode: rw, suffixes: [.md], approval: { read: preApproved, write: ask, delete: ask } }
---
You write notes.
`
