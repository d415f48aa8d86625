import { sql } from 'kysely'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { quorumTeams, tally } from '#domain/deciding/quorum.ts'
import type { Policy } from '#policy/policy.ts'
import { possibleRoutes } from '#policy/judge/routing/possible-routes.ts'
import type { ServiceContext } from '../../core/context.ts'
import type { RecordOf } from '../../core/record-of.ts'
import { principalsOfRun } from '../../requests/people/principals-of-run.ts'
import { readReachable, whyBehind, type Reachable } from '../../requests/people/reach.ts'

/** A queue that the run may ask and whose approvers are away. */
export type RunWarning = RecordOf<RunDetail['warnings'][number]>

/**
 * The queues that a run may ask and where nobody can decide until somebody is back (details.md,
 * Absence): a warning only, since the run starts and its requests wait. One query when nobody is
 * away.
 */
export async function awayWarnings(
  ctx: ServiceContext,
  policy: Policy,
  run: { readonly id: string; readonly worker: string },
): Promise<RunWarning[]> {
  const worker = policy.workers.get(run.worker)
  const absent = await ctx.db
    .selectFrom('absence')
    .select(['person_id', 'until'])
    .where('until', '>', sql<Date>`clock_timestamp()`)
    .execute()
  if (worker === undefined || absent.length === 0) return []
  const away = new Map(absent.map((row) => [row.person_id, row.until]))
  const routes = possibleRoutes(policy, worker).flatMap((one) => (one.queue === null ? [] : one))
  const teams = routes.flatMap((route) => quorumTeams(route.quorum))
  const people = await readReachable(ctx.db, teams)
  const behind = await principalsOfRun(ctx.db, run.id)
  const behindIds = new Set(
    people.flatMap((person) => (whyBehind(person, behind) === undefined ? [] : person.id)),
  )
  const shortages = routes.flatMap(({ queue, quorum, selfApproval }): Shortage[] => {
    const votes = people
      .filter(({ id }) => selfApproval || !behindIds.has(id))
      .map(({ id, teams: theirs }) => ({ personId: id, teams: theirs }))
    const isMetBy = (who: typeof votes): boolean => tally(quorum, who).met
    if (!isMetBy(votes) || isMetBy(votes.filter(({ personId }) => !away.has(personId)))) return []
    const own = quorumTeams(quorum)
    const missing = people.filter(
      ({ id, teams: theirs }) =>
        away.has(id) && !behindIds.has(id) && theirs.some((team) => own.includes(team)),
    )
    const [until] = missing.flatMap(({ id }) => away.get(id) ?? []).toSorted((a, b) => +a - +b)
    return until === undefined ? [] : [{ queue, missing, until }]
  })
  // A queue has a route for each quorum that routing may set: one warning says enough.
  const byQueue = [...new Map(shortages.map((shortage) => [shortage.queue, shortage])).values()]
  const byPeople = Map.groupBy(byQueue, idsOf)
  return byQueue.map((shortage): RunWarning => {
    const queues = (byPeople.get(idsOf(shortage)) ?? []).map(({ queue }) => queue)
    const { queue, missing, until } = shortage
    return { code: 'approvers_away', queue, text: textOf(queues, missing), until }
  })
}

/** The people for whom a queue waits. */
interface Shortage {
  readonly queue: string
  readonly missing: readonly Reachable[]
  readonly until: Date
}

function idsOf({ missing }: Shortage): string {
  return missing.map(({ id }) => id).join(' ')
}

/** The same sentence for all queues that wait for the same people. */
function textOf(queues: readonly string[], missing: Shortage['missing']): string {
  const where =
    queues.length === 1 ? `the queue ${queues.join()}` : `one of the queues ${queues.join(', ')}`
  const names = missing.map(({ name }) => name).join(', ')
  const are = missing.length === 1 ? 'is' : 'are'
  return `A request in ${where} may have to wait: ${names} ${are} away, and the others are too few to decide it`
}
