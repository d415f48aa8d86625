import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { limits } from '#domain/limits.ts'

/** Kinds of requests that are answered and not approved or denied. */
const onItsPage: readonly RequestItem['kind'][] = ['outcome_check', 'question']

/**
 * The decisions of one action on the selected requests, and those that it leaves out with the
 * reasons.
 */
export interface BulkPlan {
  readonly decided: readonly RequestItem[]
  readonly excluded: readonly { readonly item: RequestItem; readonly why: string }[]
}

/**
 * Plans one action on several requests. Only requests with the tool and rule of the first one can
 * be approved together, at low or medium risk, and none that were pending before a restore; any can
 * be denied together. Pure; the service judges each again.
 */
export function planBulk(decision: 'approve' | 'deny', selected: readonly RequestItem[]): BulkPlan {
  const ordered = inCallOrder(selected)
  const first = ordered.find((item) => whyClosed(item) === null && whyAlone(item) === null)
  const decided: RequestItem[] = []
  const excluded: { item: RequestItem; why: string }[] = []
  for (const item of ordered) {
    const why =
      whyNot(decision, item, first) ??
      (decided.length >= limits.bulkDecisions ? `over ${limits.bulkDecisions}` : null)
    if (why === null) decided.push(item)
    else excluded.push({ item, why })
  }
  return { decided, excluded }
}

function whyNot(
  decision: 'approve' | 'deny',
  item: RequestItem,
  first: RequestItem | undefined,
): string | null {
  const closed = whyClosed(item)
  if (closed !== null || decision === 'deny') return closed
  return whyAlone(item) ?? whyUnlike(item, first)
}

/** Why it cannot be decided here. */
function whyClosed(item: RequestItem): string | null {
  if (item.state !== 'pending') return `already ${item.state}`
  if (!item.eligibility.canDecide) return item.eligibility.reason ?? 'not yours to decide'
  if (onItsPage.includes(item.kind)) return 'needs an answer: answer it on its page'
  return null
}

/** Why it must be approved alone. */
function whyAlone(item: RequestItem): string | null {
  if (item.askedBeforeRestore) return 'was opened before a restore, and may have run since'
  if (item.risk === 'high') return 'high risk is approved one by one'
  return null
}

/** Why it cannot be approved together with the first one. */
function whyUnlike(item: RequestItem, first: RequestItem | undefined): string | null {
  if (item.tool !== first?.tool) return `another tool than ${first?.tool}`
  if (item.rule.id !== first.rule.id) return 'another rule'
  return null
}

/**
 * Sorts the requests: those of one turn together at the position of the first, in call order
 * (product.md 15). Pure.
 */
function inCallOrder(items: readonly RequestItem[]): readonly RequestItem[] {
  const turns = Map.groupBy(items, (item) =>
    item.runId === null || item.turn === null ? item.id : `${item.runId} ${item.turn}`,
  )
  return [...turns.values()].flatMap((turn) =>
    turn.toSorted(
      (one, other) =>
        (one.batch?.position ?? 0) - (other.batch?.position ?? 0) || one.number - other.number,
    ),
  )
}
