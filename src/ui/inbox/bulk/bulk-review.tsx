import { Button, Modal, Textarea } from '@mantine/core'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { useConnection } from '../../live/live-provider.tsx'
import { useFocusReturn } from '../../states/use-focus-return.ts'
import { BulkItem } from './bulk-item.tsx'
import { ExcludedItems, ItemLine, ItemResult, LeaveOutButton } from './bulk-lists.tsx'
import { type BulkDecision, useBulkDecision } from './use-bulk-decision.ts'
import { verbs } from '../../words/verbs.ts'

/**
 * The decisions of one action on several requests, item by item in call order, and afterwards their
 * results. An approval counts only once all of its presentation was on the screen. Each item can be
 * removed.
 */
export function BulkReview(props: {
  decision: 'approve' | 'deny'
  selected: readonly RequestItem[]
  /** the reason of all its decisions, which outlasts the dialog */
  reason: string
  onReason: (reason: string) => void
  onClose: (decided: boolean) => void
}) {
  const { decision } = props
  const bulk = useBulkDecision(decision, props.selected, props.reason)
  const { answer, excluded, remaining } = bulk
  const back = useFocusReturn<HTMLButtonElement>(answer === null, bulk.busy)
  const isApproval = decision === 'approve' && answer === null
  const verb = decision === 'approve' ? 'Approve' : verbs.deny
  return (
    <Modal
      opened
      size={isApproval ? 'xl' : 'lg'}
      onClose={() => props.onClose(answer !== null)}
      title={answer === null ? `${verb} ${countWords(remaining.length, 'request')}` : 'Results'}
    >
      <div className="column">
        {isApproval ? <ItemsToApprove bulk={bulk} /> : <Items bulk={bulk} />}
        {excluded.length > 0 && <ExcludedItems excluded={excluded} />}
        {answer === null ? (
          <SubmitFields
            bulk={bulk}
            verb={verb}
            isDenial={decision === 'deny'}
            reason={props.reason}
            onReason={props.onReason}
            onBack={() => props.onClose(false)}
          />
        ) : (
          <Button ref={back} onClick={() => props.onClose(true)}>
            Back to the inbox
          </Button>
        )}
      </div>
    </Modal>
  )
}

/** The items with all that will happen. */
function ItemsToApprove({ bulk }: { bulk: BulkDecision }) {
  return (
    <ol className="bulk-items" aria-label="To approve">
      {bulk.remaining.map((item) => (
        <BulkItem
          key={item.id}
          item={item}
          onSeen={bulk.recordView}
          onRemove={() => bulk.remove(item.id)}
        />
      ))}
    </ol>
  )
}

/** The items as lines, to be denied or with their results. */
function Items({ bulk: { remaining, answer, remove } }: { bulk: BulkDecision }) {
  return (
    <ul className="bulk-list">
      {remaining.map((item) => (
        <li key={item.id}>
          <ItemLine item={item}>
            {answer === null ? (
              <LeaveOutButton item={item} onRemove={() => remove(item.id)} />
            ) : (
              <ItemResult answer={answer} item={item} />
            )}
          </ItemLine>
        </li>
      ))}
    </ul>
  )
}

function SubmitFields(props: {
  bulk: BulkDecision
  verb: string
  isDenial: boolean
  reason: string
  onReason: (reason: string) => void
  onBack: () => void
}) {
  const { bulk, verb, isDenial } = props
  const { remaining, requests, needsReason, refusal } = bulk
  const offline = useConnection() === 'offline'
  return (
    <>
      <Textarea
        label="Reason"
        description={isDenial ? 'The agents read it.' : 'Recorded with each decision.'}
        autosize
        minRows={2}
        value={props.reason}
        onChange={(event) => props.onReason(event.currentTarget.value)}
      />
      {needsReason && <p className="dim small">High risk needs a reason.</p>}
      {offline && <p role="alert">Offline: nothing can be decided until the service is back.</p>}
      {refusal !== null && <p role="alert">{refusal}</p>}
      <div className="row dialog-foot">
        <Button
          color={isDenial ? 'red' : 'indigo'}
          loading={bulk.busy}
          disabled={requests.length === 0 || needsReason || offline}
          onClick={() => void bulk.submit()}
        >
          {verb} {requests.length}
        </Button>
        <Button variant="default" onClick={props.onBack}>
          Back
        </Button>
        {requests.length < remaining.length && (
          <span className="dim small" role="status">
            {remaining.length - requests.length} not seen in full yet
          </span>
        )}
      </div>
    </>
  )
}
