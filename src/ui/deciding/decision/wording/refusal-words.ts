import type { ApiRefusal } from '../../../api/call-api.ts'
import { visibleString } from '../../../text/visible-string.ts'
import { whyNotYours } from '../../facts/state-words.ts'

/** The text for a refused decision: its meaning, and the state of the request. */
export interface RefusalWords {
  readonly title: string
  readonly text: string
  /** the request ended or changed, so the page must reload it */
  readonly reload: boolean
}

/** What a person tried to send. */
export type Attempt = 'approval' | 'denial' | 'answer' | 'finding'

const needs = { approval: 'decide', denial: 'decide', answer: 'answer', finding: 'settle' } as const

/** The text for each refusal of a decision (api.md, decisions). `at` formats an instant. Pure. */
export function refusalWords(
  refusal: ApiRefusal,
  attempt: Attempt,
  at: (instant: string) => string,
): RefusalWords {
  const lost = `Your ${attempt} was not recorded.`
  switch (refusal.code) {
    case 'already_decided':
      return { title: decidedTitle(refusal, at), text: `${reasonOf(refusal)}${lost}`, reload: true }
    case 'already_voted':
      return {
        title: 'You have decided this already',
        text: `${refusal.message} ${lost}`,
        reload: true,
      }
    case 'expired':
      return { title: 'This expired before your decision', text: lost, reload: true }
    case 'cancelled':
      return { title: 'This was cancelled', text: `${refusal.message} ${lost}`, reload: true }
    case 'stale_digest':
    case 'stale_revision':
      return { title: 'This changed since you opened it', text: lost, reload: true }
    case 'network':
      return {
        title: 'The service did not answer',
        text: `Your ${attempt} may or may not have arrived. Send it again: it counts once, even if it is sent twice.`,
        reload: false,
      }
    case 'unauthenticated':
    case 'session_unproven':
      return { title: 'Your session had ended', text: lost, reload: false }
    case 'not_eligible':
      return {
        title: lost,
        text: `${whyNotYours(refusal.message, needs[attempt])}.`,
        reload: true,
      }
    default:
      return { title: lost, text: refusal.message, reload: refusal.status === 403 }
  }
}

function decidedTitle({ facts }: ApiRefusal, at: (instant: string) => string): string {
  const by = nameOf(facts['decidedBy'])
  const when = typeof facts['decidedAt'] === 'string' ? ` at ${at(facts['decidedAt'])}` : ''
  const state = typeof facts['state'] === 'string' ? facts['state'] : 'decided'
  return `Already ${state}${by === null ? '' : ` by ${by}`}${when}`
}

function reasonOf({ facts }: ApiRefusal): string {
  const reason = facts['reason']
  return typeof reason === 'string' && reason !== '' ? `“${visibleString(reason)}” ` : ''
}

function nameOf(who: unknown): string | null {
  if (typeof who === 'string') return who
  if (typeof who !== 'object' || who === null || !('name' in who)) return null
  return typeof who.name === 'string' ? who.name : null
}
