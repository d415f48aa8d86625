import { spawnSync } from 'node:child_process'
import { findSandbox } from './find-sandbox.ts'

/** Arguments of `unshare` for a machine in namespaces of its own: no packet leaves this one. */
export const world = [
  '--user',
  '--map-root-user',
  '--net',
  '--mount',
  '--pid',
  '--fork',
  '--kill-child',
]

/** Why no such machine can be made here with these programs; `null`: it can. */
export async function worldProblem(programs: readonly string[]): Promise<string | null> {
  const sandbox = await findSandbox('bwrap')
  if (!sandbox.works) return sandbox.problem
  const missing = programs.filter((name) => spawnSync(name, ['--version']).error !== undefined)
  if (missing.length > 0) return `${missing.join(' and ')} is not installed`
  const made = spawnSync('unshare', [...world, '--mount-proc', 'true'])
  return made.status === 0 ? null : 'network namespaces cannot be made'
}
