import { isChange, type Access } from '#domain/tools/access.ts'
import type { FileState, Workspace } from '#domain/tools/workspace.ts'
import { pathLabel, WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import type { WorkerDefinition, Zone } from '../../worker-definition.ts'
import { containsPath, decidingZones } from '../../globs/zones-of-path.ts'

/** What is at a path, for deciding whether a person needs to be asked at all. */
export interface AccessTarget {
  readonly access: Access
  readonly state: FileState
}

/**
 * Step 3: whether the worker can do this at all (product.md 1): zone, mode, suffix, name and type
 * of the target. Returns the target, or a sentence for the model.
 */
export async function judgeCapability(
  worker: WorkerDefinition,
  workspace: Workspace,
  accesses: readonly Access[],
): Promise<{ readonly touched: readonly AccessTarget[] } | { readonly error: string }> {
  const touched: AccessTarget[] = []
  for (const access of accesses) {
    const refusal = refusedByZones(worker, access)
    if (refusal !== null) return { error: refusal }
    try {
      const state = await workspace.state(access.path, { clash: access.operation === 'write' })
      const wrongType = refusedByType(access, state)
      if (wrongType !== null) return { error: wrongType }
      touched.push({ access, state })
    } catch (error) {
      if (!(error instanceof WorkspaceProblem)) throw error
      if (error.code !== 'not_found') return { error: error.message }
      touched.push({ access, state: { kind: 'absent', bytes: 0 } })
    }
  }
  return { touched }
}

function refusedByZones(worker: WorkerDefinition, access: Access): string | null {
  const zones = decidingZones(worker.zones, access.path)
  if (zones.length === 0) {
    const roots = worker.zones.map((zone) => `${zone.name} (${zone.root === '' ? '.' : zone.root})`)
    return `${pathLabel(access.path)} is in no zone of this worker; its zones: ${roots.join(', ') || 'none'}`
  }
  for (const zone of zones) {
    const refusal = refusedByZone(zone, access)
    if (refusal !== null) return refusal
  }
  return null
}

function refusedByZone(zone: Zone, access: Access): string | null {
  if (isChange(access) && zone.mode === 'ro') {
    return `${pathLabel(access.path)} is in zone ${zone.name}, which is read-only`
  }
  const { suffixes } = zone
  if (suffixes === null || access.target === 'directory') return null
  if (suffixes.some((suffix) => access.path.endsWith(suffix))) return null
  if (suffixes.length === 0) {
    return `${pathLabel(access.path)} is in zone ${zone.name}, where this run may touch no file`
  }
  return `${pathLabel(access.path)} does not end in ${suffixes.join(' or ')}, as zone ${zone.name} demands`
}

function refusedByType(access: Access, state: FileState): string | null {
  const name = pathLabel(access.path)
  if (state.clash !== undefined) {
    return `${name} differs only by case from ${JSON.stringify(state.clash)}, which is there`
  }
  switch (state.kind) {
    case 'symlink':
      return `${name} is a link; links are not followed`
    case 'other':
      return `${name} is not a regular file`
    case 'directory':
      return access.target === 'directory' ? null : `${name} is a directory`
    case 'file':
      return access.target === 'file' ? null : `${name} is not a directory`
    case 'absent':
    case 'unknown':
      return null
  }
}

/** A call about a missing file cannot run, so it opens no request (product.md 4). */
export function missingTarget(
  touched: readonly AccessTarget[],
  earlierWrites: ReadonlySet<string> | undefined,
): string | null {
  const missing = touched.find(
    ({ access, state }) =>
      state.kind === 'absent' &&
      access.operation !== 'write' &&
      ![...(earlierWrites ?? [])].some((path) => containsPath(access.path, path)),
  )
  return missing === undefined ? null : `${pathLabel(missing.access.path)} does not exist`
}
