import { errorCode } from '#domain/error-code.ts'
import { textIn } from '#domain/json/value-in.ts'
import { parseObject } from '#domain/json/parse-json.ts'
import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseBundle } from '#evidence/bundle/evidence-bundle.ts'
import type { LogFiles } from '#evidence/bundle/log-files.ts'
import { MalformedEvidence } from '#evidence/malformed-evidence.ts'
import { parseVerifierKey, type NoteKey } from '#evidence/note/note-key.ts'
import type { Finding, Verdict } from '#evidence/verify/findings/finding.ts'
import type { WitnessQuorum } from '#evidence/verify/log/check-witnesses.ts'
import { verifyBundle } from '#evidence/verify/verify-bundle.ts'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts'
import { printableLine } from '../../text/terminal-text.ts'
import { jsonText } from '../../terminal/json-text.ts'

export interface VerifyOptions {
  readonly key: string
  readonly since?: string
  readonly witness?: readonly string[]
  readonly witnessQuorum?: string
  readonly json?: boolean
}

/** Prints the verdicts on a bundle or a full export; the exit code says whether all hold. */
export function verifyEvidence(path: string, options: VerifyOptions): void {
  const key = readKey(options.key)
  const since = options.since === undefined ? null : checkpointIn(readText(options.since))
  const witnesses = readWitnesses(options)
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  const verdicts = isFolder
    ? verifyLog(filesIn(path), key, since, witnesses)
    : verifyBundle(
        readable(() => parseBundle(readText(path))),
        key,
        since,
        witnesses,
      )
  const holds = verdicts.every(({ outcome }) => outcome === 'holds')
  if (options.json === true) console.log(jsonText({ holds, verdicts }))
  else console.log(verdicts.map(verdictText).join('\n'))
  if (!holds) process.exitCode = exitCodes.failed
}

function verdictText(verdict: Verdict): string {
  const { name, outcome, findings, found: total, warnings, notes } = verdict
  const [first = '', ...others] = notes
  const words = { holds: 'holds', fails: 'FAILS', unknown: 'CANNOT BE JUDGED' }
  const lines = [`${name.padEnd(14)}${words[outcome]}${first === '' ? '' : `  ${first}`}`]
  for (const note of others) lines.push(`  ${note}`)
  for (const warning of warnings) {
    lines.push(`  warning (${warning.kind}): ${printableLine(warning.problem)}`)
  }
  for (const finding of findings) lines.push(`  ${printableLine(findingText(finding))}`)
  if (total > findings.length) lines.push(`  and ${total - findings.length} more`)
  return lines.join('\n')
}

function findingText({ problem, event, requestId, runId }: Finding): string {
  const place = event?.index === undefined ? (event?.id ?? '') : `${event.index}`
  const about = [
    ...(event === undefined
      ? []
      : [`event ${place}${event.type === undefined ? '' : ` ${event.type}`}`]),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
    ...(requestId !== undefined || runId === undefined ? [] : [`run ${runId}`]),
  ]
  return about.length === 0 ? problem : `${about.join(', ')}: ${problem}`
}

function readWitnesses({ witness, witnessQuorum }: VerifyOptions): WitnessQuorum | undefined {
  if (witness === undefined) {
    if (witnessQuorum === undefined) return undefined
    throw new CommandFailure('--witness-quorum goes with --witness', exitCodes.usage)
  }
  const keys = witness.map(readKey)
  if (keys.some(({ algorithm }) => algorithm !== 'cosignature')) {
    throw new CommandFailure('--witness: this is the key of a log', exitCodes.usage)
  }
  const count = witnessQuorum === undefined ? keys.length : Number(witnessQuorum)
  if (Number.isInteger(count) && count >= 1 && count <= keys.length) return { keys, count }
  const sentence = `--witness-quorum is a whole number from 1 to ${keys.length}`
  throw new CommandFailure(sentence, exitCodes.usage)
}

/** Reads a key: the text of the key, or the path of a file that has it. */
function readKey(keyOrFile: string): NoteKey {
  const isKey =
    keyOrFile.includes('+') && statSync(keyOrFile, { throwIfNoEntry: false }) === undefined
  const key = isKey ? keyOrFile : readText(keyOrFile).trim()
  if (key === '') {
    throw new CommandFailure(
      `${keyOrFile} is empty: it should have the line that "countersign audit key" prints`,
      exitCodes.usage,
    )
  }
  return readable(() => parseVerifierKey(key))
}

/** A checkpoint as a note, or in the answer of `GET /v1/audit/checkpoint`. */
function checkpointIn(text: string): string {
  if (!text.trimStart().startsWith('{')) return text
  const checkpoint = textIn(parseObject(text) ?? {}, 'checkpoint')
  if (checkpoint !== null) return checkpoint
  throw new CommandFailure('--since: this file has no checkpoint', exitCodes.usage)
}

function filesIn(folder: string): LogFiles {
  return {
    read(path) {
      try {
        return readFileSync(join(folder, path))
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null
        throw error
      }
    },
  }
}

function readText(path: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (cause) {
    throw new CommandFailure(`${path} cannot be read`, exitCodes.usage, { cause })
  }
  if (!isUtf8(bytes)) throw new CommandFailure(`${path} is not UTF-8`, exitCodes.usage)
  return bytes.toString('utf8')
}

/** Turns the error of an unreadable file into a sentence. */
function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof MalformedEvidence) throw new CommandFailure(error.message, exitCodes.usage)
    throw error
  }
}
