import { Button, Modal, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { BulkAnswer } from '#api/schemas/requests/decisions.ts'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { callApi } from '../../api/call-api.ts'
import { useIntentKey } from '../../api/use-intent-key.ts'
import { useConnection } from '../../live/live-provider.tsx'
import { Risk } from '../../deciding/facts/risk.tsx'
import { announce } from '../../states/announce.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { BulkItem, type SeenItem } from './bulk-item.tsx'
import { planBulk } from './plan-bulk.ts'
import { verbs } from '../../words/verbs.ts'

/**
 * The decisions of one action on several requests, item by item in call order, and afterwards their
 * results. An approval counts only once all of its presentation was on the screen. Each item can be
 * removed.
 */
export function BulkReview(props: {
  decision: 'approve' | 'deny'
  selected: readonly RequestItem[]
  onClose: (decided: boolean) => void
}) {
  const { decision } = props
  const client = useQueryClient()
  const offline = useConnection() === 'offline'
  // The list stays as it was reviewed, even if new requests arrive.
  const [plan] = useState(() => planBulk(decision, props.selected))
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set())
  const [seen, setSeen] = useState<ReadonlyMap<string, SeenItem>>(new Map())
  const intent = useIntentKey()
  const [reason, setReason] = useState('')
  const [answer, setAnswer] = useState<BulkAnswer | null>(null)
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const verb = decision === 'approve' ? 'Approve' : verbs.deny
  const remaining = plan.decided.filter((item) => !removed.has(item.id))
  const requests =
    decision === 'approve' ? remaining.filter((item) => seen.has(item.id)) : remaining
  const needsReason = requests.some((item) => item.risk === 'high') && reason.trim() === ''
  const recordView = useCallback((id: string, view: SeenItem | null) => {
    setSeen((before) => {
      const next = new Map(before)
      if (view === null) next.delete(id)
      else next.set(id, view)
      return next
    })
  }, [])
  const remove = (id: string): void => {
    setRemoved((before) => new Set([...before, id]))
  }

  const submit = async (): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    const optionalReason = reason.trim() === '' ? {} : { reason: reason.trim() }
    const decisions = requests.map((item) => ({
      requestId: item.id,
      decision,
      digest: item.digest,
      revision: item.revision,
      ...(decision === 'approve' && seen.get(item.id)),
      ...optionalReason,
    }))
    try {
      const body = { decisions }
      const result = await callApi('decideRequests', { body, idempotencyKey: intent.of(body) })
      setAnswer(result)
      const recordedCount = result.items.filter((item) => item.status === 200).length
      announce(`${recordedCount} of ${result.items.length} recorded`)
      void client.invalidateQueries()
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setBusy(false)
  }

  return (
    <Modal
      opened
      size={decision === 'approve' && answer === null ? 'xl' : 'lg'}
      onClose={() => props.onClose(answer !== null)}
      title={
        answer === null
          ? `${verb} ${remaining.length} ${remaining.length === 1 ? 'request' : 'requests'}`
          : 'Results'
      }
    >
      <div className="column">
        {decision === 'approve' && answer === null ? (
          <ol className="bulk-items" aria-label="To approve">
            {remaining.map((item) => (
              <BulkItem
                key={item.id}
                item={item}
                onSeen={recordView}
                onRemove={() => remove(item.id)}
              />
            ))}
          </ol>
        ) : (
          <ul className="bulk-list">
            {remaining.map((item) => (
              <li key={item.id}>
                <Risk risk={item.risk} />
                <span className="grow break">
                  <VisibleText text={item.effect} /> <span className="dim">#{item.number}</span>
                </span>
                {answer === null ? (
                  <Button
                    variant="subtle"
                    color="gray"
                    size="compact-sm"
                    onClick={() => remove(item.id)}
                    aria-label={`Leave out #${item.number}`}
                  >
                    {verbs.leaveOut}
                  </Button>
                ) : (
                  <ItemResult answer={answer} item={item} />
                )}
              </li>
            ))}
          </ul>
        )}
        {plan.excluded.length > 0 && (
          <section>
            <h3>Left out: {plan.excluded.length}</h3>
            <ul className="bulk-list dim">
              {plan.excluded.map(({ item, why }) => (
                <li key={item.id}>
                  <span className="grow break">
                    <VisibleText text={item.effect} /> #{item.number}
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
              description={
                decision === 'deny' ? 'The agents read it.' : 'Recorded with each decision.'
              }
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
            <div className="row dialog-foot">
              <Button
                color={decision === 'deny' ? 'red' : 'indigo'}
                loading={busy}
                disabled={requests.length === 0 || needsReason || offline}
                onClick={() => void submit()}
              >
                {verb} {requests.length}
              </Button>
              <Button variant="default" onClick={() => props.onClose(false)}>
                Back
              </Button>
              {requests.length < remaining.length && (
                <span className="dim small" role="status">
                  {remaining.length - requests.length} not seen in full yet
                </span>
              )}
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
  const result = answer.items.find((result) => result.requestId === item.id)
  if (result === undefined) return <span>not decided</span>
  if (result.status === 200) {
    return <span className="ok">{result.state === 'pending' ? 'vote recorded' : 'recorded'}</span>
  }
  return (
    <span className="not-ok">{result.detail ?? result.code ?? `refused (${result.status})`}</span>
  )
}
