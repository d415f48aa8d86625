import {
  builtInToolNames,
  builtInTools,
  createWorkerName,
  type BuiltInToolName,
} from '#domain/tools/built-in-tools.ts'
import type { WorkerDefinition } from '../worker-definition.ts'

/**
 * The built-in tools that a worker file gives (workers-and-policy.md), on any host, without those
 * that every worker has.
 */
export function builtInToolsOf(worker: WorkerDefinition): readonly BuiltInToolName[] {
  return builtInToolNames.filter(
    (name) => builtInTools[name].givenBy !== null && hasBuiltIn(worker, name),
  )
}

/** Whether a worker has a built-in tool. */
export function hasBuiltIn(worker: WorkerDefinition, name: BuiltInToolName): boolean {
  const { tools, workers } = worker
  switch (builtInTools[name].givenBy) {
    case 'zones':
      return worker.zones.length > 0
    case 'shell':
      return worker.shell !== null
    case 'workers':
      // The runs of a worker that may write workers may call them (product.md 43).
      return workers.length > 0 || tools.has(createWorkerName)
    case 'tools':
      return tools.has(name)
    case null:
      return true
  }
}
