import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { TranscriptCall } from '#api/schemas/runs/transcript.ts'
import { endOfOutput, noOutput, placeBehind } from '#domain/text/output-place.ts'
import { splitLines } from '#domain/text/line-pieces.ts'
import type { OutputStream } from '#domain/tool.ts'
import { ApiRefusal, readOutput } from '../api/call-api.ts'
import { VisibleLine } from '../text/visible-text.tsx'

const lookEveryMs = 1000
/** What is drawn: a hostile command may write characters that each are a chip. */
const maxDrawn = { bytes: 16 * 1024, lines: 200 }
/** Closer to the end than this is at the end. */
const atEndPx = 24

const names: Record<OutputStream, string> = { stdout: 'standard output', stderr: 'standard error' }

/**
 * What a running command has printed so far, as it comes; it is no result, and is replaced by it.
 */
export function LiveOutput(props: { callId: string; live: NonNullable<TranscriptCall['live']> }) {
  const { callId, live } = props
  return (
    <div className="so-far">
      <p className="small" role="status">
        {live.state === 'running'
          ? 'It runs. This is what it has printed so far.'
          : 'Nobody knows how it ended. This is what it had printed until then, and no result.'}
      </p>
      {live.stdout > 0 && <LiveStream callId={callId} stream="stdout" />}
      {live.stderr > 0 && <LiveStream callId={callId} stream="stderr" />}
    </div>
  )
}

function LiveStream({ callId, stream }: { callId: string; stream: OutputStream }) {
  const { end, tail } = useOutput(callId, stream)
  const { left, text } = endOfOutput(tail, maxDrawn)
  const before = end - tail.length + left
  const pane = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  useLayoutEffect(() => {
    const element = pane.current
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight
  }, [text])
  return (
    <div>
      <p className="small dim">
        {names[stream]}, {end.toLocaleString('en')} bytes so far
        {before > 0 && `; the first ${before.toLocaleString('en')} are not shown here`}
      </p>
      <div
        ref={pane}
        className="code so-far-pane"
        // A log is read out as it grows, which nobody could follow: it is there to be visited.
        role="log"
        aria-live="off"
        aria-label={`${names[stream]} so far`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys must scroll it too
        tabIndex={0}
        onScroll={({ currentTarget: at }) => {
          follows.current = at.scrollHeight - at.scrollTop - at.clientHeight < atEndPx
        }}
      >
        {splitLines(text).lines.map((line, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a line is its place
          <div key={index} className="so-far-line">
            <code className="code-text">
              <VisibleLine line={line} />
            </code>
          </div>
        ))}
      </div>
    </div>
  )
}

/**
 * The newest bytes of a stream, and where they end. Asked for anew every second while the page is
 * looked at.
 */
function useOutput(callId: string, stream: OutputStream): { end: number; tail: Uint8Array } {
  const [read, setRead] = useState({ end: 0, tail: new Uint8Array() })
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | null = null
    let position = noOutput
    let tail = new Uint8Array()
    const begin = (): void => {
      position = noOutput
      tail = new Uint8Array()
    }
    const look = async (): Promise<boolean> => {
      if (document.hidden) return true
      const part = await readOutput({ callId, stream, offset: position.offset }, stop.signal)
      const next = placeBehind(position, part)
      if (next === null) {
        begin()
        return true
      }
      tail = joined(next.missing > 0 ? new Uint8Array() : tail, part.bytes)
      position = next.place
      setRead({ end: position.offset, tail })
      return part.more
    }
    const lookOn = async (): Promise<void> => {
      const more = await look().catch((error: unknown) => {
        // Behind the end: another attempt has begun. What is not there any more has its result by
        // now.
        if (error instanceof ApiRefusal && error.code === 'invalid_request') begin()
        return error instanceof ApiRefusal && error.code !== 'not_found'
      })
      if (more && !stop.signal.aborted) timer = setTimeout(() => void lookOn(), lookEveryMs)
    }
    void lookOn()
    return () => {
      stop.abort()
      if (timer !== null) clearTimeout(timer)
    }
  }, [callId, stream])
  return read
}

/** Two parts of a stream, as far back as anything of them is drawn. */
function joined(before: Uint8Array, after: Uint8Array): Uint8Array<ArrayBuffer> {
  const remaining = before.subarray(Math.max(0, before.length + after.length - 2 * maxDrawn.bytes))
  const joinedBytes = new Uint8Array(remaining.length + after.length)
  joinedBytes.set(remaining)
  joinedBytes.set(after, remaining.length)
  return joinedBytes.slice(-2 * maxDrawn.bytes)
}
