import { useEffect, useRef, useState } from 'react'
import { Button } from '@mantine/core'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { laterDialog } from '../../floating/later-dialog.ts'
import { focusHeadline } from '../../states/lead-to.ts'

const BulkReview = laterDialog(() =>
  import('./bulk-review.tsx').then((module) => module.BulkReview),
)

const noReasons = { approve: '', deny: '' }

/** What the person can do with the selected rows. `onDecided` gets the ids of those reviewed. */
export function BulkActs(props: {
  items: readonly RequestItem[]
  onClear: () => void
  onDecided: (ids: readonly string[]) => void
}) {
  const { items, onClear } = props
  const [decision, setDecision] = useState<'approve' | 'deny' | null>(null)
  // Kept until the selection ends: "Back" leads to the list, where a row may be left out.
  const [reasons, setReasons] = useState(noReasons)
  const isOver = items.length === 0 && decision === null
  if (isOver && reasons !== noReasons) setReasons(noReasons)
  const wasOver = useRef(isOver)
  useEffect(() => {
    // The button that had the focus is gone with the bar or the dialog.
    if (isOver && !wasOver.current && document.activeElement === document.body) focusHeadline()
    wasOver.current = isOver
  }, [isOver])
  return (
    <>
      {items.length > 0 && (
        <BulkBar count={items.length} onClear={onClear} onDecide={setDecision} />
      )}
      {decision !== null && (
        <BulkReview
          decision={decision}
          selected={items}
          reason={reasons[decision]}
          onReason={(reason) => setReasons({ ...reasons, [decision]: reason })}
          onClose={(decided) => {
            setDecision(null)
            if (!decided) return
            props.onDecided(items.map((item) => item.id))
            onClear()
          }}
        />
      )}
    </>
  )
}

/** Actions on the selected requests. */
function BulkBar(props: {
  count: number
  onClear: () => void
  onDecide: (decision: 'approve' | 'deny') => void
}) {
  const { count, onClear, onDecide } = props
  return (
    <div className="bulk-bar" role="region" aria-label="Selected requests">
      <strong>{count} selected</strong>
      <Button variant="subtle" color="gray" onClick={onClear}>
        Clear
      </Button>
      <span className="grow" />
      <Button variant="default" onClick={() => onDecide('deny')}>
        Deny {count}…
      </Button>
      <Button variant="default" onClick={() => onDecide('approve')}>
        Approve {count}…
      </Button>
    </div>
  )
}
