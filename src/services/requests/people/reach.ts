import { behindWords, isSameHuman } from '#domain/deciding/eligibility.ts'
import { quorumTeams, tally } from '#domain/deciding/quorum.ts'
import { Problem } from '#domain/problem.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Quorum } from '#domain/requests/request.ts'
import type { Db, Tx } from '#store/database.ts'
import type { Principal } from './principals-of-run.ts'

/** A person and their present teams. */
export interface Reachable {
  readonly id: string
  /** other rows of the same human; absent: there are none */
  readonly otherIds?: readonly string[]
  readonly name: string
  readonly teams: readonly string[]
  /** cannot sign in any more; absent: they can */
  readonly isDisabled?: true
}

/**
 * The approvers of a queue: its quorum, the teams that escalations add, and whether people may
 * decide their own requests.
 */
export interface QueueRoute {
  readonly queue: string
  readonly quorum: Quorum
  readonly selfApproval: boolean
}

/** The people of these teams who can sign in. The rows of one human count as one person. */
export async function readReachable(db: Db | Tx, teams: readonly string[]): Promise<Reachable[]> {
  return (await readMembers(db, teams)).filter(({ isDisabled }) => isDisabled !== true)
}

/** As `readReachable`, with the members who are disabled. */
export async function readMembers(db: Db | Tx, teams: readonly string[]): Promise<Reachable[]> {
  if (teams.length === 0) return []
  const rows = await db
    .selectFrom('team_member')
    .innerJoin('person', 'person.id', 'team_member.person_id')
    .select(['person.id', 'person.name', 'person.other_ids', 'disabled_at', 'team_member.team'])
    .where('team', 'in', [...new Set(teams)])
    .orderBy('person.name')
    .orderBy('person.id')
    .execute()
  const humans = Map.groupBy(rows, (row) => [row.id, ...(row.other_ids ?? [])].toSorted().join(' '))
  return [...humans.values()].flatMap((all) => {
    const able = all.filter((row) => row.disabled_at === null)
    const rowsOfOne = able.length === 0 ? all : able
    const [first] = rowsOfOne
    if (first === undefined) return []
    const { id, name, other_ids: otherIds } = first
    const teamsOfOne = rowsOfOne.map(({ team }) => team)
    return {
      id,
      otherIds: otherIds ?? [],
      name,
      teams: teamsOfOne,
      ...(able.length === 0 ? { isDisabled: true as const } : {}),
    }
  })
}

/** Why a person is behind what runs or asks; `undefined`: they are not. */
export function whyBehind(
  person: Reachable,
  behind: readonly Principal[],
): Principal['why'] | undefined {
  return behind.findLast(({ personId }) => isSameHuman(person, personId))?.why
}

/**
 * Refuses a request that nobody could decide (product.md 22, 42): people who are not behind it must
 * be able to meet the quorum, unless the queue permits its own. Throws `unreachable_approvers` with
 * the people it would reach and why they do not count, what to configure, and `facts` before its
 * own.
 */
export function requireReachable(
  { queue, quorum, selfApproval }: QueueRoute,
  people: readonly Reachable[],
  behind: readonly Principal[],
  facts: JsonObject = {},
): void {
  const votesOf = (some: readonly Reachable[]) =>
    some.map(({ id, teams }) => ({ personId: id, teams }))
  const able = people.filter(({ isDisabled }) => isDisabled !== true)
  const votes = votesOf(
    able.filter((person) => selfApproval || whyBehind(person, behind) === undefined),
  )
  const { met, missing } = tally(quorum, votes)
  if (met) return
  const teams = quorumTeams(quorum)
  const excluded = able
    .filter((person) => !selfApproval && person.teams.some((team) => teams.includes(team)))
    .flatMap((person) => {
      const why = whyBehind(person, behind)
      return why === undefined ? [] : [{ name: person.name, why: behindWords(why) }]
    })
  const missingTeams = [...new Set(missing.map(({ team }) => team))]
  const disabled = people
    .filter((person) => !able.includes(person))
    .filter((person) => person.teams.some((team) => missingTeams.includes(team)))
    .map(({ name }) => ({ name, why: 'is disabled' }))
  const names = excluded.map(({ name, why }) => `${name}, who ${why}`).join('; ')
  const ownWouldDo = tally(quorum, votesOf(able)).met
    ? `, or allow people to decide their own requests with selfApproval: true in the queue ${queue}`
    : ''
  const remedy =
    excluded.length === 0
      ? `add members to the team ${missingTeams.join(' and ')} in countersign.yaml`
      : `add a colleague to the team ${missingTeams.join(' and ')} in countersign.yaml${ownWouldDo}`
  const reached = excluded.length === 0 ? 'nobody' : `nobody but those behind them (${names})`
  const disabledText = disabled.map(({ name, why }) => `; ${name} ${why}`).join('')
  throw new Problem(
    'unreachable_approvers',
    `Requests in the queue ${queue} would reach ${votes.length === 0 ? reached : 'too few people'}${disabledText}: ${remedy}`,
    { ...facts, queue, teams: missingTeams, people: [...excluded, ...disabled], remedy },
  )
}
