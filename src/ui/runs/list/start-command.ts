import { shellWord } from '#domain/tools/shell-word.ts'
import type { Me } from '#api/schemas/access/auth.ts'
import { serviceOptions } from '../../text/service-options.ts'

/** The command that starts a run of a worker, to paste on the host of the service. */
export function startCommand(worker: string, me: Pick<Me, 'person' | 'installation'>): string {
  const { sample, command } = me.installation
  const words = [command, 'run', shellWord(worker), shellWord(taskOf(sample))]
  return words.join(' ') + serviceOptions(me, starterOf(me))
}

/** The task of the run: that of the example, or one that every worker can answer. */
function taskOf(sample: boolean): string {
  return sample ? 'Complete the release notes of 1.2' : 'Say what you can do here'
}

/** In the example Ada starts the run: Grace could not decide a run that she started. */
function starterOf(me: Pick<Me, 'person' | 'installation'>): string {
  return me.installation.sample ? 'ada@example.com' : me.person.email
}
