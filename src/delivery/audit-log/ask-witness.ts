import { errorMessage } from '#domain/error-message.ts'
import { MalformedEvidence } from '#evidence/malformed-evidence.ts'
import {
  cosignatureIn,
  formatAddCheckpoint,
  parseWitnessSize,
  sizeContentType,
} from '#evidence/note/add-checkpoint.ts'
import type { NoteKey } from '#evidence/note/note-key.ts'
import { proveConsistency } from '#services/audit/log/prove-events.ts'
import type { StoredCheckpoint } from '#store/audit/audit-log.ts'
import type { Db } from '#store/database.ts'
import { postPinned, untilAborted, type PinnedResponse } from '../webhooks/post-pinned.ts'
import { findTarget, type TargetRules } from '../webhooks/find-target.ts'

/** A witness, and how to call it. */
export interface WitnessCall {
  /** its submission prefix */
  readonly url: string
  readonly key: NoteKey
  readonly rules: TargetRules
  readonly timeoutMs: number
  readonly stopping: AbortSignal
}

export type WitnessOutcome =
  | { readonly state: 'cosigned'; readonly line: string; readonly cosignedAt: Date }
  /** it says that it has another history of the log; the protocol has no proof of that */
  | { readonly state: 'contradicted'; readonly problem: string }
  | { readonly state: 'failed'; readonly problem: string }

const maxBytes = 64 * 1024
/** How far a witness's clock may be ahead. */
const maxAheadMs = 60 * 60 * 1000

/**
 * Asks a witness to cosign a checkpoint that continues one of `from` events (C2SP tlog-witness).
 * When the witness names another size, asks once more from that size. A cosignature counts only if
 * it verifies for this checkpoint under the witness's key. Never rejects.
 */
export async function askWitness(
  db: Db,
  checkpoint: StoredCheckpoint,
  from: number,
  call: WitnessCall,
): Promise<WitnessOutcome> {
  try {
    const answer = await submit(db, checkpoint, from, call)
    const size = sizeIn(answer)
    if (size === null || size === from) return outcomeOf(answer, checkpoint, call.key)
    if (size > checkpoint.size) return ahead(size, checkpoint.size)
    return outcomeOf(await submit(db, checkpoint, size, call), checkpoint, call.key)
  } catch (error) {
    if (call.stopping.aborted) return { state: 'failed', problem: 'the service stopped' }
    const message = errorMessage(error)
    return { state: 'failed', problem: message.slice(0, 300) }
  }
}

async function submit(
  db: Db,
  checkpoint: StoredCheckpoint,
  old: number,
  { url, rules, timeoutMs, stopping }: WitnessCall,
): Promise<PinnedResponse> {
  const proof = await proveConsistency(db, old, checkpoint)
  const late = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([late, stopping])
  const target = new URL(`${url}/add-checkpoint`)
  try {
    const address = await untilAborted(signal, findTarget(target, rules))
    return await postPinned({
      url: target,
      address,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'user-agent': 'countersign' },
      body: formatAddCheckpoint({ old, proof, note: checkpoint.note }),
      signal,
      maxBytes,
    })
  } catch (error) {
    if (late.aborted) throw new Error(`no answer in ${timeoutMs} ms`, { cause: error })
    throw error
  }
}

/** The size in a witness's 409; `null` for any other answer. */
function sizeIn({ status, headers, body }: PinnedResponse): number | null {
  const [type] = String(headers['content-type']).split(';')
  return status === 409 && type === sizeContentType ? parseWitnessSize(body) : null
}

function outcomeOf(
  answer: PinnedResponse,
  { note, size }: StoredCheckpoint,
  key: NoteKey,
): WitnessOutcome {
  if (answer.status === 200) return cosignatureOf(answer.body, note, key)
  const answeredSize = sizeIn(answer)
  if (answeredSize !== null && answeredSize > size) return ahead(answeredSize, size)
  if (answeredSize === size) {
    return contradictionOutcome(`it cosigned another tree of ${size} events than the log has`)
  }
  if (answer.status === 422) {
    return contradictionOutcome('the log does not go on from the tree that it cosigned')
  }
  const meaning = meanings[answer.status]
  const why = meaning === undefined ? '' : `: ${meaning}`
  return { state: 'failed', problem: `it answered ${answer.status}${why}` }
}

const meanings: Readonly<Record<number, string>> = {
  400: 'it rejected the submission as malformed',
  403: 'it does not know the key that signs the log',
  404: 'it does not know this log, or is not there',
  409: 'it cosigned another size in the meantime',
}

function cosignatureOf(body: string, note: string, key: NoteKey): WitnessOutcome {
  try {
    const { line, atSeconds } = cosignatureIn(body, { note, key })
    const cosignedAt = new Date(atSeconds * 1000)
    if (cosignedAt.getTime() <= Date.now() + maxAheadMs) {
      return { state: 'cosigned', line, cosignedAt }
    }
    return { state: 'failed', problem: `its clock shows ${cosignedAt.toISOString()}` }
  } catch (error) {
    if (!(error instanceof MalformedEvidence)) throw error
    return { state: 'failed', problem: `its answer is not a cosignature: ${error.message}` }
  }
}

function ahead(theirs: number, ours: number): WitnessOutcome {
  return contradictionOutcome(
    `it cosigned ${theirs} events, and the log has ${ours}: the log was set back`,
  )
}

function contradictionOutcome(problem: string): WitnessOutcome {
  return { state: 'contradicted', problem }
}
