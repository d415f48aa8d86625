import { starterName } from '#domain/text/starter-name.ts'
import { Button } from '@mantine/core'
import { useEffect, useState, Fragment } from 'react'
import { canHash, hexOf, sha256 } from '../api/digests.ts'
import { useCheckpoint, useRun } from '../api/queries.ts'
import { LinesView } from '../effect/lines-view.tsx'
import { copyText } from '../text/copy-text.ts'
import { Hash } from '../text/hash.tsx'
import { absoluteTime } from '../text/time.tsx'
import { EventLine, type EventFields } from './event-line.tsx'
import { OfflineCommands } from './offline-commands.tsx'
import { Link } from 'react-router'

/** The exact record of an event, and for people who may read the whole trail, how to verify it. */
export function EventDetail(
  props: EventFields & {
    readsAll: boolean
    /** closes the record before a link leads to the history of its request */
    onLeave: () => void
  },
) {
  const { event, about, readsAll, onLeave } = props
  const text = JSON.stringify(event, null, 2)
  // Parsing and printing keep the order of canonical JSON, so this text is the leaf of the log byte
  // for byte.
  const eventText = JSON.stringify(event)
  const leaf = useLeafHash(eventText)
  const checkpoint = useCheckpoint()
  return (
    <div className="column">
      <p className="break">
        <EventLine event={event} about={about} />
      </p>
      <p className="dim small">{absoluteTime(event.at)}</p>
      {event.runId !== undefined && <EventLineage runId={event.runId} />}
      {event.requestId !== undefined && (
        <p className="small">
          <Link to={`/audit?requestId=${event.requestId}`} onClick={onLeave}>
            All that happened to this request
          </Link>
        </p>
      )}
      <LinesView text={text} showFinalNewline={false} />
      <div className="row">
        <Button variant="default" size="xs" onClick={() => void copyText(text, 'Event')}>
          Copy
        </Button>
        <Button
          variant="default"
          size="xs"
          onClick={() => void copyText(eventText, 'Stored bytes')}
        >
          Copy the stored bytes
        </Button>
      </div>
      <details className="small">
        <summary>Proof</summary>
        {leaf !== null && (
          <p className="dim">
            {leaf.bytes.toLocaleString('en')} bytes as stored. Leaf of the log{' '}
            <Hash value={leaf.hash} what="leaf hash" />
          </p>
        )}
        <LinesView text={eventText} showFinalNewline={false} />
      </details>
      {readsAll && checkpoint.data !== undefined && (
        <div className="small">
          <OfflineCommands vkey={checkpoint.data.vkey} request={event.requestId ?? null} />
        </div>
      )}
    </div>
  )
}

/** Length and leaf hash (RFC 6962) of the stored bytes; `null`: no hash in this browser. */
function useLeafHash(eventText: string): { bytes: number; hash: string } | null {
  const [leaf, setLeaf] = useState<{ bytes: number; hash: string } | null>(null)
  useEffect(() => {
    if (!canHash) return undefined
    let stale = false
    const bytes = new TextEncoder().encode(eventText)
    void sha256(Uint8Array.of(0), bytes).then((hash) => {
      if (!stale) setLeaf({ bytes: bytes.length, hash: hexOf(hash) })
    })
    return () => {
      stale = true
    }
  }, [eventText])
  return leaf
}

/** The runs above an event's run, from the root; none if the person may not see them. */
function EventLineage({ runId }: { runId: string }) {
  const { data } = useRun(runId)
  if (data === undefined) return null
  return (
    <p className="small">
      {data.lineage.map((entry, index) => (
        <Fragment key={entry.runId}>
          {index > 0 && ' › '}
          <Link to={`/runs/${entry.runId}`}>{entry.worker}</Link>
        </Fragment>
      ))}
      <span className="dim">, started by {starterName(data.startedBy)}</span>
    </p>
  )
}
