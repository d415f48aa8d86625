import { Button } from '@mantine/core'

/** Actions on the selected requests. */
export function BulkBar(props: {
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
