import type { Me } from '#api/schemas/access/auth.ts'

/** A word for a POSIX shell, in quotes when it needs them. */
function quoteWord(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`
}

/**
 * The command that starts a run of a worker, as it can be pasted on the machine of the service.
 * `--as` works in the development profile only; elsewhere the session of `countersign login`
 * counts. The address is not needed there: the project names its running service.
 */
export function startCommand(worker: string, me: Pick<Me, 'person' | 'installation'>): string {
  const { profile, projectDir, dataDir, sample, command } = me.installation
  const parts = [command, 'run', quoteWord(worker), quoteWord(taskOf(sample))]
  if (profile === 'development') {
    parts.push('--as', quoteWord(starterOf(me)))
    if (projectDir !== null && !sample) parts.push('--project', quoteWord(projectDir))
    if (dataDir !== null) parts.push('--data', quoteWord(dataDir))
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
