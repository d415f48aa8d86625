import { notifications } from '@mantine/notifications'
import type { DecisionBody } from '#api/schemas/requests/decisions.ts'
import { pagePersonId, callApi } from '../api/call-api.ts'
import { keepInTab } from '../api/keep-in-tab.ts'
import {
  recordedMs,
  removeUnrecorded,
  unansweredDecisions,
  unrecordedDecisions,
  type HeldDecision,
} from './held-decisions.ts'

const key = 'countersign.unanswered'
/** A decision that was sent as its page ended may be recorded this much later. */
const recheckMs = 2_000

/** A decision of which its page did not learn whether it was recorded. */
interface LostDecision extends Pick<DecisionBody, 'decision' | 'revision'> {
  readonly number: number
  readonly personId: string | null
}

/** Discards the decisions of a page that changes to another person, or to nobody. */
export function discardDecisions(): void {
  keep(removeUnrecorded())
}

/** For a page that ends: the decisions without an answer are in its memory only. */
export function keepLost(): void {
  keep([...unrecordedDecisions(), ...unansweredDecisions()])
}

function keep(decisions: readonly HeldDecision[]): void {
  if (decisions.length === 0) return
  const personId = pagePersonId()
  const lost = new Map(readLost().map((one) => [one.number, one]))
  for (const { number, body } of decisions) {
    const { decision, revision } = body
    lost.set(number, { number, personId, decision, revision })
  }
  keepInTab(key, JSON.stringify([...lost.values()]))
}

function readLost(): readonly LostDecision[] {
  return JSON.parse(sessionStorage.getItem(key) ?? '[]') as readonly LostDecision[]
}

/**
 * Says what became of the decisions that the page before this one lost. It names them by number
 * alone: the person may be another one by now, who may not see the requests.
 */
export async function sayLost(): Promise<void> {
  const lost = readLost()
  if (lost.length === 0) return
  const areRecorded = await Promise.all(lost.map(isRecorded))
  const since = readLost().filter(({ number }) => lost.every((one) => one.number !== number))
  keepInTab(key, JSON.stringify(since))
  const numbers = (outcome: boolean): string =>
    lost.flatMap(({ number }, at) => (areRecorded[at] === outcome ? `#${number}` : [])).join(', ')
  const recorded = numbers(true)
  if (recorded !== '') {
    const message = `Recorded before this page was loaded: the decision on ${recorded}.`
    notifications.show({ autoClose: recordedMs, message })
  }
  const others = numbers(false)
  if (others === '') return
  const message = `These decisions may not be recorded: ${others}. The page of each request says whether it still waits.`
  notifications.show({ color: 'red', autoClose: false, message })
}

/** Whether the request has the decision of its person; `false` if the page cannot read it. */
async function isRecorded({
  number,
  personId,
  decision,
  revision,
}: LostDecision): Promise<boolean> {
  const look = async (): Promise<boolean> => {
    const { decisions } = await callApi('getRequest', { params: { id: String(number) } })
    return decisions.some(
      (one) => one.person.id === personId && one.revision === revision && one.decision === decision,
    )
  }
  try {
    if (await look()) return true
    await new Promise((resolve) => setTimeout(resolve, recheckMs))
    return await look()
  } catch {
    return false
  }
}
