import type { ChildProcess } from 'node:child_process'
import type { CommandLimits } from '../process/command-limits.ts'
import type { ControlGroup } from '../process/control-group.ts'
import type { WrittenAmounts } from '../process/disk-usage-watch.ts'
import { lookAtTree, type TreeUse } from '../process/process-tree.ts'
import { mappedBy, sharedBy, sharedOfHost } from '../process/shared-memory.ts'
import type { CommandUse } from '../process/watch-command.ts'

/** What a sandbox's processes use, without bubblewrap's first process inside. */
export function useOf(
  { pid = 0 }: ChildProcess,
  group: ControlGroup | null,
  limits: CommandLimits,
  written: WrittenAmounts & { readonly sharedBefore: number },
): CommandUse {
  const tree = lookAtTree(pid, limits.processes + 2)
  const isCharged = group?.bounds.memory ?? false
  const { memoryBytes, pids } = tree
  return {
    processes: pids.length - 1,
    memoryBytes: isCharged ? memoryBytes : memoryBytes + sharedUse(tree, limits, written),
    writtenBytes: Math.max(tree.writtenBytes, written.zoneBytes),
    files: written.zoneFiles + written.tmpFiles,
    problem: isCharged ? null : written.problem,
    outOfMemory: group?.outOfMemory() ?? false,
  }
}

/**
 * The shared memory of processes and the files in memory, which may overlap, where no control group
 * counts them. Slow measurements are made only when a fast one shows that it may be too much.
 */
function sharedUse(
  { memoryBytes, pids, sharedBytes }: TreeUse,
  limits: CommandLimits,
  { sharedBefore, tmpBytes }: WrittenAmounts & { readonly sharedBefore: number },
): number {
  const room = limits.memoryBytes - memoryBytes
  // Memory that no process maps any more is not counted for a process, but is still allocated.
  if (sharedOfHost() - sharedBefore > room) return Math.max(mappedBy(pids), tmpBytes)
  if (sharedBytes <= tmpBytes || sharedBytes <= room) return Math.max(sharedBytes, tmpBytes)
  return Math.max(sharedBy(pids), tmpBytes)
}
