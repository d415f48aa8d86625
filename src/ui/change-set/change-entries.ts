import type { ChangeSet, ChangeSetCall } from '#api/schemas/requests/change-set.ts'
import { againWords } from '#domain/deciding/alike-words.ts'
import { outcomeWithEffect, whyNotYours } from '../request/facts/state-words.ts'

export type ShownRequest = NonNullable<ChangeSetCall['request']>
export type ShownPresentation = NonNullable<ChangeSetCall['presentation']>

/** One thing of a turn: a call, or a file that a call hands over. */
export interface ChangeEntry {
  /** of its request, else of the call */
  readonly key: string
  /** "1", or "1, file 2" of what the call hands over */
  readonly place: string
  readonly position: number
  readonly tool: string
  /** its effect where it asks, else its title */
  readonly title: string
  readonly verdict: ChangeSetCall['verdict']
  /** what it shows and asks; null where nobody is asked */
  readonly asked: {
    readonly request: ShownRequest
    readonly presentation: ShownPresentation
  } | null
  /** the file that it is about, as far as it is about one */
  readonly path: string | null
}

/** The calls of a turn in call order, each with the files that it hands over. Pure. */
export function entriesOf({ calls }: Pick<ChangeSet, 'calls'>): ChangeEntry[] {
  return calls.flatMap((call) => {
    const { position, tool, title, verdict, request, presentation } = call
    const content = request && presentation ? { request, presentation } : null
    const own = {
      key: request?.id ?? call.callId,
      place: String(position),
      position,
      tool,
      title: request?.effect ?? title,
      verdict,
      asked: content,
      path: pathOf(presentation),
    }
    const files = call.attachments.map((file, index) => ({
      key: file.request.id,
      place: `${position}, file ${index + 1}`,
      position,
      tool: file.request.tool,
      title: file.request.effect,
      verdict,
      asked: file,
      path: pathOf(file.presentation),
    }))
    return [own, ...files]
  })
}

function pathOf(presentation: ShownPresentation | undefined): string | null {
  const path = presentation?.metadata['path']
  return typeof path === 'string' && path !== '' ? path : null
}

/** Why nothing of it is decided here, a sentence without its full stop; null: it can be. Pure. */
export function whyClosed(request: ShownRequest): string | null {
  if (request.state !== 'pending') return outcomeWithEffect(request)
  if (!request.eligibility.canDecide) return whyNotYours(request.eligibility.reason)
  if (request.kind === 'question') return 'It asks for an answer'
  if (request.allowedDecisions.length === 0) return 'It is settled on its own page'
  return null
}

/** Why it is approved by itself, which a denial is not; null: with the others. Pure. */
export function whyAlone(request: ShownRequest): string | null {
  if (request.signatureRequired) return 'Its approval needs a signature: approve it on its own page'
  if (request.askedBeforeRestore)
    return 'It was opened before a restore: approve it on its own page'
  if (request.risk !== 'high') return null
  const again = againWords(request.alike.again)
  const why = again === null ? '' : `, and it was ${again}`
  return `High risk is approved on its own page${why}`
}
