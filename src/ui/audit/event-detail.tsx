import { Button } from '@mantine/core'
import type { AuditEventView } from '../../api/schemas/audit/audit.ts'
import { LinesView } from '../request/effect/lines-view.tsx'
import { copyText } from '../text/copy-text.ts'
import { absoluteTime } from '../text/time.tsx'
import { EventLineage } from './event-lineage.tsx'

/** The exact record of an event. */
export function EventDetail({ event }: { event: AuditEventView }) {
  const text = JSON.stringify(event, null, 2)
  // Canonical JSON keeps its order when it is parsed: this is the leaf of the log, byte for byte.
  const stored = JSON.stringify(event)
  return (
    <div className="column">
      <p className="dim small">{absoluteTime(event.at)}</p>
      {event.runId !== undefined && <EventLineage runId={event.runId} />}
      <LinesView text={text} showFinalNewline={false} />
      <div className="row">
        <Button variant="default" size="xs" onClick={() => void copyText(text, 'Event')}>
          Copy
        </Button>
        <Button variant="default" size="xs" onClick={() => void copyText(stored, 'Stored bytes')}>
          Copy the stored bytes
        </Button>
      </div>
    </div>
  )
}
