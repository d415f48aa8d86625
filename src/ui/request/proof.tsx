import { useRef, useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { later } from '../states/later.tsx'
import { Loading } from '../states/loading.tsx'

const ProofParts = later(
  () => import('./proof-parts.tsx').then((module) => module.ProofParts),
  () => <Loading what="the proof" lines={6} />,
)

/**
 * Everything that the decision is bound to: facts and hashes, the version of the policy, the
 * lineage, and the audit events. Folded, because nobody needs it to decide, and loaded when it is
 * opened. `request` is the newest state, `displayedRequest` the revision on the page.
 */
export function Proof({
  request,
  displayedRequest,
}: {
  request: RequestDetail
  displayedRequest: RequestDetail
}) {
  const [isOpen, setOpen] = useState(false)
  const [raw, setRaw] = useState(false)
  const summary = useRef<HTMLElement>(null)
  useShortcut('raw', () => {
    setRaw(!raw || !isOpen)
    setOpen(true)
    summary.current?.scrollIntoView({ block: 'start' })
  })
  return (
    <details
      className="card proof"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary ref={summary}>
        <h2>Proof</h2>{' '}
        <span className="dim small">Facts, hashes, policy version, lineage, activity</span>
      </summary>
      {isOpen && (
        <ProofParts
          request={request}
          displayedRequest={displayedRequest}
          raw={raw}
          onRaw={setRaw}
        />
      )}
    </details>
  )
}
