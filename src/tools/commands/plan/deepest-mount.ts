import { containsPath } from '#policy/globs/zones-of-path.ts'
import type { SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'

type Mounts = SandboxPlan['zones']

/** The deepest of the mounted zones that contain an absolute path. */
export function deepestMount(mounts: Mounts, at: string): Mounts[number] | undefined {
  return mounts
    .filter((mount) => containsPath(mount.path, at))
    .toSorted((left, right) => right.path.length - left.path.length)[0]
}
