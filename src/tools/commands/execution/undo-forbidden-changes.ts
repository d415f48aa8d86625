import { setTimeout as delay } from 'node:timers/promises'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { Policy } from '#policy/policy.ts'
import { processesLeftBy } from '#sandbox/process/control-group.ts'
import { processesOf } from '#sandbox/process/processes-of.ts'
import type { CommandSite } from '../plan/command-place.ts'
import { violationOf } from './command-result.ts'
import { restoreNames } from './store-names.ts'
import { makePlan } from '../plan/make-plan.ts'
import type { CommandRecord } from './command-record.ts'

/**
 * A command ends with its host, so a change this long after the host's last sign of life is not the
 * command's.
 */
const marginMs = 10_000
const endWithinMs = 10_000

/** When a lost command may have changed something at the latest, in milliseconds. */
export function lastChangeMs({ lastSeenMs }: CommandRecord): number {
  return lastSeenMs + marginMs
}

/**
 * Undoes changes to protected names by a command whose host was killed first (security.md 8), once
 * none of its processes is left. Returns the changes in words; `null`: none. Later changes stay,
 * and are named. Rejects when the names cannot be examined.
 */
export async function undoForbiddenChanges(
  site: CommandSite,
  policy: Policy,
  workspace: Workspace,
  lost: CommandRecord,
): Promise<string | null> {
  const worker = policy.workers.get(lost.worker)
  if (worker === undefined || workspace.root !== lost.root) {
    throw new Error(`Its workspace ${lost.root} is not that of this host any more`)
  }
  if (lost.variable !== null) await endProcesses(lost.variable, lost.owner.pid)
  const place = { ...site, policy, worker }
  const { undo } = await makePlan(place, workspace, '', new Set(), false)
  const before = { guarded: new Map(lost.guarded), closed: lost.closed }
  const sentences = await undo(before, lastChangeMs(lost))
  if (lost.kept === null) return violationOf(sentences)
  const storedFiles = new Map(lost.kept.map(([at, hash]) => [at, { hash, bytes: null }]))
  return violationOf([...sentences, ...(await restoreNames(workspace, before, storedFiles))])
}

async function endProcesses(variable: string, owner: number): Promise<void> {
  const deadline = performance.now() + endWithinMs
  while (performance.now() < deadline) {
    const pids = processesOf({ first: 0, variable, others: processesLeftBy(owner) })
    if (pids.length === 0) return
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
    await delay(10)
  }
}
