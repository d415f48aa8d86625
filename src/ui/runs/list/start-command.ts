import { shellWord } from '#domain/tools/shell-word.ts'
import type { Me } from '#api/schemas/access/auth.ts'

/**
 * The command that starts a run of a worker, as it can be pasted on the machine of the service.
 * `--as` works in the development profile only; elsewhere the session of `countersign login`
 * counts. The address is not needed there: the project names its running service.
 */
export function startCommand(worker: string, me: Pick<Me, 'person' | 'installation'>): string {
  const { profile, projectDir, dataDir, sample, command } = me.installation
  const parts = [command, 'run', shellWord(worker), shellWord(taskOf(sample))]
  if (profile === 'development') {
    parts.push('--as', shellWord(starterOf(me)))
    if (projectDir !== null && !sample) parts.push('--project', shellWord(projectDir))
    if (dataDir !== null) parts.push('--data', shellWord(dataDir))
  }
  return parts.join(' ')
}

/** What the run is told to do: the sample's own task, or what every worker can answer. */
function taskOf(sample: boolean): string {
  return sample ? 'Complete the release notes of 1.2' : 'Say what you can do here'
}

/** In the sample project Grace approves what Ada starts: she could not decide a run of her own. */
function starterOf(me: Pick<Me, 'person' | 'installation'>): string {
  return me.installation.sample ? 'ada@example.com' : me.person.email
}
