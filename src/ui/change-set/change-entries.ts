import type { ChangeSet, ChangeSetCall } from '#api/schemas/requests/change-set.ts'
import { requestHeadline } from '#domain/requests/request-headline.ts'
import { needOfRequests } from '#domain/runs/need-of-run.ts'
import { againWords } from '#domain/deciding/alike-words.ts'
import { outcomeWithEffect, whyNotYours } from '../deciding/facts/state-words.ts'

export type PresentedRequest = NonNullable<ChangeSetCall['request']>
export type ShownPresentation = NonNullable<ChangeSetCall['presentation']>

/** One entry of a turn: a call, or a file that a call shares. */
export interface ChangeEntry {
  /** id of its request, else of the call */
  readonly key: string
  /** "1", or "1, file 2" for a file that the call shares */
  readonly place: string
  readonly position: number
  readonly tool: string
  /** its effect if it needs an approval, else its title */
  readonly title: string
  readonly verdict: ChangeSetCall['verdict']
  /** its presentation and request; null if it needs no approval */
  readonly approval: {
    readonly request: PresentedRequest
    readonly presentation: ShownPresentation
  } | null
  /** the file that it is about; null: none */
  readonly path: string | null
}

const entriesOfCalls = new WeakMap<ChangeSetCall, readonly ChangeEntry[]>()

/**
 * The calls of a turn in order, each followed by the files that it shares. The entries of one call
 * are the same objects each time: react-query keeps the calls that a new answer does not change, so
 * that their cards are not drawn again.
 */
export function entriesOf({ calls }: Pick<ChangeSet, 'calls'>): ChangeEntry[] {
  return calls.flatMap((call) => {
    const entries = entriesOfCalls.get(call) ?? entriesOfCall(call)
    entriesOfCalls.set(call, entries)
    return entries
  })
}

function entriesOfCall(call: ChangeSetCall): readonly ChangeEntry[] {
  const { position, tool, title, verdict, request, presentation } = call
  const own = {
    key: request?.id ?? call.callId,
    place: String(position),
    position,
    tool,
    title: request ? requestHeadline(request) : title,
    verdict,
    approval: request && presentation ? { request, presentation } : null,
    path: pathOf(presentation),
  }
  const files = call.attachments.map((file, index) => ({
    key: file.request.id,
    place: `${position}, file ${index + 1}`,
    position,
    tool: file.request.tool,
    title: file.request.effect,
    verdict,
    approval: file,
    path: pathOf(file.presentation),
  }))
  return [own, ...files]
}

function pathOf(presentation: ShownPresentation | undefined): string | null {
  const path = presentation?.metadata['path']
  return typeof path === 'string' && path !== '' ? path : null
}

/** Whether a request has another revision than before, when it was opened. Pure. */
export function hasChanged(earlier: PresentedRequest, newest: PresentedRequest): boolean {
  return earlier.revision !== newest.revision || earlier.digest !== newest.digest
}

/**
 * With more lines, a page takes seconds to open: those of later calls are drawn near the screen.
 */
const maxLinesAtOnce = 2_000

/** The keys of the first calls, whose lines are drawn at once. Pure. */
export function drawnAtOnce(entries: readonly ChangeEntry[]): ReadonlySet<string> {
  let lines = 0
  const first = entries.filter(({ approval }) => {
    lines += approval?.presentation.totalLines ?? 0
    return lines <= maxLinesAtOnce
  })
  return new Set(first.map(({ key }) => key))
}

/** Why it cannot be decided here, as a sentence without its full stop; null: it can. Pure. */
export function whyClosed(request: PresentedRequest): string | null {
  if (request.state !== 'pending') return outcomeWithEffect(request)
  if (!request.eligibility.canDecide)
    return whyNotYours(request.eligibility.reason, needOfRequests([request]))
  if (request.kind === 'question') return 'It asks for an answer'
  if (request.allowedDecisions.length === 0) return 'It is settled on its own page'
  return null
}

/**
 * Why it must be approved alone; null: it can be approved with others. A denial has no such limit.
 * Pure.
 */
export function whyAlone(request: PresentedRequest): string | null {
  if (request.signatureRequired) return 'Its approval needs a signature: approve it on its own page'
  if (request.askedBeforeRestore)
    return 'It was opened before a restore: approve it on its own page'
  if (request.risk !== 'high') return null
  const again = againWords(request.alike.again)
  const why = again === null ? '' : `, and it was ${again}`
  return `High risk is approved on its own page${why}`
}
