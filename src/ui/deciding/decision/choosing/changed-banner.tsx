import { Button } from '@mantine/core'
import { useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { later } from '../../../states/later.tsx'
import { Loading } from '../../../states/loading.tsx'
import { changedFields } from '../../editing/edited-input.ts'
import { Notice } from '../../../states/notice.tsx'
import { verbs } from '../../../words/verbs.ts'
import { ChangedWords } from './changed-words.tsx'

const TextDifference = later(
  () => import('../../../effect/text-difference.tsx').then((module) => module.TextDifference),
  () => <Loading what="the difference" lines={2} />,
)

/**
 * The opened request has changed: who changed it, the difference, and a button that opens the new
 * revision.
 */
export function ChangedBanner(props: {
  displayedRequest: RequestDetail
  current: RequestDetail
  onReview: () => void
}) {
  const { displayedRequest, current } = props
  const [open, setOpen] = useState(false)
  const changes = changedFields(displayedRequest.input, current.input)
  return (
    <div className="column">
      <Notice tone="bad" title="This changed since you opened it">
        <ChangedWords current={current} revision={displayedRequest.revision} /> No decision of yours
        was recorded; what you typed is kept.
      </Notice>
      <div className="row">
        <Button size="xs" variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide what changed' : 'Show what changed'}
        </Button>
        <Button size="xs" onClick={props.onReview}>
          {verbs.showNewRevision}
        </Button>
      </div>
      {open && (
        <div className="column" aria-label="What changed" role="region">
          {changes.length === 0 && (
            <p className="small dim">
              The input is the same; the file that it is compared with has changed.
            </p>
          )}
          {changes.map((change) => (
            <div key={change.name}>
              <h3 className="mono">{change.name}</h3>
              <TextDifference before={change.before ?? ''} after={change.after ?? ''} />
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
