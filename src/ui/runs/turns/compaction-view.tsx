import { IconFold } from '@tabler/icons-react'
import type { TranscriptItem } from '#api/schemas/runs/transcript.ts'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'

/** A summary by the model that replaced its oldest turns. Nobody verified the summary. */
export function CompactionView({ item }: { item: TranscriptItem }) {
  const [first, last] = item.covers ?? [0, 0]
  const turns = first === last ? `turn ${first}` : `turns ${first} to ${last}`
  return (
    <article className="turn turn-compaction" aria-label={`Summary of ${turns}`}>
      <span className="turn-icon">
        <IconFold size={16} aria-hidden />
      </span>
      <div className="grow column turn-body">
        <p className="small">
          <strong>From here on, the model sees this summary instead of {turns}</strong>{' '}
          <span className="dim">
            <Time at={item.at} />
          </span>
        </p>
        <details>
          <summary className="small">The summary that the model wrote</summary>
          <div className="turn-text turn-summary">
            <VisibleText text={item.text ?? ''} />
          </div>
        </details>
      </div>
    </article>
  )
}

/** The last turn that the model sees only in a summary; 0: none. Pure. */
export function summarisedThrough(items: readonly TranscriptItem[]): number {
  return items.findLast(({ role }) => role === 'compaction')?.covers?.[1] ?? 0
}
