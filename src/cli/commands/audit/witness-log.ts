import { readFile } from 'node:fs/promises'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { sentenceOf } from '#evidence/malformed-evidence.ts'
import { logKeysOf, parseHandovers } from '#evidence/note/log-keys.ts'
import { formatVerifierKey, parseVerifierKey, type NoteKey } from '#evidence/note/note-key.ts'
import { witnessCheckpoint, type WitnessRefusal } from '#evidence/note/witness-checkpoint.ts'
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts'
import { whenOutputFails } from '../../terminal/standard-output.ts'
import { connect } from '../../service/connect.ts'
import type { ServiceOptions } from '../../service/service-options.ts'
import { listenAddress, serveWitness } from '../../witness/serve-witness.ts'
import { Witness } from '../../witness/witness.ts'
import { keepContradiction, keepNote, openWitnessFolder } from '../../witness/witness-folder.ts'

export interface WitnessOptions extends ServiceOptions {
  readonly key: readonly string[]
  readonly dir: string
  readonly listen?: string
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly behindProxy?: boolean
}

const sentences: Readonly<Record<WitnessRefusal, string>> = {
  behind: 'The log has fewer events than were witnessed: an older copy replaced it',
  forked: 'The log signed another tree of that size than the one that was witnessed',
  unproven: 'The log does not continue the tree that was witnessed',
}

/** Asks the service for its newest checkpoint and cosigns it, or serves `--listen`. */
export async function witnessLog(options: WitnessOptions): Promise<void> {
  const [key, ...others] = options.key.map(keyOf)
  if (key === undefined)
    throw new CommandFailure('--key takes the line that "audit key" prints', exitCodes.usage)
  if (options.listen !== undefined) return listen(options.listen, [key, ...others], options)
  if (others.length > 0) {
    const sentence =
      'Several keys need --listen; without it, the service reports which key took over'
    throw new CommandFailure(sentence, exitCodes.usage)
  }
  return askLog(key, options)
}

/** Asks the service for its newest checkpoint, once. */
async function askLog(log: NoteKey, options: WitnessOptions): Promise<void> {
  await using folder = await openWitnessFolder(options.dir)
  const { signer, last, path } = folder
  const service = await connect(options)
  const {
    checkpoint: note,
    consistency = [],
    handovers,
  } = await service.call('getCheckpoint', { query: { since: last?.size ?? 0 } })
  const proof = consistency.map((hash) => Buffer.from(hash, 'base64'))
  const atSeconds = Math.floor(Date.now() / 1000)
  const witnessed = refuseOn(() =>
    witnessCheckpoint({
      log: logKeysOf(log, parseHandovers(handovers)),
      last,
      note,
      proof,
      signer,
      atSeconds,
    }),
  )
  const { size } = witnessed.checkpoint
  if ('refusal' in witnessed) {
    const contradiction = await keepContradiction(path, size, note)
    const where = contradiction === null ? '' : `. Its answer is stored in ${contradiction.file}`
    throw new CommandFailure(`${sentences[witnessed.refusal]}${where}`)
  }
  await folder.lock.check()
  const file = await keepNote(path, size, witnessed.note)
  console.log(`${countWords(size, 'event')}, cosigned as ${formatVerifierKey(signer.key)}: ${file}`)
}

/** Answers the service's checkpoints until it is stopped. */
async function listen(
  address: string,
  keys: readonly NoteKey[],
  options: WitnessOptions,
): Promise<void> {
  whenOutputFails(() => undefined)
  if (keys.some(({ name }) => name !== keys[0]?.name)) {
    throw new CommandFailure('--key: the keys are of different logs', exitCodes.usage)
  }
  const tls = await readTls(options)
  const isTrusted = tls !== null || options.behindProxy === true
  const at = listenAddress(address, isTrusted)
  const stopped = Promise.withResolvers<void>()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopped.resolve())
  await using folder = await openWitnessFolder(options.dir)
  const witness = new Witness(folder, {
    log: { keys: keys.map((key) => ({ key, until: null })), unvouched: [] },
    alarm: (sentence) => console.error(`${new Date().toISOString()} ${sentence}`),
  })
  await using served = await serveWitness(witness, { ...at, tls })
  console.log(`witness key   ${formatVerifierKey(folder.signer.key)}`)
  console.log(
    `last cosigned ${folder.last === null ? 'nothing yet' : countWords(folder.last.size, 'event')}`,
  )
  console.log(`ready         ${tls === null ? 'http' : 'https'}://${at.display}:${served.port}`)
  await Promise.race([stopped.promise, served.failed])
}

async function readTls({ tlsCert, tlsKey }: WitnessOptions) {
  if (tlsCert === undefined && tlsKey === undefined) return null
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new CommandFailure('--tls-cert and --tls-key go together', exitCodes.usage)
  }
  const read = (file: string): Promise<string> =>
    readFile(file, 'utf8').catch((cause: unknown) => {
      throw new CommandFailure(`${file} cannot be read`, exitCodes.usage, { cause })
    })
  return { cert: await read(tlsCert), key: await read(tlsKey) }
}

function keyOf(line: string): NoteKey {
  try {
    return parseVerifierKey(line)
  } catch (cause) {
    throw new CommandFailure(`--key: ${sentenceOf(cause)}`, exitCodes.usage, { cause })
  }
}

/** Ends the command with a sentence for a checkpoint that the key of the log did not sign. */
function refuseOn<T>(witness: () => T): T {
  try {
    return witness()
  } catch (cause) {
    throw new CommandFailure(sentenceOf(cause), exitCodes.failed, { cause })
  }
}
