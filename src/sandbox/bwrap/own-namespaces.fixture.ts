import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { findSandbox } from './find-sandbox.ts'

/** Arguments of `unshare` for a machine in namespaces of its own: no packet leaves this one. */
const world = ['--user', '--map-root-user', '--net', '--mount', '--pid', '--fork', '--kill-child']

/**
 * Runs the program `attack` on the machines of `network-world.fixture.ts`. `answers`: what it says
 * of each address, by where it ran; `errors`: the standard error of all.
 */
export async function attackWorld(
  attack: string,
  addresses: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly answers: Record<string, string[]>; readonly errors: string }> {
  const fixture = new URL('network-world.fixture.ts', import.meta.url).pathname
  const child = spawn(
    'unshare',
    [...world, '--mount-proc', process.execPath, fixture, attack, ...addresses],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } },
  )
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { answers: JSON.parse(output || '{}'), errors }
}

/** Why no such machine can be made here with these programs; `null`: it can. */
export async function worldProblem(programs: readonly string[]): Promise<string | null> {
  const sandbox = await findSandbox('bwrap')
  if (!sandbox.works) return sandbox.problem
  const missing = programs.filter((name) => spawnSync(name, ['--version']).error !== undefined)
  if (missing.length > 0) return `${missing.join(' and ')} is not installed`
  const made = spawnSync('unshare', [...world, '--mount-proc', 'true'])
  return made.status === 0 ? null : 'network namespaces cannot be made'
}
