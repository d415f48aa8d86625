import { placeText, quorumTeams, quorumText, tally, type Vote } from '#domain/deciding/quorum.ts'
import type { Quorum } from '#domain/requests/request.ts'
import type { Policy, ProjectProblem } from '#policy/policy.ts'
import type { Queue } from '#policy/project-config.ts'
import type { RoutingEntry } from '#policy/routing.ts'
import { placeOfSource } from '#policy/reading/report.ts'
import type { Db } from '#store/database.ts'

/**
 * A warning for each queue whose high risk needs signatures while too few of the people who may
 * decide have a confirmed passkey: of its own team, and of each routing entry that sends calls
 * there (audit.md, Approver's signature). Requires a database with the schema.
 */
export async function warnOfSignatures(
  db: Db,
  policy: Pick<Policy, 'config'>,
): Promise<ProjectProblem[]> {
  const queues = [...policy.config.queues.values()].filter(
    ({ signature }) => signature === 'required',
  )
  if (queues.length === 0) return []
  const votes = await whoCanSign(db, policy)
  return queues.flatMap((queue) => {
    const unmet = quorumsOf(policy, queue).find((quorum) => !tally(quorum, votes).met)
    return unmet === undefined ? [] : [quorumWarning(queue, unmet, votes)]
  })
}

/**
 * People with a confirmed passkey in use, each in the teams of this version: by its files, or by
 * their groups.
 */
async function whoCanSign(db: Db, { config }: Pick<Policy, 'config'>): Promise<Vote[]> {
  const rows = await db
    .selectFrom('person')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.person_id', '=', 'person.id')
        .on('membership.until', '>', (value) => value.fn('clock_timestamp')),
    )
    .select(['person.id', 'person.email', 'membership.team'])
    .where('person.disabled_at', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('credential')
          .select('credential.id')
          .whereRef('credential.person_id', '=', 'person.id')
          .where('credential.removed_at', 'is', null)
          .where('credential.confirmed_at', 'is not', null),
      ),
    )
    .execute()
  const teamsOf = (email: string): string[] =>
    [...config.teams.values()].flatMap(({ name, members }) =>
      members.includes(email) ? [name] : [],
    )
  const teams = new Map<string, Set<string>>()
  for (const { id, email, team } of rows) {
    const teamNames = teams.get(id) ?? new Set(teamsOf(email))
    if (team !== null) teamNames.add(team)
    teams.set(id, teamNames)
  }
  return [...teams].map(([personId, teamNames]) => ({ personId, teams: [...teamNames] }))
}

/**
 * The quorums that a request of this queue may need: its own team's, and those of routing entries
 * that send calls there.
 */
function quorumsOf({ config }: Pick<Policy, 'config'>, queue: Queue): Quorum[] {
  const teamNames = (count: number): Quorum => ({ any: [[{ team: queue.team, count }]] })
  const routed = config.routing.flatMap((entry): Quorum[] => {
    if (entry.quorum === null || !mayAskHere(entry, queue)) return []
    return ['places' in entry.quorum ? entry.quorum.places : teamNames(entry.quorum.count)]
  })
  return [teamNames(1), ...routed]
}

/** An entry with another queue, or a lower risk, asks nobody here for a signature. */
function mayAskHere({ queue, risk, when }: RoutingEntry, { name }: Queue): boolean {
  return (
    (queue ?? name) === name && (when.queue ?? [name]).includes(name) && (risk ?? 'high') === 'high'
  )
}

function quorumWarning(queue: Queue, quorum: Quorum, votes: readonly Vote[]): ProjectProblem {
  const teams = quorumTeams(quorum)
  const able = votes.filter((vote) => vote.teams.some((team) => teams.includes(team))).length
  const missing = tally(quorum, votes).missing.map(placeText).join(' and ')
  const have = able === 0 ? 'nobody has' : able === 1 ? '1 person has' : `${able} people have`
  return {
    ...placeOfSource(queue.source),
    problem:
      `queue ${queue.name} needs signed approvals of high risk by ${quorumText(quorum)}, but ${have} a confirmed ` +
      `passkey there: ${missing} missing`,
    remedy: 'have them register a passkey on their account page, and another person confirm it',
    severity: 'warning',
  }
}
