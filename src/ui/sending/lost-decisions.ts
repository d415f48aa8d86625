import { notifications } from '@mantine/notifications'
import { keepInTab } from '../api/keep-in-tab.ts'
import { takeBackAll, unansweredDecisions, type HeldDecision } from './held-decisions.ts'

const key = 'countersign.lost'

/** Discards the decisions of a page that changes to another person, or to nobody. */
export function discardDecisions(): void {
  keepNumbers(takeBackAll())
}

/** For a page that ends: its decisions without an answer are in its memory only. */
export function keepLost(): void {
  keepNumbers(unansweredDecisions())
}

function keepNumbers(decisions: readonly HeldDecision[]): void {
  if (decisions.length === 0) return
  keepInTab(key, decisions.map(({ number }) => `#${number}`).join(', '))
}

/**
 * Says which decisions the page before this one lost, until the person closes the message. It names
 * them by number alone: the person may be another one by now, who may not see the requests.
 */
export function sayLost(): void {
  const numbers = sessionStorage.getItem(key)
  if (numbers === null) return
  sessionStorage.removeItem(key)
  const message = `Decisions on this page that were not sent, or had no answer: ${numbers}. Each still waits, unless its page says otherwise.`
  notifications.show({ color: 'red', autoClose: false, message })
}
