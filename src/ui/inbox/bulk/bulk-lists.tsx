import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { BulkAnswer } from '#api/schemas/requests/decisions.ts'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { Risk } from '../../deciding/facts/risk.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import type { BulkPlan } from './plan-bulk.ts'
import { verbs } from '../../words/verbs.ts'

/** The risk and effect of a request. `children` comes at the end of the line. */
export function ItemLine({ item, children }: { item: RequestItem; children: ReactNode }) {
  return (
    <>
      <Risk risk={item.risk} />
      <span className="grow break">
        <VisibleText text={item.effect} /> <span className="dim">#{item.number}</span>
      </span>
      {children}
    </>
  )
}

/** Removes a request from those that are decided together. */
export function LeaveOutButton({ item, onRemove }: { item: RequestItem; onRemove: () => void }) {
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      onClick={onRemove}
      aria-label={`Leave out #${item.number}`}
    >
      {verbs.leaveOut}
    </Button>
  )
}

/** The requests that the plan leaves out, with the reasons. */
export function ExcludedItems({ excluded }: { excluded: BulkPlan['excluded'] }) {
  return (
    <section>
      <h3>Left out: {excluded.length}</h3>
      <ul className="bulk-list dim">
        {excluded.map(({ item, why }) => (
          <li key={item.id}>
            <span className="grow break">
              <VisibleText text={item.effect} /> #{item.number}
            </span>
            <span>{why}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What became of the decision on one request. */
export function ItemResult({ answer, item }: { answer: BulkAnswer; item: RequestItem }) {
  const result = answer.items.find((result) => result.requestId === item.id)
  if (result === undefined) return <span>not decided</span>
  if (result.status === 200) {
    return <span className="ok">{result.state === 'pending' ? 'vote recorded' : 'recorded'}</span>
  }
  return (
    <span className="not-ok">{result.detail ?? result.code ?? `refused (${result.status})`}</span>
  )
}
