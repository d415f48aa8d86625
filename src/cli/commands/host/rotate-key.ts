import { type Command, Option } from 'commander'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts'
import { type FolderOptions, withFolders } from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'

interface RotateOptions extends FolderOptions {
  readonly compromised?: boolean
  readonly id?: string
}

interface LogOptions extends FolderOptions {
  readonly compromised?: boolean
  readonly lost?: boolean
}

/** How long to wait for the API, which checks for a request of this command every second. */
const waitMs = 10_000
const pollEveryMs = 200

/**
 * `countersign rotate-key`: on the host, on the keys of the data folder, whether the service runs
 * or not.
 */
export function addRotateKeyCommand(program: Command): void {
  const rotate = program
    .command('rotate-key')
    .description('replace a key that this installation signs with')
  const signing = withFolders(rotate.command('signing'))
    .description(
      'replace the key of permits, grants, runs and activations: what the old one signed stays valid',
    )
    .option(
      '--compromised',
      'another person may have the old key: what it signed is no longer valid',
    )
    .addOption(
      new Option('--id <id>', 'with --compromised: an older key, instead of the current one'),
    )
    .action(rotateSigning)
  withExamples(signing, [
    'rotate-key signing',
    'rotate-key signing --compromised',
    'rotate-key signing --compromised --id 4f1d2a90c3b85e77',
  ])
  const log = withFolders(rotate.command('log'))
    .description(
      'replace the key of the audit log: both sign the checkpoint at which the new one takes over',
    )
    .option('--compromised', 'another person may have the old key: it does not sign the new one')
    .option('--lost', 'the old key is lost: the present key takes over without its signature')
    .action(rotateLog)
  withExamples(log, ['rotate-key log', 'rotate-key log --compromised', 'rotate-key log --lost'])
}

async function rotateLog(options: LogOptions): Promise<void> {
  const { findFolders } = await import('#runtime/folders.ts')
  const keys = await import('#runtime/keys/log-key-files.ts')
  const { dataDir } = findFolders(options)
  if (options.lost === true && options.compromised === true) {
    throw new CommandFailure('Give --lost or --compromised, not both', exitCodes.usage)
  }
  const isUnvouched = options.lost === true || options.compromised === true
  await failOn(() =>
    options.lost === true
      ? keys.markUnvouched(dataDir)
      : keys.makeNextLogKey(dataDir, { isUnvouched }),
  )
  if (!(await isOver(() => keys.isHandoverOpen(dataDir)))) {
    console.log('The new key takes over as soon as an API process of this data folder runs.')
    return
  }
  console.log(
    'The new key has taken over. Print it with: countersign audit key. ' +
      (isUnvouched
        ? 'Give it to whoever verifies: the previous key did not sign this change.'
        : 'Whoever verifies with the previous key needs nothing new: it signed this change.'),
  )
}

async function rotateSigning(options: RotateOptions): Promise<void> {
  const { findFolders } = await import('#runtime/folders.ts')
  const keys = await import('#runtime/keys/rotate-signing-key.ts')
  const { dataDir } = findFolders(options)
  const compromised = options.compromised === true
  if (options.id !== undefined && !compromised) {
    throw new CommandFailure('--id goes with --compromised', exitCodes.usage)
  }
  const old = await failOn(async () => {
    if (options.id !== undefined) {
      await keys.markOlderCompromised(dataDir, options.id)
      return options.id
    }
    const { previous, keyId } = await keys.rotateSigningKey(dataDir, { compromised })
    console.log(`The signing key is now ${keyId}. The previous key: ${previous}`)
    return previous
  })
  if (!compromised) return console.log(`What ${old} signed stays valid.`)
  console.log(
    (await isOver(async () => (await keys.findRetiring(dataDir)).includes(old)))
      ? `${old} is void: its grants have ended, and calls that it approved ask again.`
      : `${old} is void as soon as an API process of this data folder runs.`,
  )
}

/** Waits until the condition is false. False: it is still true after the time. */
async function isOver(isOpen: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + waitMs
  while (await isOpen()) {
    if (performance.now() > until) return false
    await delay(pollEveryMs)
  }
  return true
}

async function failOn<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new CommandFailure(error.message, exitCodes.failed, { cause: error })
  }
}
