import { createHash } from 'node:crypto'
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker'

/**
 * The code of the workflows as a short digest. Temporal repeats the build id in half of the events
 * of a history; its default takes 85 bytes.
 */
export function buildIdOf({ code }: WorkflowBundleWithSourceMap): string {
  return createHash('sha256').update(code).digest('hex').slice(0, 12)
}
