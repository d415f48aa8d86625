import { inSlots } from '#domain/sharing/in-slots.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Problem } from '#domain/problem.ts'
import type { RequestLocation } from '../requests/people/find-request.ts'

/** What decides whether items can share a transaction. */
interface GroupedItem {
  readonly body: JsonObject
  readonly batchRefusal: Problem | null
  readonly location: RequestLocation | null
}

/** Concurrent transactions; each takes one of the ten connections of a process. */
const groupsAtOnce = 4

/** A transaction with more locks than this would make others wait too long. */
const maxGroup = 50

/**
 * Decides items in groups of one transaction each, a few of them concurrently. The items of one run
 * are decided in their order: after a failure the later ones are not decided. `decide` returns
 * `undone` for a group that could not be written, which is then split by run, and then into single
 * items. Rejects with the first error after the others were decided.
 */
export async function decideInGroups<Item extends GroupedItem>(
  items: readonly Item[],
  decide: (group: readonly Item[]) => Promise<'decided' | 'undone'>,
): Promise<void> {
  const errors: unknown[] = []
  const failed = new Set<string | null>()
  const decideAll = async (group: readonly Item[]): Promise<void> => {
    const [first] = group
    if (first === undefined || failed.has(runOf(first))) return
    try {
      if ((await decide(group)) === 'decided') return
    } catch (error) {
      errors.push(error)
      failed.add(runOf(first))
      return
    }
    const ofRuns = [...Map.groupBy(group, runOf).values()]
    const smaller = ofRuns.length > 1 ? ofRuns : group.map((item) => [item])
    for (const part of smaller) await decideAll(part)
  }
  for (const round of roundsOf(items)) {
    const openGroups = round.filter(([first]) => first !== undefined && !failed.has(runOf(first)))
    await inSlots(transactionsOf(openGroups), groupsAtOnce, decideAll)
  }
  if (errors.length > 0) throw errors[0]
}

/** The first groups of all runs, then the second ones, and so on. */
function roundsOf<Item extends GroupedItem>(items: readonly Item[]): Item[][][] {
  const rounds: Item[][][] = []
  for (const ofRun of Map.groupBy(items, runOf).values()) {
    for (const [round, group] of groupsOf(ofRun).entries()) (rounds[round] ??= []).push(group)
  }
  return rounds
}

/**
 * Items with the same value are decided in their order: those of a run, of a request without one,
 * and those that were not found.
 */
function runOf({ location }: GroupedItem): string | null {
  return location?.runId ?? location?.id ?? null
}

/**
 * Consecutive approvals can share a transaction. Every other decision has its own transaction: on a
 * request that the caller may not see, that the batch refuses, or that the group already contains,
 * and every denial, because it ends other requests too.
 */
function groupsOf<Item extends GroupedItem>(items: readonly Item[]): Item[][] {
  const groups: Item[][] = []
  for (const item of items) {
    const group = groups.at(-1)
    if (group !== undefined && group.length < maxGroup && joins(group, item)) group.push(item)
    else groups.push([item])
  }
  return groups
}

function joins(group: readonly GroupedItem[], item: GroupedItem): boolean {
  if (![...group, item].every(isGrouped)) return false
  return group.every(({ location }) => location?.id !== item.location?.id)
}

function isGrouped({ body, batchRefusal, location }: GroupedItem): boolean {
  return body['decision'] === 'approve' && batchRefusal === null && location !== null
}

/** Combines groups of approvals while there is room; the others stay alone. */
function transactionsOf<Item extends GroupedItem>(groups: readonly Item[][]): Item[][] {
  const { approvals = [], others = [] } = Object.groupBy(groups, (group) =>
    group.every(isGrouped) ? 'approvals' : 'others',
  )
  const transactions: Item[][] = []
  for (const group of approvals) {
    const last = transactions.at(-1)
    if (last !== undefined && last.length + group.length <= maxGroup) last.push(...group)
    else transactions.push([...group])
  }
  return [...transactions, ...others]
}
