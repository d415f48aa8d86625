import { Button } from '@mantine/core'
import { useState } from 'react'
import type { AuditEventView } from '#api/schemas/audit/audit.ts'
import { errorMessage } from '#domain/error-message.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { callApi } from '../../api/call-api.ts'
import { canHash } from '../../api/digests.ts'
import { Notice } from '../../states/notice.tsx'
import { checkReceipt, type CheckedReceipt } from './check-receipt.ts'

interface Findings extends CheckedReceipt {
  readonly vkey: string
  readonly key: KeySeen
  /** the number of events that no checkpoint covers yet */
  readonly waiting: number
}

/** What a check found or why it failed; `about`: the request and its records. */
interface CheckResult {
  readonly about: string
  readonly findings?: Findings
  readonly failure?: string
}

/**
 * Verifies in the browser that the signed log has a request's events, and that `events` are these.
 */
export function ProofCheck(props: {
  request: string
  events: readonly AuditEventView[]
  /** whether the page can load older events */
  hasOlder: boolean
}) {
  const { request, events, hasOlder } = props
  const [result, setResult] = useState<CheckResult | null>(null)
  const [isChecking, setIsChecking] = useState(false)
  const about = `${request} ${JSON.stringify(events)}`
  // A check says nothing of another request, or of a record that the page shows since.
  const { findings = null, failure = null } = result?.about === about ? result : {}
  const check = async (): Promise<void> => {
    setIsChecking(true)
    try {
      const receipt = await callApi('getReceipt', { params: { id: request } })
      const checked = await checkReceipt(receipt, events, hasOlder)
      const { vkey, waiting } = receipt
      setResult({ about, findings: { ...checked, vkey, waiting, key: keySeen(vkey) } })
    } catch (error) {
      setResult({ about, failure: errorMessage(error) })
    } finally {
      setIsChecking(false)
    }
  }
  return (
    <div className="column small">
      <div>
        <Button
          size="xs"
          variant="default"
          disabled={!canHash}
          loading={isChecking}
          onClick={() => void check()}
        >
          Check the proof in this browser
        </Button>
      </div>
      {!canHash && (
        <p className="dim">
          This browser checks signatures only on pages from https addresses or from this machine.
        </p>
      )}
      {failure !== null && (
        <Notice tone="bad" title="The proof could not be checked">
          {failure}
        </Notice>
      )}
      {findings !== null && <Results findings={findings} />}
    </div>
  )
}

function Results({ findings }: { findings: Findings }) {
  const { checkpoint, events, notIncluded, isChained, differing, newer, older, waiting } = findings
  const areIncluded = notIncluded.length === 0 && events > 0
  const areShown = differing === 0
  const holds =
    checkpoint !== null && areIncluded && isChained && areShown && findings.key !== 'changed'
  return (
    <div role="status">
      <p className={holds ? 'proof-good' : 'proof-bad'}>
        {holds ? 'Every check holds.' : 'A check does not hold.'}
      </p>
      <ul className="proof-list">
        <Result holds={checkpoint !== null}>
          {checkpoint === null
            ? 'The signature of the checkpoint does not hold, or this browser has no Ed25519.'
            : `${checkpoint.signer} has signed the log up to event ${checkpoint.size.toLocaleString('en')}.`}
        </Result>
        <Result holds={areIncluded}>
          {notIncluded.length === 0
            ? `${events} of the request's events were hashed here, and each leads to the signed root.`
            : `The signed log does not have what is shown as event ${notIncluded.join(', ')}.`}
        </Result>
        <Result holds={isChained}>
          {isChained
            ? 'Each event names the hash of the previous one: no event in between is missing.'
            : 'An event is missing in between, or was changed.'}
        </Result>
        <Result holds={areShown}>
          {areShown
            ? 'The records on this page are these events.'
            : `On this page, ${countWords(differing, 'record')} ${differing === 1 ? 'differs' : 'differ'} from the log.`}
        </Result>
        <Result holds={findings.key !== 'changed'}>{keyWords[findings.key]}</Result>
        {newer > 0 && (
          <li className="dim">The log has newer events, which this page does not show: {newer}.</li>
        )}
        {older > 0 && (
          <li className="dim">The log has older events, which this page does not show: {older}.</li>
        )}
        {waiting > 0 && (
          <li className="dim">
            {countWords(waiting, 'newer event')} will be signed within two seconds.
          </li>
        )}
      </ul>
      <p className="dim break mono">{findings.vkey}</p>
    </div>
  )
}

const keyWords: Readonly<Record<KeySeen, string>> = {
  first:
    'This browser sees the log’s key for the first time and remembers it. Compare it with one that you got in another way.',
  same: 'It is the key that this browser saw before.',
  changed:
    'It differs from the key that this browser saw before: “countersign audit key --chain” shows whether the old key signed the new one.',
}

function Result({ holds, children }: { holds: boolean; children: React.ReactNode }) {
  return (
    <li>
      <span className={holds ? 'proof-good' : 'proof-bad'}>{holds ? 'Holds' : 'Fails'}</span>{' '}
      {children}
    </li>
  )
}

/** Whether this browser has seen this key of the log before, or a different one. */
type KeySeen = 'first' | 'same' | 'changed'

const place = 'countersign.log-key'

/** Compares a verifier key with the first one that this browser saw, which it stores. */
function keySeen(vkey: string): KeySeen {
  try {
    const before = localStorage.getItem(place)
    if (before !== null) return before === vkey ? 'same' : 'changed'
    localStorage.setItem(place, vkey)
  } catch {
    // Without storage, every key is the first one.
  }
  return 'first'
}
