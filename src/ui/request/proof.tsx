import { useRef, useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { later } from '../states/later.tsx'
import { Loading } from '../states/loading.tsx'
import { PageBoundary } from '../states/page-boundary.tsx'
import { Lineage } from './surroundings.tsx'

const Facts = later(
  () => import('../deciding/facts/facts.tsx').then((module) => module.Facts),
  () => <Loading what="the facts" lines={4} />,
)
const Activity = later(() => import('./activity.tsx').then((module) => module.Activity))

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
        <div className="column">
          <PageBoundary what="The facts">
            <Facts request={displayedRequest} raw={raw} onRaw={setRaw} />
          </PageBoundary>
          <Lineage request={request} />
          <PageBoundary what="The activity">
            <Activity request={request} />
          </PageBoundary>
        </div>
      )}
    </details>
  )
}
