import { startRunName } from '#domain/runs/start-of-run.ts'
import type { ProjectConfig } from '../../project-config.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import { ownQueue, ownQueueWhy } from '../routing/route.ts'
import type { CallTraits } from '../routing/when-matches.ts'
import { overlayOpinions } from './consent.ts'
import { strictest, type Opinion } from './opinion.ts'

/** The strictest opinion on the starts of a worker's runs. */
export function startOpinion(config: ProjectConfig, worker: WorkerDefinition): Opinion {
  const { startApproval, name } = worker
  const begins: Opinion = {
    approval: 'preApproved',
    rule: { id: 'start:free', text: `runs of ${name} begin at once`, source: null },
    reason: null,
    isHighRisk: false,
  }
  const asks: Opinion = {
    ...begins,
    approval: 'ask',
    rule: {
      id: 'start:worker',
      text: `the worker ${name} asks before each of its runs begins`,
      source: startApproval?.source ?? null,
    },
  }
  const overlays = config.overlays.filter(({ when }) => when.tool?.includes(startRunName) === true)
  const overlaid = overlayOpinions(overlays, startTraits(config, worker))
  return strictest([startApproval === null ? begins : asks, ...overlaid]) ?? begins
}

/** The traits of a start for routing and overlays. */
export function startTraits(config: ProjectConfig, worker: WorkerDefinition): CallTraits {
  return {
    tool: startRunName,
    accesses: [],
    worker: worker.name,
    queue: ownQueue(config, worker),
    queueWhy: ownQueueWhy(config, worker),
    risk: 'medium',
    command: null,
  }
}
