import { shellWord } from '#domain/tools/shell-word.ts'
import type { Me } from '#api/schemas/access/auth.ts'

/**
 * The command that starts a run of a worker, to paste on the host of the service. `--as` works in
 * the development profile only; otherwise the session of `countersign login` is used. It needs no
 * address, because the project knows its running service.
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

/** The task of the run: that of the example, or one that every worker can answer. */
function taskOf(sample: boolean): string {
  return sample ? 'Complete the release notes of 1.2' : 'Say what you can do here'
}

/** In the example Ada starts the run: Grace could not decide a run that she started. */
function starterOf(me: Pick<Me, 'person' | 'installation'>): string {
  return me.installation.sample ? 'ada@example.com' : me.person.email
}
