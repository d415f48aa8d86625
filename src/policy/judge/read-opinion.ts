import type { Policy, WorkerDefinition } from '../policy.ts'
import { overlayOpinions } from './consent.ts'
import { strictest, type Opinion } from './opinion.ts'
import { protectedOpinions } from './protected-consent.ts'
import { zoneOpinions } from './zone-consent.ts'

/**
 * What policy says of a worker that reads one file by itself, whatever call names it: the strictest of protected names,
 * zone and overlays. `null`: no zone of the worker contains the file. Pure.
 */
export function readOpinion(
  place: {
    readonly policy: Policy
    readonly worker: WorkerDefinition
    /** absolute path of the project folder */
    readonly projectDir: string
  },
  path: string,
): Opinion | null {
  const { policy, projectDir, worker } = place
  const accesses = [{ operation: 'read', path, target: 'file' } as const]
  const zones = zoneOpinions(worker, accesses)
  if (zones.length === 0) return null
  const { name, queue } = worker
  const traits = { tool: 'read_file', accesses, worker: name, queue, risk: 'low', command: null }
  return strictest([
    ...protectedOpinions(policy, worker, projectDir, accesses),
    ...zones,
    ...overlayOpinions(policy.config.overlays, { ...traits, risk: 'low' }),
  ])
}
