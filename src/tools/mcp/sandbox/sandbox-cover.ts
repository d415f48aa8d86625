import { lstat } from 'node:fs/promises'
import { hashJson } from '#domain/json/digest.ts'
import type { SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import { bytesOfName } from '#sandbox/names/raw-names.ts'

/**
 * `sha256:…` of what a sandbox shows, hides and protects, by paths and files. A mount in the
 * sandbox ends when the host replaces the file below it. It does not cover a file that is made
 * later.
 */
export async function coverOf(plan: SandboxPlan): Promise<string> {
  const { covered, emptied, pinned, readOnly, zones } = plan
  const mounts = Object.entries({ covered, emptied, pinned, readOnly })
  const named = [
    ...zones.map(({ mode, path }) => [mode, path] as const),
    ...mounts.flatMap(([kind, paths]) => paths.map((path) => [kind, path] as const)),
  ]
  const files = named.map(async ([kind, path]) => {
    // Names need not be text.
    const bytes = bytesOfName(path)
    return `${bytes.toString('latin1')} ${kind} ${await fileAt(bytes)}`
  })
  return hashJson((await Promise.all(files)).toSorted())
}

/** The number of a file is used again for a later file; the time of its birth is not. */
async function fileAt(path: Buffer): Promise<string> {
  const stats = await lstat(path, { bigint: true }).catch(() => null)
  return stats === null ? 'absent' : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`
}
