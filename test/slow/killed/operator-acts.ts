import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Installation } from '../../harness/installation/installation.ts'
import type { Choices } from '../../shell/seeded.ts'
import { chaosProject } from '../chaos/chaos-project.ts'

const command = fileURLToPath(new URL('../../../bin/countersign', import.meta.url))
const worker = chaosProject()['workers/clerk.md'] ?? ''

/** Who is killed in the middle of an act; `command`: the one that the operator started. */
const victims = ['command', 'api', 'postgres', 'temporal-worker'] as const
type Victim = (typeof victims)[number]

/** What an operator does to a service that works: to its project, and to its keys. */
export const operatorActs = ['save', 'save twice', 'rotate', 'retire', 'retire and rotate'] as const
type Act = (typeof operatorActs)[number]

/** The options of each `rotate-key signing` of an act. */
const rotations: Readonly<Record<Act, readonly (readonly string[])[]>> = {
  save: [],
  'save twice': [],
  rotate: [[]],
  retire: [['--compromised']],
  'retire and rotate': [['--compromised'], []],
}

/** Who can be killed in an act: the operator starts no command to save the project. */
export function victimsOf(act: Act): readonly Victim[] {
  return rotations[act].length > 0 ? victims : victims.filter((victim) => victim !== 'command')
}

/** The worker's description in its newest version. */
export const descriptionOf = (version: number): string => `Writes one line, version ${version}`

/** Saves the project with another description of its worker, as editors do. */
export async function saveProject({ folder }: Installation, version: number): Promise<void> {
  const file = join(folder, 'workers', 'clerk.md')
  const text = worker.replace('Writes one line into the journal', descriptionOf(version))
  await writeFile(`${file}.new`, text)
  await rename(`${file}.new`, file)
}

/** Begins an act, kills the victim at some moment of it, and resolves when everything is back. */
export async function actAndKill(
  installation: Installation,
  {
    act,
    victim,
    version,
  }: { readonly act: Act; readonly victim: Victim; readonly version: number },
  choose: Choices,
): Promise<void> {
  if (act !== 'rotate') await saveProject(installation, version)
  if (act === 'save twice') await saveProject(installation, version)
  const children = rotations[act].map((options) => startRotation(installation, options))
  await delay(choose.number(children.length === 0 ? 600 : 2500))
  if (victim === 'command') for (const { child } of children) child.kill('SIGKILL')
  else await installation.untilBack(victim, await installation.killNine(victim))
  await Promise.all(children.map(({ ended }) => ended))
}

/** Retires the signing key without a kill, and resolves with the exit code of the command. */
export async function retireKey(installation: Installation): Promise<unknown> {
  const [code] = (await startRotation(installation, ['--compromised']).ended) as unknown[]
  return code
}

function startRotation({ folder }: Installation, options: readonly string[]) {
  const args = [command, 'rotate-key', 'signing', ...options]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' })
  return { child, ended: once(child, 'exit') }
}
