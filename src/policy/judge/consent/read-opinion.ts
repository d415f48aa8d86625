import type { Access } from '#domain/tools/access.ts'
import type { Policy } from '../../policy.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import { overlayOpinions } from './consent.ts'
import { attachmentAccesses } from './delegation.ts'
import { strictest, type Opinion } from './opinion.ts'
import { protectedOpinions } from './protected-consent.ts'
import { zoneOpinions } from './zone-consent.ts'

/** The worker whose zones apply. */
export interface ReadingPlace {
  readonly policy: Policy
  readonly worker: WorkerDefinition
  /** absolute path of the project folder */
  readonly projectDir: string
}

/**
 * The opinion on a worker reading one file, in any call: the strictest of protected names, zone and
 * overlays. `null`: no zone of the worker contains the file. Pure.
 */
export function readOpinion(place: ReadingPlace, path: string): Opinion | null {
  return opinionOn(place, [{ operation: 'read', path, target: 'file' }])
}

/** The same for handing the file to another worker: it is read, and shared. */
export function shareOpinion(place: ReadingPlace, path: string): Opinion | null {
  return opinionOn(place, attachmentAccesses([path]))
}

function opinionOn(place: ReadingPlace, accesses: readonly Access[]): Opinion | null {
  const { policy, projectDir, worker } = place
  const zones = zoneOpinions(worker, accesses)
  if (zones.length === 0) return null
  const { name, queue } = worker
  const traits = { tool: 'read_file', accesses, worker: name, queue, command: null }
  return strictest([
    ...protectedOpinions(policy, worker, projectDir, accesses),
    ...zones,
    ...overlayOpinions(policy.config.overlays, { ...traits, risk: 'low' }),
  ])
}
