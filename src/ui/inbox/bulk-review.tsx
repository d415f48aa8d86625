import { Button, Modal, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { BulkAnswer } from '../../api/schemas/requests/decisions.ts'
import type { RequestItem } from '../../api/schemas/requests/requests.ts'
import { callApi } from '../api/call-api.ts'
import { newIdempotencyKey } from '../api/idempotency-key.ts'
import { useConnection } from '../live/live-provider.tsx'
import { Risk } from '../request/facts/risk.tsx'
import { announce } from '../shell/announce.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { planBulk } from './bulk.ts'

/** What one action on many would decide, item by item, before it; and what came of each, after it. */
export function BulkReview(props: {
  decision: 'approve' | 'deny'
  selected: readonly RequestItem[]
  onClose: (decided: boolean) => void
}) {
  const { decision } = props
  const client = useQueryClient()
  const offline = useConnection() === 'offline'
  // The list stays as it was reviewed, whatever arrives meanwhile.
  const [plan] = useState(() => planBulk(decision, props.selected))
  const [key] = useState(newIdempotencyKey)
  const [reason, setReason] = useState('')
  const [answer, setAnswer] = useState<BulkAnswer | null>(null)
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const word = decision === 'approve' ? 'Approve' : 'Deny'
  const needsReason = plan.decided.some((item) => item.risk === 'high') && reason.trim() === ''

  const submit = async (): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    const given = reason.trim() === '' ? {} : { reason: reason.trim() }
    const decisions = plan.decided.map((item) => ({
      requestId: item.id,
      decision,
      digest: item.digest,
      revision: item.revision,
      ...given,
    }))
    try {
      const got = await callApi<BulkAnswer>('/v1/decisions', {
        body: { decisions },
        idempotencyKey: key,
      })
      setAnswer(got)
      const done = got.items.filter((item) => item.status === 200).length
      announce(`${done} of ${got.items.length} recorded`)
      void client.invalidateQueries()
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setBusy(false)
  }

  return (
    <Modal
      opened
      size="lg"
      onClose={() => props.onClose(answer !== null)}
      title={
        answer === null
          ? `${word} ${plan.decided.length} ${plan.decided.length === 1 ? 'request' : 'requests'}`
          : 'What came of each'
      }
    >
      <div className="column">
        <ul className="bulk-list">
          {plan.decided.map((item) => (
            <li key={item.id}>
              <Risk risk={item.risk} />
              <span className="grow break">
                <VisibleText text={item.title} /> <span className="dim">#{item.number}</span>
              </span>
              {answer !== null && <ItemResult answer={answer} item={item} />}
            </li>
          ))}
        </ul>
        {plan.excluded.length > 0 && (
          <section>
            <h3>Left out: {plan.excluded.length}</h3>
            <ul className="bulk-list dim">
              {plan.excluded.map(({ item, why }) => (
                <li key={item.id}>
                  <span className="grow break">
                    <VisibleText text={item.title} /> #{item.number}
                  </span>
                  <span>{why}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
        {answer === null ? (
          <>
            <Textarea
              label="Reason"
              description={decision === 'deny' ? 'The agents read it.' : 'Kept with each decision.'}
              autosize
              minRows={2}
              maxLength={4000}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
            {needsReason && <p className="dim small">High risk needs a reason.</p>}
            {offline && (
              <p role="alert">Offline: nothing can be decided until the service is back.</p>
            )}
            {refusal !== null && <p role="alert">{refusal}</p>}
            <div className="row">
              <Button
                color={decision === 'deny' ? 'red' : 'indigo'}
                loading={busy}
                disabled={plan.decided.length === 0 || needsReason || offline}
                onClick={() => void submit()}
              >
                {word} {plan.decided.length}
              </Button>
              <Button variant="default" onClick={() => props.onClose(false)}>
                Back
              </Button>
            </div>
          </>
        ) : (
          <Button onClick={() => props.onClose(true)}>Back to the inbox</Button>
        )}
      </div>
    </Modal>
  )
}

function ItemResult({ answer, item }: { answer: BulkAnswer; item: RequestItem }) {
  const result = answer.items.find((one) => one.requestId === item.id)
  if (result === undefined) return <span>no answer</span>
  if (result.status === 200) {
    return <span className="ok">{result.state === 'pending' ? 'vote recorded' : 'recorded'}</span>
  }
  return (
    <span className="not-ok">{result.detail ?? result.code ?? `refused (${result.status})`}</span>
  )
}
