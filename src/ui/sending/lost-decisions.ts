import { notifications } from '@mantine/notifications'
import { keepInTab } from '../api/keep-in-tab.ts'
import { removeUnrecorded, unrecordedDecisions, type HeldDecision } from './held-decisions.ts'

const key = 'countersign.lost'

/** Discards the decisions of a page that changes to another person, or to nobody. */
export function discardDecisions(): void {
  keepNumbers(removeUnrecorded())
}

/** For a page that ends: the decisions that can be sent again are in its memory only. */
export function keepLost(): void {
  keepNumbers(unrecordedDecisions())
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
  const message = `These decisions may not be recorded: ${numbers}. The page of each request says whether it still waits.`
  notifications.show({ color: 'red', autoClose: false, message })
}
