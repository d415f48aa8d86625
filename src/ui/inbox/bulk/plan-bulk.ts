import type { RequestItem } from '#api/schemas/requests/request-item.ts'

/** The most requests that one action may decide (api.md). */
const maxAtOnce = 200

/** What is answered, not approved or denied. */
const onItsPage: readonly RequestItem['kind'][] = ['outcome_check', 'question']

/**
 * What one action on the selected requests would decide, and what it leaves out with the reason.
 */
export interface BulkPlan {
  readonly decided: readonly RequestItem[]
  readonly excluded: readonly { readonly item: RequestItem; readonly why: string }[]
}

/**
 * Several approvals at once are only for requests with the tool and the rule of the first one, of
 * at most medium risk, and none from before a restore; denying many is always allowed. Pure; the
 * service judges each again.
 */
export function planBulk(decision: 'approve' | 'deny', selected: readonly RequestItem[]): BulkPlan {
  const ordered = inCallOrder(selected)
  const first = ordered.find((item) => whyClosed(item) === null && whyAlone(item) === null)
  const decided: RequestItem[] = []
  const excluded: { item: RequestItem; why: string }[] = []
  for (const item of ordered) {
    const why =
      whyNot(decision, item, first) ?? (decided.length >= maxAtOnce ? `over ${maxAtOnce}` : null)
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

/** Why nothing is decided of it here. */
function whyClosed(item: RequestItem): string | null {
  if (item.state !== 'pending') return `already ${item.state}`
  if (!item.eligibility.canDecide) return item.eligibility.reason ?? 'not yours to decide'
  if (onItsPage.includes(item.kind)) return 'needs an answer: answer it on its page'
  return null
}

/** Why it is approved one by one. */
function whyAlone(item: RequestItem): string | null {
  if (item.askedBeforeRestore) return 'was opened before a restore, and may have run since'
  if (item.risk === 'high') return 'high risk is approved one by one'
  return null
}

/** Why it is not approved together with the first that is. */
function whyUnlike(item: RequestItem, first: RequestItem | undefined): string | null {
  if (item.tool !== first?.tool) return `another tool than ${first?.tool}`
  if (item.rule.id !== first.rule.id) return 'another rule'
  return null
}

/**
 * The same requests, those of one turn together at the place of the first, in call order
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
